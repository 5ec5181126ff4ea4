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

from memories.search.parts import Vectors
from memories.search.threads import Threads
from memories.vectors import LANGUAGES, Means, Vector

BLEND = (0.3, 0.15)
"""What the vectors one and two rows away add to a row."""
ENGLISH, CHINESE = LANGUAGES
SHRINK = 8
"""The weight, in rows, of the generic mean of a language."""
TINY = np.float32(1e-9)

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Stored:
    """Vectors as they are kept: `at` says which of them are of rows that are seen, `places` where those stand in thread
    order."""

    vectors: Vectors
    at: Places
    places: Places

    @classmethod
    def of(cls, vectors: Vectors, places: Places) -> Stored:
        """From the place of each vector's row, -1 where it is not seen."""
        at = np.flatnonzero(places >= 0)
        return cls(vectors, at, places[at])


@dataclass(frozen=True, slots=True)
class Seen:
    """The vectors of the rows that are seen."""

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
            out[part.places] = (part.vectors.matrix @ vector)[part.at]
        return out

    def total(self, chosen: Mask) -> Vector:
        """The sum of the chosen rows."""
        out = np.zeros(self.parts[0].vectors.width, np.float32)
        for part in self.parts:
            weights = np.zeros(len(part.vectors.matrix), np.float32)
            weights[part.at] = chosen[part.places]
            out += weights @ part.vectors.matrix
        return out

    def beside(self, threads: Threads, reach: int) -> Floats:
        """The product of each row with those up to `reach` places on in its thread, one line for each distance; 0
        where one has no vector. A thread lies in one namespace, hence in one part."""
        out = np.zeros((reach, self.size), np.float32)
        for part in self.parts:
            source = np.full(self.size, -1, np.int32)
            source[part.places] = part.at
            for distance in range(1, min(reach, self.size - 1) + 1):
                rows, others = source[:-distance], source[distance:]
                pairs = np.flatnonzero((rows >= 0) & (others >= 0) & threads.neighbours(distance))
                out[distance - 1, pairs] = part.vectors.block.products(distance, rows[pairs], others[pairs])
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
        total = seen.total(here) + SHRINK * means.statements[language]
        middle: Vector = (total / (int(here.sum()) + SHRINK)).astype(np.float32)
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
    width = seen.parts[0].vectors.width
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
