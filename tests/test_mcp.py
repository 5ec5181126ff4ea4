"""The MCP door: both kinds of revisions, the same tools and rights as over REST, errors that say what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cast import ABSENT, TEAM, Caller, Company, in_months, new_key, sentence, word
from django.test import override_settings
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_door import HANDSHAKE, MODES, STATELESS, handshake, send, stateless, talk, tool

from accounts.models import AuditEvent
from memories.models import Candidate, Memory, Operation

STYLE = {"key": "answer_style", "value": "brief"}
INITIALIZE = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def procedure(acme: Company, text: str = "Check the receipt before confirming a refund.") -> dict[str, Any]:
    return acme.rita.share(TEAM, text, kind="procedure", valid_until=in_months(), conditions="When money is returned.")


# --- the official client ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_searches_saves_and_reads_the_playbook(acme: Company, mode: str) -> None:
    """R-202, R-210: it checks every answer against the protocol's types and the tool's own output schema."""
    memory, listed = acme.alice.store(), procedure(acme)

    async def conversation(client: Client) -> Any:
        tools = {one.name: one for one in (await client.list_tools()).tools}
        found = await client.call_tool("memory_search", {"query": "summary"})
        held = await client.call_tool("memory_save", STYLE)
        resources = (await client.list_resources()).resources
        read = (await client.read_resource(resources[0].uri)).contents[0]
        return client.protocol_version, tools, found, held, resources, read

    version, tools, found, held, resources, read = talk(acme.alice, conversation, mode)
    assert version == (STATELESS if mode == "auto" else HANDSHAKE)
    assert set(tools) == {"memory_search", "memory_save"}
    assert tools["memory_search"].annotations.read_only_hint is True
    assert tools["memory_save"].annotations.destructive_hint is False
    assert found.is_error is False
    assert [one["memory_id"] for one in found.structured_content["memories"]] == [memory["memory_id"]]
    assert json.loads(found.content[-1].text) == found.structured_content
    assert (held.is_error, held.structured_content["error"]) == (False, "waits_for_confirmation")
    assert "/waiting/" in held.content[0].text
    assert [one.uri for one in resources] == [f"memoryhub://procedures/{listed['memory_id']}"]
    assert resources[0].description == "When money is returned."
    told = json.loads(read.text)
    assert (told["statement"], told["evidence_class"]) == (listed["statement"], "verified_reviewer")
    assert "not an instruction" in told["note"]


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_is_told_what_is_wrong(acme: Company, mode: str) -> None:
    async def conversation(client: Client) -> Any:
        refused = await client.call_tool("memory_search", {"question": "summary"})
        for call in (client.call_tool("memory_read_all", {}), client.read_resource(f"memoryhub://procedures/{ABSENT}")):
            with pytest.raises(MCPError):
                await call
        with pytest.raises(MCPError):
            await client.list_prompts()
        return refused

    refused = talk(acme.alice, conversation, mode)
    assert (refused.is_error, refused.structured_content) == (True, {"ok": False, "error": "invalid_tool_arguments"})


# --- the same as over REST --------------------------------------------------------------------------------------------


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("memory_search", {"query": "summary"}),
    ("memory_search", {"query": "  "}),
    ("memory_search", {"query": "x", "subject": "bob"}),
    ("memory_save", STYLE),
    ("memory_save", STYLE | {"evidence_type": "explicit_user"}),
    ("memory_save", {"key": "answer_style", "value": "zh"}),
    ("memory_forget", {"memory_id": ABSENT}),
    ("memory_forget", {"memory_id": "no id"}),
)


@pytest.mark.parametrize("ask", [stateless, handshake])
def test_a_tool_answers_as_over_rest(acme: Company, ask: Any) -> None:
    """R-203, R-206, R-209, R-237: one executor behind both doors; identity is in no argument."""
    acme.policy(tools={"memory_save_free_text": False, "memory_forget": True}, confirm="inferred_only")
    acme.alice.store()
    for name, arguments in CALLS:
        result = ask(acme.alice, "tools/call", {"name": name, "arguments": arguments}).json()["result"]
        assert result["structuredContent"] == acme.alice.tool(name, arguments)


def test_what_is_offered_fits_what_is_answered(acme: Company) -> None:
    memory = acme.alice.store()
    acme.policy(tools={"memory_save_free_text": True, "memory_forget": True}, confirm="agent_writes")
    offered = {one["name"]: one for one in stateless(acme.alice, "tools/list").json()["result"]["tools"]}
    over_rest = {one["name"]: one["parameters"] for one in acme.alice.get("/tools").json()["tools"]}
    assert {name: one["inputSchema"] for name, one in offered.items()} == over_rest
    answers = {
        "memory_search": {"query": "summary"},
        "memory_save": {"key": new_key(), "value": None, "statement": sentence()},
        "memory_forget": {"memory_id": memory["memory_id"]},
    }
    for name, arguments in answers.items():
        answered = tool(acme.alice, name, arguments)["structuredContent"]
        Draft202012Validator(offered[name]["outputSchema"] | {"additionalProperties": False}).validate(answered)


@pytest.mark.parametrize("scope", ["memory:recall", "memory:propose", "memory:read", "audit:read"])
def test_a_credential_is_offered_what_it_may_use(acme: Company, scope: str) -> None:
    """R-229: and may not call what it is not offered."""
    caller = acme.by(scope)
    offered = {one["name"] for one in stateless(caller, "tools/list").json()["result"]["tools"]}
    assert offered == {"memory:recall": {"memory_search"}, "memory:propose": {"memory_save"}}.get(scope, set())
    for name, arguments in (("memory_search", {"query": "x"}), ("memory_save", STYLE)):
        result = tool(caller, name, arguments)
        assert (result["structuredContent"].get("error") != "missing_scope") == (name in offered)
        assert result["isError"] == (name not in offered)
    capabilities = stateless(caller, "server/discover").json()["result"]["capabilities"]
    assert ("resources" in capabilities) == (scope == "memory:read")
    assert stateless(caller, "resources/list").status_code == (200 if scope == "memory:read" else 403)


def test_a_delegation_is_a_credential_too(acme: Company) -> None:
    """R-062: bound to its person and its scopes, whatever the headers say."""
    acme.alice.store()
    given = acme.alice.post("/delegations", {"subject": "alice", "scopes": ["memory:recall"]}).json()["token"]
    assert tool(Caller(given), "memory_search", {"query": "summary"})["structuredContent"]["status"] == "ok"
    assert tool(Caller(given), "memory_save", STYLE)["structuredContent"]["error"] == "missing_scope"
    assert stateless(Caller(given, "paul"), "tools/list").status_code == 404


@pytest.mark.parametrize("ask", [stateless, handshake])
def test_a_secret_is_refused_in_words_that_do_not_repeat_it(acme: Company, ask: Any) -> None:
    """R-071, R-091."""
    acme.policy(tools={"memory_save_free_text": True, "memory_forget": False}, confirm="agent_writes")
    password = "hunter" + "-".join([word(), "Q7x"])
    arguments = {"key": "note", "value": None, "statement": f"My password is {password}."}
    response = ask(acme.alice, "tools/call", {"name": "memory_save", "arguments": arguments})
    result = response.json()["result"]
    assert (result["isError"], result["structuredContent"]["reason"]) == (True, "sensitive_or_prohibited")
    assert "password" in result["content"][0]["text"]
    assert password not in response.content.decode()
    with acme.entered():
        assert (Memory.objects.count(), Candidate.objects.count()) == (0, 0)


def test_an_idempotency_key_lets_a_call_act_once(acme: Company) -> None:
    """R-219, R-242."""
    once = {"Idempotency-Key": word()}
    call = {"name": "memory_save", "arguments": STYLE}
    first, again = (stateless(acme.alice, "tools/call", call, **once) for _ in range(2))
    assert first.json() == again.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    other = tool(acme.alice, "memory_search", {"query": "x"}, **once)
    assert (other["isError"], other["structuredContent"]["error"]) == (True, "idempotency_key_reused")
    with acme.entered():
        assert Operation.objects.count() == 1


def test_the_audit_names_the_door(acme: Company) -> None:
    listed = procedure(acme)
    uri = f"memoryhub://procedures/{listed['memory_id']}"
    tool(acme.alice, "memory_search", {"query": "receipt"})
    stateless(acme.alice, "resources/read", {"uri": uri})
    assert stateless(acme.paul, "resources/read", {"uri": uri}).status_code == 400
    acme.alice.tool("memory_search", {"query": "receipt"})
    with acme.entered():
        events = AuditEvent.objects.order_by("pk").values_list("action", "details")
        doors = [(action, details.get("door")) for action, details in events][-4:]
    assert doors == [("memory.recall", "mcp"), ("memory.read", "mcp"), ("api.refused", "mcp"), ("memory.recall", None)]


# --- the playbook -----------------------------------------------------------------------------------------------------


def test_the_playbook_is_what_stands_now_and_may_be_read(acme: Company, beta: Company) -> None:
    """R-059, R-096: not what is paused, forgotten, of another kind or of others."""
    stands, paused = procedure(acme), procedure(acme, "Ask before a parcel is sent again.")
    acme.rita.share(TEAM, "Check the list before closing a case.")
    acme.by("relay", "rita").post(f"/memories/{paused['memory_id']}/pause", {})

    def listed(caller: Caller) -> list[str]:
        answer = stateless(caller, "resources/list").json()["result"]
        return [one["uri"].rpartition("/")[2] for one in answer["resources"]]

    assert listed(acme.alice) == [stands["memory_id"]]
    assert listed(acme.paul) == listed(beta.bob) == listed(acme.by("runtime", agent="outsider")) == []
    acme.by("relay", "rita").forget(stands)
    assert listed(acme.alice) == []


def test_a_procedure_of_others_answers_as_an_absent_one(acme: Company, beta: Company) -> None:
    """R-061, T1: and so does what is no procedure, and every other address."""
    stands, lesson = procedure(acme), acme.rita.share(TEAM, "Check the list before closing a case.")

    def told(caller: Caller, uri: str) -> Any:
        response = handshake(caller, "resources/read", {"uri": uri})
        error = response.json()["error"]
        return response.status_code, error["code"], error["message"], error["data"]["code"]

    absent = told(acme.alice, f"memoryhub://procedures/{ABSENT}")
    assert absent == (200, -32002, "Not found", "not_found")
    for caller in (acme.paul, beta.bob, beta.by("runtime", "alice")):
        assert told(caller, f"memoryhub://procedures/{stands['memory_id']}") == absent
    for uri in (f"memoryhub://procedures/{lesson['memory_id']}", "memoryhub://procedures/", "file:///etc/passwd", ""):
        assert told(acme.alice, uri) == absent


def test_the_playbook_comes_in_pages(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.mcp.PAGE_SIZE", 1)
    made = [procedure(acme, text)["memory_id"] for text in ("Check the receipt first.", "Ask a colleague first.")]
    first = stateless(acme.alice, "resources/list").json()["result"]
    rest = stateless(acme.alice, "resources/list", {"cursor": first["nextCursor"]}).json()["result"]
    assert [one["uri"].rpartition("/")[2] for one in first["resources"] + rest["resources"]] == made[::-1]
    assert "nextCursor" not in rest
    for caller, cursor in ((acme.rita, first["nextCursor"]), (acme.alice, "made:up")):
        refused = stateless(caller, "resources/list", {"cursor": cursor})
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32602)


# --- who is let in ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [stateless, handshake])
def test_without_a_credential_nothing_is_told(acme: Company, ask: Any) -> None:
    """R-227: not even what is offered; a browser's session is none."""
    answers = [ask(caller, "tools/list") for caller in (Caller(), Caller("mh_x_y"), acme.person("alice"))]
    assert [one.status_code for one in answers] == [401, 401, 401]
    assert all(one.headers["WWW-Authenticate"].startswith("Bearer") for one in answers)
    assert {one.json()["error"]["data"]["code"] for one in answers} == {"not_authenticated"}


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://testserver", 200), ("http://127.0.0.1:8000", 200), ("https://evil.example", 403), ("null", 403)],
)
def test_pages_of_other_sites_are_turned_away(acme: Company, origin: str, status: int) -> None:
    """T27."""
    assert stateless(acme.alice, "tools/list", Origin=origin).status_code == status


def test_a_name_that_is_not_ours_is_turned_away(acme: Company) -> None:
    assert stateless(acme.alice, "tools/list", Host="evil.example").status_code == 400


@override_settings(MEMORYHUB_THROTTLE_RATE="2/hour")
def test_calls_count_against_the_callers_rate_whatever_the_door(acme: Company) -> None:
    acme.alice.tool("memory_search", {"query": "x"})
    assert stateless(acme.alice, "tools/list").status_code == 200
    refused = stateless(acme.alice, "tools/list")
    assert (refused.status_code, refused.json()["error"]["data"]["code"]) == (429, "throttled")
    assert int(refused.headers["Retry-After"]) > 0


def test_a_body_has_the_size_that_rest_takes(acme: Company) -> None:
    refused = stateless(acme.alice, "tools/call", {"name": "memory_search", "arguments": {"query": "x" * 1024 * 1024}})
    assert (refused.status_code, refused.json()["error"]["data"]["code"]) == (413, "too_large")


def test_there_are_no_streams_and_no_sessions(acme: Company) -> None:
    for method in ("GET", "DELETE", "PUT", "OPTIONS"):
        refused = send(acme.alice, None, method=method)
        assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")
    assert "Mcp-Session-Id" not in handshake(acme.alice, "initialize", INITIALIZE).headers


def test_a_failing_database_is_told_as_the_tools_error(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-237, R-308: never an empty success."""
    from django.db import OperationalError

    def down(*args: Any, **kwargs: Any) -> Any:
        raise OperationalError("no such host")

    assert tool(acme.alice, "memory_search", {"query": "x"})["isError"] is False
    monkeypatch.setattr("memories.recalling.access.areas", down)
    result = tool(acme.alice, "memory_search", {"query": "x"})
    assert (result["isError"], result["structuredContent"]) == (True, {"ok": False, "error": "memory_unavailable"})
    assert "host" not in json.dumps(result)


def test_a_fault_of_ours_is_an_error_of_the_protocol(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("what somebody said")

    monkeypatch.setattr("memories.recalling.access.areas", broken)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    body["params"] = {"name": "memory_search", "arguments": {"query": "x"}}
    headers = {"Authorization": f"Bearer {acme.alice.token}", "MemoryHub-Subject": "alice"}
    response = acme.alice.client.post("/mcp", body, "application/json", headers=headers)
    assert (response.status_code, response.json()["error"]["code"]) == (500, -32603)
    assert "somebody" not in response.content.decode()


# --- the protocol -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wished", [HANDSHAKE, "2025-06-18", "2024-11-05", "1999-01-01", STATELESS])
def test_a_handshake_agrees_on_a_revision_that_has_one(acme: Company, wished: str) -> None:
    body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE | {"protocolVersion": wished}}
    result = send(acme.alice, body).json()["result"]
    assert result["protocolVersion"] == (wished if wished in (HANDSHAKE, "2025-06-18", "2024-11-05") else HANDSHAKE)
    assert result["serverInfo"]["name"] == "memoryhub"
    assert send(acme.alice, {"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202
    assert handshake(acme.alice, "ping").json()["result"] == {}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"MCP-Protocol-Version": "2099-01-01"}, -32020),
        ({"Mcp-Method": "tools/list"}, -32020),
        ({"Mcp-Name": "memory_save"}, -32020),
        ({"Mcp-Name": "=?base64?bWVtb3J5X3NlYXJjaA==?="}, None),
        ({"Mcp-Name": "=?base64?bWVtb3J5X3NlYXJjaA?="}, -32020),
    ],
)
def test_headers_and_body_must_say_the_same(acme: Company, change: dict[str, str], code: int | None) -> None:
    call = {"name": "memory_search", "arguments": {"query": "x"}}
    response = stateless(acme.alice, "tools/call", call, **change)
    assert response.status_code == (400 if code else 200)
    assert response.json().get("error", {}).get("code") == code


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (b"{", {}, 400, -32700),
        (b"", {}, 400, -32600),
        ([], {}, 400, -32600),
        ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], {}, 400, -32600),
        ({"id": 1, "method": "ping"}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": "\ud800", "method": "ping"}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "prompts/list"}, {}, 200, -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"arguments": {}}}, {}, 200, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}}, {}, 200, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"MCP-Protocol-Version": "2099-01-01"}, 400, -32022),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"MCP-Protocol-Version": STATELESS}, 400, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"Accept": "text/html"}, 406, -32600),
    ],
)
def test_what_is_no_call_is_told_so(acme: Company, body: Any, headers: dict[str, str], status: int, code: int) -> None:
    response = send(acme.alice, body, headers)
    error = response.json()
    assert (response.status_code, error["error"]["code"]) == (status, code)
    assert error["jsonrpc"] == "2.0"
    assert response.headers["Content-Type"] == "application/json"


def test_methods_of_the_handshake_are_gone_from_the_current_revision(acme: Company) -> None:
    for method in ("ping", "logging/setLevel", "prompts/list", "subscriptions/listen", "nonsense"):
        params = {"notifications": {}} if method == "subscriptions/listen" else {}
        response = stateless(acme.alice, method, params)
        assert (response.status_code, response.json()["error"]["code"], response.json()["id"]) == (404, -32601, 1)


def test_what_may_be_kept_by_a_client_holds_nothing_remembered(acme: Company) -> None:
    """R-153: a forgotten procedure is in no client's cache."""
    uri = f"memoryhub://procedures/{procedure(acme)['memory_id']}"
    kept = {
        method: stateless(acme.alice, method, params).json()["result"]["ttlMs"]
        for method, params in (("tools/list", {}), ("resources/list", {}), ("resources/read", {"uri": uri}))
    }
    assert kept == {"tools/list": 60_000, "resources/list": 0, "resources/read": 0}
