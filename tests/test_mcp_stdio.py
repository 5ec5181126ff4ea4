"""The bridge over standard input and output: every line goes to /mcp, and every request gets an answer."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import httpx
import pytest
from cast import Company
from django.conf import settings
from django.test import Client
from mcp_door import HANDSHAKE, STATELESS
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY

from memories.models import Operation
from memoryhub.client.mcp import Bridge, client, serve

META = {PROTOCOL_VERSION_META_KEY: STATELESS, CLIENT_CAPABILITIES_META_KEY: {}}
INITIALIZE = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Wire(httpx.BaseTransport):
    """Django in this thread; each break loses one answer after the server has done its work."""

    def __init__(self, breaks: int = 0) -> None:
        self.breaks = breaks

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        headers = {name: value for name, value in request.headers.items() if name != "host"}
        response = Client().generic("POST", request.url.path, request.content, headers=headers)
        if self.breaks:
            self.breaks -= 1
            raise httpx.ReadError("the answer is lost", request=request)
        return httpx.Response(response.status_code, headers=dict(response.headers), content=response.content)


def bridge(acme: Company, transport: httpx.BaseTransport, **environment: str) -> Bridge:
    """The bridge as its environment makes it, over this transport."""
    key = acme.by("runtime").token or ""
    made = client({"MEMORYHUB_KEY": key, "MEMORYHUB_SUBJECT": "alice", **environment})
    return Bridge(httpx.Client(transport=transport, base_url="http://127.0.0.1", headers=made.headers))


def exchange(over: Bridge, *messages: Any) -> list[dict[str, Any]]:
    """What the host reads after it wrote these lines."""
    out = io.StringIO()
    serve(over, [one if isinstance(one, str) else json.dumps(one) for one in messages], out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def request(method: str, number: int = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def test_both_kinds_of_revisions_pass_the_bridge(acme: Company) -> None:
    memory = acme.alice.store()
    search = {"name": "memory_search", "arguments": {"query": "summary"}}
    over = bridge(acme, Wire())
    answers = exchange(
        over,
        request("initialize", 0, **INITIALIZE),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request("tools/call", 1, **search),
        "",
        request("tools/call", 2, **search, _meta=META),
        request("resources/read", 3, uri="memoryhub://procedures/工", _meta=META),
    )
    assert [one["id"] for one in answers] == [0, 1, 2, 3]
    assert answers[0]["result"]["protocolVersion"] == over.agreed == HANDSHAKE
    for found in answers[1:3]:
        assert found["result"]["structuredContent"]["memories"][0]["memory_id"] == memory["memory_id"]
    assert answers[3]["error"]["data"]["code"] == "not_found"


def test_a_call_whose_answer_was_lost_is_carried_out_once(acme: Company) -> None:
    """R-219: network failure after commit."""
    save = request("tools/call", name="memory_save", arguments={"key": "answer_style", "value": "brief"})
    (answer,) = exchange(bridge(acme, Wire(breaks=1)), save)
    assert answer["result"]["structuredContent"]["error"] == "waits_for_confirmation"
    with acme.entered():
        assert Operation.objects.count() == 1


ELSEWHERE = (
    httpx.ConnectError("refused"), httpx.Response(502, text="<html>"), httpx.Response(301), httpx.Response(200, json=[])
)  # fmt: skip


@pytest.mark.parametrize("answer", ELSEWHERE)
def test_what_is_no_memoryhub_is_an_error_that_names_no_address(acme: Company, answer: Any) -> None:
    def reply(sent: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    over = bridge(acme, httpx.MockTransport(reply), MEMORYHUB_URL="http://user:pass@hub.example")
    (told,) = exchange(over, request("ping", 7), {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (told["id"], told["error"]["code"]) == (7, -32603)
    assert "hub.example" not in json.dumps(told)


def test_a_refusal_comes_under_the_id_that_the_host_waits_for(acme: Company) -> None:
    """R-227: a wrong key, and lines that are no messages."""
    wrong = bridge(acme, Wire(), MEMORYHUB_KEY="mh_x_y")
    told = exchange(wrong, request("ping", 7), "{", "[" * 5000, "[]")
    assert [one["id"] for one in told] == [7, None, None, None]
    assert [one["error"]["code"] for one in told] == [-32600, -32700, -32700, -32600]


def test_the_command_says_what_it_needs() -> None:
    command = [sys.executable, "-m", "memoryhub.client.mcp"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=settings.BASE_DIR, env={}, check=False)  # noqa: S603
    assert ran.returncode == 2
    assert "MEMORYHUB_KEY" in ran.stderr
    assert "MEMORYHUB_SUBJECT" in str(sys.modules["memoryhub.client.mcp"].__doc__)
