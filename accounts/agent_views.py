"""The pages of a person's own agents, and those for who connects one: first key, first call, log of calls."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import agents, calls, secrets, snippets
from accounts.forms import AgentForm, RotateForm
from accounts.models import AgentKey, ApiCall, AuditEvent
from accounts.pages import person_page
from accounts.principals import Principal

form_page = require_http_methods(["GET", "HEAD", "POST"])
FIRST_AGENT = ("memory:recall", "memory:read", "memory:propose", "evidence:attest")


@require_safe
@person_page
def show_agents(request: HttpRequest, principal: Principal) -> HttpResponse:
    """A person's own agents, what each may do and how much it did."""
    return render(request, "agents/list.html", {"agents": agents.mine(principal, timezone.now())})


@form_page
@person_page
def connect_agent(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Name and rights of a new agent; then its key, this once."""
    form = AgentForm(request.POST or None, initial={"scopes": FIRST_AGENT})
    if not form.is_valid():
        return render(request, "agents/new.html", {"form": form}, status=400 if form.is_bound else 200)
    key, token = agents.connect(principal, form.cleaned_data["name"], form.cleaned_data["scopes"])
    return render(request, "agents/key.html", _key_shown(request, key, token), status=201)


@require_POST
@person_page
def pause_agent(request: HttpRequest, principal: Principal, agent_id: uuid.UUID) -> HttpResponse:
    agents.set_paused(principal, agent_id, True)
    messages.success(request, _("The agent is paused: its next call is refused."))
    return redirect("agents")


@require_POST
@person_page
def resume_agent(request: HttpRequest, principal: Principal, agent_id: uuid.UUID) -> HttpResponse:
    agents.set_paused(principal, agent_id, False)
    messages.success(request, _("The agent may call again."))
    return redirect("agents")


@form_page
@person_page
def rotate_key(request: HttpRequest, principal: Principal, agent_id: uuid.UUID) -> HttpResponse:
    """A new key; the old one ends after a day, or at once when it may have leaked."""
    agent = agents.get(principal, agent_id)
    form = RotateForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return render(request, "agents/rotate.html", {"agent": agent, "form": form})
    key, token = agents.rotate(principal, agent_id, at_once=form.cleaned_data["at_once"])
    return render(request, "agents/key.html", _key_shown(request, key, token), status=201)


@form_page
@person_page
def end_agent(request: HttpRequest, principal: Principal, agent_id: uuid.UUID) -> HttpResponse:
    """First what it means, then for good."""
    agent = agents.get(principal, agent_id)
    if request.method != "POST":
        return render(request, "agents/end.html", {"agent": agent})
    agents.end(principal, agent_id)
    messages.success(request, _("The agent has ended: none of its keys opens anything any more."))
    return redirect("agents")


@require_safe
@person_page
def first_call(request: HttpRequest, principal: Principal, key_id: uuid.UUID) -> HttpResponse:
    """Whether the first call with a key has come; a page that asks again by itself until it has."""
    key = agents.key_of(principal, key_id)
    return render(request, "agents/first_call.html", {"key": key, **_arrived(key)})


@form_page
@person_page
def show_developers(request: HttpRequest, principal: Principal) -> HttpResponse:
    """From no key to a first memory on one page."""
    form = AgentForm(request.POST or None, initial={"name": _("My first agent"), "scopes": FIRST_AGENT})
    shown: dict[str, Any] = {"form": form}
    if form.is_valid():
        key, token = agents.connect(principal, form.cleaned_data["name"], form.cleaned_data["scopes"])
        shown |= _key_shown(request, key, token)
    else:
        shown["snippets"] = snippets.all_of(_host(request), timezone.now())
    status = 201 if "key" in shown else 400 if form.is_bound else 200
    return render(request, "developers/start.html", shown, status=status)


@require_safe
@person_page
def show_calls(request: HttpRequest, principal: Principal) -> HttpResponse:
    """The last calls of the person's own keys and tokens."""
    rows = list(calls.of(principal)[: calls.SHOWN])
    shown = {"calls": rows, "names": calls.names(principal), "most": calls.SHOWN, "days": calls.LIVES.days}
    return render(request, "developers/calls.html", shown)


def _key_shown(request: HttpRequest, key: AgentKey, token: secrets.Token) -> dict[str, Any]:
    """A new key as the page of its making shows it: the only one that ever can."""
    host = _host(request)
    first = snippets.curl(host, "/api/v1/proposals", snippets.first_proposal(timezone.now()))
    return {
        "key": key,
        "token": str(token),
        "export": snippets.export(str(token)),
        "curl": f"{snippets.export(str(token))}\n{first}",
        "snippets": snippets.all_of(host, timezone.now()),
        **_arrived(key),
    }


def _arrived(key: AgentKey) -> dict[str, Any]:
    call = calls.first_of(key.pk)
    return {"call": call, "made": _made_by(call) if call else None}


def _made_by(call: ApiCall) -> AuditEvent | None:
    """The event that tells which memory or question a call made."""
    return calls.events_of(call).filter(target__in=["memory", "candidate"], target_id__isnull=False).last()


def _host(request: HttpRequest) -> str:
    """The address by which this person reached the server: it is one of the hosts it answers to."""
    return f"{request.scheme}://{request.get_host()}"
