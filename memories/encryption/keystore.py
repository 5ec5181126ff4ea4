"""Where keys live: outside the database and its backups, so that destroying one is an erasure that reaches those too.

A store keeps data keys, each wrapped by a key of the ring. `Folder` keeps them in files for its own user alone:
`ring/<name>` holds wrapping keys unless the settings bring them, `<tenant>/<owner>/<generation>` a wrapped data key.
A destroyed key leaves its file empty, so that its number is never given again. Several machines share one folder.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import itertools
import json
import os
import secrets
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from memories.encryption.envelope import KEY_BYTES, NotOpened, key, new_secret, seal, unseal

RING = "ring"


class StoreError(Exception):
    """Keys cannot be had; the message names what is wrong and no key."""


class KeyGone(StoreError):
    """The key was destroyed: nobody can open what it sealed."""


@dataclass(frozen=True, slots=True)
class Ring:
    """The wrapping keys by name; new data keys are wrapped by the first one."""

    keys: Mapping[str, bytes]

    @property
    def first(self) -> str:
        return next(iter(self.keys))

    def __repr__(self) -> str:
        return f"Ring({list(self.keys)})"


class KeyStore(Protocol):
    """What holds data keys. An owner is the person, agent or group (or the tenant) whose texts they encrypt."""

    def newest(self, tenant_id: uuid.UUID, owner_id: uuid.UUID) -> int:
        """The newest generation that can be used, 0 when there is none."""
        ...

    def read(self, tenant_id: uuid.UUID, owner_id: uuid.UUID, generation: int) -> bytes:
        """The secret of a generation. Raises KeyGone, or StoreError when it cannot be had."""
        ...

    def renew(self, tenant_id: uuid.UUID, owner_id: uuid.UUID) -> int:
        """Begin a new generation; returns its number. Of several who begin one at once, all get one that is there."""
        ...

    def destroy(self, tenant_id: uuid.UUID, owner_id: uuid.UUID, until: int) -> int:
        """Destroy the generations up to a number for good; returns how many there were."""
        ...

    def owners(self, tenant_id: uuid.UUID) -> list[uuid.UUID]:
        """Whoever has keys in a tenant."""
        ...

    def check(self) -> None:
        """Raise StoreError when keys cannot be had."""
        ...


def parse_ring(text: str) -> Ring:
    """Wrapping keys as settings tell them: `name:base64` of 32 bytes, comma-separated. Raises ValueError."""
    keys = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, _, secret = part.partition(":")
        keys[name] = _decoded(secret)
        if not name or len(keys[name]) != KEY_BYTES:
            raise ValueError("needs name:key, comma-separated, each key 32 bytes in base64")
    return Ring(keys)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""


class Folder:
    """A key store in a folder that only its own user may open. Without a ring of its own it brings one."""

    def __init__(self, root: Path, ring: Ring | None = None) -> None:
        self._root, self._given = root, ring

    def __repr__(self) -> str:
        return f"Folder({str(self._root)!r})"

    def set_up(self) -> None:
        """Make the folder and, when the settings bring no wrapping key, the first one."""
        (self._root / RING).mkdir(mode=0o700, parents=True, exist_ok=True)
        self._root.chmod(0o700)
        if self._given is None and not list(_plain(self._root / RING)):
            self.add_wrapping_key()

    def add_wrapping_key(self) -> str:
        """Put another wrapping key at the head of the ring; returns its name."""
        if self._given is not None:
            raise StoreError("the wrapping keys come from the settings: put the new one first there")
        taken = [int(path.name) for path in _plain(self._root / RING)]
        name = str(max(taken, default=0) + 1)
        _write_new(self._root / RING / name, base64.b64encode(new_secret()))
        return name

    def drop_wrapping_key(self, name: str) -> None:
        """Destroy a wrapping key with which nothing is wrapped any more."""
        if self._given is None and name != self.ring().first:
            _wipe(self._root / RING / name)
            (self._root / RING / name).unlink()

    def ring(self) -> Ring:
        """Raises StoreError when there is no wrapping key."""
        if self._given is not None:
            return self._given
        with _told():
            files = sorted(_plain(self._root / RING), key=lambda path: int(path.name), reverse=True)
            ring = Ring({path.name: _decoded(path.read_text()) for path in files})
        if not ring.keys or any(len(one) != KEY_BYTES for one in ring.keys.values()):
            raise StoreError("there is no wrapping key in it; manage.py encryption set-up makes one")
        return ring

    def newest(self, tenant_id: uuid.UUID, owner_id: uuid.UUID) -> int:
        numbers = self._numbers(tenant_id, owner_id)
        last = max(numbers, default=0)
        if not last:
            self.check()
            return 0
        return last if self._size(tenant_id, owner_id, last) else 0

    def read(self, tenant_id: uuid.UUID, owner_id: uuid.UUID, generation: int) -> bytes:
        held = self._held(tenant_id, owner_id, generation)
        return self._unwrap(held, _place(tenant_id, owner_id, generation))

    def renew(self, tenant_id: uuid.UUID, owner_id: uuid.UUID) -> int:
        self.check()
        generation = max(self._numbers(tenant_id, owner_id), default=0) + 1
        place = _place(tenant_id, owner_id, generation)
        with _told():
            _write_new(self._path(tenant_id, owner_id, generation), self._wrap(new_secret(), place))
        return generation

    def destroy(self, tenant_id: uuid.UUID, owner_id: uuid.UUID, until: int) -> int:
        self._is_there()
        gone = 0
        with _told():
            for number in self._numbers(tenant_id, owner_id):
                if number <= until and self._size(tenant_id, owner_id, number):
                    _wipe(self._path(tenant_id, owner_id, number))
                    gone += 1
        return gone

    def owners(self, tenant_id: uuid.UUID) -> list[uuid.UUID]:
        self._is_there()
        folder = self._root / str(tenant_id)
        return sorted(uuid.UUID(path.name) for path in folder.iterdir()) if folder.is_dir() else []

    def check(self) -> None:
        """Raises StoreError when the folder is missing, open to others, or without a wrapping key."""
        self._is_there()
        with _told():
            mode = self._root.stat().st_mode
        if mode & 0o077:
            raise StoreError("others may open it: chmod 700")
        self.ring()

    def replaced_before(self, tenant_id: uuid.UUID, owner_id: uuid.UUID, moment: datetime) -> int:
        """The newest generation whose successor was made before a moment, 0 when there is none."""
        numbers = sorted(self._numbers(tenant_id, owner_id))
        with _told():
            made = {number: self._path(tenant_id, owner_id, number).stat().st_mtime for number in numbers}
        return max((old for old, new in itertools.pairwise(numbers) if made[new] < moment.timestamp()), default=0)

    def wrapped(self) -> Iterator[tuple[Path, str]]:
        """Every data key that is there: its file and the name of the key it is wrapped by."""
        for tenant in sorted(path for path in self._root.iterdir() if path.name != RING and path.is_dir()):
            for owner in sorted(tenant.iterdir()):
                for path in sorted(_plain(owner)):
                    if path.stat().st_size:
                        yield path, json.loads(path.read_text())["by"]

    def wrap_again(self, path: Path) -> None:
        """Wrap one data key by the first key of the ring. Whoever reads meanwhile finds the old or the new form."""
        tenant, owner, generation = path.parent.parent.name, path.parent.name, int(path.name)
        place = _place(uuid.UUID(tenant), uuid.UUID(owner), generation)
        held = self._held(uuid.UUID(tenant), uuid.UUID(owner), generation)
        draft, wrapped = _draft(path), self._wrap(self._unwrap(held, place), place)
        with _told():
            _write_new(draft, wrapped)
            os.replace(draft, path)
            _sync(path.parent)

    def _is_there(self) -> None:
        """A folder that is not mounted looks like one without keys."""
        if not (self._root / RING).is_dir():
            raise StoreError("it is not there; manage.py encryption set-up makes it")

    def _wrap(self, secret: bytes, place: bytes) -> bytes:
        ring = self.ring()
        sealed = seal(key(0, ring.keys[ring.first]), secret, place)
        return json.dumps({"by": ring.first, "key": base64.b64encode(sealed).decode()}).encode()

    def _unwrap(self, held: Mapping[str, str], place: bytes) -> bytes:
        wrapping = self.ring().keys.get(held["by"])
        if wrapping is None:
            raise StoreError("a wrapping key that is still needed is not in the ring")
        try:
            return unseal(key(0, wrapping), _decoded(held["key"]), place)
        except NotOpened:
            raise StoreError("a wrapping key is not the one that wrapped") from None

    def _held(self, tenant_id: uuid.UUID, owner_id: uuid.UUID, generation: int) -> Mapping[str, str]:
        with _told():
            text = self._path(tenant_id, owner_id, generation).read_text()
        if not text:
            raise KeyGone("it was destroyed")
        try:
            held: Mapping[str, str] = json.loads(text)
        except ValueError:
            raise StoreError("a key's file is damaged") from None
        return held

    def _numbers(self, tenant_id: uuid.UUID, owner_id: uuid.UUID) -> list[int]:
        try:
            names = os.listdir(self._root / str(tenant_id) / str(owner_id))
        except FileNotFoundError:
            return []
        return [int(name) for name in names if name.isdigit()]

    def _size(self, tenant_id: uuid.UUID, owner_id: uuid.UUID, generation: int) -> int:
        return self._path(tenant_id, owner_id, generation).stat().st_size

    def _path(self, tenant_id: uuid.UUID, owner_id: uuid.UUID, generation: int) -> Path:
        return self._root / str(tenant_id) / str(owner_id) / str(generation)


def _place(tenant_id: uuid.UUID, owner_id: uuid.UUID, generation: int) -> bytes:
    return b"data key" + tenant_id.bytes + owner_id.bytes + generation.to_bytes(4)


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """What a file system says, as an error that names no path."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"it cannot be used ({type(error).__name__})") from None


def _plain(folder: Path) -> Iterator[Path]:
    """The files of a folder that are no drafts."""
    return (path for path in folder.iterdir() if path.name.isdigit())


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}")


def _write_new(path: Path, content: bytes) -> None:
    """Write a file that is there wholly or not at all, for its own user alone. One that is there already stays."""
    for folder in (path.parent.parent, path.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    draft = _draft(path)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        _sync(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _wipe(path: Path) -> None:
    """Overwrite a file where it stands, then empty it."""
    with path.open("r+b") as file:
        file.write(os.urandom(path.stat().st_size))
        file.flush()
        os.fsync(file.fileno())
        file.truncate(0)
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
