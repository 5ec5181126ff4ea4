"""Files that are encrypted while they are written, chunk by chunk, and opened while they are read.

A head names the owner of the key; each chunk is bound to the file's name, to its number and to whether it is the last,
so that none can be left out, moved or added.
"""

from __future__ import annotations

import io
import uuid
from collections.abc import Iterable, Iterator
from typing import IO, Any

from accounts import tenancy
from memories.encryption import keys
from memories.encryption.envelope import OVERHEAD, Key, NotOpened, generation_of, seal, unseal

HEAD = b"\x1amh1\x1a\x01"
CHUNK = 64 * 1024
LENGTH = 4


def sealed(parts: Iterable[bytes], name: str, owner_id: uuid.UUID) -> Iterator[bytes]:
    """The bytes of a file of the active tenant as it is kept: encrypted, if the tenant wants that."""
    tenant_id = tenancy.current_id()
    if not keys.encrypts(tenant_id):
        yield from parts
        return
    key = keys.writing(tenant_id, owner_id)
    yield HEAD + owner_id.bytes
    held, number = b"", 0
    for part in parts:
        held += part
        while len(held) > CHUNK:
            yield _frame(key, held[:CHUNK], name, number, last=False)
            held, number = held[CHUNK:], number + 1
    yield _frame(key, held, name, number, last=True)


def size_of(file: IO[bytes], size: int) -> int:
    """How many bytes a file of so many is kept in; the file is left at its beginning."""
    is_sealed = file.read(len(HEAD)) == HEAD
    file.seek(0)
    chunks = max(1, -(-size // CHUNK))
    return size + len(HEAD) + 16 + chunks * (LENGTH + OVERHEAD) if is_sealed else size


def opened(file: IO[bytes], name: str) -> Iterator[bytes]:
    """The bytes of a kept file of the active tenant. Raises KeyUnavailable and ContentDamaged."""
    head = file.read(len(HEAD))
    if head != HEAD:
        yield head
        while part := file.read(CHUNK):
            yield part
        return
    owner_id, number, key = uuid.UUID(bytes=file.read(16)), 0, None
    length = file.read(LENGTH)
    while length:
        frame, length = file.read(int.from_bytes(length)), file.read(LENGTH)
        if key is None:
            key = keys.reading(tenancy.current_id(), owner_id, generation_of(frame))
        try:
            yield unseal(key, frame, _place(name, number, last=not length))
        except NotOpened:
            raise keys.ContentDamaged from None
        number += 1


class Opened(io.RawIOBase):
    """A kept file as one to read from. What is damaged ends the reading with an error, never early."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file, self._parts, self._held = file, opened(file, name), b""
        self._tenant_id = tenancy.current_id()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._held:
            with tenancy.entered(self._tenant_id):  # it is read after the request has left its tenant
                part = next(self._parts, None)
            if part is None:
                return 0
            self._held = part
        count = min(len(buffer), len(self._held))
        buffer[:count], self._held = self._held[:count], self._held[count:]
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


def _frame(key: Key, part: bytes, name: str, number: int, *, last: bool) -> bytes:
    frame = seal(key, part, _place(name, number, last=last))
    return len(frame).to_bytes(LENGTH) + frame


def _place(name: str, number: int, *, last: bool) -> bytes:
    return f"export {name} {number} {last}".encode()
