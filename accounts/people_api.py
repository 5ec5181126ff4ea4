"""The REST door for who sets a tenant up by script: its agents and invitations; and for a key's owner, its calls."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import agents, calls, invitations
from accounts.errors import InvalidInput, NotVisible
from accounts.idempotency import Result
from accounts.models import Agent, ApiCall, Group, Invitation
from accounts.principals import Principal, Role, Scope
from memoryhub.api import HubView, Page
from memoryhub.fields import Choice, StrictSerializer, Text, stamp


class PageQuery(StrictSerializer):
    cursor = Text(1024, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=200, required=False, default=100)


class AgentShown(serializers.Serializer):
    id = serializers.UUIDField()
    slug = serializers.CharField()
    name = serializers.CharField()
    owner = serializers.CharField(help_text="External id of the person who answers for it.")
    active = serializers.BooleanField(help_text="Whether its calls are answered; false while it is paused or ended.")
    created_at = serializers.DateTimeField()


class AgentPage(serializers.Serializer):
    items = AgentShown(many=True)
    next_cursor = serializers.CharField(allow_null=True)
    has_more = serializers.BooleanField()


class CallShown(serializers.Serializer):
    """That a call was made and how it ended; nothing of what was sent or answered."""

    at = serializers.DateTimeField()
    method = serializers.CharField()
    route = serializers.CharField(help_text="The template of the address.")
    status = serializers.IntegerField()
    ms = serializers.FloatField()
    request_id = serializers.CharField()
    scope = serializers.CharField(help_text="The scope that the call needed; empty when none is known.")
    code = serializers.CharField(help_text="The code of the problem, or empty.")


class CallPage(serializers.Serializer):
    items = CallShown(many=True)


class InvitationBody(StrictSerializer):
    email = serializers.EmailField(max_length=254)
    role = Choice(choices=[role.value for role in Role], required=False, default=Role.MEMBER.value)
    group_id = serializers.UUIDField(required=False, allow_null=True, default=None)


class InvitationShown(serializers.Serializer):
    id = serializers.UUIDField()
    email = serializers.CharField()
    role = serializers.CharField()
    group_id = serializers.UUIDField(allow_null=True)
    expires_at = serializers.DateTimeField()


class InvitationPage(serializers.Serializer):
    items = InvitationShown(many=True)
    next_cursor = serializers.CharField(allow_null=True)
    has_more = serializers.BooleanField()


class CallsView(HubView):
    """The newest calls of the caller's own keys, newest first."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="list_calls", responses=CallPage)
    def get(self, request: Request) -> Response:
        rows = calls.of(self.principal)[: calls.SHOWN]
        return Response({"items": [_call(row) for row in rows]})


class AgentsView(HubView):
    """Every agent of the tenant, newest first."""

    scopes: ClassVar = {"GET": Scope.PROVISION}

    @extend_schema(operation_id="list_agents", parameters=[PageQuery], responses=AgentPage)
    def get(self, request: Request) -> Response:
        query = self.read_query(PageQuery)
        page, more = Page(self.principal, {}, query.get("cursor"), query["limit"]).take(agents.all_of(self.principal))
        return Response({"items": [_agent(row) for row in page], **more})


class AgentPauseView(HubView):
    """Refuse the agent from its next call on; its keys stay."""

    scopes: ClassVar = {"POST": Scope.PROVISION}

    @extend_schema(operation_id="pause_agent", request=None, responses=AgentShown)
    def post(self, request: Request, agent_id: str) -> Response:
        return _changed(self, agent_id, partial(agents.set_paused, is_paused=True))


class AgentResumeView(HubView):
    """Let a paused agent call again."""

    scopes: ClassVar = {"POST": Scope.PROVISION}

    @extend_schema(operation_id="resume_agent", request=None, responses=AgentShown)
    def post(self, request: Request, agent_id: str) -> Response:
        return _changed(self, agent_id, partial(agents.set_paused, is_paused=False))


class AgentEndView(HubView):
    """Revoke every key of the agent for good."""

    scopes: ClassVar = {"POST": Scope.PROVISION}

    @extend_schema(operation_id="end_agent", request=None, responses=AgentShown)
    def post(self, request: Request, agent_id: str) -> Response:
        return _changed(self, agent_id, agents.end)


class InvitationsView(HubView):
    """Invite people by e-mail, and see who is invited."""

    scopes: ClassVar = {"GET": Scope.PROVISION, "POST": Scope.PROVISION}

    @extend_schema(operation_id="list_invitations", parameters=[PageQuery], responses=InvitationPage)
    def get(self, request: Request) -> Response:
        query = self.read_query(PageQuery)
        rows = invitations.waiting(self.principal)
        page, more = Page(self.principal, {}, query.get("cursor"), query["limit"]).take(rows)
        return Response({"items": [_invitation(row) for row in page], **more})

    @extend_schema(operation_id="invite", request=InvitationBody, responses={201: InvitationShown})
    def post(self, request: Request) -> Response:
        body = self.read(InvitationBody)

        def work() -> Result:
            made = invitations.invite(self.principal, body["email"], body["role"], _group(body["group_id"]))
            return Result(201, _invitation(made), {"invitation": str(made.pk)})

        return self.once(
            work, lambda status, refs: Result(status, _invitation(Invitation.objects.get(pk=refs["invitation"])))
        )


class InvitationRevokeView(HubView):
    """Take an open invitation back."""

    scopes: ClassVar = {"POST": Scope.PROVISION}

    @extend_schema(operation_id="revoke_invitation", request=None, responses=InvitationShown)
    def post(self, request: Request, invitation_id: str) -> Response:
        self.read(StrictSerializer)
        return Response(_invitation(invitations.revoke(self.principal, _uuid(invitation_id))))


def _changed(view: HubView, agent_id: str, verb: Callable[[Principal, uuid.UUID], None]) -> Response:
    """Carry out what takes nothing but the agent, and show how it stands now."""
    pk = _uuid(agent_id)
    view.read(StrictSerializer)
    verb(view.principal, pk)
    return Response(_agent(agents.all_of(view.principal).get(pk=pk)))


def _agent(row: Agent) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "slug": row.slug,
        "name": row.name,
        "owner": row.owner.external_id,
        "active": row.is_active and row.owner.is_active,
        "created_at": stamp(row.created_at),
    }


def _invitation(row: Invitation) -> dict[str, Any]:
    """What stands of an invitation; a closed one tells no address any more."""
    return {
        "id": str(row.pk),
        "email": row.email,
        "role": row.role,
        "group_id": str(row.group_id) if row.group_id else None,
        "expires_at": stamp(row.expires_at),
    }


def _call(row: ApiCall) -> dict[str, Any]:
    told = {name: getattr(row, name) for name in ("method", "route", "status", "ms", "request_id", "scope", "code")}
    return {"at": stamp(row.created_at), **told}


def _group(group_id: uuid.UUID | None) -> Group | None:
    if group_id is None:
        return None
    group = Group.objects.filter(pk=group_id).first()
    if group is None:
        raise InvalidInput.field("group_id", "There is no such team or project.", "unknown_group")
    return group


def _uuid(text: str) -> uuid.UUID:
    """An id of an address; what is none is an id that nobody has."""
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotVisible from None
