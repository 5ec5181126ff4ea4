"""The pages of webhooks: which there are, a new one, and what became of the messages."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import Conflict, InvalidInput
from accounts.pages import person_page
from accounts.principals import Principal
from accounts.webhooks import sending, subscriptions
from accounts.webhooks.forms import ERRORS, WORDS, WebhookForm

PAGE = 25


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def show_webhooks(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Those I may set up; the answer to a new one shows its secret, which no later page does."""
    hooks = subscriptions.visible(principal)
    form = WebhookForm(request.POST or None, principal=principal)
    made = None
    if form.is_valid():
        given = form.cleaned_data
        try:
            made = subscriptions.create(principal, given["url"], given["events"], form.chosen_group)
        except InvalidInput as error:
            form.show_refusal(error)
        except Conflict as error:
            messages.error(request, _(error.detail))
    shown = {"hooks": hooks, "form": WebhookForm(principal=principal) if made else form, "words": WORDS}
    if made is not None:
        shown |= {"made": made, "secret": sending.secret_of(made)}
    return render(request, "webhooks/list.html", shown, status=201 if made else 400 if form.errors else 200)


@require_safe
@person_page
def show_webhook(request: HttpRequest, principal: Principal, webhook_id: uuid.UUID) -> HttpResponse:
    """One of them with its messages."""
    hook = subscriptions.one(principal, webhook_id)
    rows = subscriptions.deliveries(principal, webhook_id).order_by("-pk")
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    return render(request, "webhooks/detail.html", {"hook": hook, "page": page, "words": WORDS, "errors": ERRORS})


@require_POST
@person_page
def switch(request: HttpRequest, principal: Principal, webhook_id: uuid.UUID) -> HttpResponse:
    if request.POST.get("on"):
        subscriptions.switch_on(principal, webhook_id)
        messages.success(request, _("It is on: what happens from now on is sent."))
    else:
        subscriptions.switch_off(principal, webhook_id)
        messages.success(request, _("It is off: nothing is sent."))
    return redirect("webhook", webhook_id)


@require_POST
@person_page
def remove(request: HttpRequest, principal: Principal, webhook_id: uuid.UUID) -> HttpResponse:
    subscriptions.remove(principal, webhook_id)
    messages.success(request, _("The webhook is removed."))
    return redirect("webhooks")


@require_POST
@person_page
def retry(request: HttpRequest, principal: Principal, webhook_id: uuid.UUID, delivery_id: uuid.UUID) -> HttpResponse:
    try:
        subscriptions.retry(principal, webhook_id, delivery_id)
        messages.success(request, _("It is sent again in a moment."))
    except Conflict as error:
        messages.error(request, _(error.detail))
    return redirect("webhook", webhook_id)
