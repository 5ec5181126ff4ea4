"""The REST door of extraction: a conversation comes in, what was found in it goes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import Result
from accounts.principals import Scope
from memories import access
from memories.extraction import asking, serializers, showing, working
from memories.models import Extraction
from memories.serializers import NothingBody
from memoryhub.api import HubView

AT_ONCE = 100_000  # characters that the rules read in about half a second
ENDED = (Extraction.State.DONE, Extraction.State.FAILED, Extraction.State.CANCELLED)


def status_of(row: Extraction) -> int:
    return 200 if row.state in ENDED else 202


class ExtractionsView(HubView):
    """Hand a conversation over, to find in it what may be remembered. Rules read a short one at once, a model later."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(
        operation_id="extract",
        request=serializers.ExtractionBody,
        responses={200: serializers.ExtractionShown, 202: serializers.ExtractionShown},
    )
    def post(self, request: Request) -> Response:
        asked = self.read(serializers.ExtractionBody)

        def work() -> Result:
            made = asking.ask(self.principal, asked)
            return Result(202, showing.extraction(made), {"extraction": str(made.pk)})

        def again(_status: int, references: Mapping[str, Any]) -> Result:
            first = access.extraction(self.principal, references["extraction"])
            return Result(status_of(first), showing.extraction(first))

        answer = self.once(work, again)
        errand = access.extraction(self.principal, answer.data["id"])
        is_small = sum(len(one.text or "") for one in asked.messages) <= AT_ONCE
        if is_small and errand.method == Extraction.Method.RULES and errand.state == Extraction.State.QUEUED:
            working.extract(errand)
            errand.refresh_from_db()
            answer.data, answer.status_code = showing.extraction(errand), status_of(errand)
        return answer


class ExtractionView(HubView):
    """How far a conversation is looked through, and what was found in it."""

    scopes: ClassVar = {"GET": Scope.PROPOSE}

    @extend_schema(operation_id="extraction_status", responses=serializers.ExtractionShown)
    def get(self, request: Request, extraction_id: str) -> Response:
        return Response(showing.extraction(access.extraction(self.principal, extraction_id)))


class ExtractionCancelView(HubView):
    """Stop looking through a conversation and let go of it."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="cancel_extraction", request=NothingBody, responses=serializers.ExtractionShown)
    def post(self, request: Request, extraction_id: str) -> Response:
        self.read(NothingBody)
        return Response(showing.extraction(asking.cancel(self.principal, extraction_id)))


class ExtractionRetryView(HubView):
    """Look again through a conversation after a failure, while it is still there."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="retry_extraction", request=NothingBody, responses={202: serializers.ExtractionShown})
    def post(self, request: Request, extraction_id: str) -> Response:
        self.read(NothingBody)
        return Response(showing.extraction(asking.retry(self.principal, extraction_id)), status=202)
