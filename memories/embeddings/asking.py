"""The vector of a question: in time or not at all, and never an error."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor

import structlog

from accounts import secrets, tenancy
from memories.embeddings import choice, language_means
from memories.embeddings.base import Embedder, EmbedderError
from memories.sensitivity import scan_fields
from memories.vectors import QueryVector, Vector

log = structlog.get_logger("memories.embeddings")

CACHED = 4096
THREADS = 8
# After so many failures in a row nobody waits for the embedder until it has rested.
FAILURES = 3
REST_SECONDS = 10.0


def query_vector(text: str) -> QueryVector | None:
    """The question as a vector of the active tenant's embedder. None: there is none here, or it may not see this text.

    An embedder that is down or slow gives no vector and says `degraded`. Call it outside any transaction.
    """
    if not text.strip():
        return None
    embedder = choice.permitted()
    if embedder is None or not (embedder.is_local or _may_leave(text)):
        return None
    return _asker.ask(embedder, text)


def is_resting() -> bool:
    """Whether the embedder has failed here so often that it is left alone for now."""
    return _asker.is_resting()


class Asker:
    """Asks in threads of its own, so that a caller waits no longer than the embedder's time-out.

    Answers are kept for a while, each under a keyed digest of tenant, embedder and text: no text is kept, and how fast
    an answer comes tells a tenant nothing about another's questions.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, "memoryhub-embedder")
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Vector] = OrderedDict()
        self._failures = 0
        self._rests_until = 0.0

    def ask(self, embedder: Embedder, text: str) -> QueryVector:
        key = secrets.digest("query_vector", str(tenancy.active_id()), embedder.name, text)
        with self._lock:
            if (kept := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return QueryVector(kept, embedder.name)
        if self.is_resting():
            return QueryVector(None, embedder.name, degraded=True)
        try:
            asked = self._pool.submit(self._embed, embedder, text, key)
            try:
                return QueryVector(asked.result(embedder.timeout), embedder.name)
            finally:
                asked.cancel()  # one that still waits for a thread; one at work goes on and its answer is kept
        except Exception as error:  # noqa: BLE001 - search goes on without meaning, whatever it was
            self._note_failure(error)
            return QueryVector(None, embedder.name, degraded=True)

    def is_resting(self) -> bool:
        return time.monotonic() < self._rests_until

    def _embed(self, embedder: Embedder, text: str, key: str) -> Vector:
        language_means.means(embedder.name)  # without them a vector cannot be compared
        vector = embedder.query(text)
        with self._lock:
            self._failures = 0
            self._kept[key] = vector
            while len(self._kept) > CACHED:
                self._kept.popitem(last=False)
        return vector

    def _note_failure(self, error: Exception) -> None:
        code = error.code if isinstance(error, EmbedderError) else type(error).__name__.lower()
        log.warning("query_not_embedded", code=code)
        with self._lock:
            self._failures += 1
            if self._failures >= FAILURES:
                self._rests_until = time.monotonic() + REST_SECONDS


def _may_leave(text: str) -> bool:
    """A question that holds a secret or an identifier is not sent to anybody."""
    return not scan_fields({"query": text})


def start_anew() -> None:
    """Forget the model, the threads and what was asked: after a fork they are another process's."""
    global _asker
    choice.active.cache_clear()
    language_means.start_anew()
    _asker = Asker()


_asker = Asker()
with contextlib.suppress(AttributeError):  # no fork on this system
    os.register_at_fork(after_in_child=start_anew)
