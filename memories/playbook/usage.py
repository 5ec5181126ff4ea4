"""How often an entry was recalled and what came of it, by day. Counts only, which the sweep makes from the traces."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from accounts.ids import first_uuid7
from accounts.models import Agent
from memories import uses
from memories.models import Feedback, Use

DAYS = 30
AGAINST = (Feedback.Verdict.WRONG, Feedback.Verdict.STALE)
SHOWN = (*AGAINST, Feedback.Verdict.USED, Feedback.Verdict.IRRELEVANT)
LATEST = 10


@dataclass(frozen=True, slots=True)
class Usage:
    """Whole days of UTC, the last one today; every list is as long as `days`."""

    days: Sequence[date]
    recalled: Sequence[int]
    outcomes: Sequence[tuple[str, Sequence[int]]]

    @property
    def is_used(self) -> bool:
        """Whether there is anything to draw."""
        return any(self.recalled) or any(any(counts) for _name, counts in self.outcomes)

    @property
    def answers(self) -> int:
        """How often an agent said what it made of the entry."""
        return sum(sum(counts) for _name, counts in self.outcomes)

    @property
    def helped(self) -> int:
        """How often an agent said that it used it."""
        return sum(dict(self.outcomes)[Feedback.Verdict.USED])


@dataclass(frozen=True, slots=True)
class Against:
    """A run that found the entry wrong or out of date."""

    at: datetime
    verdict: str
    agent: str
    memory_id: uuid.UUID


def usage(slot_id: uuid.UUID, versions: Collection[uuid.UUID], now: datetime, days: int = DAYS) -> Usage:
    """Recalls of an entry and feedback on its versions over the last days."""
    today = now.astimezone(UTC).date()
    shown = [today - timedelta(days=back) for back in reversed(range(days))]
    begin = datetime.combine(shown[0], time.min, UTC)
    given = Feedback.objects.filter(memory_id__in=versions, pk__gte=first_uuid7(begin))
    told = Counter((verdict, at.date()) for verdict, at in given.values_list("verdict", "created_at"))
    return Usage(
        shown,
        uses.daily(Use.objects.filter(slot=slot_id).first(), shown),
        [(verdict.value, [told[verdict, day] for day in shown]) for verdict in SHOWN],
    )


def against(versions: Collection[uuid.UUID]) -> list[Against]:
    """The latest runs that spoke against these versions, newest first."""
    rows = Feedback.objects.filter(memory_id__in=versions, verdict__in=AGAINST).select_related("recall")
    found = list(rows.order_by("-pk")[:LATEST])
    names = dict(Agent.objects.filter(pk__in={row.recall.agent_id for row in found}).values_list("pk", "slug"))
    return [
        Against(row.created_at, row.get_verdict_display(), names.get(row.recall.agent_id or row.pk, ""), row.memory_id)
        for row in found
    ]
