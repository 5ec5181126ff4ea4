"""Our own client, calling the application inside this process: waiting and awaited, over a network that may fail."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from asgiref.sync import async_to_sync, sync_to_async
from cast import USER, Caller, new_key, now, sentence, word
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from memoryhub.client import AsyncClient, Client
from memoryhub.wsgi import application

HELD: dict[str, Any] = {"namespace": USER, "kind": "preference"}


@contextlib.contextmanager
def _kept_connection() -> Iterator[None]:
    """A request's begin and end would close the connection that holds the test's transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


class Network(httpx.BaseTransport):
    """The way to the application. `lost` answers are thrown away after the work is done; `faults` answer in its place.

    A fault is a response, or an exception to raise before anything arrives.
    """

    def __init__(self, *faults: httpx.Response | Exception, lost: int = 0) -> None:
        self.way = httpx.WSGITransport(application)
        self.faults = list(faults)
        self.lost = lost
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self.faults:
            fault = self.faults.pop(0)
            if isinstance(fault, Exception):
                raise fault
            return fault
        with _kept_connection():
            response = self.way.handle_request(request)
            response.read()
        if self.lost:
            self.lost -= 1
            raise httpx.ReadError("the answer is lost", request=request)
        return response


class AwaitedNetwork(httpx.AsyncBaseTransport):
    """The same for the client that is awaited; the application runs in the test's own thread."""

    def __init__(self, network: Network) -> None:
        self.network = network

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        response = await sync_to_async(self.network.handle_request)(request)
        return httpx.Response(response.status_code, headers=response.headers, content=response.read())


class Awaited:
    """An AsyncClient whose methods are awaited at once, so that both clients take the same tests."""

    def __init__(self, client: AsyncClient) -> None:
        self.client = client

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.client, name)
        if not callable(found):
            return found

        def call(*args: Any, **kwargs: Any) -> Any:
            async def awaited() -> Any:
                answer = found(*args, **kwargs)
                if isinstance(answer, AsyncIterator):
                    return iter([one async for one in answer])
                return Awaited(answer) if isinstance(answer, AsyncClient) else await answer

            return async_to_sync(awaited)()

        return call

    def __repr__(self) -> str:
        return repr(self.client)


def client_of(caller: Caller, network: Network | None = None, **options: Any) -> Client:
    """The client with this caller's credential."""
    return Client(**_options(caller, options), transport=network or Network())


def awaited_client_of(caller: Caller, network: Network | None = None, **options: Any) -> Any:
    return Awaited(AsyncClient(**_options(caller, options), transport=AwaitedNetwork(network or Network())))


def _options(caller: Caller, options: dict[str, Any]) -> dict[str, Any]:
    known = {"key": caller.token or "", "subject": caller.subject or "", "url": "http://testserver"}
    return known | {"run": caller.run or "", "thread": caller.thread or ""} | options


@pytest.fixture(params=[client_of, awaited_client_of], ids=["waiting", "awaited"])
def connect(request: pytest.FixtureRequest) -> Any:
    """Makes a client from a caller and a network: each of the two kinds in its turn."""
    return request.param


@pytest.fixture
def in_this_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """What asyncio hands to a thread is done where the test's transaction is."""
    monkeypatch.setattr(asyncio, "to_thread", lambda work, *args: sync_to_async(work)(*args))


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that clients would have waited."""
    taken: list[float] = []

    async def pause(seconds: float) -> None:
        taken.append(seconds)

    monkeypatch.setattr("memoryhub.client.hub.time.sleep", taken.append)
    monkeypatch.setattr("memoryhub.client.hub.asyncio.sleep", pause)
    return taken


def told(**fields: Any) -> dict[str, Any]:
    """A proposal with the person's own message as its evidence."""
    evidence = {"type": "user_message", "ref": f"message_{word()}", "occurred_at": now()}
    return {**HELD, "key": new_key(), "statement": sentence(), "evidence": evidence, **fields}
