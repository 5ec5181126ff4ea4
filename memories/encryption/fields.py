"""Columns that encrypt when they are written and open when they are read, if the tenant wants it.

A row's attribute is always the text: it is opened when it is first asked for. `values()` and `values_list()` do not
know which row a value belongs to and bring `Sealed` ones, to be `opened` there. What is blank stays as it is, so that
the database still sees that something is gone; plain and encrypted rows stand side by side.

Looking for a text inside the database: a column made with `finds` also stores a keyed digest of (a part of) it, by
which `exact`, `in` and `about` find it; any other comparison with a text is an error where texts may be encrypted.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Callable, Iterable
from typing import Any

from django.core.exceptions import FieldError
from django.db import models
from django.db.models import lookups
from django.db.models.query_utils import DeferredAttribute

from accounts import secrets, tenancy
from memories.encryption import envelope, keys

MARK = "\x1amh1"  # no text that the gates let through begins with a control character
END = ":"
MAGIC = b"\x1amh1\x1a\x00"
DIGEST = 32
Finds = Callable[[Any], Iterable[str]]


class Sealed:
    """An encrypted value as it came from the database; `column` opens it once the row is known."""

    __slots__ = ("blob", "begin")

    def __init__(self, blob: bytes, begin: str = "") -> None:
        self.blob, self.begin = blob, begin

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sealed) and other.blob == self.blob

    def __hash__(self) -> int:
        return hash(self.blob)

    @property
    def generation(self) -> int:
        return envelope.generation_of(self.blob)


class Plain:
    """A value that is to be written as it is, since it tells nothing: what a tombstone says of itself."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class _Opened(DeferredAttribute):
    """The attribute of a row: opens a sealed value when it is asked for."""

    field: SealedField

    def __get__(self, instance: Any, cls: type[models.Model] | None = None) -> Any:
        if instance is None:
            return self
        name = self.field.attname
        held = instance.__dict__
        value = held[name] if name in held else super().__get__(instance, cls)
        if type(value) is Sealed:
            value = held[name] = self.field.opened(
                value,
                instance.tenant_id,
                instance.key_owner_id,
                instance.pk,  # type: ignore[attr-defined]
            )
        return value

    def __set__(self, instance: models.Model, value: Any) -> None:
        instance.__dict__[self.field.attname] = value


class SealedField(models.Field):
    """What the columns have in common. Their model tells whose key is meant by `key_owner_id`."""

    descriptor_class = _Opened

    def __init__(self, *args: Any, finds: Finds | None = None, **options: Any) -> None:
        self.finds = finds
        super().__init__(*args, **options)

    def deconstruct(self) -> Any:
        """Migrations know the column of the database alone: they neither encrypt nor open."""
        name, _path, args, options = super().deconstruct()
        plain = next(base for base in type(self).__mro__ if base.__module__.startswith("django."))
        return name, f"django.db.models.{plain.__name__}", args, options

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        held = model_instance.__dict__.get(self.attname)
        if type(held) is Sealed:  # read and never asked for
            return held
        return self.sealed_for(model_instance, getattr(model_instance, self.attname))

    def sealed_for(self, row: models.Model, value: Any, key: envelope.Key | None = None) -> Any:
        """The value as it is to be written into this row: sealed, unless it is blank or the tenant does not encrypt.

        `key`: the owner's newest key, for whoever has just asked for it.
        """
        if is_blank(value) or not isinstance(value, str | bytes | memoryview | dict | list | int | float | bool):
            return value
        tenant_id = row.tenant_id or tenancy.current_id()  # type: ignore[attr-defined]
        if not keys.encrypts(tenant_id):
            return value
        owner_id = row.key_owner_id or tenant_id  # type: ignore[attr-defined]
        key = key or keys.writing(tenant_id, owner_id)
        begin = digests(tenant_id, self.finds(value)) if self.finds else ""
        return Sealed(envelope.seal(key, self.to_bytes(value), self._place(tenant_id, row.pk)), begin)

    def opened(self, value: Any, tenant_id: uuid.UUID, owner_id: uuid.UUID | None, pk: uuid.UUID) -> Any:
        """The text of a value that `values()` brought; one that is not sealed comes back as it is."""
        if type(value) is not Sealed:
            return value
        key = keys.reading(tenant_id, owner_id or tenant_id, value.generation)
        try:
            return self.from_bytes(envelope.unseal(key, value.blob, self._place(tenant_id, pk)))
        except envelope.NotOpened:
            raise damaged(self) from None

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        if type(value) is Sealed:
            return super().get_db_prep_save(self.stored(value), connection)
        if type(value) is Plain:
            return super().get_db_prep_save(value.value, connection)
        if not is_blank(value) and not hasattr(value, "resolve_expression") and keys.encrypts(tenancy.current_id()):
            raise FieldError(f"{self.name} is written without its row; use sealed_for")
        return super().get_db_prep_save(value, connection)

    def stored(self, value: Sealed) -> Any:
        """A sealed value as the column holds it."""
        return f"{MARK}{value.begin}{END}{base64.b64encode(value.blob).decode()}"

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        if value is not None and type(value) is str and value.startswith(MARK):
            begin, _, blob = value[len(MARK) :].rpartition(END)
            return Sealed(base64.b64decode(blob), begin)
        return value

    def to_bytes(self, value: Any) -> bytes:
        raise NotImplementedError

    def from_bytes(self, value: bytes) -> Any:
        raise NotImplementedError

    def _place(self, tenant_id: uuid.UUID, pk: uuid.UUID) -> bytes:
        return self.place_begins(tenant_id) + _raw(pk)

    def place_begins(self, tenant_id: uuid.UUID) -> bytes:
        """What a sealed value is bound to besides its row: table, column and tenant."""
        return f"{self.model._meta.db_table}.{self.column} ".encode() + _raw(tenant_id)


class SealedText(SealedField, models.TextField):
    """A text."""

    def to_bytes(self, value: str) -> bytes:
        return value.encode("utf-8", "surrogatepass")

    def from_bytes(self, value: bytes) -> str:
        return value.decode("utf-8", "surrogatepass")


class SealedJSON(SealedField, models.JSONField):
    """A JSON document; sealed it is one JSON string."""

    def to_bytes(self, value: Any) -> bytes:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")

    def from_bytes(self, value: bytes) -> Any:
        return json.loads(value)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return super().from_db_value(
            models.JSONField.from_db_value(self, value, expression, connection), expression, connection
        )


class SealedBinary(SealedField, models.BinaryField):
    """Bytes."""

    def to_bytes(self, value: Any) -> bytes:
        return bytes(value)

    def from_bytes(self, value: bytes) -> bytes:
        return value

    def stored(self, value: Sealed) -> bytes:
        return MAGIC + value.blob

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        if value is not None and bytes(value[:6]) == MAGIC:
            return Sealed(bytes(value[6:]))
        return value


def _raw(pk: uuid.UUID | str) -> bytes:
    return (pk if type(pk) is uuid.UUID else uuid.UUID(str(pk))).bytes


class Opener:
    """Opens very many values of one column as the database holds them, all of one owner, as `opened` does one."""

    def __init__(self, model: type[models.Model], name: str, tenant_id: uuid.UUID) -> None:
        self._field = column(model, name)
        self._tenant_id, self._begin = tenant_id, self._field.place_begins(tenant_id)
        self._keys: dict[bytes, envelope.Key] = {}

    def __call__(self, stored: Any, owner_id: Callable[[], uuid.UUID | None], pk: str) -> Any:
        """`pk`: the row's id as hexadecimal digits."""
        value = self._field.from_db_value(stored, None, None)
        if type(value) is not Sealed:
            return value
        key = self._keys.get(value.blob[: envelope.GENERATION_BYTES])
        if key is None:
            key = keys.reading(self._tenant_id, owner_id() or self._tenant_id, value.generation)
            self._keys[value.blob[: envelope.GENERATION_BYTES]] = key
        try:
            return self._field.from_bytes(envelope.unseal(key, value.blob, self._begin + bytes.fromhex(pk)))
        except envelope.NotOpened:
            raise damaged(self._field) from None


def damaged(field: SealedField) -> keys.ContentDamaged:
    keys.log.error("content_damaged", code=field.column)
    return keys.ContentDamaged()


def is_blank(value: Any) -> bool:
    """What a column holds when there is nothing in it."""
    return value is None or (isinstance(value, str | bytes | list | dict) and not value)


def is_sealed(row: models.Model, name: str) -> bool:
    """Whether a row came with this column encrypted and nobody has asked for it yet."""
    return type(row.__dict__.get(name)) is Sealed


def column(model: type[models.Model], name: str) -> SealedField:
    """The field of this name, for opening what `values()` brought."""
    field = model._meta.get_field(name)
    if not isinstance(field, SealedField):
        raise TypeError(name)
    return field


def columns(model: type[models.Model]) -> list[SealedField]:
    """Every column of a model that may be encrypted."""
    return [field for field in model._meta.concrete_fields if isinstance(field, SealedField)]


def digests(tenant_id: uuid.UUID, texts: Iterable[str]) -> str:
    """What the database may know of texts that are encrypted, so that it finds them again."""
    return "".join(secrets.digest("find", str(tenant_id), text)[:DIGEST] for text in texts)


def beginning(texts: Iterable[str]) -> str:
    """How the active tenant's sealed values begin whose column `finds` just these texts first."""
    return MARK + digests(tenancy.current_id(), texts)


class _Found:
    """A comparison that also finds the sealed value by how it begins."""

    def found(self, compiler: Any, connection: Any, values: list[Any], plain: Any) -> Any:
        sql, params = plain
        asked = [one for one in values if isinstance(one, str) and one]
        field: SealedField = self.lhs.output_field  # type: ignore[attr-defined]
        if not asked:
            return sql, params
        if field.finds is None:
            if keys.configured():
                raise FieldError(f"{field.name} may be encrypted: it cannot be compared inside the database")
            return sql, params
        lhs, lhs_params = self.process_lhs(compiler, connection)  # type: ignore[attr-defined]
        begins = [beginning(field.finds(one)) + END for one in asked]
        sealed = " OR ".join(f"SUBSTR({lhs}, 1, {len(one)}) = %s" for one in begins)
        every = [part for one in begins for part in (*lhs_params, one)]
        return f"({sql} OR {sealed})", [*params, *every]


@SealedText.register_lookup
class FoundExact(_Found, lookups.Exact):
    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return self.found(compiler, connection, [self.rhs], super().as_sql(compiler, connection))


@SealedText.register_lookup
class FoundIn(_Found, lookups.In):
    def as_sql(self, compiler: Any, connection: Any) -> Any:
        asked = list(self.rhs) if isinstance(self.rhs, list | tuple | set | frozenset) else []
        return self.found(compiler, connection, asked, super().as_sql(compiler, connection))


@SealedJSON.register_lookup
class About(lookups.Lookup):
    """Whether a sealed document is about this: what its column `finds` in it."""

    lookup_name = "about"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        lhs, params = self.process_lhs(compiler, connection)
        text = f"({lhs} #>> '{{}}')" if connection.vendor == "postgresql" else f"JSON_EXTRACT({lhs}, '$')"
        begin = beginning([self.rhs]) + END
        return f"SUBSTR({text}, 1, {len(begin)}) = %s", [*params, begin]
