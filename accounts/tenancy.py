"""The first tenant wall: no query and no write without an active tenant, and none that leaves it."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from django.db import models, transaction

_active: ContextVar[uuid.UUID | None] = ContextVar("memoryhub_tenant", default=None)


class NoActiveTenant(RuntimeError):
    """A tenant's rows were touched while no tenant was active: a bug, never an answer to a caller."""


class WrongTenant(RuntimeError):
    """A row of another tenant was about to be written: a bug, never an answer to a caller."""


def current_id() -> uuid.UUID:
    """The active tenant's id; raises NoActiveTenant when there is none."""
    tenant_id = _active.get()
    if tenant_id is None:
        raise NoActiveTenant("no tenant is active")
    return tenant_id


def active_id() -> uuid.UUID | None:
    return _active.get()


@contextlib.contextmanager
def entered(tenant_id: uuid.UUID | None) -> Iterator[None]:
    """Make one tenant active for the block, or none; tasks and commands enter one at a time."""
    token = _active.set(tenant_id)
    try:
        yield
    finally:
        _active.reset(token)


def enter(tenant_id: uuid.UUID) -> None:
    """Make a tenant active for the rest of this request; the middleware opened the frame that closes it."""
    _active.set(tenant_id)


@contextlib.contextmanager
def atomic() -> Iterator[None]:
    """One transaction inside the active tenant. Never call a model or another service inside it."""
    current_id()
    with transaction.atomic():
        yield


class TenantField(models.ForeignKey):
    """The tenant of a row: filled from the active tenant, and refused when it is another one."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("to", "accounts.Tenant")
        options.setdefault("on_delete", models.PROTECT)
        options.setdefault("related_name", "+")
        options.setdefault("editable", False)
        # Every path to a row leads through a narrower column; an index of a tenant's every row only tempts planners.
        options.setdefault("db_index", False)
        super().__init__(**options)

    def pre_save(self, instance: models.Model, add: bool) -> Any:
        active = current_id()
        value = getattr(instance, self.attname)
        if value is None:
            setattr(instance, self.attname, active)
            return active
        if value != active:
            raise WrongTenant(instance._meta.label)
        return value


class TenantManager(models.Manager):
    """Reads of one tenant only; raises as soon as a query is built while no tenant is active.

    The condition is built once for a tenant and copied while the same one asks: that takes a fifth of the time.
    """

    def get_queryset(self) -> models.QuerySet:
        tenant_id = current_id()
        asked = (tenant_id, self.model, self._db, tuple(self._hints.items()))  # type: ignore[attr-defined]
        kept = self.__dict__.get("_scoped")
        if kept is None or kept[0] != asked:
            kept = self.__dict__["_scoped"] = (asked, super().get_queryset().filter(tenant_id=tenant_id))
        scoped: models.QuerySet = kept[1].all()
        scoped._hints = dict(self._hints)  # type: ignore[attr-defined] # Django adds to it in place
        return scoped


class TenantModel(models.Model):
    """A row of one tenant. `objects` is scoped; `everywhere` is for the doors that find out which tenant is meant."""

    tenant = TenantField()

    objects = TenantManager()
    everywhere = models.Manager()  # noqa: DJ012 - the first manager is the default one

    class Meta:
        abstract = True
        # Also for saving some fields, following a foreign key and reading a row again.
        base_manager_name = "objects"
