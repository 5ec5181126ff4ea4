"""What a suite found: one row per case, figures, and the bars that figures must reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Figure = int | float | bool | None


class BarError(ValueError):
    """A bar that cannot be read or names no figure of the suite."""


@dataclass(frozen=True, slots=True)
class Row:
    """The answer to one case, in ids and codes."""

    id: str
    expected: Any
    got: Any
    reason: str
    ok: bool

    def document(self) -> dict[str, Any]:
        return {"id": self.id, "expected": self.expected, "got": self.got, "reason": self.reason, "ok": self.ok}


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run. `passed` is the suite's own gate, `files` the reports it can write by name."""

    suite: str
    rows: Sequence[Row]
    metrics: Mapping[str, Figure]
    passed: bool = True
    files: Mapping[str, str] | None = None

    def document(self) -> dict[str, Any]:
        return {"suite": self.suite, "rows": [row.document() for row in self.rows], "metrics": dict(self.metrics)}


@dataclass(frozen=True, slots=True)
class Bar:
    """A least or greatest figure."""

    name: str
    value: float
    is_least: bool

    @classmethod
    def parse(cls, text: str, *, is_least: bool) -> Bar:
        name, mark, value = text.partition("=")
        try:
            return cls(name.strip(), float(value), is_least) if mark and name.strip() else _unreadable(text)
        except ValueError:
            return _unreadable(text)

    def missed_by(self, metrics: Mapping[str, Figure]) -> str | None:
        """Why the figures do not reach it, or None. A figure that nothing was measured for reaches no bar."""
        if self.name not in metrics:
            raise BarError(f"there is no figure {self.name!r}; there are {', '.join(metrics)}")
        figure = metrics[self.name]
        if figure is None:
            return f"{self.name} was not measured: no case is about it"
        if figure >= self.value if self.is_least else figure <= self.value:
            return None
        return f"{self.name} is {shown(figure)}, the bar is {'at least' if self.is_least else 'at most'} {self.value:g}"


def share(hits: Iterable[bool]) -> float | None:
    """The part that is true, or None when there is nothing to count."""
    counted = list(hits)
    return round(sum(counted) / len(counted), 4) if counted else None


def shown(figure: Figure) -> str:
    if figure is None:
        return "-"
    if isinstance(figure, bool):
        return "yes" if figure else "no"
    return f"{figure:.4g}" if isinstance(figure, float) else str(figure)


def _unreadable(text: str) -> Bar:
    raise BarError(f"a bar is NAME=VALUE, not {text!r}")
