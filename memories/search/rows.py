"""The rows of a namespace for the index, from the database; and the one index of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, BinaryField, Func, Model, TextField
from django.db.models.sql.compiler import SQLCompiler

from accounts import secrets, tenancy
from memories.encryption import keys
from memories.encryption.fields import MAGIC, Opener
from memories.models import Feature, Memory, Namespace
from memories.search.index import NamespaceIndex, Row


class Microseconds(Func):
    """A moment as whole microseconds since 1970, which takes a fraction of the time to read of a datetime."""

    output_field = BigIntegerField()
    # The database answers with an integer, which Django would make one again many thousand times.
    convert_value = staticmethod(Func._convert_value_noop)  # type: ignore[attr-defined]
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


class AsStored(Func):
    """A column as the database holds it. What is encrypted in it is opened below, many rows at a time."""

    template = "%(expressions)s"


COLUMNS: Mapping[str, str | Func] = {
    "memory_id": Hexadecimal("pk"),
    "slot_id": Hexadecimal("slot_id"),
    "rev": "rev",
    "status": "status",
    "version": "version",
    "kind": "kind",
    "key": AsStored("key", output_field=TextField()),
    "path": AsStored("path_key", output_field=TextField()),
    "valid_until": Microseconds("valid_until"),
    "created_at": Microseconds("created_at"),
    "retired_at": Microseconds("retired_at"),
    "confirmed_at": Microseconds("confirmed_at"),
    "evidence_class": "evidence_class",
    "pack": AsStored("feature__terms", output_field=BinaryField()),
    "doc_len": "feature__length",
    "names": AsStored("feature__names", output_field=BinaryField()),
    "thread": "feature__thread",
    "sequence": "feature__sequence",
    "speaker": AsStored("feature__speaker", output_field=BinaryField()),
    "traits": "feature__traits",
    "vector": AsStored("feature__vector", output_field=BinaryField()),
    "embedder": "feature__embedder",
}
"""As the fields of `Row`."""
SEALED: Mapping[str, tuple[type[Model], str]] = {
    "key": (Memory, "key"),
    "path": (Memory, "path_key"),
    "pack": (Feature, "terms"),
    "names": (Feature, "names"),
    "speaker": (Feature, "speaker"),
    "vector": (Feature, "vector"),
}
FEW = 100
PACK = list(COLUMNS).index("pack")


class DatabaseLoader:
    """Committed rows of the active tenant. An erased memory has no feature row and comes with `pack` None.

    Raises KeyUnavailable where a row is encrypted and its key cannot be had.
    """

    def revision(self, namespace_id: UUID) -> int:
        return Namespace.objects.values_list("revision", flat=True).get(pk=namespace_id)

    def rows(self, namespace_id: UUID, after_rev: int) -> Iterator[Row]:
        opened, may_be_sealed = _opening(namespace_id), keys.configured()
        changed = Memory.objects.filter(namespace_id=namespace_id, rev__gt=after_rev)
        if after_rev >= 0:
            # Few as a rule. Where PostgreSQL expects many, it would read whole tables to find and join them.
            few = list(changed.order_by("rev").values_list("pk", flat=True)[: FEW + 1])
            changed = Memory.objects.filter(pk__in=few) if len(few) <= FEW else changed
        for values in changed.values_list(*COLUMNS.values()).iterator(chunk_size=2000):
            if may_be_sealed or (values[PACK] or b"").startswith(MAGIC):
                values = opened(values)
            yield Row._make(values)


def _opening(namespace_id: UUID) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Opens what is encrypted in a row's columns."""
    places = {list(COLUMNS).index(name): Opener(*column, tenancy.current_id()) for name, column in SEALED.items()}
    owner_id = cache(lambda: keys.owner_of(namespace_id))

    def opened(values: Sequence[Any]) -> Sequence[Any]:
        out = list(values)
        for place, opener in places.items():
            out[place] = opener(out[place], owner_id, out[0])
        return out

    return opened


@cache
def index() -> NamespaceIndex:
    """The index of this process."""
    return NamespaceIndex(DatabaseLoader(), term_secret)


@lru_cache(maxsize=4096)
def term_secret(namespace_id: UUID) -> bytes:
    """The key of a namespace's term hashes: one word has another hash in every namespace."""
    return secrets.digest("terms", str(namespace_id)).encode()
