"""The list of memories: filters, views under a name, and one thing done to several at once."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import Conflict
from accounts.pages import offer_undo, person_page
from accounts.principals import Principal
from memories import access, actions, reading, saved_views, tenant_policy
from memories.forms import place_choices, ref_of
from memories.list_forms import READY, FilterForm, SeveralForm, ViewForm
from memories.listing import list_page
from memories.models import Namespace

INVERSE = {"pause": "resume", "resume": "pause"}


@require_safe
@person_page
def list_memories(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What I may read; every filter stands in the address."""
    policy = tenant_policy.active()
    agents = access.agents(principal)
    places = access.readable(principal, known=agents)
    choices = place_choices(places, principal.subject_id)
    form = FilterForm(request.GET, policy=policy, places=choices, agents=agents)
    shown: dict[str, Any] = {
        "form": form,
        "policy": policy,
        "ready": READY,
        "views": list(access.saved_views(principal)),
    }
    if not form.is_valid():
        return render(request, "memories/list.html", shown)
    now = timezone.now()
    listed = list_page(principal, form.wanted(now), request.GET.get("page"), now, places)
    reading.note_listing(principal, len(listed.page.object_list))
    query = form.address()
    shown |= {"page": listed.page, "use": listed.use, "query": query, "chips": form.chips()}
    shown |= {"tabs": form.tabs(listed.counts), "is_whole": not query and not listed.counts["superseded"]}
    shown["pages"] = listed.page.paginator.get_elided_page_range(listed.page.number, on_each_side=1, on_ends=1)
    shown["place"] = _emptiable(principal, places, form.cleaned_data["namespace"])
    shown["view_form"] = ViewForm(initial={"query": form.address(q="")})
    return render(request, "memories/list.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def change_several(request: HttpRequest, principal: Principal) -> HttpResponse:
    """First for how many it can be done and why not for the rest, then, confirmed, all of them or none."""
    form = SeveralForm(request.POST if "action" in request.POST else request.GET)
    if not form.is_valid():
        told = form.non_field_errors() or [words for errors in form.errors.values() for words in errors]
        messages.warning(request, " ".join(told))
        return _back(form)
    given = form.cleaned_data
    if request.method == "POST":
        return _change(request, principal, given, form)
    weighed = actions.weigh(principal, given["action"], given["id"], given["valid_until"])
    can = [one.memory for one in weighed if not one.obstacle]
    shown = {"form": form, "action": given["action"], "can": can, "cannot": [one for one in weighed if one.obstacle]}
    shown |= {"chosen": len(given["id"]), "missing": len(given["id"]) - len(weighed), "policy": tenant_policy.active()}
    shown |= {"needs_day": given["action"] == "renew" and given["valid_until"] is None, "given": given}
    return render(request, "memories/several.html", shown)


@require_POST
@person_page
def save_view(request: HttpRequest, principal: Principal) -> HttpResponse:
    form = ViewForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("A view needs a name of at most 64 characters."))
        return redirect("memories")
    view = saved_views.save(principal, form.cleaned_data["name"], form.cleaned_data["query"])
    messages.success(request, _("The view is kept. Words you searched for are not part of it."))
    return redirect(f"{reverse('memories')}?{view.query}")


@require_POST
@person_page
def remove_view(request: HttpRequest, principal: Principal, view_id: uuid.UUID) -> HttpResponse:
    saved_views.remove(principal, view_id)
    messages.success(request, _("The view is gone; the memories in it are as they were."))
    return redirect("memories")


def _change(request: HttpRequest, principal: Principal, given: dict[str, Any], form: SeveralForm) -> HttpResponse:
    seen = dict(given["seen"])
    if given["action"] == "forget" and not given["understood"]:
        messages.warning(request, _("Nothing was forgotten: say that you understand that it cannot be undone."))
        named = [("action", "forget"), ("back", given["back"]), *(("id", pk) for pk in seen)]
        return redirect(f"{reverse('several-memories')}?{urlencode(named)}")
    try:
        receipt = actions.change_several(principal, given["action"], seen, given["valid_until"])
    except Conflict:
        messages.error(request, _("One of them cannot be kept until then, so none was changed."))
        return _back(form)
    if receipt is not None:
        messages.success(request, _("It is forgotten. This is the receipt."))
        return redirect("erasure", receipt.pk)
    words = ngettext("%(n)d memory was changed.", "%(n)d memories were changed.", len(seen)) % {"n": len(seen)}
    if inverse := INVERSE.get(given["action"]):
        named = [("action", inverse), *(("seen", f"{pk}:{version}") for pk, version in seen.items())]
        offer_undo(request, words, f"{reverse('several-memories')}?{urlencode(named)}")
    else:
        messages.success(request, words)
    return _back(form)


def _back(form: SeveralForm) -> HttpResponse:
    """The list as it was filtered."""
    query = form.list_query()
    return redirect(f"{reverse('memories')}?{query}" if query else "memories")


def _emptiable(principal: Principal, places: list[Namespace], place: str) -> Namespace | None:
    """The place of the filter, when all of it may be forgotten by this person."""
    ref = ref_of(place) if place else None
    found = (one for one in places if ref and (one.type, one.owner_name) == (ref.type, ref.id))
    return next((one for one in found if access.may_change(principal, one)), None)
