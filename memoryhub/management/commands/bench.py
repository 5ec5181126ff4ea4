"""`bench`: how fast the product is at size, and whether two processes ever see what is no longer so."""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from memoryhub import settings
from memoryhub.management.benches import (
    audit_speed,
    canaries,
    encryption,
    first_visit,
    near_duplicates,
    over_http,
    pages,
    review_queue,
    side_by_side,
    size,
    two_processes,
)
from memoryhub.management.harness import Harness, HarnessFailed, Task
from memoryhub.management.sized import NotSeen
from memoryhub.management.timing import CallFailed

PARTS = ("http", "size", "processes", "audit", "pages", "visits", "reviews", "duplicates", "encryption", "canaries")
PEERS = "peers"


class Command(BaseCommand):
    help = (
        "Measure in installations of its own, which are gone afterwards: calls over HTTP, recall from tables of many "
        "memories, two processes at work on the same ones, sealing and verifying the audit, pages of a long list, "
        "first visits in Chromium (bytes over the network, largest paint), the reviewers' pages, the finder of "
        "near-duplicates, what encryption costs, and what is left of texts that were refused or forgotten. On SQLite, "
        "or beside the database of DATABASE_URL."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "parts", nargs="*", metavar="PART", help=f"any of {', '.join(PARTS)} (without: all of these), {PEERS}"
        )
        parser.add_argument("--quick", action="store_true", help="a small version of what runs over HTTP")
        parser.add_argument("--rows", type=int, action="append", help="size: memories in a table; may be repeated")
        parser.add_argument("--interleavings", type=int, default=500, help="processes: how many changes (500)")

        parser.add_argument(
            "--harness", type=Path, metavar="DIR", help="peers: the folder of the harness that runs them"
        )
        parser.add_argument("--harness-python", default=sys.executable, metavar="FILE", help="peers: its interpreter")
        parser.add_argument("--data", action="append", help="peers: a data set there (locomo); may be repeated")
        parser.add_argument("--copies", type=int, default=1, help="peers: how often each namespace is there (1)")
        parser.add_argument("--questions", type=int, default=0, help="peers: how many are asked (all)")
        parser.add_argument("--peers", default=",".join(side_by_side.PEERS), help="peers: which systems (%(default)s)")
        parser.add_argument("--canaries", type=int, default=2_000, help="canaries: how many (2,000)")
        parser.add_argument("--broker", default="", metavar="URL", help="canaries: with Celery over this empty Redis")

    def handle(self, *args: Any, **options: Any) -> None:
        if unknown := set(options["parts"]) - {*PARTS, PEERS}:
            raise CommandError(f"There is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}, {PEERS}.")
        if PEERS in options["parts"] and options["harness"] is None:
            raise CommandError("peers needs --harness DIR: the peers are no part of this repository.")
        rows = options["rows"] or list(size.SIZES)
        if min(rows) < size.LEAST:
            raise CommandError(f"--rows needs at least {size.LEAST:,}: the namespaces that are asked alone take that.")
        console = Console(file=self.stdout._out, highlight=False)
        url = settings.env.url("DATABASE_URL", "")
        try:
            for part in options["parts"] or PARTS:
                match part:
                    case "peers":
                        harness = Harness(options["harness"].resolve(), options["harness_python"])
                        tasks = [
                            Task(data, options["copies"], options["questions"])
                            for data in options["data"] or ["locomo"]
                        ]
                        side_by_side.run(console, url, harness, tasks, list(filter(None, options["peers"].split(","))))
                    case "http":
                        over_http.run(console, url, quick=options["quick"])
                    case "size":
                        size.run(console, url, rows)
                    case "processes":
                        two_processes.run(console, url, options["interleavings"])
                    case "audit":
                        audit_speed.run(console, url)
                    case "encryption":
                        encryption.run(console, url)
                    case "pages":
                        pages.run(console, url)
                    case "visits":
                        first_visit.run(console, url)
                    case "reviews":
                        review_queue.run(console, url)
                    case "duplicates":
                        if not near_duplicates.run(console):
                            raise CommandError("The finder of near-duplicates is not as good as it should be.")
                    case "canaries":
                        if hits := canaries.run(console, url, options["broker"], options["canaries"]):
                            raise CommandError(f"Canaries stand in {hits} places.")
        except (CallFailed, HarnessFailed, NotSeen, OSError, subprocess.SubprocessError, BrokenProcessPool) as error:
            raise CommandError(f"The measurement broke off: {error}") from None
