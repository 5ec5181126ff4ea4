"""Vectors: how a question and the language means are told, and how a row's vector is stored. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]

STORED, BEFORE = np.dtype("i1"), np.dtype("<f2")
STEPS = 127
_FORMAT = b"\x01"
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True, eq=False)
class QueryVector:
    """A question as a unit vector. `degraded`: there should be one, but its embedder is down or slow."""

    vector: Vector | None
    embedder: str
    degraded: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """The mean vector of generic statements and of generic questions, by language ("en", "zh"), not of unit length.

    `across` is the share of its cosine with a statement that a question keeps when the statement is translated.
    """

    embedder: str
    statements: Mapping[str, Vector]
    questions: Mapping[str, Vector]
    across: float = 1.0


def unit(rows: npt.NDArray[np.floating]) -> Vector:
    """The rows (or one row) at length 1, in float32. Raises ValueError for a row that has no direction."""
    made = np.asarray(rows, np.float32)
    norms = np.linalg.norm(made, axis=-1, keepdims=True)
    if not np.isfinite(norms).all() or not (norms > 0).all():
        raise ValueError("a vector has no direction")
    scaled: Vector = made / norms
    return scaled


def pack(vector: Vector) -> bytes:
    """A direction as it is stored: a format byte, then each part as one of 127 steps of the largest, either way.

    A cosine moves by some ten thousandths, far less than neighbours in a ranking are apart. Its length is not kept.
    A vector of an odd number of parts is float16, since `unpack` tells the two by their number of bytes.
    """
    if vector.size % 2:
        return vector.astype(BEFORE).tobytes()
    return _FORMAT + np.rint(vector * (STEPS / np.abs(vector).max())).astype(STORED).tobytes()


def unpack(packed: Sequence[bytes]) -> Vector:
    """Stored vectors of one length as the rows of a float32 matrix, at length 1 again after the rounding.

    Those of an even number of bytes are little-endian float16, as all were before.
    """
    joined = np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), -1)
    before = joined.shape[1] % 2 == 0
    rows = (joined.view(BEFORE) if before else joined[:, 1:].view(STORED)).astype(np.float32)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None] + np.float32(1e-9)
    return rows
