"""`bench`: how fast the product is at size, and whether two processes ever see what is no longer so."""

from __future__ import annotations

import subprocess
from argparse import ArgumentParser
from concurrent.futures.process import BrokenProcessPool
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
    size,
    two_processes,
)
from memoryhub.management.sized import NotSeen
from memoryhub.management.timing import CallFailed

PARTS = ("http", "size", "processes", "audit", "pages", "visits", "reviews", "duplicates", "encryption", "canaries")


class Command(BaseCommand):
    help = (
        "Measure in installations of its own, which are gone afterwards: calls over HTTP, recall from tables of many "
        "memories, two processes at work on the same ones, sealing and verifying the audit, pages of a long list, "
        "first visits in Chromium (bytes over the network, largest paint), the reviewers' pages, the finder of "
        "near-duplicates, what encryption costs, and what is left of texts that were refused or forgotten. On SQLite, "
        "or beside the database of DATABASE_URL."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join(PARTS)}; without: all")
        parser.add_argument("--quick", action="store_true", help="a small version of what runs over HTTP")
        parser.add_argument("--rows", type=int, action="append", help="size: memories in a table; may be repeated")
        parser.add_argument("--interleavings", type=int, default=500, help="processes: how many changes (500)")

        parser.add_argument("--canaries", type=int, default=2_000, help="canaries: how many (2,000)")
        parser.add_argument("--broker", default="", metavar="URL", help="canaries: with Celery over this empty Redis")

    def handle(self, *args: Any, **options: Any) -> None:
        if unknown := set(options["parts"]) - set(PARTS):
            raise CommandError(f"There is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}.")
        rows = options["rows"] or list(size.SIZES)
        if min(rows) < size.LEAST:
            raise CommandError(f"--rows needs at least {size.LEAST:,}: the namespaces that are asked alone take that.")
        console = Console(file=self.stdout._out, highlight=False)
        url = settings.env.url("DATABASE_URL", "")
        try:
            for part in options["parts"] or PARTS:
                match part:
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
        except (CallFailed, NotSeen, OSError, subprocess.SubprocessError, BrokenProcessPool) as error:
            raise CommandError(f"The measurement broke off: {error}") from None
