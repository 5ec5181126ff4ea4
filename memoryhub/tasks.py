"""The sweep on Celery's beat: one small task per tenant, so that a slow tenant keeps no other waiting."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from django.utils import timezone

from accounts import tenancy
from accounts.models import Tenant
from accounts.tasks import TENANT_HEADER, TenantTask
from memoryhub import sweeping
from memoryhub.celery import app

EVERY_SECONDS = 60.0


@shared_task(name="memoryhub.tasks.sweep")
def sweep() -> None:
    """Ask for a sweep of every tenant."""
    for tenant_id in Tenant.objects.order_by("pk").values_list("pk", flat=True):
        sweep_tenant.apply_async(headers={TENANT_HEADER: str(tenant_id)}, expires=EVERY_SECONDS)


@shared_task(bind=True, base=TenantTask, name="memoryhub.tasks.sweep_tenant")
def sweep_tenant(_task: Any) -> None:
    """Sweep the tenant of the message."""
    sweeping.sweep_tenant(Tenant.objects.get(pk=tenancy.current_id()), timezone.now())


@app.on_after_finalize.connect
def _schedule(sender: Any, **_: object) -> None:
    sender.add_periodic_task(EVERY_SECONDS, sweep.s(), name="sweep", expires=EVERY_SECONDS)
