"""A person's memory at a glance: what came, what was used, what ends soon, and thirty days in numbers.

It is about the person's own memory; what their teams know is on the page of memories.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db import models
from django.db.models import Count, Q, Subquery, Value
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone

from accounts.ids import first_uuid7
from accounts.models import Agent
from accounts.principals import Principal, Scope
from memories.models import Memory, Recall

DAYS = 30
RECENT = USES = 5
SOON = timedelta(days=7)
"""How long before its end a memory counts as ending soon."""


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    saved: int
    recalled: int


@dataclass(frozen=True, slots=True)
class Use:
    """One recall that brought something back: by whom, when, and what of it is the person's and still there."""

    at: datetime
    agent: Agent | None
    memories: Sequence[Memory]


@dataclass(frozen=True, slots=True)
class Glance:
    recent: Sequence[Memory]
    expiring: int
    uses: Sequence[Use]
    days: Sequence[Day]
    agents: Sequence[Agent]


def glance(principal: Principal, now: datetime) -> Glance:
    """Everything at once. The caller notes the reading."""
    principal.require(Scope.READ)
    mine = Memory.objects.filter(namespace__membership_id=principal.subject_id)
    recent = list(_recent(mine, now))
    agents = list(_agents(principal))
    return Glance(
        recent=recent,
        expiring=recent[0].expiring if recent else 0,
        uses=_uses(principal, mine, {agent.pk: agent for agent in agents}),
        days=_days(principal, mine, now),
        agents=[agent for agent in agents if agent.is_active],
    )


def expiring(rows: models.QuerySet[Memory], now: datetime) -> models.QuerySet[Memory]:
    """Those of them that end within the next days."""
    return rows.filter(status=Memory.Status.ACTIVE, valid_until__gt=now, valid_until__lte=now + SOON)


def _recent(mine: models.QuerySet[Memory], now: datetime) -> models.QuerySet[Memory]:
    """The newest, each with the number of all that end soon: where nothing stands, nothing ends either."""
    ending = expiring(mine, now).values("namespace_id").annotate(count=Count("pk")).values("count")
    owners = ("namespace__membership", "namespace__agent", "namespace__group")
    rows = mine.filter(status__in=Memory.CURRENT).select_related(*owners).order_by("-pk")
    return rows.annotate(expiring=Coalesce(Subquery(ending), 0))[:RECENT]


def _agents(principal: Principal) -> models.QuerySet[Agent]:
    """The agents that may act for the person, also those that may no longer, so that their names are known."""
    serves = Q(acts_for_everyone=True) | Q(acts_for=principal.subject_id)
    return Agent.objects.filter(serves).distinct().order_by("slug")


def _uses(principal: Principal, mine: models.QuerySet[Memory], agents: dict[uuid.UUID, Agent]) -> list[Use]:
    """The last recalls of agents on the person's behalf that gave something of theirs back."""
    recalls = Recall.objects.filter(subject_id=principal.subject_id, agent_id__isnull=False).exclude(items=[])
    traces = list(recalls.order_by("-pk").values_list("created_at", "agent_id", "items")[:USES])
    wanted = {item["memory_id"] for _at, _agent, items in traces for item in items}
    there = {str(one.pk): one for one in mine.filter(pk__in=wanted, statement__isnull=False)} if wanted else {}
    uses = [
        Use(at, agents.get(agent_id), [there[item["memory_id"]] for item in items if item["memory_id"] in there])
        for at, agent_id, items in traces
    ]
    return [use for use in uses if use.memories]


def _days(principal: Principal, mine: models.QuerySet[Memory], now: datetime) -> list[Day]:
    """How much was saved and recalled on each of the last days of the reader's calendar, today being the last."""
    today = timezone.localdate(now)
    first = today - timedelta(days=DAYS - 1)
    least = first_uuid7(timezone.make_aware(datetime.combine(first, datetime.min.time())))
    recalls = Recall.objects.filter(subject_id=principal.subject_id, agent_id__isnull=False)
    found: Counter[tuple[Any, date]] = Counter()
    for what, day, count in _by_day(mine, least, "saved").union(_by_day(recalls, least, "recalled"), all=True):
        found[what, day] += count
    days = [first + timedelta(days=number) for number in range(DAYS)]
    return [Day(day, found["saved", day], found["recalled", day]) for day in days]


def _by_day(rows: models.QuerySet[Any], least: uuid.UUID, what: str) -> models.QuerySet[Any]:
    counted = rows.filter(pk__gte=least).annotate(what=Value(what), day=TruncDate("created_at"))
    return counted.order_by().values("what", "day").annotate(count=Count("pk")).values_list("what", "day", "count")
