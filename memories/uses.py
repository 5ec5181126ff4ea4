"""How often memories came back, counted from the traces of recalls afterwards; and whether a forgotten one did."""

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

BATCH = 500
WEEKS = 12
WEEK = timedelta(weeks=1)
DAYS = 32
"""A month as any reader's calendar counts it, with the day that may have begun elsewhere."""
UNDER_WAY = timedelta(seconds=10)
"""For how long a recall that began before a forgetting was committed may be at work beside it."""

log = structlog.get_logger("memories.uses")


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
    """Count the recalls that no sweep has counted yet."""
    total = 0
    while done := _count_batch(principal):
        total += done
    return {"recalls_counted": total}


def weekly(use: Use | None, now: datetime) -> Weekly:
    """The use of one slot; of one that never came back there is no row."""
    if use is None:
        return Weekly()
    return Weekly(tuple(use.weeks.get(name, 0) for name in _last_weeks(now)), use.total, use.last_at)


def daily(use: Use | None, days: Sequence[date]) -> list[int]:
    """The use of one slot on each of these days of UTC."""
    return [use.days.get(day.isoformat(), 0) if use else 0 for day in days]


def _count_batch(principal: Principal) -> int:
    with tenancy.atomic():
        due = Recall.objects.select_for_update().filter(is_counted=False).order_by("pk")
        traces = list(due.values_list("pk", "created_at", "items")[:BATCH])
        if not traces:
            return 0
        moments: dict[uuid.UUID, list[datetime]] = defaultdict(list)
        for _pk, at, items in traces:
            for item in items:
                moments[uuid.UUID(item["memory_id"])].append(at)
        _add(*_by_slot(moments))
        _tell_of_forgotten(principal, moments)
        Recall.objects.filter(pk__among=[pk for pk, _at, _items in traces]).update(is_counted=True)
    return len(traces)


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


def _tell_of_forgotten(principal: Principal, moments: Mapping[uuid.UUID, Sequence[datetime]]) -> None:
    """R-162: an event and an error in the log for each memory that came back although it had been forgotten."""
    gone = Memory.objects.filter(status=Memory.Status.DELETED, pk__among=list(moments))
    for pk, forgotten_at in gone.values_list("pk", "slot__forgotten_at"):
        late = sum(at > forgotten_at + UNDER_WAY for at in moments[pk]) if forgotten_at else 0
        if late:
            log.error("recalled_after_forgetting", memory_id=str(pk), times=late)
            audit.record(principal, "recall.after_forgetting", target="memory", target_id=pk, details={"times": late})


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
