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
from accounts.models import Delivery, Tenant
from accounts.principals import Principal, system
from memories.models import Erasure, Export, Extraction, Import
from reviews.models import DelayedVerdict

log = structlog.get_logger("memoryhub.sweep")

Step = Callable[[Principal, datetime], Mapping[str, int]]

# Each takes the system's principal and the time, and answers what it did in counts. What forgets comes before what
# proves the forgetting, and sealing comes after them, so that it covers their events. Vectors leave no event and take
# long: nothing waits for them, and the worker makes them while it rests.
VECTORS = "memories.tasks.fill_vectors"
STEPS = (
    "reviews.tasks.commit_verdicts",
    "reviews.tasks.lapse_candidates",
    "reviews.tasks.gather_notices",
    "memories.tasks.forget_long_expired",
    "memories.tasks.drop_expired_imports",
    "memories.tasks.drop_export_files",
    "memories.tasks.purge_forgotten",
    "memories.tasks.drop_expired_evidence",
    "memories.tasks.drop_expired_plans",
    "memories.tasks.write_exports",
    "memories.tasks.apply_imports",
    "memories.tasks.tell_expired",
    "accounts.tasks.send_webhooks",
    "memories.tasks.count_uses",
    "memories.tasks.drop_conversations",
    "memories.tasks.extract_conversations",
    "accounts.tasks.drop_idempotency_keys",
    "accounts.calls.drop_old",
    "accounts.invitations.close_expired",
    "memories.tasks.drop_old_audit",
    "accounts.tasks.seal_audit",
    "reviews.tasks.mail_notices",
    VECTORS,
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


def catch_up(swept: Sequence[Swept]) -> int:
    """Go on making vectors where a sweep left some waiting, until none can be made; returns how many."""
    behind, made = _behind(swept), 0
    while behind:
        results = [one for slug in behind for one in sweep(timezone.now(), slug=slug, steps=(VECTORS,))]
        made += sum(one.counts.get("vectors_made", 0) for one in results)
        behind = _behind(results)
    return made


def _behind(swept: Sequence[Swept]) -> list[str]:
    """The tenants where more vectors can be made at once. Where none was made, the embedder is down."""
    return [one.tenant for one in swept if one.counts.get("vectors_made") and one.counts.get("vectors_waiting")]


def work(stop: threading.Event, interval: float) -> None:
    """Sweep until told to stop: at the latest every `interval` seconds, sooner when someone waits for it."""
    gathered = -STATISTICS_EVERY
    rota: dict[str, None] = {}
    while not stop.is_set():
        close_old_connections()
        try:
            if time.monotonic() - gathered >= STATISTICS_EVERY:
                gather_statistics()
                gathered = time.monotonic()
            swept = sweep(timezone.now(), steps=[step for step in STEPS if step != VECTORS])
            rota |= {one.tenant: None for one in swept}
        except Exception:  # noqa: BLE001 - the database may be away for a while; the worker stays
            log.exception("sweep_failed")
            connection.close()
        _rest(stop, interval, rota)


def _rest(stop: threading.Event, interval: float, rota: dict[str, None] | None = None) -> None:
    """Until the next sweep look for forgettings and make vectors, a batch in each tenant of the rota in turn.

    A tenant leaves the rota when nothing more can be made there; the next sweep brings it back.
    """
    rota = {} if rota is None else rota
    until = time.monotonic() + interval
    while (left := until - time.monotonic()) > 0 and not stop.wait(0 if rota else min(LOOK_SECONDS, left)):
        if _work_waits():
            return
        if rota:
            slug = next(iter(rota))
            del rota[slug]
            rota |= dict.fromkeys(_make_vectors(slug))


def _make_vectors(slug: str) -> list[str]:
    """A batch in one tenant; names it again when more can be made there."""
    try:
        return _behind(sweep(timezone.now(), slug=slug, steps=(VECTORS,)))
    except Exception:  # noqa: BLE001 - the next sweep says what is wrong
        return []


def _work_waits() -> bool:
    """Whether nobody has tried yet to purge something forgotten or to let a verdict take effect, or whether a file, a
    conversation or a message to a webhook waits.

    Where row-level security hides it, it comes later.
    """
    try:
        return (
            Erasure.everywhere.filter(state=Erasure.State.HIDDEN, attempts=0).exists()
            or DelayedVerdict.everywhere.filter(
                state=DelayedVerdict.State.WAITING, commits_at__lte=timezone.now(), attempts=0
            ).exists()
            or Export.everywhere.filter(state=Export.State.QUEUED).exists()
            or Import.everywhere.filter(state=Import.State.QUEUED).exists()
            or Delivery.everywhere.filter(
                state=Delivery.State.WAITING, attempts=0, webhook__switched_off_at=None
            ).exists()
            or Extraction.everywhere.filter(state=Extraction.State.QUEUED, attempts=0).exists()
        )
    except Exception:  # noqa: BLE001 - the next sweep says what is wrong
        return False
