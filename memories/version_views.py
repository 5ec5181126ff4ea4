"""Versions of one memory: any two side by side, and an earlier one put back as a new one."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.errors import NotVisible
from accounts.pages import person_page
from accounts.principals import Principal
from memories import actions, reading, tenant_policy
from memories.actions import HOLDING
from memories.forms import VersionForm
from memories.models import Memory
from memories.reasons import sentence


@require_safe
@person_page
def compare(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    """Two versions of a key, named by their numbers in the address; without them the last two."""
    versions = _kept(principal, memory_id)
    by_number = {str(one.version): one for one in versions}
    new = by_number.get(request.GET.get("new", ""), versions[0])
    older = [one for one in versions if one.version < new.version] or versions
    old = by_number.get(request.GET.get("old", ""), older[0])
    shown = {"versions": versions, "old": old, "new": new, "policy": tenant_policy.active()}
    return render(request, "memories/compare.html", shown)


@require_POST
@person_page
def restore(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    """Put what an earlier version said over what stands now: a correction like any other, which the gate judges."""
    versions = _kept(principal, memory_id)
    wanted = next((one for one in versions if one.pk == memory_id), None)
    standing = next((one for one in versions if one.status in Memory.CURRENT), None)
    form = VersionForm(request.POST)
    if wanted is None or standing is None:
        raise NotVisible
    changes = {"statement": wanted.statement, "value": wanted.value, "conditions": wanted.conditions}
    if wanted.valid_until is None or wanted.valid_until > timezone.now():
        changes["valid_until"] = wanted.valid_until
    seen = form.cleaned_data["expected_version"] if form.is_valid() else -1
    proposed = actions.correct(principal, str(standing.pk), changes, expected_version=seen)
    if proposed.memory is None:
        words = sentence(proposed.decision.reason)
        (messages.info if proposed.decision.outcome in HOLDING else messages.error)(request, words)
        return redirect("memory", standing.pk)
    messages.success(request, _("It says again what it said then, as a new version."))
    return redirect("memory", proposed.memory.pk)


def _kept(principal: Principal, memory_id: uuid.UUID) -> list[Memory]:
    """Every version of the key that still has its text, newest first."""
    versions = [one for one in reading.history(principal, str(memory_id)) if one.status != Memory.Status.DELETED]
    if not versions:
        raise NotVisible
    return versions
