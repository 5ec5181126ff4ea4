"""The pages of what is remembered: list, enter, read, correct, pause, forget, receipt."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import Forbidden, NotVisible, StaleVersion
from accounts.pages import person_page, use_own_language
from accounts.principals import Principal
from memories import access, actions, gone, recalling, tenant_policy
from memories.actions import ACTIVATING, HOLDING, Proposed
from memories.forms import CorrectionForm, EntryForm, FilterForm, ForgetForm, VersionForm, place_choices, ref_of
from memories.models import Evidence, Memory, Namespace, Operation
from memories.reasons import sentence
from memories.recalling import ListFilter
from memories.write_gate import Outcome

PAGE = 25
SHOWN: dict[str, Callable[[Any, datetime], Any]] = {
    "": lambda rows, now: rows.current(),
    "active": lambda rows, now: rows.recallable(now),
    "expired": lambda rows, now: rows.filter(status=Memory.Status.ACTIVE, valid_until__lte=now),
}


@require_safe
@person_page
def list_memories(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What I may read, newest first; every filter stands in the address."""
    policy = tenant_policy.active()
    form = FilterForm(request.GET, policy=policy, places=_places(principal))
    rows = _chosen(principal, form.cleaned_data) if form.is_valid() else Memory.objects.none()
    page = Paginator(rows.order_by("-pk"), PAGE).get_page(request.GET.get("page"))
    recalling.note_listing(principal, len(page.object_list))
    query = request.GET.copy()
    query.pop("page", None)
    shown = {"form": form, "page": page, "policy": policy, "query": query.urlencode(), "filtered": any(query.values())}
    shown["place"] = _emptiable(principal, form.cleaned_data["namespace"]) if form.is_valid() else None
    return render(request, "memories/list.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def enter(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Add one by hand: explicit, so saved at once if the gate agrees."""
    policy = tenant_policy.active()
    form = EntryForm(request.POST or None, policy=policy, places=_places(principal))
    if form.is_valid():
        proposed = actions.propose(principal, form.proposal())
        if answered := _answered(request, form, proposed):
            return answered
    status = 400 if form.errors else 200
    return render(request, "memories/enter.html", {"form": form, "policy": policy}, status=status)


@require_safe
@person_page
def show(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    """One version: what it says, why it is remembered, and every version of its key."""
    versions = recalling.history(principal, str(memory_id))
    memory = next(one for one in versions if one.pk == memory_id)
    standing = next((one for one in versions if one.status in Memory.CURRENT), None)
    written = Operation.objects.filter(memory=memory, decision__in=ACTIVATING).order_by("pk").first()
    shown = {"memory": memory, "versions": versions, "standing": standing, "operation": written}
    shown |= {"may_change": _may_change(principal, memory), "policy": tenant_policy.active()}
    shown |= _wider(principal, memory)
    return render(request, "memories/detail.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def correct(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    memory = _current(principal, memory_id)
    form = CorrectionForm(request.POST or None, memory=memory)
    if form.is_valid():
        version = form.cleaned_data["expected_version"]
        try:
            proposed = actions.correct(principal, str(memory_id), form.changes(), expected_version=version)
        except StaleVersion:
            return _stale(request, form, _current(principal, memory_id))
        if answered := _answered(request, form, proposed):
            return answered
    status = 400 if form.errors else 200
    return render(request, "memories/correct.html", {"form": form, "memory": memory}, status=status)


@require_POST
@person_page
def pause(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    memory = actions.pause(principal, str(memory_id), expected_version=_seen_version(request))
    messages.success(request, _("It is paused: kept, but no agent gets it."))
    return redirect("memory", memory.pk)


@require_POST
@person_page
def resume(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    memory = actions.resume(principal, str(memory_id), expected_version=_seen_version(request))
    messages.success(request, _("It is active again."))
    return redirect("memory", memory.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def forget(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    """First what it means, then, confirmed, the receipt."""
    versions = [one for one in recalling.history(principal, str(memory_id)) if one.status != Memory.Status.DELETED]
    if not versions:
        raise NotVisible
    access.require_change(principal, versions[0].namespace)
    form = ForgetForm(request.POST or None, initial={"expected_version": versions[0].version})
    if form.is_valid():
        version = form.cleaned_data["expected_version"]
        erasure = actions.forget(principal, str(memory_id), expected_version=version)
        messages.success(request, _("It is forgotten. This is the receipt."))
        return redirect("erasure", erasure.pk)
    shown = {"form": form, "memory": versions[0], "versions": versions}
    return render(request, "memories/forget.html", shown, status=400 if form.errors else 200)


@require_safe
@person_page
def receipt(request: HttpRequest, principal: Principal, erasure_id: uuid.UUID) -> HttpResponse:
    """What was forgotten, in counts and times; it holds no text and can be printed."""
    erasure = access.erasure(principal, erasure_id)
    return render(request, "memories/receipt.html", {"erasure": erasure, "gone": gone.by(erasure)})


@require_safe
def forgetting(request: HttpRequest) -> HttpResponse:
    """What forgetting means here, and by when the last copy is gone."""
    use_own_language(request)
    return render(request, "memories/forgetting.html", {"promise": gone.promise()})


def _places(principal: Principal) -> list[tuple[str, Any]]:
    return place_choices(access.readable(principal), principal.subject_id)


def _chosen(principal: Principal, given: dict[str, Any]) -> QuerySet[Memory]:
    stored = given["status"] if given["status"] not in SHOWN else None
    place = ref_of(given["namespace"]) if given["namespace"] else None
    chosen = ListFilter(namespace=place, kind=given["kind"] or None, status=stored, q=given["q"] or None)
    rows = recalling.enumerate_memories(principal, chosen)
    return SHOWN[given["status"]](rows, timezone.now()) if stored is None else rows


def _may_change(principal: Principal, memory: Memory) -> bool:
    """Whether to offer pausing and forgetting; the verbs ask again."""
    try:
        access.require_change(principal, memory.namespace)
    except Forbidden:
        return False
    return True


def _wider(principal: Principal, memory: Memory) -> dict[str, Any]:
    """What else may be forgotten from here: the conversation that was mine, and what the same agent proposed."""
    evidence = memory.evidence
    if evidence is None or evidence.type == Evidence.Type.WEB_FORM or evidence.subject_id != principal.subject_id:
        evidence = None
    try:
        proposer = access.agent(principal, pk=memory.proposed_by)
    except NotVisible:
        proposer = None
    return {"from_source": evidence, "proposer": proposer}


def _emptiable(principal: Principal, place: str) -> Namespace | None:
    """The place of the filter, when all of it may be forgotten by this person."""
    ref = ref_of(place) if place else None
    found = (one for one in access.changeable(principal) if ref and (one.type, one.owner_name) == (ref.type, ref.id))
    return next(found, None)


def _current(principal: Principal, memory_id: uuid.UUID) -> Memory:
    """The version that stands for the key of a memory; a forgotten one has none."""
    for version in recalling.history(principal, str(memory_id)):
        if version.status in Memory.CURRENT:
            return version
    raise NotVisible


def _answered(request: HttpRequest, form: Any, proposed: Proposed) -> HttpResponse | None:
    """Where a saved or held entry leads; a refusal stays in the form, in words beside its field."""
    decision = proposed.decision
    if decision.outcome in HOLDING:
        messages.info(request, sentence(decision.reason))
        return redirect("memories")
    if proposed.memory is None or decision.outcome in (Outcome.reject, Outcome.route_to_source):
        form.show_refusal(decision.reason)
        return None
    messages.success(request, sentence(decision.reason))
    return redirect("memory", proposed.memory.pk)


def _stale(request: HttpRequest, form: CorrectionForm, standing: Memory) -> HttpResponse:
    """Both texts side by side: nobody's words are lost or overwritten unseen."""
    shown = {"form": form.renewed(standing), "standing": standing, "mine": form.cleaned_data}
    return render(request, "memories/stale.html", shown, status=StaleVersion.status)


def _seen_version(request: HttpRequest) -> int | None:
    form = VersionForm(request.POST)
    return form.cleaned_data["expected_version"] if form.is_valid() else -1
