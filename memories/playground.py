"""The page on which one tries a recall: what comes back in which order, what a model would read, and why no more."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts import snippets
from accounts.pages import person_page
from accounts.principals import Principal
from memories import access, recalling, rendering
from memories.forms import ref_of
from memories.models import Memory
from memories.playground_forms import PlaygroundForm
from memories.recalling import RecallInput
from memoryhub.fields import stamp

LOSERS = 25


@dataclass(frozen=True, slots=True)
class Loser:
    """A memory that did not come back, and why."""

    memory: Memory
    reason: str
    score: float
    relevance: float


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def try_recall(request: HttpRequest, principal: Principal) -> HttpResponse:
    """The question is posted, so that it stands in no address; it leaves the same trace as any recall."""
    form = PlaygroundForm(request.POST or None, places=access.readable(principal), own_id=principal.subject_id)
    shown: dict[str, Any] = {"form": form}
    if form.is_valid():
        shown |= _tried(request, principal, form.cleaned_data)
    return render(request, "developers/recall.html", shown, status=400 if form.errors else 200)


def _tried(request: HttpRequest, principal: Principal, given: dict[str, Any]) -> dict[str, Any]:
    ref = ref_of(given["namespace"]) if given["namespace"] else None
    asked = RecallInput(
        query=given["query"],
        namespaces=(ref,) if ref else None,
        token_budget=given["token_budget"],
        mode=given["mode"],
        as_of=given["as_of"],
        explain=True,
    )
    answer = recalling.recall(principal, asked)
    body = {
        "query": given["query"],
        "mode": given["mode"],
        **({"namespaces": [{"type": ref.type, "id": ref.id}]} if ref else {}),
        **({"token_budget": given["token_budget"]} if given["token_budget"] else {}),
        **({"as_of": stamp(given["as_of"])} if given["as_of"] else {}),
        "explain": True,
    }
    return {
        "answer": answer,
        "losers": _losers(principal, answer),
        "text": rendering.prompt(answer, "markdown")["text"],
        "curl": snippets.curl(f"{request.scheme}://{request.get_host()}", "/api/v1/recall", body),
    }


def _losers(principal: Principal, answer: recalling.Recalled) -> list[Loser]:
    told = answer.selection.losers[:LOSERS]
    ids = [uuid.UUID(str(one.memory.memory_id)) for one, _reason in told]
    rows = Memory.objects.kept().filter(pk__in=ids, namespace__in=access.readable(principal))
    known = {row.pk: row for row in rows.select_related("namespace")}
    return [
        Loser(known[pk], reason.value, one.score, one.memory.relevance)
        for pk, (one, reason) in zip(ids, told, strict=True)
        if pk in known
    ]
