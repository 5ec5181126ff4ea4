"""Deep Agents' own tests of its store backend: on our store for LangGraph, and on our own backend."""

from __future__ import annotations

from typing import Any

import pytest
from cast import Company, now, word
from checkouts import theirs_of, upstream
from client_door import client_of

from memoryhub.client.deepagents import HubBackend
from memoryhub.client.langgraph import HubStore

PATH = "deepagents/libs/deepagents/tests/unit_tests/backends/test_store_backend.py"
over_the_store = upstream("upstream_store_backend", PATH)
on_the_backend = upstream("upstream_backend", PATH)


def told(_: Any) -> Any:
    return {"type": "user_message", "ref": f"message_{word()}", "occurred_at": now()}


@pytest.fixture(autouse=True)
def _ours(acme: Company, in_this_thread: None, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = client_of(acme.alice)
    monkeypatch.setattr(over_the_store, "InMemoryStore", lambda: HubStore(hub, evidence=told))
    monkeypatch.setattr(on_the_backend, "InMemoryStore", lambda: None)
    monkeypatch.setattr(
        on_the_backend, "StoreBackend", lambda store, namespace: HubBackend(hub, writable=True, evidence=told)
    )


SHORT = "a memory holds at most 2,000 characters"
STORE = "it writes into a store of LangGraph itself, which this backend has not"
PLACE = "a backend is made for one place, not for a function that names one"
TEXT = "a memory is a text"
LEFT_OUT = {"test_store_backend_intercept_large_tool_result": SHORT}
LEFT_OUT_ON_THE_BACKEND = {
    **LEFT_OUT,
    "test_store_backend_reads_mkv_as_binary_without_slicing": TEXT,
    "test_store_backend_reads_legacy_list_content": STORE,
    "test_store_backend_rejects_legacy_lists_with_non_string_items": STORE,
    "test_store_backend_write_migrates_legacy_list_content": STORE,
    "test_store_backend_edit_migrates_legacy_list_content": STORE,
    "test_store_backend_delete_uses_single_batch_call": STORE,
    "test_store_backend_adelete_uses_single_batch_call": STORE,
    "test_store_backend_namespace_user_scoped": PLACE,
    "test_store_backend_namespace_multi_level": PLACE,
    "test_store_backend_namespace_isolation": PLACE,
    "test_store_backend_namespace_error_handling": PLACE,
    "test_store_backend_namespace_is_required": PLACE,
    "test_store_backend_namespace_with_context": PLACE,
    "test_store_backend_runtime_reading_factory_outside_graph": PLACE,
    "test_store_backend_arg_ignoring_factory_works_outside_graph": PLACE,
    "test_store_backend_rejects_wildcard_namespace": PLACE,
}

for name, test in theirs_of(over_the_store, LEFT_OUT).items():
    globals()[f"{name}_over_the_store"] = test
for name, test in theirs_of(on_the_backend, LEFT_OUT_ON_THE_BACKEND).items():
    globals()[f"{name}_on_the_backend"] = test
