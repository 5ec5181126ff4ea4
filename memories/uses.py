"""How often memories came back, counted from the traces of recalls after the fact."""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import structlog

from accounts import audit, tenancy
from accounts.principals import Principal
from memories.models import Memory, Namespace, Recall, Use

log = structlog.get_logger("memoryhub.uses")

BATCH = 500
UNDER_WAY = timedelta(seconds=30)
"""A recall may have read what is forgotten before it is done."""
WEEKS = 12
WEEK = timedelta(weeks=1)
DAYS = 32
"""A month as any reader's calendar counts it, with the day that may have begun elsewhere."""


@dataclass(frozen=True, slots=True)
class Weekly:
    """Recalls in each of the last twelve weeks, the present one last; in all; and when the last one was."""

    weeks: Sequence[int] = (0,) * WEEKS
    total: int = 0
    last_at: datetime | None = None

    @property
    def recent(self) -> int:
        return sum(self.weeks)


def count_due(principal: Principal, _now: datetime) -> Mapping[str, int]:
    """Count the recalls that no sweep has counted yet, and those that returned what was forgotten before them: each is
    an event and an error in the log, for there should be none.
    """
    total = late = 0
    while done := _count_batch(principal):
        total, late = total + done[0], late + done[1]
    return {"recalls_counted": total, "recalled_after_forgetting": late}


def weekly(use: Use | None, now: datetime) -> Weekly:
    """The use of one slot; of one that never came back there is no row."""
    if use is None:
        return Weekly()
    return Weekly(tuple(use.weeks.get(name, 0) for name in _last_weeks(now)), use.total, use.last_at)


def daily(use: Use | None, days: Sequence[date]) -> list[int]:
    """The use of one slot on each of these days of UTC."""
    return [use.days.get(day.isoformat(), 0) if use else 0 for day in days]


def _count_batch(principal: Principal) -> tuple[int, int] | None:
    with tenancy.atomic():
        due = Recall.objects.select_for_update().filter(is_counted=False).order_by("pk")
        traces = list(due.values_list("pk", "created_at", "items")[:BATCH])
        if not traces:
            return None
        moments: dict[uuid.UUID, list[datetime]] = defaultdict(list)
        for _pk, at, items in traces:
            for item in items:
                moments[uuid.UUID(item["memory_id"])].append(at)
        _add(*_by_slot(moments))
        late = _after_forgetting(moments)
        for pk in late:
            log.error("recalled_after_forgetting", memory_id=pk)
            audit.record(principal, "memory.recalled_after_forgetting", outcome="failed", target="memory", target_id=pk)
        Recall.objects.filter(pk__among=[pk for pk, _at, _items in traces]).update(is_counted=True)
    return len(traces), len(late)


def _after_forgetting(moments: Mapping[uuid.UUID, Sequence[datetime]]) -> list[uuid.UUID]:
    """What came back although its forgetting was long done when the recall began."""
    gone = Memory.objects.filter(pk__among=list(moments), status=Memory.Status.DELETED)
    return [
        pk
        for pk, forgotten_at in gone.values_list("pk", "slot__forgotten_at")
        if forgotten_at and max(moments[pk]) > forgotten_at + UNDER_WAY
    ]


def _by_slot(
    moments: Mapping[uuid.UUID, Sequence[datetime]],
) -> tuple[dict[uuid.UUID, list[datetime]], set[uuid.UUID]]:
    """When each slot was used, and which of them belong to no person. What was forgotten meanwhile is not counted."""
    found: dict[uuid.UUID, list[datetime]] = defaultdict(list)
    shared = set()
    kept = Memory.objects.kept().filter(pk__among=list(moments))
    for pk, slot_id, place in kept.values_list("pk", "slot_id", "namespace__type"):
        found[slot_id] += moments[pk]
        if place != Namespace.Type.USER:
            shared.add(slot_id)
    return found, shared


def _add(used: Mapping[uuid.UUID, Sequence[datetime]], shared: Collection[uuid.UUID]) -> None:
    known = {one.slot_id: one for one in Use.objects.select_for_update().filter(slot_id__among=list(used))}
    for slot_id, moments in used.items():
        use = known.setdefault(slot_id, Use(slot_id=slot_id, last_at=moments[0]))
        use.total += len(moments)
        use.last_at = max(use.last_at, *moments)
        kept = _last_weeks(use.last_at)
        counts = Counter(use.weeks) + Counter(_name(at) for at in moments)
        use.weeks = {name: count for name, count in counts.items() if name in kept}
        if slot_id in shared:
            by_day = Counter(use.days) + Counter(at.astimezone(UTC).date().isoformat() for at in moments)
            first = (use.last_at.astimezone(UTC).date() - timedelta(days=DAYS - 1)).isoformat()
            use.days = {day: count for day, count in by_day.items() if day >= first}
    Use.objects.bulk_create(
        known.values(),
        update_conflicts=True,
        unique_fields=["slot"],
        update_fields=["total", "last_at", "weeks", "days"],
    )


def _last_weeks(now: datetime) -> list[str]:
    return [_name(now - WEEK * back) for back in range(WEEKS - 1, -1, -1)]


def _name(at: datetime) -> str:
    year, week, _day = at.isocalendar()
    return f"{year}-{week:02}"
