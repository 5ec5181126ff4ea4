"""The pages on which a person answers several proposals at once."""

from __future__ import annotations

import uuid
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.errors import Conflict, NotVisible
from accounts.pages import offer_undo, person_page
from accounts.principals import Principal
from reviews import several
from reviews.forms import SeveralForm
from reviews.several import Verdict


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def answer_several(request: HttpRequest, principal: Principal) -> HttpResponse:
    """First to how many the answer can be given and why not to the rest, then, confirmed, all of them or none."""
    form = SeveralForm(request.POST if request.method == "POST" else request.GET)
    if not form.is_valid():
        messages.warning(request, gettext("Choose some of what waits first."))
        return redirect("waiting")
    verdict, seen = form.cleaned_data["verdict"], dict(form.cleaned_data["seen"])
    if request.method == "POST":
        return _answer(request, principal, verdict, seen)
    weighed = several.weigh(principal, verdict, seen)
    can, cannot = [one for one in weighed if not one.obstacle], [one for one in weighed if one.obstacle]
    shown = {"verdict": verdict, "can": can, "cannot": cannot, "chosen": len(seen), "missing": len(seen) - len(weighed)}
    return render(request, "reviews/several.html", shown)


@require_POST
@person_page
def undo_several(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Take an answer to several back, while it can be."""
    try:
        ids = [forms.UUIDField().clean(pk) for pk in request.GET.getlist("id")]
        several.undo(principal, ids)
        messages.success(request, gettext("Taken back: nothing has happened, and they wait again."))
    except (Conflict, NotVisible, forms.ValidationError):
        messages.error(request, gettext("It has taken effect already."))
    return redirect("waiting")


def _answer(request: HttpRequest, principal: Principal, verdict: str, seen: dict[uuid.UUID, str]) -> HttpResponse:
    try:
        several.answer(principal, verdict, seen)
    except Conflict as error:
        messages.error(request, gettext(error.detail))
        return redirect("waiting")
    if verdict == Verdict.APPROVE:
        words = ngettext("%(n)d memory is remembered.", "%(n)d memories are remembered.", len(seen))
    else:
        words = ngettext("%(n)d proposal is rejected.", "%(n)d proposals are rejected.", len(seen))
    named = urlencode([("id", str(pk)) for pk in seen])
    offer_undo(request, words % {"n": len(seen)}, f"{reverse('undo-several')}?{named}")
    return redirect("waiting")
