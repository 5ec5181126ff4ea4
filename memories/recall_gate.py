"""The recall gate: what of the eligible memories comes back, in which order, and why each other one lost. Pure.

Permission, kind, status and expiry were decided before, inside the search. Here: relevance, then what outranks a
memory now (the current instruction, the source of truth), then authority, freshness, version, limit and budget.
"""

from __future__ import annotations

import heapq
import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from operator import itemgetter
from types import MappingProxyType
from typing import Protocol, TypeVar
from uuid import UUID

from memories.policy import Cutoff

_REVIEWED_FIRST = ("verified_reviewer", "explicit_user")
_DAY = 86_400.0
_CONFIDENCE, _CONFIDENCE_SLOPE = 1.1, 1.6
_FULL = 10
"""From so many rows on, a generous answer is the best of them whatever they are worth: it says that it is weak."""
_FLOOR_OF_FEW = 0.03
"""Among fewer rows the best is near the question by accident; below this relevance it is none."""
_NOTHING = 0.2
"""The confidence below which the best rows are said to be nothing relevant."""


_NAMED = 2.0
"""What each word of a name adds that the question holds in full: more than any match, so that what is named leads."""
_NO_CUTOFF = Cutoff(0.0, 0.0)
_SPARE = 5


class Mode(StrEnum):
    """How sure an item must be to come back."""

    GENEROUS = "generous"
    BALANCED = "balanced"
    PRECISE = "precise"


class Status(StrEnum):
    """What a recall found."""

    OK = "ok"
    WEAK = "weak"
    NOTHING_RELEVANT = "nothing_relevant"
    OVERRIDDEN = "overridden"
    DEGRADED = "degraded"


class Loss(StrEnum):
    """Why a memory is not in the answer."""

    BELOW_THRESHOLD = "below_threshold"
    OVERRIDDEN = "overridden"
    OVER_LIMIT = "over_limit"
    OVER_BUDGET = "over_budget"


@dataclass(frozen=True, slots=True)
class RecallWeights:
    """How much authority, freshness and version add to a match, each at most this share of its score.

    They settle near ties and never lift an item that matches clearly less. Freshness halves every `half_life_days`;
    the first evidence class in a kind's order counts fully, the second half, the third a third.
    """

    authority: float = 0.06
    freshness: float = 0.02
    version: float = 0.002
    half_life_days: float = 180.0
    confident: float = 0.5
    authority_order: Mapping[str, Sequence[str]] = field(
        default_factory=lambda: MappingProxyType(
            {"procedure": _REVIEWED_FIRST, "convention": _REVIEWED_FIRST, "lesson": _REVIEWED_FIRST}
        )
    )
    default_order: Sequence[str] = ("explicit_user", "verified_reviewer")
    cutoffs: Mapping[Mode, Cutoff] = field(
        default_factory=lambda: MappingProxyType(
            {
                Mode.GENEROUS: Cutoff(0.01, 0.0),
                Mode.BALANCED: Cutoff(0.05, 0.4),
                Mode.PRECISE: Cutoff(0.1, 0.6),
            }
        )
    )


@dataclass(frozen=True, slots=True)
class Instruction:
    """What the person said now about one kind and key."""

    kind: str
    key: str
    statement: str = ""


@dataclass(frozen=True, slots=True)
class Anchors:
    """What outranks memory in this call: current instructions, and topics that a business system answers."""

    instructions: tuple[Instruction, ...] = ()
    sources: tuple[str, ...] = ()


class Found(Protocol):
    """What the final score is made of: the score of the search, how many words of its name the question holds, and
    what adds to it."""

    @property
    def memory_id(self) -> UUID: ...

    @property
    def kind(self) -> str: ...

    @property
    def evidence_class(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def confirmed_at(self) -> datetime: ...

    @property
    def score(self) -> float: ...

    @property
    def named(self) -> int: ...


Ranked = TypeVar("Ranked", bound=Found)


@dataclass(frozen=True, slots=True)
class Eligible:
    """A memory that may come back, with what the search found out about it."""

    memory_id: UUID
    kind: str
    key: str
    statement: str
    value: object
    conditions: str | None
    evidence_class: str
    version: int
    confirmed_at: datetime
    valid_until: datetime | None
    score: float
    scores: Mapping[str, float]
    relevance: float
    tokens: int
    named: int = 0


@dataclass(frozen=True, slots=True)
class Searched:
    """What the search says of the question as a whole.

    `eligible` rows were compared; `confidence` is the probability that any of them answers, None where only words were
    compared; `degraded` when meaning should have been compared and could not.
    """

    eligible: int = 0
    confidence: float | None = None
    degraded: bool = False


@dataclass(frozen=True, slots=True)
class Selected:
    """A memory that comes back. `score` is the match plus the parts that authority, freshness and version added."""

    memory: Eligible
    score: float
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Omitted:
    """How many memories each reason cost. Those over the limit were not asked for and are not counted."""

    over_budget: int = 0
    overridden: int = 0
    below_threshold: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """The answer of the gate. `confidence` is the probability that something here answers, 0 without any item."""

    status: Status
    confidence: float
    items: tuple[Selected, ...]
    omitted: Omitted
    losers: tuple[tuple[Selected, Loss], ...]
    tokens_used: int


def select(
    eligible: Iterable[Eligible],
    anchors: Anchors,
    policy: RecallWeights,
    *,
    limit: int,
    token_budget: int | None,
    mode: Mode | str = Mode.GENEROUS,
    min_score: float | None = None,
    now: datetime,
    searched: Searched = Searched(),
) -> Selection:
    """Choose and order the answer: memories asked for by name, then the others by their final score; ties by id."""
    place = _best_first(policy)
    scored = (_scored(memory, policy, now) for memory in eligible)
    ranked = sorted(scored, key=lambda one: place(one.memory, one.score))
    cutoff = cutoff_of(Mode(mode), policy, searched)
    relevant, irrelevant = _split_by_relevance(ranked, cutoff, min_score)
    standing, overridden = _split_by_anchors(relevant, anchors)
    within, beyond = standing[:limit], standing[limit:]
    items, oversized, used = _fit(within, token_budget)
    confidence = _confidence(items, searched)
    lost = ((irrelevant, Loss.BELOW_THRESHOLD), (overridden, Loss.OVERRIDDEN), (beyond, Loss.OVER_LIMIT))
    return Selection(
        status=_status(items, oversized, overridden, confidence, policy, searched, filled=cutoff == _NO_CUTOFF),
        confidence=confidence,
        items=tuple(items),
        omitted=Omitted(len(oversized), len(overridden), len(irrelevant)),
        losers=tuple((one, why) for group, why in (*lost, (oversized, Loss.OVER_BUDGET)) for one in group),
        tokens_used=used,
    )


def authority(kind: str, evidence_class: str, policy: RecallWeights) -> float:
    """How much this evidence counts for this kind: 1 for the first in its order, 1/2, 1/3 ... and 0 outside it."""
    order = policy.authority_order.get(kind, policy.default_order)
    return 1 / (1 + order.index(evidence_class)) if evidence_class in order else 0.0


def cutoff_of(mode: Mode, policy: RecallWeights, searched: Searched) -> Cutoff:
    """The cutoff of a mode as this search bears it out.

    A generous answer among enough rows has none, so that it is what a full scan would give. The other modes ask more of
    an item where hardly anything speaks for an answer at all.
    """
    cutoff = policy.cutoffs[mode]
    enough, confidence = searched.eligible >= _FULL, searched.confidence
    if mode != Mode.GENEROUS:
        doubtful = enough and confidence is not None and confidence < _NOTHING
        return Cutoff(max(cutoff.floor, _NOTHING), cutoff.share) if doubtful else cutoff
    if enough:
        return _NO_CUTOFF
    if confidence is None:
        return cutoff
    return Cutoff(max(cutoff.floor, _FLOOR_OF_FEW), cutoff.share)  # in meaning every row is near to some degree


def least_relevance(best: float, cutoff: Cutoff) -> float:
    """The relevance below which an item does not come back, when the most relevant one has `best`."""
    return max(cutoff.floor, cutoff.share * best)


def contenders(hits: Sequence[Ranked], places: int, policy: RecallWeights, now: datetime) -> Sequence[Ranked]:
    """The hits that get the places, best first, and a few more should one of these be gone or yield."""
    sure = places + _SPARE
    if len(hits) <= sure:
        return hits
    place = _best_first(policy)
    ranked = [(place(hit, _final(hit, _added(hit, policy, now))), hit) for hit in hits]
    return [hit for _, hit in heapq.nsmallest(sure, ranked, key=itemgetter(0))]


def _scored(memory: Eligible, policy: RecallWeights, now: datetime) -> Selected:
    added = _added(memory, policy, now)
    return Selected(memory, _final(memory, added), {**memory.scores, **added})


def _final(found: Found, added: Mapping[str, float]) -> float:
    return round(found.score + sum(added.values()), 6)


def _added(found: Found, policy: RecallWeights, now: datetime) -> dict[str, float]:
    """What authority, freshness, version and being named add to the score of the search."""
    age = max(0.0, (now - found.confirmed_at).total_seconds() / _DAY)
    parts = {
        "authority": policy.authority * authority(found.kind, found.evidence_class, policy),
        "freshness": policy.freshness * 0.5 ** (age / policy.half_life_days),
        "version": policy.version * (1 - 1 / max(1, found.version)),
    }
    added = {name: round(max(0.0, found.score) * share, 6) for name, share in parts.items()}
    if found.named:
        added["named"] = _NAMED * found.named
    return added


def _best_first(policy: RecallWeights) -> Callable[[Found, float], tuple[float, float, float, UUID]]:
    """The order by final score; where nothing was asked every score is 0, so then by authority and by the last
    confirmation."""

    def place(found: Found, score: float) -> tuple[float, float, float, UUID]:
        if score:
            return (-score, 0.0, 0.0, found.memory_id)
        strength = authority(found.kind, found.evidence_class, policy)
        return (0.0, -strength, -found.confirmed_at.timestamp(), found.memory_id)

    return place


def _split_by_relevance(
    ranked: Sequence[Selected], cutoff: Cutoff, min_score: float | None
) -> tuple[list[Selected], list[Selected]]:
    least = least_relevance(max((one.memory.relevance for one in ranked), default=0.0), cutoff)
    relevant: list[Selected] = []
    irrelevant: list[Selected] = []
    for one in ranked:
        relevant_enough = one.memory.named or one.memory.relevance >= least
        enough = relevant_enough and (min_score is None or one.score >= min_score)
        (relevant if enough else irrelevant).append(one)
    return relevant, irrelevant


def _split_by_anchors(relevant: Sequence[Selected], anchors: Anchors) -> tuple[list[Selected], list[Selected]]:
    """A memory yields to what was said now about its kind and key, and to the system that answers for its key."""
    said = {(one.kind, _folded(one.key)) for one in anchors.instructions}
    sourced = {_folded(topic) for topic in anchors.sources}
    standing: list[Selected] = []
    overridden: list[Selected] = []
    for one in relevant:
        key = _folded(one.memory.key)
        (overridden if (one.memory.kind, key) in said or key in sourced else standing).append(one)
    return standing, overridden


def _fit(ranked: Sequence[Selected], token_budget: int | None) -> tuple[list[Selected], list[Selected], int]:
    """In rank order whatever still fits; one that does not is passed over, so a long one never empties the answer."""
    items, oversized, used = [], [], 0
    for one in ranked:
        if token_budget is not None and used + one.memory.tokens > token_budget:
            oversized.append(one)
            continue
        items.append(one)
        used += one.memory.tokens
    return items, oversized, used


def _confidence(items: Sequence[Selected], searched: Searched) -> float:
    """The probability that something here answers: the search's own, but never less than that of the best item."""
    if not items:
        return 0.0
    relevances = [item.memory.relevance for item in items]
    if searched.confidence is None:
        return _together(relevances)
    return round(max(searched.confidence, *relevances), 4)


def _together(relevances: Sequence[float]) -> float:
    """The probability that at least one of several items answers, which is more than if they were independent.

    Slope and constant were fitted on questions with and without an answer, like the relevances themselves.
    """
    none = math.prod(1 - relevance for relevance in relevances)
    if none == 1:
        return 0.0
    if none < 1e-6:
        return 1.0
    odds = _CONFIDENCE + _CONFIDENCE_SLOPE * math.log((1 - none) / none)
    return round(1 / (1 + math.exp(-odds)), 4)


def _status(
    items: Sequence[Selected],
    oversized: Sequence[Selected],
    overridden: Sequence[Selected],
    confidence: float,
    policy: RecallWeights,
    searched: Searched,
    *,
    filled: bool,
) -> Status:
    """What was found. An answer filled up with the best of what there is may still be nothing relevant."""
    if overridden and not items and not oversized:
        return Status.OVERRIDDEN
    if searched.degraded:
        return Status.DEGRADED
    if items:
        if confidence >= policy.confident:
            return Status.OK
        return Status.NOTHING_RELEVANT if filled and _is_nothing(items, confidence, policy, searched) else Status.WEAK
    # something relevant that is too long exists, so "nothing relevant" would be untrue
    return Status.WEAK if oversized else Status.NOTHING_RELEVANT


def _is_nothing(items: Sequence[Selected], confidence: float, policy: RecallWeights, searched: Searched) -> bool:
    """Whether the best of what there is, is still nothing. By words alone that is so where no item would stand."""
    if any(item.memory.named for item in items):
        return False
    if searched.confidence is not None:
        return confidence < _NOTHING
    return all(item.memory.relevance < policy.cutoffs[Mode.GENEROUS].floor for item in items)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().strip()
