"""Taking along some of a list: what was chosen in it, or all that its filters give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.pages import offer_undo, person_page
from accounts.principals import Principal
from memories import access, actions, tenant_policy
from memories.exchange import exporting
from memories.exchange.forms import FormatForm
from memories.forms import place_choices
from memories.list_forms import FilterForm, PickedForm
from memories.listing import all_of
from memories.models import Memory


@dataclass(frozen=True, slots=True)
class Picked:
    """How many the address names, which of them can be taken along, and the list to go back to."""

    named: int
    memories: Sequence[Memory]
    back: str


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def export_some(request: HttpRequest, principal: Principal) -> HttpResponse:
    """First how many there are and how many can be taken along; then a file of these, made in the background.

    The address says which: `id` for each chosen one, or the filters of the list.
    """
    picked = _chosen(request, principal) if "id" in request.GET else _filtered(request, principal)
    back = f"{reverse('memories')}?{picked.back}" if picked else reverse("memories")
    if picked is None or not picked.named:
        messages.warning(request, _("Choose at least one memory first."))
        return redirect(back)
    form = FormatForm(request.POST or None)
    if form.is_valid():
        export = exporting.ask_for_some(principal, picked.memories, form.cleaned_data["format"])
        offer_undo(request, _("The file is being made."), reverse("cancel-export", args=[export.pk]))
        return redirect("export", export.pk)
    counts = {"named": picked.named, "can": len(picked.memories), "most": exporting.MOST_CHOSEN}
    return render(request, "exchange/some.html", {**counts, "form": form, "back": back})


def _chosen(request: HttpRequest, principal: Principal) -> Picked | None:
    form = PickedForm(request.GET)
    if not form.is_valid():
        return None
    given = form.cleaned_data
    rows = actions.visible(principal, given["id"])
    return Picked(len(given["id"]), [row for row in rows if row.status in Memory.CURRENT], form.list_query())


def _filtered(request: HttpRequest, principal: Principal) -> Picked | None:
    agents = access.agents(principal)
    places = access.readable(principal, known=agents)
    choices = place_choices(places, principal.subject_id)
    form = FilterForm(request.GET, policy=tenant_policy.active(), places=choices, agents=agents)
    if not form.is_valid():
        return None
    rows = all_of(principal, form.wanted(timezone.now()), timezone.now(), places)
    some = rows.current().only("namespace_id", "slot_id")[: exporting.MOST_CHOSEN + 1]
    return Picked(rows.count(), list(some), form.address())
