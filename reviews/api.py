"""The REST door of what waits for a person."""

from __future__ import annotations

from collections.abc import Mapping
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
from memories.models import Candidate, Operation
from memoryhub.api import HubView, Page, PeopleView
from memoryhub.fields import Choice, End, Flag, StrictSerializer, Text, stamp
from reviews import decisions, delays
from reviews.decisions import Decided
from reviews.models import DelayedVerdict
from reviews.waiting import undecided

MAX_REASON = 500
VERDICTS = DelayedVerdict.Verdict.values
VERDICT_STATES = DelayedVerdict.State.values


class CandidateQuery(StrictSerializer):
    awaiting = Choice(choices=Candidate.Awaiting.values, required=False)
    cursor = Text(1024, required=False)
    limit = drf.IntegerField(min_value=1, max_value=200, required=False, default=100)


class WithdrawalBody(StrictSerializer):
    content_hash = Text(128)
    reason = Text(MAX_REASON, required=False, default="", allow_blank=True)
    evidence_id = Text(MAX_NAME, required=False, allow_null=True)


class DecisionBody(WithdrawalBody):
    """`undoable`: it takes effect after the time in which the person can take it back, not at once."""

    undoable = Flag(required=False, default=False)


class ApprovalBody(DecisionBody):
    valid_until = End(required=False, allow_null=True)


class VerdictShown(drf.Serializer):
    verdict = drf.ChoiceField(choices=VERDICTS)
    state = drf.ChoiceField(choices=VERDICT_STATES)
    commits_at = drf.DateTimeField()


class DelayedShown(drf.Serializer):
    """An answer that takes effect later: the candidate still waits, and nobody else can decide it."""

    candidate = schemas.CandidateShown()
    delayed = VerdictShown()


DECIDED = {200: schemas.DecidedShown, 202: DelayedShown}


class CandidateListView(HubView):
    """What waits: for the person, or for a reviewer."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="list_candidates", parameters=[CandidateQuery], responses=schemas.CandidatePage)
    def get(self, request: Request) -> Response:
        query = self.read_query(CandidateQuery)
        delays.settle(access.candidates(self.principal), now := timezone.now())
        rows = undecided(access.candidates(self.principal).waiting(now))
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
        seen = access.candidate(self.principal, candidate_id)
        if delays.settle(Candidate.objects.filter(pk=seen.pk), timezone.now()):
            seen = access.candidate(self.principal, candidate_id)
        return Response(rendering.candidate(seen))


class AnswerView(HubView):
    """An answer to what waits, carried out once for an Idempotency-Key."""

    body_class: ClassVar[type[WithdrawalBody]] = WithdrawalBody
    agent_scope: ClassVar[Scope] = Scope.PROPOSE

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not self.principal.is_person:
            self.principal.require(self.agent_scope)

    def decide(self, candidate_id: str, content_hash: str, body: dict[str, Any]) -> Decided:
        raise NotImplementedError

    def answer(self, candidate_id: str) -> Response:
        access.candidate(self.principal, candidate_id)
        body = dict(self.read(self.body_class))
        content_hash = body.pop("content_hash")

        def work() -> Result:
            decided = self.decide(candidate_id, content_hash, body)
            references = {"candidate": str(decided.candidate.pk)}
            if decided.delayed is not None:
                references["delayed"] = str(decided.delayed.pk)
            if decided.proposed is not None:
                references["operation"] = str(decided.proposed.operation.pk)
            if decided.erasure is not None:
                references["erasure"] = str(decided.erasure.pk)
            return Result(200 if decided.delayed is None else 202, shown(decided), references)

        return self.once(work, self._again)

    def _again(self, status: int, references: Mapping[str, object]) -> Result:
        row = access.candidate(self.principal, str(references["candidate"]))
        body = {"candidate": rendering.candidate(row), **_operation(references.get("operation"))}
        if "erasure" in references:
            body["erasure"] = rendering.receipt(access.erasure(self.principal, str(references["erasure"])))
        if "delayed" in references:
            body["delayed"] = delayed(DelayedVerdict.objects.get(pk=references["delayed"]))
        return Result(status, body)


class DecisionView(AnswerView):
    """Persons decide for themselves; an agent may relay an answer with its own scope."""

    body_class: ClassVar[type[WithdrawalBody]] = DecisionBody
    agent_scope: ClassVar[Scope] = Scope.RELAY
    verdict: ClassVar[str]

    def decide(self, candidate_id: str, content_hash: str, body: dict[str, Any]) -> Decided:
        undoable, evidence_id = body.pop("undoable"), body.pop("evidence_id", None)
        if self.verdict == DelayedVerdict.Verdict.APPROVE:
            body.pop("reason")
        if undoable:
            return delays.decide(self.principal, candidate_id, content_hash, self.verdict, **body)
        return delays.VERBS[self.verdict](self.principal, candidate_id, content_hash, evidence_id=evidence_id, **body)


def shown(decided: Decided) -> dict[str, Any]:
    body: dict[str, Any] = {"candidate": rendering.candidate(decided.candidate)}
    if decided.proposed is not None:
        body |= rendering.decision(decided.proposed.operation, tenant_policy.active())
    if decided.erasure is not None:
        body["erasure"] = rendering.receipt(decided.erasure)
    if decided.delayed is not None:
        body["delayed"] = delayed(decided.delayed)
    return body


def delayed(row: DelayedVerdict) -> dict[str, Any]:
    return {"verdict": row.verdict, "state": row.state, "commits_at": stamp(row.commits_at)}


def _operation(operation_id: object) -> dict[str, Any]:
    if operation_id is None:
        return {}
    return rendering.decision(Operation.objects.get(pk=operation_id), tenant_policy.active())


class ApproveView(DecisionView):
    body_class = ApprovalBody
    verdict = DelayedVerdict.Verdict.APPROVE

    @extend_schema(operation_id="approve_candidate", request=ApprovalBody, responses=DECIDED)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Approve exactly the content shown."""
        return self.answer(candidate_id)


class RejectView(DecisionView):
    verdict = DelayedVerdict.Verdict.REJECT

    @extend_schema(operation_id="reject_candidate", request=DecisionBody, responses=DECIDED)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Reject it: the content goes."""
        return self.answer(candidate_id)


class RequestChangesView(DecisionView):
    verdict = DelayedVerdict.Verdict.REQUEST_CHANGES

    @extend_schema(operation_id="request_changes", request=DecisionBody, responses=DECIDED)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Ask for another version."""
        return self.answer(candidate_id)


class UndoView(PeopleView):
    """Take back one's own answer while it waits to take effect."""

    @extend_schema(operation_id="undo_decision", request=None, responses=DelayedShown)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Take an undoable answer back: it never happened."""
        row = delays.undo(self.principal, candidate_id)
        return Response(shown(Decided(access.candidate(self.principal, candidate_id), delayed=row)))


class WithdrawView(AnswerView):
    def decide(self, candidate_id: str, content_hash: str, body: dict[str, Any]) -> Decided:
        return decisions.withdraw(self.principal, candidate_id, content_hash)

    @extend_schema(operation_id="withdraw_candidate", request=WithdrawalBody, responses=schemas.DecidedShown)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Take the proposal back."""
        return self.answer(candidate_id)
