"""Reviewers are told what waits for them and what of it lapses soon.

Told is who could decide it: a reviewer of the place who did not propose it and has not approved it as it is. Where two
must approve, nobody is told of another's verdict: the notice of the second is the one they had before.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from accounts.models import GroupMember, Membership
from accounts.principals import Role
from memories.models import Candidate, Namespace
from reviews.models import DelayedVerdict, Notice, Review

LAPSES_SOON = timedelta(days=3)
BATCH = 1000

Rows = QuerySet[Candidate]


def pairs(kind: str, now: datetime) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """Who is still to be told of which candidates by a notice of this kind."""
    rows = WHAT[kind](now)
    if not rows.exists():
        return []
    found: list[tuple[uuid.UUID, uuid.UUID]] = []
    for person in _reviewers().values_list("pk", flat=True):
        told = Notice.objects.filter(kind=kind, target_id=OuterRef("pk"), membership=person)
        due = rows.filter(_decidable_by(person, person), ~Exists(told))
        found += [(person, candidate) for candidate in due.order_by("pk").values_list("pk", flat=True)[:BATCH]]
    return found


def holds(kind: str, now: datetime) -> Q:
    """Whether a notice of this kind is still so, and its reader may still decide it."""
    rows = WHAT[kind](now).filter(_decidable_by(OuterRef("membership_id"), OuterRef(OuterRef("membership_id"))))
    readers = _reviewers().filter(pk=OuterRef("membership_id"))
    return Q(Exists(rows.filter(pk=OuterRef("target_id"))), Exists(readers), kind=kind)


def _decidable_by(person: Any, inner: Any) -> Q:
    """Candidates that a person may decide: as the query of candidates names the person, and as one inside it does."""
    member = GroupMember.objects.filter(group=OuterRef("namespace__group"), membership=inner)
    place = Q(Exists(member)) | Q(namespace__type__in=[Namespace.Type.AGENT, Namespace.Type.USER])
    return place & (Q(subject=None) | ~Q(subject_id=person)) & ~Q(Exists(_approvals().filter(reviewer_id=inner)))


def _reviewers() -> QuerySet[Membership]:
    rows = Membership.objects.alias(all_roles=Cast("roles", TextField()))
    return rows.filter(is_active=True, all_roles__contains=f'"{Role.REVIEWER.value}"')


def _approvals() -> QuerySet[Review]:
    """Verdicts for exactly what a candidate says now."""
    yes = Review.objects.filter(verdict=DelayedVerdict.Verdict.APPROVE)
    return yes.filter(candidate=OuterRef("pk"), content_hash=OuterRef("content_hash"))


def _waiting(now: datetime) -> Rows:
    rows: Rows = Candidate.objects.waiting(now).filter(awaiting=Candidate.Awaiting.REVIEWER)
    return rows


def _lapsing(now: datetime) -> Rows:
    return _waiting(now).filter(lapses_at__lte=now + LAPSES_SOON)


WHAT: Mapping[str, Callable[[datetime], Rows]] = {
    Notice.Kind.REVIEW: _waiting,
    Notice.Kind.LAPSING: _lapsing,
}
