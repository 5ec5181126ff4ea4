"""The REST door of the playbook: read-only for agents, behind the gate of recall; the switch for those who may."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principals import Scope
from memories import actions, procedures, reading, rendering, schemas
from memories.api import IF_MATCH, correction_response, expected_version, tagged
from memories.models import Memory
from memories.playbook import entries
from memories.playbook.serializers import (
    EntryPage,
    EntryShown,
    EntryVersions,
    PlaybookQuery,
    RollBackBody,
    SuspensionBody,
)
from memories.serializers import NothingBody
from memoryhub.api import HubView, Page


def entry(row: Memory) -> dict[str, Any]:
    """A memory with its procedure in parts."""
    parts = procedures.read(row.value)
    told = None
    if parts is not None:
        told = {
            "steps": list(parts.steps),
            "stop_conditions": list(parts.stop_conditions),
            "applies_to": parts.applies_to or None,
            "owner": parts.owner or None,
        }
    return {**rendering.memory(row), "procedure": told}


class PlaybookView(HubView):
    """What a recall could give the caller of the teams', projects' and agents' ways of working: newest first."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="list_playbook", parameters=[PlaybookQuery], responses=EntryPage)
    def get(self, request: Request) -> Response:
        query = self.read_query(PlaybookQuery)
        rows = entries.recallable(self.principal, query["chosen"])
        filters = {name: value for name, value in request.query_params.items() if name not in ("cursor", "limit")}
        filters["of"] = "playbook"
        page, more = Page(self.principal, filters, query["cursor"], query["limit"]).take(rows)
        reading.note_listing(self.principal, len(page))
        return Response({"items": [entry(row) for row in page], **more})


class EntryView(HubView):
    """One entry that stands; suspended, expired and replaced ones are not found."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="read_playbook_entry", responses=EntryShown)
    def get(self, request: Request, memory_id: str) -> Response:
        row = entries.recallable_entry(self.principal, memory_id)
        return Response(entry(row), headers={"ETag": f'"{row.version}"'})


class EntryVersionsView(HubView):
    """Every version of an entry that stands, newest first; forgotten ones without text."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="playbook_entry_versions", responses=EntryVersions)
    def get(self, request: Request, memory_id: str) -> Response:
        entries.recallable_entry(self.principal, memory_id)
        return Response({"items": [entry(row) for row in reading.history(self.principal, memory_id)]})


class SuspendView(HubView):
    """The kill switch."""

    scopes: ClassVar = {"POST": Scope.FORGET}

    @extend_schema(
        operation_id="suspend_entry", parameters=[IF_MATCH], request=SuspensionBody, responses=schemas.MemoryShown
    )
    def post(self, request: Request, memory_id: str) -> Response:
        reason = self.read(SuspensionBody)["reason"]
        return tagged(actions.suspend(self.principal, memory_id, reason, expected_version=expected_version(request)))


class ReinstateView(HubView):
    """Bring a suspended entry back."""

    scopes: ClassVar = {"POST": Scope.FORGET}

    @extend_schema(
        operation_id="reinstate_entry", parameters=[IF_MATCH], request=NothingBody, responses=schemas.MemoryShown
    )
    def post(self, request: Request, memory_id: str) -> Response:
        self.read(NothingBody)
        return tagged(actions.reinstate(self.principal, memory_id, expected_version=expected_version(request)))


class RollBackView(HubView):
    """Propose an earlier version's words as a new version; the gate decides who must agree."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(
        operation_id="roll_back_entry",
        parameters=[IF_MATCH],
        request=RollBackBody,
        responses={200: schemas.DecisionShown, 202: schemas.DecisionShown},
    )
    def post(self, request: Request, memory_id: str) -> Response:
        version = expected_version(request, required=True)
        there = entries.entry(self.principal, memory_id)
        body = self.read(RollBackBody)
        earlier = there.version(body["version_id"])
        proposed = actions.roll_back(
            self.principal,
            str(earlier.pk),
            expected_version=version,
            valid_until=body.get("valid_until"),
            evidence_id=body.get("evidence_id"),
        )
        return correction_response(proposed.operation)
