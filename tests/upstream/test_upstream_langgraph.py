"""LangGraph's own tests of a store: those that are written for any store, on ours."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

import pytest
from cast import Company, now, word
from checkouts import theirs_of, upstream
from client_door import client_of

from memoryhub.client.langgraph import HubStore

PLACE = "langgraph/libs/checkpoint-sqlite/tests"


# The stores that the rest of these modules is about.
for place in (
    "langgraph.store.sqlite",
    "langgraph.store.sqlite.base",
    "langgraph.store.sqlite.aio",
    "tests.test_store",
):
    sys.modules[place] = MagicMock()
waiting = upstream("upstream_store", f"{PLACE}/test_store.py")
awaited = upstream("upstream_async_store", f"{PLACE}/test_async_store.py")


def for_any_store(found: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    return {name: test for name, test in found.items() if list(inspect.signature(test).parameters) == ["store"]}


@pytest.fixture
def store(acme: Company, in_this_thread: None) -> HubStore:
    return HubStore(client_of(acme.alice), evidence=told)


def told(put: Any) -> Any:
    return {"type": "user_message", "ref": f"message_{word()}", "occurred_at": now()}


LEFT_OUT = {
    "test_no_running_loop": "a store over a client that waits may be called from anywhere",
}

globals().update(for_any_store(theirs_of(waiting, {})))
for name, test in for_any_store(theirs_of(awaited, LEFT_OUT)).items():
    globals()[f"{name}_awaited"] = test
