"""The pages on which a person forgets much at once: a conversation, an agent's proposals, a place, their account."""

from __future__ import annotations

import uuid
from typing import Any

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts import tenancy
from accounts.errors import Conflict, InvalidInput
from accounts.models import Membership
from accounts.pages import person_page, use_own_language
from accounts.principals import Principal
from memories import access, actions, gone, tenant_policy
from memories.actions import ForgetFilter
from memories.forms import WideForgetForm
from memories.models import Erasure, Memory

SHOWN = 25
RECEIPT_SALT = "memoryhub.receipt"
RECEIPT_LIVES = 90 * 24 * 3600

form_page = require_http_methods(["GET", "HEAD", "POST"])


@form_page
@person_page
def forget_conversation(request: HttpRequest, principal: Principal, evidence_id: uuid.UUID) -> HttpResponse:
    """Everything from the conversation of this message; of one that belongs to none, everything from the message."""
    evidence = access.evidence(principal, evidence_id)
    wish = ForgetFilter(thread=evidence.thread) if evidence.thread else ForgetFilter(evidence_id=str(evidence.pk))
    return _forget(request, principal, wish, {"what": "source", "evidence": evidence})


@form_page
@person_page
def forget_agent(request: HttpRequest, principal: Principal, agent_id: uuid.UUID) -> HttpResponse:
    """Everything an agent proposed."""
    agent = access.agent(principal, pk=agent_id)
    return _forget(request, principal, ForgetFilter(agent=agent.slug), {"what": "agent", "agent": agent})


@form_page
@person_page
def forget_place(request: HttpRequest, principal: Principal, namespace_id: uuid.UUID) -> HttpResponse:
    """Everything of a person's own place, or of an agent, team or project that they keep."""
    namespace = access.place(principal, namespace_id)
    wish = ForgetFilter(namespace=access.NamespaceRef(namespace.type, namespace.owner_name))
    return _forget(request, principal, wish, {"what": "namespace", "namespace": namespace})


@form_page
@person_page
@reauthentication_required
def forget_me(request: HttpRequest, principal: Principal) -> HttpResponse:
    """The account and everything about it, after the password was asked for again."""
    me = Membership.objects.get(pk=principal.subject_id)
    return _forget(request, principal, ForgetFilter(person=me.external_id), {"what": "person"})


@never_cache
@require_safe
def farewell(request: HttpRequest, token: str) -> HttpResponse:
    """The receipt of someone who has no account any more: whoever holds the address may see its counts."""
    use_own_language(request)
    try:
        tenant_id, erasure_id = signing.loads(token, salt=RECEIPT_SALT, max_age=RECEIPT_LIVES)
    except (signing.BadSignature, ValueError):
        raise Http404 from None
    with tenancy.entered(uuid.UUID(tenant_id)):
        erasure = Erasure.objects.filter(pk=erasure_id, scope=Erasure.Scope.PERSON).first()
    if erasure is None:
        raise Http404
    return render(request, "memories/receipt.html", {"erasure": erasure, "gone": gone.by(erasure), "farewell": True})


def _forget(request: HttpRequest, principal: Principal, wish: ForgetFilter, shown: dict[str, Any]) -> HttpResponse:
    """First what goes, then, confirmed, the receipt. What changed in between is shown again."""
    form = WideForgetForm(request.POST or None)
    if form.is_valid():
        try:
            given = form.cleaned_data
            erasure = actions.confirm_forget(principal, given["confirm_token"], given["typed"] or None)
        except Conflict:
            messages.warning(request, _("Something was added meanwhile. Please look again."))
            return redirect(request.path)
        except InvalidInput as error:
            form.show_refusal(error)
        else:
            return _told(request, principal, erasure)
    plan = actions.plan_forget(principal, wish)
    rows = Memory.objects.kept().filter(pk__in=list(plan.memory_ids)[:SHOWN], namespace__in=access.readable(principal))
    shown |= {"plan": plan, "form": form.with_token(plan), "memories": rows.select_related("namespace")}
    shown["policy"] = tenant_policy.active()
    shown["more"] = plan.count - len(shown["memories"])
    return render(request, "memories/forget_many.html", shown, status=400 if form.errors else 200)


def _told(request: HttpRequest, principal: Principal, erasure: Erasure) -> HttpResponse:
    if erasure.scope != Erasure.Scope.PERSON:
        messages.success(request, _("It is forgotten. This is the receipt."))
        return redirect("erasure", erasure.pk)
    logout(request)
    token = signing.dumps([str(principal.tenant_id), str(erasure.pk)], salt=RECEIPT_SALT)
    return redirect("farewell", token)
