"""Each tenant's events in one chain: how a seal is made, where the chain begins and ends, and how far it holds.

A seal is a keyed digest over the seal before it, its own place, and every column of its event as the database has it
written down. Whoever changes rows without the key cannot make a seal that fits.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Any

from django.db import OperationalError, models
from django.utils import timezone

from accounts import secrets
from accounts.ids import first_uuid7
from accounts.models import AuditCheckpoint, AuditEvent, AuditSeal

LATEST_COMMIT = timedelta(hours=1)  # how long a transaction may take to show its event
COLUMNS = ("id", "tenant_id", "at", "actor", "actor_id", "subject_id", "action", "outcome", "reason", "target",
           "target_id", "request_id", "details")  # fmt: skip
# Each as a JSON string in itself; ids and times need no escaping, which is half of the work.
POSTGRES: Mapping[type[models.Field], str] = {
    models.UUIDField: "'\"' || ENCODE(UUID_SEND({}), 'hex') || '\"'",
    models.DateTimeField: (
        "'\"' || REPLACE(TO_CHAR({} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '') || '\"'"
    ),
}


class Written(models.Func):
    """An event as one JSON array of its columns, the same on SQLite and PostgreSQL, made by the database.

    Faster than columns that become Python's types, and nothing that a row can hold reads as another.
    """

    function = "JSON_ARRAY"
    output_field = models.TextField()

    def __init__(self, path: str = "") -> None:
        super().__init__(*(models.F(f"{path}{name}") for name in COLUMNS))

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, list[Any]]:
        parts, params = [], []
        for column in self.get_source_expressions():
            field = getattr(column.output_field, "target_field", column.output_field)
            sql, given = compiler.compile(column)
            text = POSTGRES.get(type(field), "TO_JSON({}::text)::text").format(sql)
            parts.append(f"COALESCE({text}, 'null')" if field.null else text)
            params += given
        joined = " || ',' || ".join(parts)
        return f"('[' || {joined} || ']')", params


@dataclass(frozen=True, slots=True)
class Chain:
    """How one tenant's seals are made."""

    start: Any

    @classmethod
    def of(cls, tenant_id: uuid.UUID) -> Chain:
        start = secrets.hasher("audit-chain")
        start.update(tenant_id.bytes)
        return cls(start)

    def digest(self, before: str, sequence: int, event: str) -> str:
        """The seal of an event in its place, after the seal before it."""
        made: hashlib.blake2b = self.start.copy()
        made.update(f"{before}{sequence}{event}".encode())
        return made.hexdigest()


@dataclass(frozen=True, slots=True)
class Head:
    """The newest seal: who notes it elsewhere can show later that nothing before it was cut off or sealed anew."""

    sequence: int
    digest: str

    def __str__(self) -> str:
        return f"{self.sequence}:{self.digest}"

    @classmethod
    def parse(cls, text: str) -> Head:
        """Raises ValueError when the text is not SEQUENCE:DIGEST."""
        sequence, _, digest = text.strip().partition(":")
        if not (sequence.isascii() and sequence.isdigit()) or len(digest) != 64:
            raise ValueError("A head is written SEQUENCE:DIGEST.")
        return cls(int(sequence), digest)


START = Head(0, "")


def head() -> Head | None:
    """The end of the active tenant's chain."""
    newest = AuditSeal.objects.order_by("-sequence").values_list("sequence", "digest").first()
    if newest is not None:
        return Head(*newest)
    checkpoint = newest_checkpoint()
    return Head(checkpoint.sequence, checkpoint.seal) if checkpoint else None


def newest_checkpoint() -> AuditCheckpoint | None:
    return AuditCheckpoint.objects.order_by("-sequence").first()


def unsealed() -> models.QuerySet[AuditEvent]:
    """Events that wait for their seal. What was sealed long ago need not be read again to find them."""
    waiting = AuditEvent.objects.filter(seal=None)
    bound = settled_before()
    return waiting if bound is None else waiting.filter(pk__gte=bound)


def sealed() -> models.QuerySet[AuditSeal, tuple[int, str, str]]:
    return AuditSeal.objects.order_by("sequence").values_list("sequence", "digest", Written("event__"))


def places(after: int, wanted: int) -> models.QuerySet[AuditSeal, tuple[int, str, str]]:
    """The next `wanted` seals behind a place, each with its event."""
    return sealed().filter(sequence__gt=after)[:wanted]


def follow(chain: Chain, start: Head, rows: Iterable[tuple[int, str, str]]) -> Head:
    """How far the chain holds in these rows, which come next after `start`."""
    sequence, before = start.sequence, start.digest
    for number, stored, event in rows:
        if number != sequence + 1 or stored != chain.digest(before, number, event):
            break
        sequence, before = number, stored
    return Head(sequence, before)


def hold(chain: Chain, start: Head, wanted: int) -> Head:
    """How far the chain holds in the next `wanted` places."""
    try:
        return follow(chain, start, places(start.sequence, wanted))
    except OperationalError:  # SQLite makes no JSON of bytes that stand where text should: halve until they are found
        if wanted == 1:
            return start
        half = hold(chain, start, wanted // 2)
        met = half.sequence == start.sequence + wanted // 2
        return hold(chain, half, wanted - wanted // 2) if met else half


def settled_before() -> uuid.UUID | None:
    """No id below this can still come in by an honest transaction; also after a clock that ran ahead was set right."""
    newest = AuditSeal.objects.order_by("-sequence").values_list("event__at", flat=True).first()
    return first_uuid7(min(newest, timezone.now()) - LATEST_COMMIT) if newest is not None else None


def checkpoint_digest(chain: Chain, row: AuditCheckpoint, before: str) -> str:
    return chain.digest(before, row.sequence, f"checkpoint {row.seal} {row.until.astimezone(UTC).isoformat()}")


def first_false_checkpoint(chain: Chain) -> int | None:
    """The place after the last true checkpoint, when one is not true."""
    before, last = "", 0
    for row in AuditCheckpoint.objects.order_by("sequence"):
        if row.digest != checkpoint_digest(chain, row, before):
            return last + 1
        before, last = row.digest, row.sequence
    return None
