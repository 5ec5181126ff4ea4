"""One namespace and kind of a MemoryHub, in which an adapter reads and writes keys. Its methods are steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memoryhub.client.errors import NotFound, Unavailable
from memoryhub.client.inputs import EvidenceBody, NamespaceRef, Proposal
from memoryhub.client.results import Memory, Recalled
from memoryhub.client.steps import Steps

Seen = EvidenceBody | str | None
"""What the runtime saw happen: an event to attest, the id of one, or nothing, which makes a proposal a guess."""
OWN: NamespaceRef = {"type": "user"}


@dataclass(frozen=True)
class Place:
    """Areas below `namespace` are named by labels; with those of the namespace at most eight."""

    namespace: NamespaceRef = field(default_factory=lambda: OWN)
    kind: str = "preference"

    @property
    def root(self) -> tuple[str, ...]:
        return tuple(self.namespace.get("path", ()))

    def area(self, labels: Sequence[str]) -> NamespaceRef:
        return {**self.namespace, "path": [*self.root, *labels]}

    def labels_of(self, memory: Memory) -> tuple[str, ...]:
        return memory.namespace.path[len(self.root) :]

    def get(self, labels: Sequence[str], key: str) -> Steps[Memory | None]:
        """The active, unexpired memory of a key. A namespace that may not be used is an error, not an empty place."""
        area = self.area(labels)
        try:
            memory: Memory = yield lambda hub: hub.lookup(namespace=area, kind=self.kind, key=key)
        except NotFound as error:
            if error.code == "unknown_namespace":
                raise
            return None
        return memory

    def list(self, labels: Sequence[str] = ()) -> Steps[list[Memory]]:
        """Every active, unexpired memory of this area and below."""
        area = self.area(labels)
        found: list[Memory] = yield lambda hub: hub.memories(namespace=area, kind=self.kind, status="active")
        now = datetime.now(UTC)
        return [one for one in found if one.valid_until is None or one.valid_until > now]

    def search(self, labels: Sequence[str], query: str, limit: int) -> Steps[Recalled]:
        """A recall in this area and below. Raises Unavailable when it does not work, instead of finding nothing."""
        area = self.area(labels)
        found: Recalled = yield lambda hub: hub.recall(query, namespaces=[area], kinds=[self.kind], limit=limit)
        if found.status == "degraded" and not found.items:
            raise Unavailable("degraded", "Search does not work now; this does not mean that nothing is there.")
        return found

    def forget(self, labels: Sequence[str], key: str) -> Steps[None]:
        """Every version of a key; also what is paused or past its end, which a lookup does not show."""
        area, path = self.area(labels), (*self.root, *labels)
        kept: list[Memory] = yield lambda hub: hub.memories(namespace=area, kind=self.kind, key=key)
        current = [one for one in kept if one.namespace.path == path and one.status != "superseded"]
        for memory in current:
            try:
                yield lambda hub, gone=memory.memory_id: hub.forget(gone)
            except NotFound:
                continue  # somebody else forgot it in between

    def proposal(self, labels: Sequence[str], key: str, statement: str, seen: Seen, **more: Any) -> Proposal:
        """A proposal for a key, resting on what was seen."""
        made: Proposal = {"namespace": self.area(labels), "kind": self.kind, "key": key, "statement": statement}
        if isinstance(seen, str):
            made["evidence_id"] = seen
        elif seen is not None:
            made["evidence"] = seen
        return {**made, **more}  # type: ignore[typeddict-item]
