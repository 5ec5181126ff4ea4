"""The erasure ledger: a file outside the database that knows what was forgotten, for the day an old backup comes back.

One line for each forgetting, ids and keyed digests only, on disk before the forgetting is acknowledged. Several
machines write to one file on storage that they share. `restoring` reads it; nothing is ever taken out of it.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import uuid
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction

from accounts import secrets
from accounts.errors import Unavailable
from accounts.models import Tenant
from memories.models import Erasure, Memory, Slot, SourceMarker

log = structlog.get_logger("memoryhub.ledger")

Entry = Mapping[str, Any]
PURPOSE = "erasure-ledger"
BY_THEMSELVES = (Erasure.Scope.PERSON, Erasure.Scope.TENANT)
"""Scopes that are found again without a list of what belonged to them."""


class LedgerBroken(RuntimeError):
    """A line cannot be trusted, so nobody can say that all of what was forgotten is known."""


def soon(erasure: Erasure) -> None:
    """Have a forgetting written down when its transaction is committed, before anybody is told of it."""
    entry = _entry(erasure)
    transaction.on_commit(lambda: _acknowledge(entry))


def keep(erasure: Erasure) -> bool:
    """Write a forgetting down unless it is there. False when it cannot be written now."""
    if str(erasure.pk) in _contents.read():
        return True
    try:
        _append(_entry(erasure))
    except OSError:
        log.exception("ledger_unwritten", erasure_id=erasure.pk)
        return False
    return True


def entries() -> Iterator[Entry]:
    """Every forgetting that was written down, oldest first. Raises LedgerBroken for a line that is not ours.

    A last line without its end is one whose forgetting was never acknowledged.
    """
    for _end, entry in _lines(0):
        yield entry


def missing() -> set[str]:
    """The ids of what was forgotten and stands in no receipt of this database: it is older than the ledger.

    What one look found in the database the next one does not ask for, unless the newest of it is gone.
    """
    known = _contents.read()
    newest = [pk for pk in list(known)[-1:] if pk in _contents.found]
    if newest and not _in_database(newest, known):
        _contents.found.clear()
    wanted = [pk for pk in known if pk not in _contents.found]
    there = _in_database(wanted, known)
    _contents.found |= there
    return set(wanted) - there


def _in_database(ids: Collection[str], tenant_of: Mapping[str, str]) -> set[str]:
    """Those that have a receipt, or whose tenant this database never knew."""
    if not ids:
        return set()
    tenants = set(map(str, Tenant.objects.values_list("pk", flat=True)))
    done = Erasure.everywhere.filter(pk__among=ids).exclude(state=Erasure.State.PLANNED)
    return set(map(str, done.values_list("pk", flat=True))) | {pk for pk in ids if tenant_of[pk] not in tenants}


class _Contents:
    """Which forgettings stand in the file and whose they are; what was read once is not read again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._file: tuple[str, int] | None = None
        self._clear()

    def _clear(self) -> None:
        self._end = 0
        self._tenants: dict[str, str] = {}
        self.found: set[str] = set()

    def read(self) -> Mapping[str, str]:
        """The tenant of each forgetting, oldest first."""
        with self._lock:
            path = _path()
            state = path.stat() if path.exists() else None
            file = (str(path), state.st_ino) if state else None
            if file != self._file or (state and state.st_size < self._end):
                self._clear()
                self._file = file
            for end, entry in _lines(self._end):
                self._tenants[entry["erasure"]] = entry["tenant"]
                self._end = end
            return dict(self._tenants)


_contents = _Contents()


def _lines(start: int) -> Iterator[tuple[int, Entry]]:
    """The whole lines from a place on, each with where it ends."""
    path = _path()
    if not path.exists():
        return
    with path.open("rb") as file:
        file.seek(start)
        end = start
        for line in file:
            if not line.endswith(b"\n"):
                return
            end += len(line)
            yield end, _read(line, end)


def _acknowledge(entry: Entry) -> None:
    try:
        _append(entry)
    except OSError:
        log.exception("ledger_unwritten", erasure_id=entry["erasure"])
        raise Unavailable(
            "It is forgotten, but the record that guards it against an old backup could not be written. That is tried "
            "again; the receipt says purged only afterwards.",
            code="ledger_unwritten",
        ) from None


def _entry(erasure: Erasure) -> Entry:
    """What it takes to forget the same again in an older database."""
    entry: dict[str, Any] = {
        "erasure": str(erasure.pk),
        "tenant": str(erasure.tenant_id),
        "at": erasure.hidden_at.isoformat() if erasure.hidden_at else "",
        "scope": erasure.scope,
        "target": str(erasure.target_id or ""),
        "actor": str(erasure.actor_id or ""),
        "subject": str(erasure.subject_id or ""),
    }
    if erasure.scope in BY_THEMSELVES:
        return entry
    slots = Slot.objects.filter(pk__among=erasure.slot_ids).values_list("namespace_id", "pk", "digest")
    markers = SourceMarker.objects.filter(forgotten_at=erasure.hidden_at)
    whole = set(erasure.slot_ids)
    single = Memory.objects.filter(pk__among=erasure.memory_ids).values_list("pk", "slot_id")
    return entry | {
        "slots": [[str(part) for part in row] for row in slots],
        "memories": [str(pk) for pk, slot_id in single if str(slot_id) not in whole],
        "candidates": erasure.candidate_ids,
        "evidence": erasure.evidence_ids,
        "sources": [
            [str(namespace_id), digest, is_whole]
            for namespace_id, digest, is_whole in markers.values_list("namespace_id", "source_digest", "whole")
        ],
    }


def _append(entry: Entry) -> None:
    """One line, whole or not at all, on disk when this returns."""
    line = json.dumps({**entry, "mac": secrets.fingerprint(PURPOSE, entry)}, separators=(",", ":")).encode() + b"\n"
    descriptor = os.open(_path(), os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        end = os.fstat(descriptor).st_size
        if end and os.pread(descriptor, 1, end - 1) != b"\n":
            os.ftruncate(descriptor, _last_whole_line(descriptor, end))
        written = os.write(descriptor, line)
        if written != len(line):
            raise OSError("the line was not written whole")
        os.fsync(descriptor)
        if not end:
            _keep_name(_path().parent)
    finally:
        os.close(descriptor)


def _keep_name(folder: Path) -> None:
    """A new file's name is on disk too when its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _last_whole_line(descriptor: int, end: int) -> int:
    """Where the unfinished last line begins."""
    return os.pread(descriptor, end, 0).rfind(b"\n") + 1


def _read(line: bytes, end: int) -> Entry:
    try:
        entry = json.loads(line)
        mac = entry.pop("mac")
        uuid.UUID(entry["erasure"])
    except (ValueError, KeyError, AttributeError):
        raise LedgerBroken(f"the line of the erasure ledger ending at byte {end} cannot be read") from None
    if not secrets.same(str(mac), secrets.fingerprint(PURPOSE, entry)):
        raise LedgerBroken(
            f"the line of the erasure ledger ending at byte {end} is not of this installation or was changed"
        )
    return entry


def _path() -> Path:
    return Path(settings.MEMORYHUB_LEDGER)
