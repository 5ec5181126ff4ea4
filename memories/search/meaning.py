"""How near the meaning of each row is to a question: cosines around the middle of what the caller may see. Pure.

Raw cosines of one embedder lie close together and differ by language. So each language is centred on its own mean
(drawn towards the mean of generic statements where there are few rows), and the question is moved from where
questions of its language lie to where the questions of the rows' language would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Meaning:
    """The rows of a search as centred unit vectors in thread order; `known` where there is one."""

    centred: Floats
    blend: Floats
    middles: dict[str, Floats]
    means: Means
    chinese: Mask
    known: Mask

    @property
    def nbytes(self) -> int:
        return self.centred.nbytes + self.blend.nbytes

    def near(self, asked: Vector, *, chinese: bool, threads: Threads) -> tuple[Floats, Floats]:
        """The cosine of each row itself, and blended with its neighbours; 0 for a row without vector."""
        own = np.zeros(len(self.known), np.float32)
        questions = self.means.questions
        for language, middle in self.middles.items():
            moved = _unit(asked - questions[language_of(chinese)] + questions[language] - middle)
            here = self.chinese == (language == CHINESE)
            own = np.where(here, self.centred @ moved, own)
        if threads.single:
            return own, own
        blended: Floats = threads.window(own, BLEND, np.add) / self.blend
        return own, blended


def language_of(chinese: bool) -> str:
    """The name of the language group in the means of an embedder."""
    return CHINESE if chinese else ENGLISH


def meaning(vectors: Floats, known: Mask, chinese: Mask, threads: Threads, means: Means) -> Meaning:
    """The rows centred by language. `vectors` is overwritten; its rows without vector are zero."""
    middles: dict[str, Floats] = {}
    for language in (ENGLISH, CHINESE):
        here = known & (chinese == (language == CHINESE))
        if here.any():
            total = here.astype(np.float32) @ vectors
            count = np.float32(here.sum())
            middles[language] = (total + np.float32(SHRINK) * means.statements[language]) / (count + np.float32(SHRINK))
    nowhere = np.zeros(vectors.shape[1], np.float32)
    table = np.stack([middles.get(language, nowhere) for language in (ENGLISH, CHINESE)]).astype(np.float32)
    for begin in range(0, len(vectors), BLOCK):
        block = vectors[begin : begin + BLOCK]
        block -= table[chinese[begin : begin + BLOCK].astype(np.intp)]
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block)) + np.float32(1e-9)
        block *= (known[begin : begin + BLOCK] / lengths)[:, None].astype(np.float32)
    return Meaning(vectors, _blend_lengths(vectors, threads), middles, means, chinese, known)


def _blend_lengths(centred: Floats, threads: Threads) -> Floats:
    """The length of each row's vector blended with its neighbours', so that a blend weighs no more than a row."""
    lengths = np.ones(len(centred), np.float32)
    if threads.single:
        return lengths
    reach = len(BLEND)
    for begin in range(0, len(centred), BLOCK):
        first, last = max(0, begin - reach), min(len(centred), begin + BLOCK + reach)
        part, number = centred[first:last], threads.number[first:last]
        blended = part.copy()
        for distance, weight in enumerate(BLEND, 1):
            if distance >= len(part):
                break
            near = np.where(number[distance:] == number[:-distance], np.float32(weight), np.float32(0))[:, None]
            blended[:-distance] += near * part[distance:]
            blended[distance:] += near * part[:-distance]
        lengths[begin : begin + BLOCK] = np.sqrt(np.einsum("ij,ij->i", blended, blended))[begin - first :][:BLOCK]
    return lengths + np.float32(1e-9)


def _unit(vector: Floats) -> Floats:
    unit: Floats = (vector / (np.linalg.norm(vector) + 1e-9)).astype(np.float32)
    return unit


def stacked(parts: Sequence[tuple[npt.NDArray[np.float16], npt.NDArray[np.int32]]], rows: int) -> tuple[Floats, Mask]:
    """One matrix in thread order from the stored vectors and the places they belong to, -1 where not seen."""
    width = parts[0][0].shape[1] if parts else 0
    out, known = np.zeros((rows, width), np.float32), np.zeros(rows, bool)
    for matrix, places in parts:
        seen = places >= 0
        out[places[seen]] = matrix[seen]
        known[places[seen]] = True
    return out, known
