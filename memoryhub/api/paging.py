"""Cursor pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from django.core import signing
from django.db import models

from accounts import secrets
from accounts.errors import InvalidInput
from accounts.principals import Principal

Model = TypeVar("Model", bound=models.Model)


class Page:
    """Newest first by id, after a cursor that is signed and bound to the caller and the filters."""

    def __init__(self, principal: Principal, filters: Mapping[str, object], cursor: str | None, limit: int) -> None:
        self.scope = secrets.fingerprint(
            "cursor",
            {"tenant": principal.tenant_id, "subject": principal.subject_id, "actor": principal.actor_id, **filters},
        )[:32]
        self.limit = limit
        self.after = self._opened(cursor)

    def _opened(self, cursor: str | None) -> str | None:
        if cursor is None:
            return None
        try:
            scope, after = signing.loads(cursor, salt="memoryhub.cursor")
        except (signing.BadSignature, ValueError, TypeError):
            scope, after = "", None
        if not secrets.same(scope, self.scope):
            raise InvalidInput.field("cursor", "This cursor does not belong to this list.", "unknown_cursor")
        return after

    def take(self, rows: models.QuerySet[Model]) -> tuple[list[Model], dict[str, object]]:
        """One page of the rows, and the fields that lead to the next."""
        if self.after is not None:
            rows = rows.filter(pk__lt=self.after)
        found = list(rows.order_by("-pk")[: self.limit + 1])
        page, has_more = found[: self.limit], len(found) > self.limit
        cursor = signing.dumps([self.scope, str(page[-1].pk)], salt="memoryhub.cursor") if has_more else None
        return page, {"next_cursor": cursor, "has_more": has_more}
