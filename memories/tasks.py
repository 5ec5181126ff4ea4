"""Later work of memories: the steps of the sweep, and the one task that makes a forgetting prompt."""

from __future__ import annotations

import uuid
from typing import Any

from celery import shared_task
from django.utils import timezone

from accounts.principals import system
from accounts.tasks import TENANT_HEADER, TenantTask
from memories.models import Erasure
from memories.purging import purge as purge_now
from memories.purging import purge_due as purge_forgotten
from memories.purging import soon
from memories.retention import drop_expired_evidence, drop_expired_plans, forget_long_expired

__all__ = [
    "drop_expired_evidence",
    "drop_expired_plans",
    "forget_long_expired",
    "purge",
    "purge_forgotten",
    "soon",
]


class PurgeTask(TenantTask):
    abstract = True

    def send(self, tenant_id: uuid.UUID, erasure_id: uuid.UUID) -> None:
        """Hand the id to a worker. When the broker is away the sweep finds the row."""
        self.apply_async(args=[str(erasure_id)], headers={TENANT_HEADER: str(tenant_id)}, retry=False)


@shared_task(bind=True, base=PurgeTask, name="memories.tasks.purge")
def purge(_task: Any, erasure_id: str) -> None:
    """Finish one forgetting, unless it is finished already."""
    erasure = Erasure.objects.filter(pk=erasure_id, state=Erasure.State.HIDDEN).first()
    if erasure is not None:
        purge_now(system(erasure.tenant_id), [erasure], timezone.now())
