"""The reviewers' pages: the queue, one candidate with everything that speaks for and against it, and their answers."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import tenancy
from accounts.errors import Conflict, Forbidden, InvalidInput, MemoryHubError, StaleVersion
from accounts.models import Agent
from accounts.pages import person_page
from accounts.principals import Principal
from memories import access, tenant_policy
from memories.models import Candidate
from memories.step_changes import Comparison, compare, wording
from reviews import claims, decisions, delays, dossier, queue, threads
from reviews.checklists import questions
from reviews.models import DelayedVerdict
from reviews.queue import QueueFilter, Tab
from reviews.review_forms import (
    REASON_WORDS,
    ApproveForm,
    ChangesForm,
    CommentForm,
    QueueForm,
    RefusalForm,
    RewordForm,
    TransferForm,
)
from reviews.risk import risk_of

PAGE = 25
MOST_AT_ONCE = 100
NAMED = ("evidence", "namespace__membership", "namespace__agent", "namespace__group", "namespace__tenant")
Verdict = DelayedVerdict.Verdict


@require_safe
@person_page
def show_queue(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What waits for reviewers; every filter stands in the address. One's own proposals are visible, others decide."""
    now, policy = timezone.now(), tenant_policy.active()
    delays.settle(queue.reviewed(principal), now)
    groups = [one for one in access.readable(principal) if one.group_id is not None]
    form = QueueForm(request.GET, policy=policy, groups=groups, agents=list(Agent.objects.order_by("slug")))
    chosen = form.chosen() if form.is_valid() else QueueFilter()
    page = Paginator(queue.rows(principal, chosen, policy, now), PAGE).get_page(request.GET.get("page"))
    found = list(page.object_list)
    times, claimed = queue.times_proposed(found), queue.claimed(found, now)
    query = request.GET.copy()
    query.pop("page", None)
    counts = queue.counts(principal, now)
    shown = {
        "form": form,
        "chosen": chosen,
        "tabs": [(tab, counts[tab], _with(query, tab=tab)) for tab in Tab],
        "head": queue.head(principal, now),
        "page": page,
        "items": [(one, times.get(one.pk, 0), claimed.get(one.pk)) for one in found],
        "query": query.urlencode(),
        "policy": policy,
        "me": principal.subject_id,
        "undoable": delays.mine(principal),
    }
    return render(request, "reviews/queue.html", shown)


@require_safe
@person_page
def show(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """One candidate with its dossier and the forms of every answer."""
    return _page(request, principal, _candidate(principal, candidate_id))


@require_POST
@person_page
def answer(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID, verdict: str) -> HttpResponse:
    """One verdict on exactly what was shown, and on to the next. What moved on meanwhile is told and shown."""
    candidate, policy = _candidate(principal, candidate_id), tenant_policy.active()
    form = _form(request, candidate, verdict)
    if not form.is_valid():
        return _page(request, principal, candidate, {verdict: form}, status=400)
    try:
        _require_seen_base(request, candidate)
        with tenancy.atomic():
            decided = delays.decide(principal, str(candidate.pk), verdict=verdict, **form.verdict())
            if verdict == Verdict.REQUEST_CHANGES:
                threads.comment(principal, str(candidate.pk), form.cleaned_data["comment"])
    except StaleVersion as error:
        return _page(request, principal, candidate, stale=_compared(request, candidate), error=error, status=412)
    except Conflict as error:
        messages.error(request, gettext(error.detail))
        return redirect("review", candidate.pk)
    except InvalidInput as error:
        form.add_error("comment", gettext(error.detail))
        return _page(request, principal, candidate, {verdict: form}, status=400)
    if decided.delayed is None:
        messages.success(request, gettext("Your answer was taken."))
    following = queue.next_one(principal, candidate, policy, timezone.now())
    return redirect("reviews") if following is None else redirect("review", following.pk)


@require_POST
@person_page
def claim(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """Keep it for oneself for a while."""
    candidate = _candidate(principal, candidate_id)
    return _done(request, candidate_id, lambda: claims.claim(principal, str(candidate.pk)))


@require_POST
@person_page
def release(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """Give it back before its time is over."""
    candidate = _candidate(principal, candidate_id)
    return _done(request, candidate_id, lambda: claims.release(principal, str(candidate.pk)))


@require_POST
@person_page
def transfer(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """Hand it to another reviewer of its place."""
    candidate = _candidate(principal, candidate_id)
    form = TransferForm(request.POST, colleagues=claims.colleagues(principal, candidate))
    if not form.is_valid():
        return _page(request, principal, candidate, {"transfer": form}, status=400)
    return _done(
        request, candidate_id, lambda: claims.transfer(principal, str(candidate_id), form.cleaned_data["reviewer"])
    )


@require_POST
@person_page
def comment(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """Say something in its thread, without deciding."""
    candidate, form = _candidate(principal, candidate_id), CommentForm(request.POST)
    if form.is_valid():
        try:
            threads.comment(principal, str(candidate_id), form.cleaned_data["comment"])
        except InvalidInput as error:
            form.add_error("comment", gettext(error.detail))
        else:
            return redirect("review", candidate_id)
    return _page(request, principal, candidate, {"comment": form}, status=400)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def reword(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """Better words first; approving them is the next step, on the page that shows them."""
    candidate, policy = _candidate(principal, candidate_id), tenant_policy.active()
    if closed := dossier.closed(principal, candidate, timezone.now()):
        raise Forbidden("You may not decide this now.", code=closed)
    form = RewordForm(request.POST or None, candidate=candidate, policy=policy)
    if form.is_valid():
        try:
            seen = form.cleaned_data["content_hash"]
            decisions.reword(principal, str(candidate_id), seen, **form.words())
        except InvalidInput as error:
            form.show_refusal(error)
        else:
            messages.success(request, gettext("The new words are saved. Look at them once more, then decide."))
            return redirect("review", candidate_id)
    shown = {"form": form, "candidate": candidate, "policy": policy}
    return render(request, "reviews/reword.html", shown, status=400 if form.errors else 200)


@require_POST
@person_page
def reject_duplicates(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Reject several as duplicates: first how many of them can be, then, confirmed, all of those or none."""
    chosen = [one for one in request.POST.getlist("candidate")[:MOST_AT_ONCE] if _is_id(one)]
    now, policy = timezone.now(), tenant_policy.active()
    found = queue.rows(principal, QueueFilter(), policy, now).filter(pk__in=chosen)
    judged = [(one, dossier.closed(principal, one, now)) for one in found]
    can = [one for one, closed in judged if not closed]
    if not request.POST.get("confirmed") or not can:
        shown = {"can": can, "cannot": [(one, words) for one, words in judged if words], "policy": policy}
        shown |= {"gone": len(chosen) - len(judged)}
        return render(request, "reviews/duplicates.html", shown)
    hashes = dict(zip(request.POST.getlist("candidate"), request.POST.getlist("content_hash"), strict=False))
    try:
        with tenancy.atomic():
            for one in can:
                seen = hashes.get(str(one.pk), "")
                delays.decide(principal, str(one.pk), seen, Verdict.REJECT, reason="duplicate")
    except MemoryHubError as error:
        messages.error(request, gettext("None was rejected. %(reason)s") % {"reason": gettext(error.detail)})
    else:
        count = len(can)
        words = ngettext("%(n)s is rejected as a duplicate.", "%(n)s are rejected as duplicates.", count)
        messages.success(request, words % {"n": count})
    return redirect("reviews")


@dataclass(frozen=True, slots=True)
class Stale:
    """What a reviewer had read, compared with what the candidate says now; None where the page did not tell."""

    comparison: Comparison | None


def _candidate(principal: Principal, candidate_id: uuid.UUID) -> Candidate:
    """A candidate that the caller sees as a reviewer, after a verdict whose moment has come has taken effect."""
    found = access.candidates(principal).filter(access.reviewable(principal), pk=candidate_id)
    found = found.select_related("agent", "subject", "memory", "slot", *NAMED)
    delays.settle(found, timezone.now())
    candidate = found.first()
    if candidate is None:
        access.candidate(principal, candidate_id)
        raise Forbidden("Only a reviewer of this namespace may decide it.", code="not_a_reviewer")
    return candidate


def _page(
    request: HttpRequest,
    principal: Principal,
    candidate: Candidate,
    bound: dict[str, Any] | None = None,
    *,
    stale: Stale | None = None,
    error: MemoryHubError | None = None,
    status: int = 200,
) -> HttpResponse:
    now, policy = timezone.now(), tenant_policy.active()
    opened = dossier.open_on(principal, candidate, policy, now)
    forms = {
        "approve": ApproveForm(candidate=candidate, policy=policy, risk=opened.risk),
        "reject": RefusalForm(candidate=candidate, policy=policy),
        "request_changes": ChangesForm(candidate=candidate, policy=policy),
        "transfer": TransferForm(colleagues=opened.colleagues),
        "comment": CommentForm(),
    } | (bound or {})
    following = queue.next_one(principal, candidate, policy, now)
    shown = {"dossier": opened, "candidate": candidate, "forms": forms, "policy": policy, "following": following}
    shown |= {"reasons": REASON_WORDS.items(), "seen": json.dumps(dossier.shown_words(candidate), ensure_ascii=False)}
    shown |= {"stale": stale, "error": gettext(error.detail) if error else "", "undoable": delays.mine(principal)}
    shown |= {"window": int(delays.window(candidate).total_seconds()), "waits": candidate.status == "pending"}
    shown |= {"mine": opened.claim is not None and opened.claim.reviewer_id == principal.subject_id}
    shown |= {"opened_forms": set(bound or ()), "questions": questions(candidate.kind).values()}
    return render(request, "reviews/review.html", shown, status=status)


def _form(request: HttpRequest, candidate: Candidate, verdict: str) -> Any:
    policy = tenant_policy.active()
    given: dict[str, Any] = {"candidate": candidate, "policy": policy}
    if verdict == Verdict.APPROVE:
        return ApproveForm(request.POST, risk=risk_of(candidate, policy), **given)
    return {Verdict.REJECT: RefusalForm, Verdict.REQUEST_CHANGES: ChangesForm}[Verdict(verdict)](request.POST, **given)


def _require_seen_base(request: HttpRequest, candidate: Candidate) -> None:
    """Raise StaleVersion when another entry stands now than the one that the page compared it with."""
    told = request.POST.get("standing")
    if told is not None and told != _standing_mark(candidate):
        raise StaleVersion("What it would replace has changed meanwhile.", code="entry_changed")


def _standing_mark(candidate: Candidate) -> str:
    standing = dossier.standing(candidate)
    return str(standing.version) if standing else ""


def _compared(request: HttpRequest, candidate: Candidate) -> Stale:
    """What of the words that the page had shown is different now."""
    try:
        seen = json.loads(request.POST.get("seen", ""))
        old = wording(seen["statement"], seen["value"], seen["conditions"], candidate.valid_until)
    except (ValueError, KeyError, TypeError, RecursionError):
        return Stale(None)
    candidate.refresh_from_db()
    return Stale(
        compare(old, wording(candidate.statement, candidate.value, candidate.conditions, candidate.valid_until))
    )


def _done(request: HttpRequest, candidate_id: uuid.UUID, verb: Callable[[], object]) -> HttpResponseRedirect:
    try:
        verb()
    except Conflict as error:
        messages.error(request, gettext(error.detail))
    return redirect("review", candidate_id)


def _with(query: Any, **changes: str) -> str:
    changed = query.copy()
    for name, value in changes.items():
        changed[name] = value
    return str(changed.urlencode())


def _is_id(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True
