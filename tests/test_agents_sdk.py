"""The OpenAI Agents SDK over our client: approvals before writes, a session that attests, files of a sandbox."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from agents import Agent, RunConfig, Runner, SQLiteSession
from agents.memory import Session
from agents.testing import ScriptedModel, assistant_message, function_call
from asgiref.sync import async_to_sync
from cast import Caller, Company, sentence, word
from client_door import AwaitedNetwork, Network, client_of
from synthetic import sk_key

from memories.models import Candidate, Evidence, Memory
from memoryhub.client import AsyncClient, HubError, Retries
from memoryhub.client.agents_sdk import HubSession, memory_tools, propose_changes, write_memory

pytestmark = pytest.mark.usefixtures("pauses", "in_this_thread")
STYLE = {"key": "answer_style", "value": "brief"}
QUIET = RunConfig(tracing_disabled=True)


def awaited_hub(caller: Caller, network: Network | None = None) -> AsyncClient:
    transport = AwaitedNetwork(network or Network())
    retries = Retries(limit=0)
    return AsyncClient(
        caller.token or "", caller.subject or "", url="http://testserver", transport=transport, retries=retries
    )


def conversation(hub: Any, *steps: Any, approves: bool, **options: Any) -> tuple[Any, ScriptedModel]:
    """One run with these calls of the model, whose writes the person agrees to or not; and how often it was asked."""
    model = ScriptedModel([[step] for step in (*steps, assistant_message("Done."))])

    tools = memory_tools(hub, **options)

    async def held() -> Any:
        agent = Agent(name="helper", model=model, tools=list(tools))
        result = await Runner.run(agent, "From now on, be brief.", run_config=QUIET)
        asked = list(result.interruptions)
        state = result.to_state() if asked else None
        for one in asked:
            (state.approve if approves else state.reject)(one)
        if state is not None:
            result = await Runner.run(agent, state, run_config=QUIET)
        return asked

    return async_to_sync(held)(), model


def outputs(model: ScriptedModel) -> list[Any]:
    call = model.last_call
    assert call is not None
    texts = [item["output"] for item in call.input if item.get("type") == "function_call_output"]  # type: ignore[union-attr]
    return [json.loads(text) if text.startswith("{") else text for text in texts]


def test_a_search_needs_no_approval(acme: Company) -> None:
    memory = acme.alice.store()
    hub = client_of(acme.alice.in_run("run_1"))
    search = function_call("memory_search", {"query": "summary in every report"}, call_id="c1")
    asked, model = conversation(hub, search, approves=False)
    assert asked == []
    ((found,),) = ([one["memory_id"] for one in output["memories"]] for output in outputs(model))
    assert found == memory["memory_id"]


@pytest.mark.parametrize("approves", [True, False])
def test_nothing_is_written_before_a_person_agreed(acme: Company, approves: bool) -> None:
    """R-225, R-321: the SDK's own approval; what then waits in the hub is told as waiting."""
    save = function_call("memory_save", STYLE, call_id="c1")
    asked, model = conversation(client_of(acme.alice.in_run("run_1")), save, approves=approves)
    assert [json.loads(one.arguments) for one in asked] == [STYLE]
    (told,) = outputs(model)
    with acme.entered():
        assert (Candidate.objects.count(), Memory.objects.count()) == (1 if approves else 0, 0)
    assert (told["error"] == "waits_for_confirmation") if approves else ("ok" not in told)


def test_the_persons_yes_is_relayed_where_the_key_may(acme: Company) -> None:
    """R-226."""
    hub = client_of(acme.by("relay").in_run("run_1"))
    save = function_call("memory_save", STYLE, call_id="c1")
    _, model = conversation(hub, save, approves=True, agreed=lambda write: f"message_{word()}")
    assert outputs(model)[0]["ok"] is True
    with acme.entered():
        assert Memory.objects.get().value == "brief"


def test_a_failure_is_told_as_one(acme: Company) -> None:
    """R-238."""
    hub = client_of(acme.alice.in_run("run_1"), retries=Retries(limit=0))
    offered = memory_tools(hub)
    hub._http = httpx.Client(transport=Network(httpx.Response(503)), base_url="http://testserver")
    search = next(tool for tool in offered if tool.name == "memory_search")

    class Context:
        tool_call_id = "c1"

    said = async_to_sync(search.on_invoke_tool)(Context(), '{"query": "x"}')  # type: ignore[arg-type]
    assert json.loads(said) == {"ok": False, "error": "memory_unavailable"}
    with pytest.raises(ValueError, match="run"):
        memory_tools(client_of(acme.alice))


def test_a_session_keeps_every_item_and_attests_the_persons_words(acme: Company) -> None:
    """R-327, R-472: history is no memory, and function calls stay with their outputs."""
    secret, text = sk_key(), sentence()
    items: list[Any] = [
        {"role": "user", "content": text},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "x"},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": [{"type": "input_text", "text": f"My key is {secret}."}]},
    ]

    async def held() -> Any:
        session = HubSession(awaited_hub(acme.alice), SQLiteSession("talk_1"))
        assert isinstance(session, Session)
        await session.add_items([])
        await session.add_items(items)
        assert await session.get_items() == items
        assert await session.get_items(2) == items[-2:]
        assert await session.pop_item() == items[-1]
        said = session.said
        await session.clear_session()
        assert await session.get_items() == []
        return said

    said = async_to_sync(held)()
    with acme.entered():
        first, second = Evidence.objects.order_by("pk")
        assert (first.type, first.thread, first.text) == ("user_message", "talk_1", text)
        assert (str(second.pk), second.text) == (said, None)
        assert not Memory.objects.exists()
    assert acme.alice.propose(evidence=said).status_code == 201


def test_a_message_that_cannot_be_attested_is_not_added(acme: Company) -> None:
    """R-238."""

    async def held() -> Any:
        session = HubSession(awaited_hub(acme.alice, Network(httpx.Response(503))), SQLiteSession("talk_1"))
        with pytest.raises(HubError):
            await session.add_items([{"role": "user", "content": sentence()}])
        before = await session.get_items()
        await session.add_items([{"role": "user", "content": sentence()}])
        return before, len(await session.get_items())

    assert async_to_sync(held)() == ([], 1)


def test_memories_go_into_a_sandbox_and_come_back_as_guesses(acme: Company, tmp_path: Path) -> None:
    """R-327, R-474: nothing that was written there is stored by coming back."""
    hub = client_of(acme.alice)
    kept = acme.alice.store(sentence("canary") + '\n- sneaky: "A second line."', "style")
    assert write_memory(hub, tmp_path) == 1
    handbook = tmp_path / "memories" / "MEMORY.md"
    assert "canary" in (tmp_path / "memories" / "memory_summary.md").read_text()
    assert propose_changes(hub, tmp_path) == ()
    text, secret = handbook.read_text(), sk_key()
    changed = text.replace("canary", "changed")
    handbook.write_text(f"{changed}## Notes\n- The person likes tea in the morning.\n- My token is {secret}.\n")
    answers = propose_changes(hub, tmp_path)
    assert [one.decision for one in answers] == ["needs_confirmation", "needs_confirmation", "reject"]  # type: ignore[union-attr]
    with acme.entered():
        held = {one.key: one.statement or "" for one in Candidate.objects.all()}
        assert (len(held), Memory.objects.count()) == (2, 1)
    assert "changed" in held["style"]
    assert acme.alice.memory(kept["memory_id"]).json()["status"] == "active"


def test_a_key_that_is_no_file_name_is_not_written_into_a_sandbox(acme: Company, tmp_path: Path) -> None:
    for key in ("../../escape", "a/b", ".."):
        acme.alice.store(key=key)
    assert write_memory(client_of(acme.alice), tmp_path) == 0
