"""The rows of one namespace as arrays: what can be masked, and which rows hold which term. Pure.

Everything here is immutable: a change makes a new `Columns`, so a search needs no lock.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memories.search import names, parts, tokens
from memories.search.parts import Names, Segment, Vectors
from memories.vectors import unpack

NEVER = np.iinfo(np.int64).max
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
FEW = 8
LOW = (1 << 64) - 1
"""The half of an id by which rows are looked up."""
STATUSES = ("active", "paused", "superseded", "deleted")

NO_THREAD = 0

Name = TypeVar("Name", bound=Hashable)
Mask = npt.NDArray[np.bool_]
Column = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One version of a memory as the index needs it, moments as microseconds since 1970. `pack` None means erased: it
    leaves the index."""

    memory_id: UUID
    slot_id: UUID
    rev: int
    status: str
    version: int
    kind: str
    key: str
    path: tuple[str, ...]
    valid_until: int | None
    created_at: int
    retired_at: int | None
    confirmed_at: int
    evidence_class: str
    pack: bytes | None
    doc_len: int
    names: bytes = b""
    thread: int | None = None
    sequence: int | None = None
    speaker: bytes = b""
    traits: int = 0
    vector: bytes | None = None
    embedder: str = ""


@dataclass(frozen=True, slots=True)
class Columns:
    """The rows of a namespace at one revision. Where `alive` is false, a newer state of the row stands further on."""

    revision: int
    ids: npt.NDArray[np.object_]
    kinds: tuple[str, ...]
    classes: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...]
    speakers: tuple[bytes, ...]
    data: Mapping[str, Column]
    alive: Mask
    segments: tuple[Segment, ...]
    vectors: tuple[Vectors, ...]
    names: tuple[Names, ...]
    doubled: bool

    @property
    def size(self) -> int:
        return len(self.alive)

    @property
    def nbytes(self) -> int:
        """Roughly the memory it takes."""
        held = sum(column.nbytes for column in self.data.values())
        held += sum(part.nbytes for parts in (self.segments, self.vectors, self.names) for part in parts)
        return held + 130 * self.size + 500 * (len(self.paths) + len(self.speakers) + 4)


_TYPES: Mapping[str, type[np.generic]] = {
    "id": np.uint64,
    "rev": np.int64,
    "status": np.int8,
    "version": np.int32,
    "kind": np.int16,
    "evidence": np.int16,
    "path": np.int32,
    "key": np.uint64,
    "slot": np.uint64,
    "valid_until": np.int64,
    "created": np.int64,
    "retired": np.int64,
    "confirmed": np.int64,
    "length": np.float32,
    "distinct": np.int32,
    "thread": np.int64,
    "sequence": np.int64,
    "speaker": np.int32,
    "traits": np.int8,
}


def empty() -> Columns:
    """A namespace of which nothing has been read."""
    data = {name: np.zeros(0, kind) for name, kind in _TYPES.items()}
    ids = np.zeros(0, object)
    return Columns(-1, ids, (), (), (), (), data, np.zeros(0, bool), (), (), (), doubled=False)


def instant(moment: datetime) -> int:
    """An aware time as microseconds since 1970."""
    return (moment - EPOCH) // MICROSECOND


def _never(moment: int | None) -> int:
    return NEVER if moment is None else moment


def key_hashes(keys: Iterable[str], secret: bytes) -> npt.NDArray[np.uint64]:
    """A keyed number for each key, so that the process keeps no name of what was forgotten."""
    return tokens.hash_terms([f"\x1f{key}" for key in keys], secret)


def refresh(old: Columns, changed: Iterable[Row], revision: int, secret: bytes) -> Columns:
    """The namespace after these rows changed. Rows already known at this or a later state are left alone."""
    newest: dict[UUID, Row] = {}
    for row in changed:
        known = newest.get(row.memory_id)
        if known is None or row.rev >= known.rev:
            newest[row.memory_id] = row
    revs = old.data["rev"]
    standing = _standing(old, newest)
    changes = [row for pk, row in newest.items() if (at := standing.get(pk)) is None or row.rev > int(revs[at])]
    if not changes:
        return replace(old, revision=revision)
    alive = old.alive.copy()
    alive[[standing[row.memory_id] for row in changes if row.memory_id in standing]] = False
    added = [row for row in changes if row.pack is not None]
    erased = [row for row in changes if row.pack is None]
    new = _append(replace(old, revision=revision, alive=alive), added, secret)
    dead = new.size - int(new.alive.sum())
    if dead > max(64, new.size // 4) or (dead and erased):
        new = _compact(new)
    return replace(new, doubled=_has_doubles(new, None if old.doubled else len(added)))


def _standing(old: Columns, ids: Collection[UUID]) -> dict[UUID, int]:
    """Where those of these memories stand that are here."""
    wanted = np.array([pk.int & LOW for pk in ids], np.uint64)
    at = np.flatnonzero(np.isin(old.data["id"], wanted) & old.alive)
    return {pk: int(i) for i in at if (pk := old.ids[i]) in ids}


def _append(old: Columns, rows: Sequence[Row], secret: bytes) -> Columns:
    if not rows:
        return old
    kinds, classes = _Numbering(old.kinds), _Numbering(old.classes)
    paths, speakers = _Numbering(old.paths), _Numbering(old.speakers)
    hashes, counts, sizes = tokens.unpack([row.pack or b"" for row in rows])
    column: dict[str, Iterable[int] | Column] = {
        "id": (row.memory_id.int & LOW for row in rows),
        "rev": (row.rev for row in rows),
        "status": (STATUSES.index(row.status) for row in rows),
        "version": (row.version for row in rows),
        "kind": (kinds.number(row.kind) for row in rows),
        "evidence": (classes.number(row.evidence_class) for row in rows),
        "path": (paths.number(row.path) for row in rows),
        "key": key_hashes((row.key for row in rows), secret),
        "slot": (row.slot_id.int & LOW for row in rows),
        "valid_until": (_never(row.valid_until) for row in rows),
        "created": (row.created_at for row in rows),
        "retired": (_never(row.retired_at) for row in rows),
        "confirmed": (row.confirmed_at for row in rows),
        "length": (row.doc_len for row in rows),
        "distinct": sizes,
        "thread": (row.thread or NO_THREAD for row in rows),
        "sequence": (row.created_at if row.sequence is None else row.sequence for row in rows),
        "speaker": (speakers.number(row.speaker) for row in rows),
        "traits": (row.traits for row in rows),
    }
    data = {
        name: np.concatenate([old.data[name], np.fromiter(column[name], kind, len(rows))])
        for name, kind in _TYPES.items()
    }
    ids = np.concatenate([old.ids, np.array([row.memory_id for row in rows], object)])
    owners = np.repeat(np.arange(len(rows), dtype=np.int32) + old.size, sizes)
    return replace(
        old,
        ids=ids,
        kinds=kinds.names,
        classes=classes.names,
        paths=paths.names,
        speakers=speakers.names,
        data=data,
        alive=np.append(old.alive, np.ones(len(rows), bool)),
        segments=parts.grown(old.segments, Segment.of(hashes, owners, counts)),
        vectors=parts.with_vectors(old.vectors, _vectors_of(rows, old.size)),
        names=parts.grown(old.names, named) if (named := _names_of(rows, old.size)).size else old.names,
    )


def _vectors_of(rows: Sequence[Row], offset: int) -> list[Vectors]:
    """The vectors among these rows, by embedder and length."""
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        if row.vector:
            found[row.embedder, len(row.vector)].append(i)
    return [
        Vectors.of(embedder, unpack([rows[i].vector or b"" for i in at]), np.array(at, np.int32) + offset)
        for (embedder, _), at in found.items()
    ]


def _names_of(rows: Sequence[Row], offset: int) -> Names:
    records, owners = names.unpack([row.names for row in rows])
    return Names.of(records, (owners + offset).astype(np.int32))


def _compact(old: Columns) -> Columns:
    """Without the rows that are gone: their ids, terms, vectors, names and areas leave the process too."""
    kept = np.flatnonzero(old.alive)
    moved = np.full(old.size, -1, np.int32)
    moved[kept] = np.arange(len(kept), dtype=np.int32)
    data = {name: column[kept] for name, column in old.data.items()}
    paths, data["path"] = _renumbered(old.paths, data["path"])
    speakers, data["speaker"] = _renumbered(old.speakers, data["speaker"])
    ids = old.ids[kept]
    return replace(
        old,
        ids=ids,
        paths=paths,
        speakers=speakers,
        data=data,
        alive=np.ones(len(kept), bool),
        segments=parts.moved(old.segments, moved),
        vectors=parts.moved(old.vectors, moved),
        names=parts.moved(old.names, moved),
    )


def _renumbered(names: tuple[Name, ...], column: Column) -> tuple[tuple[Name, ...], Column]:
    """Only the names still in use, and the column in their numbers."""
    used, numbers = np.unique(column, return_inverse=True)
    return tuple(names[int(i)] for i in used), numbers.astype(np.int32)


def _has_doubles(columns: Columns, added: int | None) -> bool:
    """Two active rows of one slot: impossible by constraint, but a restored or damaged table may hold them.

    Where there were none before, only the rows just added at the end can have made one.
    """
    active = columns.alive & (columns.data["status"] == STATUSES.index("active"))
    slots = columns.data["slot"][active]
    if added is None or added > FEW:
        return len(np.unique(slots)) < len(slots)
    return any(np.count_nonzero(slots == slot) > 1 for slot in columns.data["slot"][columns.size - added :])


class _Numbering(Generic[Name]):
    """Numbers for names in order of appearance."""

    def __init__(self, names: tuple[Name, ...]) -> None:
        self._numbers = {name: number for number, name in enumerate(names)}

    def number(self, name: Name) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    @property
    def names(self) -> tuple[Name, ...]:
        return tuple(self._numbers)
