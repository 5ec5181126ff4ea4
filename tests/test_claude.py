"""Claude's memory tool over our client: files that pass the gate, and words for the model when they do not."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from anthropic.lib.tools import ToolError
from asgiref.sync import async_to_sync
from cast import Caller, Company, now, sentence, word
from client_door import AwaitedNetwork, Network, client_of
from synthetic import sk_key

from memories.models import Candidate, Memory
from memoryhub.client import AsyncClient, Retries
from memoryhub.client.claude import AsyncMemoryTool, MemoryTool
from memoryhub.client.files import BadPath, is_name, parts_of

pytestmark = pytest.mark.usefixtures("pauses")
FILE = "/memories/reports/style.md"


def told(parts: Any) -> Any:
    return {"type": "user_message", "ref": f"message_{word()}", "occurred_at": now()}


def waiting(caller: Caller, network: Network | None = None, **options: Any) -> Callable[..., str]:
    hub = client_of(caller, network, retries=Retries(limit=0))
    tool = MemoryTool(hub, **{"evidence": told} | options)
    return lambda command, **arguments: str(tool.call({"command": command, **arguments}))


def awaited(caller: Caller, network: Network | None = None, **options: Any) -> Callable[..., str]:
    transport = AwaitedNetwork(network or Network())
    hub = AsyncClient(caller.token or "", caller.subject or "", url="http://testserver", transport=transport)
    tool = AsyncMemoryTool(hub, **{"evidence": told} | options)
    return lambda command, **arguments: str(async_to_sync(tool.call)({"command": command, **arguments}))


@pytest.fixture(params=[waiting, awaited])
def tool_of(request: pytest.FixtureRequest) -> Any:
    return request.param


def failure(tool: Callable[..., str], command: str, **arguments: Any) -> str:
    with pytest.raises(ToolError) as failed:
        tool(command, **arguments)
    return str(failed.value)


def test_the_life_of_a_file(acme: Company, tool_of: Any) -> None:
    """R-321: one slot of the hub, with a version for each edit; forgotten, not hidden."""
    tool, text = tool_of(acme.alice), sentence()
    tool("create", path=FILE, file_text=text)
    assert tool("view", path="/memories").splitlines()[1:] == [
        f"{len(text)}B\t/memories",
        f"{len(text)}B\t/memories/reports/",
        f"{len(text)}B\t/memories/reports/style.md",
    ]
    tool("str_replace", path=FILE, old_str="details", new_str="reasons")
    tool("insert", path=FILE, insert_line=1, insert_text="Name the sources at the end.")
    assert "     2\tName the sources at the end." in tool("view", path=FILE)
    with acme.entered():
        versions = Memory.objects.order_by("version")
        assert [(one.path, one.key, one.version) for one in versions] == [
            (["reports"], "style.md", n) for n in (1, 2, 3)
        ]
    tool("rename", old_path="/memories/reports", new_path="/memories/papers")
    tool("delete", path="/memories/papers/style.md")
    assert tool("view", path="/memories/").splitlines()[1:] == ["0B\t/memories"]
    with acme.entered():
        assert not Memory.objects.exclude(status="deleted").exists()


def test_what_is_not_remembered_is_an_error_in_words(acme: Company, tool_of: Any) -> None:
    """R-321, R-325, R-329, R-238: nothing refused or held is shown as saved, and nothing of it is repeated."""
    tool, secret = tool_of(acme.alice), sk_key()
    guess = failure(tool_of(acme.alice, evidence=None), "create", path=FILE, file_text=sentence())
    refused = failure(tool, "create", path=FILE, file_text=f"The deploy key is {secret}.")
    routed = failure(tool, "create", path="/memories/refund_status", file_text="The refund is approved.")
    long = failure(tool, "create", path=FILE, file_text="x" * 2001)
    with acme.entered():
        (held,) = Candidate.objects.all()
        assert not Memory.objects.exists()
    assert f"waits for a person's decision (candidate {held.pk})" in guess
    assert "refused by policy (sensitive_or_prohibited)" in refused
    assert secret not in refused
    assert "memory does not keep refund_status" in routed
    assert "it would have 2,001 characters, and a file here holds at most 2,000" in long
    assert "does not exist" in failure(tool, "view", path=FILE)


def test_an_edit_that_is_not_remembered_changes_nothing(acme: Company) -> None:
    waiting(acme.alice)("create", path=FILE, file_text=sentence())
    tool = waiting(acme.alice, evidence=None)
    for command, arguments in (
        ("str_replace", {"path": FILE, "old_str": "details", "new_str": "reasons"}),
        ("rename", {"old_path": FILE, "new_path": "/memories/other.md"}),
    ):
        assert "Not saved yet" in failure(tool, command, **arguments)
    with acme.entered():
        (kept,) = Memory.objects.all()
    assert (kept.path, kept.version, "details" in (kept.statement or "")) == (["reports"], 1, True)


class Between(Network):
    """Something happens just before a proposal arrives."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__()
        self.happens: Callable[[], None] | None = happens

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.happens and request.url.path.endswith("/proposals"):
            happens, self.happens = self.happens, None
            happens()
        return super().handle_request(request)


def test_an_edit_that_makes_a_file_too_long_says_so_and_changes_nothing(acme: Company, tool_of: Any) -> None:
    tool = tool_of(acme.alice)
    tool("create", path=FILE, file_text="Tables first.\n")
    told = failure(tool, "insert", path=FILE, insert_line=1, insert_text="x" * 1999)
    assert "2,014 characters" in told
    assert "several files in a folder" in told
    assert "Tables first." in tool("view", path=FILE)
    assert "has been edited" in tool("insert", path=FILE, insert_line=1, insert_text="x" * 1985)
    with acme.entered():
        assert len(Memory.objects.get(status="active").statement) == 2000


def test_an_edit_is_made_on_what_others_wrote_in_between(acme: Company, tool_of: Any) -> None:
    """R-303: no lost update; of two that create a file one is told so."""
    other = waiting(acme.alice)
    other("create", path=FILE, file_text="The first line is kept in every report.\n")
    network = Between(lambda: other("insert", path=FILE, insert_line=1, insert_text="So is the second line."))
    tool_of(acme.alice, network)("insert", path=FILE, insert_line=0, insert_text="Begin with the title.")
    with acme.entered():
        latest = Memory.objects.get(status="active")
    assert latest.version == 3
    assert (
        latest.statement == "Begin with the title.\nThe first line is kept in every report.\nSo is the second line.\n"
    )
    network = Between(lambda: other("create", path="/memories/a.md", file_text=sentence()))
    assert "already exists" in failure(
        tool_of(acme.alice, network), "create", path="/memories/a.md", file_text=sentence()
    )


def test_whose_files_they_are_comes_from_the_client_alone(acme: Company, tool_of: Any) -> None:
    """R-305, R-329: a path is a place inside one namespace."""
    waiting(acme.alice)("create", path=FILE, file_text=sentence("canary"))
    paul = tool_of(acme.paul)
    assert "canary" not in paul("view", path="/memories")
    for command in ("view", "delete"):
        assert "does not exist" in failure(paul, command, path=FILE)
    assert "reports" not in tool_of(acme.alice, namespace={"type": "user", "path": ["other"]})("view", path="/memories")
    foreign = tool_of(acme.alice, namespace={"type": "team", "id": "night"})
    assert "Not possible here" in failure(foreign, "view", path="/memories")


def test_what_a_key_may_not_do_is_said(acme: Company) -> None:
    waiting(acme.alice)("create", path=FILE, file_text=sentence())
    said = failure(waiting(acme.by("agent")), "delete", path=FILE)
    assert said.startswith("Not possible here")
    assert "style.md" in waiting(acme.by("agent"))("view", path="/memories/reports")


@pytest.mark.parametrize("fault", [httpx.Response(503), httpx.ReadError("gone")])
def test_a_failure_is_never_an_empty_folder(acme: Company, fault: Any) -> None:
    """R-238."""
    for command, arguments in (("view", {"path": "/memories"}), ("delete", {"path": FILE})):
        assert "cannot be reached" in failure(waiting(acme.alice, Network(fault)), command, **arguments)
    said = failure(waiting(acme.alice, Network(fault)), "create", path=FILE, file_text=sentence())
    assert "Nobody can tell" in said or "cannot be reached" in said


@pytest.mark.parametrize(
    "path",
    [
        "", "/", "/memoriesX/a", "/etc/passwd", "memories/a", "/memories/../a", "/memories/a/../../b", "/memories/.",
        "/memories/..\\b", "/memories/a\\b", "/memories/%2e%2e/b", "/memories/%2e%2e%2fb", "/memories/%252e%252e%252fb",
        "/memories/a%2fb", "/memories/a%5cb", "/memories/a\x00b", "/memories/a\nb", "/memories/．．/b",
        "/memories/a／b", "/memories/\u2025/b", "/memories/a\u202eb", "/memories/ ", "/memories/%25252525252e",
    ],
)  # fmt: skip
def test_paths_that_lead_outside_are_refused(path: str) -> None:
    """R-329."""
    nobody = SimpleNamespace()  # refused before anything is asked
    tool = MemoryTool(nobody)  # type: ignore[arg-type]
    for command in ("view", "delete"):
        with pytest.raises(ToolError, match=r"^Path "):
            tool.call({"command": command, "path": path})


def test_names_that_lead_nowhere_else_are_kept() -> None:
    assert parts_of("/a//b.md/") == ("a", "b.md")
    assert parts_of("/e\u0301") == ("\u00e9",)
    for name in ("notes 2026.md", "偏好.md", "100%", "50%25", "..a", "a..b", ".hidden", "x%20y"):
        assert is_name(name), name
    with pytest.raises(BadPath):
        parts_of("/a/../b")


@pytest.mark.parametrize(
    ("command", "arguments", "said"),
    [
        ("erase", {"path": FILE}, "no such command"),
        ("view", {}, "`path`"),
        ("create", {"path": FILE, "file_text": 3}, "`file_text`"),
        ("insert", {"path": FILE, "insert_line": None, "insert_text": "x"}, "`insert_line`"),
        ("create", {"path": "/memories", "file_text": "x"}, "not a file"),
        ("rename", {"old_path": "/memories", "new_path": FILE}, "Cannot rename"),
        ("rename", {"old_path": "/memories/a", "new_path": "/memories/a/b"}, "inside"),
    ],
)
def test_commands_that_are_none_are_told(command: str, arguments: Any, said: str) -> None:
    tool = MemoryTool(SimpleNamespace())  # type: ignore[arg-type]
    with pytest.raises(ToolError, match=said):
        tool.call({"command": command, **arguments})
