"""From the JSON of an answer to the dataclass that describes it."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

import httpx

from memoryhub.client.errors import NoMemoryHub
from memoryhub.client.results import Page

T = TypeVar("T")
Read = Callable[[Any], Any]
FAULTS = (ValueError, TypeError, KeyError, AttributeError)


def answer(kind: type[T]) -> Callable[[httpx.Response], T]:
    """How to read a response whose body is a `kind`. Raises NoMemoryHub when it is something else."""

    def read(response: httpx.Response) -> T:
        try:
            result: T = _object(kind)(response.json())
        except FAULTS:
            raise _strange(response) from None
        return result

    return read


def page(kind: type[T]) -> Callable[[httpx.Response], Page[T]]:
    """How to read a response that is a page of them, or all of them under `items`."""

    def read(response: httpx.Response) -> Page[T]:
        try:
            body = response.json()
            return Page(tuple(_object(kind)(one) for one in body["items"]), body.get("next_cursor"))
        except FAULTS:
            raise _strange(response) from None

    return read


def value(kind: type[T], body: Any) -> T:
    """This body as a `kind`; raises one of FAULTS."""
    result: T = _object(kind)(body)
    return result


def _strange(response: httpx.Response) -> NoMemoryHub:
    return NoMemoryHub("unexpected_answer", status=response.status_code)


def _object(kind: Any) -> Read:
    """A reader of one dataclass. Unknown fields are ignored; one that is missing and has no default is an error."""
    return _readers(kind)


@cache
def _readers(kind: Any) -> Read:
    hints = typing.get_type_hints(kind)
    readers = [(one.name, _reader(hints[one.name]), _required(one)) for one in dataclasses.fields(kind)]

    def read(body: Mapping[str, Any]) -> Any:
        known = {}
        for name, reader, required in readers:
            if name in body:
                given = body[name]
                known[name] = given if reader is None or given is None else reader(given)
            elif required:
                raise KeyError(name)
        return kind(**known)

    return read


def _required(one: dataclasses.Field[Any]) -> bool:
    return one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING


def _reader(hint: Any) -> Read | None:
    """What makes a value of this type out of JSON; None where the JSON is it already."""
    if isinstance(hint, types.UnionType):
        (hint,) = (one for one in get_args(hint) if one is not type(None))
    if hint is datetime:
        return datetime.fromisoformat
    if get_origin(hint) is tuple:
        inner = _reader(get_args(hint)[0])
        return tuple if inner is None else lambda values: _each(inner, values)
    return _object(hint) if dataclasses.is_dataclass(hint) and isinstance(hint, type) else None


def _each(inner: Read, values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(inner(one) for one in values)
