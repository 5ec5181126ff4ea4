"""Later work of accounts, and how a Celery task comes to its tenant."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from celery import Task, shared_task
from django.utils import timezone

from accounts import sealing, tenancy
from accounts.models import IdempotencyKey
from accounts.principals import Principal, system
from accounts.webhooks import sending

TENANT_HEADER = "memoryhub_tenant"
GRACE = timedelta(minutes=5)  # a request that began before the end may still be at work with it


class TenantTask(Task):
    """A task inside one tenant, whose id comes in a header of the message; without it the task does not run."""

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        tenant_id = self.request.get(TENANT_HEADER) or (self.request.headers or {}).get(TENANT_HEADER)
        if not tenant_id:
            raise tenancy.NoActiveTenant(f"{self.name} came without a tenant")
        with tenancy.entered(uuid.UUID(tenant_id)):
            return super().__call__(*args, **kwargs)


def drop_idempotency_keys(_principal: Principal, now: datetime) -> Mapping[str, int]:
    """Remove the keys of requests that can no longer be repeated."""
    with tenancy.atomic():
        gone, _ = IdempotencyKey.objects.filter(expires_at__lte=now - GRACE).delete()
    return {"idempotency_keys_dropped": gone}


def seal_audit(principal: Principal, _now: datetime) -> Mapping[str, int]:
    """Chain every event that is not sealed yet."""
    return {"events_sealed": sealing.seal_all(principal.tenant_id)}


def send_webhooks(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Send the messages that are due, and forget those that are long done with."""
    counts = dict(sending.send_due(principal, now))
    with tenancy.atomic():
        return counts | {"webhook_messages_dropped": sending.drop_old(now)}


class DeliverTask(TenantTask):
    abstract = True

    def send(self, tenant_id: uuid.UUID) -> None:
        """Ask a worker to send what is due. When the broker is away the sweep does."""
        self.apply_async(headers={TENANT_HEADER: str(tenant_id)}, retry=False)


@shared_task(bind=True, base=DeliverTask, name="accounts.tasks.deliver")
def deliver(_task: Any) -> None:
    """Send the messages that have just become due."""
    sending.send_due(system(tenancy.current_id()), timezone.now())
