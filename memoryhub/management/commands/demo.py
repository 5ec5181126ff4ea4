"""`demo`: an invented company to look at; `demo --play`: its story through the REST door, each step checked."""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memoryhub.demo import page, seeding, story
from memoryhub.demo.door import quiet_log
from memoryhub.management import scratch


class Command(BaseCommand):
    help = "Make an invented company once and print addresses, sign-ins, a key and calls. Existing data stays as it is."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--play", action="store_true", help="play the story in a database of its own, and check it")
        parser.add_argument("--here", action="store_true", help="with --play: in this database, in a tenant of its own")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["play"]:
            self._show()
        elif options["here"]:
            self._play()
        else:
            self._play_elsewhere()

    def _show(self) -> None:
        with quiet_log():
            sign_ins = seeding.prepare(Path(settings.VAR_DIR) / "demo.json")
        page.show(sign_ins, timezone.now(), self.stdout._out)

    def _play(self) -> None:
        with quiet_log():
            failed = story.play(self.stdout._out)
        if failed:
            raise CommandError(f"{failed} steps did not answer as they should.")

    @staticmethod
    def _play_elsewhere() -> None:
        try:
            with scratch.installation() as environment:
                scratch.manage(environment, "demo", "--play", "--here")
        except subprocess.CalledProcessError as error:
            sys.exit(error.returncode)
