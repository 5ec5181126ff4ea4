"""Where export files are kept: a folder of this installation that only its own user may open, one inside per tenant.

A file's name cannot be guessed and stands in its row before the first byte is written, so that none is ever lost.
"""

from __future__ import annotations

import hashlib
import io
import secrets
import uuid
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.files.base import File
from django.core.files.storage import Storage, storages
from django.db import transaction
from django.db.models import QuerySet

from accounts import tenancy
from memories.encryption import streams
from memories.models import Export

ENDED = (Export.State.CANCELLED, Export.State.WITHDRAWN, Export.State.EXPIRED, Export.State.FAILED)
WRITTEN_WITHIN = timedelta(hours=6)  # a nameless file that is younger may belong to a row that is not committed yet
BLANK = {"file": "", "sha256": "", "size": 0}


@dataclass(frozen=True, slots=True)
class Written:
    """A finished file: its bytes counted and digested."""

    size: int
    sha256: str


class _Parts(File):
    """A file that is made while it is written, so that it is never in memory as a whole."""

    def __init__(self, parts: Iterable[bytes], name: str, owner_id: uuid.UUID) -> None:
        super().__init__(None)
        self._kept = streams.sealed(self._counted(parts), name, owner_id)
        self._size, self._digest = 0, hashlib.sha256()

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        return self._kept

    def _counted(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        for part in parts:
            self._size += len(part)
            self._digest.update(part)
            yield part

    def written(self) -> Written:
        return Written(self._size, self._digest.hexdigest())


def storage() -> Storage:
    return storages["exports"]


def new_name(suffix: str) -> str:
    """A name for a file of the active tenant."""
    return f"{tenancy.current_id()}/{secrets.token_urlsafe(32)}.{suffix}"


def write(name: str, parts: Iterable[bytes], owner_id: uuid.UUID | None = None) -> Written:
    """Write a file part by part, encrypted with the key of its owner (or of the tenant) if the tenant encrypts.

    Raises OSError when the disk does not take it, KeyUnavailable when the key cannot be had.
    """
    content = _Parts(parts, name, owner_id or tenancy.current_id())
    storage().save(name, content)
    return content.written()


def read(name: str, size: int) -> File | None:
    """A file open for reading; None when fewer or more bytes than it should have are there. Raises OSError."""
    file = storage().open(name)
    if file.size != streams.size_of(file, size):
        file.close()
        return None
    return File(io.BufferedReader(streams.Opened(file, name)))


def remove(name: str) -> None:
    """Remove a file; one that is not there is removed already."""
    if name:
        storage().delete(name)


def withdraw(namespace_id: uuid.UUID) -> int:
    """Close every file that may hold memories of a namespace, because some of them are being forgotten.

    The bytes go as soon as this transaction is committed, or with the next sweep.
    """
    ids = [row.pk for row in _filed() if holds(row, [namespace_id])]
    living = Export.objects.filter(pk__in=ids, state__in=[Export.State.RUNNING, Export.State.READY])
    living.update(state=Export.State.WITHDRAWN, sha256="", size=0)
    if ids:
        clear_soon(ids)
    return len(ids)


def clear_soon(ids: Collection[uuid.UUID]) -> None:
    """Remove the files of these exports as soon as this transaction, which ends them, is committed."""
    tenant_id = tenancy.current_id()

    def remove_them() -> None:
        with tenancy.entered(tenant_id):
            clear(ids)

    transaction.on_commit(remove_them, robust=True)


def clear(ids: Collection[uuid.UUID] | None = None) -> int:
    """Remove the files of ended exports, of these or of all; returns how many.

    One that was withdrawn while it was being made is due again, without what was forgotten.
    """
    rows = Export.objects.filter(state__in=ENDED).exclude(file="")
    done = 0
    for row in rows if ids is None else rows.filter(pk__in=ids):
        remove(row.file)
        again = row.state == Export.State.WITHDRAWN and row.finished_at is None
        changes = {**BLANK, **({"state": Export.State.QUEUED, "claimed_until": None} if again else {})}
        done += Export.objects.filter(pk=row.pk, file=row.file).update(**changes)
    return done


def remove_strays(now: datetime) -> int:
    """Remove files of the active tenant that no row names: what a crash between two steps could leave behind."""
    known = set(Export.objects.exclude(file="").values_list("file", flat=True))
    strays = [name for name in _names() if name not in known and _is_old(name, now)]
    for name in strays:
        remove(name)
    return len(strays)


def holds(row: Export, namespace_ids: Collection[uuid.UUID]) -> bool:
    """Whether a file may hold memories of one of these namespaces."""
    if row.scope == Export.Scope.TENANT:
        return True
    return not {str(one) for one in namespace_ids}.isdisjoint(row.namespace_ids)


def holding(namespace_ids: Collection[uuid.UUID], until: datetime) -> list[uuid.UUID]:
    """The exports begun until a moment whose file, still there, may hold memories of these namespaces."""
    rows = _filed().filter(started_at__lte=until)
    return [row.pk for row in rows if holds(row, namespace_ids)]


def with_text(spellings: Collection[str]) -> int:
    """How many files of the active tenant hold a text in one of these spellings."""
    marks = {form for text in spellings for form in (text, text.replace('"', '""'))}
    return sum(_has(name, [mark.replace("\\", "").encode() for mark in marks]) for name in _names())


def _has(name: str, marks: Iterable[bytes]) -> bool:
    """Line by line; escapes of JSON and Markdown are laid aside on both sides."""
    marks = list(marks)
    with io.BufferedReader(streams.Opened(storage().open(name), name)) as file:
        return any(mark in line.replace(b"\\", b"") for line in file for mark in marks)


def _filed() -> QuerySet[Export]:
    return Export.objects.exclude(file="")


def _names() -> list[str]:
    folder = str(tenancy.current_id())
    if not storage().exists(folder):
        return []
    return [f"{folder}/{name}" for name in storage().listdir(folder)[1]]


def _is_old(name: str, now: datetime) -> bool:
    try:
        return storage().get_modified_time(name) < now - WRITTEN_WITHIN
    except FileNotFoundError:
        return False
