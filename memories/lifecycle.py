"""The only writer of memories. Callers hold the namespace's lock (access.lock) and the transaction."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from accounts import secrets
from accounts.errors import Conflict
from memories import stores
from memories.encryption import fields
from memories.models import Erasure, Evidence, EvidenceLink, Feature, Memory, Namespace, Slot
from memories.paths import path_key
from memories.search import facts
from memories.search.rows import term_secret

MOVES = {
    Memory.Status.ACTIVE: {Memory.Status.PAUSED, Memory.Status.SUPERSEDED, Memory.Status.DELETED},
    Memory.Status.PAUSED: {Memory.Status.ACTIVE, Memory.Status.SUPERSEDED, Memory.Status.DELETED},
    Memory.Status.SUPERSEDED: {Memory.Status.DELETED},
    Memory.Status.DELETED: set(),
}


@dataclass(frozen=True, slots=True)
class Content:
    """What would be remembered, and until when."""

    kind: str
    key: str
    statement: str
    path: tuple[str, ...] = ()
    value: Any = None
    conditions: str | None = None
    aliases: tuple[str, ...] = ()
    valid_until: datetime | None = None
    sensitivity: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """On what it rests: the evidence, its class, who proposed and approved it, and in which run and thread."""

    evidence_class: str
    policy_version: int
    evidence: Evidence | None = None
    said: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    proposed_by: uuid.UUID | None = None
    approved_by: uuid.UUID | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What a forgetting takes in one namespace: slots with all their versions, single earlier versions of others, what
    waits for a person, and sources that may bring nothing back. `moved` memories stay and rest on that evidence. To a
    `closed` namespace nobody can propose any more, so that its sources need no markers."""

    namespace: Namespace
    slot_ids: Sequence[uuid.UUID] = ()
    memory_ids: Sequence[uuid.UUID] = ()
    candidate_ids: Sequence[uuid.UUID] = ()
    sources: Sequence[str] = ()
    moved: Mapping[uuid.UUID, Evidence] = field(default_factory=dict)
    closed: bool = False


def slot_digest(namespace: Namespace, path: Sequence[str], kind: str, key: str) -> str:
    return secrets.digest("slot", str(namespace.pk), path_key(list(path)), kind, key)


def find_slot(namespace: Namespace, path: Sequence[str], kind: str, key: str) -> Slot | None:
    """The slot of a key, if anything was ever remembered or waits under it."""
    slot = Slot.objects.filter(namespace=namespace, digest=slot_digest(namespace, path, kind, key)).first()
    if slot is not None:
        slot.namespace = namespace
    return slot


def make_slot(namespace: Namespace, content: Content) -> Slot:
    """The slot of a key under which nothing was ever remembered; not written."""
    return Slot(namespace=namespace, digest=slot_digest(namespace, content.path, content.kind, content.key))


def current(slot: Slot) -> Memory | None:
    """The version that stands for the slot: active or paused."""
    return Memory.objects.current().filter(slot=slot).first()


def draft(namespace: Namespace, slot: Slot | None, content: Content, origin: Origin, now: datetime) -> Memory:
    """The next version of a slot, not written."""
    return Memory(
        namespace=namespace,
        slot=slot,
        version=slot.last_version + 1 if slot else 1,
        rev=namespace.revision,
        kind=content.kind,
        key=content.key,
        path=list(content.path),
        path_key=path_key(content.path),
        statement=content.statement,
        value=content.value,
        conditions=content.conditions,
        aliases=list(content.aliases),
        valid_until=content.valid_until,
        sensitivity=content.sensitivity,
        evidence=origin.evidence,
        evidence_class=origin.evidence_class,
        said=dict(origin.said),
        provenance=dict(origin.provenance),
        policy_version=origin.policy_version,
        proposed_by=origin.proposed_by,
        approved_by=origin.approved_by,
        created_at=now,
        confirmed_at=now,
        updated_at=now,
    )


class Pending:
    """Versions that are written together, as one change of their namespaces; their ids are known before."""

    def __init__(self) -> None:
        self._namespaces: dict[uuid.UUID, Namespace] = {}
        self._evidence: dict[uuid.UUID, Evidence] = {}
        self._slots: dict[uuid.UUID, Slot] = {}
        self._retired: dict[uuid.UUID, Memory] = {}
        self._memories: dict[uuid.UUID, Memory] = {}
        self._links: list[EvidenceLink] = []

    def keep(self, evidence: Evidence | None) -> None:
        """Write this evidence too, unless it is there."""
        if evidence is not None and evidence._state.adding:
            self._evidence[evidence.pk] = evidence

    def keeps(self, evidence: Evidence) -> bool:
        """Whether this evidence is there or will be."""
        return evidence.pk in self._evidence or not evidence._state.adding

    def store(self, slot: Slot, standing: Memory | None, content: Content, origin: Origin, now: datetime) -> Memory:
        """Make the next version of the slot; the version that stood is retired."""
        rev = self._revision(slot.namespace)
        if standing is not None:
            _change(standing, Memory.Status.SUPERSEDED, rev, now, retired_at=now)
            if standing.pk not in self._memories:
                self._retired[standing.pk] = standing
        memory = draft(slot.namespace, slot, content, origin, now)
        slot.last_version = memory.version
        self._slots[slot.pk] = slot
        self._memories[memory.pk] = memory
        return memory

    def pause(self, memory: Memory, now: datetime) -> None:
        """Take a version that is yet to be written out of recall."""
        _change(memory, Memory.Status.PAUSED, memory.rev, now)

    def confirm(self, memory: Memory, evidence: Evidence | None) -> None:
        """Link further evidence to a memory that already says the same."""
        if evidence is not None and evidence.pk != memory.evidence_id:
            self._links.append(EvidenceLink(memory=memory, evidence=evidence))

    @property
    def has_versions(self) -> bool:
        return bool(self._memories)

    def write(self) -> None:
        """Write it all, in an order that no constraint minds."""
        for namespace in self._namespaces.values():
            namespace.save(update_fields=["revision"])
        Evidence.objects.bulk_create(self._evidence.values())
        counted = [slot for slot in self._slots.values() if not slot._state.adding]
        Slot.objects.bulk_update(counted, ["last_version"])
        Slot.objects.bulk_create([slot for slot in self._slots.values() if slot._state.adding])
        Memory.objects.bulk_update(self._retired.values(), ["status", "rev", "updated_at", "retired_at"])
        Memory.objects.bulk_create(self._memories.values())
        Feature.objects.bulk_create([_index(memory) for memory in self._memories.values()])
        EvidenceLink.objects.bulk_create(self._links, ignore_conflicts=True)

    def _revision(self, namespace: Namespace) -> int:
        if namespace.pk not in self._namespaces:
            self._namespaces[namespace.pk] = namespace
            namespace.revision += 1
        return namespace.revision


def store(slot: Slot, standing: Memory | None, content: Content, origin: Origin, now: datetime) -> Memory:
    """Write the next version of the slot; the version that stood is retired."""
    pending = Pending()
    memory = pending.store(slot, standing, content, origin, now)
    pending.write()
    return memory


def pause(memory: Memory, now: datetime) -> None:
    """Take a memory out of recall without forgetting it."""
    if memory.status != Memory.Status.PAUSED:
        _move(memory, Memory.Status.PAUSED, _next_revision(memory.namespace), now)


def resume(memory: Memory, now: datetime) -> None:
    """Bring a paused memory back."""
    if memory.status != Memory.Status.ACTIVE:
        _move(memory, Memory.Status.ACTIVE, _next_revision(memory.namespace), now)


def embed(namespace: Namespace, vectors: Mapping[uuid.UUID, bytes], embedder: str) -> int:
    """Fill in vectors of kept memories of a namespace: one change for all, so that an index takes them up at once."""
    filled = {"embedder": embedder, "embed_after": None, "embed_attempts": 0}
    column = fields.column(Feature, "vector")
    written = [
        pk
        for pk, vector in vectors.items()
        if Feature.objects.filter(pk=pk, namespace=namespace).update(
            vector=column.sealed_for(Feature(pk=pk, namespace=namespace), vector), **filled
        )
    ]
    if written:
        Memory.objects.kept().filter(pk__in=written).update(rev=_next_revision(namespace))
    return len(written)


def erase(part: Part, erasure: Erasure, now: datetime) -> dict[str, int]:
    """Forget this part: every version loses every text, everything derived from them goes. Returns counts by store.

    What stays are tombstones (ids and times), the slots (so that versions go on counting and know since when they are
    forgotten) and keyed markers of the sources.
    """
    rev = _next_revision(part.namespace)
    for memory in Memory.objects.filter(pk__among=part.moved):
        _rest_on(memory, part.moved[memory.pk], rev, now)
    Slot.objects.filter(pk__among=part.slot_ids).update(forgotten_at=now)
    doomed = stores.Doomed(
        namespace=part.namespace,
        slot_ids=part.slot_ids,
        memory_ids=part.memory_ids,
        candidate_ids=part.candidate_ids,
        sources=part.sources,
        closed=part.closed,
        erasure=erasure,
        rev=rev,
        now=now,
    )
    return stores.purge(doomed)


def unlink(evidence: QuerySet[Evidence], namespaces: Sequence[Namespace]) -> None:
    """Let no memory of these namespaces count this evidence as further support any more."""
    EvidenceLink.objects.filter(evidence__in=evidence, memory__namespace__in=namespaces).delete()


def _rest_on(memory: Memory, evidence: Evidence, rev: int, now: datetime) -> None:
    """Let a memory rest on this evidence alone: nothing tells any more where else it came from."""
    memory.evidence, memory.said = evidence, {}
    memory.provenance = {"evidence_type": evidence.type} | ({"ref": evidence.ref} if evidence.ref else {})
    memory.rev, memory.updated_at = rev, now
    memory.save(update_fields=["evidence", "said", "provenance", "rev", "updated_at"])
    EvidenceLink.objects.filter(memory=memory, evidence=evidence).delete()
    Feature.objects.filter(memory=memory).delete()
    _index(memory).save(force_insert=True)


def _move(memory: Memory, status: str, rev: int, now: datetime) -> None:
    memory.save(update_fields=_change(memory, status, rev, now))


def _change(memory: Memory, status: str, rev: int, now: datetime, **changes: Any) -> list[str]:
    """Give a version another status, not written; returns which fields changed."""
    if status not in MOVES[Memory.Status(memory.status)]:
        raise Conflict("This version is not the current one.", code="not_current")
    fields = {"status": status, "rev": rev, "updated_at": now, **changes}
    for name, value in fields.items():
        setattr(memory, name, value)
    return list(fields)


def _next_revision(namespace: Namespace) -> int:
    """Count a change of the namespace from the revision that its lock has just read; so revisions commit in order."""
    namespace.revision += 1
    namespace.save(update_fields=["revision"])
    return namespace.revision


def _index(memory: Memory) -> Feature:
    """What the index needs to find it by its words at once; its vector follows."""
    found = facts.of(
        memory.statement or "",
        term_secret(memory.namespace_id),
        key=memory.key or "",
        conditions=memory.conditions,
        aliases=memory.aliases,
        value=memory.value,
        said=memory.said,
    )
    return Feature(memory=memory, namespace=memory.namespace, **asdict(found))
