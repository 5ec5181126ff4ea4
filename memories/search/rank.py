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
FEWEST_ROWS, MOST_ROWS = 10, 500
"""The sizes between which relevance was fitted; smaller and larger namespaces count as these."""
SHARED, ASKED, ROWS, GAP = 2.41, -0.64, -1.01, -1.37
"""Log-odds that a row answers: per root of the information it shares with the question (nats), per root of what the
question holds, per logarithm of the number of rows, per distance to the best score. Fitted on English questions, half
of them without an answer, whole or cut to one or two words; it stayed calibrated on unseen ones and on Chinese."""
PAIRWISE = 0.4
"""Single characters and pairs overlap: a word of such a script is counted about two and a half times."""
WEAK_ALONE, WEAK_COVERED = 0.1, 0.1
"""A row that shares single characters only, and less than this of the question, is an accident of the script."""
GUESSED = 0.5
"""How far a row is believed that was only found through related words."""

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]
NO_ROWS: Rows = np.zeros(0, np.intp)


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
    total, covered, shared, hinted = (np.zeros(size, np.float32) for _ in range(4))
    strong = np.zeros(size, bool)
    if not eligible or not query.terms:
        return Ranking(total, hinted, covered)
    norms = K1 * (1 - B + B * lengths / (float(lengths.sum()) / eligible or 1.0))
    mass = asked = 0.0
    others = iter(postings[len(query.terms) :])
    for posting, term, weight, names in zip(postings, query.terms, query.weights, query.related, strict=False):
        worth = weight * _idf(eligible, len(posting.rows))
        information = worth * (PAIRWISE if tokens.is_pairwise(term) else 1.0)
        mass += worth
        asked += information
        if len(posting.rows):
            counts = posting.counts.astype(np.float32)
            total[posting.rows] += worth * (counts * (K1 + 1) / (counts + norms[posting.rows]) + DELTA)
            covered[posting.rows] += worth
            shared[posting.rows] += information
            strong[posting.rows] |= weight >= 1
        guessed = _related(posting, [next(others) for _ in names], eligible)
        hinted[guessed] += BRIDGE * worth
        shared[guessed] += BRIDGE * worth  # one word for one word: nothing overlaps here
        strong[guessed] = True
    keyword = total / np.float32(FULL_MATCH * mass)
    hinted /= np.float32(mass)
    covered = covered / np.float32(mass) + hinted
    relevance = _odds(shared, asked, eligible, keyword.max() - keyword)
    relevance[~strong] *= WEAK_ALONE * np.minimum(covered[~strong] / WEAK_COVERED, 1)
    relevance[keyword == 0] *= GUESSED
    relevance[covered == 0] = 0
    return Ranking(keyword, _below_every_match(hinted, keyword), relevance)


def _idf(eligible: int, holding: int) -> float:
    return math.log(1 + (PRIOR_ROWS + eligible - holding + 0.5) / (holding + 0.5))


def _related(posting: Posting, others: Sequence[Posting], eligible: int) -> Rows:
    """The rows that hold a related term instead of the term itself; none when that is common here."""
    found = [other.rows for other in others if len(other.rows)]
    if not found:
        return NO_ROWS
    rows = np.setdiff1d(np.concatenate(found), posting.rows)
    return rows if len(rows) <= max(COMMON_ROWS, COMMON_SHARE * eligible) else NO_ROWS


def _below_every_match(hinted: Floats, keyword: Floats) -> Floats:
    """The bridge's score: only for rows without a keyword, and under the weakest row that has one."""
    matched = keyword > 0
    alone = np.where(matched, np.float32(0), hinted)
    if not matched.any():
        return alone
    capped: Floats = np.minimum(alone, np.float32(0.5) * keyword[matched].min())
    return capped


def _odds(shared: Floats, asked: float, eligible: int, gap: Floats) -> Floats:
    """The probability that each row answers the question."""
    rows = math.log(min(max(eligible, FEWEST_ROWS), MOST_ROWS))
    logit = SHARED * np.sqrt(shared) + ASKED * math.sqrt(asked) + ROWS * rows + GAP * gap
    return (1 / (1 + np.exp(-logit))).astype(np.float32)
