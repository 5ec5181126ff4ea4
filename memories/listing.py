"""The list of memories as people go through it: filtered, counted by state, sorted, in numbered pages.

One query counts, one finds the ids of the page through an index alone, one reads its rows: with 50,000 memories of one
person no query reads more rows than the filters need.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q

from accounts.principals import Principal
from memories import reading, uses
from memories.access import NamespaceRef
from memories.models import Memory, MemoryQuerySet, Namespace
from memories.reading import ListFilter
from memories.uses import Weekly

SIZES = (25, 50, 100)
SORTS: dict[str, Sequence[Any]] = {
    "": ("-pk",),
    "oldest": ("pk",),
    "changed": ("-updated_at", "-pk"),
    "ending": (F("valid_until").asc(nulls_last=True), "-pk"),
    "used": (F("slot__use__total").desc(nulls_last=True), "-pk"),
}
TABS: dict[str, Callable[[MemoryQuerySet, datetime], MemoryQuerySet]] = {
    "": lambda rows, now: rows.current(),
    "active": lambda rows, now: rows.recallable(now),
    "paused": lambda rows, now: rows.filter(status=Memory.Status.PAUSED),
    "expired": lambda rows, now: rows.filter(status=Memory.Status.ACTIVE, valid_until__lte=now),
    "superseded": lambda rows, now: rows.filter(status=Memory.Status.SUPERSEDED),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories, in what order. `unused_since`: not recalled since then; what is newer than it does not count."""

    tab: str = ""
    namespace: NamespaceRef | None = None
    kind: str | None = None
    q: str | None = None
    agent_id: uuid.UUID | None = None
    evidence_class: str | None = None
    sensitivity: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    ends_before: datetime | None = None
    unused_since: datetime | None = None
    sort: str = ""
    size: int = SIZES[0]


@dataclass(frozen=True, slots=True)
class Listed:
    """One page, how many there are in each tab, and how often each memory of the page was used, by its id."""

    page: Page
    counts: Mapping[str, int]
    use: Mapping[uuid.UUID, Weekly] = field(default_factory=dict)


def list_page(
    principal: Principal, wanted: Wanted, number: str | None, now: datetime, places: Sequence[Namespace]
) -> Listed:
    """The page of this number, or the nearest there is. `places`: the namespaces that the caller may read."""
    rows = _filtered(principal, wanted, places)
    counts = _counts(rows, now)
    chosen = TABS[wanted.tab](rows, now).order_by(*SORTS[wanted.sort])
    paginator = Paginator(chosen.values("pk"), wanted.size)
    paginator.count = counts[wanted.tab]
    page: Any = paginator.get_page(number)
    # One statement for both: the ids of the page come from an index, their rows from the table.
    rows = Memory.objects.filter(pk__in=page.object_list).select_related("slot__use").order_by(*SORTS[wanted.sort])
    found = [_with_place(memory, places) for memory in rows]
    use = {memory.pk: uses.weekly(getattr(memory.slot, "use", None), now) for memory in found}
    page.object_list = found
    return Listed(page, counts, use)


def all_of(principal: Principal, wanted: Wanted, now: datetime, places: Sequence[Namespace]) -> MemoryQuerySet:
    """Everything that the list would show under these filters, on whatever page, in no order."""
    rows = TABS[wanted.tab](_filtered(principal, wanted, places), now)
    return rows.select_related(None).order_by()


def _with_place(memory: Memory, places: Sequence[Namespace]) -> Memory:
    memory.namespace = next(one for one in places if one.pk == memory.namespace_id)
    return memory


def _filtered(principal: Principal, wanted: Wanted, places: Sequence[Namespace]) -> MemoryQuerySet:
    chosen = ListFilter(namespace=wanted.namespace, q=wanted.q)
    rows = reading.enumerate_memories(principal, chosen, among=places)
    exact = {
        "kind": wanted.kind,
        "proposed_by": wanted.agent_id,
        "evidence_class": wanted.evidence_class,
        "sensitivity": wanted.sensitivity,
        "created_at__gte": wanted.since,
        "created_at__lt": wanted.until,
        "valid_until__lt": wanted.ends_before,
    }
    rows = rows.filter(**{name: value for name, value in exact.items() if value is not None})
    if wanted.unused_since is not None:
        unused = Q(slot__use=None) | Q(slot__use__last_at__lt=wanted.unused_since)
        rows = rows.filter(unused, created_at__lt=wanted.unused_since)
    return rows


def _counts(rows: MemoryQuerySet, now: datetime) -> dict[str, int]:
    ended = Count("pk", filter=Q(valid_until__lte=now))
    found = {
        status: (count, over)
        for status, count, over in rows.order_by().values_list("status").annotate(n=Count("pk"), over=ended)
    }
    active, over = found.get(Memory.Status.ACTIVE, (0, 0))
    paused, _ = found.get(Memory.Status.PAUSED, (0, 0))
    superseded, _ = found.get(Memory.Status.SUPERSEDED, (0, 0))
    return {"": active + paused, "active": active - over, "paused": paused, "expired": over, "superseded": superseded}
