"""The REST door of what waits for a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as drf
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import Result
from accounts.principals import Scope
from memories import access, rendering, schemas, tenant_policy
from memories.inputs import MAX_NAME
from memories.models import Candidate
from memoryhub.api import HubView, Page
from memoryhub.fields import Choice, End, StrictSerializer, Text
from reviews import decisions
from reviews.decisions import Decided

MAX_REASON = 500


class CandidateQuery(StrictSerializer):
    awaiting = Choice(choices=Candidate.Awaiting.values, required=False)
    cursor = Text(1024, required=False)
    limit = drf.IntegerField(min_value=1, max_value=200, required=False, default=100)


class DecisionBody(StrictSerializer):
    content_hash = Text(128)
    reason = Text(MAX_REASON, required=False, default="", allow_blank=True)
    evidence_id = Text(MAX_NAME, required=False, allow_null=True)


class ApprovalBody(DecisionBody):
    valid_until = End(required=False, allow_null=True)


class CandidateListView(HubView):
    """What waits: for the person, or for a reviewer."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="list_candidates", parameters=[CandidateQuery], responses=schemas.CandidatePage)
    def get(self, request: Request) -> Response:
        query = self.read_query(CandidateQuery)
        rows = access.candidates(self.principal).waiting(timezone.now())
        awaiting = query.get("awaiting")
        if awaiting == Candidate.Awaiting.OWNER:
            rows = rows.awaiting_owner(self.principal.subject_id)
        elif awaiting == Candidate.Awaiting.REVIEWER:
            rows = rows.filter(access.reviewable(self.principal))
        page, more = Page(self.principal, {"awaiting": awaiting or ""}, query.get("cursor"), query["limit"]).take(rows)
        return Response({"items": [rendering.candidate(row) for row in page], **more})


class CandidateView(HubView):
    """One of them, with the exact content and its hash."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="read_candidate", responses=schemas.CandidateShown)
    def get(self, request: Request, candidate_id: str) -> Response:
        return Response(rendering.candidate(access.candidate(self.principal, candidate_id)))


class DecisionView(HubView):
    """Answer what waits. Persons answer for themselves; an agent may relay an answer with its own scope."""

    body_class: ClassVar[type[DecisionBody]] = DecisionBody
    verb: ClassVar[Callable[..., Decided]]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not self.principal.is_person:
            self.principal.require(Scope.PROPOSE if type(self).verb is decisions.withdraw else Scope.RELAY)

    def answer(self, candidate_id: str) -> Response:
        access.candidate(self.principal, candidate_id)
        body = dict(self.read(self.body_class))
        content_hash = body.pop("content_hash")
        if type(self).verb in (decisions.approve, decisions.withdraw):
            body.pop("reason", None)
        if type(self).verb is decisions.withdraw:
            body.pop("evidence_id", None)

        def work() -> Result:
            decided = type(self).verb(self.principal, candidate_id, content_hash, **body)
            references = {"candidate": str(decided.candidate.pk)}
            if decided.proposed is not None:
                references["operation"] = str(decided.proposed.operation.pk)
            if decided.erasure is not None:
                references["erasure"] = str(decided.erasure.pk)
            return Result(200, shown(decided), references)

        return self.once(work, self._again)

    def _again(self, status: int, references: Mapping[str, object]) -> Result:
        row = access.candidate(self.principal, str(references["candidate"]))
        body = {"candidate": rendering.candidate(row), **_operation(references.get("operation"))}
        if "erasure" in references:
            body["erasure"] = rendering.receipt(access.erasure(self.principal, str(references["erasure"])))
        return Result(status, body)


def shown(decided: Decided) -> dict[str, Any]:
    body: dict[str, Any] = {"candidate": rendering.candidate(decided.candidate)}
    if decided.proposed is not None:
        body |= rendering.decision(decided.proposed.operation, tenant_policy.active())
    if decided.erasure is not None:
        body["erasure"] = rendering.receipt(decided.erasure)
    return body


def _operation(operation_id: object) -> dict[str, Any]:
    from memories.models import Operation

    if operation_id is None:
        return {}
    return rendering.decision(Operation.objects.get(pk=operation_id), tenant_policy.active())


class ApproveView(DecisionView):
    body_class = ApprovalBody
    verb = staticmethod(decisions.approve)

    @extend_schema(operation_id="approve_candidate", request=ApprovalBody, responses=schemas.DecidedShown)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Approve exactly the content shown."""
        return self.answer(candidate_id)


class RejectView(DecisionView):
    verb = staticmethod(decisions.reject)

    @extend_schema(operation_id="reject_candidate", request=DecisionBody, responses=schemas.DecidedShown)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Reject it: the content goes."""
        return self.answer(candidate_id)


class RequestChangesView(DecisionView):
    verb = staticmethod(decisions.request_changes)

    @extend_schema(operation_id="request_changes", request=DecisionBody, responses=schemas.DecidedShown)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Ask for another version."""
        return self.answer(candidate_id)


class WithdrawView(DecisionView):
    verb = staticmethod(decisions.withdraw)

    @extend_schema(operation_id="withdraw_candidate", request=DecisionBody, responses=schemas.DecidedShown)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Take the proposal back."""
        return self.answer(candidate_id)
