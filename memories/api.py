"""The REST door of memory: read the input, call one verb, render."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from drf_standardized_errors.formatter import flatten_errors
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.errors import FieldError, IdempotencyMismatch, InvalidInput, MemoryHubError, NotVisible, VersionRequired
from accounts.idempotency import Result
from accounts.principals import Scope
from memories import (
    access,
    actions,
    indexing,
    reading,
    recalling,
    rendering,
    schemas,
    serializers,
    tenant_policy,
    tool_calls,
    tools,
)
from memories.actions import ACTIVATING, HOLDING
from memories.inputs import ProposalInput
from memories.models import Erasure, Evidence, Feedback, Memory, Operation
from memoryhub.api import MAX_BATCH_BODY, HubView, Page
from memoryhub.fields import stamp

DECIDED = dict.fromkeys((200, 201, 202), schemas.DecisionShown)
IF_MATCH = OpenApiParameter("If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER)


def decided(status: int, operation: Operation) -> Result:
    """The answer to a write and the reference from which it can be given again."""
    return Result(status, rendering.decision(operation, tenant_policy.active()), {"operation": str(operation.pk)})


def status_of(decision: str) -> int:
    if decision in ACTIVATING:
        return 201
    return 202 if decision in HOLDING else 200


def expected_version(request: Request, *, required: bool = False) -> int | None:
    """The version an If-Match header names. A tag that is none of ours matches nothing."""
    tag = request.headers.get("If-Match")
    if tag is None and required:
        raise VersionRequired
    if tag is None or tag.strip() == "*":
        return None
    digits = tag.strip().removeprefix("W/").strip('"')
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else -1


def operation_again(principal: Any) -> Any:
    """How a repeated write is answered: from its operation, with the memory as it is now."""

    def again(status: int, references: Mapping[str, object]) -> Result:
        rows = Operation.objects.select_related(
            "memory__namespace__membership", "memory__namespace__agent", "memory__namespace__group", "candidate"
        )
        return decided(status, rows.get(pk=references["operation"]))

    return again


class EvidenceView(HubView):
    """Attest what actually happened."""

    scopes: ClassVar = {"POST": Scope.ATTEST}

    @extend_schema(
        operation_id="attest_evidence", request=serializers.EvidenceBody, responses={201: schemas.EvidenceShown}
    )
    def post(self, request: Request) -> Response:
        event = self.read(serializers.EvidenceBody)

        def work() -> Result:
            made = actions.attest(self.principal, event)
            return Result(201, rendering.evidence(made), {"evidence": str(made.pk)})

        return self.once(
            work, lambda status, refs: Result(status, rendering.evidence(Evidence.objects.get(pk=refs["evidence"])))
        )


class ProposalView(HubView):
    """Ask to remember something."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(
        operation_id="propose",
        request=serializers.ProposalBody,
        responses={200: schemas.DecisionShown, 201: schemas.DecisionShown, 202: schemas.DecisionShown},
    )
    def post(self, request: Request) -> Response:
        item = self.read(serializers.ProposalBody)

        def work() -> Result:
            operation = actions.propose(self.principal, item).operation
            return decided(status_of(operation.decision), operation)

        return self.once(work, operation_again(self.principal))


class PreviewView(HubView):
    """What the gate would say; nothing is kept."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="preview", request=serializers.ProposalBody, responses={200: schemas.DecisionShown})
    def post(self, request: Request) -> Response:
        item = self.read(serializers.ProposalBody)
        return Response(rendering.preview(actions.preview(self.principal, item), tenant_policy.active()))


class BatchView(HubView):
    """Ask to remember up to 1,000 things, each with its own answer."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}
    max_body = MAX_BATCH_BODY

    @extend_schema(operation_id="propose_batch", request=serializers.BatchBody, responses={200: schemas.BatchShown})
    def post(self, request: Request) -> Response:
        body = self.read(serializers.BatchBody)
        reader = serializers.ProposalBody(context={"principal": self.principal})
        items = [self._item(reader, index, raw) for index, raw in enumerate(body["items"])]

        def work() -> Result:
            results = actions.propose_batch(self.principal, items, atomic=body["atomic"])
            references = {
                "items": [
                    {"code": one.code, "status": one.status}
                    if isinstance(one, MemoryHubError)
                    else {"operation": str(one.operation.pk)}
                    for one in results
                ]
            }
            policy = tenant_policy.active()
            answers = [
                {"problem": rendering.problem_of(one)}
                if isinstance(one, MemoryHubError)
                else rendering.decision(one.operation, policy)
                for one in results
            ]
            return Result(200, {"items": answers}, references)

        return self.once(work, lambda status, references: self._again(items, status, references))

    def _item(self, reader: serializers.ProposalBody, index: int, raw: Any) -> ProposalInput | MemoryHubError:
        try:
            return reader.run_validation(raw)
        except ValidationError as error:
            places = flatten_errors(error.detail)
            return InvalidInput(
                errors=[FieldError(f"items.{index}.{one.attr}", one.code, one.detail) for one in places]
            )
        except InvalidInput as error:
            return error

    def _again(self, items: list[ProposalInput | MemoryHubError], status: int, references: Mapping[str, Any]) -> Result:
        """A repeated body is the same body, so what was malformed in it is told again from it."""
        operations = {
            str(row.pk): row
            for row in Operation.objects.filter(
                pk__in=[one["operation"] for one in references["items"] if "operation" in one]
            ).select_related(
                "memory__namespace__membership", "memory__namespace__agent", "memory__namespace__group", "candidate"
            )
        }
        policy = tenant_policy.active()
        answers = [
            rendering.decision(operations[one["operation"]], policy)
            if "operation" in one
            else {"problem": rendering.problem_of(item) if isinstance(item, MemoryHubError) else one}
            for one, item in zip(references["items"], items, strict=True)
        ]
        return Result(status, {"items": answers})


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


class MemoryListView(HubView):
    """Enumerate memories: complete and unranked."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="list_memories", parameters=[serializers.ListQuery], responses=schemas.MemoryPage)
    def get(self, request: Request) -> Response:
        query = self.read_query(serializers.ListQuery)
        rows = reading.enumerate_memories(self.principal, query["chosen"])
        filters = {name: value for name, value in self.request.query_params.items() if name not in ("cursor", "limit")}
        page, more = Page(self.principal, filters, query["cursor"], query["limit"]).take(rows)
        reading.note_listing(self.principal, len(page))
        return Response({"items": [rendering.memory(row) for row in page], **more})


class LookupView(HubView):
    """One memory by its exact key."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="lookup_memory", parameters=[serializers.LookupQuery], responses=schemas.MemoryShown)
    def get(self, request: Request) -> Response:
        query = self.read_query(serializers.LookupQuery)
        return tagged(reading.lookup(self.principal, query["namespace"], query["kind"], query["key"]))


def tagged(row: Memory, status: int = 200) -> Response:
    """A memory with its version as the ETag."""
    return Response(rendering.memory(row), status=status, headers={"ETag": f'"{row.version}"'})


class MemoryView(HubView):
    """One version: read it, correct it, forget its key."""

    scopes: ClassVar = {"GET": Scope.READ, "PATCH": Scope.PROPOSE, "DELETE": Scope.FORGET}

    @extend_schema(operation_id="read_memory", responses=schemas.MemoryShown)
    def get(self, request: Request, memory_id: str) -> Response | HttpResponse:
        row = reading.read(self.principal, memory_id)
        if request.headers.get("If-None-Match") == f'"{row.version}"' and row.status == Memory.Status.ACTIVE:
            return HttpResponse(status=304, headers={"ETag": f'"{row.version}"'})
        return tagged(row)

    @extend_schema(
        operation_id="correct_memory",
        parameters=[IF_MATCH],
        request=serializers.CorrectionBody,
        responses={200: schemas.DecisionShown, 202: schemas.DecisionShown},
    )
    def patch(self, request: Request, memory_id: str) -> Response:
        access.memory(self.principal, memory_id)
        version = expected_version(request, required=True)
        changes = dict(self.read(serializers.CorrectionBody))
        evidence_id = changes.pop("evidence_id", None)
        operation = actions.correct(
            self.principal, memory_id, changes, expected_version=version, evidence_id=evidence_id
        ).operation
        return correction_response(operation)

    @extend_schema(operation_id="forget_memory", parameters=[IF_MATCH], responses=schemas.ReceiptShown)
    def delete(self, request: Request, memory_id: str) -> Response:
        erasure = actions.forget(self.principal, memory_id, expected_version=expected_version(request))
        return Response(rendering.receipt(erasure))


def correction_response(operation: Operation) -> Response:
    status = 202 if operation.decision in HOLDING else 200
    response = Response(rendering.decision(operation, tenant_policy.active()), status=status)
    if operation.memory is not None:
        response["ETag"] = f'"{operation.memory.version}"'
    return response


class HistoryView(HubView):
    """Every version of a memory's key."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="memory_history", responses=schemas.Versions)
    def get(self, request: Request, memory_id: str) -> Response:
        versions = reading.history(self.principal, memory_id)
        return Response({"items": [rendering.memory(row) for row in versions]})


class PauseView(HubView):
    """Take a memory out of recall."""

    scopes: ClassVar = {"POST": Scope.FORGET}

    @extend_schema(operation_id="pause_memory", request=serializers.NothingBody, responses=schemas.MemoryShown)
    def post(self, request: Request, memory_id: str) -> Response:
        self.read(serializers.NothingBody)
        return tagged(actions.pause(self.principal, memory_id, expected_version=expected_version(request)))


class ResumeView(HubView):
    """Bring a paused memory back."""

    scopes: ClassVar = {"POST": Scope.FORGET}

    @extend_schema(operation_id="resume_memory", request=serializers.NothingBody, responses=schemas.MemoryShown)
    def post(self, request: Request, memory_id: str) -> Response:
        self.read(serializers.NothingBody)
        return tagged(actions.resume(self.principal, memory_id, expected_version=expected_version(request)))


class RenewView(HubView):
    """Confirm a memory anew until a later end."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="renew_memory", request=serializers.RenewalBody, responses=schemas.DecisionShown)
    def post(self, request: Request, memory_id: str) -> Response:
        access.memory(self.principal, memory_id)
        body = self.read(serializers.RenewalBody)
        operation = actions.renew(
            self.principal,
            memory_id,
            body["valid_until"],
            expected_version=expected_version(request),
            evidence_id=body.get("evidence_id"),
        ).operation
        return correction_response(operation)


class ForgetView(HubView):
    """Forget a place, a source, what an agent proposed, a person or the tenant: first shown, then confirmed."""

    scopes: ClassVar = {"POST": Scope.FORGET}

    @extend_schema(operation_id="forget", request=serializers.ForgetBody, responses=schemas.ForgetShown)
    def post(self, request: Request) -> Response:
        body = self.read(serializers.ForgetBody)
        if "confirm_token" in body:
            erasure = actions.confirm_forget(self.principal, body["confirm_token"], body.get("typed"))
            return Response(rendering.receipt(erasure))
        plan = actions.plan_forget(self.principal, body["filter"])
        return Response(
            {
                "dry_run": True,
                "scope": plan.scope,
                "memory_ids": [str(pk) for pk in plan.memory_ids],
                "count": plan.count,
                "candidates": plan.candidates,
                "evidence": plan.evidence,
                "typed": plan.typed,
                "confirm_token": plan.confirm_token,
                "expires_at": stamp(plan.expires_at),
            }
        )


class ErasureView(HubView):
    """The receipt of a forgetting."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="erasure_receipt", responses=schemas.ReceiptShown)
    def get(self, request: Request, erasure_id: str) -> Response:
        row = access.erasure(self.principal, erasure_id)
        if row.state == Erasure.State.PLANNED:
            raise NotVisible
        return Response(rendering.receipt(row))


class OperationView(HubView):
    """What became of one write."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="operation", responses=schemas.OperationShown)
    def get(self, request: Request, operation_id: str) -> Response:
        return Response(rendering.operation(access.operation(self.principal, operation_id)))


class IndexStatusView(HubView):
    """Whether everything that was written can be found by meaning yet."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="index_status", responses=schemas.IndexStatusShown)
    def get(self, request: Request) -> Response:
        return Response(asdict(indexing.status(timezone.now())))


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
