"""The rows of a namespace for the index, from the database; and the one index of this process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Func, TextField
from django.db.models.sql.compiler import SQLCompiler

from accounts import secrets
from memories.models import Memory, Namespace, path_of
from memories.search.index import NamespaceIndex, Row


class Microseconds(Func):
    """A moment as whole microseconds since 1970, which takes a fraction of the time to read of a datetime."""

    output_field = BigIntegerField()
    template = "(EXTRACT(EPOCH FROM %(expressions)s) * 1000000)::bigint"

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any) -> tuple[str, Any]:
        """SQLite holds it as text, with a fraction of six digits or none."""
        (moment,) = self.get_source_expressions()
        text, params = compiler.compile(moment)
        seconds = f"CAST(strftime('%%s', substr({text}, 1, 19)) AS INTEGER)"
        return f"({seconds} * 1000000 + CAST(substr({text} || '.000000', 21, 6) AS INTEGER))", [*params, *params]


class Hexadecimal(Func):
    """An id as 32 hexadecimal digits, which takes a fraction of the time to read of a UUID."""

    output_field = TextField()
    template = "encode(uuid_send(%(expressions)s), 'hex')"

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any) -> tuple[str, Any]:
        """SQLite holds it so."""
        return compiler.compile(self.get_source_expressions()[0])


COLUMNS = (
    Hexadecimal("pk"),
    Hexadecimal("slot_id"),
    "rev",
    "status",
    "version",
    "kind",
    "key",
    "path_key",
    Microseconds("valid_until"),
    Microseconds("created_at"),
    Microseconds("retired_at"),
    Microseconds("confirmed_at"),
    "evidence_class",
    "feature__terms",
    "feature__length",
    "feature__names",
    "feature__thread",
    "feature__sequence",
    "feature__speaker",
    "feature__traits",
    "feature__vector",
    "feature__embedder",
)
"""As the fields of `Row`."""
PATH = COLUMNS.index("path_key")


class DatabaseLoader:
    """Committed rows of the active tenant. An erased memory has no feature row and comes with `pack` None."""

    def revision(self, namespace_id: UUID) -> int:
        return Namespace.objects.values_list("revision", flat=True).get(pk=namespace_id)

    def rows(self, namespace_id: UUID, after_rev: int) -> Iterator[Row]:
        changed = Memory.objects.filter(namespace_id=namespace_id, rev__gt=after_rev)
        for values in changed.values_list(*COLUMNS).iterator(chunk_size=2000):
            yield Row._make((*values[:PATH], _path(values[PATH]), *values[PATH + 1 :]))


@lru_cache(maxsize=4096)
def _path(key: str) -> tuple[str, ...]:
    return path_of(key) if key else ()


@cache
def index() -> NamespaceIndex:
    """The index of this process."""
    return NamespaceIndex(DatabaseLoader(), term_secret)


@lru_cache(maxsize=4096)
def term_secret(namespace_id: UUID) -> bytes:
    """The key of a namespace's term hashes: one word has another hash in every namespace."""
    return secrets.digest("terms", str(namespace_id)).encode()
