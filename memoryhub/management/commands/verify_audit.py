"""`verify_audit`: does the chain of audit events hold in every tenant?"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.db.models import Max
from rich.console import Console
from rich.table import Table

from accounts import tenancy, verifying
from accounts.chain import Head, head, unsealed
from accounts.models import Tenant
from accounts.principals import system
from accounts.verifying import Fault, Verdict
from memories.models import Erasure

TELL_EVERY = 200_000


class Command(BaseCommand):
    help = (
        "Check the chain of sealed audit events; exits 1 and names the first event that does not hold, and what is "
        "wrong. A head noted earlier (SEQUENCE:DIGEST, as printed, or a file of them) also shows that nothing was cut "
        "off or sealed anew since: keep it where whoever can change this database cannot."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="only the tenant of this slug")
        parser.add_argument("--head", metavar="SEQUENCE:DIGEST", help="a head that must still stand; needs --tenant")
        parser.add_argument(
            "--heads", metavar="FILE", type=Path, help="heads of an earlier --save-heads to stand still"
        )
        parser.add_argument("--save-heads", metavar="FILE", type=Path, help="write the heads that hold to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["tenant"]
        tenants = Tenant.objects.order_by("slug").filter(**({"slug": slug} if slug else {}))
        if slug and not tenants:
            raise CommandError("There is no such tenant.")
        noted = _noted(options)
        if gone := sorted(set(noted) - {tenant.slug for tenant in tenants}) if not slug else []:
            raise CommandError(f"These tenants of the file are gone: {', '.join(gone)}.")
        table = Table("tenant", "hold", "not sealed yet", "chain", "head")
        faults, heads = [], {}
        for tenant in tenants:
            with tenancy.entered(tenant.pk):
                verdict, end, waiting = self._verify(tenant, noted.get(tenant.slug))
            if verdict.fault:
                faults.append(f"{tenant.slug}: {told(verdict.fault)}")
            elif end is not None:
                heads[tenant.slug] = str(end)
            removed = f", {verdict.first - 1} before it left by retention" if verdict.first > 1 else ""
            state = f"[bold red]broken at {verdict.fault.sequence}[/]" if verdict.fault else f"holds{removed}"
            table.add_row(tenant.slug, str(verdict.held), str(waiting), state, str(end or "-"))
        Console(file=self.stdout, width=160).print(table)
        if options["save_heads"]:
            options["save_heads"].write_text(json.dumps(heads, indent=2) + "\n")
        if faults:
            raise CommandError(
                "\n".join([*faults, f"The audit chain of {len(faults)} of {len(tenants)} tenants does not hold."])
            )

    def _verify(self, tenant: Tenant, noted: Head | None) -> tuple[Verdict, Head | None, int]:
        end, waiting = head(), unsealed().count()
        verdict = verifying.verify(tenant.pk, noted, self._progress(tenant.slug))
        if verdict.fault is None and _named_by_receipts() > verdict.last:
            verdict = Verdict(verdict.first, verdict.held, Fault(verdict.last + 1, "cut"))
        try:
            verifying.note(system(tenant.pk), verdict)
        except DatabaseError:  # a replica or a copy that takes no writes can be verified all the same
            self.stderr.write(f"{tenant.slug}: the verdict is not kept, since this database takes no writes")
        return verdict, end, waiting

    def _progress(self, slug: str) -> Callable[[int], None]:
        told = 0

        def tell(held: int) -> None:
            nonlocal told
            if held - told >= TELL_EVERY:
                told = held
                self.stderr.write(f"{slug}: {held:,} hold so far")

        return tell


def told(fault: Fault) -> str:
    """A fault in plain words, with its place and the event that stands there."""
    event = f", event {fault.event_id}" if fault.event_id else ""
    return f"sequence {fault.sequence}{event}: {verifying.FAULTS[fault.kind]}"


def _noted(options: Mapping[str, Any]) -> dict[str, Head]:
    """The heads that must still stand, by tenant."""
    try:
        if options["head"]:
            if not options["tenant"]:
                raise CommandError("--head belongs to one tenant: name it with --tenant.")
            return {options["tenant"]: Head.parse(options["head"])}
        if options["heads"]:
            return {slug: Head.parse(text) for slug, text in json.loads(options["heads"].read_text()).items()}
    except (ValueError, AttributeError) as error:
        raise CommandError("A head is written SEQUENCE:DIGEST, a file of them as --save-heads writes it.") from error
    except OSError as error:
        raise CommandError(f"The file of heads cannot be read: {error.strerror}.") from error
    return {}


def _named_by_receipts() -> int:
    """The highest place that a receipt of a forgetting names."""
    return Erasure.objects.aggregate(sequence=Max("audit_sequence"))["sequence"] or 0
