"""How near the meaning of each row is to a question: cosines around the middle of what the caller may see. Pure.

Raw cosines of one embedder lie close together and differ by language. So each language is centred on its own mean
(drawn towards the mean of generic statements where there are few rows), and the question is moved from where
questions of its language lie to where the questions of the rows' language would.

No centred vector is ever made: with unit vectors d, a middle m and |d - m|^2 = 1 - 2 dm + |m|^2, every cosine and every
length follows from products of the stored vectors. So a changed row costs a few products, not another matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from memories.search.threads import Threads
from memories.vectors import LANGUAGES, Means, Vector

BLEND = (0.3, 0.15)
"""What the vectors one and two rows away add to a row."""
ENGLISH, CHINESE = LANGUAGES
SHRINK = 8
"""The weight, in rows, of the generic mean of a language."""
BLOCK = 512
"""Rows worked on at a time: as many as a processor keeps near."""
TINY = np.float32(1e-9)

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Stored:
    """Unit vectors as they are kept: `at` says which of them are of rows that are seen, `places` where those stand in
    thread order, ascending."""

    matrix: Floats
    at: Places
    places: Places

    @classmethod
    def of(cls, matrix: Floats, places: Places) -> Stored:
        """From the place of each vector's row, -1 where it is not seen."""
        at = np.flatnonzero(places >= 0)
        order = np.argsort(places[at], kind="stable")
        return cls(matrix, at[order], places[at][order])


@dataclass(frozen=True, slots=True)
class Seen:
    """The vectors of the rows that are seen: which of each matrix, in the order of their places."""

    parts: tuple[Stored, ...]
    size: int

    def known(self) -> Mask:
        """Where there is a vector, in thread order."""
        out = np.zeros(self.size, bool)
        for part in self.parts:
            out[part.places] = True
        return out

    def products(self, vector: Vector) -> Floats:
        """The product of each row with a vector, in thread order; 0 without one."""
        out = np.zeros(self.size, np.float32)
        for part in self.parts:
            out[part.places] = (part.matrix @ vector)[part.at]
        return out

    def total(self, chosen: Mask) -> Vector:
        """The sum of the chosen rows."""
        out = np.zeros(self.parts[0].matrix.shape[1], np.float32)
        for part in self.parts:
            weights = np.zeros(len(part.matrix), np.float32)
            weights[part.at] = chosen[part.places]
            out += weights @ part.matrix
        return out

    def beside(self, threads: Threads, reach: int) -> Floats:
        """The product of each row with those up to `reach` rows behind it in its thread, one line for each distance."""
        out = np.zeros((reach, self.size), np.float32)
        for begin in range(0, self.size, BLOCK):
            end = min(self.size, begin + BLOCK)
            rows = self._rows(begin, min(self.size, end + reach))
            for distance in range(1, min(reach, len(rows) - 1) + 1):
                first = rows[: min(end - begin, len(rows) - distance)]
                here = slice(begin, begin + len(first))
                out[distance - 1, here] = np.einsum("ij,ij->i", first, rows[distance : distance + len(first)])
        for distance, line in enumerate(out, 1):
            line[-distance:] = 0
            line[:-distance] *= threads.neighbours(distance)
        return out

    def _rows(self, begin: int, end: int) -> Floats:
        """The rows from one place to another, zero without vector."""
        out = np.zeros((end - begin, self.parts[0].matrix.shape[1]), np.float32)
        for part in self.parts:
            first, last = np.searchsorted(part.places, (begin, end))
            out[part.places[first:last] - begin] = part.matrix[part.at[first:last]]
        return out


@dataclass(frozen=True, slots=True)
class Meaning:
    """The rows of a search around their middles. `lengths` are those of the centred rows, `blend` those of each centred
    unit row blended with its neighbours, so that a blend weighs no more than a row."""

    seen: Seen
    middles: dict[str, Vector]
    lengths: Floats
    blend: Floats
    means: Means
    chinese: Mask
    known: Mask

    @property
    def nbytes(self) -> int:
        return self.lengths.nbytes + self.blend.nbytes + sum(2 * part.at.nbytes for part in self.seen.parts)

    def near(self, asked: Vector, *, chinese: bool, threads: Threads) -> tuple[Floats, Floats]:
        """The cosine of each row itself, and blended with its neighbours; 0 for a row without vector."""
        own = np.zeros(len(self.known), np.float32)
        questions = self.means.questions
        for language, middle in self.middles.items():
            moved = _unit(asked - questions[language_of(chinese)] + questions[language] - middle)
            here = self.known & (self.chinese == (language == CHINESE))
            own = np.where(here, (self.seen.products(moved) - middle @ moved) / self.lengths, own)
        if threads.single:
            return own, own
        blended: Floats = threads.window(own, BLEND, np.add) / self.blend
        return own, blended


def language_of(chinese: bool) -> str:
    """The name of the language group in the means of an embedder."""
    return CHINESE if chinese else ENGLISH


def meaning(stored: Sequence[Stored], chinese: Mask, threads: Threads, means: Means) -> Meaning | None:
    """The rows of these vectors centred by language; None where there is no vector."""
    seen = Seen(tuple(part for part in stored if len(part.at)), len(chinese))
    known = seen.known()
    if not known.any():
        return None
    middles: dict[str, Vector] = {}
    along = np.zeros((len(LANGUAGES), seen.size), np.float32)
    lengths = np.ones(seen.size, np.float32)
    for number, language in enumerate(LANGUAGES):
        here = known & (chinese == (language == CHINESE))
        if not here.any():
            continue
        count = np.float32(here.sum())
        middle = (seen.total(here) + np.float32(SHRINK) * means.statements[language]) / (count + np.float32(SHRINK))
        middles[language], along[number] = middle, seen.products(middle)
        squares = 1 - 2 * along[number] + middle @ middle
        lengths = np.where(here, np.sqrt(np.maximum(squares, 0)) + TINY, lengths)
    blend = np.ones(seen.size, np.float32)
    if not threads.single:
        blend = _blend_lengths(_centred(seen, threads, middles, along, chinese, known, lengths), threads, known)
    return Meaning(seen, middles, lengths, blend, means, chinese, known)


def _centred(
    seen: Seen,
    threads: Threads,
    middles: dict[str, Vector],
    along: Floats,
    chinese: Mask,
    known: Mask,
    lengths: Floats,
) -> Floats:
    """The cosine of each centred row with those behind it in its thread, one line for each distance."""
    lines = seen.beside(threads, 2 * len(BLEND))
    width = seen.parts[0].matrix.shape[1]
    table = np.stack([middles.get(language, np.zeros(width, np.float32)) for language in LANGUAGES])
    between, group = table @ table.T, chinese.astype(np.intp)
    for distance, line in enumerate(lines, 1):
        one, other = slice(None, -distance), slice(distance, None)
        at = np.arange(seen.size - distance)
        line[one] -= along[group[other], at] + along[group[one], at + distance] - between[group[one], group[other]]
        line[one] *= threads.neighbours(distance) & known[one] & known[other]
        line[one] /= lengths[one] * lengths[other]
    return lines


def _blend_lengths(beside: Floats, threads: Threads, known: Mask) -> Floats:
    """The length of each centred unit row blended with its neighbours, from their cosines."""
    weights = {0: 1.0} | {side * distance: weight for distance, weight in enumerate(BLEND, 1) for side in (-1, 1)}
    squares = sum(weight**2 * threads.away(known, shift) for shift, weight in weights.items())
    for first, last in combinations(sorted(weights), 2):
        squares = squares + 2 * weights[first] * weights[last] * threads.away(beside[last - first - 1], first)
    lengths: Floats = np.sqrt(np.maximum(squares, 0)).astype(np.float32) + TINY
    return lengths


def _unit(vector: Vector) -> Vector:
    unit: Vector = (vector / (np.linalg.norm(vector) + 1e-9)).astype(np.float32)
    return unit
