"""The pages of a person's own settings, of the audit, and those that explain: help and error codes."""

from __future__ import annotations

import uuid
from dataclasses import asdict
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django.views.i18n import set_language

from accounts import audit_trail, preferences, tokens
from accounts.audit_trail import TrailFilter
from accounts.forms import AuditForm, KeysForm, MembershipForm, ThemeForm, TimeZoneForm, TokenForm
from accounts.middleware import SESSION_MEMBERSHIP
from accounts.pages import person_page, use_own_language
from accounts.principals import Principal
from accounts.problems import GENERAL, PROBLEMS
from accounts.verifying import FAULTS

THEME_COOKIE = "memoryhub_theme"
KEYS_COOKIE = "memoryhub_keys"
YEAR = 365 * 24 * 3600
AUDIT_PAGE = 50


@require_safe
@person_page
def show_settings(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Language, time zone, tokens, organisations, and the way to password and second factor."""
    return render(request, "accounts/settings.html", _settings(request, principal))


@require_POST
@person_page
def set_time_zone(request: HttpRequest, principal: Principal) -> HttpResponse:
    form = TimeZoneForm(request.POST, tenant_zone=request.membership.tenant.time_zone)
    if not form.is_valid():
        return render(request, "accounts/settings.html", _settings(request, principal, zone_form=form), status=400)
    preferences.set_time_zone(principal, form.cleaned_data["time_zone"])
    messages.success(request, _("The time zone is set."))
    return redirect("settings")


@require_POST
@person_page
def create_token(request: HttpRequest, principal: Principal) -> HttpResponse:
    """The answer itself shows the secret: it is stored nowhere, so no later page could."""
    form = TokenForm(request.POST, principal=principal)
    if not form.is_valid():
        return render(request, "accounts/settings.html", _settings(request, principal, token_form=form), status=400)
    given = form.cleaned_data
    token = tokens.create(principal, given["name"], given["scopes"], given["expires_at"])
    return render(request, "accounts/token_created.html", {"token": str(token), "name": given["name"]}, status=201)


@require_POST
@person_page
def revoke_token(request: HttpRequest, principal: Principal, token_id: uuid.UUID) -> HttpResponse:
    tokens.revoke(principal, token_id)
    messages.success(request, _("The token is revoked: it opens nothing any more."))
    return redirect("settings")


@require_POST
@person_page
def choose_tenant(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Work under another of one's own memberships from now on."""
    form = MembershipForm(request.POST)
    if not form.is_valid() or form.cleaned_data["membership"] not in {one.pk for one in request.memberships}:
        raise Http404
    request.session[SESSION_MEMBERSHIP] = str(form.cleaned_data["membership"])
    messages.success(request, _("You now work in the organisation you chose."))
    return redirect("home")


@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Django's own language switch, and the choice is kept with the person."""
    answer = set_language(request)
    chosen = request.POST.get("language", "")
    if request.user.is_authenticated and chosen in dict(settings.LANGUAGES):
        preferences.set_language(request.user, chosen)
    return answer


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Light, dark or as the system has it; kept in a cookie, so that the first paint is right."""
    return _remembered(request, ThemeForm(request.POST), "theme", THEME_COOKIE)


@require_POST
def choose_keys(request: HttpRequest) -> HttpResponse:
    """Single-key shortcuts on or off; kept in a cookie, since it is about this keyboard."""
    return _remembered(request, KeysForm(request.POST), "keys", KEYS_COOKIE)


@require_safe
@person_page
def show_audit(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What was done, newest first, and where its chain stands; for auditors and administrators."""
    state = audit_trail.state(principal)
    form = AuditForm(request.GET)
    is_valid = form.is_valid()
    chosen = form.chosen() if is_valid else TrailFilter()
    rows = audit_trail.events(principal, chosen).order_by("-pk")
    if not is_valid:
        rows = rows.none()
    elif before := form.cleaned_data["before"]:
        rows = rows.filter(pk__lt=before)
    found = list(rows[: AUDIT_PAGE + 1])
    page, has_more = found[:AUDIT_PAGE], len(found) > AUDIT_PAGE
    audit_trail.note_reading(principal, len(page))
    asked = {name: value for name, value in asdict(chosen).items() if value is not None}
    query = request.GET.copy()
    is_later = bool(query.pop("before", None))
    shown = {"form": form, "state": state, "events": page, "names": audit_trail.names(page), "is_later": is_later}
    shown |= {"query": query.urlencode(), "filtered": any(query.values()), "oldest": page[-1].pk if has_more else None}
    return render(request, "accounts/audit.html", {**shown, "export": urlencode(asked), "faults": FAULTS})


@require_safe
def show_problem(request: HttpRequest, code: str) -> HttpResponse:
    """What an error code means. A code we do not know gets the general page; it is not repeated."""
    use_own_language(request)
    known = PROBLEMS.get(code)
    return render(request, "accounts/problem_code.html", {"code": code if known else "", "problem": known or GENERAL})


@require_safe
def show_help(request: HttpRequest) -> HttpResponse:
    """What is remembered, what is not, and what deleting does."""
    use_own_language(request)
    return render(request, "accounts/help.html")


def _settings(request: HttpRequest, principal: Principal, **given: object) -> dict[str, object]:
    membership = request.membership
    zone = {"time_zone": membership.time_zone}
    return {
        "zone_form": TimeZoneForm(initial=zone, tenant_zone=membership.tenant.time_zone),
        "token_form": TokenForm(principal=principal),
        "tokens": tokens.living(principal),
        "membership": membership,
        "memberships": request.memberships,
        **given,
    }


def _remembered(request: HttpRequest, form: forms.Form, field: str, cookie: str) -> HttpResponse:
    """Back to where the choice was made, with the choice in a cookie when it is one."""
    answer = HttpResponseRedirect(_local(request, request.POST.get("next", "")))
    if form.is_valid():
        options = {"secure": settings.SESSION_COOKIE_SECURE, "httponly": True, "samesite": "Lax"}
        answer.set_cookie(cookie, form.cleaned_data[field], max_age=YEAR, **options)
    return answer


def _local(request: HttpRequest, address: str) -> str:
    """An address of this host to go back to, else the home page."""
    allowed = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if address and allowed else reverse("home")
