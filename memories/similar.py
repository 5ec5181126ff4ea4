"""Which texts of a set say the same in other words, in one language or across two. Pure.

Two ways to be a near-duplicate. By words: most of what either says, weighted by how rare it is in the set, the other
says too. By meaning: their vectors, centred by language, are nearer to each other than either is to its other
neighbours, by a margin. Both ask what the others are like, since a playbook is full of sentences of one form about
different things, which all lie close together. Where the margin is smaller the two say the same perhaps.
"""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from memories.search import tokens
from memories.vectors import LANGUAGES, Means, Vector

SAME_WORDS = 0.6
"""From this share of common words on a text is a copy with changes, unless many are as alike: then it is their form."""
COPY = 0.85
"""From this share on it is a copy, however many there are."""
ALIKE = 3
"""With how many others a text may have as many words in common before that counts as a form."""
MARGIN = 0.16
"""How much nearer than its other neighbours: midway between the pairs that say the same and those that do not, in the
benchmark's playbook."""
PERHAPS = 0.12
"""From this margin on it is worth a look."""
NEIGHBOURS = 3
USUAL = 0.25
"""How near the nearest others are in a large playbook, for sets too small to tell."""
SHRINK = 8
"""The weight, in texts, of the generic mean of a language."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*", re.ASCII)
_ENVIRONMENTS = {
    "production": re.compile(
        r"\bprod(?:uction)?\b|\blive (?:system|site|server)|生产(?:环境|系统|库)|线上", re.IGNORECASE
    ),
    "staging": re.compile(r"\bstag(?:e|ing)\b|\bpre-?prod(?:uction)?\b|预发|预生产|准生产", re.IGNORECASE),
    "test": re.compile(
        r"\b(?:test|qa|uat) (?:system|site|server|environment|database|cluster)|测试(?:环境|系统|库)", re.IGNORECASE
    ),
    "development": re.compile(
        r"\bdev(?:elopment)? (?:system|site|server|environment|database|cluster)|开发(?:环境|系统|库)", re.IGNORECASE
    ),
    "sandbox": re.compile(r"\bsandbox\b|沙箱", re.IGNORECASE),
}

Matrix = npt.NDArray[np.float32]
Marks = tuple[frozenset[str], frozenset[str]]
ENGLISH, CHINESE = LANGUAGES


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A text to compare: its terms with counts, its unit vector if there is one, its language group, and what `marks`
    finds in it."""

    id: uuid.UUID
    terms: Counter[str]
    vector: Vector | None
    chinese: bool
    marks: Marks = (frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Pair:
    """Two samples, by place, that say the same: how much so from 0 to 1, and whether by their `words` or `meaning`.

    Not `sure`: perhaps.
    """

    one: int
    other: int
    likeness: float
    by: str
    sure: bool = True


def pairs(samples: Sequence[Sample], means: Means | None, *, of_first: bool = False) -> list[Pair]:
    """Every near-duplicate pair, the sure and the most alike first, or those of the first sample. Without `means` only
    words are compared."""
    found = {(pair.one, pair.other): pair for pair in by_meaning(samples, means)} if means is not None else {}
    found |= {(pair.one, pair.other): pair for pair in by_words(samples, of_first=of_first)}
    chosen = [
        replace(pair, sure=pair.sure and not _apart(samples[pair.one], samples[pair.other]))
        for pair in found.values()
        if pair.one == 0 or not of_first
    ]
    return sorted(chosen, key=lambda pair: (not pair.sure, -pair.likeness, pair.one, pair.other))


def marks(text: str) -> Marks:
    """The numbers and the environments that a text names: what the same work is told apart by."""
    named = frozenset(name for name, pattern in _ENVIRONMENTS.items() if pattern.search(text))
    return frozenset(_NUMBER.findall(text)), named


def _apart(one: Sample, other: Sample) -> bool:
    """Whether each names something of a sort that the other does not."""
    return any(mine - theirs and theirs - mine for mine, theirs in zip(one.marks, other.marks, strict=True))


def by_words(samples: Sequence[Sample], *, of_first: bool = False) -> list[Pair]:
    """Pairs of which most words are common."""
    holders: dict[str, list[int]] = {}
    for at, sample in enumerate(samples):
        for term in sample.terms:
            holders.setdefault(term, []).append(at)
    weights = {
        term: tokens.weight(term) * float(np.log((len(samples) + 1) / (len(places) + 0.5)) + 0.1)
        for term, places in holders.items()
    }
    totals = [sum(weights[term] for term in sample.terms) for sample in samples]
    common: Counter[tuple[int, int]] = Counter()
    for term, places in holders.items():
        for index, one in enumerate(places[:1] if of_first else places):
            for other in places[index + 1 :]:
                common[one, other] += weights[term]  # type: ignore[assignment]
    if of_first:
        common = Counter({pair: both for pair, both in common.items() if pair[0] == 0})
    shares = {(one, other): both / (totals[one] + totals[other] - both) for (one, other), both in common.items()}
    alike = {pair: share for pair, share in shares.items() if share >= SAME_WORDS}
    times = Counter(at for pair in alike for at in pair)
    return [
        Pair(one, other, round(min(share, 1.0), 3), "words")
        for (one, other), share in alike.items()
        if share >= COPY or max(times[one], times[other]) <= ALIKE
    ]


def by_meaning(samples: Sequence[Sample], means: Means) -> list[Pair]:
    """Pairs that are each other's nearest in their languages, by the margin."""
    known = [at for at, sample in enumerate(samples) if sample.vector is not None]
    if len(known) < 2:
        return []
    chinese = np.array([samples[at].chinese for at in known])
    rows = np.stack([samples[at].vector for at in known]).astype(np.float32)  # type: ignore[misc]
    near = _centred(rows, chinese, means)
    cosines = near @ near.T
    np.fill_diagonal(cosines, -1)
    crowd = _crowd(cosines, chinese)
    margins: Matrix = (cosines - (crowd + crowd.T) / 2).astype(np.float32)
    nearest = {group: _nearest(margins, chinese == group) for group in (False, True)}
    found = []
    for one in range(len(known)):
        for group in (False, True):
            other = int(nearest[group][one])
            mutual = other > one and int(nearest[bool(chinese[one])][other]) == one
            if mutual and (margin := margins[one, other]) >= PERHAPS:
                likeness = round(float(max(cosines[one, other], 0)), 3)
                found.append(Pair(known[one], known[other], likeness, "meaning", sure=bool(margin >= MARGIN)))
    return found


def _centred(rows: Matrix, chinese: npt.NDArray[np.bool_], means: Means) -> Matrix:
    """The rows around the middle of their language, at length 1."""
    made = np.empty_like(rows)
    for language, here in _groups(chinese).items():
        if here.any():
            middle = (rows[here].sum(axis=0) + SHRINK * means.statements[language]) / (int(here.sum()) + SHRINK)
            made[here] = rows[here] - middle
    lengths = np.linalg.norm(made, axis=1, keepdims=True) + np.float32(1e-9)
    directions: Matrix = made / lengths
    return directions


def _crowd(cosines: Matrix, chinese: npt.NDArray[np.bool_]) -> Matrix:
    """For each row and each other: how near the row's next nearest are among those of the other's language."""
    out = np.empty_like(cosines)
    for here in _groups(chinese).values():
        others = -np.sort(-cosines[:, here], axis=1)[:, 1 : 1 + NEIGHBOURS]
        others = np.where(others > -1, others, USUAL)
        missing = NEIGHBOURS - others.shape[1]
        total = others.sum(axis=1) + missing * USUAL
        out[:, here] = (total / NEIGHBOURS)[:, None]
    return out


def _nearest(margins: Matrix, here: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """For each row the place of the nearest of a group; itself where the group is empty."""
    if not here.any():
        return np.arange(len(margins))
    places = np.flatnonzero(here)
    alone = margins[:, here].copy()
    for column, place in enumerate(places):
        alone[place, column] = -np.inf
    found: npt.NDArray[np.intp] = places[np.argmax(alone, axis=1)]
    return found


def _groups(chinese: npt.NDArray[np.bool_]) -> Mapping[str, npt.NDArray[np.bool_]]:
    return {ENGLISH: ~chinese, CHINESE: chinese}
