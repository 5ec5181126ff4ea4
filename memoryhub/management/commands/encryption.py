"""`encryption`: where the keys are, which tenants encrypt, and bringing rows and keys to that. Prints counts."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import Unavailable
from accounts.models import Tenant
from accounts.principals import system
from memories import purging
from memories.encryption import keys, recrypting
from memories.encryption.keystore import Folder, StoreError


class Command(BaseCommand):
    help = (
        "set-up makes the key store; status counts; encrypt and decrypt change what tenants want and every row that "
        "is there; rotate-wrapping wraps every data key by a new wrapping key; rotate-keys gives every owner a new "
        "data key; drop-keys destroys data keys that nothing needs any more. Each may be stopped at any moment and "
        "run again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=sorted(self._acts()))
        parser.add_argument("--tenant", help="slug of one tenant (all of them)")

    def _acts(self) -> dict[str, Any]:
        return {
            "set-up": self._set_up,
            "status": self._status,
            "encrypt": self._encrypt,
            "decrypt": self._decrypt,
            "rotate-wrapping": self._rotate_wrapping,
            "rotate-keys": self._rotate_keys,
            "drop-keys": self._drop_keys,
        }

    def handle(self, *args: Any, **options: Any) -> None:
        if not keys.configured():
            raise CommandError("MEMORYHUB_KEY_STORE names no folder for the keys.")
        tenants = Tenant.objects.order_by("pk")
        if options["tenant"]:
            tenants = tenants.filter(slug=options["tenant"])
            if not tenants:
                raise CommandError("There is no such tenant.")
        try:
            self._acts()[options["what"]](tenants)
        except (StoreError, Unavailable) as error:
            detail = str(error) if isinstance(error, StoreError) else f"{error.detail} ({error.code})"
            raise CommandError(f"The keys cannot be used: {detail}") from None

    def _set_up(self, _tenants: Any) -> None:
        keys.store().set_up()
        keys.store().check()
        self.stdout.write("The key store is ready.")

    def _status(self, tenants: Any) -> None:
        store = keys.store()
        store.check()
        wrapped: dict[str, int] = {}
        for _path, name in store.wrapped():
            wrapped[name] = wrapped.get(name, 0) + 1
        for name in store.ring().keys:
            self.stdout.write(f"wrapping key {name}: {wrapped.pop(name, 0)} data keys")
        for name, count in wrapped.items():
            self.stdout.write(f"wrapping key {name}, which is not in the ring: {count} data keys")
        for tenant in tenants:
            with tenancy.entered(tenant.pk):
                counted = [recrypting.count_due(rows) for rows in recrypting.rows_with_text()]
            total, due = (sum(column) for column in zip(*counted, strict=True))
            wish = "encrypts" if tenant.encrypts else "does not encrypt"
            self.stdout.write(f"{tenant.slug} {wish}: {total} rows, {due} of them yet to be changed")

    def _encrypt(self, tenants: Any) -> None:
        self._want(tenants, encrypts=True)

    def _decrypt(self, tenants: Any) -> None:
        self._want(tenants, encrypts=False)

    def _want(self, tenants: Any, *, encrypts: bool) -> None:
        keys.store().check()
        changed = [tenant for tenant in tenants if tenant.encrypts != encrypts]
        for tenant in changed:
            with tenancy.entered(tenant.pk), tenancy.atomic():
                Tenant.objects.filter(pk=tenant.pk).update(encrypts=encrypts)
                audit.record(
                    system(tenant.pk),
                    "tenant.encrypt" if encrypts else "tenant.decrypt",
                    target="tenant",
                    target_id=tenant.pk,
                )
        keys.forget()
        if changed:
            time.sleep(keys.SETTING_SECONDS)  # until no process goes on as before
        for tenant in tenants:
            self._go_over(tenant)
        self._close()

    def _rotate_wrapping(self, _tenants: Any) -> None:
        store = keys.store()
        waiting = self._wrapped_by_others(store)
        if not waiting and not settings.MEMORYHUB_KEY_RING:
            self.stdout.write(f"new wrapping key {store.add_wrapping_key()}")
            waiting = self._wrapped_by_others(store)
        for number, path in enumerate(waiting, 1):
            store.wrap_again(path)
            if number % 100 == 0 or number == len(waiting):
                self.stdout.write(f"{number} of {len(waiting)} data keys wrapped again")
        first, *others = store.ring().keys
        for name in others:
            store.drop_wrapping_key(name)
        self.stdout.write(f"Every data key is wrapped by {first}.")

    def _wrapped_by_others(self, store: Folder) -> list[Any]:
        return [path for path, name in store.wrapped() if name != store.ring().first]

    def _rotate_keys(self, tenants: Any) -> None:
        for tenant in tenants:
            if self._go_over(tenant):
                self.stdout.write(f"{tenant.slug}: that finishes what was begun before")
                continue
            for owner in keys.owners(tenant.pk):
                keys.renew(tenant.pk, owner)
            self._go_over(tenant)
        self._close()

    def _drop_keys(self, tenants: Any) -> None:
        """Older backups need the keys of their time; once those backups are gone, nothing does."""
        before = timezone.now() - timedelta(days=settings.MEMORYHUB_BACKUP_DAYS)
        gone = 0
        for tenant in tenants:
            self._go_over(tenant)
            for owner in keys.owners(tenant.pk):
                gone += keys.destroy(tenant.pk, owner, keys.store().replaced_before(tenant.pk, owner, before))
        self.stdout.write(f"{gone} data keys destroyed that were replaced before {before:%Y-%m-%d}")

    def _go_over(self, tenant: Tenant) -> int:
        """Bring every row of a tenant up to date; returns how many changed."""
        total = 0
        with tenancy.entered(tenant.pk):
            for rows in recrypting.rows_with_text():
                seen = changed = 0
                for step in recrypting.go_over(rows):
                    seen, changed = seen + step.seen, changed + step.changed
                    if seen % (25 * recrypting.BATCH) == 0:
                        self.stdout.write(f"{tenant.slug}: {step.table}: {seen} seen, {changed} changed, going on")
                self.stdout.write(f"{tenant.slug}: {str(rows.model._meta.model_name)}: {seen} seen, {changed} changed")
                total += changed
        return total

    def _close(self) -> None:
        if purging.truncate_log():
            self.stdout.write("Done. On PostgreSQL purge_bytes takes the former bytes out of its files.")
        else:
            self.stdout.write("Done, but SQLite's log is in use: the next sweep that forgets something empties it.")
