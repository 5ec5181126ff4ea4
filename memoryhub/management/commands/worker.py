"""`worker`: the sweep again and again, for installations without a broker."""

from __future__ import annotations

import signal
import threading
from argparse import ArgumentParser
from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from memoryhub import sweeping

log = structlog.get_logger("memoryhub.worker")


class Command(BaseCommand):
    help = "Sweep until stopped. Prompt, but never needed for truth: rows carry what is due."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--interval", type=float, default=2.0, help="seconds between sweeps (2)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["interval"] <= 0:
            raise CommandError("The interval must be more than 0 seconds.")
        stop = threading.Event()
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, lambda *_: stop.set())
        log.info("worker_started")
        sweeping.work(stop, options["interval"])
        connections.close_all()
        log.info("worker_stopped")
