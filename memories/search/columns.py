"""The rows of one namespace as arrays: what can be masked, and which rows hold which term. Pure.

Everything here is immutable: a change makes a new `Columns`, so a search needs no lock.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memories.search import tokens

NEVER = np.iinfo(np.int64).max
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
FEW = 8
STATUSES = ("active", "paused", "superseded", "deleted")

Name = TypeVar("Name", bound=Hashable)
Mask = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.int32]
Column = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One version of a memory as the index needs it. `pack` None means erased: it leaves the index."""

    memory_id: UUID
    rev: int
    status: str
    version: int
    kind: str
    key: str
    path: tuple[str, ...]
    valid_until: datetime | None
    created_at: datetime
    retired_at: datetime | None
    confirmed_at: datetime
    evidence_class: str
    pack: bytes | None
    doc_len: int


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings of some rows: sorted term hashes, where the rows of each begin, the rows and their counts."""

    hashes: npt.NDArray[np.uint64]
    starts: Positions
    rows: Positions
    counts: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, hashes: npt.NDArray[np.uint64], rows: Positions, counts: npt.NDArray[np.uint8]) -> Segment:
        """From postings in any order."""
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        first = np.flatnonzero(np.r_[True, hashes[1:] != hashes[:-1]]) if len(hashes) else np.zeros(0, np.intp)
        starts = np.append(first, len(hashes)).astype(np.int32)
        return cls(hashes[first], starts, rows[order].astype(np.int32), counts[order])

    def postings(self) -> tuple[npt.NDArray[np.uint64], Positions, npt.NDArray[np.uint8]]:
        return np.repeat(self.hashes, np.diff(self.starts)), self.rows, self.counts

    def find(self, hashes: npt.NDArray[np.uint64]) -> list[tuple[int, int]]:
        """For each hash the range of its postings, empty when no row holds it."""
        if not len(self.hashes):
            return [(0, 0)] * len(hashes)
        at = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        begins = self.starts[at]
        ends = np.where(self.hashes[at] == hashes, self.starts[at + 1], begins)
        return list(zip(begins.tolist(), ends.tolist(), strict=True))

    @property
    def size(self) -> int:
        return len(self.rows)


def merge(segments: Sequence[Segment], moved: Positions | None = None) -> Segment:
    """One segment from several. `moved` gives each row its new position, -1 for a row that is gone."""
    hashes, rows, counts = (np.concatenate(part) for part in zip(*(s.postings() for s in segments), strict=True))
    if moved is not None:
        rows = moved[rows]
        kept = rows >= 0
        hashes, rows, counts = hashes[kept], rows[kept], counts[kept]
    return Segment.of(hashes, rows, counts)


@dataclass(frozen=True, slots=True)
class Columns:
    """The rows of a namespace at one revision. Where `alive` is false, a newer state of the row stands further on."""

    revision: int
    ids: npt.NDArray[np.object_]
    position: Mapping[UUID, int]
    names: tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, ...], ...]]  # kinds, evidence classes, paths
    data: Mapping[str, Column]
    alive: Mask
    segments: tuple[Segment, ...]
    doubled: bool

    @property
    def size(self) -> int:
        return len(self.alive)

    @property
    def nbytes(self) -> int:
        """Roughly the memory it takes."""
        arrays = [*self.data.values(), *(a for s in self.segments for a in (s.hashes, s.starts, s.rows, s.counts))]
        return sum(array.nbytes for array in arrays) + 250 * self.size + 500 * (len(self.names[2]) + 4)


_TYPES: Mapping[str, type[np.generic]] = {
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
}


def empty() -> Columns:
    """A namespace of which nothing has been read."""
    data = {name: np.zeros(0, kind) for name, kind in _TYPES.items()}
    ids = np.zeros(0, object)
    return Columns(-1, ids, {}, ((), (), ()), data, np.zeros(0, bool), (), doubled=False)


def instant(moment: datetime | None) -> int:
    """An aware time as microseconds; no time is never."""
    return NEVER if moment is None else (moment - EPOCH) // MICROSECOND


def name_hash(secret: bytes, *parts: str) -> int:
    """A keyed number for a key or a slot, so that the process keeps no name of what was forgotten."""
    text = "\x1f".join(part.replace("\x1b", "\x1b\x1b").replace("\x1f", "\x1b_") for part in parts)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=tokens.hash_key(secret)).digest()
    return int.from_bytes(digest, "little")


def refresh(old: Columns, changed: Iterable[Row], revision: int, secret: bytes) -> Columns:
    """The namespace after these rows changed. Rows already known at this or a later state are left alone."""
    newest: dict[UUID, Row] = {}
    for row in changed:
        known = newest.get(row.memory_id)
        if known is None or row.rev >= known.rev:
            newest[row.memory_id] = row
    revs = old.data["rev"]
    changes = [
        row for row in newest.values() if (at := old.position.get(row.memory_id)) is None or row.rev > int(revs[at])
    ]
    if not changes:
        return replace(old, revision=revision)
    alive = old.alive.copy()
    for row in changes:
        if (at := old.position.get(row.memory_id)) is not None:
            alive[at] = False
    position = dict(old.position)
    added = [row for row in changes if row.pack is not None]
    erased = [row for row in changes if row.pack is None]
    for row in erased:
        position.pop(row.memory_id, None)
    new = _append(replace(old, revision=revision, alive=alive, position=position), added, secret)
    dead = new.size - int(new.alive.sum())
    if dead > max(64, new.size // 4) or (dead and erased):
        new = _compact(new)
    return replace(new, doubled=_has_doubles(new, None if old.doubled else len(added)))


def _append(old: Columns, rows: Sequence[Row], secret: bytes) -> Columns:
    if not rows:
        return old
    kinds, classes, paths = _Numbering(old.names[0]), _Numbering(old.names[1]), _Numbering(old.names[2])
    values = [
        (
            row.rev,
            STATUSES.index(row.status),
            row.version,
            kinds.number(row.kind),
            classes.number(row.evidence_class),
            paths.number(row.path),
            name_hash(secret, row.key),
            name_hash(secret, row.kind, row.key, *row.path),
            instant(row.valid_until),
            instant(row.created_at),
            instant(row.retired_at),
            instant(row.confirmed_at),
            row.doc_len,
        )
        for row in rows
    ]
    batch = zip(_TYPES.items(), zip(*values, strict=True), strict=True)
    data = {name: np.concatenate([old.data[name], np.array(column, kind)]) for (name, kind), column in batch}
    ids = np.concatenate([old.ids, np.array([row.memory_id for row in rows], object)])
    position = dict(old.position) | {row.memory_id: old.size + i for i, row in enumerate(rows)}
    packs = [tokens.unpack(row.pack) for row in rows if row.pack is not None]
    owners = np.repeat(np.arange(len(rows), dtype=np.int32) + old.size, [len(hashes) for hashes, _ in packs])
    hashes, counts = (np.concatenate(part) for part in zip(*packs, strict=True))
    segments = [*old.segments, Segment.of(hashes, owners, counts)]
    while len(segments) > 1 and segments[-2].size <= 2 * segments[-1].size:  # sizes at least halve: few, cheap merges
        segments[-2:] = [merge(segments[-2:])]
    return replace(
        old,
        ids=ids,
        position=position,
        names=(kinds.names, classes.names, paths.names),
        data=data,
        alive=np.append(old.alive, np.ones(len(rows), bool)),
        segments=tuple(segments),
    )


def _compact(old: Columns) -> Columns:
    """Without the rows that are gone: their ids, terms and areas leave the process too."""
    kept = np.flatnonzero(old.alive)
    moved = np.full(old.size, -1, np.int32)
    moved[kept] = np.arange(len(kept), dtype=np.int32)
    data = {name: column[kept] for name, column in old.data.items()}
    used, data["path"] = np.unique(data["path"], return_inverse=True)
    data["path"] = data["path"].astype(np.int32)
    kinds, classes, paths = old.names
    ids = old.ids[kept]
    return replace(
        old,
        ids=ids,
        position={memory_id: i for i, memory_id in enumerate(ids)},
        names=(kinds, classes, tuple(paths[int(i)] for i in used)),
        data=data,
        alive=np.ones(len(kept), bool),
        segments=(merge(old.segments, moved),) if old.segments else (),
    )


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
