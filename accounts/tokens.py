"""Personal tokens: with one, a person's own scripts have the person's rights, or fewer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from accounts import audit, secrets, tenancy
from accounts.authentication import PERSONAL
from accounts.errors import Forbidden, NotVisible
from accounts.models import PersonalToken
from accounts.principals import Principal


def living(principal: Principal) -> QuerySet[PersonalToken]:
    """The person's tokens that are not revoked, newest first; expired ones are among them."""
    return PersonalToken.objects.filter(membership_id=principal.subject_id, revoked_at=None).order_by("-pk")


def create(principal: Principal, name: str, scopes: Iterable[str], expires_at: datetime | None) -> secrets.Token:
    """A new token of the person, with no scope that the person lacks. The secret is shown this once."""
    _require_presence(principal)
    wanted = frozenset(scopes)
    if not wanted or not wanted <= principal.scopes:
        raise Forbidden("A personal token has no scope that its person lacks.", code="missing_scope")
    token = secrets.new_token(PERSONAL)
    with tenancy.atomic():
        made = PersonalToken.objects.create(
            membership_id=principal.subject_id,
            name=name,
            scopes=sorted(wanted),
            expires_at=expires_at,
            prefix=token.prefix,
            digest=token.digest,
        )
        audit.record(
            principal, "token.create", target="personal_token", target_id=made.pk, details={"scopes": made.scopes}
        )
    return token


def revoke(principal: Principal, token_id: UUID) -> None:
    """End a token at once. Raises NotVisible for one that is not the person's or has ended."""
    _require_presence(principal)
    with tenancy.atomic():
        if not living(principal).filter(pk=token_id).update(revoked_at=timezone.now()):
            raise NotVisible
        audit.record(principal, "token.revoke", target="personal_token", target_id=token_id)


def _require_presence(principal: Principal) -> None:
    """A token must not make or end tokens: only the signed-in person does."""
    if not principal.is_person or principal.credential_id is not None:
        raise Forbidden("Only the signed-in person may do that.", code="sign_in_required")
