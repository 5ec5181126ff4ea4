"""The pages on which people see what was found in their conversations, and how far that is."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import Agent
from accounts.pages import person_page
from accounts.principals import Principal
from memories import access
from memories.extraction import asking, showing

SHOWN = 25


@require_safe
@person_page
def list_extractions(request: HttpRequest, principal: Principal) -> HttpResponse:
    """The conversations that were looked through for me, latest first."""
    page = Paginator(access.extractions(principal).order_by("-pk"), SHOWN).get_page(request.GET.get("page"))
    names = _agents({row.agent_id for row in page if row.agent_id})
    rows = [(row, names.get(row.agent_id, "")) for row in page]
    return render(request, "extraction/list.html", {"page": page, "rows": rows})


@require_safe
@person_page
def show_extraction(request: HttpRequest, principal: Principal, extraction_id: uuid.UUID) -> HttpResponse:
    """What became of each thing found: remembered, waiting for me, or refused and why."""
    row = access.extraction(principal, extraction_id)
    found = showing.items(row)
    shown = {
        "row": row,
        "agent": _agents({row.agent_id}).get(row.agent_id, ""),
        "found": found,
        "going": row.state in asking.GOING,
    }
    return render(request, "extraction/detail.html", shown)


@require_POST
@person_page
def cancel_extraction(request: HttpRequest, principal: Principal, extraction_id: uuid.UUID) -> HttpResponse:
    asking.cancel(principal, extraction_id)
    messages.success(request, _("It is cancelled; the conversation is gone from here."))
    return redirect("extraction", extraction_id)


def _agents(ids: set[uuid.UUID | None]) -> dict[uuid.UUID, str]:
    return {one.pk: one.name or one.slug for one in Agent.objects.filter(pk__in=ids - {None})}
