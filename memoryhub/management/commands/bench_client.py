"""`bench_client`: what the SDK adds to a recall, in CPU time beside a bare call of httpx with the same answer."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Callable
from typing import Any

import httpx
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.management.base import BaseCommand, CommandError

from memoryhub.client import Client
from memoryhub.demo.door import quiet_log
from memoryhub.management import filling, scratch
from memoryhub.management.timing import percentile

BAR_MS = 1.0
MEMORIES = 300
WARM_UP = 50


class Command(BaseCommand):
    help = "Measure what the SDK adds to a recall beside bare httpx, in an installation of its own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--calls", type=int, default=1000, help="calls of each kind (1000)")
        parser.add_argument("--inside", action="store_true", help=SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["inside"]:
            self.stdout.write(json.dumps(measure(options["calls"])))
            return
        command = [sys.executable, "manage.py", "bench_client", "--inside", "--calls", str(options["calls"])]
        with scratch.installation() as environment:
            done = subprocess.run(command, cwd=scratch.ROOT, env=environment, check=False, stdout=subprocess.PIPE)  # noqa: S603
        if done.returncode:
            raise CommandError("The measurement broke off.")
        measured = json.loads(done.stdout)
        for what, median in measured["medians"].items():
            self.stdout.write(f"{what}: {median:.3f} ms of CPU time a recall (p50 of {options['calls']})")
        over = measured["medians"]["SDK"] - measured["medians"]["httpx"]
        verdict = "holds" if over <= BAR_MS else "missed"
        told = f"The SDK adds {over:.3f} ms to an answer of {measured['items']} memories"
        self.stdout.write(f"{told}; bar ≤ {BAR_MS:.0f} ms {verdict}")


def measure(calls: int) -> dict[str, Any]:
    """The p50 of this process's CPU milliseconds, in turns. The answer is a real one, given again by a server that
    costs nothing: what remains is the client's own."""
    known = filling.fill(MEMORIES, 0)
    body = {"query": filling.sentences(1, seed=7)[0].question}
    url = settings.MEMORYHUB_BASE_URL
    headers = {"Authorization": f"Bearer {known['key']}", "MemoryHub-Subject": known["subject"]}
    with quiet_log(), httpx.Client(transport=httpx.WSGITransport(WSGIHandler())) as inside:
        answer = inside.post(f"{url}/api/v1/recall", json=body, headers=headers).content

    def again(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=answer, headers={"Content-Type": "application/json"})

    bare = httpx.Client(base_url=url, headers=headers, transport=httpx.MockTransport(again))
    sdk = Client(known["key"], known["subject"], url=url, transport=httpx.MockTransport(again))
    ways: dict[str, Callable[[], Any]] = {
        "httpx": lambda: bare.post("/api/v1/recall", json=body).json(),
        "SDK": lambda: sdk.recall(**body),
    }
    times: dict[str, list[float]] = {way: [] for way in ways}
    for number in range(calls + WARM_UP):
        for way, ask in ways.items():
            began = time.process_time()
            ask()
            took = (time.process_time() - began) * 1000
            if number >= WARM_UP:
                times[way].append(took)
    return {
        "items": len(sdk.recall(**body).items),
        "medians": {way: percentile(taken, 0.5) for way, taken in times.items()},
    }
