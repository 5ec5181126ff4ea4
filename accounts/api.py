"""The REST door of delegations and of the audit."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import audit_trail, delegations
from accounts.audit_trail import TrailFilter
from accounts.idempotency import Result
from accounts.models import AuditEvent, Delegation
from accounts.principals import ActorKind, Scope
from memoryhub.api import HubView, Page, refuse_secrets
from memoryhub.fields import Choice, Moment, StrictSerializer, Text, Whole, stamp

MAX_NAME = 128
A_DAY = 86_400
CSV = "text/csv; charset=utf-8"


class DelegationBody(StrictSerializer):
    subject = Text(MAX_NAME)
    scopes = serializers.ListField(child=Text(64), min_length=1, max_length=16)
    run_id = Text(MAX_NAME, required=False, default="")
    ttl_seconds = Whole(min_value=1, max_value=A_DAY, required=False, default=900)


class DelegationShown(serializers.Serializer):
    token = serializers.CharField()
    expires_at = serializers.DateTimeField()
    scopes = serializers.ListField(child=serializers.CharField())


class DelegationView(HubView):
    """Mint a token for one person with fewer scopes."""

    scopes: ClassVar = {"POST": Scope.MINT}

    @extend_schema(operation_id="mint_delegation", request=DelegationBody, responses={201: DelegationShown})
    def post(self, request: Request) -> Response:
        body = self.read(DelegationBody)
        refuse_secrets({"run_id": body["run_id"]})

        def work() -> Result:
            made = delegations.mint(self.principal, **body)
            return Result(201, _shown(made), {"delegation": str(made.pk)})

        return self.once(
            work, lambda status, refs: Result(status, _shown(Delegation.objects.get(pk=refs["delegation"])))
        )


def _shown(made: Delegation) -> dict[str, Any]:
    return {"token": str(delegations.token_of(made)), "expires_at": stamp(made.expires_at), "scopes": made.scopes}


class AuditFilterQuery(StrictSerializer):
    """Which events; everything given must apply. `since` is included, `until` is not."""

    since = Moment(required=False)
    until = Moment(required=False)
    actor = Choice(choices=[kind.value for kind in ActorKind], required=False)
    actor_id = serializers.UUIDField(required=False)
    subject_id = serializers.UUIDField(required=False)
    action = Text(48, required=False)
    outcome = Text(32, required=False)
    target = Text(24, required=False)
    target_id = serializers.UUIDField(required=False)
    request_id = Text(64, required=False)
    party_id = serializers.UUIDField(required=False, help_text="Whoever or whatever took part: any of the three ids.")


class AuditQuery(AuditFilterQuery):
    cursor = Text(1024, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=200, required=False, default=100)


class AuditEventShown(serializers.Serializer):
    """Ids, codes and counts; no event holds a remembered text."""

    sequence = serializers.IntegerField(allow_null=True, help_text="Its place in the chain; null until it is sealed.")
    id = serializers.UUIDField()
    at = serializers.DateTimeField()
    actor = serializers.ChoiceField(choices=[kind.value for kind in ActorKind])
    actor_id = serializers.UUIDField(allow_null=True)
    subject_id = serializers.UUIDField(allow_null=True)
    action = serializers.CharField()
    outcome = serializers.CharField()
    reason = serializers.CharField()
    target = serializers.CharField()
    target_id = serializers.UUIDField(allow_null=True)
    request_id = serializers.CharField()
    details = serializers.DictField()


class AuditPage(serializers.Serializer):
    items = AuditEventShown(many=True)
    next_cursor = serializers.CharField(allow_null=True)
    has_more = serializers.BooleanField()


class HeadShown(serializers.Serializer):
    sequence = serializers.IntegerField()
    digest = serializers.CharField()


class CheckpointShown(serializers.Serializer):
    sequence = serializers.IntegerField(help_text="This many events left by the policy's retention.")
    until = serializers.DateTimeField(help_text="They all were older than this.")
    made_at = serializers.DateTimeField()


class VerificationShown(serializers.Serializer):
    at = serializers.DateTimeField()
    outcome = serializers.ChoiceField(choices=["holds", "broken"])
    reason = serializers.CharField()


class AuditChainShown(serializers.Serializer):
    head = HeadShown(
        allow_null=True, help_text="Keep it elsewhere: `verify_audit --head` shows what was cut off since."
    )
    sealed = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="Events that are not sealed yet.")
    checkpoint = CheckpointShown(allow_null=True)
    verified = VerificationShown(allow_null=True, help_text="What the last `verify_audit` found.")


class AuditView(HubView):
    """What was done in the tenant, newest first; for auditors and administrators."""

    scopes: ClassVar = {"GET": Scope.AUDIT}

    @extend_schema(operation_id="list_audit", parameters=[AuditQuery], responses=AuditPage)
    def get(self, request: Request) -> Response:
        query = self.read_query(AuditQuery)
        cursor, limit = query.pop("cursor", None), query.pop("limit")
        rows = audit_trail.events(self.principal, TrailFilter(**query))
        filters = {name: value for name, value in request.query_params.items() if name not in ("cursor", "limit")}
        page, more = Page(self.principal, filters, cursor, limit).take(rows)
        audit_trail.note_reading(self.principal, len(page))
        return Response({"items": [_event(row) for row in page], **more})


class AuditExportView(HubView):
    """The same as a CSV file, oldest first and complete."""

    scopes: ClassVar = {"GET": Scope.AUDIT}

    @extend_schema(
        operation_id="export_audit", parameters=[AuditFilterQuery], responses={(200, "text/csv"): OpenApiTypes.STR}
    )
    def get(self, request: Request) -> StreamingHttpResponse | HttpResponse:
        query = self.read_query(AuditFilterQuery)
        headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
        batches = audit_trail.export(self.principal, TrailFilter(**query))
        if request.method == "HEAD":
            return HttpResponse(content_type=CSV, headers=headers)
        return StreamingHttpResponse(_csv(batches), content_type=CSV, headers=headers)


class AuditChainView(HubView):
    """Where the chain of events ends, and what its last verification found."""

    scopes: ClassVar = {"GET": Scope.AUDIT}

    @extend_schema(operation_id="audit_chain", responses=AuditChainShown)
    def get(self, request: Request) -> Response:
        state = audit_trail.state(self.principal)
        audit_trail.note_reading(self.principal, 0)
        head, checkpoint, verified = state.head, state.checkpoint, state.verified
        return Response(
            {
                "head": head and {"sequence": head.sequence, "digest": head.digest},
                "sealed": state.sealed,
                "waiting": state.waiting,
                "checkpoint": checkpoint
                and {
                    "sequence": checkpoint.sequence,
                    "until": stamp(checkpoint.until),
                    "made_at": stamp(checkpoint.made_at),
                },
                "verified": verified
                and {"at": stamp(verified.at), "outcome": verified.outcome, "reason": verified.reason},
            }
        )


def _event(row: AuditEvent) -> dict[str, Any]:
    shown = {name: getattr(row, name) for name in audit_trail.COLUMNS}
    return {name: str(value) if name.endswith("id") and value else value for name, value in shown.items()} | {
        "at": stamp(row.at)
    }


def _csv(batches: Iterator[Sequence[Sequence[Any]]]) -> Iterator[str]:
    """Lines in batches, the names of the columns first."""
    at, details = audit_trail.COLUMNS.index("at"), audit_trail.COLUMNS.index("details")
    yield ",".join(audit_trail.COLUMNS) + "\r\n"
    for batch in batches:
        text = io.StringIO()
        lines = csv.writer(text)
        for row in batch:
            cells = list(row)
            cells[at], cells[details] = stamp(cells[at]), json.dumps(cells[details])
            lines.writerow(cells)
        yield text.getvalue()
