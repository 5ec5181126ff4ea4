"""How fast the audit is sealed and verified, and what the sealing adds to the calls that leave the events."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Any

from django.db import connection
from rich.console import Console
from rich.table import Table

from accounts import sealing, tenancy, verifying
from accounts.models import AuditEvent, Tenant
from memoryhub.management import filling, scratch
from memoryhub.management.timing import Wire, percentile, served

EVENTS = 200_000
CHUNK = 5000
ROWS, CALLS = 300, 60
VERIFY_BAR, SHARE_BAR = 300_000, 5.0


def run(console: Console, url: str) -> None:
    """Measure in scratch installations and print what was found."""
    with (
        scratch.database(url) as place,
        scratch.installation(**place) as environment,
        scratch.process(environment) as inside,
    ):
        took = inside.submit(measure, EVENTS).result()
    with (
        scratch.database(url) as place,
        scratch.installation(**place, MEMORYHUB_THROTTLE_RATE="1000000/sec") as environment,
    ):
        with scratch.process(environment) as inside:
            known = inside.submit(filling.fill, ROWS, ROWS).result()
        with served(environment) as port:
            wire = Wire(port, known["key"], known["subject"])
            for number, one in enumerate(filling.sentences(CALLS, seed=8)):
                wire.propose(f"new_{number}", one.statement)
                wire.recall(one.question)
    title = f"{EVENTS:,} events, {connection.display_name}"
    rates = Table("of the audit", "events/s", "per second of processor time", title=title, title_justify="left")
    for what in ("seal", "verify"):
        rates.add_row(what, *(f"{EVENTS / took[what][clock]:,.0f}" for clock in ("wall", "processor")))
    console.print(rates, f"Bar: verify ≥ {VERIFY_BAR:,} events/s")
    event_ms = took["seal"]["wall"] / EVENTS * 1000
    shares = Table("call", "p50 ms", "sealing its event adds", title="Sealing is work of the sweep, after the call")
    for what in ("propose", "recall"):
        p50 = percentile(wire.times[what], 0.5)
        shares.add_row(what, f"{p50:.1f}", f"{event_ms:.3f} ms, {event_ms / p50 * 100:.1f} % ≤ {SHARE_BAR:.0f} %")
    console.print(shares)


def measure(count: int) -> dict[str, Any]:
    """Write so many events into a tenant of their own in the active database, seal them and verify them."""
    tenant = Tenant.objects.create(slug=f"audited-{uuid.uuid4().hex[:8]}", name="audited")
    with tenancy.entered(tenant.pk):
        for _ in range(0, count, CHUNK):
            with tenancy.atomic():
                AuditEvent.objects.bulk_create([_event() for _ in range(CHUNK)])
        sealed = _timed(lambda: sealing.seal_all(tenant.pk))
        verified = _timed(lambda: verifying.verify(tenant.pk))
    return {"seal": sealed, "verify": verified}


def _event() -> AuditEvent:
    """As a proposal leaves it."""
    ids = {name: uuid.uuid4() for name in ("actor_id", "subject_id", "target_id")}
    return AuditEvent(
        actor="agent",
        action="memory.propose",
        outcome="store",
        reason="policy_accepted",
        target="memory",
        request_id=str(uuid.uuid4()),
        details={"operation": str(uuid.uuid4()), "policy_version": 1},
        **ids,
    )


def _timed(work: Callable[[], object]) -> dict[str, float]:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}
