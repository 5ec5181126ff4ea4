"""The rows of one namespace as arrays: what can be masked, and which rows hold which term. Pure.

Everything here is immutable: a change makes a new `Columns`, so a search needs no lock.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar
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
STATUSES = ("active", "paused", "superseded", "deleted")

NO_THREAD = 0

Name = TypeVar("Name", bound=Hashable)
Mask = npt.NDArray[np.bool_]
Column = npt.NDArray[Any]


class Row(NamedTuple):
    """One version of a memory as the index needs it: ids as 32 hexadecimal digits, moments as microseconds since
    1970, the area as `paths` writes it. `pack` None means erased, and so is all that follows: it leaves the index."""

    memory_id: str
    slot_id: str
    rev: int
    status: str
    version: int
    kind: str
    key: str
    path: str
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
    kinds: tuple[str, ...]
    classes: tuple[str, ...]
    paths: tuple[str, ...]
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

    def memory_id(self, at: int) -> UUID:
        return UUID(int=int(self.data["id_high"][at]) << 64 | int(self.data["id"][at]))

    @property
    def nbytes(self) -> int:
        """Roughly the memory it takes."""
        held = sum(column.nbytes for column in self.data.values())
        held += sum(part.nbytes for parts in (self.segments, self.vectors, self.names) for part in parts)
        return held + self.alive.nbytes + 500 * (len(self.paths) + len(self.speakers) + 4)


_TYPES: Mapping[str, type[np.generic]] = {
    "id": np.uint64,  # the half by which rows are looked up
    "id_high": np.uint64,
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
    return Columns(-1, (), (), (), (), data, np.zeros(0, bool), (), (), (), doubled=False)


def instant(moment: datetime) -> int:
    """An aware time as microseconds since 1970."""
    return (moment - EPOCH) // MICROSECOND


def moment_of(microseconds: int) -> datetime:
    """The other way round."""
    return EPOCH + microseconds * MICROSECOND


def key_hashes(keys: Iterable[str]) -> npt.NDArray[np.uint64]:
    """A number for each key, so that the process keeps no name of what was forgotten. Python's own hash of a text is
    keyed by a secret of the process, which is as far as this number goes."""
    return np.fromiter(map(hash, keys), np.int64).view(np.uint64)


def refresh(old: Columns, changed: Iterable[Row], revision: int, secret: bytes) -> Columns:
    """The namespace after these rows changed. Rows already known at this or a later state are left alone."""
    newest = {row.memory_id: row for row in sorted(changed, key=attrgetter("rev"))}
    revs = old.data["rev"]
    standing = _standing(old, newest)
    changes = [row for pk, row in newest.items() if (at := standing.get(pk)) is None or row.rev > int(revs[at])]
    if not changes:
        return replace(old, revision=revision)
    alive = old.alive.copy()
    alive[[standing[row.memory_id] for row in changes if row.memory_id in standing]] = False
    added = [row for row in changes if row.pack is not None]
    erased = len(changes) - len(added)
    new = _append(replace(old, revision=revision, alive=alive), added, secret)
    dead = new.size - int(new.alive.sum())
    if dead > max(64, new.size // 4):
        new = _compact(new)
    elif dead and erased:
        new = _wiped(new)
    return replace(new, doubled=_has_doubles(new, None if old.doubled else len(added)))


def _standing(old: Columns, ids: Collection[str]) -> dict[str, int]:
    """Where those of these memories stand that are here."""
    if not old.size:
        return {}
    at = np.flatnonzero(np.isin(old.data["id"], _halves(ids)[1]) & old.alive)
    return {pk: int(i) for i in at if (pk := old.memory_id(int(i)).hex) in ids}


def _halves(ids: Iterable[str]) -> tuple[Column, Column]:
    """The upper and the lower 64 bits of ids."""
    halves = np.frombuffer(bytes.fromhex("".join(ids)), ">u8").astype(np.uint64).reshape(-1, 2)
    return halves[:, 0], halves[:, 1]


def _append(old: Columns, rows: Sequence[Row], secret: bytes) -> Columns:
    if not rows:
        return old
    given: dict[str, tuple[Any, ...]] = dict(zip(Row._fields, zip(*rows, strict=True), strict=True))
    hashes, counts, sizes = tokens.unpack(given["pack"])
    column: dict[str, Iterable[int] | Column] = {
        "rev": given["rev"],
        "version": given["version"],
        "key": key_hashes(given["key"]),
        "slot": _halves(given["slot_id"])[1],
        "valid_until": [NEVER if moment is None else moment for moment in given["valid_until"]],
        "created": given["created_at"],
        "retired": [NEVER if moment is None else moment for moment in given["retired_at"]],
        "confirmed": given["confirmed_at"],
        "length": given["doc_len"],
        "distinct": sizes,
        "thread": [thread or NO_THREAD for thread in given["thread"]],
        "sequence": [
            moment if number is None else number
            for number, moment in zip(given["sequence"], given["created_at"], strict=True)
        ],
        "traits": given["traits"],
    }
    column["id_high"], column["id"] = _halves(given["memory_id"])
    _, column["status"] = _numbered(STATUSES, given["status"])
    kinds, column["kind"] = _numbered(old.kinds, given["kind"])
    classes, column["evidence"] = _numbered(old.classes, given["evidence_class"])
    paths, column["path"] = _numbered(old.paths, given["path"])
    speakers, column["speaker"] = _numbered(old.speakers, given["speaker"])
    data = {name: np.append(old.data[name], np.asarray(column[name], kind)) for name, kind in _TYPES.items()}
    owners = np.repeat(np.arange(len(rows), dtype=np.int32) + old.size, sizes)
    return replace(
        old,
        kinds=kinds,
        classes=classes,
        paths=paths,
        speakers=speakers,
        data=data,
        alive=np.append(old.alive, np.ones(len(rows), bool)),
        segments=parts.grown(old.segments, Segment.of(hashes, owners, counts)),
        vectors=parts.with_vectors(old.vectors, _vectors_of(rows, old.size)),
        names=parts.grown(old.names, named) if (named := _names_of(rows, old.size)).size else old.names,
    )


def _numbered(names: tuple[Name, ...], values: Sequence[Name]) -> tuple[tuple[Name, ...], list[int]]:
    """The values as numbers, in order of appearance, of the names known and added."""
    numbers = {name: number for number, name in enumerate(names)}
    for value in dict.fromkeys(values):
        numbers.setdefault(value, len(numbers))
    return tuple(numbers), [numbers[value] for value in values]


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
    return replace(
        old,
        paths=paths,
        speakers=speakers,
        data=data,
        alive=np.ones(len(kept), bool),
        segments=parts.moved(old.segments, moved),
        vectors=parts.moved(old.vectors, moved),
        names=parts.moved(old.names, moved),
    )


def _wiped(old: Columns) -> Columns:
    """With nothing left of the rows that are gone but their places, which the next compaction takes.

    Their vectors are overwritten where they stand, since a copy of all others would take most of a search's time. Who
    still looks at an earlier state may see such a vector point nowhere.
    """
    gone, left = np.flatnonzero(~old.alive & (old.data["id"] != 0)), np.flatnonzero(old.alive)
    if not len(left):
        return _compact(old)
    places = np.arange(old.size, dtype=np.int32)
    places[gone] = -1
    data = {name: column.copy() for name, column in old.data.items()}
    for name, column in data.items():
        column[~old.alive] = column[left[0]] if name in ("path", "speaker") else 0
    paths, data["path"] = _renumbered(old.paths, data["path"])
    speakers, data["speaker"] = _renumbered(old.speakers, data["speaker"])
    for vectors in old.vectors:
        vectors.wipe(gone)
    return replace(
        old,
        paths=paths,
        speakers=speakers,
        data=data,
        segments=parts.moved(old.segments, places),
        names=parts.moved(old.names, places),
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
