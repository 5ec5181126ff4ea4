"""A person's memory at a glance: what came, what was used, what ends soon, and thirty days in numbers.

It is about the person's own memory; what their teams know is on the page of memories.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
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
    agents = list(_agents(principal))
    traces = _traces(principal)
    rows = _shown(mine, {memory_id for _at, _agent, ids in traces for memory_id in ids}, now)
    current = sorted((row for row in rows if row.status in Memory.CURRENT), key=lambda row: row.pk, reverse=True)
    return Glance(
        recent=current[:RECENT],
        expiring=rows[0].expiring if rows else 0,
        uses=_uses(traces, {str(row.pk): row for row in rows if row.statement}, {one.pk: one for one in agents}),
        days=_days(principal, mine, now),
        agents=[agent for agent in agents if agent.is_active],
    )


def expiring(rows: models.QuerySet[Memory], now: datetime) -> models.QuerySet[Memory]:
    """Those of them that end within the next days."""
    return rows.filter(status=Memory.Status.ACTIVE, valid_until__gt=now, valid_until__lte=now + SOON)


def _shown(mine: models.QuerySet[Memory], used: Collection[str], now: datetime) -> Sequence[Any]:
    """The newest and what was used, each with the number of all that end soon: where nothing stands, nothing ends."""
    ending = expiring(mine, now).values("namespace_id").annotate(count=Count("pk")).values("count")
    newest = mine.filter(status__in=Memory.CURRENT).order_by("-pk").values("pk")[:RECENT]
    rows = mine.filter(Q(pk__in=newest) | Q(pk__in=used)).select_related("namespace__membership")
    return list(rows.annotate(expiring=Coalesce(Subquery(ending), 0)))


def _agents(principal: Principal) -> models.QuerySet[Agent]:
    """The agents that may act for the person, also those that may no longer, so that their names are known."""
    serves = Q(acts_for_everyone=True) | Q(acts_for=principal.subject_id)
    return Agent.objects.filter(serves).distinct().order_by("slug")


def _traces(principal: Principal) -> list[tuple[datetime, uuid.UUID, list[str]]]:
    """The last recalls of agents on the person's behalf that gave something back: when, which agent, which ids."""
    recalls = Recall.objects.filter(subject_id=principal.subject_id, agent_id__isnull=False).exclude(items=[])
    traces = recalls.order_by("-pk").values_list("created_at", "agent_id", "items")[:USES]
    return [(at, agent_id, [item["memory_id"] for item in items]) for at, agent_id, items in traces]


def _uses(
    traces: Iterable[tuple[datetime, uuid.UUID, list[str]]],
    there: Mapping[str, Memory],
    agents: Mapping[uuid.UUID, Agent],
) -> list[Use]:
    uses = [
        Use(at, agents.get(agent_id), [there[memory_id] for memory_id in ids if memory_id in there])
        for at, agent_id, ids in traces
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
