"""How the pages show agents, roles and shares of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import template
from django.template import Context
from django.utils.translation import gettext_lazy as _

from accounts.forms import ROLES, SCOPE_WORDS
from accounts.principals import Role, Scope

register = template.Library()

# Each with the look of the status it resembles.
AGENT_STATES = {
    "active": ("active", _("may call")),
    "paused": ("paused", _("paused")),
    "keyless": ("pending", _("has no key")),
    "ended": ("deleted", _("ended for good")),
}


@register.inclusion_tag("parts/state.html")
def agent_state(state: str) -> dict[str, Any]:
    """Whether an agent may call."""
    name, words = AGENT_STATES[state]
    return {"name": name, "words": words}


@register.simple_tag(takes_context=True)
def is_admin(context: Context) -> bool:
    """Whether the reader administers the organisation."""
    membership = getattr(context.get("request"), "membership", None)
    return membership is not None and membership.has_role(Role.ADMIN)


@register.filter
def role_words(role: str) -> Any:
    """What a role lets a person do."""
    return dict(ROLES).get(role, role)


@register.filter
def scopes_in_words(scopes: Sequence[str]) -> list[str]:
    """What each of these scopes allows."""
    return [str(SCOPE_WORDS[Scope(one)]) for one in scopes]


@register.filter
def percent(share: float) -> str:
    return f"{round(100 * share)} %"


@register.inclusion_tag("developers/score.html")
def score_bar(share: float) -> dict[str, Any]:
    """A share between 0 and 1 as a bar; the number stands beside it."""
    return {"width": round(100 * min(max(share, 0), 1))}


@register.filter
def total(counts: Iterable[int]) -> int:
    return sum(counts)
