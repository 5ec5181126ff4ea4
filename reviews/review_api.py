"""The REST door of reviewers: the queue, a candidate's dossier, claims, comments, rewording. For people alone."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as drf
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.errors import Forbidden
from accounts.idempotency import Result
from accounts.principals import Scope
from memories import access, rendering, schemas, tables, tenant_policy
from memories.inputs import MAX_NAME, MAX_STATEMENT, MAX_VALUE_BYTES
from memories.models import Candidate, Comment
from memoryhub.api import Page, PeopleView
from memoryhub.fields import AnyJSON, Choice, StrictSerializer, Text, stamp
from reviews import claims, decisions, delays, dossier, quality, queue, threads
from reviews.models import Claim
from reviews.queue import QueueFilter, Tab
from reviews.risk import Risk
from reviews.threads import MAX_COMMENT

TABS, RISKS = Tab.values, Risk.values
CLOSED = ("", "own_proposal", "already_decided", "second_approver_required", "claimed")


class QueueQuery(StrictSerializer):
    tab = Choice(choices=TABS, required=False, default=Tab.WAITING)
    risk = Choice(choices=RISKS, required=False, default="")
    kind = Text(32, required=False, default="")
    cursor = Text(1024, required=False)
    limit = drf.IntegerField(min_value=1, max_value=200, required=False, default=50)


class TransferBody(StrictSerializer):
    reviewer = Text(MAX_NAME)


class CommentBody(StrictSerializer):
    comment = Text(MAX_COMMENT)


class RewordBody(StrictSerializer):
    """`conditions` and `value` take the place of the proposed ones; null clears them."""

    content_hash = Text(128)
    statement = Text(MAX_STATEMENT)
    conditions = Text(MAX_STATEMENT, required=False, allow_null=True, default=None)
    value = AnyJSON(MAX_VALUE_BYTES, required=False, allow_null=True, default=None)


class ClaimShown(drf.Serializer):
    reviewer = drf.CharField()
    until = drf.DateTimeField()


class QueuedShown(drf.Serializer):
    candidate = schemas.CandidateShown()
    risk = drf.ChoiceField(choices=RISKS)
    times_proposed = drf.IntegerField()
    own = drf.BooleanField()
    claim = ClaimShown(allow_null=True)


class QueuePage(drf.Serializer):
    items = QueuedShown(many=True)
    counts = drf.DictField(child=drf.IntegerField())
    next_cursor = drf.CharField(allow_null=True)
    has_more = drf.BooleanField()


class CommentShown(drf.Serializer):
    author = drf.CharField(allow_null=True)
    text = drf.CharField()
    at = drf.DateTimeField()


class CommentsShown(drf.Serializer):
    items = CommentShown(many=True)


class ReachShown(drf.Serializer):
    days = drf.IntegerField()
    looked = drf.IntegerField()
    got = drf.IntegerField()
    all_read = drf.BooleanField()


class TwinShown(drf.Serializer):
    """An entry that says the same in other words: how alike from 0 to 1, by its words or its meaning."""

    memory = schemas.MemoryShown()
    likeness = drf.FloatField()
    sure = drf.BooleanField(help_text="False: it says the same perhaps.")
    by = drf.CharField()


class DossierShown(drf.Serializer):
    """`gate` is what an approval would get now; `closed` why the caller may not decide it, empty when they may."""

    candidate = schemas.CandidateShown()
    risk = drf.ChoiceField(choices=RISKS)
    replaces = schemas.MemoryShown(allow_null=True)
    entry_changed = drf.BooleanField()
    gate = drf.DictField(allow_null=True)
    rivals = schemas.CandidateShown(many=True)
    twins = TwinShown(many=True)
    times_proposed = drf.IntegerField()
    outcomes = drf.ListField(child=drf.CharField())
    reach = ReachShown()
    comments = CommentShown(many=True)
    claim = ClaimShown(allow_null=True)
    reviewers = drf.ListField(child=drf.CharField())
    approvers_needed = drf.IntegerField()
    closed = drf.ChoiceField(choices=CLOSED)


class QueueView(PeopleView):
    """What waits for reviewers, and what they decided."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="review_queue", parameters=[QueueQuery], responses=QueuePage)
    def get(self, request: Request) -> Response:
        now, policy, query = timezone.now(), tenant_policy.active(), self.read_query(QueueQuery)
        delays.settle(queue.reviewed(self.principal), now)
        chosen = QueueFilter(tab=query["tab"], risk=query["risk"], kind=query["kind"])
        rows: Any = queue.rows(self.principal, chosen, policy, now)
        told = {"tab": chosen.tab, "risk": chosen.risk, "kind": chosen.kind}
        page, more = Page(self.principal, told, query.get("cursor"), query["limit"]).take(rows)
        times, taken = queue.times_proposed(page), queue.claimed(page, now)
        items = [
            {
                "candidate": rendering.candidate(row),
                "risk": row.risk,
                "times_proposed": times.get(row.pk, 0),
                "own": row.subject_id == self.principal.subject_id,
                "claim": _claim(taken.get(row.pk)),
            }
            for row in page
        ]
        return Response({"items": items, "counts": queue.counts(self.principal, now), **more})


class DossierView(PeopleView):
    """One candidate with everything that speaks for and against it."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="review_dossier", responses=DossierShown)
    def get(self, request: Request, candidate_id: str) -> Response:
        seen = access.candidate(self.principal, candidate_id)
        queue.require_reviewer(self.principal)
        if seen.awaiting != Candidate.Awaiting.REVIEWER or not access.reviews(self.principal, seen.namespace):
            raise Forbidden("Only a reviewer of this namespace may decide it.", code="not_a_reviewer")
        delays.settle(Candidate.objects.filter(pk=seen.pk), timezone.now())
        seen = access.candidate(self.principal, candidate_id)
        return Response(_dossier(dossier.open_on(self.principal, seen, tenant_policy.active(), timezone.now())))


class ClaimView(PeopleView):
    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="claim_candidate", request=None, responses=ClaimShown)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Keep it for oneself for 15 minutes; while another reviewer has it 409 `claimed`."""
        return Response(_claim(claims.claim(self.principal, candidate_id)))


class ReleaseView(PeopleView):
    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="release_candidate", request=None, responses={204: None})
    def post(self, request: Request, candidate_id: str) -> Response:
        """Give it back."""
        claims.release(self.principal, candidate_id)
        return Response(status=204)


class TransferView(PeopleView):
    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="transfer_candidate", request=TransferBody, responses=ClaimShown)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Hand it to another reviewer of its place, named by external id, for two days."""
        access.candidate(self.principal, candidate_id)
        return Response(_claim(claims.transfer(self.principal, candidate_id, self.read(TransferBody)["reviewer"])))


class CommentsView(PeopleView):
    scopes: ClassVar = {"GET": Scope.READ, "POST": Scope.PROPOSE}

    @extend_schema(operation_id="list_comments", responses=CommentsShown)
    def get(self, request: Request, candidate_id: str) -> Response:
        """The thread of a candidate, oldest first."""
        return Response({"items": [_comment(one) for one in threads.comments(self.principal, candidate_id)]})

    @extend_schema(operation_id="add_comment", request=CommentBody, responses={201: CommentShown})
    def post(self, request: Request, candidate_id: str) -> Response:
        """Say something in the thread. The words go when the candidate's do."""
        access.candidate(self.principal, candidate_id)
        text = self.read(CommentBody)["comment"]

        def work() -> Result:
            made = threads.comment(self.principal, candidate_id, text)
            return Result(201, _comment(made), {"comment": str(made.pk)})

        def again(status: int, references: Any) -> Result:
            return Result(status, _comment(Comment.objects.select_related("author").get(pk=references["comment"])))

        return self.once(work, again)


class RewordView(PeopleView):
    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="reword_candidate", request=RewordBody, responses=schemas.CandidateShown)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Give it better words before approving them; the answer has the new `content_hash`."""
        access.candidate(self.principal, candidate_id)
        body = dict(self.read(RewordBody))
        return Response(rendering.candidate(decisions.reword(self.principal, candidate_id, **body)))


class ResubmitView(PeopleView):
    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="resubmit_candidate", request=RewordBody, responses=schemas.CandidateShown)
    def post(self, request: Request, candidate_id: str) -> Response:
        """Send what was given back to you again, in other words; the answer has the new `content_hash`."""
        access.candidate(self.principal, candidate_id)
        body = dict(self.read(RewordBody))
        return Response(rendering.candidate(decisions.resubmit(self.principal, candidate_id, **body)))


class QualityView(PeopleView):
    """How well the reviews work, over eight weeks."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="review_quality", responses=schemas.TablesShown)
    def get(self, request: Request) -> Response:
        found = quality.measure(self.principal, timezone.now())
        return Response({"since": found.since, "tables": tables.as_lists(found, quality.COLUMNS)})


def _claim(row: Claim | None) -> dict[str, Any] | None:
    return {"reviewer": row.reviewer.external_id, "until": stamp(row.until)} if row is not None else None


def _comment(row: Comment) -> dict[str, Any]:
    return {"author": row.author.external_id if row.author else None, "text": row.text, "at": stamp(row.created_at)}


def _dossier(opened: dossier.Dossier) -> dict[str, Any]:
    gate = opened.gate
    return {
        "candidate": rendering.candidate(opened.candidate),
        "risk": opened.risk,
        "replaces": rendering.memory(opened.replaces) if opened.replaces else None,
        "entry_changed": opened.base_moved,
        "gate": None
        if gate is None
        else {
            "decision": gate.outcome,
            "reason": gate.reason,
            "checks": [{"rule": one.rule, "passed": one.passed, "code": one.code} for one in gate.checks],
        },
        "rivals": [rendering.candidate(one) for one in opened.rivals],
        "twins": [
            {"memory": rendering.memory(one.entry), "likeness": one.likeness, "by": one.by, "sure": one.sure}
            for one in opened.twins
        ],
        "times_proposed": opened.times,
        "outcomes": [look for look, _words in opened.marks],
        "reach": {
            "days": opened.reach.days,
            "looked": opened.reach.looked,
            "got": opened.reach.got,
            "all_read": opened.reach.all_read,
        },
        "comments": [_comment(one) for one in opened.thread],
        "claim": _claim(opened.claim),
        "reviewers": [one.external_id for one in opened.colleagues],
        "approvers_needed": 2 if opened.second_needed else 1,
        "closed": opened.closed,
    }
