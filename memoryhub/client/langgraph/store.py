"""The store itself: what LangGraph asks, as calls of the client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import ClassVar

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from memoryhub.client.hub import AsyncClient, Client
from memoryhub.client.inputs import NamespaceRef, Proposal
from memoryhub.client.langgraph.matching import check_filter, is_under, matches
from memoryhub.client.langgraph.values import found_item_of, item_of, told
from memoryhub.client.outcomes import NotStored, Write, is_held, is_stored
from memoryhub.client.places import OWN, Place, Seen
from memoryhub.client.results import Decision
from memoryhub.client.steps import Steps, run, run_awaited

BEST = 100  # as many as one recall returns


class HubStore(BaseStore):
    """What a MemoryHub remembers under one namespace and kind, as items. It does not replace a checkpointer.

    Who calls, and for whom, is the client's credential; nothing in a namespace, key or value changes it. The labels of
    an item's namespace are the path of a memory, below the path of `namespace`; with it at most eight of them. `values`
    says what becomes of the dict: a text under "content" is what is remembered, found and judged.

    A put passes the write gate. `evidence` says for each what the runtime saw happen, as an event to attest or the id
    of one; without it every put is a guess, which waits for its person or is refused. A put that is not remembered
    raises NotStored, or Held when it waits, unless `on_held` takes those. A delete forgets every version for good, and
    withdraws nothing that waits; a later put of that key needs evidence from after it.

    A search with a query is a recall, filtered among its hundred best; one without lists the area whole and costs a
    request for every 200 memories in it, as list_namespaces does. Both and get see active, unexpired memories alone.
    `ttl` is the end of a memory: reading never moves it. `index` is ignored, for the hub indexes statements.

    Over a Client it serves sync and async graphs, over an AsyncClient async ones: sync calls then raise
    InvalidStateError. Whoever made the client closes it. HubError is raised for everything else that fails.
    """

    supports_ttl: ClassVar[bool] = True

    def __init__(
        self,
        hub: Client | AsyncClient,
        *,
        namespace: NamespaceRef | None = None,
        kind: str = "preference",
        evidence: Callable[[PutOp], Seen] | None = None,
        on_held: Callable[[PutOp, Decision], None] | None = None,
    ) -> None:
        self.hub = hub
        self.place = Place(namespace or OWN, kind)
        self.evidence = evidence
        self.on_held = on_held
        self.ttl_config: TTLConfig | None = {"refresh_on_read": False, "omit_expired": True}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answers in the order of `ops`. Reads see what was there before; of two puts to a key the last one counts."""
        if not isinstance(self.hub, Client):
            raise asyncio.InvalidStateError("A store over an AsyncClient is awaited: use abatch, aget, aput.")
        return run(self.hub, self._batch(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, awaited; over a Client in a thread."""
        if isinstance(self.hub, Client):
            return await asyncio.to_thread(self.batch, ops)
        return await run_awaited(self.hub, self._batch(list(ops)))

    def _batch(self, ops: list[Op]) -> Steps[list[Result]]:
        for op in ops:
            validate_op_namespace(op)
            if isinstance(op, SearchOp):
                _check_search(op)
        results: list[Result] = []
        for op in ops:
            results.append((yield from self._read(op)))
        puts = {(op.namespace, str(op.key)): op for op in ops if isinstance(op, PutOp)}
        for op in puts.values():
            if op.value is None:
                yield from self.place.forget(op.namespace, str(op.key))
        yield from self._propose([op for op in puts.values() if op.value is not None], len(puts))
        return results

    def _read(self, op: Op) -> Steps[Result]:
        match op:
            case PutOp():
                return None
            case GetOp():
                return (yield from self._get(op))
            case SearchOp():
                return (yield from self._search(op))
            case ListNamespacesOp():
                return (yield from self._list_namespaces(op))
            case _:
                raise ValueError(f"There is no operation {type(op).__name__}.")

    def _get(self, op: GetOp) -> Steps[Item | None]:
        memory = yield from self.place.get(op.namespace, str(op.key))
        return None if memory is None else item_of(memory, self.place.root)

    def _search(self, op: SearchOp) -> Steps[list[SearchItem]]:
        if op.query and op.query.strip():
            found = yield from self.place.search(op.namespace_prefix, op.query, BEST)
            items = [found_item_of(one, self.place.root) for one in found.items]
        else:
            listed = yield from self.place.list(op.namespace_prefix)
            items = [found_item_of(one, self.place.root) for one in listed]
            items.sort(key=lambda one: one.updated_at, reverse=True)
        fitting = [one for one in items if matches(one.value, op.filter)]
        return fitting[op.offset : op.offset + op.limit]

    def _list_namespaces(self, op: ListNamespacesOp) -> Steps[list[tuple[str, ...]]]:
        listed = yield from self.place.list()
        namespaces = {self.place.labels_of(one) for one in listed}
        fitting = [one for one in namespaces if all(is_under(one, each) for each in op.match_conditions or ())]
        found = sorted({one[: op.max_depth] for one in fitting})
        return found[op.offset : op.offset + op.limit]

    def _propose(self, puts: list[PutOp], among: int) -> Steps[None]:
        if not puts:
            return
        proposals = [self._proposal(op) for op in puts]
        outcomes = yield lambda hub: hub.propose_batch(proposals)
        missed: list[Write] = []
        for op, outcome in zip(puts, outcomes, strict=True):
            if is_held(outcome) and self.on_held:
                self.on_held(op, outcome)
            elif not is_stored(outcome):
                missed.append((op, outcome))
        if missed:
            raise NotStored.of(missed, among)

    def _proposal(self, op: PutOp) -> Proposal:
        seen = self.evidence(op) if self.evidence else None
        ends = {} if op.ttl is None else {"valid_until": datetime.now(UTC) + timedelta(minutes=op.ttl)}
        return self.place.proposal(op.namespace, str(op.key), seen=seen, **told(op.value or {}), **ends)


def _check_search(op: SearchOp) -> None:
    check_filter(op.filter)
    if op.query and op.query.strip() and op.offset + op.limit > BEST:
        raise ValueError(f"A search with a query reaches the {BEST} best: limit and offset together are at most that.")
