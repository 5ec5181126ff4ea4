"""Recall: what may and should come back for a question, and what became of it."""

from __future__ import annotations

import heapq
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import InvalidInput
from accounts.prepared import Prepared
from accounts.principals import Principal, Scope
from memories import access, context, embeddings, recall_gate, tenant_policy
from memories.access import Area, NamespaceRef
from memories.models import Feedback, Memory, MemoryQuerySet, Recall
from memories.policy import Cutoff, Policy, Topic
from memories.recall_gate import Anchors, Eligible, RecallWeights, Searched, Selection
from memories.search import rows
from memories.search.index import Hit, SearchResult
from memories.search.index import Scope as SearchScope
from memories.vectors import Means, Vector

MARGIN = 30
"""How many more hits than places may still win: those that authority, freshness and version can lift into one."""
EXPLAINED = 200
"""How many more of those that lost are told of, on request."""
NEAR = 5
"""How many of those that lost a trace names, the best of them."""
ABOUT_SOMEONE_ELSE = "about_someone_else"


@dataclass(frozen=True, slots=True)
class RecallInput:
    """One question, in which namespaces, for which kinds, and what it may cost."""

    query: str = ""
    namespaces: tuple[NamespaceRef, ...] | None = None
    kinds: tuple[str, ...] | None = None
    keys: tuple[str, ...] | None = None
    limit: int | None = None
    token_budget: int | None = None
    mode: str = "generous"
    min_score: float | None = None
    as_of: datetime | None = None
    anchors: Anchors = Anchors()
    preload: tuple[str, ...] = ()
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A recalled memory with how it scored and what it costs in tokens."""

    memory: Memory
    score: float
    relevance: float
    scores: dict[str, float]
    tokens: int


@dataclass(frozen=True, slots=True)
class Recalled:
    """The answer to a recall, and its trace."""

    trace: Recall
    selection: Selection
    items: Sequence[Item]
    areas: Sequence[Area]
    kinds: Sequence[str]
    requery: Sequence[Topic]
    policy: Policy
    token_budget: int | None
    usual: Mapping[str, object]
    warnings: Sequence[str] = ()


def recall(
    principal: Principal,
    asked: RecallInput,
    *,
    now: datetime | None = None,
    meant: tuple[Vector, Means] | None = None,
) -> Recalled:
    """What may and should come back, in order: permission, kind, validity, relevance, authority, budget.

    Raises NotVisible for a namespace the caller may not read and InvalidInput for a kind the policy does not know.
    Nothing that is read changes; a trace of ids and an event are written. `now` and `meant`, the question as a vector
    that was made before, are for evaluations.
    """
    principal.require(Scope.RECALL)
    started = time.perf_counter()
    now, policy = now or timezone.now(), tenant_policy.active()
    areas = [area for area in access.areas(principal, asked.namespaces, access.usable(principal)) if not _is_off(area)]
    kinds = _kinds(policy, asked)
    limit = asked.limit or policy.recall.limit
    scopes = [SearchScope(area.namespace.pk, area.path, area.namespace.revision) for area in areas]
    meant, degraded = (meant, False) if meant else _meaning_of(asked.query, scopes)
    embedded = time.perf_counter()
    places = limit + len(asked.anchors.instructions)
    searched = _search(scopes, kinds, asked, policy, now, meant, places + (EXPLAINED if asked.explain else MARGIN))
    ranked = time.perf_counter()
    weights = _weights(policy)
    hits = searched.hits
    contenders = hits if asked.explain or asked.anchors.sources else recall_gate.contenders(hits, places, weights, now)
    memories = _hydrate(areas, kinds, contenders, asked, now)
    if len(memories) < len(contenders) < len(hits):  # some are gone since: the next ones may win after all
        contenders = hits
        memories = _hydrate(areas, kinds, contenders, asked, now)
    preloaded = _preloaded(areas, kinds, asked, now)
    found = Searched(searched.eligible, searched.confidence, degraded)
    cutoff = recall_gate.cutoff_of(recall_gate.Mode(asked.mode), weights, found)
    known = memories | {memory.pk: memory for memory in preloaded}
    usual = context.usual(known.values())
    eligible = _eligible(contenders, known, preloaded, cutoff.floor, usual)
    selection = recall_gate.select(
        eligible,
        asked.anchors,
        weights,
        limit=limit + len(preloaded),
        token_budget=asked.token_budget,
        mode=asked.mode,
        min_score=asked.min_score,
        now=now,
        searched=found,
    )
    items = [
        Item(known[one.memory.memory_id], one.score, one.memory.relevance, dict(one.scores), one.memory.tokens)
        for one in selection.items
    ]
    finished = time.perf_counter()
    trace = Recall(
        actor_id=principal.actor_id,
        subject_id=principal.subject_id,
        agent_id=principal.agent_id,
        run_id=principal.run_id,
        status=selection.status,
        items=[{"memory_id": str(item.memory.pk), "score": item.score, "scores": item.scores} for item in items],
        omitted={
            "over_budget": selection.omitted.over_budget,
            "overridden": selection.omitted.overridden,
            "below_threshold": selection.omitted.below_threshold + _left_out(searched, contenders, asked, cutoff),
        },
        gate={
            "namespaces": [str(area.namespace.pk) for area in areas],
            "kinds": list(kinds),
            "policy_version": policy.version,
            "token_budget": asked.token_budget,
            "tokens_used": selection.tokens_used,
            "mode": asked.mode,
            "near": _near(selection),
        },
        latency={
            "embed_ms": round((embedded - started) * 1000, 2),
            "search_ms": round((ranked - embedded) * 1000, 2),
            "gate_ms": round((finished - ranked) * 1000, 2),
        },
    )
    with tenancy.atomic():
        trace.save()
        audit.record(
            principal,
            "memory.recall",
            outcome=selection.status,
            target="recall",
            target_id=trace.pk,
            details={"items": len(items), "policy_version": policy.version},
        )
    return Recalled(
        trace,
        selection,
        items,
        areas,
        kinds,
        _requery(policy, asked),
        policy,
        asked.token_budget,
        usual,
        (ABOUT_SOMEONE_ELSE,) if searched.about_someone_else and items else (),
    )


def give_feedback(principal: Principal, recall_id: str, memory_id: uuid.UUID, verdict: str) -> Feedback:
    """What became of a recalled memory; only of one that this recall returned."""
    principal.require(Scope.RECALL)
    trace = access.recall(principal, recall_id)
    if str(memory_id) not in {item["memory_id"] for item in trace.items}:
        raise InvalidInput.field("memory_id", "This recall did not return that memory.", "not_recalled")
    with tenancy.atomic():
        given = Feedback.objects.create(recall=trace, memory_id=memory_id, verdict=verdict)
        audit.record(principal, "recall.feedback", target="memory", target_id=memory_id, details={"verdict": verdict})
    return given


def _is_off(area: Area) -> bool:
    """Whether its person turned memory off, or shut this agent out: nothing of it comes back, though it is there."""
    off = area.namespace.membership is not None and area.namespace.membership.memory_off_at is not None
    return off or area.namespace.is_closed


def _kinds(policy: Policy, asked: RecallInput) -> tuple[str, ...]:
    if asked.kinds is None:
        return tuple(sorted(policy.default_kinds))
    kinds = []
    for name in asked.kinds:
        rule = policy.kind(name)
        if rule is None:
            raise InvalidInput.field("kinds", "The policy knows no such kind.", "unknown_kind")
        kinds.append(rule.name)
    return tuple(dict.fromkeys(kinds))


def _valid(asked: RecallInput, now: datetime) -> MemoryQuerySet:
    return Memory.objects.recallable_at(asked.as_of) if asked.as_of else Memory.objects.recallable(now)


def _meaning_of(query: str, scopes: Sequence[SearchScope]) -> tuple[tuple[Vector, Means] | None, bool]:
    """The question as a vector, and whether it should be one and is not. Nothing is embedded where no row is."""
    if not any(rows.index().rows_of(scope.namespace_id, scope.revision).vectors for scope in scopes):
        return None, embeddings.is_resting() and bool(query.strip())
    asked = embeddings.query_vector(query)
    if asked is None or asked.vector is None:
        return None, asked is not None and asked.degraded
    return (asked.vector, embeddings.means(asked.embedder)), False


def _owned(rows_: Iterable[Memory], areas: Sequence[Area], kinds: Sequence[str]) -> Iterator[Memory]:
    """The rows of these kinds in the areas asked for, with their namespaces filled in without another query."""
    owners = {area.namespace.pk: area.namespace for area in areas}
    paths = [(area.namespace.pk, list(area.path)) for area in areas]
    for memory in rows_:
        inside = any(memory.namespace_id == pk and memory.path[: len(path)] == path for pk, path in paths)
        if inside and memory.kind in kinds:
            memory.namespace = owners[memory.namespace_id]
            yield memory


def _search(
    scopes: Sequence[SearchScope],
    kinds: Sequence[str],
    asked: RecallInput,
    policy: Policy,
    now: datetime,
    meant: tuple[Vector, Means] | None,
    depth: int,
) -> SearchResult:
    """The ranked hits. A scene that only names the keys it always loads asks for nothing else."""
    if asked.preload and asked.kinds is None and not asked.query.strip():
        return SearchResult((), 0)
    return rows.index().search(
        asked.query,
        namespaces=scopes,
        kinds=frozenset(kinds),
        keys=frozenset(asked.keys) if asked.keys is not None else None,
        now=now,
        as_of=asked.as_of,
        limit=depth,
        authority=policy.authority,
        meant=meant,
    )


def _hydrate(
    areas: Sequence[Area], kinds: Sequence[str], hits: Sequence[Hit], asked: RecallInput, now: datetime
) -> dict[uuid.UUID, Memory]:
    """The rows behind the hits, every condition tried again: an index is never the authority."""
    wanted = [hit.memory_id for hit in hits]
    found = _THEN(ids=wanted, moment=asked.as_of) if asked.as_of else _NOW(ids=wanted, now=now)
    return {memory.pk: memory for memory in _owned(found, areas, kinds)}


# What nobody asks of a recalled memory is not read: it takes longer to convert than to find.
_UNREAD = "rev status path_key aliases said sensitivity policy_version proposed_by approved_by retired_at evidence slot"
_NOW = Prepared(lambda ids, now: Memory.objects.recallable(now).filter(pk__in=ids).defer(*_UNREAD.split()))
_THEN = Prepared(lambda ids, moment: Memory.objects.recallable_at(moment).filter(pk__in=ids).defer(*_UNREAD.split()))


def _preloaded(areas: Sequence[Area], kinds: Sequence[str], asked: RecallInput, now: datetime) -> list[Memory]:
    """The memories of exact keys that a scene always loads."""
    if not asked.preload:
        return []
    owners = [area.namespace.pk for area in areas]
    found = _valid(asked, now).filter(namespace__in=owners, kind__in=kinds, key__in=asked.preload).order_by("pk")
    return list(_owned(found, areas, kinds))


def _left_out(searched: SearchResult, contenders: Sequence[Hit], asked: RecallInput, cutoff: Cutoff) -> int:
    """How many of the rows that were not read would not have been relevant enough."""
    best = max((hit.relevance for hit in searched.hits), default=0.0)
    relevance, score = recall_gate.least_relevance(best, cutoff), asked.min_score or 0.0
    read = {hit.memory_id for hit in contenders}
    unread = [hit for hit in searched.hits if hit.memory_id not in read]
    return searched.left_out(relevance, score) + sum(one.relevance < relevance or one.score < score for one in unread)


def _eligible(
    hits: Sequence[Hit],
    memories: Mapping[uuid.UUID, Memory],
    preloaded: Sequence[Memory],
    floor: float,
    usual: Mapping[str, object],
) -> list[Eligible]:
    """Hits and preloaded memories. A preloaded one is no better than the best hit: the least relevance that others need
    is a share of the best, and naming a key says nothing about the question."""
    found = {
        hit.memory_id: (hit.score, hit.scores, hit.relevance, hit.named) for hit in hits if hit.memory_id in memories
    }
    best = max((score for score, *_ in found.values()), default=1.0)
    as_relevant = max(max((relevance for _, _, relevance, _ in found.values()), default=1.0), floor)
    for memory in preloaded:
        found[memory.pk] = (max(best, 1.0), {"keyword": 0.0, "semantic": 0.0, "preload": 1.0}, as_relevant, 0)
    return [
        Eligible(
            memory_id=memory.pk,
            kind=memory.kind,
            key=memory.key or "",
            statement=memory.statement or "",
            value=memory.value,
            conditions=memory.conditions,
            evidence_class=memory.evidence_class,
            version=memory.version,
            confirmed_at=memory.confirmed_at,
            valid_until=memory.valid_until,
            score=score,
            scores=scores,
            relevance=relevance,
            tokens=context.cost(memory, usual),
            named=named,
        )
        for pk, (score, scores, relevance, named) in found.items()
        for memory in [memories[pk]]
    ]


def _near(selection: Selection) -> list[dict[str, object]]:
    """What almost came back, the best first: which, how it scored, and why it lost."""
    best = heapq.nlargest(NEAR, selection.losers, key=lambda one: one[0].score)
    return [
        {"memory_id": str(one.memory.memory_id), "score": one.score, "reason": reason.value} for one, reason in best
    ]


def _requery(policy: Policy, asked: RecallInput) -> list[Topic]:
    """The topics to ask their systems about: the ones named, and the ones the question is about."""
    named = [topic for label in asked.anchors.sources if (topic := policy.topic(label)) is not None]
    return list(dict.fromkeys([*named, *policy.topics_about(asked.query)]))


@lru_cache(maxsize=64)
def _weights(policy: Policy) -> RecallWeights:
    weights = policy.recall.weights
    return RecallWeights(
        authority=weights.authority,
        freshness=weights.freshness,
        version=weights.version,
        authority_order={rule.name: rule.authority for rule in policy.kinds},
        cutoffs={recall_gate.Mode(mode): cutoff for mode, cutoff in policy.recall.cutoffs},
    )
