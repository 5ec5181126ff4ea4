"""The reference runtime: what it sends to a model, what it does with its calls, and what a failure leaves behind."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from cast import USER, Caller, Company, sentence, word
from client_door import Network, client_of
from scripted_model import REASONING, Script, agent_of, save, search, yes

from memories.models import Candidate, Memory, Operation, Recall
from memoryhub.client import Unavailable
from memoryhub.client.agent import Agent, AgentError, GenerationFailed, SqliteLedger, StepLimit

pytestmark = pytest.mark.usefixtures("pauses")
APIS = pytest.mark.parametrize("api", ["responses", "chat"])


class Crash(BaseException):
    """The process ends here."""


@pytest.fixture
def alice(acme: Company) -> Caller:
    """Alice's runtime in a run, which may relay what she agrees to."""
    return acme.by("relay").in_run(f"run_{word()}")


@pytest.fixture
def answers(acme: Company) -> Any:
    """How many writes there were, memories, and answers to what waited."""

    def count() -> tuple[int, int, int]:
        with acme.entered():
            approved = Candidate.objects.filter(status="approved").count()
            return Operation.objects.filter(verb="propose").count(), Memory.objects.count(), approved

    return count


# --- what a model is sent ---------------------------------------------------------------------------------------------


def test_everything_the_model_wrote_is_sent_back_and_nothing_is_kept_elsewhere(alice: Caller) -> None:
    """R-202, R-214, R-215, R-216, R-217, R-326: reasoning too, encrypted; outputs by call_id; no provider state."""
    script = Script(search("tea", "call_7"), "Nothing.")
    turn = agent_of(alice, script).ask("Tea?")
    first, second = script.sent
    assert (first["store"], first["include"]) == (False, ["reasoning.encrypted_content"])
    assert first["parallel_tool_calls"] is False
    assert not {"previous_response_id", "conversation"} & set(first)
    assert all(tool["strict"] for tool in first["tools"])
    reasoning, call, output = second["input"][2:]
    assert reasoning == REASONING
    assert (call["type"], call["id"], call["call_id"]) == ("function_call", "fc_call_7", "call_7")
    assert (output["type"], output["call_id"]) == ("function_call_output", "call_7")
    assert [item.get("type") for item in turn.items] == [
        None, "reasoning", "function_call", "function_call_output", "reasoning", "message"
    ]  # fmt: skip


def test_the_same_over_chat_completions(alice: Caller) -> None:
    script = Script(search("tea", "call_7"), "Nothing.")
    agent_of(alice, script, api="chat").ask("Tea?")
    roles = [message["role"] for message in script.sent[1]["messages"]]
    assert roles == ["system", "user", "user", "assistant", "tool"]
    assert script.sent[1]["messages"][-1]["tool_call_id"] == "call_7"
    assert script.sent[0]["tools"][0]["function"]["strict"] is True


@APIS
def test_memory_stands_before_the_question_in_this_call_alone(acme: Company, alice: Caller, api: str) -> None:
    """R-192 to R-197, R-200: one round trip, by key and by question, and no part of the conversation that is kept."""
    memory = acme.alice.store(sentence("oolong"))
    script, network = Script("First.", "Second."), Network()
    agent = agent_of(alice, script, network, api=api, preload=[memory["key"]], tools=False, instructions="Be kind.")
    turn = agent.ask("Good morning.")
    assert [request.url.path for request in network.requests] == ["/api/v1/context"]
    assert (turn.text, turn.memory, bool(turn.recall_id)) == ("First.", "ok", True)
    again = agent.ask("And now?", history=turn.items)
    for request, questions in zip(script.sent, (1, 2), strict=True):
        items = [one for one in request.get("input") or request["messages"] if one.get("role") == "user"]
        shown = ["oolong" in json.dumps(one) for one in items]
        assert shown == [False] * (questions - 1) + [True, False]
        high = request.get("instructions") or request["messages"][0]["content"]
        assert high.startswith("Be kind.")
        assert "tools" not in request
    assert "oolong" not in json.dumps(again.items)


def test_a_failing_preload_is_told_or_raised_but_never_empty(alice: Caller) -> None:
    """R-199."""
    down = [httpx.ConnectError("refused")] * 8
    script = Script("I could not look.")
    turn = agent_of(alice, script, Network(*down)).ask("Tea?")
    assert (turn.memory, turn.recall_id) == ("unavailable", None)
    assert "could not be read" in json.dumps(script.sent[0]["input"][0])
    with pytest.raises(Unavailable):
        agent_of(alice, Script("x"), Network(*down[:4]), without_memory="raise").ask("Tea?")


@pytest.mark.parametrize(
    "step",
    [
        "",
        "   ",
        httpx2.Response(500, json={}),
        httpx2.Response(200, text="<html>"),
        httpx2.Response(200, json={"choices": [], "output": [], "status": "incomplete"}),
        httpx2.ReadTimeout("slow"),
        [("", "memory_search", {"query": "tea"})],
    ],
)
@APIS
def test_a_model_that_does_not_answer_is_an_error(alice: Caller, api: str, step: Any) -> None:
    """R-196: and the same question may be asked again."""
    script = Script(step, "Now.")
    agent = agent_of(alice, script, api=api)
    with pytest.raises(GenerationFailed) as failed:
        agent.ask("Tea?")
    assert len(failed.value.items) == 1
    assert agent.resume(failed.value.items).text == "Now."


def test_the_limits_of_a_turn(alice: Caller, acme: Company) -> None:
    """R-218, R-224."""
    for steps in (0, 21):
        with pytest.raises(ValueError, match="steps"):
            agent_of(alice, Script(), steps=steps)
    for text in ("", "  ", "x" * 20_001):
        with pytest.raises(ValueError, match="characters"):
            agent_of(alice, Script()).ask(text)
    assert agent_of(alice, Script("Long.")).ask("x" * 20_000).text == "Long."
    with pytest.raises(ValueError, match="run"):
        Agent(client_of(acme.alice), Script().model())


# --- calls act once ---------------------------------------------------------------------------------------------------


@APIS
def test_several_calls_at_once_each_get_their_output_in_order(alice: Caller, answers: Any, api: str) -> None:
    """R-217, R-219: also twins, and an id that comes a second time."""
    several = [*save("brief", "c1"), *search("answer style", "c2"), *save("detailed", "c3"), *save("brief", "c1")]
    script = Script(several, save("brief", "c1"), "Done.")
    turn = agent_of(alice, script, api=api).ask("Both, please.")
    first, found, second, twin, again = script.outputs()
    assert (first["ok"], second["ok"], first["memory_id"] != second["memory_id"]) == (True, True, True)
    assert [one["value"] for one in found["memories"]] == ["brief"]
    assert first == twin == again
    assert [(one.call.call_id, one.state) for one in turn.writes] == [("c1", "saved"), ("c3", "saved")]
    assert answers() == (2, 2, 2)


def test_more_calls_at_once_than_a_reply_may_have_are_not_carried_out(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.client.agent.loop.MAX_CALLS", 1)
    script = Script([*search("tea"), *search("tea")], "Done.")
    agent_of(alice, script).ask("Tea?")
    assert [one.get("error") for one in script.outputs()] == [None, "too_many_calls"]


def test_broken_characters_of_a_model_break_nothing(alice: Caller) -> None:
    broken = [(f"c{number}", name, text) for number, (name, text) in enumerate(BROKEN)]
    script = Script(broken, "Sorry.")
    assert agent_of(alice, script).ask("Tea?").text == "Sorry."
    assert all(one["ok"] is False for one in script.outputs())


BROKEN = [
    ("memory_search", '{"query": "\\ud800"}'),
    ("memory_search", '{"query": NaN}'),
    ("memory_save", '{"key": "answer_style", "value": "\\ud800"}'),
    ("memory_save", "[" * 5000),
]


def test_an_id_with_other_arguments_is_an_error(alice: Caller, answers: Any) -> None:
    """R-242."""
    script = Script(save("brief", "c1"), save("detailed", "c1"), "Done.")
    turn = agent_of(alice, script).ask("Both, please.")
    assert [one.get("error") for one in script.outputs()] == [None, "idempotency_key_reused"]
    assert [one.state for one in turn.writes] == ["saved", "not_saved"]
    assert answers() == (1, 1, 1)


def test_a_yes_is_not_passed_on_to_anything_else(alice: Caller, answers: Any) -> None:
    """R-213: what waits must say what the person saw."""
    script = Script(save("brief"), "It waits.")
    agent = agent_of(alice, script)
    shown = agent.hub.candidate
    agent.hub.candidate = lambda pk: dataclasses.replace(shown(pk), value="detailed")  # type: ignore[method-assign]
    assert [one.state for one in agent.ask("Be brief.").writes] == ["waiting"]
    assert answers() == (1, 0, 0)


def test_a_restart_between_call_and_answer_neither_asks_nor_writes_twice(
    alice: Caller, answers: Any, tmp_path: Path
) -> None:
    """R-219, R-240: the process ends after the server has committed and before anything of it was noted."""
    kept: list[Any] = []
    ledger = SqliteLedger(str(tmp_path / "calls.sqlite3"))

    def crash(*args: Any) -> None:
        raise Crash

    ledger.finish = crash  # type: ignore[method-assign]
    agent = agent_of(alice, Script(save("brief", "c1")), ledger=ledger, checkpoint=lambda items: kept.append(items))
    with pytest.raises(Crash):
        agent.ask("Be brief.")
    ledger.close()
    assert answers() == (1, 1, 1)
    script = Script("Saved.")
    reopened = SqliteLedger(str(tmp_path / "calls.sqlite3"))
    turn = agent_of(alice, script, ledger=reopened, approve=None).resume(kept[-1])
    assert [one.state for one in turn.writes] == ["saved"]
    assert script.outputs()[0]["ok"] is True
    assert answers() == (1, 1, 1)


def test_a_lost_ledger_costs_a_question_and_no_second_write(alice: Caller, answers: Any) -> None:
    """R-240: the call is known where it was carried out."""
    kept: list[Any] = []
    agent_of(alice, Script(save("brief", "c1"), "Saved."), checkpoint=kept.append).ask("Be brief.")
    script, asked = Script("Saved."), []
    turn = agent_of(alice, script, approve=lambda write: asked.append(write) or yes(write)).resume(kept[0])
    assert (len(asked), turn.writes[0].state) == (1, "saved")
    assert answers() == (1, 1, 1)


def test_the_same_wish_under_a_new_id_after_a_restart_is_no_second_memory(alice: Caller, answers: Any) -> None:
    """R-241."""
    for _ in range(2):
        turn = agent_of(alice, Script(save("brief"), "Saved.")).ask("Be brief.")
        assert turn.writes[0].state == "saved"
    assert answers()[1] == 1


def test_the_ledger_keeps_no_text(alice: Caller, tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite3"
    ledger = SqliteLedger(str(file))
    agent_of(alice, Script([*save("brief"), *search("conclusion")], "Done."), ledger=ledger).ask("Be brief.")
    ledger.close()
    assert b"propose" not in file.read_bytes()
    assert b"brief" not in file.read_bytes()
    assert b"policy_accepted" in file.read_bytes()


# --- writes are apart from answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [1, 3])
def test_a_lost_answer_after_the_commit_is_one_write_with_the_right_status(
    alice: Caller, answers: Any, lost: int
) -> None:
    """R-240, R-245."""
    network = Network()
    agent = agent_of(
        alice, Script(save("brief"), "Saved."), network, approve=lambda write: losing(network, lost, write)
    )
    assert [one.state for one in agent.ask("Be brief.").writes] == ["saved"]
    assert answers() == (1, 1, 1)


def losing(network: Network, lost: int, write: Any) -> Any:
    """The person agrees, and from then on answers are lost."""
    network.lost = lost
    return yes(write)


def test_when_no_answer_comes_the_outcome_is_unknown_until_it_is_settled(alice: Caller, answers: Any) -> None:
    """R-243, R-245: nobody says saved, nobody says not saved, and settling does nothing twice."""
    network = Network()
    script = Script(save("brief"), "I cannot tell.")
    agent = agent_of(alice, script, network, approve=lambda write: losing(network, 4, write))
    turn = agent.ask("Be brief.")
    assert (turn.writes[0].state, script.outputs()) == ("unknown", [{"ok": False, "error": "outcome_unknown"}])
    assert [one.state for one in agent.settle(turn)] == ["saved"]
    assert [one.state for one in agent.settle(turn)] == ["saved"]
    assert answers() == (1, 1, 1)


@APIS
def test_a_failed_answer_leaves_the_write_and_going_on_repeats_nothing(alice: Caller, answers: Any, api: str) -> None:
    """R-243, R-244."""
    script = Script(save("brief"), httpx2.Response(503, json={}), "Saved.")
    agent = agent_of(alice, script, api=api)
    with pytest.raises(GenerationFailed) as failed:
        agent.ask("Be brief.")
    assert [one.state for one in failed.value.writes] == ["saved"]
    assert "memory_save saved" in str(failed.value)
    assert client_of(alice).lookup(namespace=USER, kind="preference", key="answer_style").value == "brief"
    assert agent.resume(failed.value.items).text == "Saved."
    assert answers() == (1, 1, 1)


@APIS
def test_used_up_steps_name_what_was_written(alice: Caller, answers: Any, api: str) -> None:
    """R-218, R-246: what was asked last is not carried out; going on does, and puts its output behind the call."""
    script = Script(save("brief"), search("tea"), "Done.")
    agent = agent_of(alice, script, steps=2, api=api)
    with pytest.raises(StepLimit) as limit:
        agent.ask("Be brief.")
    assert [one.state for one in limit.value.writes] == ["saved"]
    assert "not undone" in str(limit.value)
    assert (len(script.sent), answers()[0]) == (2, 1)
    assert agent.ask("And?", history=limit.value.items).text == "Done."
    latest = (script.sent[-1].get("input") or script.sent[-1]["messages"])[-3:]
    assert ["call_id" in one or "tool_call_id" in one for one in latest] == [True, False, False]
    assert answers()[0] == 1


def test_errors_and_reprs_hold_no_text(acme: Company, alice: Caller) -> None:
    """R-239."""
    mark = word(8)
    acme.alice.store(sentence(mark))
    script = Script(search(mark), f"It is {mark}.", search(mark), httpx2.Response(500, text=mark))
    agent = agent_of(alice, script)
    turn = agent.ask(mark)
    with pytest.raises(AgentError) as failed:
        agent.ask(mark)
    assert mark not in repr(turn) + repr(failed.value) + str(failed.value)
    with acme.entered():
        assert Recall.objects.count() == 4
