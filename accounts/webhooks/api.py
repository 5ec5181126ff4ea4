"""The REST door of webhooks."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.errors import InvalidInput
from accounts.idempotency import Result
from accounts.models import Delivery, Group, Webhook
from accounts.principals import Scope
from accounts.webhooks import sending, subscriptions
from accounts.webhooks.addresses import MAX_URL
from accounts.webhooks.outbox import EVENTS
from memoryhub.api import HubView, Page
from memoryhub.fields import Choice, StrictSerializer, Text, stamp

MAX_NAME = 128
GROUP_TYPES = Group.Type.values
DELIVERY_STATES = Delivery.State.values


class GroupInput(StrictSerializer):
    """A team or project."""

    type = Choice(choices=GROUP_TYPES)
    id = Text(MAX_NAME)


class WebhookBody(StrictSerializer):
    url = Text(MAX_URL)
    events = serializers.ListField(child=Choice(choices=EVENTS), min_length=1, max_length=len(EVENTS))
    group = GroupInput(required=False, allow_null=True, help_text="Null: the whole tenant, for admins.")


class NothingBody(StrictSerializer):
    """A body without fields."""


class DeliveriesQuery(StrictSerializer):
    state = Choice(choices=DELIVERY_STATES, required=False)
    cursor = Text(1024, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=200, required=False, default=100)


class GroupShown(serializers.Serializer):
    type = serializers.ChoiceField(choices=GROUP_TYPES)
    id = serializers.CharField()


class WebhookShown(serializers.Serializer):
    id = serializers.UUIDField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.ChoiceField(choices=EVENTS))
    group = GroupShown(allow_null=True)
    created_at = serializers.DateTimeField()
    failing_since = serializers.DateTimeField(allow_null=True)
    switched_off_at = serializers.DateTimeField(allow_null=True)


class WebhookMade(WebhookShown):
    secret = serializers.CharField(help_text="Signs the messages as Standard Webhooks has it; shown this once.")


class WebhooksShown(serializers.Serializer):
    items = WebhookShown(many=True)


class DeliveryShown(serializers.Serializer):
    id = serializers.UUIDField(help_text="The `webhook-id` header; the same at every attempt.")
    event = serializers.ChoiceField(choices=EVENTS)
    data = serializers.DictField(help_text="Ids, codes and names of places; never a remembered text.")
    state = serializers.ChoiceField(choices=DELIVERY_STATES)
    attempts = serializers.IntegerField()
    answer = serializers.IntegerField(allow_null=True, help_text="The HTTP status of the last attempt.")
    error = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    next_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class DeliveryPage(serializers.Serializer):
    items = DeliveryShown(many=True)
    next_cursor = serializers.CharField(allow_null=True)
    has_more = serializers.BooleanField()


class WebhooksView(HubView):
    """Addresses that are told what happens to shared memory: for maintainers and admins."""

    scopes: ClassVar = {"GET": Scope.PROVISION, "POST": Scope.PROVISION}

    @extend_schema(operation_id="list_webhooks", responses=WebhooksShown)
    def get(self, request: Request) -> Response:
        return Response({"items": [_shown(hook) for hook in subscriptions.visible(self.principal)]})

    @extend_schema(operation_id="create_webhook", request=WebhookBody, responses={201: WebhookMade})
    def post(self, request: Request) -> Response:
        subscriptions.require_set_up(self.principal)
        body = self.read(WebhookBody)

        def work() -> Result:
            made = subscriptions.create(self.principal, body["url"], body["events"], self._group(body.get("group")))
            return Result(201, _made(made), {"webhook": str(made.pk)})

        return self.once(
            work,
            lambda status, refs: Result(status, _made(subscriptions.one(self.principal, str(refs["webhook"])))),
        )

    def _group(self, named: dict[str, str] | None) -> Group | None:
        if named is None:
            return None
        found = subscriptions.groups(self.principal).filter(type=named["type"], slug=named["id"]).first()
        if found is None:
            raise InvalidInput.field("group", "You maintain no such team or project.", "unknown_group")
        return found


class WebhookView(HubView):
    """One of them."""

    scopes: ClassVar = {"GET": Scope.PROVISION, "DELETE": Scope.PROVISION}

    @extend_schema(operation_id="read_webhook", responses=WebhookShown)
    def get(self, request: Request, webhook_id: str) -> Response:
        return Response(_shown(subscriptions.one(self.principal, webhook_id)))

    @extend_schema(operation_id="remove_webhook", responses={204: None})
    def delete(self, request: Request, webhook_id: str) -> Response:
        subscriptions.remove(self.principal, webhook_id)
        return Response(status=204)


class SwitchView(HubView):
    scopes: ClassVar = {"POST": Scope.PROVISION}
    verb: ClassVar[Any]

    def switched(self, webhook_id: str) -> Response:
        self.read(NothingBody)
        return Response(_shown(type(self).verb(self.principal, webhook_id)))


class SwitchOnView(SwitchView):
    verb = staticmethod(subscriptions.switch_on)

    @extend_schema(operation_id="switch_webhook_on", request=NothingBody, responses=WebhookShown)
    def post(self, request: Request, webhook_id: str) -> Response:
        """Send what happens from now on."""
        return self.switched(webhook_id)


class SwitchOffView(SwitchView):
    verb = staticmethod(subscriptions.switch_off)

    @extend_schema(operation_id="switch_webhook_off", request=NothingBody, responses=WebhookShown)
    def post(self, request: Request, webhook_id: str) -> Response:
        """Send nothing any more."""
        return self.switched(webhook_id)


class DeliveriesView(HubView):
    """The messages of a webhook, newest first, each with what came of it."""

    scopes: ClassVar = {"GET": Scope.PROVISION}

    @extend_schema(operation_id="list_deliveries", parameters=[DeliveriesQuery], responses=DeliveryPage)
    def get(self, request: Request, webhook_id: str) -> Response:
        rows = subscriptions.deliveries(self.principal, webhook_id)
        query = self.read_query(DeliveriesQuery)
        if state := query.get("state"):
            rows = rows.filter(state=state)
        filters = {"webhook": webhook_id, "state": state or ""}
        page, more = Page(self.principal, filters, query.get("cursor"), query["limit"]).take(rows)
        return Response({"items": [_delivery(row) for row in page], **more})


class RetryView(HubView):
    """Send a message again as soon as may be."""

    scopes: ClassVar = {"POST": Scope.PROVISION}

    @extend_schema(operation_id="retry_delivery", request=NothingBody, responses=DeliveryShown)
    def post(self, request: Request, webhook_id: str, delivery_id: str) -> Response:
        subscriptions.one(self.principal, webhook_id)
        self.read(NothingBody)
        return Response(_delivery(subscriptions.retry(self.principal, webhook_id, delivery_id)))


def _shown(hook: Webhook) -> dict[str, Any]:
    return {
        "id": str(hook.pk),
        "url": hook.url,
        "events": hook.events,
        "group": {"type": hook.group.type, "id": hook.group.slug} if hook.group else None,
        "created_at": stamp(hook.created_at),
        "failing_since": stamp(hook.failing_since),
        "switched_off_at": stamp(hook.switched_off_at),
    }


def _made(hook: Webhook) -> dict[str, Any]:
    return {**_shown(hook), "secret": sending.secret_of(hook)}


def _delivery(row: Delivery) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "event": row.event,
        "data": row.payload,
        "state": row.state,
        "attempts": row.attempts,
        "answer": row.answer,
        "error": row.error or None,
        "created_at": stamp(row.created_at),
        "next_at": stamp(row.next_at) if row.state == Delivery.State.WAITING else None,
        "finished_at": stamp(row.finished_at),
    }
