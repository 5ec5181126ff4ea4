"""`replay_erasures`: after a backup was restored, forget again what was forgotten since."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memories import restoring
from memories.ledger import LedgerBroken
from memoryhub import sweeping


class Command(BaseCommand):
    help = (
        "Bring the database up to date with the erasure ledger, as after the restore of a backup. `make run` does it "
        "by itself before it serves; until it is done /readyz answers 503."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            again = restoring.replay()
        except LedgerBroken as error:
            raise CommandError(f"{error}. Nothing is served before its lines are in order again.") from None
        if again:
            sweeping.sweep(timezone.now(), steps=("memories.tasks.purge_forgotten",))
        if again or options["verbosity"]:
            self.stdout.write(f"{again} forgettings carried out again")
