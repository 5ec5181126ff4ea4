"""Later work of memories: the steps of the sweep, and the tasks that make a forgetting and a new vector prompt."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from accounts import tenancy
from accounts.principals import Principal, system
from accounts.tasks import TENANT_HEADER, TenantTask
from memories import announcing
from memories.exchange.applying import apply as apply_now
from memories.exchange.applying import apply_due
from memories.exchange.applying import drop_expired as drop_expired_imports
from memories.exchange.writing import drop_ended as drop_export_files
from memories.exchange.writing import write as write_now
from memories.exchange.writing import write_due as write_exports
from memories.indexing import fill_due
from memories.models import Erasure, Export, Import
from memories.purging import purge as purge_now
from memories.purging import purge_due as purge_forgotten
from memories.purging import soon
from memories.retention import drop_expired_evidence, drop_expired_plans, drop_old_audit, forget_long_expired
from memories.uses import count_due as count_uses

__all__ = [
    "apply_import",
    "apply_imports",
    "count_uses",
    "drop_expired_evidence",
    "drop_expired_plans",
    "drop_expired_imports",
    "drop_export_files",
    "drop_old_audit",
    "embed",
    "fill_vectors",
    "forget_long_expired",
    "purge",
    "purge_forgotten",
    "soon",
    "tell_expired",
    "write_export",
    "write_exports",
]

# How long a message goes on making vectors; a worker without a broker makes batches in turn instead.
PROMPT_SECONDS, SWEEP_SECONDS = 5.0, 45.0
# How long a sweep without a broker carries out handed-over files before it looks for forgettings again.
SLICE_SECONDS = 2.0
STALE_SECONDS = 60.0


class RowTask(TenantTask):
    abstract = True

    def send(self, tenant_id: uuid.UUID, row_id: uuid.UUID) -> None:
        """Hand the id of a due row to a worker. When the broker is away the sweep finds the row."""
        self.apply_async(args=[str(row_id)], headers={TENANT_HEADER: str(tenant_id)}, retry=False)


@shared_task(bind=True, base=RowTask, name="memories.tasks.purge")
def purge(_task: Any, erasure_id: str) -> None:
    """Finish one forgetting, unless it is finished already."""
    erasure = Erasure.objects.filter(pk=erasure_id, state=Erasure.State.HIDDEN).first()
    if erasure is not None:
        purge_now(system(erasure.tenant_id), [erasure], timezone.now())


def fill_vectors(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Make vectors of what is due: a batch, or under a broker, where nothing waits for this step, what time allows."""
    return fill_due(principal, now, seconds=SWEEP_SECONDS if settings.CELERY_BROKER_URL else 0.0)


def tell_expired(_principal: Principal, now: datetime) -> Mapping[str, int]:
    """Tell those who asked of entries of the playbook whose end has come."""
    return {"expiries_told": announcing.expired(now)}


class EmbedTask(TenantTask):
    abstract = True

    def send(self, tenant_id: uuid.UUID) -> None:
        """Ask a worker for the tenant's vectors. When the broker is away the sweep makes them."""
        self.apply_async(headers={TENANT_HEADER: str(tenant_id)}, retry=False, expires=STALE_SECONDS)


@shared_task(bind=True, base=EmbedTask, name="memories.tasks.embed")
def embed(_task: Any) -> None:
    """Make the vectors that have just become due."""
    fill_due(system(tenancy.current_id()), timezone.now(), seconds=PROMPT_SECONDS)


def apply_imports(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Carry out handed-over files, for a while."""
    return apply_due(principal, now, seconds=SWEEP_SECONDS if settings.CELERY_BROKER_URL else SLICE_SECONDS)


@shared_task(bind=True, base=RowTask, name="memories.tasks.write_export")
def write_export(_task: Any, export_id: str) -> None:
    """Write one export that waits."""
    export = Export.objects.filter(pk=export_id, state=Export.State.QUEUED).first()
    if export is not None:
        write_now(export)


@shared_task(bind=True, base=RowTask, name="memories.tasks.apply_import")
def apply_import(_task: Any, import_id: str) -> None:
    """Carry out one handed-over file that waits."""
    errand = Import.objects.filter(pk=import_id, state=Import.State.QUEUED).first()
    if errand is not None:
        apply_now(errand)
