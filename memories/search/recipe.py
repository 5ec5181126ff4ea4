"""The ranking of a search: words, meaning, the thread around a row, who said it and when. Pure.

    score(i) = [ .6 words + .8 meaning + .2 best words of the thread + .15 best meaning of the thread
                 + .2 said by the one person the question names
                 - .12 row only asks + .2 question asks when and row tells a time + .08 ln(1 + terms) best words ] / .8

The last line is for what was said in a thread: an utterance may be a question or too short to say anything. Divided
by .8, a full match by words alone scores about 1. The weights were chosen on conversations that are not used to judge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memories.search.rank import Ranking
from memories.search.threads import Threads

WORDS, MEANING, THREAD_WORDS, THREAD_MEANING = 0.6, 0.8, 0.2, 0.15
SAID_BY, ASKING, TIMED, LENGTH = 0.2, -0.12, 0.2, 0.08
MOST_TERMS = 30
SCALE = WORDS + THREAD_WORDS
FEWEST_ROWS, USUAL_ROWS = 30, 500
"""Among twice as many rows the best is by accident as good twice as often, so the odds that it answers are halved.
Fitted on conversations in pieces of 30 to 3,000 rows the power was 1.2, on articles 0.8; smaller ones count as 30."""
SOMEONE_ELSE = -0.1
"""The subject gap below which the best row is about another person than the one the question names."""

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Cues:
    """What is known of the rows besides words and meaning, in thread order."""

    threads: Threads
    uttered: Mask
    asking: Mask
    timed: Mask
    chinese: Mask
    fullness: Floats
    speakers: npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the question tells: whether it asks for a time, in which language group, and the one person it names."""

    when: bool
    chinese: bool
    person: int | None = None


@dataclass(frozen=True, slots=True)
class Near:
    """The cosines of the rows, each alone and blended with its neighbours; `known` where a row has a vector.

    `across` is the share of a cosine that is left across languages.
    """

    own: Floats
    blended: Floats
    known: Mask
    across: float = 1.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """Score and relevance of each row, their parts, whether it was found at all, and what that says of the question.

    `confidence` is the probability that any row answers, None where only words were compared.
    """

    score: Floats
    relevance: Floats
    keyword: Floats
    semantic: Floats
    found: Mask
    confidence: float | None
    about_someone_else: bool


def fullness(distinct: npt.NDArray[np.integer]) -> Floats:
    """How much a row of so many different terms can say."""
    full: Floats = np.log1p(np.minimum(distinct, MOST_TERMS)).astype(np.float32)
    return full


def combine(words: Ranking, near: Near | None, rows: Cues, asked: Asked) -> Ranked:
    """Everything that is known of the rows as one score, one probability for each and one for the whole."""
    threads, keyword = rows.threads, _across_languages(words.keyword, near, rows, asked)
    strongest = min(1.0, float(keyword.max(initial=0)))
    base = np.float32(WORDS) * keyword
    base += np.float32(ASKING) * (rows.uttered & rows.asking)
    base += np.float32(LENGTH * strongest) * rows.fullness * rows.uttered
    if asked.when:
        base += np.float32(TIMED) * (rows.uttered & rows.timed)
    around = np.float32(THREAD_WORDS) * threads.best(keyword)
    semantic = np.zeros_like(keyword)
    if near is not None:
        semantic = _with_guesses(near, keyword)
        base += np.float32(MEANING) * semantic
        around += np.float32(THREAD_MEANING) * threads.best(semantic)
    score = base + around
    if asked.person is not None:
        score += np.float32(SAID_BY) * (rows.speakers == asked.person)
    found = (words.score > 0) | (near.known if near is not None else False)
    bridged = words.bridge > 0
    score[bridged] += words.bridge[bridged] * np.float32(SCALE)
    relevance, confidence = words.relevance, None
    if near is not None:
        relevance = _probability(words, near, rows, asked, score)
        confidence = _confidence(words, near, rows, asked)
    return Ranked(
        score=(score / np.float32(SCALE)).astype(np.float32),
        relevance=relevance,
        keyword=words.score,
        semantic=semantic,
        found=found,
        confidence=confidence,
        about_someone_else=_about_someone_else(base, found, rows, asked),
    )


def _across_languages(keyword: Floats, near: Near | None, rows: Cues, asked: Asked) -> Floats:
    """The words of each row. Across languages none are shared: there a row is taken to match in words as in meaning.

    That is what it would mean in the language of the question: a translation lies farther away than the original.
    """
    other = rows.chinese != asked.chinese
    if near is None or not other.any() or other.all():
        return keyword
    best_words = float(keyword[~other].max())
    best_meaning = float(near.blended[~other].max())
    if best_words <= 0 or best_meaning <= 0:
        return keyword
    guessed = np.clip(near.blended / np.float32(near.across * best_meaning), 0, 1) * np.float32(best_words)
    matched: Floats = np.where(other, np.maximum(keyword, guessed), keyword)
    return matched


def _with_guesses(near: Near, keyword: Floats) -> Floats:
    """The meaning of each row; one whose vector is not made yet is taken to mean as much as its words match."""
    if near.known.all():
        return near.blended
    best_words, best = float(keyword.max(initial=0)), float(near.blended[near.known].max(initial=0))
    guessed = keyword * np.float32(best / best_words if best_words else 0)
    meant: Floats = np.where(near.known, near.blended, guessed)
    return meant


def _probability(words: Ranking, near: Near, rows: Cues, asked: Asked, score: Floats) -> Floats:
    """The probability that each row answers: fitted on conversations, with another formula across languages."""
    gap = score.max() - score
    same = 5.66 * near.own + 1.68 * words.covered - 5.78 * gap + (0.99 * words.known - 4.51)
    across = 13.91 * near.own - 28.4 * gap - 5.48
    odds = np.where(rows.chinese == asked.chinese, same, across)
    meant = (1 / (1 + np.exp(-odds))).astype(np.float32)
    meant[~near.known] = 0
    guessed = ~near.known | (words.bridge > 0)
    likely: Floats = np.where(guessed, np.maximum(meant, words.relevance), meant)
    return likely


def _confidence(words: Ranking, near: Near, rows: Cues, asked: Asked) -> float:
    """The probability that the rows hold an answer."""
    blended = np.where(near.known, near.blended, np.float32(-1))
    best = int(blended.argmax())
    nearest = float(blended[best])
    if bool(rows.chinese[best]) != asked.chinese:  # no words are shared across languages
        odds = 27.4 * nearest - 8.75
    else:
        odds = 5.74 * float(words.keyword.max()) + 14.52 * nearest + 2.31 * words.known - 9.1
    odds -= math.log(max(int(near.known.sum()), FEWEST_ROWS) / USUAL_ROWS)
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, odds))))


def _about_someone_else(base: Floats, found: Mask, rows: Cues, asked: Asked) -> bool:
    """Whether what was found says of somebody else what was asked about the one person named."""
    if asked.person is None:
        return False
    theirs = rows.speakers == asked.person
    others = found & (rows.speakers >= 0) & ~theirs
    theirs = theirs & found
    if not others.any() or not theirs.any():
        return False
    return float(base[theirs].max() - base[others].max()) < SOMEONE_ELSE
