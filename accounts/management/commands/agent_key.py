"""`agent_key rotate|revoke TENANT/AGENT/NAME`: replace a key while both are valid, or end it at once."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import keys, tenancy
from accounts.errors import NotVisible
from accounts.models import Agent, Tenant
from accounts.principals import system


class Command(BaseCommand):
    help = "Rotate an agent's key (the old one stays valid for a while) or revoke it (refused from the next call on)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=["rotate", "revoke"])
        parser.add_argument("name", metavar="TENANT/AGENT/NAME")
        parser.add_argument("--overlap-hours", type=float, default=keys.OVERLAP.total_seconds() / 3600)

    def handle(self, *args: Any, **options: Any) -> None:
        parts = options["name"].split("/")
        tenant = Tenant.objects.filter(slug=parts[0]).first()
        if tenant is None or len(parts) != 3:
            raise CommandError("Name the key as TENANT/AGENT/NAME, as `provision` prints it.")
        with tenancy.entered(tenant.pk):
            agent = Agent.objects.filter(slug=parts[1]).first()
            if agent is None:
                raise CommandError("This tenant has no such agent.")
            try:
                self._carry_out(agent, parts[2], options)
            except NotVisible as error:
                raise CommandError(error.detail) from None

    def _carry_out(self, agent: Agent, name: str, options: dict[str, Any]) -> None:
        principal = system(agent.tenant_id)
        if options["what"] == "revoke":
            self.stdout.write(f"revoked {keys.revoke(principal, agent, name)}")
            return
        token = keys.rotate(principal, agent, name, timedelta(hours=options["overlap_hours"]))
        self.stdout.write(json.dumps({"keys": {options["name"]: str(token)}}, indent=2))
