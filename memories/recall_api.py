"""The REST door of recall: questions, packets, what became of them, and the tools of language models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.errors import IdempotencyMismatch
from accounts.idempotency import Result
from accounts.principals import Scope
from memories import access, recalling, rendering, schemas, serializers, tenant_policy, tool_calls, tools
from memories.models import Feedback
from memoryhub.api import HubView


class RecallView(HubView):
    """What may and should come back."""

    scopes: ClassVar = {"POST": Scope.RECALL}

    @extend_schema(operation_id="recall", request=serializers.RecallBody, responses={200: schemas.RecallShown})
    def post(self, request: Request) -> Response:
        body = self.read(serializers.RecallBody)
        return Response(rendering.recalled(recalling.recall(self.principal, body["asked"]), explain=body["explain"]))


class ContextView(HubView):
    """A context packet for one model call."""

    scopes: ClassVar = {"POST": Scope.RECALL}

    @extend_schema(operation_id="context", request=serializers.ContextBody, responses={200: schemas.ContextShown})
    def post(self, request: Request) -> Response:
        body = self.read(serializers.ContextBody)
        answer = recalling.recall(self.principal, body["asked"])
        return Response(
            {
                "recall_id": str(answer.trace.pk),
                "status": answer.selection.status.value,
                "format": body["format"],
                "tokens_used": answer.selection.tokens_used,
                "items": [rendering.cited(one) for one in answer.items],
                **rendering.prompt(answer, body["format"]),
            }
        )


class FeedbackView(HubView):
    """What became of a recalled memory."""

    scopes: ClassVar = {"POST": Scope.RECALL}

    @extend_schema(operation_id="feedback", request=serializers.FeedbackBody, responses={201: schemas.FeedbackShown})
    def post(self, request: Request, recall_id: str) -> Response:
        access.recall(self.principal, recall_id)
        body = self.read(serializers.FeedbackBody)

        def work() -> Result:
            given = recalling.give_feedback(self.principal, recall_id, body["memory_id"], body["verdict"])
            return Result(201, rendering.feedback(given), {"feedback": str(given.pk)})

        return self.once(
            work, lambda status, refs: Result(status, rendering.feedback(Feedback.objects.get(pk=refs["feedback"])))
        )


class ToolsView(HubView):
    """The tools to offer a language model."""

    scopes: ClassVar = {"GET": Scope.RECALL}

    @extend_schema(operation_id="tools", parameters=[serializers.ToolsQuery], responses=schemas.ToolsShown)
    def get(self, request: Request) -> Response:
        form = self.read_query(serializers.ToolsQuery)["format"]
        return Response({"format": form, "tools": tools.definitions(tenant_policy.active(), form)})


class ToolCallView(HubView):
    """Carry out a model's tool call. Errors are values: a model must see that nothing was saved."""

    scopes: ClassVar = {"POST": None}

    @extend_schema(operation_id="call_tool", request=serializers.ToolCallBody, responses=schemas.ToolCallShown)
    def post(self, request: Request) -> Response:
        body = self.read(serializers.ToolCallBody)
        self.note_scope(tools.SCOPES.get(body["name"]))
        run, call_id = self.principal.run_id, body["call_id"]

        def work() -> Result:
            called = tool_calls.call(self.principal, body["name"], body["arguments"])
            return Result(200, {"call_id": call_id, "output": called.output}, called.references)

        def again(status: int, references: Mapping[str, Any]) -> Result:
            return Result(status, {"call_id": call_id, "output": tool_calls.again(self.principal, references)})

        # In a run the call itself is the key; elsewhere it is the caller's, as everywhere.
        named = {"key": f"{run}\n{call_id}"} if run else {}
        try:
            return self.once(work, again, route="tools/call", **named)
        except IdempotencyMismatch as error:
            return Response({"call_id": call_id, "output": {"ok": False, "error": error.code}})
