"""The OpenAPI document of our views: their headers, scopes and problem documents, said once."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers as drf

SUBJECT = OpenApiParameter(
    "MemoryHub-Subject",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="External id of the person the agent works for. Sent by the runtime, never by a model.",
)
RUN = OpenApiParameter(
    "MemoryHub-Run", OpenApiTypes.STR, OpenApiParameter.HEADER, description="Run id, for provenance."
)
THREAD = OpenApiParameter(
    "MemoryHub-Thread", OpenApiTypes.STR, OpenApiParameter.HEADER, description="Thread id, for provenance."
)
IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="A repeated request is answered from the first and marked Idempotency-Replayed: true.",
)


class FieldProblem(drf.Serializer):
    pointer = drf.CharField()
    code = drf.CharField()
    detail = drf.CharField()


class Problem(drf.Serializer):
    """RFC 9457. `instance` is the request id; the input is never quoted."""

    type = drf.URLField()
    title = drf.CharField()
    status = drf.IntegerField()
    detail = drf.CharField()
    code = drf.CharField()
    errors = FieldProblem(many=True)
    instance = drf.CharField()


class HubSchema(AutoSchema):
    """Adds what every view of ours shares."""

    def get_override_parameters(self) -> list[Any]:
        shared = [SUBJECT, RUN, THREAD]
        return [*shared, IDEMPOTENCY] if self.method == "POST" else shared

    def get_description(self) -> str:
        scope = getattr(self.view, "scopes", {}).get(self.method)
        text = super().get_description()
        return f"{text}\n\nScope: `{scope.value}`." if scope else text

    def _get_response_bodies(self, direction: str = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        problem = self._get_response_for_code(
            OpenApiResponse(Problem, description="A problem document."), "default", ["application/problem+json"]
        )
        return {**bodies, "default": problem}
