"""LangMem's tools on our store for LangGraph: they save, find and forget, and what waits is no success."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from cast import Company, now, sentence, word
from client_door import client_of
from langmem import create_manage_memory_tool, create_search_memory_tool

from memories.models import Candidate, Memory
from memoryhub.client.langgraph import Held, HubStore, NotStored

PLACE = ("memories", "{langgraph_user_id}")
CONFIG: Any = {"configurable": {"langgraph_user_id": "alice"}}


def told(put: Any) -> Any:
    return {"type": "user_message", "ref": f"message_{word()}", "occurred_at": now()}


@pytest.fixture(params=["invoke", "ainvoke"])
def call(request: pytest.FixtureRequest, in_this_thread: None) -> Any:
    """A tool's call: waiting and awaited."""

    def called(tool: Any, **arguments: Any) -> Any:
        if request.param == "invoke":
            return tool.invoke(arguments, config=CONFIG)
        return async_to_sync(tool.ainvoke)(arguments, config=CONFIG)

    return called


def tools(acme: Company, **options: Any) -> tuple[Any, Any]:
    store = HubStore(client_of(acme.alice), **{"evidence": told} | options)
    return create_manage_memory_tool(PLACE, store=store), create_search_memory_tool(PLACE, store=store)


def test_its_tools_save_find_change_and_forget(acme: Company, call: Any) -> None:
    """R-321."""
    manage, search = tools(acme)
    created = call(manage, content=sentence("brisk"), action="create")
    known = uuid.UUID(created.split()[-1])
    (found,) = json.loads(call(search, query="brisk summary"))
    assert (found["key"], found["namespace"]) == (str(known), ["memories", "alice"])
    assert "brisk" in found["value"]["content"]
    call(manage, content=sentence("terse"), action="update", id=str(known))
    (found,) = json.loads(call(search, query="terse summary"))
    assert "terse" in found["value"]["content"]
    assert "Deleted" in call(manage, action="delete", id=str(known))
    assert json.loads(call(search, query="terse summary")) == []
    with acme.entered():
        assert {one.status for one in Memory.objects.all()} == {"deleted"}


def test_what_it_may_not_save_is_an_error_and_what_waits_too(acme: Company, call: Any) -> None:
    """R-325, R-238: LangMem reports a success unless the store raises."""
    with pytest.raises(NotStored) as routed:
        call(tools(acme)[0], content="The refund of order 1182 is approved.", action="create")
    assert routed.value.code == "business_source_of_truth"
    with pytest.raises(Held):
        call(tools(acme, evidence=None)[0], content=sentence(), action="create")
    with acme.entered():
        assert (Candidate.objects.count(), Memory.objects.count()) == (1, 0)
