"""The pages of notices and of one's activity: what came up, and what was done."""

from __future__ import annotations

import csv
import io
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import audit_trail
from accounts.models import Agent
from accounts.pages import person_page
from accounts.principals import Principal
from memories import access, tenant_policy
from memories.exchange.formats import cell
from memories.models import Memory, Reveal
from reviews import activity, following, notices, review_notices
from reviews.activity import ActivityFilter, Named
from reviews.models import Notice
from reviews.notice_forms import ActivityForm, NoticeForm

NOTICES = 25
CSV_COLUMNS = ("at", "actor", "actor_name", "action", "outcome", "reason", "target", "target_id", "door")


@require_safe
@person_page
def show_notices(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What came up for me and still holds, newest first."""
    page = Paginator(notices.mine(request.membership, timezone.now()), NOTICES).get_page(request.GET.get("page"))
    rows = list(page.object_list)
    about = _targets(principal, rows)
    shown = {"page": page, "rows": [(row, about.get(row.target_id)) for row in rows if row.target_id in about]}
    return render(
        request,
        "reviews/notices.html",
        shown | {"policy": tenant_policy.active(), "for_reviewers": list(review_notices.WHAT)},
    )


@require_POST
@person_page
def read_notices(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Count none of them as new any more."""
    notices.see_all(principal, timezone.now())
    return redirect("notices")


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def choose_notices(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Which notices come by which way."""
    form = NoticeForm(request.POST if request.method == "POST" else None, person=request.membership)
    if form.is_valid():
        notices.choose(principal, form.off())
        messages.success(request, _("Your choice holds from now on."))
        return redirect("notice-settings")
    return render(request, "reviews/notice_settings.html", {"form": form}, status=400 if form.errors else 200)


@require_safe
@person_page
def show_activity(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What was done to my data and by whom, newest first; every filter stands in the address."""
    form = ActivityForm(request.GET)
    is_valid = form.is_valid()
    before = form.cleaned_data.get("before") if is_valid else None
    rows, has_more = activity.newest(principal, form.chosen(), before) if is_valid else ([], False)
    query = request.GET.copy()
    is_later = bool(query.pop("before", None))
    shown = {
        "form": form,
        "events": rows,
        "names": audit_trail.names(rows),
        "me": principal.subject_id,
        "days": tenant_policy.active().retention.audit_days,
        "query": query.urlencode(),
        "filtered": any(query.values()),
        "is_later": is_later,
        "oldest": rows[-1].pk if has_more else None,
        "actions": activity.ACTIONS,
        "outcomes": activity.OUTCOMES,
        "explained": activity.EXPLAINED,
        "reveals": activity.reveals(rows),
    }
    return render(request, "reviews/activity.html", shown)


@require_safe
@person_page
def fetch_activity(request: HttpRequest, principal: Principal) -> HttpResponse:
    """The same as a CSV file, oldest first and complete."""
    form = ActivityForm(request.GET)
    batches = activity.export(principal, form.chosen() if form.is_valid() else ActivityFilter())
    headers = {"Content-Disposition": 'attachment; filename="memoryhub-activity.csv"'}
    return StreamingHttpResponse(_csv(batches), content_type="text/csv; charset=utf-8", headers=headers)


def _targets(principal: Principal, rows: Sequence[Notice]) -> dict[uuid.UUID, Any]:
    """What these notices are about: candidates, memories and agents by their ids."""
    ids = {kind: [row.target_id for row in rows if row.kind == kind] for kind in Notice.Kind}
    of_candidates = (Notice.Kind.WAITING, Notice.Kind.RETURNED, *review_notices.WHAT)
    held = access.candidates(principal).filter(pk__in=[pk for kind in of_candidates for pk in ids[Notice.Kind(kind)]])
    mine = Memory.objects.filter(namespace__membership_id=principal.subject_id, pk__in=ids[Notice.Kind.EXPIRING])
    agents = Agent.objects.filter(pk__in=ids[Notice.Kind.AGENT]).select_related("owner")
    told = {pk for kind in following.WHAT for pk in ids[Notice.Kind(kind)]}
    entries = following.with_restored(principal, told) if told else []
    reveals = Reveal.objects.filter(pk__in=ids[Notice.Kind.BREAK_GLASS]).select_related("reader")
    read = reveals.filter(namespace__membership_id=principal.subject_id)
    found = (
        held.select_related("agent", "subject"),
        mine.select_related("namespace__membership"),
        agents,
        entries,
        read,
    )
    return {one.pk: one for rows in found for one in rows}


def _csv(batches: Iterator[Named]) -> Iterator[str]:
    yield ",".join(CSV_COLUMNS) + "\r\n"
    for batch, names in batches:
        text = io.StringIO()
        lines = csv.writer(text)
        for row in batch:
            actor = names.get(row.actor_id, "") if row.actor_id else ""
            cells = (row.at.isoformat(), row.actor, actor, row.action, row.outcome, row.reason, row.target)
            lines.writerow(cell(str(one)) for one in (*cells, row.target_id or "", row.details.get("door", "")))
        yield text.getvalue()
