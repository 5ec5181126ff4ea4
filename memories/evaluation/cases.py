"""Cases from JSON Lines. What is wrong with a file is told by line and key; its text is never quoted."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

CLOCK = datetime(2026, 11, 30, 12, tzinfo=UTC)


class CaseError(ValueError):
    """A line, and a key where one is to blame, that no suite can run."""

    def __init__(self, line: int, problem: str, key: str = "") -> None:
        place = f"line {line}, key {key!r}" if key else f"line {line}"
        super().__init__(f"{place}: {problem}")


@dataclass(frozen=True, slots=True)
class Case:
    """One line, or an object inside it. Every reader raises CaseError for a key that is missing or of another type."""

    line: int
    fields: Mapping[str, Any]
    place: str = ""

    def __contains__(self, key: str) -> bool:
        return self.fields.get(key) is not None

    @property
    def id(self) -> str:
        name = self.text("id")
        if not name.strip():
            raise self.wrong("id", "is blank")
        return name

    def wrong(self, key: str, problem: str) -> CaseError:
        return CaseError(self.line, problem, f"{self.place}{key}")

    def text(self, key: str) -> str:
        return self._of(key, str, "is no text")

    def number(self, key: str) -> int:
        found = self._of(key, int, "is no whole number")
        if isinstance(found, bool):
            raise self.wrong(key, "is no whole number")
        return found

    def flag(self, key: str) -> bool:
        return self._of(key, bool, "is neither true nor false")

    def texts(self, key: str) -> tuple[str, ...]:
        found = self._of(key, list, "is no list of texts")
        if not all(isinstance(one, str) for one in found):
            raise self.wrong(key, "is no list of texts")
        return tuple(found)

    def labels(self, key: str) -> tuple[str, ...]:
        """A list of labels in which what is absent is blank: to be refused by what is tested, not by the reader."""
        if self.fields.get(key) is None:
            return ()
        labels = ["" if one is None else one for one in self._of(key, list, "is no list of texts")]
        return Case(self.line, {key: labels}, self.place).texts(key)

    def inner(self, key: str) -> Case:
        return Case(self.line, self._of(key, dict, "is no object"), f"{self.place}{key}.")

    def inners(self, key: str) -> tuple[Case, ...]:
        found = self._of(key, list, "is no list of objects")
        if not all(isinstance(one, dict) for one in found):
            raise self.wrong(key, "is no list of objects")
        return tuple(Case(self.line, one, f"{self.place}{key}.{index}.") for index, one in enumerate(found))

    def maybe(self, key: str) -> bool:
        """Whether a nullable key says something; it must be there all the same."""
        if key not in self.fields:
            raise self.wrong(key, "is missing")
        return self.fields[key] is not None

    def end(self, key: str) -> datetime | date | None:
        """The end of a validity: an instant, a day, or none."""
        return self._moment(key) if key in self else None

    def clock(self, key: str = "as_of") -> datetime:
        """The moment at which the case is judged; a bare day is its first instant."""
        if key not in self:
            return CLOCK
        moment = self._moment(key)
        return moment if isinstance(moment, datetime) else datetime.combine(moment, time.min, UTC)

    def _of(self, key: str, type_: type, problem: str) -> Any:
        if key not in self.fields:
            raise self.wrong(key, "is missing")
        if not isinstance(self.fields[key], type_):
            raise self.wrong(key, problem)
        return self.fields[key]

    def _moment(self, key: str) -> datetime | date:
        text = self.text(key)
        try:
            if len(text) == len("2026-11-30"):
                return date.fromisoformat(text)
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise self.wrong(key, "is no date") from None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def read(path: Path) -> list[Case]:
    """Every case of a `.jsonl` or `.jsonl.gz` file in order; blank lines do not count, ids must be unique.

    Raises CaseError for a malformed line and OSError for a file that cannot be read.
    """
    found: list[Case] = []
    seen: set[str] = set()
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as lines:
        for number, raw in enumerate(lines, start=1):
            if not raw.strip():
                continue
            case = _case(number, raw)
            if case.id in seen:
                raise case.wrong("id", "is used twice")
            seen.add(case.id)
            found.append(case)
    return found


def _case(number: int, raw: bytes) -> Case:
    try:
        fields = json.loads(raw)
    except (ValueError, RecursionError):
        raise CaseError(number, "is no JSON") from None
    if not isinstance(fields, dict):
        raise CaseError(number, "is no JSON object")
    return Case(number, fields)
