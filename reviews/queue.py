"""The reviewers' queue: what is whose to decide, in which state, and what the head of the page counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, TextChoices, When
from django.utils.translation import gettext_lazy as _

from accounts.errors import Forbidden
from accounts.principals import Principal, Role
from memories import access
from memories.models import Candidate, Feedback, Memory, Operation
from memories.playbook.usage import AGAINST
from memories.policy import Policy
from reviews.models import Claim
from reviews.risk import Risk, with_risk
from reviews.waiting import not_mine_yet, undecided

RECENT = timedelta(days=7)
Status = Candidate.Status


class Tab(TextChoices):
    WAITING = "waiting", _("To review")
    MINE = "mine", _("Claimed by me")
    CHANGES = "changes", _("Changes wanted")
    APPROVED = "approved", _("Approved")
    REJECTED = "rejected", _("Rejected")


class Order(TextChoices):
    OLDEST = "oldest", _("longest waiting first")
    NEWEST = "newest", _("newest first")
    RISK = "risk", _("highest risk first")


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """What of the queue is wanted; nothing named means all of it. `group` and `agent` are ids."""

    tab: str = Tab.WAITING
    risk: str = ""
    kind: str = ""
    group: str = ""
    agent: str = ""
    only: str = ""
    order: str = Order.OLDEST


@dataclass(frozen=True, slots=True)
class Head:
    """What waits for reviewers now: how many, since when at the median and at most; and what was decided in a week."""

    waiting: int
    median: timedelta | None
    oldest: timedelta | None
    approved: int
    rejected: int


def require_reviewer(principal: Principal) -> None:
    if not principal.has_role(Role.REVIEWER):
        raise Forbidden("Only a reviewer may open this page.", code="not_a_reviewer")


def reviewed(principal: Principal) -> QuerySet[Candidate]:
    """Everything that was ever for reviewers of the caller's groups. Raises Forbidden for who is none."""
    require_reviewer(principal)
    rows = Candidate.objects.select_related("namespace__membership", "namespace__agent", "namespace__group", "agent")
    return rows.select_related("subject").filter(access.reviewable(principal))


def rows(principal: Principal, chosen: QueueFilter, policy: Policy, now: datetime) -> QuerySet[Candidate]:
    """The chosen part of the queue, with the risk of each and how often it was proposed (`times`)."""
    tab = _tabs(principal, now)[chosen.tab]
    found = with_risk(reviewed(principal).filter(tab), policy)
    if chosen.tab in (Tab.WAITING, Tab.MINE):
        found = not_mine_yet(undecided(found), principal)
    wanted = {"risk": chosen.risk, "kind": chosen.kind, "namespace_id": chosen.group, "agent_id": chosen.agent}
    found = found.filter(**{name: value for name, value in wanted.items() if value})
    if chosen.only == "rivals":
        found = found.filter(Exists(_rivals(now)))
    if chosen.only == "free":
        found = found.exclude(Exists(_claims(now).exclude(reviewer_id=principal.subject_id)))
    if chosen.only == "against":
        found = found.filter(Exists(_spoken_against()))
    return found.order_by(*_order(chosen))


def open_now(candidate: Candidate, now: datetime) -> bool:
    """Whether it still waits for somebody's answer."""
    return undecided(Candidate.objects.waiting(now).filter(pk=candidate.pk)).exists()


def times_proposed(candidates: list[Candidate]) -> Mapping[Any, int]:
    """How often each was proposed in just these words."""
    asked = Operation.objects.filter(candidate__in=[one.pk for one in candidates], verb="propose")
    return dict(asked.values_list("candidate").annotate(times=Count("pk")))


def claimed(candidates: list[Candidate], now: datetime) -> Mapping[Any, Claim]:
    """Who works on which of them."""
    found = Claim.objects.select_related("reviewer").filter(candidate__in=[one.pk for one in candidates], until__gt=now)
    return {one.candidate_id: one for one in found}


def counts(principal: Principal, now: datetime) -> Mapping[str, int]:
    """How many there are in each tab, in one query and one for the tab of what waits."""
    tabs, mine = _tabs(principal, now), reviewed(principal)
    settled = {name: Count("pk", filter=tabs[name]) for name in (Tab.CHANGES, Tab.APPROVED, Tab.REJECTED)}
    open_ones = not_mine_yet(undecided(mine), principal)
    waits = {name: Count("pk", filter=tabs[name]) for name in (Tab.WAITING, Tab.MINE)}
    return {**open_ones.aggregate(**waits), **mine.aggregate(**settled)}


def head(principal: Principal, now: datetime) -> Head:
    mine = reviewed(principal)
    since = list(
        undecided(mine.filter(_tabs(principal, now)[Tab.WAITING]))
        .order_by("created_at")
        .values_list("created_at", flat=True)
    )
    recent = mine.filter(decided_at__gt=now - RECENT)
    decided = recent.aggregate(
        approved=Count("pk", filter=Q(status=Status.APPROVED)), rejected=Count("pk", filter=Q(status=Status.REJECTED))
    )
    middle = now - since[len(since) // 2] if since else None
    return Head(len(since), middle, now - since[0] if since else None, **decided)


def next_one(principal: Principal, after: Candidate, policy: Policy, now: datetime) -> Candidate | None:
    """Whom to decide on next: what has waited longest, may be decided by the caller and is nobody else's."""
    chosen = QueueFilter(only="free")
    found = rows(principal, chosen, policy, now).exclude(pk=after.pk).exclude(subject_id=principal.subject_id)
    return found.filter(Q(created_at__gte=after.created_at)).first() or found.first()


def _tabs(principal: Principal, now: datetime) -> dict[str, Q]:
    waits = Q(status=Status.PENDING, lapses_at__gt=now)
    return {
        Tab.WAITING: waits,
        Tab.MINE: waits & Q(claim__until__gt=now, claim__reviewer=principal.subject_id),
        Tab.CHANGES: Q(status=Status.CHANGES_REQUESTED, lapses_at__gt=now),
        Tab.APPROVED: Q(status=Status.APPROVED),
        Tab.REJECTED: Q(status=Status.REJECTED),
    }


def _order(chosen: QueueFilter) -> tuple[Any, ...]:
    if chosen.tab not in (Tab.WAITING, Tab.MINE):
        return (F("decided_at").desc(nulls_last=True), "-pk")
    if chosen.order == Order.RISK:
        return (Case(*(When(risk=one, then=at) for at, one in enumerate(reversed(Risk.values)))), "pk")
    return ("-pk",) if chosen.order == Order.NEWEST else ("pk",)


def _rivals(now: datetime) -> QuerySet[Candidate]:
    """Others that wait under the same key."""
    return Candidate.objects.waiting(now).filter(slot=OuterRef("slot"), awaiting="reviewer").exclude(pk=OuterRef("pk"))


def _spoken_against() -> QuerySet[Memory]:
    """The entry that stands under its name, where a run found it wrong or out of date."""
    told = Feedback.objects.filter(memory_id=OuterRef("pk"), verdict__in=AGAINST)
    return Memory.objects.current().filter(Exists(told), slot=OuterRef("slot"))


def _claims(now: datetime) -> QuerySet[Claim]:
    return Claim.objects.filter(candidate=OuterRef("pk"), until__gt=now)
