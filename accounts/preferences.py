"""What people set for themselves: the language of their pages and the time zone their days are counted in."""

from __future__ import annotations

from accounts import audit, tenancy
from accounts.models import Membership, User
from accounts.principals import Principal


def set_language(user: User, language: str) -> None:
    """Remember a person's language for every device on which they sign in."""
    User.objects.filter(pk=user.pk).update(language=language)


def set_time_zone(principal: Principal, time_zone: str) -> None:
    """From now on, days a person names end when they end in this zone; blank means the tenant's."""
    with tenancy.atomic():
        Membership.objects.filter(pk=principal.subject_id).update(time_zone=time_zone)
        audit.record(principal, "person.time_zone", target="membership", target_id=principal.subject_id)
