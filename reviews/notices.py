"""Notices: what a person should know of. The sweep makes them from what is there, so nothing has to remember to tell.

A notice holds only as long as what it tells of: a decided candidate, or a memory that was renewed, leaves none.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from accounts import audit, tenancy
from accounts.models import Agent, AgentSubject, Membership
from accounts.principals import Principal, Role
from memories import glance
from memories.models import Candidate, Memory, Reveal
from reviews import following, review_notices
from reviews.models import DelayedVerdict, Notice

Kind = Notice.Kind
APP, MAIL = "app", "mail"
BATCH = 1000
NEW_AGENT = timedelta(days=3)
"""How long after it came an agent is news."""
SETTLED = timedelta(hours=1)
"""Who came less than this before an agent came with it: to them it is no news."""
KEPT = timedelta(days=30)
"""How long a notice of an agent, or of a reveal, stands."""
ALWAYS = frozenset({Kind.BREAK_GLASS})
"""What nobody turns off, and a mail tells of also when the pages have told it."""


def gather(_principal: Principal, now: datetime) -> Mapping[str, int]:
    """Make the notices that are due, a batch of each kind, and drop those that hold no longer."""
    with tenancy.atomic():
        made = sum(_make(kind, due(now)) for kind, due in DUE.items())
        gone, _ = Notice.objects.exclude(_holds(now)).delete()
        unseen = following.drop_unseen()
    return {"notices_made": made, "notices_dropped": gone, "follows_dropped": unseen}


def standing(now: datetime) -> QuerySet[Notice]:
    """Those that hold."""
    return Notice.objects.filter(_holds(now))


def mine(person: Membership, now: datetime) -> QuerySet[Notice]:
    """What the person is told in the pages, newest first; not of what they have answered a moment ago."""
    answered = DelayedVerdict.objects.filter(state=DelayedVerdict.State.WAITING).values("candidate_id")
    rows = standing(now).filter(membership=person).exclude(kind__in=_off(person, APP))
    return rows.exclude(kind__in=[Kind.WAITING, *review_notices.WHAT], target_id__in=answered).order_by("-pk")


def unseen(person: Membership, now: datetime) -> int:
    """How many of them they have not seen."""
    return mine(person, now).filter(seen_at=None).count()


def see_all(principal: Principal, now: datetime) -> None:
    """Count none of them as new any more."""
    Notice.objects.filter(membership_id=principal.subject_id, seen_at=None).update(seen_at=now)


def wants(person: Membership, kind: str, way: str) -> bool:
    """Whether notices of this kind reach the person by this way."""
    return kind in ALWAYS or code(kind, way) not in person.notices_off


def to_mail() -> QuerySet[Notice]:
    """Those that no mail has told of and that are still to be told."""
    return Notice.objects.filter(Q(seen_at=None) | Q(kind__in=ALWAYS), mailed_at=None)


def offered(person: Membership) -> list[Kind]:
    """The kinds among which a person chooses: those that can reach them."""
    reviewer = person.has_role(Role.REVIEWER)
    return [kind for kind in Kind if kind not in ALWAYS and (reviewer or kind not in review_notices.WHAT)]


def choose(principal: Principal, off: Collection[str]) -> None:
    """From now on these do not reach the person: codes such as waiting:mail."""
    with tenancy.atomic():
        Membership.objects.filter(pk=principal.subject_id).update(notices_off=sorted(off))
        details = {"off": len(off)}
        audit.record(principal, "person.notices", target="membership", target_id=principal.subject_id, details=details)


def code(kind: str, way: str) -> str:
    return f"{kind}:{way}"


def _off(person: Membership, way: str) -> list[str]:
    return [kind for kind in Kind.values if not wants(person, kind, way)]


def _make(kind: Kind, due: Iterable[tuple[uuid.UUID, uuid.UUID]]) -> int:
    rows = [Notice(membership_id=person, kind=kind, target_id=target) for person, target in due]
    Notice.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def _waiting(now: datetime) -> QuerySet[Candidate]:
    return Candidate.objects.waiting(now).filter(awaiting=Candidate.Awaiting.OWNER, subject__is_active=True)


def _expiring(now: datetime) -> QuerySet[Memory]:
    return glance.expiring(Memory.objects.filter(namespace__membership__is_active=True), now)


def _returned(now: datetime) -> QuerySet[Candidate]:
    return Candidate.objects.returned(now).filter(subject__is_active=True)


def _due_returned(now: datetime) -> Iterable[tuple[uuid.UUID, uuid.UUID]]:
    return _untold(Kind.RETURNED, _returned(now)).values_list("subject_id", "pk")[:BATCH]


def _revealed(now: datetime) -> QuerySet[Reveal]:
    return Reveal.objects.filter(created_at__gt=now - KEPT, namespace__membership__is_active=True)


def _due_reveals(now: datetime) -> Iterable[tuple[uuid.UUID, uuid.UUID]]:
    due = _untold(Kind.BREAK_GLASS, _revealed(now))
    return due.values_list("namespace__membership_id", "pk")[:BATCH]


def _due_waiting(now: datetime) -> Iterable[tuple[uuid.UUID, uuid.UUID]]:
    return _untold(Kind.WAITING, _waiting(now)).values_list("subject_id", "pk")[:BATCH]


def _due_expiring(now: datetime) -> Iterable[tuple[uuid.UUID, uuid.UUID]]:
    return _untold(Kind.EXPIRING, _expiring(now)).values_list("namespace__membership_id", "pk")[:BATCH]


def _due_agents(now: datetime) -> Iterable[tuple[uuid.UUID, uuid.UUID]]:
    """New agents for the people they were made for, and new ones for everyone who was there before them."""
    since = now - NEW_AGENT
    told = Notice.objects.filter(kind=Kind.AGENT, target_id=OuterRef("agent_id"), membership=OuterRef("membership_id"))
    chosen = AgentSubject.objects.filter(~Exists(told), created_at__gte=since, membership__is_active=True)
    chosen = chosen.filter(created_at__gt=F("membership__created_at") + SETTLED)
    due = list(chosen.values_list("membership_id", "agent_id")[:BATCH])
    for agent in Agent.objects.filter(acts_for_everyone=True, is_active=True, created_at__gte=since):
        told = Notice.objects.filter(kind=Kind.AGENT, target_id=agent.pk, membership=OuterRef("pk"))
        before = Membership.objects.filter(~Exists(told), is_active=True, created_at__lt=agent.created_at - SETTLED)
        due += [(person, agent.pk) for person in before.exclude(pk=agent.owner_id).values_list("pk", flat=True)[:BATCH]]
    return due


def _untold(kind: Kind, rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.filter(~Exists(Notice.objects.filter(kind=kind, target_id=OuterRef("pk"))))


DUE: Mapping[Kind, Callable[[datetime], Iterable[tuple[uuid.UUID, uuid.UUID]]]] = {
    Kind.WAITING: _due_waiting,
    Kind.EXPIRING: _due_expiring,
    Kind.AGENT: _due_agents,
    Kind.RETURNED: _due_returned,
    Kind.BREAK_GLASS: _due_reveals,
    **{Kind(kind): partial(following.pairs, kind) for kind in following.WHAT},
    **{Kind(kind): partial(review_notices.pairs, kind) for kind in review_notices.WHAT},
}


def _holds(now: datetime) -> Q:
    waits = _waiting(now).filter(pk=OuterRef("target_id"), subject_id=OuterRef("membership_id"))
    ends = _expiring(now).filter(pk=OuterRef("target_id"))
    acts = Agent.objects.filter(pk=OuterRef("target_id"), is_active=True)
    what = Q(Exists(waits), kind=Kind.WAITING) | Q(Exists(ends), kind=Kind.EXPIRING)
    back = _returned(now).filter(pk=OuterRef("target_id"), subject_id=OuterRef("membership_id"))
    what |= Q(Exists(acts), kind=Kind.AGENT, created_at__gt=now - KEPT) | Q(Exists(back), kind=Kind.RETURNED)
    what |= Q(Exists(_revealed(now).filter(pk=OuterRef("target_id"))), kind=Kind.BREAK_GLASS)
    for kind in following.WHAT:
        what |= following.holds(kind, now)
    for kind in review_notices.WHAT:
        what |= review_notices.holds(kind, now)
    return Q(membership__is_active=True) & what
