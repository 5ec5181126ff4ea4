"""`bench_forget`: how long it takes to forget a person with many memories, and what everybody else still has then."""

from __future__ import annotations

import os
import time
from argparse import SUPPRESS, ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from accounts import secrets, tenancy
from accounts.models import Membership, Tenant
from accounts.principals import system
from memories import actions, purging
from memories.models import Erasure, Evidence, Memory, Operation, Recall
from memoryhub.management import filling, scratch


class Command(BaseCommand):
    help = (
        "Measure the forgetting of a person with many memories, each with evidence of its own, in an installation made "
        "for it: a SQLite file, or the empty database of --database."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--memories", type=int, default=10_000)
        parser.add_argument("--database", metavar="URL", default="", help="an empty database to measure in")
        parser.add_argument("--here", action="store_true", help=SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["here"]:
            self._measure(options["memories"])
            return
        place = {"DATABASE_URL": options["database"]} if options["database"] else {}
        with scratch.installation(MEMORYHUB_EMBEDDER="none", **place) as environment:
            scratch.manage(environment, "bench_forget", "--here", "--memories", str(options["memories"]))

    def _measure(self, count: int) -> None:
        filling.fill(count, count // 10)
        tenant = Tenant.objects.get(slug="measured")
        with tenancy.entered(tenant.pk):
            person = Membership.objects.get(external_id=filling.SUBJECT)
            _live(person, count)
            others = Memory.objects.exclude(namespace__membership=person)
            before = list(others.order_by("pk").values())
            principal, started = system(tenant.pk), time.perf_counter()
            plan = actions.plan_forget(principal, actions.ForgetFilter(person=person.external_id))
            planned = time.perf_counter()
            erasure = actions.confirm_forget(principal, plan.confirm_token, plan.typed)
            hidden = time.perf_counter()
            purging.purge_due(principal, timezone.now())
            purged = time.perf_counter()
            erasure = Erasure.objects.get(pk=erasure.pk)
            same = list(others.order_by("pk").values()) == before
        table = Table("what", "value", title=f"forgetting a person with {count} memories on {_database()}")
        table.add_row("shown (dry run)", f"{planned - started:.2f} s")
        table.add_row("hidden", f"{hidden - planned:.2f} s")
        table.add_row("purged", f"{purged - hidden:.2f} s")
        table.add_row("receipt", f"{erasure.state}, checked {erasure.checked} of {erasure.size}")
        table.add_row("counts", ", ".join(f"{store} {number}" for store, number in erasure.counts.items()))
        table.add_row("everybody else's rows", "unchanged" if same else "CHANGED")
        Console(file=self.stdout, width=120).print(table)


def _live(person: Membership, count: int) -> None:
    """Evidence, an operation and a recall for each memory."""
    now = timezone.now()
    memories = list(Memory.objects.filter(namespace__membership=person))
    for memory in memories:
        memory.evidence = Evidence(
            type="user_message",
            subject=person,
            occurred_at=now,
            source_digest=secrets.digest("source", str(memory.pk)),
            ref="m",
            thread="measured",
            text=memory.statement,
        )
    with tenancy.atomic():
        Evidence.objects.bulk_create([memory.evidence for memory in memories], batch_size=filling.CHUNK)
        Memory.objects.bulk_update(memories, ["evidence"], batch_size=200)
        fields = {"subject_id": person.pk, "verb": "propose", "decision": "store", "reason": "", "policy_version": 1}
        Operation.objects.bulk_create(
            [Operation(memory=memory, slot_id=memory.slot_id, **fields) for memory in memories],
            batch_size=filling.CHUNK,
        )
        Recall.objects.bulk_create(
            [Recall(subject_id=person.pk, status="ok") for _ in range(count)], batch_size=filling.CHUNK
        )


def _database() -> str:
    return f"{connection.display_name}, {os.cpu_count()} processors"
