"""The REST door of delegations."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import delegations
from accounts.idempotency import Result
from accounts.models import Delegation
from accounts.principals import Scope
from memoryhub.api import HubView, refuse_secrets
from memoryhub.fields import StrictSerializer, Text, Whole, stamp

MAX_NAME = 128
A_DAY = 86_400


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
