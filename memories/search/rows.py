"""The rows of a namespace for the index, from the database; and the one index of this process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Func, Model
from django.db.models.sql.compiler import SQLCompiler

from accounts import secrets, tenancy
from memories.encryption import keys
from memories.encryption.fields import Opener, Sealed
from memories.models import Feature, Memory, Namespace, path_of
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


COLUMNS = (
    "pk",
    "slot_id",
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
SEALED: tuple[tuple[type[Model], str], ...] = (
    (Memory, "key"),
    (Memory, "path_key"),
    (Feature, "terms"),
    (Feature, "names"),
    (Feature, "speaker"),
    (Feature, "vector"),
)


class DatabaseLoader:
    """Committed rows of the active tenant. An erased memory has no feature row and comes with `pack` None."""

    def revision(self, namespace_id: UUID) -> int:
        return Namespace.objects.values_list("revision", flat=True).get(pk=namespace_id)

    def rows(self, namespace_id: UUID, after_rev: int) -> Iterator[Row]:
        openers = [Opener(model, name, tenancy.current_id()) for model, name in SEALED]
        owner_id: UUID | None = None
        changed = Memory.objects.filter(namespace_id=namespace_id, rev__gt=after_rev)
        for row in changed.values_list(*COLUMNS).iterator(chunk_size=2000):
            pk, slot_id, rev, status, version, kind, key, area, *moments, evidence_class, terms, length = row[:15]
            names, thread, sequence, speaker, traits, vector, embedder = row[15:]
            valid_until, created_at, retired_at, confirmed_at = moments
            if Sealed in (type(key), type(terms), type(vector)):
                owner_id = owner_id or keys.owner_of(namespace_id)
                key, area, terms, names, speaker, vector = (
                    opener(value, owner_id, pk)
                    for opener, value in zip(openers, (key, area, terms, names, speaker, vector), strict=True)
                )
            yield Row(
                memory_id=pk,
                slot_id=slot_id,
                rev=rev,
                status=status,
                version=version,
                kind=kind,
                key=key or "",
                path=path_of(area) if area else (),
                valid_until=valid_until,
                created_at=created_at,
                retired_at=retired_at,
                confirmed_at=confirmed_at,
                evidence_class=evidence_class,
                pack=bytes(terms) if terms is not None else None,
                doc_len=length or 0,
                names=bytes(names or b""),
                thread=thread,
                sequence=sequence,
                speaker=bytes(speaker or b""),
                traits=traits or 0,
                vector=bytes(vector) if vector is not None else None,
                embedder=embedder or "",
            )


@cache
def index() -> NamespaceIndex:
    """The index of this process."""
    return NamespaceIndex(DatabaseLoader(), term_secret)


@lru_cache(maxsize=4096)
def term_secret(namespace_id: UUID) -> bytes:
    """The key of a namespace's term hashes: one word has another hash in every namespace."""
    return secrets.digest("terms", str(namespace_id)).encode()
