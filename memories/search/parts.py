"""What the rows of a namespace hold, kept apart from what is known of them: their terms, vectors and names. Pure.

A part is made of the rows that arrived together. To a reader it never changes; an addition makes another.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

ROOM = 0.25
"""The share of a block of vectors that is kept free for the next ones."""
NEAR = 512
"""Rows worked on at a time: as many as a processor keeps near."""

Positions = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
Sorted = TypeVar("Sorted", "Segment", "Names")
Part = TypeVar("Part", "Segment", "Names", "Vectors")


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

    @classmethod
    def merged(cls, one: Segment, other: Segment) -> Segment:
        hashes = np.concatenate([np.repeat(part.hashes, np.diff(part.starts)) for part in (one, other)])
        return cls.of(hashes, np.concatenate([one.rows, other.rows]), np.concatenate([one.counts, other.counts]))

    def find(self, hashes: npt.NDArray[np.uint64]) -> list[tuple[int, int]]:
        """For each hash the range of its postings, empty when no row holds it."""
        if not len(self.hashes):
            return [(0, 0)] * len(hashes)
        at = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        begins = self.starts[at]
        ends = np.where(self.hashes[at] == hashes, self.starts[at + 1], begins)
        return list(zip(begins.tolist(), ends.tolist(), strict=True))

    def moved(self, places: Positions) -> Segment:
        """With each row at its new place, without those whose place is -1 and the terms that only they held."""
        rows = places[self.rows]
        kept = rows >= 0
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        held = np.append(starts[1:] > starts[:-1], True)
        return Segment(self.hashes[held[:-1]], starts[held].astype(np.int32), rows[kept], self.counts[kept])

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        return self.hashes.nbytes + self.starts.nbytes + self.rows.nbytes + self.counts.nbytes


@dataclass(frozen=True, slots=True)
class Names:
    """The records of the names of some rows, by hash."""

    records: npt.NDArray[np.void]
    rows: Positions

    @classmethod
    def of(cls, records: npt.NDArray[np.void], rows: Positions) -> Names:
        """From records in any order."""
        order = np.argsort(records["hash"], kind="stable")
        return cls(records[order], rows[order])

    @classmethod
    def merged(cls, one: Names, other: Names) -> Names:
        return cls.of(np.concatenate([one.records, other.records]), np.concatenate([one.rows, other.rows]))

    def moved(self, places: Positions) -> Names:
        rows = places[self.rows]
        kept = rows >= 0
        return Names(self.records[kept], rows[kept])

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        return self.records.nbytes + self.rows.nbytes


class Block:
    """Vectors in one piece of memory with room at its end. Whoever holds the first n sees them unchanged."""

    def __init__(self, vectors: Floats, used: int) -> None:
        self.vectors = vectors
        self.used = used
        self._beside: dict[int, tuple[Positions, Floats]] = {}
        self._lock = threading.Lock()

    def products(self, distance: int, rows: Positions, others: Positions) -> Floats:
        """The product of each of these rows with its partner, the row `distance` places on in its thread.

        Partners seldom change, so what was computed is kept: per distance the last partner of each row.
        """
        with self._lock:
            return self._products(distance, rows, others)

    def _products(self, distance: int, rows: Positions, others: Positions) -> Floats:
        partners, products = self._beside.get(distance, (np.zeros(0, np.int32), np.zeros(0, np.float32)))
        if len(partners) < len(self.vectors):
            more = len(self.vectors) - len(partners)
            partners = np.concatenate([partners, np.full(more, -1, np.int32)])
            products = np.concatenate([products, np.zeros(more, np.float32)])
        new = np.flatnonzero(partners[rows] != others)
        if len(new):
            partners, products = partners.copy(), products.copy()  # others may be reading
            for begin in range(0, len(new), NEAR):
                one, other = rows[new[begin : begin + NEAR]], others[new[begin : begin + NEAR]]
                partners[one], products[one] = other, np.einsum("ij,ij->i", self.vectors[one], self.vectors[other])
            self._beside[distance] = partners, products
        return products[rows]

    def wipe(self, places: npt.NDArray[np.intp]) -> None:
        """Leave nothing of these vectors, nor of what they made with others."""
        with self._lock:
            self.vectors[places] = 0
            for distance, (partners, products) in list(self._beside.items()):
                touched = np.isin(partners, places)
                touched[places[places < len(touched)]] = True
                self._beside[distance] = np.where(touched, -1, partners), np.where(touched, 0, products)

    def without(self, kept: npt.NDArray[np.bool_]) -> Block:
        """Of the first rows those that are kept, with what is known of their products."""
        block = Block(self.vectors[: len(kept)][kept], int(kept.sum()))
        places = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1).astype(np.int32)  # the last is for no partner
        for distance, (partners, products) in self._beside.items():
            partners = np.minimum(partners[: len(kept)][kept], len(kept))
            block._beside[distance] = places[partners], products[: len(kept)][kept]
        return block

    @property
    def nbytes(self) -> int:
        return self.vectors.nbytes + 8 * len(self._beside) * len(self.vectors)


@dataclass(frozen=True, slots=True)
class Vectors:
    """Unit vectors of some rows, all made by one embedder."""

    embedder: str
    rows: Positions
    block: Block

    @classmethod
    def of(cls, embedder: str, vectors: Floats, rows: Positions) -> Vectors:
        return cls(embedder, rows, Block(vectors, len(vectors)))

    @property
    def matrix(self) -> Floats:
        """A row for each of `rows`."""
        held: Floats = self.block.vectors[: len(self.rows)]
        return held

    @property
    def width(self) -> int:
        return self.block.vectors.shape[1]

    def joined(self, other: Vectors) -> Vectors:
        """These and then the others, written behind these where there is room. Only one thread at a time may."""
        held, needed = len(self.rows), len(self.rows) + len(other.rows)
        block = self.block
        if block.used != held or needed > len(block.vectors):
            block = Block(np.empty((needed + int(needed * ROOM), self.width), np.float32), held)
            block.vectors[:held] = self.matrix
        block.vectors[held:needed] = other.matrix
        block.used = needed
        return Vectors(self.embedder, np.concatenate([self.rows, other.rows]), block)

    def wipe(self, gone: npt.NDArray[np.intp]) -> None:
        """Overwrite those of these rows, in every state that holds them."""
        self.block.wipe(np.flatnonzero(np.isin(self.rows, gone)))

    def moved(self, places: Positions) -> Vectors:
        rows = places[self.rows]
        kept = rows >= 0
        return Vectors(self.embedder, rows[kept], self.block.without(kept))

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        return self.block.nbytes + self.rows.nbytes


def grown(parts: tuple[Sorted, ...], added: Sorted) -> tuple[Sorted, ...]:
    """With this part added. Sizes at least halve from one to the next: few parts to look into, and cheap merges."""
    rest: list[Sorted] = list(parts)
    while rest and rest[-1].size <= 2 * added.size:
        added = type(added).merged(rest.pop(), added)
    rest.append(added)
    return tuple(rest)


def with_vectors(parts: tuple[Vectors, ...], added: Sequence[Vectors]) -> tuple[Vectors, ...]:
    """With these added, each behind those of its embedder: vectors of different embedders are never mixed."""
    held = {(part.embedder, part.width): part for part in parts}
    for part in added:
        name = part.embedder, part.width
        held[name] = held[name].joined(part) if name in held else part
    return tuple(held.values())


def moved(parts: tuple[Part, ...], places: Positions) -> tuple[Part, ...]:
    """With each row at its new place, -1 for one that is gone; parts of which nothing is left go too."""
    left: list[Part] = [part.moved(places) for part in parts]
    return tuple(part for part in left if part.size)
