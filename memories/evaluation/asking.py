"""The suite about explicit requests: which sentences ask to remember, which ask for this once, and which only look so.

Each row says in which part it is. The rules were written against the first and never against the second. The third was
collected later, by someone else and to be hard; the fourth was measured once before any rule was written for it.
No database.
"""

from __future__ import annotations

from collections.abc import Sequence

from memories.evaluation.cases import Case
from memories.evaluation.results import Figure, Result, Row, share
from memories.evaluation.scenes import result_of
from memories.extraction import requests

PARTS = ("worked_on", "kept_aside", "fresh", "fourth")
REQUEST, ONE_OFF, NOTHING = "request", "one_off", "nothing"


def recognise(cases: Sequence[Case]) -> Result:
    """Precision and recall of lasting requests for each part and language; one-off ones among what would be kept."""
    for case in cases:
        _checked(case)
    rows = [_row(case) for case in cases]
    figures: dict[str, Figure] = {}
    for half in PARTS:
        of_half = [(row, case) for row, case in zip(rows, cases, strict=True) if case.text("half") == half]
        figures |= _figures(half, [row for row, _case in of_half])
        for language in sorted({case.text("lang") for _row, case in of_half}):
            figures |= _figures(f"{half}_{language}", [row for row, case in of_half if case.text("lang") == language])
    kinds = [_kind(case) == case.text("kind") for case in cases if "kind" in case and _kind(case)]
    once = sum(row.expected == ONE_OFF and row.got == REQUEST for row in rows)
    return result_of("requests", rows, **figures, one_off_stored=once, kind_right=share(kinds))


def _figures(name: str, rows: Sequence[Row]) -> dict[str, Figure]:
    return {
        f"{name}_precision": share(row.expected == REQUEST for row in rows if row.got == REQUEST),
        f"{name}_recall": share(row.got == REQUEST for row in rows if row.expected == REQUEST),
    }


def _row(case: Case) -> Row:
    found = requests.find(case.text("text"))
    got = NOTHING if not found else ONE_OFF if all(one.one_off for one in found) else REQUEST
    expected = case.text("expected")
    # A sentence for once may pass unnoticed: nothing is kept either way.
    return Row(case.id, expected, got, "", got == expected or {got, expected} == {ONE_OFF, NOTHING})


def _kind(case: Case) -> str:
    return next((one.kind for one in requests.find(case.text("text")) if not one.one_off), "")


def _checked(case: Case) -> None:
    case.text("text"), case.text("lang")
    if case.text("half") not in PARTS:
        raise case.wrong("half", f"is none of {', '.join(PARTS)}")
    if case.text("expected") not in (REQUEST, ONE_OFF, NOTHING):
        raise case.wrong("expected", "is none of request, one_off, nothing")
