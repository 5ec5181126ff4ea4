"""`forget`: a person or a whole tenant, for the operator who was asked to; shown first, then confirmed by its name."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import tenancy
from accounts.errors import InvalidInput, NotVisible
from accounts.models import Tenant
from accounts.principals import system
from memories import actions
from memories.actions import ForgetFilter


class Command(BaseCommand):
    help = (
        "Forget a person (--person) or all of a tenant. Without --typed it only tells how much that is; --typed takes "
        "the person's external id or the tenant's slug and carries it out. It cannot be undone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True, help="the slug of the tenant")
        parser.add_argument("--person", help="the external id of the person; without it the whole tenant is meant")
        parser.add_argument("--typed", help="the same name once more, to confirm")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = Tenant.objects.filter(slug=options["tenant"]).first()
        if tenant is None:
            raise CommandError("There is no such tenant.")
        person = options["person"]
        wish = ForgetFilter(person=person) if person else ForgetFilter(tenant=tenant.slug)
        with tenancy.entered(tenant.pk):
            try:
                plan = actions.plan_forget(system(tenant.pk), wish)
                if options["typed"] is None:
                    self.stdout.write(
                        f"{plan.count} versions, {plan.candidates} waiting proposals: nothing forgotten yet"
                    )
                    return
                erasure = actions.confirm_forget(system(tenant.pk), plan.confirm_token, options["typed"])
            except NotVisible:
                raise CommandError("There is no such person in this tenant.") from None
            except InvalidInput as error:
                raise CommandError(f"--typed: {error.detail}") from None
        self.stdout.write(f"forgotten: {len(erasure.memory_ids)} versions; receipt {erasure.pk}")
