"""Which key encrypts and opens what: that of whoever a row belongs to, from the store that the settings name."""

from __future__ import annotations

import time
import uuid
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import structlog
from django.apps import apps
from django.conf import settings

from accounts.errors import Unavailable
from accounts.models import Tenant
from memories.encryption import envelope
from memories.encryption.keystore import Folder, KeyGone, StoreError, parse_ring

log = structlog.get_logger("memories.encryption")

T = TypeVar("T")
# How long this process remembers a key that it has read, and whether a tenant encrypts.
KEY_SECONDS, SETTING_SECONDS = 30.0, 5.0
MOST = 10_000


class KeyUnavailable(Unavailable):
    """The key that this needs cannot be had: the store is away or set up wrongly, or the key was destroyed."""

    code = "key_unavailable"
    title = "The key to what is stored here is not available; nothing was changed"


class KeyDestroyed(KeyUnavailable):
    """The key was destroyed with what it encrypted: this row is left over from before, as in a restored backup."""

    code = "key_destroyed"


class ContentDamaged(Unavailable):
    """What is stored does not open with its key at its place: it was changed outside of this program."""

    code = "content_damaged"
    title = "What is stored here was changed from outside and cannot be read"


class _Kept(dict[object, tuple[float, T]]):
    """What was read a moment ago."""

    def fresh(self, name: object) -> T | None:
        until, value = self.get(name, (0.0, None))
        return value if time.monotonic() < until else None

    def keep(self, name: object, value: T, seconds: float) -> T:
        if len(self) >= MOST:
            self.clear()
        self[name] = (time.monotonic() + seconds, value)
        return value


_keys: _Kept[envelope.Key] = _Kept()
_settings: _Kept[bool] = _Kept()
_owners: _Kept[uuid.UUID] = _Kept()


def configured() -> bool:
    """Whether the settings name a key store."""
    return bool(settings.MEMORYHUB_KEY_STORE)


def store() -> Folder:
    """The key store. Raises KeyUnavailable when the settings name none."""
    if not configured():
        log.error("keys_unavailable", code="no_key_store")
        raise KeyUnavailable
    return _store(settings.MEMORYHUB_KEY_STORE, settings.MEMORYHUB_KEY_RING)


@lru_cache(maxsize=8)
def _store(root: str, ring: str) -> Folder:
    return Folder(Path(root), parse_ring(ring) if ring else None)


def encrypts(tenant_id: uuid.UUID) -> bool:
    """Whether new texts of a tenant are encrypted. Raises KeyUnavailable when they should be and cannot."""
    wanted = _settings.fresh(tenant_id)
    if wanted is None:
        found = Tenant.objects.filter(pk=tenant_id).values_list("encrypts", flat=True).first()
        wanted = _settings.keep(tenant_id, bool(found), SETTING_SECONDS)
    if wanted and not configured():
        store()
    return wanted


def writing(tenant_id: uuid.UUID, owner_id: uuid.UUID) -> envelope.Key:
    """The newest key of an owner; made when there is none. Never from memory: a forgetting may just have renewed it."""
    try:
        generation = store().newest(tenant_id, owner_id) or store().renew(tenant_id, owner_id)
    except StoreError as error:
        raise _unavailable(error) from None
    return reading(tenant_id, owner_id, generation)


def reading(tenant_id: uuid.UUID, owner_id: uuid.UUID, generation: int) -> envelope.Key:
    """One generation of an owner's key. Raises KeyUnavailable."""
    name = (settings.MEMORYHUB_KEY_STORE, tenant_id, owner_id, generation)
    if (kept := _keys.fresh(name)) is not None:
        return kept
    try:
        secret = store().read(tenant_id, owner_id, generation)
    except StoreError as error:
        raise _unavailable(error) from None
    return _keys.keep(name, envelope.key(generation, secret), KEY_SECONDS)


def renew(tenant_id: uuid.UUID, owner_id: uuid.UUID) -> int:
    """Let an owner's new texts be encrypted with a new key; returns the newest generation of before, 0 for none."""
    try:
        newest = store().newest(tenant_id, owner_id)
        if newest:
            store().renew(tenant_id, owner_id)
    except StoreError as error:
        raise _unavailable(error) from None
    return newest


def destroy(tenant_id: uuid.UUID, owner_id: uuid.UUID, until: int) -> int:
    """Destroy an owner's keys up to a generation; returns how many there were."""
    forget()
    try:
        return store().destroy(tenant_id, owner_id, until)
    except StoreError as error:
        raise _unavailable(error) from None


def owners(tenant_id: uuid.UUID) -> list[uuid.UUID]:
    """Whoever has keys in a tenant."""
    try:
        return store().owners(tenant_id)
    except StoreError as error:
        raise _unavailable(error) from None


def owner_of(namespace_id: uuid.UUID) -> uuid.UUID:
    """The person, agent or group whose namespace it is, which never changes."""
    if (kept := _owners.fresh(namespace_id)) is not None:
        return kept
    rows = apps.get_model("memories", "Namespace").everywhere.filter(pk=namespace_id)
    owners = rows.values_list("membership_id", "agent_id", "group_id").get()
    return _owners.keep(namespace_id, next(one for one in owners if one), 3600.0)


def forget() -> None:
    """Let go of every key and setting that this process remembers."""
    _keys.clear()
    _settings.clear()


def _unavailable(error: StoreError) -> KeyUnavailable:
    found = KeyDestroyed() if isinstance(error, KeyGone) else KeyUnavailable()
    log.error("keys_unavailable", code=found.code)
    return found
