"""Rows in the order in which they were said, and what a row hears from its neighbours in the thread. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Combine = Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Threads:
    """Rows sorted by thread and place in it; a row without thread is a thread of its own.

    `starts` says where each thread begins, `number` which thread a row is of, `single` that no thread has two rows.
    """

    starts: npt.NDArray[np.intp]
    number: npt.NDArray[np.intp]
    single: bool

    @classmethod
    def of(cls, threads: npt.NDArray[np.int64]) -> Threads:
        """From the sorted threads of rows, 0 where a row has none."""
        begins = np.ones(len(threads), bool)
        begins[1:] = (threads[1:] != threads[:-1]) | (threads[1:] == 0)
        return cls(np.flatnonzero(begins), np.cumsum(begins) - 1, bool(begins.all()))

    def neighbours(self, distance: int) -> Mask:
        """Whether row i and row i + distance are of one thread."""
        same: Mask = self.number[distance:] == self.number[:-distance]
        return same

    def away(self, values: npt.NDArray[Any], shift: int) -> Floats:
        """For each row the value of the row so many places on in its thread (back, where negative), or 0."""
        out = np.zeros(len(values), np.float32)
        if shift >= 0:
            out[: len(values) - shift] = values[shift:]
        else:
            out[-shift:] = values[:shift]
        distance = abs(shift)
        if distance:
            near = out[:-distance] if shift > 0 else out[distance:]
            near *= self.neighbours(distance)
        return out

    def window(
        self, values: Floats, weights: Sequence[float], combine: Combine, *, after: Floats | None = None
    ) -> Floats:
        """Each row (last axis) combined with its neighbours, who count by these weights, the nearest first.

        `after` replaces the first weight for what a row hears from the row just before it.
        """
        if self.single:
            return values
        out = values.copy()
        for distance, weight in enumerate(weights, 1):
            if distance >= values.shape[-1]:
                break
            near = self.neighbours(distance) * np.float32(weight)
            before = near if after is None or distance > 1 else after
            out[..., :-distance] = combine(out[..., :-distance], near * values[..., distance:])
            out[..., distance:] = combine(out[..., distance:], before * values[..., :-distance])
        return out

    def best(self, values: Floats) -> Floats:
        """For each row the best value in its thread."""
        if self.single or not len(values):
            return values
        highest: Floats = np.maximum.reduceat(values, self.starts)[self.number]
        return highest
