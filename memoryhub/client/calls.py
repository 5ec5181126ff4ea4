"""One call as a value, and methods that are written once for the client that waits and the one that is awaited."""

from __future__ import annotations

import dataclasses
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

import httpx

from memoryhub.client.results import Page

if TYPE_CHECKING:
    from memoryhub.client.hub import AsyncClient, Client

P = ParamSpec("P")
T = TypeVar("T")


class Effect(Enum):
    """What happens when a call is sent twice."""

    NONE = "none"
    """It reads, or the server answers the second as the first: always safe to repeat."""
    ONCE = "once"
    """It writes under a key of the call: safe to repeat as it is."""
    EACH_TIME = "each_time"
    """It writes each time: never repeated once it may have arrived."""


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request and how its answer is read. Its body is not in its repr."""

    method: str
    path: str
    read: Callable[[httpx.Response], T] = field(repr=False)
    effect: Effect = Effect.NONE
    body: Mapping[str, Any] | None = field(default=None, repr=False)
    params: Mapping[str, str] = field(default_factory=dict, repr=False)
    version: int | None = None
    idempotency_key: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        headers = {} if self.body is None else {"Content-Type": "application/json"}
        if self.version is not None:
            headers["If-Match"] = f'"{self.version}"'
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        return headers

    @property
    def content(self) -> bytes | None:
        if self.body is None:
            return None
        # Escaped, so that a broken character is refused by the server, which names its field.
        return json.dumps(self.body, separators=(",", ":"), default=_plain).encode()

    def after(self, cursor: str) -> Self:
        """The same listing, from this cursor on."""
        return dataclasses.replace(self, params={**self.params, "cursor": cursor})


def get(path: str, read: Callable[[httpx.Response], T], **params: str | None) -> Call[T]:
    """A call that reads."""
    return Call("GET", path, read, params={name: value for name, value in params.items() if value is not None})


def ask(path: str, read: Callable[[httpx.Response], T], body: Mapping[str, Any]) -> Call[T]:
    """A POST that changes nothing, or nothing more when it is repeated."""
    return Call("POST", path, read, body=body)


def write(
    path: str, read: Callable[[httpx.Response], T], body: Mapping[str, Any], idempotency_key: str | None
) -> Call[T]:
    """A POST that creates, under the key given or one of its own, which it keeps however often it is sent."""
    return Call("POST", path, read, Effect.ONCE, body, idempotency_key=idempotency_key or str(uuid.uuid4()))


def change(
    method: str,
    path: str,
    read: Callable[[httpx.Response], T],
    body: Mapping[str, Any] | None = None,
    version: int | None = None,
) -> Call[T]:
    """A change of what exists, when its current version is the one named. The server knows no key for these."""
    return Call(method, path, read, Effect.EACH_TIME, body, version=version)


def _plain(value: Any) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no JSON")


class endpoint(Generic[P, T]):  # noqa: N801 - a decorator
    """A method that describes a call: `Client` answers with its result, `AsyncClient` with an awaitable of it."""

    def __init__(self, describe: Callable[Concatenate[Any, P], Call[T]]) -> None:
        self.describe = describe
        self.__doc__ = describe.__doc__

    @overload
    def __get__(self, hub: Client, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, hub: AsyncClient, owner: type) -> Callable[P, Awaitable[T]]: ...
    @overload
    def __get__(self, hub: None, owner: type) -> Self: ...
    def __get__(self, hub: Any, owner: type) -> Any:
        if hub is None:
            return self

        def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            return hub.send(self.describe(hub, *args, **kwargs))

        return update_wrapper(call, self.describe)


class listing(Generic[P, T]):  # noqa: N801 - a decorator
    """A method that describes a listing: an iterator over all of it, page after page as it is read."""

    def __init__(self, describe: Callable[Concatenate[Any, P], Call[Page[T]]]) -> None:
        self.describe = describe
        self.__doc__ = describe.__doc__

    @overload
    def __get__(self, hub: Client, owner: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, hub: AsyncClient, owner: type) -> Callable[P, AsyncIterator[T]]: ...
    @overload
    def __get__(self, hub: None, owner: type) -> Self: ...
    def __get__(self, hub: Any, owner: type) -> Any:
        if hub is None:
            return self

        def pages(*args: P.args, **kwargs: P.kwargs) -> Any:
            return hub.pages(self.describe(hub, *args, **kwargs))

        return update_wrapper(pages, self.describe)
