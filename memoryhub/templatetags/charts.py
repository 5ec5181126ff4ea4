"""Pictures of numbers: SVG made here, with the numbers as a table beside or beneath, in the colours of the theme.

Lengths are shares of a box that the page stretches, so words stand outside of the SVG and stay readable on a phone.
Every scale begins at zero; a chart has at most five series, which differ in more than colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from django import template

register = template.Library()

WIDTH, HEIGHT = 600, 120
SERIES = 5
SPARK_WIDTH, SPARK_HEIGHT = 77, 20
MARKS = {"good": "active", "bad": "deleted", "none": "superseded"}

Series = Sequence[tuple[Any, Sequence[float]]]


@register.inclusion_tag("charts/bars.html")
def bars(rows: Iterable[tuple[Any, float]], title: Any, unit: Any = "") -> dict[str, Any]:
    """Numbers of named things, such as [("rejected", 4), …], as lying bars; the table itself carries them."""
    known = list(rows)
    most = max((value for _label, value in known), default=0) or 1
    shown = [{"label": label, "value": value, "share": _number(100 * value / most)} for label, value in known]
    return {"rows": shown, "title": title, "unit": unit}


@register.inclusion_tag("charts/stacked.html")
def stacked(
    labels: Sequence[Any], series: Series, title: Any, unit: Any = "", links: Sequence[str] = ()
) -> dict[str, Any]:
    """Columns over time: one column a label, one part a series, such as [("saved", [1, 0, 2]), …].

    `links` holds an address for each column, or nothing.
    """
    _refuse_too_many(series)
    columns = list(zip(*(values for _name, values in series), strict=True)) if series else []
    most = max((sum(column) for column in columns), default=0)
    step = WIDTH / max(len(columns), 1)
    shown = []
    for at, column in enumerate(columns):
        tops = list(accumulate(column))
        parts = [
            {"number": number, "y": _number(HEIGHT * (1 - top / most)), "height": _number(HEIGHT * value / most)}
            for number, (value, top) in enumerate(zip(column, tops, strict=True))
            if value
        ]
        words = ", ".join(f"{name}: {value:g}" for (name, _values), value in zip(series, column, strict=True))
        address = links[at] if links else ""
        shown.append({"x": _number(at * step), "parts": parts, "words": f"{labels[at]} · {words}", "link": address})
    return _over_time(labels, series, title, unit, most) | {
        "columns": shown,
        "step": _number(step),
        "thick": _number(step * 0.72),
    }


@register.inclusion_tag("charts/line.html")
def line(labels: Sequence[Any], series: Series, title: Any, unit: Any = "") -> dict[str, Any]:
    """Lines over time, one a series, such as [("median", [3, 2.5, 4]), …]."""
    _refuse_too_many(series)
    most = max((value for _name, values in series for value in values), default=0)
    shown = [{"number": n, "points": _points(values, most, WIDTH, HEIGHT)} for n, (_name, values) in enumerate(series)]
    return _over_time(labels, series, title, unit, most) | {"lines": shown}


@register.inclusion_tag("charts/sparkline.html")
def sparkline(values: Sequence[float], words: Any) -> dict[str, Any]:
    """A small line within a row, in pixels of the sheet's `.spark`; `words` say in a sentence what it shows."""
    most = max(values, default=0)
    points = _points(values if most else (0, 0), most, SPARK_WIDTH, SPARK_HEIGHT - 2)
    return {"points": points, "words": words, "is_flat": not most}


@register.inclusion_tag("charts/strip.html")
def strip(marks: Iterable[tuple[str, Any]], title: Any) -> dict[str, Any]:
    """A mark for each thing that happened, such as [("good", "run 104"), …]: `good`, `bad` or `none`, then its name."""
    shown = [{"icon": MARKS[state], "state": state, "label": label} for state, label in marks]
    return {"marks": shown, "title": title}


def _over_time(labels: Sequence[Any], series: Series, title: Any, unit: Any, most: float) -> dict[str, Any]:
    rows = [(label, [values[at] for _name, values in series]) for at, label in enumerate(labels)]
    return {
        "title": title, "unit": unit, "most": f"{most:g}", "width": WIDTH, "height": HEIGHT, "rows": rows,
        "names": [name for name, _values in series], "first": labels[0] if labels else "",
        "last": labels[-1] if labels else "",
    }  # fmt: skip


def _points(values: Sequence[float], most: float, width: int, height: int) -> str:
    """The corners of a line, from the left edge to the right one; all on the ground when nothing was counted."""
    step = width / max(len(values) - 1, 1)
    return " ".join(
        f"{_number(at * step)},{_number(1 + height * (1 - value / (most or 1)))}" for at, value in enumerate(values)
    )


def _number(value: float) -> str:
    """A length as SVG reads it, whatever the reader's language."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _refuse_too_many(series: Series) -> None:
    if len(series) > SERIES:
        raise template.TemplateSyntaxError(f"a chart shows at most {SERIES} series")
