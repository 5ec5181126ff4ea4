"""What every REST view shares: problem documents (RFC 9457), strict bodies, scopes, idempotency, rate limits, pages."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar

import structlog
from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.db import InterfaceError, OperationalError, models
from django.http import HttpRequest, JsonResponse
from django.utils.translation import gettext
from drf_standardized_errors.formatter import ExceptionFormatter
from drf_standardized_errors.handler import ExceptionHandler
from drf_standardized_errors.types import ErrorResponse
from rest_framework import exceptions, parsers, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts import audit, idempotency, secrets, tenancy
from accounts.errors import FieldError, InvalidInput, MemoryHubError, Unavailable
from accounts.idempotency import Result
from accounts.principals import Principal, Scope
from memories.sensitivity import scan_fields
from memoryhub.openapi import HubSchema

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
MAX_BODY = 1024 * 1024
MAX_BATCH_BODY = 16 * 1024 * 1024
KEY_LIMIT = 255
Model = TypeVar("Model", bound=models.Model)
Input = TypeVar("Input", bound=serializers.BaseSerializer)


# --- problem documents --------------------------------------------------------------------------------------------


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


# --- rate limits --------------------------------------------------------------------------------------------------


class CallerRateThrottle(BaseThrottle):
    """A fixed window per credential, counted atomically in the cache. Headers follow the IETF RateLimit draft."""

    PERIODS: ClassVar[dict[str, int]] = {"sec": 1, "min": 60, "hour": 3600, "day": 86400}

    def allow_request(self, request: Request, view: APIView) -> bool:
        allowed, _, period = settings.MEMORYHUB_THROTTLE_RATE.partition("/")
        limit, seconds = int(allowed), self.PERIODS[period]
        window, passed = divmod(int(time.time()), seconds)
        key = secrets.digest("throttle", self._caller(request), str(window))
        cache.add(key, 0, timeout=seconds + 1)
        try:
            count = cache.incr(key)
        except ValueError:
            count = 1
        self.left = seconds - passed
        request.rate_limit_headers = {
            "RateLimit-Policy": f'"caller";q={limit};w={seconds}',
            "RateLimit": f'"caller";r={max(0, limit - count)};t={self.left}',
        }
        return count <= limit

    def wait(self) -> float:
        return float(self.left)

    @staticmethod
    def _caller(request: Request) -> str:
        principal = request.auth
        if isinstance(principal, Principal):
            return f"{principal.actor_id} {principal.credential_id}"
        return str(request.META.get("REMOTE_ADDR", ""))


# --- reading requests ---------------------------------------------------------------------------------------------


class StrictJSONParser(parsers.JSONParser):
    """JSON of bounded size and depth; numbers must be finite."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        view = (parser_context or {}).get("view")
        limit = getattr(view, "max_body", MAX_BODY)
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise TooLarge
        if not data.strip():
            return {}
        try:
            return json.loads(data.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite)
        except (ValueError, RecursionError):
            raise exceptions.ParseError from None


class TooLarge(exceptions.APIException):
    status_code = 413
    default_code = "too_large"
    default_detail = "The body is too large."


def _no_constant(name: str) -> None:
    raise ValueError("not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("out of range")
    return number


def broken_characters(value: Any, place: str = "") -> list[FieldError]:
    """Where NUL or half a surrogate pair stands: no database can hold them."""
    found: list[FieldError] = []
    waiting: list[tuple[str, Any]] = [(place, value)]
    while waiting:
        where, part = waiting.pop()
        if isinstance(part, str):
            if "\x00" in part or any("\ud800" <= char <= "\udfff" for char in part):
                found.append(FieldError(where or "body", "broken_characters", "It holds a character that no text has."))
        elif isinstance(part, Mapping):
            for name, inner in part.items():
                here = f"{where}.{name}" if where else str(name)
                if "\x00" in str(name) or any("\ud800" <= char <= "\udfff" for char in str(name)):
                    found.append(
                        FieldError(where or "body", "broken_characters", "A name in it holds a broken character.")
                    )
                else:
                    waiting.append((here, inner))
        elif isinstance(part, list):
            waiting += [(f"{where}.{index}" if where else str(index), inner) for index, inner in enumerate(part)]
    return found


def refuse_secrets(names: Mapping[str, str]) -> None:
    """Names that a runtime makes up are kept with what it did, so none of them may be a secret."""
    found = scan_fields({name: text for name, text in names.items() if text})
    if wrong := [name for name in names if found.get(name)]:
        raise InvalidInput(
            "A reference or name holds something that may not be kept.",
            code="sensitive_or_prohibited",
            errors=[
                FieldError(name, "sensitive_or_prohibited", "It looks like a secret or an identifier.")
                for name in wrong
            ],
        )


class HubView(APIView):
    """A REST view: a principal with the scope of the method, a strict body, one verb, one rendering."""

    schema = HubSchema()
    parser_classes = [StrictJSONParser]
    permission_classes: ClassVar[list[type]] = []
    throttle_classes: ClassVar[list[type[BaseThrottle]]] = [CallerRateThrottle]
    scopes: ClassVar[Mapping[str, Scope | None]] = {}
    max_body = MAX_BODY

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not isinstance(request.auth, Principal):
            raise exceptions.NotAuthenticated
        scope = self.scopes.get("GET" if request.method == "HEAD" else request.method or "")
        if scope is not None:
            request.auth.require(scope)
        refuse_secrets({"MemoryHub-Run": request.auth.run_id, "MemoryHub-Thread": request.auth.thread_id})

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        for name, value in getattr(request, "rate_limit_headers", {}).items():
            response[name] = value
        return super().finalize_response(request, response, *args, **kwargs)

    @property
    def principal(self) -> Principal:
        return self.request.auth

    def read(self, serializer_class: type[Input]) -> Any:
        """The checked body; raises a problem that names every wrong field."""
        return self.checked(serializer_class, self.request.data)

    def read_query(self, serializer_class: type[Input]) -> Any:
        """The checked query string: unknown and repeated parameters are errors, never ignored."""
        params = self.request.query_params
        repeated = [FieldError(name, "repeated", "Send it once.") for name in params if len(params.getlist(name)) > 1]
        if repeated:
            raise InvalidInput(errors=repeated)
        return self.checked(serializer_class, params.dict())

    def checked(self, serializer_class: type[Input], data: Any) -> Any:
        if broken := broken_characters(data):
            raise InvalidInput(errors=broken)
        serializer = serializer_class(data=data, context={"principal": self.principal})
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    def once(
        self, work: Callable[[], Result], answer_again: Callable[[int, Mapping[str, object]], Result], **options: Any
    ) -> Response:
        """Carry a POST out at most once per Idempotency-Key."""
        key = self.request.headers.get("Idempotency-Key")
        if key is not None and not 0 < len(key) <= KEY_LIMIT:
            raise InvalidInput.field("Idempotency-Key", "Between 1 and 255 characters.", "length")
        match = self.request.resolver_match
        route = options.pop(
            "route", f"{match.route if match else ''} {sorted((match.kwargs if match else {}).items())}"
        )
        result = idempotency.once(
            self.principal,
            route=route,
            key=options.pop("key", key),
            request_body=self.request.data,
            work=work,
            answer_again=answer_again,
            **options,
        )
        response = Response(result.body, status=result.status)
        if result.replayed:
            response["Idempotency-Replayed"] = "true"
        return response


# --- pages --------------------------------------------------------------------------------------------------------


class Page:
    """Newest first by id, after a cursor that is signed and bound to the caller and the filters."""

    def __init__(self, principal: Principal, filters: Mapping[str, object], cursor: str | None, limit: int) -> None:
        self.scope = secrets.fingerprint(
            "cursor",
            {"tenant": principal.tenant_id, "subject": principal.subject_id, "actor": principal.actor_id, **filters},
        )[:32]
        self.limit = limit
        self.after = self._opened(cursor)

    def _opened(self, cursor: str | None) -> str | None:
        if cursor is None:
            return None
        try:
            scope, after = signing.loads(cursor, salt="memoryhub.cursor")
        except (signing.BadSignature, ValueError, TypeError):
            scope, after = "", None
        if not secrets.same(scope, self.scope):
            raise InvalidInput.field("cursor", "This cursor does not belong to this list.", "unknown_cursor")
        return after

    def take(self, rows: models.QuerySet[Model]) -> tuple[list[Model], dict[str, object]]:
        """One page of the rows, and the fields that lead to the next."""
        if self.after is not None:
            rows = rows.filter(pk__lt=self.after)
        found = list(rows.order_by("-pk")[: self.limit + 1])
        page, has_more = found[: self.limit], len(found) > self.limit
        cursor = signing.dumps([self.scope, str(page[-1].pk)], salt="memoryhub.cursor") if has_more else None
        return page, {"next_cursor": cursor, "has_more": has_more}
