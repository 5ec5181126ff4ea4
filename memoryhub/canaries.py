"""Looks for texts that should be nowhere: in bytes of any size, for thousands of them at once, in their spellings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

PREFIX = 8
LEAST = 4
"""A canary has at least this many characters and PREFIX bytes in each spelling, so that it stands nowhere by chance."""
CHUNK = 4 * 1024 * 1024
TABLE_BITS = 22
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def read(file: Path) -> list[str]:
    """The canaries of a file, one a line. Raises ValueError that names a line and quotes nothing."""
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        if len(line) < LEAST or len(line.encode()) < PREFIX:
            raise ValueError(f"line {number} is shorter than {PREFIX} letters or {LEAST} Chinese characters")
        found.append(line)
    if not found:
        raise ValueError("the file holds no canary")
    return found


def spellings(canary: str) -> set[bytes]:
    """How a file, a column or a message may hold it: UTF-8, UTF-16 and inside JSON, once or twice escaped."""
    once = json.dumps(canary)[1:-1]
    texts = {canary, once, json.dumps(canary, ensure_ascii=False)[1:-1], json.dumps(once)[1:-1]}
    return {text.encode() for text in texts} | {canary.encode("utf-16-le"), canary.encode("utf-16-be")}


class Canaries:
    """Counts places where any of these texts begins.

    Each place of the bytes is looked up by its first eight bytes in a table of bits, all places at once; what the table
    does not rule out is compared.
    """

    def __init__(self, canaries: Iterable[str]) -> None:
        needles = {form for canary in canaries for form in spellings(canary)}
        self._longest = max(map(len, needles))
        self._by_prefix: dict[bytes, dict[int, set[bytes]]] = {}
        for needle in needles:
            by_length = self._by_prefix.setdefault(needle[:PREFIX], {})
            by_length.setdefault(len(needle), set()).add(needle)
        self._table = np.zeros(1 << TABLE_BITS, dtype=bool)
        prefixes = np.frombuffer(b"".join(self._by_prefix), dtype="<u8")
        self._table[_slots(prefixes)] = True

    def count(self, data: bytes) -> int:
        """How often one of them stands in these bytes."""
        return sum(1 for _ in self._places(data))

    def count_stream(self, stream: BinaryIO) -> int:
        """The same for a stream of any length, in bounded memory."""
        total, kept = 0, b""
        while block := stream.read(CHUNK):
            data = kept + block
            # What begins in the last bytes may go on in the next block: it is counted there.
            done = max(0, len(data) - self._longest + 1)
            total += sum(1 for place in self._places(data) if place < done)
            kept = data[done:]
        return total + self.count(kept)

    def _places(self, data: bytes) -> Iterator[int]:
        for shift in range(PREFIX):
            words = (len(data) - shift) // PREFIX
            if words <= 0:
                return
            view = np.frombuffer(data, dtype="<u8", count=words, offset=shift)
            for index in np.flatnonzero(self._table[_slots(view)]):
                start = int(index) * PREFIX + shift
                if self._stands(data, start):
                    yield start

    def _stands(self, data: bytes, start: int) -> bool:
        by_length = self._by_prefix.get(data[start : start + PREFIX], {})
        return any(data[start : start + length] in needles for length, needles in by_length.items())


def _slots(words: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return (words * _FACTOR) >> np.uint64(64 - TABLE_BITS)
