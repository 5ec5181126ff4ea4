"""Queries that every request asks, turned into SQL once for each connection instead of each time.

Django takes a few tenths of a millisecond to build and compile a query set, several times what the database takes to
answer one that reads some rows by an index. A `Prepared` query is written as a query set with gaps in it; what fills
them is given at each call. The tenant is such a gap by itself, filled with the active one.
"""

from __future__ import annotations

import operator
import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import reduce
from typing import Any, Generic, TypeVar, cast

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import Expression

from accounts import tenancy

Row = TypeVar("Row")

_FIELDS: dict[type, models.Field] = {uuid.UUID: models.UUIDField(), datetime: models.DateTimeField()}
_TENANT = "the active tenant"
_KEPT = "_memoryhub_prepared"


class Gap(Expression):
    """What is not known before the call: a placeholder in the SQL."""

    def __init__(self, name: str, position: int | None = None) -> None:
        super().__init__(output_field=models.TextField())
        self.name, self.position = name, position

    def as_sql(self, compiler: object, connection: object) -> tuple[str, Any]:
        return "%s", (self,)

    def value_in(self, values: dict[str, Any], connection: BaseDatabaseWrapper) -> Any:
        """What fills it, as the database takes it."""
        value: Any = tenancy.current_id() if self.name == _TENANT else values[self.name]
        value = value if self.position is None else value[self.position]
        field = _FIELDS.get(type(value))
        return field.get_db_prep_value(value, connection) if field else value


def any_of(column: str, gaps: Iterable[Gap]) -> models.Q:
    """That a foreign key is one of these: its `in` takes no gaps."""
    return reduce(operator.or_, (models.Q(**{column: gap}) for gap in gaps), models.Q(pk__in=[]))


class Prepared(Generic[Row]):
    """A query that is compiled at its first call on a connection, for each length of the lists it is given.

    `build` makes the query set of a gap, or a list of gaps, for each named value. It is called while the tenant itself
    is a gap, so it must look at nothing but its arguments. No value may be None: NULL equals nothing.
    """

    def __init__(self, build: Callable[..., models.QuerySet[Any, Row]]) -> None:
        self._build = build

    def __call__(self, **values: Any) -> list[Row]:
        """The rows; raises NoActiveTenant as the query set would, and ValueError for a None."""
        if any(value is None for value in values.values()):
            raise ValueError("a prepared query was given a None")
        lengths = tuple((name, len(value) if isinstance(value, list) else None) for name, value in values.items())
        connection = connections[DEFAULT_DB_ALIAS]  # of this thread, as what is kept with it
        kept: dict[object, _Compiled] = connection.__dict__.setdefault(_KEPT, {})
        ready = kept.get((self, lengths))
        if ready is None:
            ready = kept[self, lengths] = self._compile(lengths, connection)
        return ready.rows(values)

    def first(self, **values: Any) -> Row | None:
        """The first row. The query names an order or finds one at most."""
        return next(iter(self(**values)), None)

    def _compile(self, lengths: Sequence[tuple[str, int | None]], connection: BaseDatabaseWrapper) -> _Compiled:
        gaps = {
            name: Gap(name) if length is None else [Gap(name, position) for position in range(length)]
            for name, length in lengths
        }
        with tenancy.entered(cast(uuid.UUID, Gap(_TENANT))):
            return _Compiled(self._build(**gaps), connection)


class _Compiled:
    """A query set whose compiler has done its work for one connection: only the values are missing."""

    def __init__(self, rows: models.QuerySet[Any, Any], connection: BaseDatabaseWrapper) -> None:
        self._rows, self._connection = rows, connection
        compiler: Any = rows.query.get_compiler(connection=connection)
        try:
            sql, self._params = compiler.as_sql()
        except EmptyResultSet:  # whatever fills the gaps, nothing is found
            self._params = None
            return
        converters = compiler.get_converters([column[0] for column in compiler.select])
        compiler.as_sql = lambda: (sql, self._filled)
        compiler.get_converters = lambda _columns: converters
        query: Any = rows.query
        query.get_compiler = lambda *_, **_database: compiler

    def rows(self, values: dict[str, Any]) -> list[Any]:
        if self._params is None:
            return []
        self._filled = [one.value_in(values, self._connection) if isinstance(one, Gap) else one for one in self._params]
        read: Any = self._rows._iterable_class
        return list(read(self._rows))
