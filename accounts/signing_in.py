"""Whose session it is: the person and their memberships, asked of the database in one statement."""

from __future__ import annotations

import uuid
from typing import Any

from allauth.account.auth_backends import AuthenticationBackend

from accounts.models import Membership, User
from accounts.prepared import Prepared

_OF_PERSON = Prepared(
    lambda person: (
        Membership.everywhere.filter(user_id=person, is_active=True)
        .select_related("tenant", "user")
        .order_by("created_at")
    )
)


class PersonBackend(AuthenticationBackend):
    """Signs people in as allauth does; who has a membership is read together with it, for `memberships`."""

    def get_user(self, user_id: uuid.UUID) -> User | None:
        found = _OF_PERSON(person=user_id)
        user: Any = found[0].user if found else super().get_user(user_id)
        if user is None or not self.user_can_authenticate(user):
            return None
        user.read_memberships = found
        return user


def memberships(user: Any) -> list[Membership]:
    """Every membership of a signed-in person, the oldest first, each with its tenant."""
    read: list[Membership] | None = getattr(user, "read_memberships", None)
    return _OF_PERSON(person=user.pk) if read is None else read
