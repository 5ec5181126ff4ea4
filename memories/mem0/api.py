"""mem0's calls: read the input, call one verb, render."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import TokenKeyAuthentication
from accounts.errors import InvalidInput, NotVisible
from accounts.idempotency import Result
from accounts.models import Membership
from accounts.principals import Scope
from memories import access, actions, reading, recalling
from memories.access import NamespaceRef
from memories.exchange.importers import MEM0_KIND, mem0_key
from memories.inputs import ProposalInput
from memories.mem0 import rendering, serializers
from memories.models import Memory, Operation
from memoryhub.api import HubView

OWN = NamespaceRef("user")
STATUSES = {rendering.SUCCEEDED: 200, rendering.PENDING: 202, rendering.FAILED: 422}


class Mem0View(HubView):
    """A view for mem0's clients, whose keys come as `Token …`. It is described by mem0, not in our document."""

    schema = None
    authentication_classes: ClassVar = [TokenKeyAuthentication]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if self.principal.subject_id is None:
            told = _("Say for whom: send this header, or use a key for one person.")
            raise InvalidInput.field("MemoryHub-Subject", told, "required")

    def check_person(self, *named: str | None) -> None:
        """Whoever is named must be the credential's person; everybody else is unknown, present or not."""
        for user_id in named:
            own = Membership.objects.filter(pk=self.principal.subject_id, external_id=user_id)
            if user_id is not None and not own.exists():
                raise NotVisible(code="unknown_subject")

    def decided(self, operation: Operation) -> Result:
        """What became of a write. One that is refused is an error, so that no client takes it for done."""
        told = rendering.event(operation)
        return Result(STATUSES[told["status"]], told, {"operation": str(operation.pk)})


class PingView(Mem0View):
    """Whether the key is valid. mem0's clients want to be told an organisation and a project."""

    scopes: ClassVar = {"GET": None}

    def get(self, request: Request) -> Response:
        tenant = str(self.principal.tenant_id)
        return Response({"status": "ok", "org_id": tenant, "project_id": tenant, "user_email": ""})


class AddView(Mem0View):
    """Propose one sentence. Nobody vouches for it, so it is a guess, which waits for its person."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}

    def post(self, request: Request) -> Response:
        body = self.read(serializers.AddBody)
        self.check_person(body.get("user_id"), body.get("filters"))
        statement = body["messages"][0]["content"]
        item = ProposalInput(
            namespace=OWN,
            kind=MEM0_KIND,
            key=mem0_key(statement),
            statement=statement,
            value=body.get("metadata"),
            valid_until=body.get("expiration_date"),
        )

        def again(status: int, references: Mapping[str, object]) -> Result:
            return self.decided(Operation.objects.get(pk=references["operation"]))

        return self.once(lambda: self.decided(actions.propose(self.principal, item).operation), again)


class SearchView(Mem0View):
    """Recall among the person's own memories."""

    scopes: ClassVar = {"POST": Scope.RECALL}

    def post(self, request: Request) -> Response:
        body = self.read(serializers.SearchBody)
        self.check_person(body.get("filters"))
        asked = recalling.RecallInput(query=body["query"], namespaces=(OWN,), limit=body["top_k"])
        least = body.get("threshold", 0.0)
        items = [one for one in recalling.recall(self.principal, asked).items if one.relevance >= least]
        return Response({"results": [rendering.memory(one.memory, score=one.relevance) for one in items]})


class ListView(Mem0View):
    """Every valid memory of the person, by pages that are counted."""

    scopes: ClassVar = {"POST": Scope.READ}

    def post(self, request: Request) -> Response:
        self.check_person(self.read(serializers.ListBody).get("filters"))
        query = self.read_query(serializers.PageQuery)
        page, size = query["page"], query["page_size"]
        chosen = reading.ListFilter(namespace=OWN, status=Memory.Status.ACTIVE)
        valid = Q(valid_until=None) | Q(valid_until__gt=timezone.now())
        rows = reading.enumerate_memories(self.principal, chosen).filter(valid)
        count, first = rows.count(), (page - 1) * size
        found = list(rows.order_by("-pk")[first : first + size])
        reading.note_listing(self.principal, len(found))
        return Response(
            {
                "count": count,
                "next": f"{request.path}?page={page + 1}&page_size={size}" if first + size < count else None,
                "previous": f"{request.path}?page={page - 1}&page_size={size}" if page > 1 else None,
                "results": [rendering.memory(row) for row in found],
            }
        )


class MemoryView(Mem0View):
    """One memory: read it, change it, forget its key. A change makes a version with an id of its own."""

    scopes: ClassVar = {"GET": Scope.READ, "PUT": Scope.PROPOSE, "DELETE": Scope.FORGET}

    def get(self, request: Request, memory_id: str) -> Response:
        return Response(rendering.memory(reading.read(self.principal, memory_id)))

    def put(self, request: Request, memory_id: str) -> Response:
        access.memory(self.principal, memory_id)
        changes = self.read(serializers.UpdateBody)
        operation = actions.correct(self.principal, memory_id, changes, expected_version=None).operation
        result = self.decided(operation)
        return Response(result.body, status=result.status)

    def delete(self, request: Request, memory_id: str) -> Response:
        access.memory(self.principal, memory_id)
        self.read_query(serializers.DeleteQuery)
        actions.forget(self.principal, memory_id)
        return Response({"message": "Memory deleted successfully!"})


class HistoryView(Mem0View):
    """Every version of a memory's key, oldest first."""

    scopes: ClassVar = {"GET": Scope.READ}

    def get(self, request: Request, memory_id: str) -> Response:
        versions = reading.history(self.principal, memory_id)[::-1]
        return Response([rendering.version(*pair) for pair in zip(versions, [None, *versions], strict=False)])


class EventView(Mem0View):
    """What became of a write."""

    scopes: ClassVar = {"GET": Scope.READ}

    def get(self, request: Request, event_id: str) -> Response:
        return Response(rendering.event(access.operation(self.principal, event_id)))


class NotMappedView(Mem0View):
    """Forget everything at one call: what it would take is shown first here, so it has no counterpart."""

    scopes: ClassVar = {"DELETE": Scope.FORGET}

    def delete(self, request: Request) -> Response:
        told = _("Plan it first at /api/v1/forget, which shows what it takes.")
        raise InvalidInput.field("user_id", told, "not_mapped")
