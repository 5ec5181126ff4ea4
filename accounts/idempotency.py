"""One request, one effect: a repeated idempotency key answers from what the first request left behind.

The row is written before the work and in the same transaction, so it survives a restart exactly when the work does.
It holds keyed digests of the key and the body and the ids of what was made, never a text. Expected behaviour follows
the IETF draft "The Idempotency-Key HTTP Header Field" (-07).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts import secrets, tenancy
from accounts.errors import Conflict, IdempotencyMismatch
from accounts.models import IdempotencyKey
from accounts.principals import Principal

KEPT_FOR = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Result:
    """What a request answers: its status, its body now, and the references from which the body can be made again."""

    status: int
    body: Mapping[str, object]
    references: Mapping[str, object] = field(default_factory=dict)
    replayed: bool = False


def once(
    principal: Principal,
    *,
    route: str,
    key: str | None,
    request_body: object,
    work: Callable[[], Result],
    answer_again: Callable[[int, Mapping[str, object]], Result],
    kept_for: timedelta = KEPT_FOR,
) -> Result:
    """Run `work` once per caller, subject, route and key; later calls get `answer_again(status, references)`.

    Raises IdempotencyMismatch when the key was used with another body and Conflict while the first request runs.
    An error inside `work` leaves no trace, so the corrected request may use the same key.
    """
    if not key:
        return work()
    digest = secrets.digest("idempotency", str(principal.actor_id), str(principal.subject_id or ""), route, key)
    fingerprint = secrets.fingerprint("idempotent-body", request_body)
    now = timezone.now()
    with tenancy.atomic():
        if (row := _first(digest, fingerprint, now + kept_for)) is not None:
            result = work()
            IdempotencyKey.objects.filter(pk=row.pk).update(status=result.status, references=dict(result.references))
            return result
        known = IdempotencyKey.objects.select_for_update().get(digest=digest)
        if known.expires_at <= now:
            result = work()
            IdempotencyKey.objects.filter(pk=known.pk).update(
                fingerprint=fingerprint,
                status=result.status,
                references=dict(result.references),
                expires_at=now + kept_for,
            )
            return result
        if not secrets.same(known.fingerprint, fingerprint):
            raise IdempotencyMismatch
        if known.status is None:
            raise Conflict("The first request with this key is still running.", code="still_running", retry_after=1)
        again = answer_again(known.status, known.references)
        return Result(again.status, again.body, known.references, replayed=True)


def _first(digest: str, fingerprint: str, expires_at: object) -> IdempotencyKey | None:
    """The new row, or None when the key is known. A running twin blocks here until it commits or rolls back."""
    try:
        with transaction.atomic():
            return IdempotencyKey.objects.create(digest=digest, fingerprint=fingerprint, expires_at=expires_at)
    except IntegrityError:
        return None
