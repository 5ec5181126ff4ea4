"""Breaking the glass: the only way in which an auditor or administrator reads a person's own memories.

It takes a reason, ends by itself, changes nothing and leaves an event of every page; the person gets a notice of it.
"""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import Forbidden, InvalidInput
from accounts.models import Membership
from accounts.principals import Principal, Role
from memories import access
from memories.models import Memory, MemoryQuerySet, Reveal
from memories.sensitivity import scan

LASTS = timedelta(minutes=30)
LEAST, MOST = 20, 500


def reveal(principal: Principal, external_id: str, ground: str, words: str) -> Reveal:
    """Let the caller read what is remembered about a person, from now on and for a while.

    Raises Forbidden for who may not; InvalidInput where nobody of this name is there, for oneself, and for a reason
    that says too little or looks like a secret or an identifier.
    """
    require_reveal(principal)
    person = Membership.objects.filter(external_id=external_id, is_active=True).first()
    if person is None:
        raise InvalidInput.field("person", "There is nobody of this name.", "unknown_person")
    if person.pk == principal.subject_id:
        raise InvalidInput.field("person", "Your own memories are open to you.", "oneself")
    if not LEAST <= len(words.strip()) <= MOST:
        raise InvalidInput.field("words", "Say in 20 to 500 characters why it must be.", "out_of_range")
    if scan(words):
        raise InvalidInput.field("words", "It looks like a secret or an identifier.", "sensitive_or_prohibited")
    with tenancy.atomic():
        place = access.place_of(person)
        row = Reveal.objects.create(
            namespace=place,
            reader_id=principal.subject_id,
            ground=Reveal.Ground(ground),
            words=words.strip(),
            until=timezone.now() + LASTS,
        )
        _note(principal, row, "reveal.open", until=row.until.isoformat())
    return row


def require_reveal(principal: Principal) -> None:
    """Raise Forbidden unless it is an auditor or administrator who is signed in: no token and no agent opens this."""
    may = principal.is_person and principal.credential_id is None and principal.has_role(Role.AUDITOR, Role.ADMIN)
    if not may:
        raise Forbidden("Only an auditor or an administrator may read the audit.", code="not_an_auditor")


def reveals(principal: Principal) -> list[Reveal]:
    """The newest of the whole tenant. Raises Forbidden for who may not."""
    require_reveal(principal)
    rows = Reveal.objects.select_related("namespace__membership", "reader").order_by("-pk")
    return list(rows[:100])


def revealed(principal: Principal, reveal_id: uuid.UUID) -> tuple[Reveal, MemoryQuerySet]:
    """What is kept about the person, newest first, while the caller's own reveal lasts. Raises NotVisible for another's
    and Forbidden when it is over; the event of each page is `note_reading`."""
    row = _own(principal, reveal_id)
    rows: MemoryQuerySet = Memory.objects.kept().filter(namespace=row.namespace).order_by("-pk")
    return row, rows


def note_reading(principal: Principal, row: Reveal, items: int) -> None:
    with tenancy.atomic():
        _note(principal, row, "reveal.read", items=items)


def end_reveal(principal: Principal, reveal_id: uuid.UUID) -> None:
    """Read no more of it. Raises as `revealed`."""
    row = _own(principal, reveal_id)
    with tenancy.atomic():
        Reveal.objects.filter(pk=row.pk).update(until=timezone.now())
        _note(principal, row, "reveal.end")


def _own(principal: Principal, reveal_id: uuid.UUID) -> Reveal:
    row = access.reveal(principal, reveal_id)
    require_reveal(principal)
    if row.until <= timezone.now():
        raise Forbidden("The time for reading these memories is over.", code="reveal_ended")
    return row


def _note(principal: Principal, row: Reveal, action: str, **details: object) -> None:
    """Of the person whose memories they are, so that it stands in their activity too."""
    person = row.namespace.membership_id
    told = {"reveal": str(row.pk), **details}
    audit.record(principal, action, reason=row.ground, target="membership", target_id=person, details=told)
