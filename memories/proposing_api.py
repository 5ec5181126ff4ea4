"""The REST door of proposing: evidence, one proposal or many, and what would become of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from drf_standardized_errors.formatter import flatten_errors
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.errors import FieldError, InvalidInput, MemoryHubError
from accounts.idempotency import Result
from accounts.principals import Scope
from memories import actions, rendering, schemas, serializers, tenant_policy
from memories.actions import ACTIVATING, HOLDING
from memories.inputs import ProposalInput
from memories.models import Evidence, Operation
from memoryhub.api import MAX_BATCH_BODY, HubView

DECIDED = dict.fromkeys((200, 201, 202), schemas.DecisionShown)


def decided(status: int, operation: Operation) -> Result:
    """The answer to a write and the reference from which it can be given again."""
    return Result(status, rendering.decision(operation, tenant_policy.active()), {"operation": str(operation.pk)})


def status_of(decision: str) -> int:
    if decision in ACTIVATING:
        return 201
    return 202 if decision in HOLDING else 200


def decided_again(status: int, references: Mapping[str, object]) -> Result:
    """How a repeated write is answered: from its operation, with the memory as it is now."""
    rows = Operation.objects.select_related(
        "memory__namespace__membership", "memory__namespace__agent", "memory__namespace__group", "candidate"
    )
    return decided(status, rows.get(pk=references["operation"]))


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

        return self.once(work, decided_again)


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
