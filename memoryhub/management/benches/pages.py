"""How long a person waits for the pages of a long list: the server's time, without a network, its queries and HTML."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import connection
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from memoryhub.management import filling, scratch
from memoryhub.management.benches.over_http import verdict
from memoryhub.management.timing import CallFailed, percentile

ROWS = 50_000
USED_EACH = 5  # one memory in so many was recalled
CALLS = 40
TIME_BAR, QUERY_BAR, SIZE_BAR = 150.0, 12, 120 * 1024
BARRED = ("list", "page 1,000", "paused", "one kind")
"""Those without a search or a filter that has to read every row."""
ADDRESSES = {
    "list": "/memories/",
    "page 1,000": "/memories/?page=1000",
    "paused": "/memories/?status=paused",
    "one kind": "/memories/?kind=preference",
    "most used": "/memories/?sort=used",
    "not used for 90 days": "/memories/?unused=90",
    "search": "/memories/?q=zobapo",
    "100 on a page": "/memories/?size=100",
}


@dataclass
class Seen:
    """What one address took: milliseconds, also of processor time, the queries of the last call and its bytes."""

    times: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    queries: int = 0
    size: int = 0


def run(console: Console, url: str) -> None:
    with (
        scratch.database(url) as place,
        scratch.installation(**place, MEMORYHUB_EMBEDDER="none") as environment,
        scratch.process(environment) as inside,
    ):
        console.print(f"filling {ROWS:,} memories of one person …")
        inside.submit(fill).result()
        seen = inside.submit(look).result()
    title = f"Pages of {ROWS:,} memories of one person, {connection.display_name}, {CALLS} calls each"
    table = Table(
        "page", "p50 ms", "p95 ms", "CPU p50", "CPU p95", "queries", "HTML KiB", title=title, title_justify="left"
    )
    for name, one in seen.items():
        p95 = percentile(one.times, 0.95)
        table.add_row(
            name,
            f"{percentile(one.times, 0.5):.0f}",
            verdict(p95 <= TIME_BAR, f"{p95:.0f}") if name in BARRED else f"{p95:.0f}",
            f"{percentile(one.cpu, 0.5):.0f}",
            f"{percentile(one.cpu, 0.95):.0f}",
            verdict(one.queries <= QUERY_BAR, str(one.queries)),
            verdict(one.size <= SIZE_BAR, f"{one.size / 1024:.0f}"),
        )
    console.print(table)
    console.print(
        f"Bars: p95 ≤ {TIME_BAR:.0f} ms without a search, ≤ {QUERY_BAR} queries, ≤ {SIZE_BAR // 1024} KiB of HTML"
    )


def fill() -> None:
    """The person's memories, some of them used over the last weeks, one in a hundred paused or ending."""
    from accounts import tenancy
    from accounts.models import Tenant
    from memories.models import Memory, Use
    from memoryhub.sweeping import gather_statistics

    filling.fill(ROWS, 0)
    now = timezone.now()
    with tenancy.entered(Tenant.objects.get(slug="measured").pk):
        slots = list(Memory.objects.order_by("pk").values_list("slot_id", flat=True))
        year, week, _day = now.isocalendar()
        Use.objects.bulk_create(
            [
                Use(
                    slot_id=slot,
                    total=at % 40,
                    last_at=now - timedelta(days=at % 80),
                    weeks={f"{year}-{week:02}": at % 7},
                )
                for at, slot in enumerate(slots[::USED_EACH])
            ],
            batch_size=filling.CHUNK,
        )
        Memory.objects.filter(rev__in=range(0, ROWS, 100)).update(status="paused")
        Memory.objects.filter(rev__in=range(1, ROWS, 100)).update(valid_until=now + timedelta(days=20))
    gather_statistics()


def look() -> dict[str, Seen]:
    """Each address so often, in turns; the first round is not counted. Raises CallFailed."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    client = Client(HTTP_HOST="localhost")
    client.force_login(get_user_model().objects.get(email=f"{filling.SUBJECT}@measured.example"))
    seen = {name: Seen() for name in ADDRESSES}
    for turn in range(CALLS + 1):
        for name, address in ADDRESSES.items():
            counted: list[str] = []
            with connection.execute_wrapper(_counter(counted)):
                began, worked = time.perf_counter(), time.process_time()
                answer = client.get(address)
                took, cpu = (time.perf_counter() - began) * 1000, (time.process_time() - worked) * 1000
            if answer.status_code != 200:
                raise CallFailed(f"{address} answered {answer.status_code}")
            if turn:
                seen[name].times.append(took)
                seen[name].cpu.append(cpu)
            seen[name].queries, seen[name].size = len(counted), len(answer.content)
    return seen


def _counter(counted: list[str]) -> Any:
    def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT")):
            counted.append(sql)
        return execute(sql, params, many, context)

    return count
