"""Why a memory came back: the latest recalls of the reader that returned it, as their traces tell them."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Agent
from accounts.principals import Principal
from memories.models import Feedback, Recall

LOOKED_THROUGH = 300
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Came:
    """One recall: when, for whom it was asked, at which of how many places the memory came, and what decided that.

    `omitted` counts what did not come; `verdicts` are what the runtime made of it.
    """

    at: datetime
    agent: str
    run_id: str
    place: int
    among: int
    score: float
    scores: Sequence[tuple[str, float]]
    status: str
    tokens_used: int
    omitted: Mapping[str, int]
    verdicts: Sequence[str]


def latest(principal: Principal, memory_ids: Collection[uuid.UUID]) -> list[Came]:
    """The newest of them; what was recalled for other people is never told."""
    wanted = {str(pk) for pk in memory_ids}
    traces = Recall.objects.filter(subject_id=principal.subject_id).order_by("-pk")[:LOOKED_THROUGH]
    each = ((trace, at, item) for trace in traces for at, item in enumerate(trace.items))
    found = [one for one in each if one[2]["memory_id"] in wanted][:SHOWN]
    names = dict(Agent.objects.filter(pk__in={one.agent_id for one, _, _ in found}).values_list("pk", "slug"))
    told = Feedback.objects.filter(recall__in=[one.pk for one, _, _ in found], memory_id__in=memory_ids)
    verdicts: dict[uuid.UUID, list[str]] = {}
    for one in told.order_by("pk"):
        verdicts.setdefault(one.recall_id, []).append(one.verdict)
    return [
        Came(
            at=trace.created_at,
            agent=names.get(trace.agent_id, ""),
            run_id=trace.run_id,
            place=at + 1,
            among=len(trace.items),
            score=item["score"],
            scores=sorted(((name, value) for name, value in item["scores"].items() if value), key=lambda one: -one[1]),
            status=trace.status,
            tokens_used=trace.gate.get("tokens_used", 0),
            omitted={name: count for name, count in trace.omitted.items() if count},
            verdicts=verdicts.get(trace.pk, ()),
        )
        for trace, at, item in found
    ]
