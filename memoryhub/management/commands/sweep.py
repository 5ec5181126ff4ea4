"""`sweep`: do what is due, once, in every tenant or in one."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from memoryhub import sweeping


class Command(BaseCommand):
    help = "Do what is due: lapse, purge, expire, clean up and seal. Safe to run at any time; cron will do."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="only the tenant of this slug")

    def handle(self, *args: Any, **options: Any) -> None:
        results = sweeping.sweep(timezone.now(), slug=options["tenant"])
        if options["tenant"] and not results:
            raise CommandError("There is no such tenant.")
        more = sweeping.catch_up(results)
        sweeping.gather_statistics()
        table = Table("tenant", "done", "failed")
        for one in results:
            done = ", ".join(f"{what.replace('_', ' ')}: {count}" for what, count in one.counts.items())
            table.add_row(one.tenant, done or "nothing was due", ", ".join(one.failed) or "-")
        Console(file=self.stdout).print(table)
        if more:
            self.stdout.write(f"{more} more vectors made")
        if failed := sum(len(one.failed) for one in results):
            raise CommandError(f"{failed} steps failed; the log says where. Everything else was done.")
