"""The two clients of a MemoryHub: one waits for its answers, one is awaited."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import hmac
import json
import os
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar

import httpx

from memoryhub.client.calls import Call
from memoryhub.client.endpoints import Batched, Endpoints
from memoryhub.client.errors import HubError
from memoryhub.client.inputs import Proposal
from memoryhub.client.own import OwnEndpoints
from memoryhub.client.results import BatchProblem, Decision, Page
from memoryhub.client.retrying import Attempts, Retries

T = TypeVar("T")
DEFAULT_URL = "http://127.0.0.1:8000"
TIMEOUT = httpx.Timeout(10, connect=5)
BATCH_ITEMS, BATCH_BYTES = 1000, 15_000_000


class Hub(Endpoints, OwnEndpoints):
    """Who calls and for whom: one credential, one subject. Neither its repr nor an error shows the key."""

    def __init__(
        self, key: str, subject: str = "", *, run: str = "", thread: str = "", retries: Retries | None = None
    ) -> None:
        self.subject, self.run, self.thread = subject, run, thread
        self.retries = retries or Retries()
        self._key = key

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, **options: Any) -> Self:
        """A client for MEMORYHUB_KEY, with MEMORYHUB_URL, _SUBJECT, _RUN and _THREAD where they are set.

        Raises KeyError without MEMORYHUB_KEY.
        """
        names = {"key": "MEMORYHUB_KEY", "url": "MEMORYHUB_URL", "subject": "MEMORYHUB_SUBJECT"}
        names |= {"run": "MEMORYHUB_RUN", "thread": "MEMORYHUB_THREAD"}
        given: dict[str, Any] = {name: environment[one] for name, one in names.items() if environment.get(one)}
        return cls(**{"key": environment["MEMORYHUB_KEY"], **given, **options})

    def __repr__(self) -> str:
        return f"{type(self).__name__}(subject={self.subject!r}, run={self.run!r}, thread={self.thread!r})"

    def acting_for(self, subject: str, *, run: str = "", thread: str = "") -> Self:
        """The same connection and key, for another person, run or conversation. Closing either closes both."""
        other = copy.copy(self)
        other.subject, other.run, other.thread = subject, run, thread
        return other

    def keyed_digest(self, text: str) -> str:
        """A digest that only the holder of this credential can make, so that a kept one gives no text away."""
        return hmac.digest(self._key.encode(), text.encode(errors="backslashreplace"), "sha256").hex()

    def _request(self, call: Call[Any]) -> dict[str, Any]:
        sent = {"MemoryHub-Subject": self.subject, "MemoryHub-Run": self.run, "MemoryHub-Thread": self.thread}
        headers = {"Authorization": f"Bearer {self._key}", **{name: value for name, value in sent.items() if value}}
        encoded = {name: value.encode() for name, value in {**headers, **call.headers}.items()}
        return {
            "method": call.method,
            "url": f"/api/v1{call.path}",
            "params": call.params or None,
            "content": call.content,
            "headers": encoded,
        }


class Client(Hub):
    """A MemoryHub, called over HTTP. Safe to share between threads; close it, or use it in a `with`.

    `transport` replaces the network: `httpx.WSGITransport(application)` calls a MemoryHub in this very process.
    """

    def __init__(
        self,
        key: str,
        subject: str = "",
        *,
        url: str = DEFAULT_URL,
        run: str = "",
        thread: str = "",
        timeout: float | httpx.Timeout = TIMEOUT,
        retries: Retries | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(key, subject, run=run, thread=thread, retries=retries)
        self._http = httpx.Client(base_url=url, timeout=timeout, transport=transport)

    def send(self, call: Call[T]) -> T:
        """Send a call until it is answered or must not be sent again. Raises HubError."""
        attempts, request = Attempts(call, self.retries), self._request(call)
        while True:
            got: httpx.Response | httpx.HTTPError
            try:
                got = self._http.request(**request)
            except httpx.HTTPError as error:
                got = error
            pause = attempts.wait(got)
            if isinstance(got, httpx.Response) and pause is None:
                return attempts.read(got)
            time.sleep(pause or 0)

    def pages(self, call: Call[Page[T]]) -> Iterator[T]:
        """Every item of a listing."""
        while True:
            page = self.send(call)
            yield from page.items
            if page.next_cursor is None:
                return
            call = call.after(page.next_cursor)

    def propose_batch(self, proposals: Sequence[Proposal], *, idempotency_key: str | None = None) -> Batched:
        """Any number of proposals, in as many requests as they need, answered in order.

        When it breaks off, repeat it with the error's `idempotency_key`: what was done answers again as it did.
        """
        key = idempotency_key or str(uuid.uuid4())
        answers: list[Decision | BatchProblem] = []
        for number, part in enumerate(_parts(proposals)):
            with _under(key, number):
                answers += self.propose_together(part, idempotency_key=f"{key}:{number}")
        return tuple(answers)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


class AsyncClient(Hub):
    """The same, awaited. `async with` closes it."""

    def __init__(
        self,
        key: str,
        subject: str = "",
        *,
        url: str = DEFAULT_URL,
        run: str = "",
        thread: str = "",
        timeout: float | httpx.Timeout = TIMEOUT,
        retries: Retries | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(key, subject, run=run, thread=thread, retries=retries)
        self._http = httpx.AsyncClient(base_url=url, timeout=timeout, transport=transport)

    async def send(self, call: Call[T]) -> T:
        """Send a call until it is answered or must not be sent again. Raises HubError."""
        attempts, request = Attempts(call, self.retries), self._request(call)
        while True:
            got: httpx.Response | httpx.HTTPError
            try:
                got = await self._http.request(**request)
            except httpx.HTTPError as error:
                got = error
            pause = attempts.wait(got)
            if isinstance(got, httpx.Response) and pause is None:
                return attempts.read(got)
            await asyncio.sleep(pause or 0)

    async def pages(self, call: Call[Page[T]]) -> AsyncIterator[T]:
        """Every item of a listing."""
        while True:
            page = await self.send(call)
            for item in page.items:
                yield item
            if page.next_cursor is None:
                return
            call = call.after(page.next_cursor)

    async def propose_batch(self, proposals: Sequence[Proposal], *, idempotency_key: str | None = None) -> Batched:
        """Any number of proposals, in as many requests as they need; see `Client.propose_batch`."""
        key = idempotency_key or str(uuid.uuid4())
        answers: list[Decision | BatchProblem] = []
        for number, part in enumerate(_parts(proposals)):
            with _under(key, number):
                answers += await self.propose_together(part, idempotency_key=f"{key}:{number}")
        return tuple(answers)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.close()


def _parts(proposals: Sequence[Proposal]) -> Iterator[list[Proposal]]:
    """The proposals in pieces that the server takes; the same proposals always make the same pieces."""
    part: list[Proposal] = []
    size = 0
    for one in proposals:
        length = len(json.dumps(one, default=str))
        if part and (len(part) == BATCH_ITEMS or size + length > BATCH_BYTES):
            yield part
            part, size = [], 0
        part.append(one)
        size += length
    if part:
        yield part


@contextlib.contextmanager
def _under(key: str, number: int) -> Iterator[None]:
    """Errors of a part name the key of the whole, and say so when earlier parts were carried out."""
    try:
        yield
    except HubError as error:
        error.idempotency_key = key
        if number:
            error.outcome = "partly_done"
        raise
