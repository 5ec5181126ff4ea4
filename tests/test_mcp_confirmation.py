"""The person's answer inside an MCP client: only where the client shows forms and the credential may relay answers."""

from __future__ import annotations

from typing import Any

import pytest
from cast import Caller, Company, word
from mcp import Client
from mcp_door import FORMS, MODES, stateless, talk, tool
from mcp_types import ElicitResult

from accounts.models import AuditEvent
from memories.models import Candidate, Evidence, Memory
from reviews.models import Review

STYLE = {"key": "answer_style", "value": "brief"}
YES = {"action": "accept", "content": {"agreed": True}}
NO = ({"action": "decline"}, {"action": "accept", "content": {"agreed": False}}, {"action": "accept", "content": {}})


def asked(caller: Caller, name: str = "memory_save", arguments: Any = STYLE) -> dict[str, Any]:
    return tool(caller, name, arguments, capabilities=FORMS)


def answered(
    caller: Caller, question: dict[str, Any], answer: Any, name: str = "memory_save", arguments: Any = STYLE
) -> dict[str, Any]:
    """The result of the same call with the person's answer."""
    said = {"inputResponses": {"confirmation": answer}} if answer else {}
    call = {"name": name, "arguments": arguments, "requestState": question["requestState"], **said}
    response = stateless(caller, "tools/call", call, FORMS)
    assert response.status_code == 200, response.content
    return dict(response.json()["result"])


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_asks_the_person(acme: Company, mode: str) -> None:
    """Clients of the handshake revisions have no way to be asked without a stream: what they propose waits."""
    shown = []

    async def agree(_: Any, form: Any) -> ElicitResult:
        shown.append(form.message)
        return ElicitResult(action="accept", content={"agreed": True})

    async def conversation(client: Client) -> Any:
        return (await client.call_tool("memory_save", STYLE)).structured_content

    output = talk(acme.by("relay"), conversation, mode, elicitation_callback=agree)
    assert output["ok"] is (mode == "auto")
    assert len(shown) == (1 if mode == "auto" else 0)
    assert all("Keep answers brief." in one for one in shown)
    assert len(acme.alice.recalled("brief answers")) == len(shown)


def test_a_yes_saves_exactly_what_was_shown_as_the_persons_word(acme: Company) -> None:
    """R-079, R-158: with the event that shows it, the verdict and the audit of a relayed answer."""
    relay = acme.by("relay")
    question = asked(relay)
    assert "Keep answers brief." in question["inputRequests"]["confirmation"]["params"]["message"]
    with acme.entered():
        assert Memory.objects.count() == 0
    saved = answered(relay, question, YES)["structuredContent"]
    assert (saved["ok"], saved["decision"]) == (True, "store")
    with acme.entered():
        memory, event = Memory.objects.get(), Evidence.objects.get()
        assert (memory.evidence_class, event.type, event.text) == ("explicit_user", "user_message", None)
        assert Review.objects.get().verdict == "approve"
        doors = AuditEvent.objects.filter(action__in=["evidence.attest", "memory.approve", "candidate.approve"])
        assert [one.details["door"] for one in doors] == ["mcp"] * 3


def test_an_answer_counts_once(acme: Company) -> None:
    """R-219: sent again it answers the same, and it cannot be turned round."""
    relay = acme.by("relay")
    question = asked(relay)
    first = answered(relay, question, YES)
    assert answered(relay, question, YES) == first
    turned = answered(relay, question, NO[0])
    assert (turned["isError"], turned["structuredContent"]["error"]) == (True, "idempotency_key_reused")
    with acme.entered():
        assert (Memory.objects.count(), Evidence.objects.count()) == (1, 1)


@pytest.mark.parametrize("answer", NO)
def test_a_no_saves_nothing_and_keeps_nothing(acme: Company, answer: Any) -> None:
    relay = acme.by("relay")
    question = asked(relay)
    refused = answered(relay, question, answer)
    assert (refused["isError"], refused["structuredContent"]["error"]) == (True, "write_not_approved")
    assert answered(relay, question, answer) == refused
    with acme.entered():
        assert Memory.objects.count() == 0
        assert Candidate.objects.get().statement is None


def test_without_an_answer_it_waits_in_the_inbox(acme: Company) -> None:
    relay = acme.by("relay")
    again = answered(relay, asked(relay), None)
    assert again["resultType"] == "input_required"
    waits = answered(relay, again, {"action": "cancel"})
    assert (waits["isError"], waits["structuredContent"]["error"]) == (False, "waits_for_confirmation")
    held = acme.person("alice").candidate(waits["structuredContent"]["candidate_id"])
    assert held["status"] == "pending"


def test_a_wish_to_forget_is_asked_about_too(acme: Company) -> None:
    """R-158."""
    acme.policy(tools={"memory_save_free_text": False, "memory_forget": True}, confirm="inferred_only")
    relay, memory = acme.by("relay"), acme.alice.store()
    wish = ("memory_forget", {"memory_id": memory["memory_id"]})
    question = asked(relay, *wish)
    assert memory["statement"] in question["inputRequests"]["confirmation"]["params"]["message"]
    assert acme.alice.recalled("summary") == [memory["memory_id"]]
    gone = answered(relay, question, YES, *wish)
    assert gone["structuredContent"]["memory_ids"] == [memory["memory_id"]]
    assert answered(relay, question, YES, *wish) == gone
    assert acme.alice.recalled("summary") == []


@pytest.mark.parametrize("key", ["runtime", "agent"])
def test_a_credential_that_may_not_relay_is_asked_nothing(acme: Company, key: str) -> None:
    """R-203: and a model cannot answer by itself with the state of another's question."""
    question = asked(acme.by("relay"))
    assert asked(acme.by(key))["structuredContent"]["error"] == "waits_for_confirmation"
    refused = answered(acme.by(key), question, YES)
    assert refused["structuredContent"]["error"] == "invalid_request_state"
    with acme.entered():
        assert Memory.objects.count() == 0


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {"url": {}}}, {"sampling": {}}])
def test_a_client_without_forms_is_asked_nothing(acme: Company, capabilities: dict[str, Any]) -> None:
    result = tool(acme.by("relay"), "memory_save", STYLE, capabilities=capabilities)
    assert result["structuredContent"]["error"] == "waits_for_confirmation"


def test_a_state_counts_for_its_call_alone(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for another person, other arguments or another time; and not when it was made up."""
    relay = acme.by("relay")
    question = asked(relay)
    other = {"key": "answer_style", "value": "conclusion_first"}

    def error(caller: Caller, question: dict[str, Any], **more: Any) -> str:
        return str(answered(caller, question, YES, **more)["structuredContent"]["error"])

    assert error(relay, question, arguments=other) == "invalid_request_state"
    assert error(acme.by("relay", "paul"), question) == "invalid_request_state"
    assert error(relay, {"requestState": word()}) == "invalid_request_state"
    monkeypatch.setattr("reviews.mcp.STATE_LIVES", -1)
    assert error(relay, question) == "invalid_request_state"
    monkeypatch.undo()
    assert answered(relay, question, YES)["structuredContent"]["ok"] is True


def test_what_was_decided_meanwhile_is_not_decided_again(acme: Company) -> None:
    relay = acme.by("relay")
    question = asked(relay)
    with acme.entered():
        held = str(Candidate.objects.get().pk)
    alice = acme.person("alice")
    alice.decide(alice.candidate(held), "reject")
    assert answered(relay, question, YES)["structuredContent"]["error"] == "already_decided"
    with acme.entered():
        assert (Memory.objects.count(), Evidence.objects.filter(type="user_message").count()) == (0, 0)
