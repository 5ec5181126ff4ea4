"""Embedders of the tests: quick, deterministic, and telling what they were asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import httpx2
import numpy as np
import pytest

from memories.embeddings import asking, choice, language_means
from memories.embeddings.base import Embedder
from memories.embeddings.remote import OpenAICompatible
from memories.vectors import Vector, unit

DIMS = 16
URL = "https://vectors.example/v1"


def direction(text: str) -> Vector:
    """The sum of a fixed random direction for each word: texts that share words are near each other."""
    words = text.casefold().split() or [""]
    seeds = [int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()) for word in words]
    return unit(np.sum([np.random.default_rng(seed).standard_normal(DIMS) for seed in seeds], axis=0))


class WordEmbedder:
    """A local embedder. `before` is called with the texts of every batch, and may raise or do something meanwhile."""

    dims = DIMS

    def __init__(self, name: str = "words-1", *, is_local: bool = True, timeout: float = 5.0) -> None:
        self.name, self.is_local, self.timeout = name, is_local, timeout
        self.asked: list[str] = []
        self.before: Callable[[Sequence[str]], object] = lambda texts: None

    def documents(self, texts: Sequence[str]) -> Vector:
        self.asked += texts
        self.before(texts)
        return np.stack([direction(text) for text in texts]) if texts else np.zeros((0, DIMS), np.float32)

    def questions(self, texts: Sequence[str]) -> Vector:
        return self.documents(texts)

    def query(self, text: str) -> Vector:
        self.asked.append(text)
        self.before([text])
        return direction(text)


class Provider:
    """An OpenAI-compatible endpoint inside this process, which keeps every request."""

    def __init__(self) -> None:
        self.requests: list[httpx2.Request] = []
        self.answer: Callable[[httpx2.Request], httpx2.Response] = self.embed

    @property
    def texts(self) -> list[str]:
        return [text for request in self.requests for text in json.loads(request.content)["input"]]

    def embed(self, request: httpx2.Request) -> httpx2.Response:
        texts = json.loads(request.content)["input"]
        rows = [
            {"object": "embedding", "index": at, "embedding": direction(text).tolist()} for at, text in enumerate(texts)
        ]
        body = {
            "object": "list",
            "model": "words",
            "data": rows[::-1],
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }
        return httpx2.Response(200, json=body)

    def embedder(self, **settings: Any) -> OpenAICompatible:
        def handle(request: httpx2.Request) -> httpx2.Response:
            self.requests.append(request)
            return self.answer(request)

        http = httpx2.Client(transport=httpx2.MockTransport(handle), follow_redirects=False)
        given = {"dims": DIMS, "timeout": 5.0, "http_client": http} | settings
        return OpenAICompatible(URL, "words", "a-key", **given)


class InUse:
    """Makes an embedder the one of this deployment until the test ends."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def __call__(self, embedder: Embedder | None) -> Any:
        def active() -> Embedder | None:
            return embedder

        active.cache_clear = lambda: None  # type: ignore[attr-defined]
        self._patch.setattr(choice, "active", active)
        return embedder


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Any) -> InUse:
    """Choose the embedder; nothing is remembered of another test's."""
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(language_means, "_known", {})
    monkeypatch.setattr(asking, "_asker", asking.Asker())
    return InUse(monkeypatch)
