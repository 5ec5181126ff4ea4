"""The page of how well the reviews work, and its tables as files."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from accounts.pages import person_page
from accounts.principals import Principal
from memories import tables
from memories.models import Memory
from memories.reasons import REASONS
from reviews import quality
from reviews.models import DelayedVerdict
from reviews.review_forms import REASON_WORDS


@require_safe
@person_page
def show(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Charts with their numbers beside them; each title says what was found."""
    found = quality.measure(principal, now := timezone.now())
    shown = {
        "found": found,
        "now": now,
        "days": [_day(day) for day, _waiting in found.queue],
        "waiting": [(gettext("waiting"), [count for _day, count in found.queue])],
        "waiting_now": found.queue[-1][1],
        "most_waiting": max(count for _day, count in found.queue),
        "weeks": [_day(week) for week, *_rest in found.waits],
        "hours": [
            (gettext("median"), [median for _week, _count, median, _p90 in found.waits]),
            (gettext("90 of 100 sooner"), [p90 for _week, _count, _median, p90 in found.waits]),
        ],
        "decided": sum(count for _week, count, *_rest in found.waits),
        "reasons": [(_reason(verdict, reason), count) for verdict, reason, count in found.reasons],
        "afterwards": [(Memory.Status(status).label, count) for status, count in found.afterwards],
        "tables": list(quality.COLUMNS),
    }
    return render(request, "reviews/quality.html", shown)


@require_safe
@person_page
def as_csv(request: HttpRequest, principal: Principal, table: str) -> HttpResponse:
    """One table as a file, in codes and decimal numbers."""
    return tables.as_csv(quality.measure(principal, timezone.now()), quality.COLUMNS, table, "reviews")


def _day(day: Any) -> str:
    return str(date_format(day, "MONTH_DAY_FORMAT"))


def _reason(verdict: str, reason: str) -> str:
    words = str(DelayedVerdict.Verdict(verdict).label)
    if not reason:
        return words
    return f"{words}: {REASON_WORDS.get(reason) or REASONS.get(reason, reason)}"
