"""The pages on which an auditor or administrator breaks the glass, and reads what is behind it."""

from __future__ import annotations

import uuid

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import InvalidInput
from accounts.pages import person_page
from accounts.principals import Principal
from memories import actions, tenant_policy
from memories.forms import RevealForm

PAGE = 25


@require_safe
@person_page
def show_reveals(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Who read whose memories, and why."""
    return render(request, "reveals/list.html", {"reveals": actions.reveals(principal), "now": timezone.now()})


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def break_glass(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Whose memories, and why, after the password was asked for again."""
    actions.require_reveal(principal)  # who may not is told so before a password is asked for
    return _asked(request, principal)


@reauthentication_required
def _asked(request: HttpRequest, principal: Principal) -> HttpResponse:
    form = RevealForm(request.POST or None)
    if form.is_valid():
        given = form.cleaned_data
        try:
            row = actions.reveal(principal, given["person"], given["ground"], given["words"])
        except InvalidInput as error:
            for one in error.errors:
                form.add_error(one.pointer, _(one.detail))
        else:
            messages.success(request, _("You may read them for 30 minutes. The person is told."))
            return redirect("reveal", row.pk)
    return render(request, "reveals/new.html", {"form": form}, status=400 if form.errors else 200)


@require_safe
@person_page
def show_reveal(request: HttpRequest, principal: Principal, reveal_id: uuid.UUID) -> HttpResponse:
    """What is remembered about the person, to be read and nothing else."""
    row, found = actions.revealed(principal, reveal_id)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    page.object_list = list(page.object_list)
    for memory in page.object_list:
        memory.namespace = row.namespace
    actions.note_reading(principal, row, len(page.object_list))
    shown = {"reveal": row, "page": page, "policy": tenant_policy.active()}
    return render(request, "reveals/reveal.html", shown)


@require_POST
@person_page
def end_reveal(request: HttpRequest, principal: Principal, reveal_id: uuid.UUID) -> HttpResponse:
    actions.end_reveal(principal, reveal_id)
    messages.success(request, _("You read no more of them."))
    return redirect("reveals")
