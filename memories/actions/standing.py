"""What stands already where proposals would go: read once for many of them, and kept up with what they change."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from accounts.principals import Principal
from memories import access, own_rules
from memories.models import Memory, Namespace, Slot, SourceMarker
from memories.wishes import Wishes

Place = tuple[Namespace, str]
"""A namespace, and the digest of a slot or of a source in it."""


class Standing:
    """The slots, their current versions and the forgotten sources that the gate asks for. The caller holds the locks
    of the namespaces, so nobody else changes them meanwhile."""

    def __init__(self, principal: Principal, agent_id: uuid.UUID | None) -> None:
        """`agent_id`: the agent that proposes by itself, if one does."""
        self._principal = principal
        self._agent_id = agent_id
        self._slots: dict[tuple[uuid.UUID, str], Slot | None] = {}
        self._current: dict[uuid.UUID, Memory | None] = {}
        self._forgotten: dict[tuple[uuid.UUID, str], SourceMarker | None] = {}
        self._maintains: dict[uuid.UUID, bool] = {}
        self._wishes: dict[tuple[uuid.UUID, uuid.UUID | None], Wishes] = {}
        self._wishes_of_subject: Wishes | None = None

    def read(self, slots: Iterable[Place], sources: Iterable[Place]) -> None:
        """Read these in a few statements, however many they are."""
        for namespace, digests in _by_namespace(slots):
            self._slots |= {(namespace.pk, digest): None for digest in digests}
            found = Slot.objects.filter(namespace=namespace, digest__in=digests).in_bulk()
            for slot in found.values():
                slot.namespace = namespace
                self.take(slot, None)
            for memory in Memory.objects.current().filter(slot__in=found):
                memory.namespace = namespace
                self.take(found[memory.slot_id], memory)
        for namespace, digests in _by_namespace(sources):
            self._forgotten |= {(namespace.pk, digest): None for digest in digests}
            for marker in SourceMarker.objects.filter(namespace=namespace, source_digest__in=digests):
                self._forgotten[namespace.pk, marker.source_digest] = marker

    def slot(self, namespace: Namespace, digest: str) -> Slot | None:
        """The slot of a key, if anything was ever remembered or waits under it."""
        if (namespace.pk, digest) not in self._slots:
            self.read([(namespace, digest)], ())
        return self._slots[namespace.pk, digest]

    def current(self, slot: Slot | None) -> Memory | None:
        """The version that stands for a slot: active or paused."""
        return self._current.get(slot.pk) if slot is not None else None

    def take(self, slot: Slot, memory: Memory | None) -> None:
        """Know from now on that this stands."""
        self._slots[slot.namespace_id, slot.digest] = slot
        self._current[slot.pk] = memory

    def forgotten_sources(self, namespace: Namespace, sources: Sequence[str]) -> list[SourceMarker]:
        """The markers of those of these sources of which something was forgotten here."""
        missing = [one for one in sources if (namespace.pk, one) not in self._forgotten]
        self.read((), [(namespace, one) for one in missing])
        return [marker for one in sources if (marker := self._forgotten[namespace.pk, one])]

    def wishes(self, namespace: Namespace, about: uuid.UUID | None) -> Wishes:
        """What the owner of the namespace, and the person whom the proposal is about, do not want remembered."""
        if (namespace.pk, about) not in self._wishes:
            self._wishes[namespace.pk, about] = own_rules.wishes_of(namespace.membership, [about], self._agent_id)
        return self._wishes[namespace.pk, about]

    def wishes_of_subject(self) -> Wishes:
        """What the person whom the caller is or works for does not want kept, be it as evidence."""
        if self._wishes_of_subject is None:
            self._wishes_of_subject = own_rules.wishes_of(access.self_of(self._principal), agent_id=self._agent_id)
        return self._wishes_of_subject

    def maintains(self, namespace: Namespace) -> bool:
        """Whether the caller's subject maintains the namespace."""
        if namespace.pk not in self._maintains:
            self._maintains[namespace.pk] = access.maintains(self._principal, namespace)
        return self._maintains[namespace.pk]


def _by_namespace(places: Iterable[Place]) -> list[tuple[Namespace, set[str]]]:
    found: dict[uuid.UUID, tuple[Namespace, set[str]]] = {}
    for namespace, digest in places:
        found.setdefault(namespace.pk, (namespace, set()))[1].add(digest)
    return list(found.values())
