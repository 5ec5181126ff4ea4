"""Search inside namespaces, in this process: eligibility first, then ranking over what is eligible.

Each namespace is kept as arrays while its revision is unchanged and refreshed by the rows that changed since. The
loader must see committed rows only: a search inside a transaction that has itself written here could keep rows that
are then rolled back.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memories.paths import path_key
from memories.search import columns, dates, facts, names, rank, recipe, tokens, view
from memories.search.columns import Columns, Mask, Row
from memories.search.recipe import Ranked
from memories.search.view import Part, View
from memories.vectors import Means, Vector

__all__ = ["Hit", "Loader", "NamespaceIndex", "Row", "Scope", "SearchResult"]

MEGABYTE = 1024 * 1024
LOCKS = 64
AUTHORITY = ("explicit_user", "verified_reviewer", "business_record", "tool_output", "model_inference")

POSSIBLE = 0.01
"""A row of less relevance than this is counted as below every threshold."""

Authority = Callable[[str, str], float]
Scores = npt.NDArray[np.float64]
NOTHING: recipe.Floats = np.zeros(0, np.float32)
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
    """A row that was found: its final search score, the parts of it, and the probability that it answers.

    `named` counts the words of the longest of its names that the question holds in full. The rest is what the index
    knows of the row.
    """

    memory_id: UUID
    namespace_id: UUID
    kind: str
    evidence_class: str
    version: int
    confirmed_at: datetime
    score: float
    scores: Mapping[str, float]
    relevance: float
    named: int = 0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best hits first. `eligible` rows were allowed; `behind` are the relevance and score of those that may be
    relevant as well and are no hits.

    `confidence` is the probability that any row answers, None where only words were compared.
    """

    hits: tuple[Hit, ...]
    eligible: int
    behind: tuple[recipe.Floats, recipe.Floats] = field(default=(NOTHING, NOTHING), compare=False, repr=False)
    confidence: float | None = None
    about_someone_else: bool = False

    def left_out(self, relevance: float, score: float) -> int:
        """How many eligible rows are no hits and of less relevance or score than this."""
        relevances, scores = self.behind
        never = self.eligible - len(self.hits) - len(scores)
        return never + int(((relevances < relevance) | (scores < score)).sum())


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
        meant: tuple[Vector, Means] | None = None,
    ) -> SearchResult:
        """The best `limit` rows of these areas, ranked together; ties by id.

        `meant` is the question as a vector with the means of its embedder; without it only words are compared.

        A blank query asks for everything: most authoritative first, then most recently confirmed, each with score 0.
        """
        areas: dict[UUID, list[Scope]] = {}
        for scope in namespaces:
            areas.setdefault(scope.namespace_id, []).append(scope)
        parts = [self._part(scopes, kinds, keys, now, as_of) for scopes in areas.values()]
        eligible = sum(int(part.eligible.sum()) for part in parts)
        if not eligible:
            return SearchResult((), 0)
        if not query.strip():
            hits = _most_authoritative(parts, authority, limit)
            rest = eligible - len(hits)
            return SearchResult(tuple(hits), eligible, (np.ones(rest, np.float32), np.zeros(rest, np.float32)))
        seen = self._view(parts)
        ranked, named = _rank(query, seen, meant)
        score: Scores = ranked.score.astype(np.float64).round(6)
        places = _best(score, ranked.found, named, limit)
        behind = ranked.found if meant is None else ranked.found & (ranked.relevance >= POSSIBLE)
        behind[places] = False
        return SearchResult(
            tuple(_hits(places, score, ranked, named, seen)[:limit]),
            eligible,
            (ranked.relevance[behind], ranked.score[behind]),
            ranked.confidence,
            ranked.about_someone_else,
        )

    def forget(self, namespace_id: UUID) -> None:
        """Drop what is kept of a namespace; the next search reads it again."""
        with self._lock:
            gone = self._kept.pop(namespace_id, None)
            self._bytes -= gone.nbytes if gone else 0
            self._drop_views(namespace_id)

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
        self._views: OrderedDict[tuple[UUID, ...], View] = OrderedDict()
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
            self._drop_views(namespace_id)
            self._bytes += rows.nbytes - (gone.nbytes if gone else 0)
            while self._bytes + self._view_bytes() > self._max_bytes and len(self._kept) > 1:
                name, oldest = self._kept.popitem(last=False)
                self._bytes -= oldest.nbytes
                self._drop_views(name)

    def _view(self, parts: Sequence[Part]) -> View:
        """What these parts are together. One view is kept for each set of namespaces, of the filters used last."""
        names = tuple(part.namespace_id for part in parts)
        with self._lock:
            kept = self._views.get(names)
        if kept is None or not kept.is_of(parts):
            kept = view.of(parts)
        with self._lock:
            if all(self._kept.get(part.namespace_id) is part.rows for part in parts):  # nothing of an older state stays
                self._views[names] = kept
                self._views.move_to_end(names)
            while len(self._views) > 1 and self._bytes + self._view_bytes() > self._max_bytes:
                self._views.popitem(last=False)
        return kept

    def _view_bytes(self) -> int:
        return sum(one.nbytes for one in self._views.values())

    def _drop_views(self, namespace_id: UUID) -> None:
        for areas in [areas for areas in self._views if namespace_id in areas]:
            del self._views[areas]

    def _secret_of(self, namespace_id: UUID) -> bytes:
        return self._secret if isinstance(self._secret, bytes) else self._secret(namespace_id)

    def _part(
        self,
        scopes: list[Scope],
        kinds: frozenset[str] | None,
        keys: frozenset[str] | None,
        now: datetime,
        as_of: datetime | None,
    ) -> Part:
        """The rows of one namespace that any of these scopes covers and every filter admits."""
        namespace_id = scopes[0].namespace_id
        rows, secret = self.rows_of(namespace_id, scopes[0].revision), self._secret_of(namespace_id)
        eligible = _current(rows, now) if as_of is None else _current_at(rows, as_of)
        if kinds is not None:
            eligible &= np.array([name in kinds for name in rows.kinds], bool)[rows.data["kind"]]
        if keys is not None:
            wanted = columns.key_hashes(keys)
            eligible &= np.isin(rows.data["key"], wanted)
        areas = tuple(path_key(scope.path) for scope in scopes)
        if "" not in areas:
            inside = [path.startswith(areas) for path in rows.paths]
            eligible &= np.array(inside, bool)[rows.data["path"]]
        return Part(namespace_id, rows, eligible, secret)


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


def _rank(text: str, seen: View, meant: tuple[Vector, Means] | None) -> tuple[Ranked, npt.NDArray[np.uint8]]:
    """The rows of a view ranked for a question, and how long a name of each the question holds."""
    query = rank.parse(text)
    found: list[tuple[list[npt.NDArray[np.integer]], list[npt.NDArray[np.integer]]]] = [([], []) for _ in query.lookups]
    for part, offset in zip(seen.parts, seen.offsets, strict=True):
        hashes = tokens.term_hashes(query.lookups, part.secret)
        for segment in part.rows.segments:
            for (rows, counts), (begin, end) in zip(found, segment.find(hashes), strict=True):
                if begin == end:
                    continue
                here = seen.places[segment.rows[begin:end] + offset]
                allowed = here >= 0
                rows.append(here[allowed])
                counts.append(segment.counts[begin:end][allowed])
    threads, chinese = seen.cues.threads, facts.is_chinese(text)
    words = rank.score(query, [_posting(*both) for both in found], seen.lengths, seen.size, threads, seen.answers)
    near = None
    if meant is not None and (meaning := seen.meaning(meant[1])) is not None:
        own, blended = meaning.near(meant[0], chinese=chinese, threads=threads)
        near = recipe.Near(own, blended, meaning.known, meant[1].across)
    people = seen.people_named(text)
    asked = recipe.Asked(dates.asks_when(text), chinese, people.pop() if len(people) == 1 else None)
    return recipe.combine(words, near, seen.cues, asked), _named(text, query, words, seen)


def _posting(rows: list[npt.NDArray[np.integer]], counts: list[npt.NDArray[np.integer]]) -> rank.Posting:
    if not rows:
        return NO_POSTING
    return rank.Posting(np.concatenate(rows), np.concatenate(counts))


def _named(text: str, query: rank.Query, words: rank.Ranking, seen: View) -> npt.NDArray[np.uint8]:
    """For each row the number of words of its longest name that the question holds in full."""
    out = np.zeros(seen.size, np.uint8)
    few = max(names.FEW_ROWS, names.FEW_SHARE * seen.size)
    rare = {term: holding <= few for term, holding in zip(query.terms, words.holding, strict=False)}
    asked = names.asked(text)
    for part, offset in zip(seen.parts, seen.offsets, strict=True):
        for records in part.rows.names:
            places = seen.places[records.rows + offset]
            rows, longest = names.held(asked, rare, records.records, places, part.secret)
            np.maximum.at(out, rows, longest)
    return out


def _best(score: Scores, found: Mask, named: npt.NDArray[np.uint8], limit: int) -> npt.NDArray[np.intp]:
    """The places of the best rows in no order: named ones before others, then by score. More than `limit` at a tie."""
    chosen = np.flatnonzero(found | (named > 0))
    if len(chosen) > limit:
        order = score[chosen] + 1000.0 * named[chosen]
        chosen = chosen[order >= np.partition(order, -limit)[-limit]]
    return chosen


def _hits(
    places: npt.NDArray[np.intp],
    score: Scores,
    ranked: Ranked,
    named: npt.NDArray[np.uint8],
    seen: View,
) -> list[Hit]:
    """These rows, the longest name first, then by score; ties by id."""
    hits = []
    for place in places.tolist():
        at, owner = int(seen.at[place]), int(seen.owners[place])
        part = seen.parts[owner]
        scores = {"keyword": float(ranked.keyword[place]), "semantic": float(ranked.semantic[place])}
        hits.append(
            _hit(
                part,
                at - seen.offsets[owner],
                score=float(score[place]),
                scores={name: round(value, 6) for name, value in scores.items()},
                relevance=round(float(ranked.relevance[place]), 4),
                named=int(named[place]),
            )
        )
    hits.sort(key=lambda hit: (-hit.named, -hit.score, hit.memory_id))
    return hits


def _most_authoritative(parts: Sequence[Part], authority: Authority, limit: int) -> list[Hit]:
    """Everything eligible, ordered without a question. Relevance is 1: each answers "what is there?"."""
    ranked: list[tuple[float, Hit]] = []
    scores = {"keyword": 0.0, "semantic": 0.0}
    for part in parts:
        if not part.eligible.any():
            continue
        kinds, classes = part.rows.kinds, part.rows.classes
        table = np.array([[authority(kind, name) for name in classes] for kind in kinds], float)
        at = np.flatnonzero(part.eligible)
        data = part.rows.data
        strength, confirmed = table[data["kind"][at], data["evidence"][at]], data["confirmed"][at]
        best = np.lexsort((data["id"][at], data["id_high"][at], -confirmed, -strength))[:limit]
        ranked += [
            (-float(strength[place]), _hit(part, int(at[place]), score=0.0, scores=scores, relevance=1.0))
            for place in best.tolist()
        ]
    ranked.sort(key=lambda one: (one[0], -one[1].confirmed_at.timestamp(), one[1].memory_id))
    return [hit for _, hit in ranked[:limit]]


def _hit(part: Part, at: int, **found: Any) -> Hit:
    """The hit of the row that stands here, with what was found out about it."""
    rows, data = part.rows, part.rows.data
    return Hit(
        memory_id=rows.memory_id(at),
        namespace_id=part.namespace_id,
        kind=rows.kinds[data["kind"][at]],
        evidence_class=rows.classes[data["evidence"][at]],
        version=int(data["version"][at]),
        confirmed_at=columns.moment_of(int(data["confirmed"][at])),
        **found,
    )
