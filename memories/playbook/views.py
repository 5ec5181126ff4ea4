"""The pages of the playbook: what stands, one entry with its versions and use, the switch, and proposals to change."""

from __future__ import annotations

import uuid
from datetime import UTC
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import Conflict, NotVisible, StaleVersion
from accounts.pages import person_page
from accounts.principals import Principal
from memories import access, actions, reading, tenant_policy
from memories.actions import HOLDING, Proposed
from memories.forms import VersionForm, place_choices, ref_of
from memories.models import Feedback, Memory
from memories.playbook import duplicates, entries, usage
from memories.playbook.forms import (
    REASONS,
    ChoiceForm,
    CompareForm,
    NewEntryForm,
    NewVersionForm,
    RenewForm,
    SuspendForm,
)
from memories.reasons import sentence
from memories.write_gate import Outcome

PAGE = 25


@require_safe
@person_page
def show_playbook(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What agents go by, place by place; every choice stands in the address."""
    now, policy = timezone.now(), tenant_policy.active()
    places = access.playbook(principal)
    form = ChoiceForm(request.GET, policy=policy, places=place_choices(places, principal.subject_id))
    rows = entries.standing(principal, policy, places)
    given = form.cleaned_data if form.is_valid() else {"namespace": "", "kind": "", "state": ""}
    if not form.is_valid():
        rows = rows.none()
    if given["namespace"]:
        ref = ref_of(given["namespace"])
        rows = rows.filter(namespace__in=[p.pk for p in places if (p.type, p.owner_name) == (ref.type, ref.id)])
    if given["kind"]:
        rows = rows.filter(kind=given["kind"])
    chosen = entries.in_state(rows, given["state"], now).order_by(
        "namespace__type", "namespace_id", "kind", "key", "pk"
    )
    page = Paginator(chosen, PAGE).get_page(request.GET.get("page"))
    reading.note_listing(principal, len(page.object_list))
    query = request.GET.copy()
    query.pop("page", None)
    shown = {"form": form, "page": page, "policy": policy, "query": query.urlencode()}
    shown |= {"counts": entries.counts(rows, now), "filtered": any(query.values())}
    return render(request, "playbook/list.html", shown)


@require_safe
@person_page
def show_duplicates(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Entries that say the same in other words, the most alike first."""
    found = duplicates.among(principal)
    reading.note_listing(principal, len({row.pk for pair in found for row in (pair.one, pair.other)}))
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    return render(request, "playbook/duplicates.html", {"page": page, "policy": tenant_policy.active()})


@require_safe
@person_page
def show_entry(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    return _shown(request, principal, memory_id)


@require_safe
@person_page
def compare(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    """Any two versions, step by step."""
    entry = entries.entry(principal, memory_id)
    form = CompareForm(request.GET or None, versions=entry.versions)
    if form.is_bound and not form.is_valid():
        raise NotVisible
    numbers = form.cleaned_data if form.is_bound else form.initial
    chosen = {one.version: one for one in entry.versions if one.status != Memory.Status.DELETED}
    older, newer = (chosen.get(numbers.get(name, 0)) for name in ("older", "newer"))
    if older is None or newer is None:
        raise NotVisible
    shown = {"entry": entry, "form": form, "older": older, "newer": newer, "seen": memory_id}
    return render(request, "playbook/compare.html", shown)


@require_POST
@person_page
def suspend(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    """The kill switch: no recall gives it from now on."""
    form = SuspendForm(request.POST)
    if not form.is_valid():
        return _shown(request, principal, memory_id, suspend_form=form, status=400)
    given = form.cleaned_data
    try:
        memory = actions.suspend(principal, str(memory_id), given["reason"], expected_version=given["expected_version"])
    except (StaleVersion, Conflict):
        return _moved_on(request, memory_id)
    messages.success(request, _("It is suspended. No agent gets it any more."))
    return redirect("playbook-entry", memory.pk)


@require_POST
@person_page
def reinstate(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    form = VersionForm(request.POST)
    version = form.cleaned_data["expected_version"] if form.is_valid() else -1
    try:
        memory = actions.reinstate(principal, str(memory_id), expected_version=version)
    except (StaleVersion, Conflict):
        return _moved_on(request, memory_id)
    messages.success(request, _("It is active again."))
    return redirect("playbook-entry", memory.pk)


@require_POST
@person_page
def renew(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    """Ask for a later end; who decides is the gate's."""
    form = RenewForm(request.POST)
    if not form.is_valid():
        return _shown(request, principal, memory_id, renew_form=form, status=400)
    given = form.cleaned_data
    try:
        proposed = actions.renew(
            principal, str(memory_id), given["valid_until"], expected_version=given["expected_version"]
        )
    except StaleVersion:
        return _moved_on(request, memory_id)
    return _answered(request, proposed, memory_id)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def roll_back(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    """First what would change, then, with a last day, the proposal of a new version."""
    entry = entries.entry(principal, memory_id)
    earlier, standing = entry.version(memory_id), entry.standing
    if standing is None or not entry.may_change:
        raise NotVisible
    access.require_switch(principal, standing.namespace)
    form = RenewForm(request.POST or None, initial={"expected_version": standing.version})
    if form.is_valid():
        given = form.cleaned_data
        try:
            proposed = actions.roll_back(
                principal,
                str(memory_id),
                expected_version=given["expected_version"],
                valid_until=given["valid_until"],
            )
        except StaleVersion:
            return _moved_on(request, memory_id)
        return _answered(request, proposed, memory_id)
    shown = {"form": form, "earlier": earlier, "standing": standing}
    return render(request, "playbook/roll_back.html", shown, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def propose(request: HttpRequest, principal: Principal) -> HttpResponse:
    """A new procedure in parts; a reviewer decides."""
    places = [one for one in access.readable(principal) if one.type != "user"]
    choices = place_choices(places, principal.subject_id)
    form = NewEntryForm(request.POST or None, policy=tenant_policy.active(), places=choices)
    if form.is_valid():
        proposed = actions.propose(principal, form.proposal())
        if not _refused(form, proposed):
            return _answered(request, proposed, None)
    return render(request, "playbook/propose.html", {"form": form}, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def change(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    """Another version of an entry, in parts."""
    entry = entries.entry(principal, memory_id)
    if entry.standing is None or not entry.may_change:
        raise NotVisible
    form = NewVersionForm(request.POST or None, memory=entry.standing)
    if form.is_valid():
        version = form.cleaned_data["expected_version"]
        try:
            proposed = actions.correct(principal, str(memory_id), form.changes(), expected_version=version)
        except StaleVersion:
            return _moved_on(request, memory_id)
        if not _refused(form, proposed):
            return _answered(request, proposed, memory_id)
    shown = {"form": form, "memory": entry.standing}
    return render(request, "playbook/change.html", shown, status=400 if form.errors else 200)


def _shown(
    request: HttpRequest, principal: Principal, memory_id: uuid.UUID, *, status: int = 200, **forms: Any
) -> HttpResponse:
    """One entry: what it says, its switch, how it is used, what speaks against it, and its versions."""
    entry = entries.entry(principal, memory_id)
    memory = next(one for one in entry.versions if one.pk == memory_id)
    standing, ids = entry.standing, [one.pk for one in entry.versions]
    shown: dict[str, Any] = {"entry": entry, "memory": memory, "standing": standing, "policy": tenant_policy.active()}
    shown |= {"usage": usage.usage(memory.slot_id, ids, timezone.now()), "against": usage.against(ids)}
    first = shown["usage"].days[0]
    shown["newer"] = [one for one in entry.versions if one.created_at.astimezone(UTC).date() >= first]
    shown["outcomes"] = [(dict(Feedback.Verdict.choices)[name], counts) for name, counts in shown["usage"].outcomes]
    if standing is not None:
        now = {"expected_version": standing.version}
        shown["suspended"] = entries.suspension(standing)
        shown["suspend_form"] = forms.get("suspend_form") or SuspendForm(initial=now)
        shown["renew_form"] = forms.get("renew_form") or RenewForm(initial=now)
    shown["compare_form"] = CompareForm(versions=entry.versions)
    shown["reasons"] = REASONS
    return render(request, "playbook/entry.html", shown, status=status)


def _refused(form: Any, proposed: Proposed) -> bool:
    """Put a refusal of the gate beside its field."""
    if proposed.decision.outcome not in (Outcome.reject, Outcome.route_to_source):
        return False
    form.show_refusal(proposed.decision.reason)
    return True


def _answered(request: HttpRequest, proposed: Proposed, memory_id: uuid.UUID | None) -> HttpResponse:
    """What became of a proposal, told where it leads."""
    decision = proposed.decision
    if decision.outcome in (Outcome.reject, Outcome.route_to_source):
        messages.error(request, sentence(decision.reason))
    elif decision.outcome in HOLDING:
        messages.info(request, sentence(decision.reason))
    else:
        messages.success(request, sentence(decision.reason))
    there = proposed.memory.pk if proposed.memory else memory_id
    return redirect("playbook-entry", there) if there else redirect("playbook")


def _moved_on(request: HttpRequest, memory_id: uuid.UUID) -> HttpResponse:
    messages.error(request, _("Another version holds since you opened the page. Nothing was changed; look again."))
    return redirect("playbook-entry", memory_id)
