"""What is told: messages are written in the transaction of what they tell of, so that none is lost or made up."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.utils.module_loading import import_string

from accounts import tenancy
from accounts.models import Delivery, Webhook

EVENTS = (
    "candidate.waiting",
    "candidate.decided",
    "entry.published",
    "entry.suspended",
    "entry.resumed",
    "entry.expired",
)
TASK = "accounts.tasks.deliver"


def tell(event: str, group_id: uuid.UUID | None, about: Mapping[str, Any]) -> None:
    """Tell everyone who asked for it; `about` holds ids, codes and names that admins gave, never a remembered text.

    `group_id`: the team or project it happened in. What happens to an agent is told to the tenant's own webhooks.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("a message belongs to the transaction of what it tells of")
    asked = Webhook.objects.filter(Q(group=None) | Q(group_id=group_id), switched_off_at=None)
    put([hook for hook in asked if event in hook.events], event, about)


def put(hooks: list[Webhook], event: str, about: Mapping[str, Any]) -> None:
    """Write one message for each of these."""
    if not hooks:
        return
    Delivery.objects.bulk_create([Delivery(webhook=hook, event=event, payload=dict(about)) for hook in hooks])
    if settings.CELERY_BROKER_URL:
        tenant_id = tenancy.current_id()
        # The task is a door and stands above, hence by name.
        transaction.on_commit(lambda: import_string(TASK).send(tenant_id), robust=True)
