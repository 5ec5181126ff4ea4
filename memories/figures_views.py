"""The page of how well memory is governed, for auditors and administrators, and its tables as files."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from accounts import audit_trail
from accounts.pages import person_page
from accounts.principals import Principal
from memories import figures, tables
from memories.models import Feedback
from memories.reasons import REASONS, UNKNOWN

SHOWN_REASONS = 12


@require_safe
@person_page
def show(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Charts with their numbers beside them."""
    found = figures.measure(principal, now := timezone.now())
    audit_trail.note_reading(principal, 0)
    stored, superseded, kept, waiting, routed, refused = list(zip(*found.decisions, strict=True))[1:]
    reasons: Counter[str] = Counter()
    for _decision, reason, count in found.reasons:
        reasons[reason] += count
    written, corrected, rejected = (sum(row[at] for row in found.wrong) for at in (1, 2, 3))
    shown = {
        "found": found,
        "now": now,
        "weeks": [_day(row[0]) for row in found.decisions],
        "decisions": [
            (gettext("remembered"), [sum(one) for one in zip(stored, superseded, kept, strict=True)]),
            (gettext("waited for a person"), waiting),
            (gettext("left to a business system"), routed),
            (gettext("refused"), refused),
        ],
        "decided": reasons.total(),
        "reasons": [(REASONS.get(reason, UNKNOWN), count) for reason, count in reasons.most_common(SHOWN_REASONS)],
        "conflicts": [(REASONS[reason], count) for reason, count in found.conflicts if count],
        "written": written,
        "wrong": corrected + rejected,
        "shares": [(gettext("of a hundred"), [round(100 * row[4], 1) for row in found.wrong])],
        "recalls": [
            (gettext("found something"), [row[1] - row[2] for row in found.recalls]),
            (gettext("nothing relevant"), [row[2] for row in found.recalls]),
        ],
        "asked": sum(row[1] for row in found.recalls),
        "after_forgetting": sum(row[3] for row in found.recalls),
        "feedback": [(Feedback.Verdict(verdict).label, count) for verdict, count in found.feedback],
        "tables": list(figures.COLUMNS),
    }
    return render(request, "memories/figures.html", shown)


@require_safe
@person_page
def as_csv(request: HttpRequest, principal: Principal, table: str) -> HttpResponse:
    """One table as a file, in codes and decimal numbers."""
    found = figures.measure(principal, timezone.now())
    answer = tables.as_csv(found, figures.COLUMNS, table, "memory")
    audit_trail.note_reading(principal, 0)
    return answer


def _day(day: Any) -> str:
    return str(date_format(day, "MONTH_DAY_FORMAT"))
