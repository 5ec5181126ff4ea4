"""The proposer's pages: what a reviewer gave back, with what was said; an answer, and better words sent again."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.errors import Conflict, InvalidInput, NotVisible, StaleVersion
from accounts.pages import person_page
from accounts.principals import Principal
from memories import access, tenant_policy
from memories.models import Candidate
from reviews import decisions, threads
from reviews.models import DelayedVerdict, Review
from reviews.review_forms import REASON_WORDS, CommentForm, RewordForm


def returned(principal: Principal) -> QuerySet[Candidate]:
    """What was given back to the person and still takes another version."""
    rows = access.candidates(principal).filter(subject_id=principal.subject_id)
    return rows.filter(pk__in=Candidate.objects.returned(timezone.now())).select_related("agent", "subject")


def show(
    request: HttpRequest, principal: Principal, candidate: Candidate, *, status: int = 200, **forms: Any
) -> HttpResponse:
    """Why it came back, what was said, and the words to change."""
    asked = Review.objects.filter(candidate=candidate, verdict=DelayedVerdict.Verdict.REQUEST_CHANGES)
    last = asked.order_by("-pk").first()
    policy = tenant_policy.active()
    shown: dict[str, Any] = {"candidate": candidate, "policy": policy, "asked": last}
    shown["why"] = REASON_WORDS.get(last.reason, "") if last else ""
    shown["thread"] = threads.comments(principal, str(candidate.pk))
    shown["form"] = forms.get("form") or RewordForm(candidate=candidate, policy=policy)
    shown["comment_form"] = forms.get("comment_form") or CommentForm()
    return render(request, "reviews/returned.html", shown, status=status)


@require_POST
@person_page
def answer(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """Say something to the reviewers, without sending it again."""
    candidate, form = _returned(principal, candidate_id), CommentForm(request.POST)
    if form.is_valid():
        try:
            threads.comment(principal, str(candidate_id), form.cleaned_data["comment"])
        except InvalidInput as error:
            form.add_error("comment", _(error.detail))
        else:
            messages.success(request, _("The reviewers see your answer."))
            return redirect("candidate", candidate_id)
    return show(request, principal, candidate, status=400, comment_form=form)


@require_POST
@person_page
def resubmit(request: HttpRequest, principal: Principal, candidate_id: uuid.UUID) -> HttpResponse:
    """Send other words: it waits for a reviewer again."""
    candidate = _returned(principal, candidate_id)
    form = RewordForm(request.POST, candidate=candidate, policy=tenant_policy.active())
    if form.is_valid():
        seen = form.cleaned_data["content_hash"]
        try:
            decisions.resubmit(principal, str(candidate_id), seen, **form.words())
        except InvalidInput as error:
            form.show_refusal(error)
        except (StaleVersion, Conflict) as error:
            messages.error(request, _("Nothing was stored. %(reason)s") % {"reason": _(error.detail)})
            return redirect("waiting")
        else:
            messages.success(request, _("It waits for a reviewer again, in your new words."))
            return redirect("waiting")
    return show(request, principal, candidate, status=400, form=form)


def _returned(principal: Principal, candidate_id: uuid.UUID) -> Candidate:
    candidate = returned(principal).filter(pk=candidate_id).first()
    if candidate is None:
        raise NotVisible
    return candidate
