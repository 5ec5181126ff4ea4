"""Anthropic's own tests of a memory tool, on ours."""

from __future__ import annotations

from typing import Any

import pytest
from cast import Caller, Company, now, word
from checkouts import of_class, upstream
from client_door import AwaitedNetwork, Network, client_of

from memoryhub.client import AsyncClient
from memoryhub.client.claude import AsyncMemoryTool, MemoryTool
from memoryhub.client.files import Files
from memoryhub.client.places import Place
from memoryhub.client.steps import run

theirs = upstream("upstream_claude", "anthropic-sdk-python/tests/lib/tools/memory_tools/test_filesystem.py")
NO_DISK = "there are no directories on a disk here"
SHORT = "a memory holds at most 2,000 characters"
LEFT_OUT = {
    "test_mkdir_parents_not_world_writable_under_permissive_umask": NO_DISK,
    "test_symlink_validation_reject_symlink_pointing_outside_memories": NO_DISK,
    "test_symlink_validation_reject_creating_files_through_symlink_pointing_outside": NO_DISK,
    "test_symlink_validation_reject_parent_directory_that_is_symlink_pointing_outside": NO_DISK,
    "test_view_error_for_files_with_too_many_lines": SHORT,
}
AWAITED_LEFT_OUT = LEFT_OUT | {"test_validate_path_returns_resolved_path_not_symlink_target": NO_DISK}


def told(parts: Any) -> Any:
    return {"type": "user_message", "ref": f"message_{word()}", "occurred_at": now()}


class Snapshot:
    """What a test expects in the hub at its end, which cannot be looked at while its event loop runs."""

    def __init__(self) -> None:
        self.expected: Any = None

    def __eq__(self, expected: object) -> bool:
        self.expected = expected
        return True


@pytest.fixture(autouse=True)
def _our_files(acme: Company, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What is in the hub, as their tests look at folders."""
    snapshot = Snapshot()
    monkeypatch.setattr(theirs, "get_directory_snapshot", lambda base_path: snapshot)
    yield
    if snapshot.expected is not None:
        files = run(client_of(acme.alice), Files(Place()).below())
        assert {"/".join(["memories", *one.parts]): one.text for one in files} == snapshot.expected


@pytest.fixture
def sync_local_filesystem_tool(acme: Company) -> Any:
    tool: Any = MemoryTool(client_of(acme.alice), evidence=told)
    tool.base_path = ""
    return tool


@pytest.fixture
def async_local_filesystem_tool(acme: Company) -> Any:
    caller: Caller = acme.alice
    hub = AsyncClient(
        caller.token or "", caller.subject or "", url="http://testserver", transport=AwaitedNetwork(Network())
    )
    tool: Any = AsyncMemoryTool(hub, evidence=told)
    tool.base_path = ""
    return tool


TestWaiting = of_class(theirs.TestBetaLocalFilesystemMemoryTool, LEFT_OUT)
TestAwaited = of_class(theirs.TestBetaAsyncLocalFilesystemMemoryTool, AWAITED_LEFT_OUT)
