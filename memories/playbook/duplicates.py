"""Entries of the playbook that say the same in other words, among those a person may see."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from accounts.principals import Principal
from memories import embeddings, similar
from memories.embeddings import EmbedderError
from memories.indexing import text_of
from memories.models import Candidate, Content, Memory
from memories.playbook import entries
from memories.search import facts, tokens
from memories.similar import Sample
from memories.vectors import Means, Vector, unpack

MOST = 500
"""How many entries are compared: the newest ones."""


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two entries that say the same: how alike from 0 to 1, and whether by their `words` or their `meaning`.

    Not `sure`: perhaps.
    """

    one: Memory
    other: Memory
    likeness: float
    by: str
    sure: bool


@dataclass(frozen=True, slots=True)
class Twin:
    """An entry that says what a candidate says, or, not `sure`, perhaps."""

    entry: Memory
    likeness: float
    by: str
    sure: bool


def among(principal: Principal) -> list[NearDuplicate]:
    """The near-duplicates among the entries the caller may see, the sure and the most alike first."""
    rows = _rows(principal)
    embedder = embeddings.permitted()
    found = similar.pairs(_samples(rows, embedder.name if embedder else ""), _means(embedder.name if embedder else ""))
    return [NearDuplicate(rows[pair.one], rows[pair.other], pair.likeness, pair.by, pair.sure) for pair in found]


def of_candidate(principal: Principal, candidate: Candidate) -> list[Twin]:
    """The entries that say what this candidate says, other than the one it would replace. Call it in no transaction:
    the candidate's vector is made here, where an embedder of this process does it; another compares words alone."""
    rows = [row for row in _rows(principal) if row.slot_id != candidate.slot_id]
    embedder = embeddings.permitted()
    name = embedder.name if embedder else ""
    vector: Vector | None = None
    if embedder is not None and embedder.is_local:
        try:
            vector = embedder.documents([_text(candidate)])[0]
        except EmbedderError:
            vector = None
    samples = [_sample(candidate, vector), *_samples(rows, name)]
    found = similar.pairs(samples, _means(name) if vector is not None else None, of_first=True)
    return [Twin(rows[pair.other - 1], pair.likeness, pair.by, pair.sure) for pair in found]


def _rows(principal: Principal) -> list[Memory]:
    return list(entries.standing(principal).select_related("feature").order_by("-pk")[:MOST])


def _samples(rows: Sequence[Memory], embedder: str) -> list[Sample]:
    stored = {row.pk: bytes(row.feature.vector or b"") for row in rows if _has_vector(row, embedder)}
    vectors: dict[uuid.UUID, Vector] = {pk: unpack([packed])[0] for pk, packed in stored.items()}
    return [_sample(row, vectors.get(row.pk)) for row in rows]


def _has_vector(row: Memory, embedder: str) -> bool:
    feature = getattr(row, "feature", None)
    return feature is not None and bool(embedder) and feature.embedder == embedder and feature.vector is not None


def _sample(row: Content, vector: Vector | None) -> Sample:
    words = tokens.texts_of(row.statement or "", "", row.conditions, (), row.value)
    return Sample(row.pk, tokens.count(words), vector, facts.is_chinese(row.statement or ""), similar.marks(words))


def _text(row: Content) -> str:
    return text_of(row.statement or "", row.key or "", row.conditions, row.said)


def _means(embedder: str) -> Means | None:
    try:
        return embeddings.means(embedder) if embedder else None
    except EmbedderError:
        return None
