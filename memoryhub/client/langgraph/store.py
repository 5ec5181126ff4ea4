"""The store itself: what LangGraph asks, as calls of the client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypeVar

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

from memoryhub.client.errors import HubError, NotFound, Unavailable
from memoryhub.client.hub import AsyncClient, Client
from memoryhub.client.inputs import EvidenceBody, NamespaceRef, Proposal
from memoryhub.client.langgraph.matching import check_filter, is_under, matches
from memoryhub.client.langgraph.outcomes import NotStored, Write
from memoryhub.client.langgraph.values import found_item_of, item_of, told
from memoryhub.client.results import Decision, Memory, Recalled

T = TypeVar("T")
Step = Callable[[Any], Any]  # a call of either client
Steps = Generator[Step, Any, T]
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
        evidence: Callable[[PutOp], EvidenceBody | str | None] | None = None,
        on_held: Callable[[PutOp, Decision], None] | None = None,
    ) -> None:
        self.hub = hub
        self.namespace: NamespaceRef = namespace or {"type": "user"}
        self.kind = kind
        self.evidence = evidence
        self.on_held = on_held
        self.ttl_config: TTLConfig | None = {"refresh_on_read": False, "omit_expired": True}
        self._root = tuple(self.namespace.get("path", ()))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answers in the order of `ops`. Reads see what was there before; of two puts to a key the last one counts."""
        if not isinstance(self.hub, Client):
            raise asyncio.InvalidStateError("A store over an AsyncClient is awaited: use abatch, aget, aput.")
        steps = self._batch(list(ops))
        try:
            step = next(steps)
            while True:
                try:
                    answer = step(self.hub)
                    answer = list(answer) if isinstance(answer, Iterator) else answer
                except HubError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as done:
            results: list[Result] = done.value
            return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, awaited; over a Client in a thread."""
        if isinstance(self.hub, Client):
            return await asyncio.to_thread(self.batch, ops)
        steps = self._batch(list(ops))
        try:
            step = next(steps)
            while True:
                try:
                    asked = step(self.hub)
                    answer = [one async for one in asked] if isinstance(asked, AsyncIterator) else await asked
                except HubError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as done:
            results: list[Result] = done.value
            return results

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
                yield from self._forget(op)
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
        place = self._place(op.namespace)
        try:
            memory = yield lambda hub: hub.lookup(namespace=place, kind=self.kind, key=str(op.key))
        except NotFound as error:
            if error.code == "unknown_namespace":
                raise
            return None
        return item_of(memory, self._root)

    def _search(self, op: SearchOp) -> Steps[list[SearchItem]]:
        place = self._place(op.namespace_prefix)
        if op.query and op.query.strip():
            found: Recalled = yield lambda hub: hub.recall(op.query, namespaces=[place], kinds=[self.kind], limit=BEST)
            if found.status == "degraded" and not found.items:
                raise Unavailable("degraded", "Search does not work now; this does not mean that nothing is there.")
            items = [found_item_of(one, self._root) for one in found.items]
        else:
            listed = yield from self._listed(place)
            items = [found_item_of(one, self._root) for one in listed]
            items.sort(key=lambda one: one.updated_at, reverse=True)
        fitting = [one for one in items if matches(one.value, op.filter)]
        return fitting[op.offset : op.offset + op.limit]

    def _list_namespaces(self, op: ListNamespacesOp) -> Steps[list[tuple[str, ...]]]:
        listed = yield from self._listed(self._place(()))
        namespaces = {one.namespace.path[len(self._root) :] for one in listed}
        fitting = [one for one in namespaces if all(is_under(one, each) for each in op.match_conditions or ())]
        found = sorted({one[: op.max_depth] for one in fitting})
        return found[op.offset : op.offset + op.limit]

    def _listed(self, place: NamespaceRef) -> Steps[list[Memory]]:
        found: list[Memory] = yield lambda hub: hub.memories(namespace=place, kind=self.kind, status="active")
        now = datetime.now(UTC)
        return [one for one in found if one.valid_until is None or one.valid_until > now]

    def _forget(self, op: PutOp) -> Steps[None]:
        """Also what is paused or past its end, which a lookup does not show."""
        place, path = self._place(op.namespace), (*self._root, *op.namespace)
        kept: list[Memory] = yield lambda hub: hub.memories(namespace=place, kind=self.kind, key=str(op.key))
        current = [one for one in kept if one.namespace.path == path and one.status != "superseded"]
        for memory in current:
            try:
                yield lambda hub, gone=memory.memory_id: hub.forget(gone)
            except NotFound:
                continue  # somebody else forgot it in between

    def _propose(self, puts: list[PutOp], among: int) -> Steps[None]:
        if not puts:
            return
        proposals = [self._proposal(op) for op in puts]
        outcomes = yield lambda hub: hub.propose_batch(proposals)
        missed: list[Write] = []
        for op, outcome in zip(puts, outcomes, strict=True):
            if isinstance(outcome, Decision) and outcome.waiting and self.on_held:
                self.on_held(op, outcome)
            elif not (isinstance(outcome, Decision) and outcome.stored):
                missed.append((op, outcome))
        if missed:
            raise NotStored.of(missed, among)

    def _proposal(self, op: PutOp) -> Proposal:
        said = told(op.value or {})
        made: Proposal = {
            "namespace": self._place(op.namespace),
            "kind": self.kind,
            "key": str(op.key),
            "statement": said["statement"],
            "value": said["value"],
        }
        if op.ttl is not None:
            made["valid_until"] = datetime.now(UTC) + timedelta(minutes=op.ttl)
        event = self.evidence(op) if self.evidence else None
        if isinstance(event, str):
            made["evidence_id"] = event
        elif event is not None:
            made["evidence"] = event
        return made

    def _place(self, namespace: tuple[str, ...]) -> NamespaceRef:
        return {**self.namespace, "path": [*self._root, *namespace]}


def _check_search(op: SearchOp) -> None:
    check_filter(op.filter)
    if op.query and op.query.strip() and op.offset + op.limit > BEST:
        raise ValueError(f"A search with a query reaches the {BEST} best: limit and offset together are at most that.")
