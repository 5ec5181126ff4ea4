"""The only writer of memories. Callers hold the namespace's lock (access.lock) and the transaction."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from accounts import secrets
from accounts.errors import Conflict
from memories import stores
from memories.models import Erasure, Evidence, EvidenceLink, Feature, Memory, Namespace, Slot, path_key
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


def slot_digest(namespace: Namespace, path: Sequence[str], kind: str, key: str) -> str:
    return secrets.digest("slot", str(namespace.pk), path_key(list(path)), kind, key)


def find_slot(namespace: Namespace, path: Sequence[str], kind: str, key: str) -> Slot | None:
    """The slot of a key, if anything was ever remembered or waits under it."""
    slot = Slot.objects.filter(namespace=namespace, digest=slot_digest(namespace, path, kind, key)).first()
    if slot is not None:
        slot.namespace = namespace
    return slot


def make_slot(namespace: Namespace, content: Content) -> Slot:
    """The slot of a key under which nothing was ever remembered."""
    return Slot.objects.create(
        namespace=namespace, digest=slot_digest(namespace, content.path, content.kind, content.key)
    )


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


def store(slot: Slot, standing: Memory | None, content: Content, origin: Origin, now: datetime) -> Memory:
    """Write the next version of the slot; the version that stood is retired."""
    rev = _next_revision(slot.namespace)
    if standing is not None:
        _move(standing, Memory.Status.SUPERSEDED, rev, now, retired_at=now)
    memory = draft(slot.namespace, slot, content, origin, now)
    memory.save(force_insert=True)
    slot.last_version = memory.version
    slot.save(update_fields=["last_version"])
    _index(memory)
    return memory


def confirm(memory: Memory, evidence: Evidence | None) -> None:
    """Link further evidence to a memory that already says the same."""
    if evidence is not None and evidence.pk != memory.evidence_id:
        EvidenceLink.objects.get_or_create(memory=memory, evidence=evidence)


def pause(memory: Memory, now: datetime) -> None:
    """Take a memory out of recall without forgetting it."""
    if memory.status != Memory.Status.PAUSED:
        _move(memory, Memory.Status.PAUSED, _next_revision(memory.namespace), now)


def resume(memory: Memory, now: datetime) -> None:
    """Bring a paused memory back."""
    if memory.status != Memory.Status.ACTIVE:
        _move(memory, Memory.Status.ACTIVE, _next_revision(memory.namespace), now)


def embed(namespace: Namespace, vectors: Mapping[uuid.UUID, bytes], embedder: str, now: datetime) -> int:
    """Fill in vectors of kept memories of a namespace: one change for all, so that an index takes them up at once."""
    filled = {"embedder": embedder, "embedded_at": now, "embed_after": None, "embed_attempts": 0}
    written = [
        pk
        for pk, vector in vectors.items()
        if Feature.objects.filter(pk=pk, namespace=namespace).update(vector=vector, **filled)
    ]
    if written:
        Memory.objects.kept().filter(pk__in=written).update(rev=_next_revision(namespace))
    return len(written)


def erase(namespace: Namespace, slots: Sequence[Slot], erasure: Erasure, now: datetime) -> dict[str, int]:
    """Forget slots of one namespace: every version loses every text, everything derived from them goes.

    Returns counts by store. What stays are tombstones (ids and times), the slots (so that versions go on counting and
    know since when they are forgotten) and keyed markers of the sources.
    """
    rev = _next_revision(namespace)
    doomed = stores.Doomed(namespace=namespace, slot_ids=[slot.pk for slot in slots], erasure=erasure, rev=rev, now=now)
    Slot.objects.filter(pk__in=doomed.slot_ids).update(forgotten_at=now)
    return stores.purge(doomed)


def _move(memory: Memory, status: str, rev: int, now: datetime, **changes: Any) -> None:
    if status not in MOVES[Memory.Status(memory.status)]:
        raise Conflict("This version is not the current one.", code="not_current")
    fields = {"status": status, "rev": rev, "updated_at": now, **changes}
    for name, value in fields.items():
        setattr(memory, name, value)
    memory.save(update_fields=list(fields))


def _next_revision(namespace: Namespace) -> int:
    """Count a change of the namespace from the revision that its lock has just read; so revisions commit in order."""
    namespace.revision += 1
    namespace.save(update_fields=["revision"])
    return namespace.revision


def _index(memory: Memory) -> None:
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
    Feature.objects.create(memory=memory, namespace=memory.namespace, **asdict(found))
