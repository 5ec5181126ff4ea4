"""`bench_mcp`: what a tool's call costs at /mcp beside the same call over REST, in CPU time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.test import Client
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from memoryhub.demo.door import quiet_log
from memoryhub.management import filling, scratch
from memoryhub.management.timing import percentile

BAR_MS = 8.0
MEMORIES = 300
WARM_UP = 20


class Command(BaseCommand):
    help = "Measure the CPU time of a search at /mcp beside REST, in an installation of its own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--calls", type=int, default=300, help="calls of each kind (300)")
        parser.add_argument("--inside", action="store_true", help=SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["inside"]:
            self.stdout.write(json.dumps(measure(options["calls"])))
            return
        command = [sys.executable, "manage.py", "bench_mcp", "--inside", "--calls", str(options["calls"])]
        with scratch.installation(MEMORYHUB_THROTTLE_RATE="1000000/sec") as environment:
            done = subprocess.run(command, cwd=scratch.ROOT, env=environment, check=False, stdout=subprocess.PIPE)  # noqa: S603
        if done.returncode:
            raise CommandError("The measurement broke off.")
        medians: dict[str, float] = json.loads(done.stdout)
        rest = medians["REST"]
        over = max(median - rest for door, median in medians.items() if door != "REST")
        for door, median in medians.items():
            self.stdout.write(f"{door}: {median:.2f} ms of CPU time a search (p50 of {options['calls']})")
        verdict = "holds" if over <= BAR_MS else "missed"
        self.stdout.write(f"/mcp costs {over:.2f} ms more at most; bar ≤ {BAR_MS:.0f} ms {verdict}")


def measure(calls: int) -> dict[str, float]:
    """The p50 of this process's CPU milliseconds by door, asked in turns."""
    known = filling.fill(MEMORIES, 0)
    headers = {"Authorization": f"Bearer {known['key']}", "MemoryHub-Subject": known["subject"]}
    client = Client(SERVER_NAME=urlsplit(settings.MEMORYHUB_BASE_URL).hostname, headers=headers)
    doors: dict[str, Callable[[str], Any]] = {
        "REST": lambda query: _rest(client, query),
        f"/mcp {LATEST_MODERN_VERSION}": lambda query: _stateless(client, query),
        f"/mcp {LATEST_HANDSHAKE_VERSION}": lambda query: _handshake(client, query),
    }
    times: dict[str, list[float]] = {door: [] for door in doors}
    with quiet_log():
        for number, asked in enumerate(filling.sentences(calls + WARM_UP, seed=7)):
            _rest(client, asked.question)  # the first to ask pays for the vector of a question
            for door, ask in doors.items():
                began = time.process_time()
                response = ask(asked.question)
                took = (time.process_time() - began) * 1000
                if response.status_code != 200 or b'"ok":true' not in response.content:
                    raise CommandError(f"{door} answered {response.status_code}")
                if number >= WARM_UP:
                    times[door].append(took)
    return {door: percentile(taken, 0.5) for door, taken in times.items()}


def _rest(client: Client, query: str) -> Any:
    body = {"call_id": "c", "name": "memory_search", "arguments": {"query": query}}
    return client.post("/api/v1/tools/call", body, "application/json")


def _stateless(client: Client, query: str) -> Any:
    meta = {PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION, CLIENT_CAPABILITIES_META_KEY: {}}
    headers = {"MCP-Protocol-Version": LATEST_MODERN_VERSION, "Mcp-Method": "tools/call", "Mcp-Name": "memory_search"}
    return _send(client, query, headers, _meta=meta)


def _handshake(client: Client, query: str) -> Any:
    return _send(client, query, {"MCP-Protocol-Version": LATEST_HANDSHAKE_VERSION})


def _send(client: Client, query: str, headers: dict[str, str], **more: Any) -> Any:
    params = {"name": "memory_search", "arguments": {"query": query}, **more}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return client.post("/mcp", body, "application/json", headers=headers)
