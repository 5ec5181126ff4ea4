"""The REST door of following the playbook. For people alone."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as drf
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.errors import InvalidInput, NotVisible
from accounts.principals import Scope
from memories import access, rendering, schemas
from memories.inputs import MAX_NAME
from memories.serializers import NamespaceInput
from memoryhub.api import Page, PeopleView
from memoryhub.fields import StrictSerializer, Text, stamp
from reviews import following


class FollowingQuery(StrictSerializer):
    cursor = Text(1024, required=False)
    limit = drf.IntegerField(min_value=1, max_value=200, required=False, default=50)


class FollowBody(StrictSerializer):
    """One of the two: an entry by any of its versions, or a team, project or agent with all of its entries."""

    memory_id = Text(MAX_NAME, required=False)
    namespace = NamespaceInput(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise InvalidInput.field("memory_id", "Name either an entry or a namespace.", "one_of_two")
        return attrs


class FollowShown(drf.Serializer):
    id = drf.UUIDField()
    namespace = schemas.NamespaceShown()
    memory_id = drf.UUIDField(allow_null=True, help_text="The entry's current version; null when it is forgotten.")
    whole = drf.BooleanField(help_text="Whether all of the namespace is followed and not one entry.")
    since = drf.DateTimeField()


class FollowingPage(drf.Serializer):
    items = FollowShown(many=True)
    next_cursor = drf.CharField(allow_null=True)
    has_more = drf.BooleanField()


class FollowingView(PeopleView):
    scopes: ClassVar = {"GET": Scope.READ, "POST": Scope.PROPOSE}

    @extend_schema(operation_id="list_following", parameters=[FollowingQuery], responses=FollowingPage)
    def get(self, request: Request) -> Response:
        """What the caller follows and still sees, newest first."""
        query = self.read_query(FollowingQuery)
        page, more = Page(self.principal, {"of": "following"}, query.get("cursor"), query["limit"]).take(
            following.mine(self.principal)
        )
        return Response({"items": [_shown(row) for row in page], **more})

    @extend_schema(operation_id="follow", request=FollowBody, responses={201: FollowShown})
    def post(self, request: Request) -> Response:
        """Be told what becomes of an entry, or of all there is and will be in a namespace; again is no second time."""
        body = self.read(FollowBody)
        if "namespace" in body:
            meant = access.area(self.principal, body["namespace"], access.playbook(self.principal))
            if meant.path:
                raise InvalidInput.field("namespace.path", "A place is followed as a whole.", "not_allowed")
            made = following.follow_place(self.principal, meant.namespace.pk)
        else:
            made = following.follow_entry(self.principal, _id(body["memory_id"]))
        return Response(_shown(following.mine(self.principal).get(pk=made.pk)), status=201)


class FollowView(PeopleView):
    scopes: ClassVar = {"DELETE": Scope.PROPOSE}

    @extend_schema(operation_id="unfollow", responses={204: None})
    def delete(self, request: Request, follow_id: str) -> Response:
        """Follow it no longer; what was told of it goes."""
        following.unfollow(self.principal, _id(follow_id))
        return Response(status=204)


def _id(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotVisible from None


def _shown(row: Any) -> dict[str, Any]:
    """A row of `following.mine`."""
    return {
        "id": str(row.pk),
        "namespace": rendering.namespace(row.namespace, []),
        "memory_id": row.entry_id and str(row.entry_id),
        "whole": row.slot_id is None,
        "since": stamp(row.created_at),
    }
