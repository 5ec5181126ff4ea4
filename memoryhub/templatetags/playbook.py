"""How the pages show procedures in parts, and what differs between two of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from django import template
from django.template import Context
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from memories import procedures
from memories.models import Content, Memory, Namespace
from memories.step_changes import Change, Comparison, compare, wording
from memoryhub.templatetags.hub import state
from reviews import following

register = template.Library()

# Word and sign, never colour alone.
CHANGES = {
    Change.SAME: (_("as before"), ""),
    Change.ADDED: (_("added"), "+"),
    Change.REMOVED: (_("removed"), "−"),
    Change.MOVED: (_("moved"), "⇅"),
    Change.EDITED: (_("edited"), "±"),
}
FIELDS = {
    "title": _("Title"),
    "when": _("When to use it"),
    "applies_to": _("Where it applies"),
    "owner": _("Kept up to date by"),
    "valid_until": _("Holds until"),
}


@register.inclusion_tag("parts/procedure.html")
def procedure(row: Content) -> dict[str, Any]:
    """The steps and what belongs to them; nothing for a plain sentence."""
    return {"procedure": procedures.read(row.value)}


@register.filter
def in_steps(row: Content) -> bool:
    """Whether the row's value is a procedure in parts, so that nobody need read it as JSON."""
    return procedures.read(row.value) is not None


@register.inclusion_tag("parts/state.html")
def entry_state(row: Memory) -> dict[str, Any]:
    """The status of an entry; one that was taken out of use is suspended, one past its end has expired."""
    if row.status == Memory.Status.PAUSED:
        return {"name": "paused", "words": _("suspended")}
    return state(row)


@register.filter
def day_names(days: Sequence[date]) -> list[str]:
    """Days as the axis of a chart shows them."""
    return [date_format(day, "SHORT_DATE_FORMAT") for day in days]


@register.filter
def one_series(values: Sequence[float], name: Any) -> list[tuple[Any, Sequence[float]]]:
    """The only series of a chart."""
    return [(name, values)]


@register.inclusion_tag("parts/step_changes.html")
def step_changes(older: Content, newer: Content) -> dict[str, Any]:
    """What changed from one version, or from what stands, to another version or a candidate."""
    return {"comparison": compared(older, newer)}


def compared(older: Content, newer: Content) -> Comparison:
    return compare(*(wording(row.statement, row.value, row.conditions, row.valid_until) for row in (older, newer)))


@register.filter
def change_sign(change: Change) -> str:
    return CHANGES[change][1]


@register.filter
def change_words(change: Change) -> Any:
    return CHANGES[change][0]


@register.filter
def part_name(field: str) -> Any:
    """A part of a procedure in the reader's language."""
    return FIELDS[field]


BUTTONS = "follow_buttons"


@register.inclusion_tag("playbook/follow.html", takes_context=True)
def follow_button(context: Context, place: Namespace, memory: Memory | None = None) -> dict[str, Any]:
    """Begin or stop following an entry, or, without one, everything of a place; for a reader who is signed in."""
    page = context.render_context
    if BUTTONS not in page:
        page[BUTTONS] = following.buttons(context["request"].membership)
    follow = page[BUTTONS].get((place.pk, memory.slot_id if memory else None))
    return {"follow": follow, "memory": memory, "place": place, "csrf_token": context.get("csrf_token")}
