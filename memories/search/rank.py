"""Keyword ranking over eligible rows: BM25+ divided by the query's own weight, and the odds that a row answers. Pure.

Statistics (row count, document frequencies, mean length) come from the rows the caller may see and from no others.
Vectors join here later: `Ranking` then gets a second column and `relevance` a second feature.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memories.search import bridge, tokens

K1, B, DELTA = 1.2, 0.3, 0.5
FULL_MATCH = 1.5
"""A row holding every term once scores near 1: the usual size of a BM25+ term weight."""
BRIDGE = 0.25
"""The share of a term that a related word is worth."""
PRIOR_ROWS = 8
"""Imagined rows without the term: in a namespace of one row every word would be common otherwise."""
COMMON_ROWS, COMMON_SHARE = 5, 0.2
"""Related words found in more rows than this tell nothing about any of them."""
OFFSET, COVERED, KNOWN, GAP = -3.2, 5.0, 0.8, -1.5
"""Log-odds that a row answers: constant, per covered share, per known share, per distance to the best row."""

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Query:
    """The distinct terms of a question with their weights, and for each the related terms."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    related: tuple[tuple[str, ...], ...]

    @property
    def lookups(self) -> tuple[str, ...]:
        """Every term to look up, in the order in which `score` expects the postings."""
        return self.terms + tuple(other for others in self.related for other in others)


@dataclass(frozen=True, slots=True)
class Posting:
    """The eligible rows that hold one term, each row once, and how often."""

    rows: Rows
    counts: npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One value per row: keyword score, score through related words (only where no keyword matched), probability."""

    keyword: Floats
    bridge: Floats
    relevance: Floats

    @property
    def score(self) -> Floats:
        return self.keyword + self.bridge


def parse(text: str) -> Query:
    """The question as terms. Terms already asked for are not looked up again as related ones."""
    words = tuple(dict.fromkeys(tokens.terms(text)))
    asked = set(words)
    related = tuple(tuple(other for other in bridge.related(word) if other not in asked) for word in words)
    return Query(words, tuple(map(tokens.weight, words)), related)


def score(query: Query, postings: Sequence[Posting], lengths: Floats, eligible: int) -> Ranking:
    """Rank rows by the postings of `query.lookups`. `lengths` has an entry per row, 0 where not eligible."""
    size = len(lengths)
    total, covered, hinted = (np.zeros(size, np.float32) for _ in range(3))
    if not eligible or not query.terms:
        return Ranking(total, hinted, covered)
    norms = K1 * (1 - B + B * lengths / (float(lengths.sum()) / eligible or 1.0))
    mass = known = 0.0
    others = iter(postings[len(query.terms) :])
    for posting, weight, names in zip(postings, query.weights, query.related, strict=False):
        worth = weight * _idf(eligible, len(posting.rows))
        mass += worth
        if len(posting.rows):
            counts = posting.counts.astype(np.float32)
            total[posting.rows] += worth * (counts * (K1 + 1) / (counts + norms[posting.rows]) + DELTA)
            covered[posting.rows] += worth
            known += worth
        _hint(hinted, posting, [next(others) for _ in names], worth, eligible)
    keyword = total / np.float32(FULL_MATCH * mass)
    hinted *= np.float32(BRIDGE / mass)
    relevance = _relevance(covered / np.float32(mass) + hinted, known / mass, keyword)
    return Ranking(keyword, _below_every_match(hinted, keyword), relevance)


def _idf(eligible: int, holding: int) -> float:
    return math.log(1 + (PRIOR_ROWS + eligible - holding + 0.5) / (holding + 0.5))


def _hint(hinted: Floats, posting: Posting, others: Sequence[Posting], worth: float, eligible: int) -> None:
    """Credit the rows that hold a related term instead of the term itself, unless that is common here."""
    found = [other.rows for other in others if len(other.rows)]
    if not found:
        return
    rows = np.setdiff1d(np.concatenate(found), posting.rows)
    if len(rows) <= max(COMMON_ROWS, COMMON_SHARE * eligible):
        hinted[rows] += worth


def _below_every_match(hinted: Floats, keyword: Floats) -> Floats:
    """The bridge's score: only for rows without a keyword, and under the weakest row that has one."""
    matched = keyword > 0
    alone = np.where(matched, np.float32(0), hinted)
    if not matched.any():
        return alone
    capped: Floats = np.minimum(alone, np.float32(0.5) * keyword[matched].min())
    return capped


def _relevance(covered: Floats, known: float, keyword: Floats) -> Floats:
    """The probability that a row answers, 0 for a row that matched nothing."""
    odds = OFFSET + COVERED * covered + KNOWN * known + GAP * (keyword.max() - keyword)
    return np.where(covered > 0, 1 / (1 + np.exp(-odds)), 0).astype(np.float32)
