"""`verify_audit`: does the chain of audit events hold in every tenant?"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Max
from rich.console import Console
from rich.table import Table

from accounts import audit, secrets, tenancy
from accounts.models import AuditEvent, AuditSeal, Tenant
from memories.models import Erasure


class Command(BaseCommand):
    help = (
        "Check the chain of sealed audit events; exits 1 and names the first sequence that does not hold. A head noted "
        "earlier (SEQUENCE:DIGEST, as printed) also shows that nothing was cut off or sealed anew since."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="only the tenant of this slug")
        parser.add_argument("--head", metavar="SEQUENCE:DIGEST", help="a head that must still stand; needs --tenant")

    def handle(self, *args: Any, **options: Any) -> None:
        slug, head = options["tenant"], options["head"]
        if head and not slug:
            raise CommandError("--head belongs to one tenant: name it with --tenant.")
        tenants = Tenant.objects.order_by("slug").filter(**({"slug": slug} if slug else {}))
        if slug and not tenants:
            raise CommandError("There is no such tenant.")
        table = Table("tenant", "sealed", "not sealed yet", "chain", "head")
        broken = 0
        for tenant in tenants:
            with tenancy.entered(tenant.pk), tenancy.atomic():
                held, bad = audit.verify(tenant.pk)
                bad = bad or _cut(held) or (_not_the_head(head) if head else None)
                unsealed = AuditEvent.objects.filter(seal=None).count()
                last = AuditSeal.objects.order_by("sequence").last()
            broken += bad is not None
            verdict = "holds" if bad is None else f"[bold red]broken at {bad}[/]"
            table.add_row(
                tenant.slug, str(held), str(unsealed), verdict, f"{last.sequence}:{last.digest}" if last else "-"
            )
        Console(file=self.stdout, width=160).print(table)
        if broken:
            raise CommandError(f"The audit chain of {broken} of {len(tenants)} tenants does not hold.")


def _cut(held: int) -> int | None:
    """The first sequence that is gone although a receipt of a forgetting names one at or after it."""
    named = Erasure.objects.aggregate(sequence=Max("audit_sequence"))["sequence"] or 0
    return held + 1 if named > held else None


def _not_the_head(head: str) -> int | None:
    sequence, _, digest = head.partition(":")
    if not sequence.isdigit():
        raise CommandError("A head is written SEQUENCE:DIGEST.")
    found = AuditSeal.objects.filter(sequence=int(sequence)).values_list("digest", flat=True).first()
    return None if found is not None and secrets.same(found, digest) else int(sequence)
