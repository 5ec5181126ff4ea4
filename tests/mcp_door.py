"""The MCP door inside this process: single messages as they go over the wire, and the official client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import httpx2
from asgiref.sync import async_to_sync, sync_to_async
from cast import Caller
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY

STATELESS, HANDSHAKE = "2026-07-28", "2025-11-25"
MODES = ("auto", "legacy")  # of the official client: the stateless revision where it is served, the handshake
FORMS = {"elicitation": {}}
Answer = TypeVar("Answer")


def send(caller: Caller, body: Any, headers: Mapping[str, str] | None = None, method: str = "POST") -> Any:
    return caller.call(method, "//mcp", body, headers)


def handshake(caller: Caller, method: str, params: Mapping[str, Any] | None = None, **headers: str) -> Any:
    """A request as a client of the previous revision sends it after its handshake."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {})}
    return send(caller, body, {"MCP-Protocol-Version": HANDSHAKE, **headers})


def stateless(
    caller: Caller, method: str, params: Mapping[str, Any] | None = None, capabilities: Any = None, **headers: str
) -> Any:
    """A request of the current revision, with everything that it says in its body and again in its headers."""
    params = dict(params or {})
    meta = {PROTOCOL_VERSION_META_KEY: STATELESS, CLIENT_CAPABILITIES_META_KEY: capabilities or {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    said = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": method}
    name = params.get("name") or params.get("uri")
    return send(caller, body, said | ({"Mcp-Name": name} if name else {}) | headers)


def tool(caller: Caller, name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    """The result of a tool's call in the current revision."""
    response = stateless(caller, "tools/call", {"name": name, "arguments": arguments}, **more)
    assert response.status_code == 200, response.content
    return dict(response.json()["result"])


class _InProcess(httpx2.AsyncBaseTransport):
    """Carries the client's requests to Django in the thread of the test, whose transaction it shares."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        response = await sync_to_async(send)(self.caller, body, dict(request.headers), request.method)
        return httpx2.Response(response.status_code, headers=dict(response.headers), content=response.content)


def talk(caller: Caller, conversation: Callable[[Client], Awaitable[Answer]], mode: str, **options: Any) -> Answer:
    """What a conversation of the official client with /mcp comes to."""

    async def run() -> Answer:
        http = httpx2.AsyncClient(transport=_InProcess(caller))
        door = streamable_http_client("http://testserver/mcp", http_client=http)
        async with http, Client(door, mode=mode, **options) as client:  # type: ignore[arg-type]
            return await conversation(client)

    return async_to_sync(run)()
