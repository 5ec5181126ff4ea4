"""Why a memory came back or almost did: the latest recalls of the reader that weighed it, as their traces tell them."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import Agent
from accounts.principals import Principal
from memories import access
from memories.models import Feedback, Memory, Recall

LOOKED_THROUGH = 300
SHOWN = 5
BEFORE = 3


@dataclass(frozen=True, slots=True)
class Rival:
    """Another memory of the same recall that the reader may see; `reason` tells why it did not come back."""

    memory: Memory
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Came:
    """One recall: when, for whom it was asked, at which of how many places the memory came, and what decided that.

    `place` is 0 where it did not come back; then `reason` says why. `before` came back at better places, `near` did not
    come back. `omitted` counts what did not come; `verdicts` are what the runtime made of it.
    """

    at: datetime
    agent: str
    run_id: str
    place: int
    among: int
    reason: str
    score: float
    scores: Sequence[tuple[str, float]]
    status: str
    tokens_used: int
    omitted: Mapping[str, int]
    verdicts: Sequence[str]
    before: Sequence[Rival]
    near: Sequence[Rival]


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A memory in a trace; `item` is what the trace says of it."""

    trace: Recall
    place: int
    item: Mapping[str, Any]

    @property
    def better(self) -> Sequence[Mapping[str, Any]]:
        """What came before it, the nearest first; of what did not come back, the last that did."""
        first = self.trace.items[: self.place - 1] if self.place else self.trace.items
        return first[::-1][:BEFORE]

    @property
    def near(self) -> Sequence[Mapping[str, Any]]:
        return [one for one in _near(self.trace) if one is not self.item]


def latest(principal: Principal, memory_ids: Collection[uuid.UUID]) -> list[Came]:
    """The newest of them; what was recalled for other people is never told."""
    wanted = {str(pk) for pk in memory_ids}
    traces = Recall.objects.filter(subject_id=principal.subject_id).order_by("-pk")[:LOOKED_THROUGH]
    found = [one for trace in traces for one in _weighed(trace) if one.item["memory_id"] in wanted][:SHOWN]
    names = dict(Agent.objects.filter(pk__in={one.trace.agent_id for one in found}).values_list("pk", "slug"))
    told = Feedback.objects.filter(recall__in=[one.trace.pk for one in found], memory_id__in=memory_ids)
    verdicts: dict[uuid.UUID, list[str]] = {}
    for one in told.order_by("pk"):
        verdicts.setdefault(one.recall_id, []).append(one.verdict)
    others = _others(principal, [item for one in found for item in (*one.better, *one.near)])
    return [
        Came(
            at=one.trace.created_at,
            agent=names.get(one.trace.agent_id, "") if one.trace.agent_id else "",
            run_id=one.trace.run_id,
            place=one.place,
            among=len(one.trace.items),
            reason=one.item.get("reason", ""),
            score=one.item["score"],
            scores=sorted(
                ((name, value) for name, value in one.item.get("scores", {}).items() if value),
                key=lambda part: -part[1],
            ),
            status=one.trace.status,
            tokens_used=one.trace.gate.get("tokens_used", 0),
            omitted={name: count for name, count in one.trace.omitted.items() if count},
            verdicts=verdicts.get(one.trace.pk, ()),
            before=_rivals(one.better, others),
            near=_rivals(one.near, others),
        )
        for one in found
    ]


def _weighed(trace: Recall) -> list[_Weighed]:
    came = [_Weighed(trace, place, item) for place, item in enumerate(trace.items, start=1)]
    return came + [_Weighed(trace, 0, item) for item in _near(trace)]


def _near(trace: Recall) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = trace.gate.get("near", ())
    return found


def _others(principal: Principal, items: Collection[Mapping[str, Any]]) -> dict[str, Memory]:
    """What of it is still there and may be seen by the reader now."""
    if not items:
        return {}
    ids = {item["memory_id"] for item in items}
    rows = Memory.objects.kept().filter(pk__in=ids, namespace__in=access.readable(principal))
    return {str(row.pk): row for row in rows.select_related("namespace")}


def _rivals(items: Sequence[Mapping[str, Any]], others: Mapping[str, Memory]) -> list[Rival]:
    return [Rival(others[item["memory_id"]], item.get("reason", "")) for item in items if item["memory_id"] in others]
