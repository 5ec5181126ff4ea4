"""The programs of `memoryhub.client.examples` and the chat in the terminal, run as they are written."""

from __future__ import annotations

import asyncio
import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import httpx
import httpx2
import nat_shape
import pytest
from asgiref.sync import async_to_sync, sync_to_async
from cast import TEAM, Company, word
from client_door import AwaitedNetwork, Network
from scripted_model import Script, save

from memories.models import Memory
from memoryhub.client import examples
from memoryhub.client.agent.__main__ import main as chat
from memoryhub.client.deepagents import READ_ONLY

RUN = asyncio.run
EXAMPLES = "memoryhub.client.examples"
README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def surroundings(acme: Company, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment as a person sets it, in which the network ends at the application."""
    network = Network()
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: network.handle_request(request))
    monkeypatch.setattr(
        httpx.AsyncHTTPTransport,
        "handle_async_request",
        lambda _, request: AwaitedNetwork(network).handle_async_request(request),
    )
    monkeypatch.setattr(asyncio, "run", _run)
    known = {"KEY": acme.by("relay").token or "", "SUBJECT": "alice", "URL": "http://testserver"}
    for name, value in known.items():
        monkeypatch.setenv(f"MEMORYHUB_{name}", value)
    for name in ("MEMORYHUB_RUN", "MEMORYHUB_THREAD", "OPENAI_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def _run(main: Any) -> Any:
    """In this thread, where the test's transaction is."""

    async def awaited() -> Any:
        return await main

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "run", RUN)  # async_to_sync needs it itself
        patch.setattr(asyncio, "to_thread", lambda work, *args: sync_to_async(work)(*args))
        return async_to_sync(awaited)()


def with_model(patch: pytest.MonkeyPatch, script: Script) -> None:
    patch.setenv("OPENAI_MODEL", "a-model")
    patch.setenv("OPENAI_BASE_URL", "http://model.test/v1")
    patch.setattr(httpx2.HTTPTransport, "handle_request", lambda _, request: script.answer(request))

    async def answer(_: Any, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        return script.answer(request)

    patch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", answer)


def typing(patch: pytest.MonkeyPatch, *lines: str) -> None:
    """A person who types these lines and then closes the input."""
    left = list(lines)

    def typed(prompt: str = "") -> str:
        if not left:
            raise EOFError
        print(f"{prompt}{left[0]}")
        return left.pop(0)

    patch.setattr("builtins.input", typed)


def test_the_first_memory(surroundings: pytest.MonkeyPatch, capsys: Any) -> None:
    runpy.run_module(f"{EXAMPLES}.first_memory")
    assert capsys.readouterr().out == "stored\nanswer_style = conclusion_first\n"


def test_many_memories(surroundings: pytest.MonkeyPatch, capsys: Any) -> None:
    for _ in range(2):
        runpy.run_module(f"{EXAMPLES}.many_memories")
        assert capsys.readouterr().out == "3 answered\n3 wait for the person\n0 stored\n"


def test_explicit_requests(surroundings: pytest.MonkeyPatch, capsys: Any) -> None:
    runpy.run_module(f"{EXAMPLES}.explicit_requests")
    assert capsys.readouterr().out == (
        "done found\nmessage_1 store policy_accepted\nmessage_3 reject not_reusable_across_tasks\n"
    )


def test_memory_for_a_graph(surroundings: pytest.MonkeyPatch, capsys: Any) -> None:
    runpy.run_module(f"{EXAMPLES}.graph_memory")
    assert capsys.readouterr().out == "('answers',) answer_style Put the conclusion first and then the reasons.\n"


def test_memory_for_claude(acme: Company, surroundings: pytest.MonkeyPatch, capsys: Any) -> None:
    """R-321: one file is written by the model's command, and the provider keeps nothing."""
    file = {"command": "create", "path": "/memories/reports.md", "file_text": "The conclusion comes first."}
    answers = [
        _message("tool_use", {"type": "tool_use", "id": "t1", "name": "memory", "input": file}),
        _message("end_turn", {"type": "text", "text": "Noted."}),
    ]
    sent: list[Any] = []

    def answer(_: Any, request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content))
        return httpx2.Response(200, json=answers[len(sent) - 1])

    surroundings.setenv("ANTHROPIC_API_KEY", "none")
    surroundings.setenv("ANTHROPIC_MODEL", "a-model")
    surroundings.setattr(httpx2.HTTPTransport, "handle_request", answer)
    runpy.run_module(f"{EXAMPLES}.claude_memory")
    assert capsys.readouterr().out == "Noted.\nreports.md = The conclusion comes first.\n"
    (result,) = sent[1]["messages"][-1]["content"]
    assert (result["tool_use_id"], result.get("is_error", False)) == ("t1", False)
    assert sent[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert "thread" not in sent[0]


def test_memory_for_the_agent_toolkit(surroundings: pytest.MonkeyPatch, capsys: Any) -> None:
    nat_shape.stand_in()
    runpy.run_module(f"{EXAMPLES}.nat_memory")
    assert capsys.readouterr().out == "not added yet: the person is asked first\n"


def test_moving_from_mem0(surroundings: pytest.MonkeyPatch, capsys: Any, tmp_path: Path) -> None:
    surroundings.setenv("MEM0_TELEMETRY", "False")
    surroundings.setenv("MEM0_DIR", str(tmp_path))
    runpy.run_module(f"{EXAMPLES}.mem0_move")
    assert capsys.readouterr().out == "PENDING\nFAILED\n0 remembered\n"


@pytest.mark.parametrize("program", re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL))
def test_the_programs_of_readme(acme: Company, surroundings: pytest.MonkeyPatch, capsys: Any, program: str) -> None:
    acme.alice.store("Put the conclusion first.", "answer_style", value="conclusion_first")
    exec(compile(program, "README.md", "exec"), {})  # noqa: S102
    assert "answer_style = conclusion_first" in capsys.readouterr().out


def test_every_example_is_run() -> None:
    there = {file.stem for file in Path(examples.__file__).parent.glob("*.py")} - {"__init__"}
    assert there == set(re.findall(r"EXAMPLES}\.(\w+)", Path(__file__).read_text()))


def test_memory_of_a_team(acme: Company, surroundings: pytest.MonkeyPatch, capsys: Any) -> None:
    text = "Check the receipt before a refund is confirmed."
    acme.alice.share(TEAM, text, "receipt", kind="procedure")
    surroundings.setenv("TEAM", "support")
    runpy.run_module(f"{EXAMPLES}.team_memory")
    assert capsys.readouterr().out == f"/team/receipt {text}\n{READ_ONLY}\n"


@pytest.mark.parametrize(("typed", "saved"), [("y", "answer_style = brief\n"), ("n", "")])
def test_memory_for_the_agents_sdk(surroundings: pytest.MonkeyPatch, capsys: Any, typed: str, saved: str) -> None:
    surroundings.setenv("OPENAI_API_KEY", "none")
    with_model(surroundings, Script(save("brief"), "As you wish."))
    typing(surroundings, typed)
    runpy.run_module(f"{EXAMPLES}.agents_memory")
    assert capsys.readouterr().out.endswith(f"As you wish.\n{saved}")


def _message(stopped: str, *content: Any) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    about = {"id": "msg_1", "type": "message", "role": "assistant", "model": "a-model", "stop_sequence": None}
    return {**about, "stop_reason": stopped, "content": list(content), "usage": usage}


@pytest.mark.parametrize(("typed", "state"), [("y", "saved"), ("n", "not_approved")])
def test_the_assistant(acme: Company, surroundings: pytest.MonkeyPatch, capsys: Any, typed: str, state: str) -> None:
    """R-225, R-226: the model's name and server come from the environment."""
    surroundings.setenv("OPENAI_API_KEY", "none")
    with_model(surroundings, Script(save("conclusion_first"), "As you wish."))
    typing(surroundings, typed)
    runpy.run_module(f"{EXAMPLES}.assistant")
    assert f"As you wish.\nmemory_save {state}\n" in capsys.readouterr().out
    with acme.entered():
        assert Memory.objects.count() == (1 if state == "saved" else 0)


def test_the_chat_without_a_model_says_that_a_script_answers(
    acme: Company, surroundings: pytest.MonkeyPatch, capsys: Any
) -> None:
    surroundings.setattr(sys, "argv", ["agent"])
    typing(
        surroundings, "search answer style", "save answer_style brief", "n", "save answer_style brief", "y", "",
        "search answer style", "How should an answer look?", "save answer_style nonsense", "y",
    )  # fmt: skip
    assert chat() == 0
    told = capsys.readouterr().out
    assert "a script answers here" in told
    said = [line for line in told.splitlines() if not line.startswith(("  ", "> ", "No model"))]
    assert said == [
        "Nothing was found for now; that does not mean that nothing was ever said.",
        "You did not agree, so nothing is saved.",
        "It is saved.",
        "From memory:", "- answer_style: Keep answers brief.",
        "From memory:", "- answer_style: Keep answers brief.",
        "It did not work: invalid_tool_arguments.",
    ]  # fmt: skip
    assert told.count("[memory_save: saved]") == 1
    assert told.count("[memory_save: not_approved]") == 1
    with acme.entered():
        assert Memory.objects.get().value == "brief"


@pytest.mark.parametrize("api", ["responses", "chat"])
def test_the_chat_with_a_model_goes_on_after_a_failure(surroundings: pytest.MonkeyPatch, capsys: Any, api: str) -> None:
    script = Script("Good morning.", httpx2.Response(400, json={}), "Still here.")
    with_model(surroundings, script)
    surroundings.setattr(sys, "argv", ["agent", "--api", api, "--run", f"run_{word()}"])
    typing(surroundings, "Hello.", "Hm?", "And now?")
    assert chat() == 0
    told = capsys.readouterr().out
    assert "script" not in told
    assert "Good morning." in told
    assert "The model failed: BadRequestError 400" in told
    assert "Still here." in told
    assert ("instructions" in script.sent[0]) == (api == "responses")


def test_the_chat_says_what_it_needs(surroundings: pytest.MonkeyPatch, capsys: Any) -> None:
    surroundings.setattr(sys, "argv", ["agent"])
    surroundings.delenv("MEMORYHUB_KEY")
    with pytest.raises(SystemExit):
        chat()
    assert "MEMORYHUB_KEY" in capsys.readouterr().err
