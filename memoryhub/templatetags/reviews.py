"""How the reviewers' pages put risks, waiting times and refusals into words."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import template
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext_lazy as _

from reviews.risk import Risk

register = template.Library()

CLOSED = {
    "own_proposal": _("You proposed this, or it was proposed on your behalf, so another reviewer decides."),
    "already_decided": _("It has been decided already."),
    "second_approver_required": _("You have approved it; now another reviewer must, without knowing your verdict."),
    "claimed": _("Another reviewer is working on it, so you cannot decide it now."),
}

TABLES = {
    "queue": _("queue"),
    "waits": _("waiting times"),
    "reasons": _("reasons"),
    "agreement": _("agreement"),
    "afterwards": _("afterwards"),
    "agents": _("by agent"),
    "decisions": _("decisions"),
    "conflicts": _("conflicts"),
    "wrong": _("what proved wrong"),
    "recalls": _("recalls"),
    "feedback": _("feedback"),
}


@register.filter
def table_words(name: str) -> Any:
    return TABLES[name]


@register.filter
def risk_words(risk: str) -> Any:
    return Risk(risk).label


@register.filter
def closed_words(code: str) -> Any:
    """Why one may not decide, in words."""
    return CLOSED[code]


@register.filter
def waited(time: timedelta | None) -> str:
    """A length of time in words, or a dash where nothing waited."""
    if time is None:
        return "—"
    now = timezone.now()
    return timesince(now - time, now, depth=1)
