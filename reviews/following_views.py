"""The pages of following: what I follow in the playbook, and the buttons that begin and end it."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.pages import person_page
from accounts.principals import Principal
from memories import reading
from memories.models import Memory
from memories.playbook import entries
from reviews import following

PAGE = 25


@require_safe
@person_page
def show_following(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What I am told about, newest first; an entry with what stands of it."""
    page = Paginator(following.mine(principal), PAGE).get_page(request.GET.get("page"))
    standing: dict[object, Memory] = {
        one.slot_id: one for one in entries.standing(principal).filter(slot__in=[row.slot_id for row in page])
    }
    reading.note_listing(principal, len(standing))
    shown = {"page": page, "rows": [(row, standing.get(row.slot_id)) for row in page]}
    return render(request, "reviews/following.html", shown)


@require_POST
@person_page
def follow_entry(request: HttpRequest, principal: Principal, memory_id: uuid.UUID) -> HttpResponse:
    following.follow_entry(principal, memory_id)
    messages.success(request, _("You are told what becomes of it."))
    return redirect("playbook-entry", memory_id)


@require_POST
@person_page
def follow_place(request: HttpRequest, principal: Principal, namespace_id: uuid.UUID) -> HttpResponse:
    following.follow_place(principal, namespace_id)
    messages.success(request, _("You are told what becomes of these entries, and of new ones."))
    return redirect("following")


@require_POST
@person_page
def unfollow(request: HttpRequest, principal: Principal, follow_id: uuid.UUID) -> HttpResponse:
    following.unfollow(principal, follow_id)
    messages.success(request, _("You are no longer told of it."))
    return redirect("following")
