"""How good a ranked answer is: how much of what answers is among the first, and how far up. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np

AMONG = 10
Judged = tuple[float, float, float]


def judge(got: Sequence[str], gold: Collection[str]) -> Judged:
    """Recall among the first five, among the first ten, and NDCG at ten, of one answer."""
    places = [place for place, one in enumerate(got[:AMONG]) if one in gold]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(gold), AMONG)))
    gain = sum(1 / math.log2(place + 2) for place in places)
    return sum(place < 5 for place in places) / len(gold), len(places) / len(gold), gain / ideal


def figures(judged: Iterable[Judged]) -> dict[str, float | None]:
    """The mean of each, by its name; None where nothing was asked."""
    columns = np.array(list(judged)).reshape(-1, 3)
    means = columns.mean(axis=0).round(4).tolist() if len(columns) else (None, None, None)
    return dict(zip(("recall_5", "recall_10", "ndcg_10"), means, strict=True))
