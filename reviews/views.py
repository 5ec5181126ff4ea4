"""The pages of what waits for a decision, and the home page that leads to it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet, Window
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import Conflict, MemoryHubError, NotVisible, StaleVersion
from accounts.pages import person_page
from accounts.principals import Principal, Role
from memories import access, glance, reading, tenant_policy
from memories.actions import ACTIVATING, HOLDING
from memories.models import Candidate, Memory
from memories.policy import Policy
from memories.reasons import sentence
from memories.write_gate import Outcome
from reviews import decisions, delays, returned_views
from reviews.decisions import Decided
from reviews.forms import AnswerForm, ApprovalForm, EditForm, NeverForm
from reviews.waiting import undecided

PAGE = 10
FIRST = 3
SENT = 50


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """For a signed-in person what waits and what is new; for others what this is."""
    return my_home(request) if request.user.is_authenticated else render(request, "welcome.html")


@person_page
def my_home(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What waits, what came, what was used, what ends soon: about this person alone."""
    now, policy = timezone.now(), tenant_policy.active()
    mine = undecided(access.candidates(principal).waiting(now)).awaiting_owner(principal.subject_id)
    counted = mine.select_related("agent", "subject").annotate(total=Window(Count("pk")))
    waiting = list(counted.order_by("-pk")[:FIRST])
    glanced = glance.glance(principal, now)
    reading.note_listing(principal, len(glanced.recent))
    shown = {
        "waiting": items_of(principal, waiting, policy, places=Q(namespace__membership_id=principal.subject_id)),
        "waiting_count": waiting[0].total if waiting else 0,
        "glance": glanced,
        "policy": policy,
    }
    if principal.has_role(Role.REVIEWER):
        shown["review_count"] = _others(principal).count()
    days = glanced.days
    saved, recalled = [one.saved for one in days], [one.recalled for one in days]
    shown["labels"] = [date_format(one.day, "MONTH_DAY_FORMAT") for one in days]
    shown["series"] = [(gettext("remembered"), saved), (gettext("recalled by agents"), recalled)]
    return render(request, "home.html", shown)


@require_safe
@person_page
def waiting(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What agents would remember or forget about me, each with its exact content."""
    policy = tenant_policy.active()
    page = Paginator(_mine(principal).order_by("-pk"), PAGE).get_page(request.GET.get("page"))
    sent = _waiting(principal).filter(subject_id=principal.subject_id, awaiting=Candidate.Awaiting.REVIEWER)
    shown = {"page": page, "items": items_of(principal, page.object_list, policy), "sent": sent.order_by("-pk")[:SENT]}
    shown["returned"] = returned_views.returned(principal).order_by("-pk")[:SENT]
    return render(request, "reviews/waiting.html", {**shown, "policy": policy})


@require_safe
@person_page
def show(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """One of them on a page of its own; what a reviewer decides has its page among the reviews."""
    if back := returned_views.returned(principal).filter(pk=candidate_id).first():
        return returned_views.show(request, principal, back)
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
    back = _back(request)
    form_class = ApprovalForm if action == "approve" else AnswerForm
    form = form_class(request.POST, candidate=seen, policy=tenant_policy.active())
    if not form.is_valid():
        return _one(request, principal, candidate_id, form)
    try:
        decided = _decide(principal, seen, action, form.cleaned_data)
    except (StaleVersion, Conflict) as error:
        messages.error(request, moved_on(error))
        return redirect(back)
    if decided.delayed is not None:
        address = reverse("undo-candidate", args=[seen.pk])
        messages.success(request, str(DELAYED[Candidate.Action(seen.action), action]), extra_tags=address)
        return redirect(back)
    if decided.erasure is not None:
        return redirect("erasure", decided.erasure.pk)
    level, words = outcome_of(action, decided)
    messages.add_message(request, level, words)
    return redirect(back)


def _back(request: HttpRequest) -> str:
    """Where an answer leads: on to what else waits there."""
    return "home" if request.POST.get("back") == "home" else "waiting"


def _decide(principal: Principal, seen: Candidate, action: str, given: dict[str, Any]) -> Decided:
    """The answer, which can be taken back for a while; a yes that the gate refuses is answered at once, with why."""
    if action == "withdraw":
        return decisions.withdraw(principal, str(seen.pk), **given)
    if action == "approve" and seen.awaiting == Candidate.Awaiting.OWNER:
        foreseen = decisions.foresee(principal, str(seen.pk), **given)
        if foreseen is not None and foreseen.outcome not in ACTIVATING:
            return decisions.approve(principal, str(seen.pk), **given)
    return delays.decide(principal, str(seen.pk), **given, verdict=action)


@require_POST
@person_page
def undo(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """Take one's own answer back while it waits to take effect; what can be decided again is shown again."""
    seen = access.candidate(principal, candidate_id)
    back = redirect("waiting") if seen.awaiting == Candidate.Awaiting.OWNER else redirect("candidate", candidate_id)
    try:
        delays.undo(principal, str(candidate_id))
        messages.success(request, gettext("Taken back: nothing has happened, and it waits again."))
    except Conflict as error:
        messages.error(request, gettext(error.detail))
    return back


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def edit(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """A yes in one's own words: they are remembered instead of the agent's."""
    candidate, policy = _still_waiting(principal, candidate_id), tenant_policy.active()
    form = EditForm(request.POST or None, candidate=candidate, policy=policy)
    if form.is_valid():
        try:
            given = form.cleaned_data["content_hash"]
            decided = decisions.approve_edited(principal, str(candidate_id), given, form.changes())
        except (StaleVersion, Conflict) as error:
            messages.error(request, moved_on(error))
            return redirect("waiting")
        decision = decided.proposed.decision if decided.proposed else None
        if decision is not None and decision.outcome in (*ACTIVATING, Outcome.keep):
            messages.success(request, gettext("It is remembered as you worded it."))
            return redirect("waiting")
        form.show_refusal(decision.reason if decision else "")
    shown = {"form": form, "item": items_of(principal, [candidate], policy)[0], "policy": policy}
    return render(request, "reviews/edit.html", shown, status=400 if form.errors else 200)


@require_POST
@person_page
def never(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """A no for good: a rule, and a no to all that waits and falls under it."""
    candidate = _still_waiting(principal, candidate_id)
    form = NeverForm(request.POST, candidate=candidate, policy=tenant_policy.active())
    if not form.is_valid():
        return _one(request, principal, candidate_id)
    try:
        content_hash = form.cleaned_data["content_hash"]
        count = decisions.never_again(principal, str(candidate_id), content_hash, *form.chosen())
    except (StaleVersion, Conflict) as error:
        messages.error(request, moved_on(error))
        return redirect("waiting")
    words = ngettext(
        "The rule stands, and %(n)s proposal is rejected. You find your rules in the settings.",
        "The rule stands, and %(n)s proposals are rejected. You find your rules in the settings.",
        count,
    )
    messages.success(request, words % {"n": count})
    return redirect(_back(request))


ACTIONS = ("approve", "reject", "request_changes", "withdraw")
DELAYED = {
    (Candidate.Action.REMEMBER, "approve"): _("You said yes: it is remembered."),
    (Candidate.Action.REMEMBER, "reject"): _("You said no: it is not remembered, and the text goes."),
    (Candidate.Action.REMEMBER, "request_changes"): _("The agent is asked for another version."),
    (Candidate.Action.FORGET, "approve"): _("You said yes: it is forgotten."),
    (Candidate.Action.FORGET, "reject"): _("You said no: it stays."),
    (Candidate.Action.FORGET, "request_changes"): _("The agent is asked for another version."),
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
    if decision.outcome in decisions.REFUSING:
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
    never: NeverForm
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


def items_of(
    principal: Principal,
    candidates: Sequence[Candidate],
    policy: Policy,
    bound: AnswerForm | None = None,
    places: Q | None = None,
) -> list[Item]:
    """What a candidate would replace is shown only to those who may read it anyway; `places` may be fewer."""
    if not candidates:
        return []
    visible = places or Q(namespace__in=access.readable(principal))
    standing = Memory.objects.current().filter(visible, slot__in=[one.slot_id for one in candidates])
    by_slot = {memory.slot_id: memory for memory in standing}
    return [
        Item(
            candidate=one,
            form=bound or ApprovalForm(candidate=one, policy=policy),
            never=NeverForm(candidate=one, policy=policy),
            replaces=by_slot.get(one.slot_id),
            is_own=one.awaiting == Candidate.Awaiting.REVIEWER and one.subject_id == principal.subject_id,
        )
        for one in candidates
    ]


def _one(
    request: HttpRequest, principal: Principal, candidate_id: uuid.UUID, bound: AnswerForm | None = None
) -> HttpResponse:
    candidate = _still_waiting(principal, candidate_id)
    policy = tenant_policy.active()
    shown = {"item": items_of(principal, [candidate], policy, bound)[0], "policy": policy}
    return render(request, "reviews/candidate.html", shown, status=400 if bound else 200)


def _still_waiting(principal: Principal, candidate_id: uuid.UUID) -> Candidate:
    candidate = _waiting(principal).filter(pk=candidate_id).first()
    if candidate is None:
        raise NotVisible
    return candidate
