"""What a caller sees when no view answered: a problem document under /api/, a page elsewhere."""

from __future__ import annotations

import structlog
from django.http import HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse

log = structlog.get_logger("memoryhub.failures")
API_PREFIXES = ("/api/", "/mcp")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return _problem(request, 400, "bad_request")
    return _page(request, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return _problem(request, 403, "permission_denied")
    return _page(request, 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page says nothing of the address asked for, and the answer is the same for signed-in and other callers."""
    if _is_api(request):
        return _problem(request, 404, "not_found")
    return _page(request, 404)


def too_many(request: HttpRequest) -> HttpResponse:
    """More attempts to sign in or to send mail than allauth lets through."""
    return _page(request, 429)


def server_error(request: HttpRequest) -> HttpResponse:
    """Never quotes the exception: its message may hold a text that was being stored."""
    log.exception("server_error", status=500)
    if _is_api(request):
        return _problem(request, 500, "server_error")
    return _page(request, 500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A request without its CSRF token; `reason` is for developers and not shown."""
    del reason
    if _is_api(request):
        return _problem(request, 403, "csrf_failed")
    return _page(request, 403)


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_PREFIXES)


def _page(request: HttpRequest, status: int) -> HttpResponse:
    """The page of a status: what is safe, and how to try again. It asks nothing of the database."""
    shown = {"was_sent": request.method not in ("GET", "HEAD")}
    return SimpleTemplateResponse(f"{status}.html", shown, status=status).render()


def _problem(request: HttpRequest, status: int, code: str) -> HttpResponse:
    from memoryhub.api.problems import problem

    answer: HttpResponse = problem(request, status, code)
    return answer
