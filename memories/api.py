"""The REST door of what is remembered: read the input, call one verb, render."""

from __future__ import annotations

from dataclasses import asdict
from typing import ClassVar

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import audit_trail
from accounts.errors import NotVisible, VersionRequired
from accounts.principals import Scope
from memories import (
    access,
    actions,
    figures,
    indexing,
    reading,
    rendering,
    schemas,
    serializers,
    tables,
    tenant_policy,
)
from memories.actions import HOLDING
from memories.models import Erasure, Memory, Operation
from memoryhub.api import HubView, Page
from memoryhub.fields import stamp

IF_MATCH = OpenApiParameter("If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER)


def expected_version(request: Request, *, required: bool = False) -> int | None:
    """The version an If-Match header names. A tag that is none of ours matches nothing."""
    tag = request.headers.get("If-Match")
    if tag is None and required:
        raise VersionRequired
    if tag is None or tag.strip() == "*":
        return None
    digits = tag.strip().removeprefix("W/").strip('"')
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else -1


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


class FiguresView(HubView):
    """How well memory is governed, over eight weeks: decisions, conflicts, what proved wrong, recalls."""

    scopes: ClassVar = {"GET": Scope.AUDIT}

    @extend_schema(operation_id="figures", responses=schemas.TablesShown)
    def get(self, request: Request) -> Response:
        found = figures.measure(self.principal, timezone.now())
        audit_trail.note_reading(self.principal, 0)
        return Response({"since": found.since, "tables": tables.as_lists(found, figures.COLUMNS)})
