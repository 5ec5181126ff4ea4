"""The pages of one memory: enter, read, correct, pause, forget, receipt."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import NotVisible, StaleVersion
from accounts.pages import offer_undo, person_page, use_own_language
from accounts.principals import Principal
from memories import access, actions, diffs, gone, reading, recalled, tenant_policy, uses
from memories.actions import ACTIVATING, HOLDING, Proposed
from memories.forms import CorrectionForm, EntryForm, ForgetForm, VersionForm, place_choices
from memories.models import Evidence, Memory, Operation, Use
from memories.reasons import sentence
from memories.write_gate import Outcome


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
    """One version: what it says, why it is remembered, why it came back, and every version of its key."""
    versions = reading.history(principal, str(memory_id))
    memory = next(one for one in versions if one.pk == memory_id)
    standing = next((one for one in versions if one.status in Memory.CURRENT), None)
    written = Operation.objects.filter(memory=memory, decision__in=ACTIVATING).order_by("pk").first()
    shown = {"memory": memory, "versions": versions, "standing": standing, "operation": written}
    shown |= {"may_change": access.may_change(principal, memory.namespace), "policy": tenant_policy.active()}
    shown |= _wider(principal, memory) | _use(principal, memory, versions)
    return render(request, "memories/detail.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def correct(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    """A new version. First, if asked, how it differs and what the gate would say; `preview` changes nothing."""
    memory = _current(principal, memory_id)
    form = CorrectionForm(request.POST or None, memory=memory)
    if form.is_valid():
        version = form.cleaned_data["expected_version"]
        if "preview" in request.POST:
            foreseen = actions.preview(principal, actions.changed(memory, **form.changes())).decision
            shown = {"form": form, "memory": memory, "new": form.cleaned_data, "foreseen": foreseen}
            return render(request, "memories/correct.html", shown)
        try:
            proposed = actions.correct(principal, str(memory_id), form.changes(), expected_version=version)
        except StaleVersion:
            return _stale(request, principal, form, memory, version)
        if answered := _answered(request, form, proposed):
            return answered
    # While someone types, an unfinished entry is no error.
    status = 400 if form.errors and "preview" not in request.POST else 200
    return render(request, "memories/correct.html", {"form": form, "memory": memory}, status=status)


@require_POST
@person_page
def pause(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    memory = actions.pause(principal, str(memory_id), expected_version=_seen_version(request))
    words = _("It is paused: kept, but no agent gets it.")
    offer_undo(request, words, f"{reverse('resume-memory', args=[memory.pk])}?expected_version={memory.version}")
    return redirect("memory", memory.pk)


@require_POST
@person_page
def resume(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    memory = actions.resume(principal, str(memory_id), expected_version=_seen_version(request))
    words = _("It is active again.")
    offer_undo(request, words, f"{reverse('pause-memory', args=[memory.pk])}?expected_version={memory.version}")
    return redirect("memory", memory.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def forget(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    """First what it means, then, confirmed, the receipt."""
    versions = [one for one in reading.history(principal, str(memory_id)) if one.status != Memory.Status.DELETED]
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


def _use(principal: Principal, memory: Memory, versions: Sequence[Memory]) -> dict[str, Any]:
    """How often it came back and why, and each version with the one before it."""
    counted = uses.weekly(Use.objects.filter(slot=memory.slot_id).first(), timezone.now())
    steps = list(zip(versions, [*versions[1:], None], strict=True))
    came = recalled.latest(principal, [one.pk for one in versions]) if memory.status != Memory.Status.DELETED else []
    return {"use": {memory.pk: counted}, "counted": counted, "came": came, "steps": steps}


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


def _current(principal: Principal, memory_id: uuid.UUID) -> Memory:
    """The version that stands for the key of a memory; a forgotten one has none."""
    for version in reading.history(principal, str(memory_id)):
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


def _stale(
    request: HttpRequest, principal: Principal, form: CorrectionForm, standing: Memory, seen: int
) -> HttpResponse:
    """Theirs, mine, and both in one where they do not touch: nobody's words are lost or overwritten unseen."""
    versions = reading.history(principal, str(standing.pk))
    base = next((one.statement for one in versions if one.version == seen and one.statement), None)
    mine = form.cleaned_data
    merged = diffs.merge(base, mine["statement"], standing.statement or "") if base else None
    renewed = form.renewed(standing, merged or mine["statement"])
    shown = {"form": renewed, "standing": standing, "mine": mine, "base": base, "merged": merged}
    return render(request, "memories/stale.html", shown, status=StaleVersion.status)


def _seen_version(request: HttpRequest) -> int | None:
    """What the button that was pressed looked at; that of a message says so in its address."""
    form = VersionForm({**request.GET.dict(), **request.POST.dict()})
    return form.cleaned_data["expected_version"] if form.is_valid() else -1
