"""What every page of a signed-in person shares: who they are, their language and time zone, and errors as pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import structlog
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django_htmx.http import HttpResponseClientRefresh

from accounts import audit, tenancy
from accounts.authentication import person_principal
from accounts.errors import Forbidden, MemoryHubError, NotVisible, Unavailable
from accounts.models import Membership
from accounts.principals import Principal

log = structlog.get_logger("accounts.pages")
View = Callable[..., HttpResponse]


def person_page(view: View) -> View:
    """A page for a person of a tenant: the view gets their Principal after the request. Errors of verbs become pages.

    Absent and not-permitted rows are the same "nothing here" page.
    """

    @never_cache
    @wraps(view)
    def shown(request: HttpRequest, *args: object, **options: object) -> HttpResponse:
        if not request.user.is_authenticated:
            # Who was signed out meanwhile gets the sign-in as a page, not as a part of one.
            return HttpResponseClientRefresh() if request.htmx else redirect_to_login(request.get_full_path())
        use_own_language(request)
        membership: Membership | None = getattr(request, "membership", None)
        if membership is None:
            return render(request, "no_membership.html", status=403)
        with timezone.override(zone_of(membership)):
            try:
                return _answered(view, request, person_principal(request, membership), *args, **options)
            except NotVisible:
                raise Http404 from None
            except MemoryHubError as error:
                return problem_page(request, error)
            except (OperationalError, InterfaceError) as error:
                log.error("database_unavailable", code=type(error).__name__)
                return problem_page(request, Unavailable())

    return shown


def _answered(view: View, request: HttpRequest, principal: Principal, *args: object, **options: object) -> HttpResponse:
    """The view's answer; that someone asked for what they may not have is a fact an auditor needs."""
    try:
        return view(request, principal, *args, **options)
    except (Forbidden, NotVisible) as error:
        page = request.resolver_match.url_name if request.resolver_match else ""
        with tenancy.atomic():
            details = {"page": page, "method": request.method}
            audit.record(principal, "page.refused", outcome="refused", reason=error.code[:64], details=details)
        raise


def problem_page(request: HttpRequest, error: MemoryHubError) -> HttpResponse:
    """An error of a verb in words, with its code and the request's id; never the input."""
    shown: dict[str, object] = {"title": gettext(error.title), "detail": gettext(error.detail), "code": error.code}
    shown["was_sent"] = request.method not in ("GET", "HEAD")
    shown["details"] = [gettext(one.detail) for one in error.errors if one.detail != error.detail]
    return render(request, "problem.html", shown, status=error.status)


def offer_undo(request: HttpRequest, words: str, address: str) -> None:
    """A message that something was done, with a button that posts to an address of ours which takes it back.

    The address carries all that its page needs, in its path and query, and no remembered text.
    """
    messages.success(request, words, extra_tags=address)


def use_own_language(request: HttpRequest) -> None:
    """The language a person has stored, on a device where none was chosen yet."""
    language = getattr(request.user, "language", "")
    if language in dict(settings.LANGUAGES) and settings.LANGUAGE_COOKIE_NAME not in request.COOKIES:
        translation.activate(language)
        request.LANGUAGE_CODE = language


def zone_of(membership: Membership) -> ZoneInfo:
    """The time zone in which a person reads times: their own, else their tenant's."""
    try:
        return ZoneInfo(membership.time_zone or membership.tenant.time_zone)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
