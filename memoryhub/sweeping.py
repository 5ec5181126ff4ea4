"""The sweep: what is due in each tenant is done, one tenant and one step at a time.

Rows carry their own due state, so a sweep may run at any time, twice, in several processes, or stop half-way: the next
one goes on. `manage.py sweep`, `manage.py worker` and Celery's beat all come here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from django.db import close_old_connections, connection
from django.utils import timezone
from django.utils.module_loading import import_string

from accounts import tenancy
from accounts.models import Tenant
from accounts.principals import Principal, system
from memories.models import Erasure

log = structlog.get_logger("memoryhub.sweep")

Step = Callable[[Principal, datetime], Mapping[str, int]]

# Each takes the system's principal and the time, and answers what it did in counts. What forgets comes before what
# proves the forgetting, and sealing comes last, so that it covers the events of the others.
STEPS = (
    "reviews.tasks.lapse_candidates",
    "memories.tasks.forget_long_expired",
    "memories.tasks.purge_forgotten",
    "memories.tasks.drop_expired_evidence",
    "memories.tasks.drop_expired_plans",
    "accounts.tasks.drop_idempotency_keys",
    "accounts.tasks.seal_audit",
)
LOOK_SECONDS = 0.25
STATISTICS_EVERY = 3600.0


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep did in one tenant, and the steps that failed there."""

    tenant: str
    counts: Mapping[str, int] = field(default_factory=dict)
    failed: Sequence[str] = ()


def sweep(now: datetime, *, slug: str | None = None, steps: Sequence[str] = STEPS) -> list[Swept]:
    """Sweep every tenant, or the one of this slug. A step that fails is logged and stops nothing else."""
    tenants = Tenant.objects.order_by("pk")
    if slug is not None:
        tenants = tenants.filter(slug=slug)
    return [sweep_tenant(tenant, now, steps) for tenant in tenants]


def sweep_tenant(tenant: Tenant, now: datetime, steps: Sequence[str] = STEPS) -> Swept:
    """Carry out every step in one tenant."""
    counts: dict[str, int] = {}
    failed: list[str] = []
    with tenancy.entered(tenant.pk):
        for name in steps:
            try:
                step: Step = import_string(name)
                done = step(system(tenant.pk), now)
            except Exception:  # noqa: BLE001 - whatever went wrong here is no reason to leave the rest undone
                log.exception("sweep_step_failed", tenant_id=tenant.pk, task=name)
                failed.append(name)
                if not connection.in_atomic_block:
                    connection.close_if_unusable_or_obsolete()
                continue
            counts |= {what: count for what, count in done.items() if count}
    return Swept(tenant.slug, counts, tuple(failed))


def gather_statistics() -> None:
    """Tell SQLite how its tables are filled: without that it reads a whole tenant to find a few rows of it.

    Takes milliseconds whatever the size. PostgreSQL does this by itself.
    """
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA analysis_limit=400")
        cursor.execute("ANALYZE")


def work(stop: threading.Event, interval: float) -> None:
    """Sweep until told to stop: at the latest every `interval` seconds, sooner when a forgetting waits."""
    gathered = -STATISTICS_EVERY
    while not stop.is_set():
        close_old_connections()
        try:
            if time.monotonic() - gathered >= STATISTICS_EVERY:
                gather_statistics()
                gathered = time.monotonic()
            sweep(timezone.now())
        except Exception:  # noqa: BLE001 - the database may be away for a while; the worker stays
            log.exception("sweep_failed")
            connection.close()
        _rest(stop, interval)


def _rest(stop: threading.Event, interval: float) -> None:
    rested = 0.0
    while rested < interval and not stop.wait(min(LOOK_SECONDS, interval - rested)):
        rested += LOOK_SECONDS
        if _forgetting_waits():
            return


def _forgetting_waits() -> bool:
    """Whether nobody has tried yet to purge something forgotten. Where row-level security hides it, it comes later."""
    try:
        return Erasure.everywhere.filter(state=Erasure.State.HIDDEN, attempts=0).exists()
    except Exception:  # noqa: BLE001 - the next sweep says what is wrong
        return False
