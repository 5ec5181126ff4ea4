"""Keyword ranking over eligible rows: BM25+ divided by the query's own weight, and the odds that a row answers. Pure.

Statistics (row count, document frequencies, mean length) come from the rows the caller may see and from no others.
A row of a thread also hears, more faintly, the words of the rows around it: "When was that?" is answered by "Last May".
What else makes a row the answer (its meaning, who said it, when) is added in `recipe`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memories.search import bridge, dates, tokens
from memories.search.threads import Threads

K1, B, DELTA = 1.2, 0.3, 0.5
FULL_MATCH = 1.5
"""A row holding every term once scores near 1: the usual size of a BM25+ term weight."""
HEARD = (0.5, 0.4, 0.3)
"""The share of a word that is heard from one, two and three rows away in the thread."""
ANSWER = 0.9
"""The share heard by the row that follows a question: it answers, in other words."""
BRIDGE = 0.25
"""The share of a term that a related word is worth, or a part of a word."""
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
    """The distinct terms of a question with their weights, for each the related terms, and its date if it is of one."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    related: tuple[tuple[str, ...], ...]
    dates: tuple[str, ...] = ()

    @property
    def lookups(self) -> tuple[str, ...]:
        """Every term to look up, in the order in which `score` expects the postings."""
        dated = tuple(date for date in self.dates if date)
        return self.terms + tuple(other for others in self.related for other in others) + dated


@dataclass(frozen=True, slots=True)
class Posting:
    """The eligible rows that hold one term, each row once, and how often: 0 as a part of a word only."""

    rows: Rows
    counts: npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One value per row: keyword score with what the row hears in its thread, score through related words (only where
    no keyword matched), probability by words alone, and the share of the question that the row itself holds.

    `known` is the share of the question that any row holds; `holding` says how many rows hold each of its terms.
    """

    keyword: Floats
    bridge: Floats
    relevance: Floats
    covered: Floats
    known: float = 0.0
    holding: tuple[int, ...] = ()

    @property
    def score(self) -> Floats:
        return self.keyword + self.bridge


def parse(text: str) -> Query:
    """The question as terms. Terms already asked for are not looked up again as related ones."""
    words, parts = tuple(dict.fromkeys(tokens.terms(text))), tokens.parts(text)
    asked = set(words)
    related = tuple(
        tuple(other for other in (*bridge.related(word), *parts.get(word, ())) if other not in asked) for word in words
    )
    meant = {found[0]: term for written, term in dates.named(text) if (found := _terms_of(written))}
    return Query(words, tuple(map(tokens.weight, words)), related, tuple(meant.get(word, "") for word in words))


def score(
    query: Query,
    postings: Sequence[Posting],
    lengths: Floats,
    eligible: int,
    threads: Threads | None = None,
    answers: Floats | None = None,
) -> Ranking:
    """Rank rows by the postings of `query.lookups`. `lengths` has an entry per row, 0 where not eligible.

    With `threads` the rows are in their order, and `answers` is what each row passes on to the next.
    """
    size = len(lengths)
    covered, shared, hinted = (np.zeros(size, np.float32) for _ in range(3))
    strong = np.zeros(size, bool)
    if not eligible or not query.terms:
        return Ranking(covered, hinted, shared, covered)
    alone = threads is None or threads.single
    table = np.zeros((1 if alone else len(query.terms), size), np.float32)
    norms = K1 * (1 - B + B * lengths / (float(lengths.sum()) / eligible or 1.0))
    mass = asked = known = 0.0
    dated = iter(postings[len(query.lookups) - sum(map(bool, query.dates)) :])
    others = iter(postings[len(query.terms) :])
    holding = []
    for at, (term, weight, names) in enumerate(zip(query.terms, query.weights, query.related, strict=True)):
        posting = postings[at]
        if query.dates and query.dates[at]:
            posting = _either(posting, next(dated))
        worth = weight * _idf(eligible, len(posting.rows))
        information = worth * (PAIRWISE if tokens.is_pairwise(term) else 1.0)
        mass += worth
        asked += information
        holding.append(len(posting.rows))
        if len(posting.rows):
            known += worth
            counts = posting.counts.astype(np.float32)
            weights = worth * (counts * (K1 + 1) / (counts + norms[posting.rows]) + DELTA)
            table[0 if alone else at, posting.rows] += weights
            share = np.where(counts > 0, np.float32(1), np.float32(BRIDGE))
            covered[posting.rows] += worth * share
            shared[posting.rows] += information * share
            strong[posting.rows] |= weight >= 1
        guessed = _related(posting, [next(others) for _ in names], eligible)
        hinted[guessed] += BRIDGE * worth
        shared[guessed] += BRIDGE * worth  # one word for one word: nothing overlaps here
        strong[guessed] = True
    own = covered / np.float32(mass)
    if threads is None or threads.single:
        total = table[0]
    else:
        total = threads.window(table, HEARD, np.maximum, after=answers).sum(axis=0)
        shared = threads.window(shared, HEARD, np.maximum, after=answers)
        covered = threads.window(covered, HEARD, np.maximum, after=answers)
        strong = threads.window(strong.astype(np.float32), HEARD, np.maximum) > 0
    keyword = total / np.float32(FULL_MATCH * mass)
    hinted /= np.float32(mass)
    covered = covered / np.float32(mass) + hinted
    relevance = _odds(shared, asked, eligible, keyword.max() - keyword)
    relevance[~strong] *= WEAK_ALONE * np.minimum(covered[~strong] / WEAK_COVERED, 1)
    relevance[keyword == 0] *= GUESSED
    relevance[covered == 0] = 0
    return Ranking(keyword, _below_every_match(hinted, keyword), relevance, own, known / mass, tuple(holding))


def _terms_of(written: str) -> list[str]:
    """The terms of a part of a date, the most telling first."""
    found = tokens.terms(written)
    return sorted(found, key=tokens.weight, reverse=True)


def _either(one: Posting, other: Posting) -> Posting:
    """The rows that hold a word or fall on the date it means."""
    if not len(other.rows):
        return one
    if not len(one.rows):
        return other
    rows, first = np.unique(np.concatenate([one.rows, other.rows]), return_index=True)
    return Posting(rows, np.concatenate([one.counts, other.counts])[first])


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
