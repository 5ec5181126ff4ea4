"""The outermost frame of a request: its id, its one log line, its count and the headers every answer has."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils import timezone

from accounts import calls
from accounts.ids import uuid7
from memoryhub import metrics

# Hexadecimal only: an id a caller chooses is echoed and logged, so it must not be able to carry words.
WELL_FORMED = re.compile(r"[0-9a-fA-F-]{16,64}")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
QUIET_ROUTES = frozenset({"livez", "readyz", "metrics"})
log = structlog.get_logger("memoryhub.request")


class RequestMiddleware:
    """Sets `request.request_id` (the caller's well-formed X-Request-Id, else a UUIDv7) and answers with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = request.headers.get("X-Request-Id", "")
        if not WELL_FORMED.fullmatch(request_id):
            request_id = str(uuid7())
        request.request_id = request_id  # type: ignore[attr-defined]
        started = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
            self._note(request, response, time.perf_counter() - started)
        response["X-Request-Id"] = request_id
        response.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
        if "max-age" not in response.get("Cache-Control", ""):
            # Answers hold what one person may see: no shared or disk cache may keep them.
            response.setdefault("Cache-Control", "no-store")
        return response

    @staticmethod
    def _note(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
        match = request.resolver_match
        route = match.route if match else "unmatched"
        method = request.method if request.method in METHODS else "OTHER"
        metrics.requests.note(method or "OTHER", route, response.status_code, seconds)
        if route not in QUIET_ROUTES:
            log.info("request", method=method, path=route, status=response.status_code, ms=round(seconds * 1000, 1))
        if used := getattr(request, "used_credential", None):
            calls.note(
                calls.Call(
                    used=used,
                    at=timezone.now(),
                    method=method or "OTHER",
                    route=route,
                    status=response.status_code,
                    ms=round(seconds * 1000, 1),
                    request_id=request.request_id,  # type: ignore[attr-defined]
                    scope=getattr(request, "used_scope", ""),
                    code=_code_of(response),
                )
            )


def _code_of(response: HttpResponse) -> str:
    """The code of a problem document, where the answer is one."""
    told = getattr(response, "data", None) if response.status_code >= 400 else None
    return str(told.get("code", ""))[:64] if isinstance(told, Mapping) else ""


class CompressedFiles(GZipMiddleware):
    """Compresses the static files alone: a page that holds secrets and repeats what a stranger chose must not be."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not request.path.startswith(settings.STATIC_URL):
            return response
        return super().process_response(request, response)
