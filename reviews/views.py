"""The pages of what waits for a decision, and the home page that leads to it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.errors import Conflict, MemoryHubError, NotVisible, StaleVersion
from accounts.pages import person_page
from accounts.principals import Principal
from memories import access, recalling, tenant_policy
from memories.actions import HOLDING
from memories.models import Candidate, Memory
from memories.reasons import sentence
from memories.recalling import ListFilter
from memories.write_gate import Outcome
from reviews import decisions, delays
from reviews.decisions import Decided
from reviews.forms import AnswerForm, ApprovalForm
from reviews.waiting import undecided

PAGE = 10
FIRST = 3
RECENT = 5
SENT = 50
REFUSED = (Outcome.reject, Outcome.route_to_source)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """For a signed-in person what waits and what is new; for others what this is."""
    return my_home(request) if request.user.is_authenticated else render(request, "welcome.html")


@person_page
def my_home(request: HttpRequest, principal: Principal) -> HttpResponse:
    mine, others = _mine(principal).order_by("-pk"), _others(principal)
    recent = list(recalling.enumerate_memories(principal, ListFilter()).current().order_by("-pk")[:RECENT])
    recalling.note_listing(principal, len(recent))
    shown = {"waiting": _items(principal, mine[:FIRST]), "waiting_count": mine.count(), "review_count": others.count()}
    return render(request, "home.html", {**shown, "recent": recent, "policy": tenant_policy.active()})


@require_safe
@person_page
def waiting(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What agents would remember or forget about me, each with its exact content."""
    page = Paginator(_mine(principal).order_by("-pk"), PAGE).get_page(request.GET.get("page"))
    sent = _waiting(principal).filter(subject_id=principal.subject_id, awaiting=Candidate.Awaiting.REVIEWER)
    shown = {"page": page, "items": _items(principal, page.object_list), "sent": sent.order_by("-pk")[:SENT]}
    return render(request, "reviews/waiting.html", {**shown, "policy": tenant_policy.active()})


@require_safe
@person_page
def show(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """One of them on a page of its own; what a reviewer decides has a page among the reviews."""
    if _for_reviewer(principal, candidate_id):
        return redirect("review", candidate_id)
    return _one(request, principal, candidate_id)


@require_POST
@person_page
def answer(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID, action: str) -> HttpResponse:
    """One person's answer to exactly what was shown. What moved on meanwhile is told, and nothing is stored."""
    if action != "withdraw" and _for_reviewer(principal, candidate_id):
        return redirect("review", candidate_id)
    seen = access.candidate(principal, candidate_id)
    form_class = ApprovalForm if action == "approve" else AnswerForm
    form = form_class(request.POST, candidate=seen, policy=tenant_policy.active())
    if not form.is_valid():
        return _one(request, principal, candidate_id, form)
    try:
        decided = VERBS[action](principal, str(candidate_id), **form.cleaned_data)
    except (StaleVersion, Conflict) as error:
        messages.error(request, moved_on(error))
        return redirect("waiting")
    if decided.erasure is not None:
        return redirect("erasure", decided.erasure.pk)
    level, words = outcome_of(action, decided)
    messages.add_message(request, level, words)
    return redirect("waiting")


@require_POST
@person_page
def undo(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """Take one's own answer back while it waits to take effect; what can be decided again is shown again."""
    try:
        row = delays.undo(principal, str(candidate_id))
    except Conflict as error:
        messages.error(request, gettext(error.detail))
        return redirect("candidate", candidate_id)
    messages.success(request, gettext("Taken back: nothing has happened, and it waits again."))
    return redirect("candidate", row.candidate_id)


VERBS: dict[str, Callable[..., Decided]] = {
    "approve": decisions.approve,
    "reject": decisions.reject,
    "request_changes": decisions.request_changes,
    "withdraw": decisions.withdraw,
}
SETTLED = {
    "reject": _("It was rejected: nothing is remembered and the text is gone."),
    "request_changes": _("The proposer is asked for another version; this one can no longer be approved."),
    "withdraw": _("It was withdrawn: nothing is remembered and the text is gone."),
}


def outcome_of(action: str, decided: Decided) -> tuple[int, str]:
    """What an answer led to, in words: also when the gate, asked again, refused."""
    if decided.proposed is None:
        return messages.SUCCESS, str(SETTLED[action])
    decision = decided.proposed.decision
    if decision.outcome in REFUSED:
        reason = sentence(decision.reason)
        return messages.WARNING, gettext("You agreed, but it is not remembered. %(reason)s") % {"reason": reason}
    if decision.outcome in HOLDING:
        return messages.INFO, gettext("You agreed; it still waits. %(reason)s") % {"reason": sentence(decision.reason)}
    return messages.SUCCESS, str(sentence(decision.reason))


def moved_on(error: MemoryHubError) -> str:
    """Why an answer could not be taken; nothing was stored or deleted by it."""
    return gettext("Nothing was stored. %(reason)s") % {"reason": gettext(error.detail)}


@dataclass(frozen=True, slots=True)
class Item:
    """A candidate as a person decides on it: what it would replace, and the form bound to its content."""

    candidate: Candidate
    form: AnswerForm
    replaces: Memory | None
    is_own: bool


def _waiting(principal: Principal) -> QuerySet[Candidate]:
    """What the reader can still decide, after what was decided a while ago has taken effect."""
    rows = access.candidates(principal)
    delays.settle(rows, now := timezone.now())
    return undecided(rows.waiting(now)).select_related("agent", "subject")


def _for_reviewer(principal: Principal, candidate_id: uuid.UUID) -> bool:
    """Whether the reader sees it as a reviewer, and so among the reviews."""
    return access.candidates(principal).filter(access.reviewable(principal), pk=candidate_id).exists()


def _mine(principal: Principal) -> QuerySet[Candidate]:
    return _waiting(principal).awaiting_owner(principal.subject_id)


def _others(principal: Principal) -> QuerySet[Candidate]:
    return _waiting(principal).filter(access.reviewable(principal))


def _items(principal: Principal, found: Iterable[Candidate], bound: AnswerForm | None = None) -> list[Item]:
    """What a candidate would replace is shown only to those who may read it anyway."""
    candidates, policy = list(found), tenant_policy.active()
    standing = Memory.objects.current().filter(
        slot__in=[one.slot_id for one in candidates], namespace__in=access.readable(principal)
    )
    by_slot = {memory.slot_id: memory for memory in standing}
    return [
        Item(
            candidate=one,
            form=bound or ApprovalForm(candidate=one, policy=policy),
            replaces=by_slot.get(one.slot_id),
            is_own=one.awaiting == Candidate.Awaiting.REVIEWER and one.subject_id == principal.subject_id,
        )
        for one in candidates
    ]


def _one(
    request: HttpRequest, principal: Principal, candidate_id: uuid.UUID, bound: AnswerForm | None = None
) -> HttpResponse:
    candidate = _waiting(principal).filter(pk=candidate_id).first()
    if candidate is None:
        raise NotVisible
    item = _items(principal, [candidate], bound)[0]
    shown = {"item": item, "policy": tenant_policy.active()}
    return render(request, "reviews/candidate.html", shown, status=400 if bound else 200)
