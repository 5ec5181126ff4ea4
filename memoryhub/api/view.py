"""The base of every REST view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts import idempotency
from accounts.errors import FieldError, Forbidden, InvalidInput
from accounts.idempotency import Result
from accounts.principals import Principal, Scope
from memoryhub.api.reading import MAX_BODY, StrictJSONParser, broken_characters, refuse_secrets
from memoryhub.api.throttle import CallerRateThrottle
from memoryhub.openapi import HubSchema

KEY_LIMIT = 255
Input = TypeVar("Input", bound=serializers.BaseSerializer)


class HubView(APIView):
    """A REST view: a principal with the scope of the method, a strict body, one verb, one rendering."""

    schema = HubSchema()
    parser_classes = [StrictJSONParser]
    permission_classes: ClassVar[list[type]] = []
    throttle_classes: ClassVar[list[type[BaseThrottle]]] = [CallerRateThrottle]
    scopes: ClassVar[Mapping[str, Scope | None]] = {}
    max_body = MAX_BODY

    def perform_authentication(self, request: Request) -> None:
        """Wrong credentials count against the address they come from."""
        try:
            super().perform_authentication(request)
        except exceptions.AuthenticationFailed:
            self.check_throttles(request)
            raise

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not isinstance(request.auth, Principal):
            raise exceptions.NotAuthenticated
        scope = self.scopes.get("GET" if request.method == "HEAD" else request.method or "")
        self.note_scope(scope)
        if scope is not None:
            request.auth.require(scope)
        refuse_secrets({"MemoryHub-Run": request.auth.run_id, "MemoryHub-Thread": request.auth.thread_id})

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        for name, value in getattr(request, "rate_limit_headers", {}).items():
            response[name] = value
        return super().finalize_response(request, response, *args, **kwargs)

    def note_scope(self, scope: Scope | None) -> None:
        """Which scope this call is about, for the log of its key."""
        self.request._request.used_scope = scope.value if scope else ""

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
            request_body=options.pop("request_body", self.request.data),
            work=work,
            answer_again=answer_again,
            **options,
        )
        response = Response(result.body, status=result.status)
        if result.replayed:
            response["Idempotency-Replayed"] = "true"
        return response


class PeopleView(HubView):
    """What people do themselves, with a session or a token of their own: no agent's key opens it."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method != "OPTIONS" and hasattr(self, str(request.method).lower()) and not self.principal.is_person:
            raise Forbidden("Only a person may do this, with their own token.", code="people_only")
