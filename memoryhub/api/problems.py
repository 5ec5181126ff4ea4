"""Problem documents (RFC 9457): every error under /api/ is one, and none quotes the input."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, JsonResponse
from django.utils.translation import gettext
from drf_standardized_errors.formatter import ExceptionFormatter
from drf_standardized_errors.handler import ExceptionHandler
from drf_standardized_errors.types import ErrorResponse
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import audit, tenancy
from accounts.errors import FieldError, InvalidInput, MemoryHubError, Unavailable
from accounts.principals import Principal

log = structlog.get_logger("memoryhub.api")

PROBLEM_TYPE = "application/problem+json"
TITLES = {
    400: "Bad request",
    401: "Authentication is needed",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    409: "Conflict",
    412: "Precondition failed",
    413: "Too large",
    415: "Unsupported media type",
    422: "Not processable",
    428: "Precondition required",
    429: "Too many requests",
    500: "Something went wrong on our side; nothing was half done",
    503: "Not available",
}


def problem_document(
    request: HttpRequest | Request | None,
    status: int,
    code: str,
    detail: str = "",
    errors: Iterable[FieldError] = (),
    **extra: object,
) -> dict[str, object]:
    """The body of an error. It never quotes the input."""
    title = gettext(TITLES.get(status, TITLES[400]))
    inner = getattr(request, "_request", request)
    return {
        "type": f"{settings.MEMORYHUB_BASE_URL}/problems/{code}",
        "title": title,
        "status": status,
        "detail": gettext(detail) if detail else title,
        "code": code,
        "errors": [{"pointer": one.pointer, "code": one.code, "detail": gettext(one.detail)} for one in errors],
        "instance": str(getattr(inner, "request_id", "") or "unknown"),
        **extra,
    }


def problem(
    request: HttpRequest, status: int, code: str, detail: str = "", errors: Iterable[FieldError] = (), **extra: object
) -> JsonResponse:
    """A whole answer, for errors outside any view."""
    document = problem_document(request, status, code, detail, errors, **extra)
    return JsonResponse(document, status=status, content_type=PROBLEM_TYPE)


class ProblemFormatter(ExceptionFormatter):
    """Turns DRF's own exceptions into our problem documents."""

    def format_error_response(self, error_response: ErrorResponse) -> dict[str, object]:
        status = self.exc.status_code
        first = error_response.errors[0]
        is_validation = isinstance(self.exc, exceptions.ValidationError)
        fields = [FieldError(one.attr or "body", one.code, str(one.detail)) for one in error_response.errors]
        extra = {}
        if isinstance(self.exc, exceptions.Throttled) and self.exc.wait is not None:
            extra["retry_after"] = int(self.exc.wait) + 1
        return problem_document(
            self.context.get("request"),
            status,
            "invalid_input" if is_validation else first.code,
            InvalidInput.title if is_validation else DETAILS.get(status, ""),
            fields if is_validation else (),
            **extra,
        )


DETAILS = {
    400: "The body is not a JSON object that can be read.",
    401: "Send a valid credential in the Authorization header.",
    404: "There is nothing here, or nothing that you may see.",
    405: "This address does not take that method.",
    415: "Send application/json.",
    429: "Slow down and try again after the time given.",
}


class ProblemHandler(ExceptionHandler):
    def format_exception(self, exc: exceptions.APIException) -> dict[str, object]:
        return ProblemFormatter(exc, self.context, self.exc).run()


def problem_response(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler. Refusals of known callers go to the audit; texts of exceptions are not shown."""
    transaction_broken = isinstance(exc, OperationalError | InterfaceError)
    if transaction_broken:
        log.error("database_unavailable", code=_driver_code(exc))
        exc = Unavailable(retry_after=1)
    if isinstance(exc, MemoryHubError):
        if exc.status >= 500:
            log.error("unavailable", code=exc.code)
        document = problem_document(context.get("request"), exc.status, exc.code, exc.detail, exc.errors, **exc.extra)
        response: Response | None = Response(document, status=exc.status)
    else:
        if isinstance(exc, exceptions.AuthenticationFailed):
            missing = exceptions.NotAuthenticated()
            missing.auth_header = getattr(exc, "auth_header", "Bearer")
            exc = missing  # a wrong credential says no more than a missing one
        response = _handled(exc, context)
    if response is not None:
        response.content_type = PROBLEM_TYPE
        retry_after = response.data.get("retry_after")
        if retry_after is not None:
            response["Retry-After"] = str(retry_after)
        if not transaction_broken:
            _note_refusal(context, response)
    return response


def _driver_code(exc: Exception) -> str:
    """The driver's own error code: never its message, which may quote a value."""
    cause = exc.__cause__
    return str(getattr(cause, "sqlite_errorname", "") or getattr(cause, "sqlstate", "") or type(exc).__name__)


def _handled(exc: Exception, context: dict[str, Any]) -> Response | None:
    if not isinstance(exc, exceptions.APIException):
        from django.core.exceptions import PermissionDenied
        from django.http import Http404

        if not isinstance(exc, Http404 | PermissionDenied):
            log.exception("server_error", status=500)
            return Response(problem_document(context.get("request"), 500, "server_error"), status=500)
    return ProblemHandler(exc, context).run()


def _note_refusal(context: dict[str, Any], response: Response) -> None:
    """Denied and not-visible calls are facts an auditor needs; the event is outside the verb that was rolled back."""
    # Not `request.auth`: when it was the credential that was refused, asking again would raise again.
    principal = vars(context.get("request")).get("_auth") if response.status_code in (403, 404) else None
    if not isinstance(principal, Principal) or tenancy.active_id() is None:
        return
    try:
        with tenancy.atomic():
            audit.record(
                principal,
                "api.refused",
                outcome="refused",
                reason=str(response.data.get("code", ""))[:64],
                details={"view": type(context["view"]).__name__, "method": context["request"].method},
            )
    except OperationalError:
        log.error("audit_unavailable")
