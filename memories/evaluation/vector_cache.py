"""Vectors of evaluation texts, kept in the var folder so that each text is embedded once. No text is kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memories.embeddings import Embedder
from memories.vectors import Vector

BATCH = 64


class VectorCache:
    """What an embedder made of texts, by their digests."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self._path = folder / f"{re.sub('[^A-Za-z0-9.-]', '_', embedder.name)}.vectors"
        self._known: dict[bytes, Vector] = {}
        if self._path.exists() and embedder.dims:
            records = np.fromfile(self._path, self._record(embedder.dims))
            self._known = {
                bytes(digest): vector for digest, vector in zip(records["digest"], records["vector"], strict=True)
            }

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vector of each statement."""
        wanted = list(dict.fromkeys(text for text in texts if _digest("document", text) not in self._known))
        wanted.sort(key=len)  # texts of one length waste nothing on each other
        for begin in range(0, len(wanted), BATCH):
            batch = wanted[begin : begin + BATCH]
            self._keep("document", batch, self._embedder.documents(batch))
        return [self._known[_digest("document", text)] for text in texts]

    def question(self, text: str) -> Vector:
        """The vector of a question."""
        digest = _digest("question", text)
        if digest not in self._known:
            self._keep("question", [text], self._embedder.query(text)[None])
        return self._known[digest]

    def _keep(self, what: str, texts: Sequence[str], vectors: Vector) -> None:
        records = np.zeros(len(texts), self._record(vectors.shape[1]))
        for record, text, vector in zip(records, texts, vectors, strict=True):
            record["digest"], record["vector"] = np.void(_digest(what, text)), vector
            self._known[_digest(what, text)] = vector
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            records.tofile(file)

    @staticmethod
    def _record(dims: int) -> np.dtype[np.void]:
        return np.dtype([("digest", "V16"), ("vector", "<f4", (dims,))])


class Remembering:
    """An embedder that makes a vector of each text only once, and knows those that were made before."""

    is_local = True

    def __init__(self, embedder: Embedder, cache: VectorCache) -> None:
        self.name, self.dims, self.timeout = embedder.name, embedder.dims, embedder.timeout
        self._cache = cache

    def documents(self, texts: Sequence[str]) -> Vector:
        return np.stack(self._cache.documents(texts))

    def query(self, text: str) -> Vector:
        return self._cache.question(text)

    def questions(self, texts: Sequence[str]) -> Vector:
        return np.stack([self.query(text) for text in texts])


def _digest(what: str, text: str) -> bytes:
    return hashlib.blake2b(f"{what}\x1f{text}".encode(), digest_size=16).digest()
