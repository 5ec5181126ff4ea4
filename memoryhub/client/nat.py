"""Memory for the NVIDIA NeMo Agent Toolkit. Needs the extra `nat`, which brings this module in as a component.

    memory:
      hub:
        _type: memoryhub      # MEMORYHUB_KEY and MEMORYHUB_URL from the environment

Whose memory it is comes from the toolkit's own configuration (`user_id` or `user_id_resolver` of its tools), and the
hub serves only people that the key may act for. What is remembered are statements: a conversation is refused, so switch
saving of messages off where an agent does that by itself. Nobody vouches for what a tool adds, so by the default policy
it waits for its person; that, like a refusal, is an error, since the toolkit reports everything else as added.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, Literal

from nat.builder.builder import Builder
from nat.cli.register_workflow import register_memory
from nat.data_models.memory import MemoryBaseConfig
from nat.memory.interfaces import MemoryEditor
from nat.memory.models import MemoryItem

from memoryhub.client.errors import HubError, InvalidRequest
from memoryhub.client.hub import AsyncClient
from memoryhub.client.inputs import NamespaceRef
from memoryhub.client.outcomes import NotStored, is_stored
from memoryhub.client.places import OWN, Place, Seen
from memoryhub.client.steps import run_awaited


class HubMemoryEditor(MemoryEditor):
    """Adds, finds and removes the statements of one place. Raises HubError for everything that is not done."""

    def __init__(
        self,
        hub: AsyncClient,
        *,
        namespace: NamespaceRef | None = None,
        kind: str = "preference",
        evidence: Callable[[MemoryItem], Seen] | None = None,
    ) -> None:
        self.hub, self.evidence = hub, evidence
        self.place = Place(namespace or OWN, kind)

    async def add_items(self, items: list[MemoryItem], **options: Any) -> None:
        """Propose the `memory` of each. Raises NotStored, or Held, when any of them is not remembered."""
        if not all(item.memory for item in items):
            raise InvalidRequest("no_statement", "A conversation is no memory: give the statement as `memory`.")
        missed = []
        for item in items:
            hub = self._acting_for(item.user_id)
            outcome = await hub.propose(**self._proposal(item))
            if not is_stored(outcome):
                missed.append((item, outcome))
        if missed:
            raise NotStored.of(missed, len(items))

    async def search(self, query: str, top_k: int = 5, **kwargs: Any) -> list[MemoryItem]:
        """What a recall returns, best first: one item for each memory, with its id in the metadata."""
        hub = self._acting_for(kwargs["user_id"])
        found = await run_awaited(hub, self.place.search((), query, top_k))
        return [
            MemoryItem(
                user_id=hub.subject,
                memory=one.statement,
                metadata={"memory_id": one.memory_id, "key": one.key, "kind": one.kind, "version": one.version},
                similarity_score=one.relevance,
            )
            for one in found.items
        ]

    async def remove_items(self, **kwargs: Any) -> None:
        """Forget the memory `memory_id`. All of a person's at once is refused: what it takes is shown first."""
        if "memory_id" not in kwargs:
            raise HubError("not_mapped", "Forget all of a person's memories in the hub, which shows what it takes.")
        hub = self._acting_for(kwargs["user_id"]) if "user_id" in kwargs else self.hub
        await hub.forget(kwargs["memory_id"])

    def _acting_for(self, user_id: str) -> AsyncClient:
        return self.hub.acting_for(user_id, run=self.hub.run, thread=self.hub.thread)

    def _proposal(self, item: MemoryItem) -> Any:
        """Under a key of its own: the same words of the same person are the same memory, however often they come."""
        text = item.memory or ""
        key = f"nat_{self.hub.keyed_digest(text)[:16]}"
        more = {"value": dict(item.metadata)} if item.metadata else {}
        seen = self.evidence(item) if self.evidence else None
        return self.place.proposal((), key, text, seen, aliases=list(item.tags), **more)


class MemoryHubConfig(MemoryBaseConfig, name="memoryhub"):  # type: ignore[call-arg]
    """Which namespace and kind the memories of a workflow have."""

    namespace: Literal["user", "agent"] = "user"
    kind: str = "preference"


@register_memory(config_type=MemoryHubConfig)
async def memoryhub_memory(config: MemoryHubConfig, builder: Builder) -> AsyncIterator[HubMemoryEditor]:
    """The editor that a workflow's configuration names."""
    async with AsyncClient.from_environment() as hub:
        yield HubMemoryEditor(hub, namespace={"type": config.namespace}, kind=config.kind)
