"""Search inside namespaces, in this process: eligibility first, then ranking over what is eligible.

Each namespace is kept as arrays while its revision is unchanged and refreshed by the rows that changed since. The
loader must see committed rows only: a search inside a transaction that has itself written here could keep rows that
are then rolled back.
"""

from __future__ import annotations

import heapq
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memories.search import columns, rank, tokens
from memories.search.columns import Columns, Mask, Row

__all__ = ["Hit", "Loader", "NamespaceIndex", "Row", "Scope", "SearchResult"]

MEGABYTE = 1024 * 1024
LOCKS = 64
AUTHORITY = ("explicit_user", "verified_reviewer", "business_record", "tool_output", "model_inference")

Authority = Callable[[str, str], float]
NO_POSTING = rank.Posting(np.zeros(0, np.intp), np.zeros(0, np.uint8))


class Loader(Protocol):
    """Where the rows come from. Both calls read committed data; `rows` gives every change after a revision."""

    def revision(self, namespace_id: UUID) -> int: ...

    def rows(self, namespace_id: UUID, after_rev: int) -> Iterable[Row]: ...


@dataclass(frozen=True, slots=True)
class Scope:
    """An area of a namespace and all below it; an empty path is the whole namespace.

    A caller that has just read the namespace passes its revision and spares a statement.
    """

    namespace_id: UUID
    path: tuple[str, ...] = ()
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that matched: its final search score, the parts of it, and the probability that it answers."""

    memory_id: UUID
    namespace_id: UUID
    score: float
    scores: Mapping[str, float]
    relevance: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best hits first. `eligible` rows were allowed, `matched` of them shared a term, `below` shared none."""

    hits: tuple[Hit, ...]
    eligible: int
    matched: int

    @property
    def below(self) -> int:
        return self.eligible - self.matched


@dataclass(frozen=True, slots=True)
class _Part:
    """One namespace of a search: its rows and which of them are eligible."""

    namespace_id: UUID
    rows: Columns
    eligible: Mask
    secret: bytes


def default_authority(kind: str, evidence_class: str) -> float:
    """The order of evidence when the policy gives none."""
    return -AUTHORITY.index(evidence_class) if evidence_class in AUTHORITY else -len(AUTHORITY)


class NamespaceIndex:
    """The namespaces this process has read, the least recently used leaving first.

    `secret` is the key of the term hashes: bytes for all namespaces, or a function of the namespace.
    """

    def __init__(
        self, loader: Loader, secret: bytes | Callable[[UUID], bytes], *, max_bytes: int = 256 * MEGABYTE
    ) -> None:
        self._loader = loader
        self._secret = secret
        self._max_bytes = max_bytes
        self._forget_everything()

    def search(
        self,
        query: str,
        *,
        namespaces: Sequence[Scope],
        kinds: frozenset[str] | None = None,
        keys: frozenset[str] | None = None,
        now: datetime,
        as_of: datetime | None = None,
        limit: int = 100,
        authority: Authority = default_authority,
    ) -> SearchResult:
        """The best `limit` rows of these areas, ranked together; ties by id.

        A blank query asks for everything: most authoritative first, then most recently confirmed, each with score 0.
        """
        areas: dict[UUID, list[Scope]] = {}
        for scope in namespaces:
            areas.setdefault(scope.namespace_id, []).append(scope)
        parts = [self._part(scopes, kinds, keys, now, as_of) for scopes in areas.values()]
        eligible = sum(int(part.eligible.sum()) for part in parts)
        if not eligible:
            return SearchResult((), 0, 0)
        if not query.strip():
            return SearchResult(tuple(_most_authoritative(parts, authority, limit)), eligible, eligible)
        ranking = _rank(query, parts, eligible)
        matched = int((ranking.score > 0).sum())
        return SearchResult(tuple(_best(ranking, parts, limit)), eligible, matched)

    def forget(self, namespace_id: UUID) -> None:
        """Drop what is kept of a namespace; the next search reads it again."""
        with self._lock:
            gone = self._kept.pop(namespace_id, None)
            self._bytes -= gone.nbytes if gone else 0

    def rows_of(self, namespace_id: UUID, revision: int | None = None) -> Columns:
        """The namespace as of its present revision, which a caller that has just read it may pass."""
        if os.getpid() != self._pid:
            self._forget_everything()  # after a fork the locks may be held by threads that do not exist here
        kept = self._get(namespace_id)
        if kept is not None and kept.revision == (
            self._loader.revision(namespace_id) if revision is None else revision
        ):
            return kept
        with self._locks[hash(namespace_id) % len(self._locks)]:
            current = self._loader.revision(namespace_id)
            kept = self._get(namespace_id)
            if kept is not None and kept.revision == current:
                return kept
            if kept is None or kept.revision > current:  # a restored database counts from an earlier revision
                kept = columns.empty()
            rows = self._loader.rows(namespace_id, kept.revision)
            fresh = columns.refresh(kept, rows, current, self._secret_of(namespace_id))
            self._keep(namespace_id, fresh)
            return fresh

    def _forget_everything(self) -> None:
        self._lock = threading.Lock()
        self._locks = tuple(threading.Lock() for _ in range(LOCKS))
        self._kept: OrderedDict[UUID, Columns] = OrderedDict()
        self._bytes = 0
        self._pid = os.getpid()

    def _get(self, namespace_id: UUID) -> Columns | None:
        with self._lock:
            kept = self._kept.get(namespace_id)
            if kept is not None:
                self._kept.move_to_end(namespace_id)
            return kept

    def _keep(self, namespace_id: UUID, rows: Columns) -> None:
        with self._lock:
            gone = self._kept.pop(namespace_id, None)
            self._kept[namespace_id] = rows
            self._bytes += rows.nbytes - (gone.nbytes if gone else 0)
            while self._bytes > self._max_bytes and len(self._kept) > 1:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= oldest.nbytes

    def _secret_of(self, namespace_id: UUID) -> bytes:
        return self._secret if isinstance(self._secret, bytes) else self._secret(namespace_id)

    def _part(
        self,
        scopes: list[Scope],
        kinds: frozenset[str] | None,
        keys: frozenset[str] | None,
        now: datetime,
        as_of: datetime | None,
    ) -> _Part:
        """The rows of one namespace that any of these scopes covers and every filter admits."""
        namespace_id = scopes[0].namespace_id
        rows, secret = self.rows_of(namespace_id, scopes[0].revision), self._secret_of(namespace_id)
        eligible = _current(rows, now) if as_of is None else _current_at(rows, as_of)
        if kinds is not None:
            eligible &= np.array([name in kinds for name in rows.kinds], bool)[rows.data["kind"]]
        if keys is not None:
            wanted = np.array([columns.name_hash(secret, key) for key in keys], np.uint64)
            eligible &= np.isin(rows.data["key"], wanted)
        areas = {scope.path for scope in scopes}
        if () not in areas:
            depths = {len(area) for area in areas}
            inside = [any(path[:depth] in areas for depth in depths) for path in rows.paths]
            eligible &= np.array(inside, bool)[rows.data["path"]]
        return _Part(namespace_id, rows, eligible, secret)


def _current(rows: Columns, now: datetime) -> Mask:
    active: Mask = rows.alive & (rows.data["status"] == columns.STATUSES.index("active"))
    if rows.doubled:
        active = _newest_of_slot(rows, active)
    unexpired: Mask = active & (rows.data["valid_until"] > columns.instant(now))
    return unexpired


def _current_at(rows: Columns, moment: datetime) -> Mask:
    """What stood at an earlier moment and was neither forgotten nor paused since."""
    at, data = columns.instant(moment), rows.data
    stood = rows.alive & (data["created"] <= at) & (data["retired"] > at)
    stood &= np.isin(data["status"], [columns.STATUSES.index("active"), columns.STATUSES.index("superseded")])
    unexpired: Mask = _newest_of_slot(rows, stood) & (data["valid_until"] > at)
    return unexpired


def _newest_of_slot(rows: Columns, mask: Mask) -> Mask:
    """Only the highest version of each slot: an expired newer one does not revive an older."""
    at = np.flatnonzero(mask)
    slots = rows.data["slot"][at]
    order = np.lexsort((rows.data["version"][at], slots))
    last = np.append(slots[order][1:] != slots[order][:-1], True) if len(at) else np.zeros(0, bool)
    out = np.zeros_like(mask)
    out[at[order[last]]] = True
    return out


def _rank(text: str, parts: Sequence[_Part], eligible: int) -> rank.Ranking:
    query = rank.parse(text)
    found: list[tuple[list[npt.NDArray[np.integer]], list[npt.NDArray[np.integer]]]] = [([], []) for _ in query.lookups]
    offset = 0
    for part in parts:
        hashes = _hashes(query, part.secret)
        for segment in part.rows.segments:
            for (rows, counts), (begin, end) in zip(found, segment.find(hashes), strict=True):
                if begin == end:
                    continue
                here = segment.rows[begin:end]
                allowed = part.eligible[here]
                rows.append(here[allowed] + offset)
                counts.append(segment.counts[begin:end][allowed])
        offset += part.rows.size
    lengths = np.concatenate([np.where(part.eligible, part.rows.data["length"], 0) for part in parts])
    return rank.score(query, [_posting(*both) for both in found], lengths, eligible)


def _hashes(query: rank.Query, secret: bytes) -> npt.NDArray[np.uint64]:
    return tokens.hash_terms(query.lookups, secret)


def _posting(rows: list[npt.NDArray[np.integer]], counts: list[npt.NDArray[np.integer]]) -> rank.Posting:
    if not rows:
        return NO_POSTING
    return rank.Posting(np.concatenate(rows), np.concatenate(counts))


def _best(ranking: rank.Ranking, parts: Sequence[_Part], limit: int) -> list[Hit]:
    score = np.round(ranking.score.astype(np.float64), 6)
    chosen = np.flatnonzero(ranking.score > 0)
    if len(chosen) > limit:
        chosen = chosen[score[chosen] >= np.partition(score[chosen], -limit)[-limit]]
    found = [(-float(score[at]), *_identity(parts, int(at)), int(at)) for at in chosen]
    found.sort(key=lambda one: one[:2])
    return [
        Hit(
            memory_id=memory_id,
            namespace_id=namespace_id,
            score=-negative,
            scores={"keyword": round(float(ranking.keyword[at]), 6), "semantic": 0.0},
            relevance=round(float(ranking.relevance[at]), 4),
        )
        for negative, memory_id, namespace_id, at in found[:limit]
    ]


def _most_authoritative(parts: Sequence[_Part], authority: Authority, limit: int) -> list[Hit]:
    """Everything eligible, ordered without a question. Relevance is 1: each answers "what is there?"."""
    ranked: list[tuple[float, int, UUID, UUID]] = []
    for part in parts:
        if not part.eligible.any():
            continue
        kinds, classes = part.rows.kinds, part.rows.classes
        table = np.array([[authority(kind, name) for name in classes] for kind in kinds], float)
        at = np.flatnonzero(part.eligible)
        data = part.rows.data
        strength, confirmed = table[data["kind"][at], data["evidence"][at]], data["confirmed"][at]
        ids = part.rows.ids[at]
        ranked += zip((-strength).tolist(), (-confirmed).tolist(), ids, [part.namespace_id] * len(at), strict=True)
    scores = {"keyword": 0.0, "semantic": 0.0}
    return [
        Hit(memory_id, namespace_id, 0.0, scores, 1.0)
        for _, _, memory_id, namespace_id in heapq.nsmallest(limit, ranked)
    ]


def _identity(parts: Sequence[_Part], at: int) -> tuple[UUID, UUID]:
    for part in parts:
        if at < part.rows.size:
            return part.rows.ids[at], part.namespace_id
        at -= part.rows.size
    raise IndexError(at)
