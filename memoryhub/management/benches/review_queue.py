"""How fast the reviewers' pages are with many proposals waiting, and how many queries they take."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from accounts import tenancy
from accounts.models import Membership
from accounts.provisioning import provision_tenant
from memoryhub.management import scratch
from memoryhub.management.timing import CallFailed, percentile

CANDIDATES, BATCH, CALLS = 500, 100, 60
BAR = 150.0
HERE = "127.0.0.1"
COMPANY: Mapping[str, Any] = {
    "slug": "queue",
    "people": [
        {"external_id": "proposer", "email": "proposer@queue.example", "roles": ["member"]},
        {"external_id": "reviewer", "email": "reviewer@queue.example", "roles": ["reviewer"]},
    ],
    "teams": [{"slug": "crew", "members": ["proposer", "reviewer"]}],
    "agents": [
        {
            "slug": "helper",
            "owner": "proposer",
            "acts_for": "*",
            "teams": ["crew"],
            "keys": [{"name": "main", "scopes": ["memory:propose", "evidence:attest"]}],
        }
    ],
}
PAGES = {
    "queue": "/reviews/",
    "queue by risk": "/reviews/?order=risk",
    "last page": "/reviews/?page=20",
    "one candidate": "",
    "quality": "/reviews/quality/",
}


def run(console: Console, url: str) -> None:
    """Measure in a scratch installation and print what was found."""
    with (
        scratch.database(url) as place,
        scratch.installation(**place, MEMORYHUB_THROTTLE_RATE="1000000/sec") as environment,
        scratch.process(environment) as inside,
    ):
        found = inside.submit(measure).result()
    title = f"{CANDIDATES} proposals wait, {connection.display_name}"
    table = Table("page", "p50 ms", "p95 ms", "of the processor", "queries", title=title, title_justify="left")
    for name, (times, own, queries) in found.items():
        table.add_row(
            name, *(f"{one:.1f}" for one in (*(percentile(times, p) for p in (0.5, 0.95)), own)), str(queries)
        )
    console.print(table, f"Bar: queue p95 ≤ {BAR:.0f} ms")


def measure() -> dict[str, tuple[list[float], float, int]]:
    """Milliseconds of each call of each page, as the service answers it in this process, those of the processor at the
    median, and its queries."""
    tenant, keys = provision_tenant(COMPANY, "queue")
    with tenancy.entered(tenant.pk):
        user = Membership.objects.select_related("user").get(external_id="reviewer").user
    first = [_propose(keys["queue/helper/main"], start) for start in range(0, CANDIDATES, BATCH)][0]
    browser = Client(SERVER_NAME=HERE)
    browser.force_login(user)
    found = {}
    for name, path in PAGES.items():
        address = path or f"/reviews/{first}/"
        with CaptureQueriesContext(connection) as queries:
            _get(browser, address)
            count = len(queries)
        calls = [_get(browser, address) for _ in range(CALLS)]
        found[name] = ([wall for wall, _own in calls], percentile([own for _wall, own in calls], 0.5), count)
    return found


def _propose(key: str, start: int) -> str:
    """A batch of lessons that wait for a reviewer; returns the first one's id."""
    end = (timezone.now() + timedelta(days=90)).date().isoformat()
    items = [
        {
            "namespace": {"type": "team", "id": "crew"},
            "kind": "lesson",
            "key": f"lesson_{number}",
            "statement": f"Read log number {number} before restarting the importer.",
            "valid_until": end,
            "evidence": {"type": "user_message", "ref": f"m{number}", "occurred_at": timezone.now().isoformat()},
        }
        for number in range(start, start + BATCH)
    ]
    headers = {"Authorization": f"Bearer {key}", "MemoryHub-Subject": "proposer"}
    answer = Client(SERVER_NAME=HERE).post(
        "/api/v1/proposals/batch", json.dumps({"items": items, "atomic": True}), "application/json", headers=headers
    )
    if answer.status_code != 200:
        raise CallFailed(f"the batch answered {answer.status_code}")
    held = [one for one in answer.json()["items"] if one["decision"] == "needs_review"]
    if len(held) != BATCH:
        raise CallFailed(f"{len(held)} of {BATCH} proposals wait")
    return str(held[0]["candidate_id"])


def _get(browser: Client, address: str) -> tuple[float, float]:
    """Milliseconds that passed, and those of the processor alone."""
    began, own = time.perf_counter(), time.process_time()
    response = browser.get(address)
    took = (time.perf_counter() - began) * 1000, (time.process_time() - own) * 1000
    if response.status_code != 200:
        raise CallFailed(f"{address} answered {response.status_code}")
    return took
