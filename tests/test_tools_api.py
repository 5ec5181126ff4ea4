"""The tools of language models: strict schemas, the exact arguments, one effect a call, never a made-up success."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cast import ABSENT, Caller, Company, new_key, sentence, word
from jsonschema import Draft202012Validator

from accounts.models import AuditEvent
from memories.models import Candidate, Memory, Operation, Recall

FORMATS = ("openai_responses", "openai_chat", "anthropic")
STYLE = {"key": "answer_style", "value": "brief"}


def offered(caller: Caller, form: str = "openai_responses") -> dict[str, dict[str, Any]]:
    """Each offered tool by name: its schema, and whether it is strict."""
    shaped = caller.get("/tools", format=form).json()["tools"]
    tools = [tool.get("function", tool) for tool in shaped]
    return {tool["name"]: tool.get("parameters") or tool["input_schema"] for tool in tools}


def held_free_text(acme: Company) -> None:
    acme.policy(tools={"memory_save_free_text": True, "memory_forget": True}, confirm="agent_writes")


# --- what is offered --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("free_text", [False, True])
def test_the_schemas_are_strict(acme: Company, form: str, free_text: bool) -> None:
    """R-204: every property required, none beside them, all types said."""
    if free_text:
        held_free_text(acme)
    shaped = acme.alice.get("/tools", format=form).json()["tools"]
    if form != "anthropic":
        assert all(tool.get("function", tool)["strict"] is True for tool in shaped)
    for schema in offered(acme.alice, form).values():
        Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False
        assert sorted(schema["required"]) == sorted(schema["properties"])
        assert all("type" in rule for rule in schema["properties"].values())


def test_no_tool_takes_an_identity(acme: Company) -> None:
    """R-209: no tenant, person, namespace, evidence, status or confirmation among the arguments."""
    held_free_text(acme)
    names = {name for schema in offered(acme.alice).values() for name in schema["properties"]}
    assert names == {"query", "key", "value", "statement", "memory_id"}


def test_the_forms_offer_the_same_tools(acme: Company) -> None:
    first, *others = (offered(acme.alice, form) for form in FORMATS)
    assert all(other == first for other in others)
    assert set(first) == {"memory_search", "memory_save"}


def test_deleting_is_never_offered_and_asking_for_it_only_by_policy(acme: Company) -> None:
    """R-109, R-158."""
    assert "memory_forget" not in offered(acme.alice)
    held_free_text(acme)
    assert "memory_forget" in offered(acme.alice)


def test_the_descriptions_say_what_a_model_must_know(acme: Company) -> None:
    """R-107, R-173, R-210, R-222: how it searches, what empty means, the allowed values, when something is saved."""
    tools = {tool["name"]: tool["description"] for tool in acme.alice.get("/tools").json()["tools"]}
    assert "keywords" in tools["memory_search"]
    assert "not that nothing was ever said" in tools["memory_search"]
    assert "ok=true" in tools["memory_save"]
    assert "conclusion_first" in tools["memory_save"]


# --- exactly these arguments ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": ""},
        {"query": "   "},
        {"query": None},
        {"query": 7},
        {"query": ["x"]},
        {"query": "x", "tenant_id": "beta"},
        {"query": "x", "namespace": "user"},
        {"query": "x", "limit": 5},
        {"question": "x"},
        {"query": "x" * 2001},
        [],
        "x",
        "",
        "[]",
        "null",
        '{"query": "x"',
        '{"query": NaN}',
        "[" * 3000,
        7,
        None,
        True,
    ],
)
def test_search_takes_exactly_its_arguments(acme: Company, arguments: Any) -> None:
    """R-206, R-207, R-237."""
    good = acme.alice.tool("memory_search", {"query": "x"})
    assert good == acme.alice.tool("memory_search", json.dumps({"query": "x"})) | {"memories": []}
    response = acme.alice.post("/tools/call", {"call_id": "c", "name": "memory_search", "arguments": arguments})
    if response.status_code == 200:
        assert response.json() == {"call_id": "c", "output": {"ok": False, "error": "invalid_tool_arguments"}}
    else:
        assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, "arguments")


@pytest.mark.parametrize(
    "arguments",
    [
        {"key": "answer_style", "value": "zh"},
        {"key": "preferred_language", "value": "brief"},
        {"key": "answer_style", "value": "Brief"},
        {"key": "unknown_key", "value": "brief"},
        {"key": "answer_style"},
        {"key": "answer_style", "value": None},
        {"key": "answer_style", "value": "brief", "confirmed": True},
        {"key": "answer_style", "value": "brief", "statement": "and more"},
        {"key": "code_language", "value": "brief"},
    ],
)
def test_save_takes_a_registered_key_with_a_value_of_its_own(acme: Company, arguments: dict[str, Any]) -> None:
    """R-086, R-205, R-212, R-234."""
    assert acme.alice.tool("memory_save", arguments) == {"ok": False, "error": "invalid_tool_arguments"}
    with acme.entered():
        assert (Memory.objects.count(), Candidate.objects.count(), Operation.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize("name", ["memory_forget", "memory_delete", "", "MEMORY_SEARCH", "memory_search ", "x" * 64])
def test_an_unknown_tool_is_an_error_and_not_a_crash(acme: Company, name: str) -> None:
    """R-208: a tool that policy does not offer is unknown too."""
    response = acme.alice.post("/tools/call", {"call_id": "c", "name": name, "arguments": {"query": "x"}})
    if name:
        assert response.json()["output"] == {"ok": False, "error": "unknown_tool"}
    else:
        assert response.status_code == 400


# --- what a call does -------------------------------------------------------------------------------------------------


def test_a_models_wish_to_save_waits_for_the_person(acme: Company) -> None:
    """R-079, R-211, R-223: no ok, nothing stored; the person's yes stores exactly that."""
    output = acme.alice.tool("memory_save", STYLE)
    assert (output["ok"], output["error"], output["memory_id"]) == (False, "waits_for_confirmation", None)
    with acme.entered():
        assert Memory.objects.count() == 0
    held = acme.person("alice").candidate(output["candidate_id"])
    assert (held["key"], held["value"], held["statement"]) == ("answer_style", "brief", "Keep answers brief.")
    acme.person("alice").decide(held, "approve")
    again = acme.alice.tool("memory_save", STYLE)
    assert (again["ok"], again["decision"]) == (True, "keep")


def test_a_saved_value_is_worded_in_the_language_of_the_call(acme: Company) -> None:
    """R2."""
    body = {"call_id": "c", "name": "memory_save", "arguments": STYLE}
    answer = acme.alice.post("/tools/call", body, {"Accept-Language": "zh-hans"}).json()["output"]
    assert acme.alice.candidate(answer["candidate_id"])["statement"] == "简短回答"


def test_free_text_is_taken_where_policy_admits_it_and_then_held(acme: Company) -> None:
    text, key = sentence(), new_key()
    arguments = {"key": key, "value": None, "statement": text}
    assert acme.alice.tool("memory_save", arguments)["ok"] is False
    held_free_text(acme)
    output = acme.alice.tool("memory_save", arguments)
    assert output["error"] == "waits_for_confirmation"
    assert acme.alice.candidate(output["candidate_id"])["statement"] == text


def test_a_secret_is_refused_and_not_repeated(acme: Company) -> None:
    held_free_text(acme)
    password = "hunter" + "-".join([word(), "Q7x"])
    output = acme.alice.tool("memory_save", {"key": "note", "value": None, "statement": f"My password is {password}."})
    assert (output["ok"], output["reason"]) == (False, "sensitive_or_prohibited")
    assert password not in json.dumps(output)


def test_a_search_brings_the_sources_of_what_it_found(acme: Company) -> None:
    """R-048, R-201: the fields a model needs, and no others."""
    memory = acme.alice.store(evidence=acme.alice.evidence(ref="message_7"))
    output = acme.alice.tool("memory_search", {"query": "summary"})
    assert (output["ok"], output["status"]) == (True, "ok")
    (found,) = output["memories"]
    assert (found["memory_id"], found["source"]) == (memory["memory_id"], "message_7")
    assert set(found) == {
        "memory_id", "kind", "key", "statement", "value", "conditions", "source", "evidence_class", "updated_at",
        "valid_until",
    }  # fmt: skip
    nothing = acme.alice.tool("memory_search", {"query": word(8)})
    assert nothing == {"ok": True, "status": "nothing_relevant", "memories": []}


def test_a_wish_to_forget_waits_for_the_person(acme: Company) -> None:
    """R-158: until then nothing changes, and no tool forgets what is not the person's own."""
    held_free_text(acme)
    acme.policy(tools={"memory_save_free_text": True, "memory_forget": True}, confirm="inferred_only")
    memory = acme.alice.store()
    shared = acme.rita.share({"type": "team", "id": "support"}, "Check the receipt before closing a case.")
    assert acme.alice.tool("memory_forget", {"memory_id": shared["memory_id"]}) == {"ok": False, "error": "not_found"}
    assert acme.paul.tool("memory_forget", {"memory_id": memory["memory_id"]}) == {"ok": False, "error": "not_found"}
    assert acme.alice.tool("memory_forget", {"memory_id": ABSENT}) == {"ok": False, "error": "not_found"}
    asked = acme.alice.tool("memory_forget", {"memory_id": memory["memory_id"]})
    assert asked["error"] == "waits_for_confirmation"
    assert acme.alice.tool("memory_forget", {"memory_id": memory["memory_id"]}) == asked
    assert acme.alice.recalled("summary") == [memory["memory_id"]]
    held = acme.person("alice").candidate(asked["candidate_id"])
    assert held["statement"] == memory["statement"]
    body, once = {"content_hash": held["content_hash"]}, {"Idempotency-Key": word()}
    answer, again = (
        acme.person("alice").post(f"/candidates/{held['candidate_id']}/approve", body, once).json() for _ in range(2)
    )
    assert answer["erasure"]["memory_ids"] == [memory["memory_id"]]
    assert again == answer
    assert acme.alice.recalled("summary") == []
    with acme.entered():
        assert Candidate.objects.get().statement is None


def test_a_refused_wish_to_forget_changes_nothing(acme: Company) -> None:
    acme.policy(tools={"memory_save_free_text": False, "memory_forget": True}, confirm="inferred_only")
    memory = acme.alice.store()
    asked = acme.alice.tool("memory_forget", {"memory_id": memory["memory_id"]})
    acme.person("alice").decide(acme.person("alice").candidate(asked["candidate_id"]), "reject")
    assert acme.alice.recalled("summary") == [memory["memory_id"]]


@pytest.mark.parametrize(
    ("scope", "name", "arguments"),
    [
        ("memory:propose", "memory_search", {"query": "x"}),
        ("memory:recall", "memory_save", STYLE),
        ("memory:recall", "memory_forget", {"memory_id": ABSENT}),
    ],
)
def test_a_tool_needs_the_scope_of_what_it_does(
    acme: Company, scope: str, name: str, arguments: dict[str, Any]
) -> None:
    """R-203, R-229: the executor is no way round a key's rights."""
    acme.policy(tools={"memory_save_free_text": False, "memory_forget": True})
    assert acme.by(scope).tool(name, arguments) == {"ok": False, "error": "missing_scope"}
    assert acme.alice.tool(name, arguments)["ok" if name == "memory_search" else "error"] != "missing_scope"


# --- one effect a call ------------------------------------------------------------------------------------------------


def test_the_same_call_in_a_run_acts_once(acme: Company) -> None:
    """R-219: the second time it answers the same; in another run it is another call."""
    alice, call_id = acme.alice.in_run("run_1"), word()
    first, again = (alice.tool("memory_save", STYLE, call_id) for _ in range(2))
    assert first == again
    searches = [alice.tool("memory_search", {"query": "summary"}, word()) for _ in range(2)]
    assert searches[0] == searches[1]
    with acme.entered():
        assert (Operation.objects.count(), Recall.objects.count()) == (1, 2)
    other = acme.alice.in_run("run_2").tool("memory_save", STYLE, call_id)
    assert other["candidate_id"] == first["candidate_id"]
    with acme.entered():
        assert (Operation.objects.count(), Candidate.objects.count()) == (2, 1)


def test_a_call_id_with_other_arguments_is_an_error(acme: Company) -> None:
    """R-242."""
    alice = acme.alice.in_run("run_1")
    alice.tool("memory_save", STYLE, "c1")
    assert alice.tool("memory_search", {"query": "x"}, "c1") == {"ok": False, "error": "idempotency_key_reused"}


def test_without_a_run_each_call_is_its_own(acme: Company) -> None:
    for _ in range(2):
        acme.alice.tool("memory_save", STYLE, "c1")
    with acme.entered():
        assert Operation.objects.count() == 2


def test_without_a_run_the_callers_key_makes_it_one_call(acme: Company) -> None:
    """R-219: in a run the key changes nothing."""
    body, once = {"call_id": "c1", "name": "memory_save", "arguments": STYLE}, {"Idempotency-Key": word()}
    first, again = (acme.alice.post("/tools/call", body, once) for _ in range(2))
    assert (again.json(), again["Idempotency-Replayed"]) == (first.json(), "true")
    other = acme.alice.post("/tools/call", body | {"call_id": "c2"}, once).json()
    assert other == {"call_id": "c2", "output": {"ok": False, "error": "idempotency_key_reused"}}
    acme.alice.in_run("run_1").post("/tools/call", body, once)
    with acme.entered():
        assert Operation.objects.count() == 2


def test_a_repeated_search_shows_no_more_than_may_be_seen_now(acme: Company) -> None:
    """R-062, R-153: what was forgotten or lost since is not in the repeated answer."""
    memory = acme.alice.store()
    alice = acme.alice.in_run("run_1")
    assert len(alice.tool("memory_search", {"query": "summary"}, "c1")["memories"]) == 1
    acme.alice.forget(memory)
    assert alice.tool("memory_search", {"query": "summary"}, "c1")["memories"] == []


def test_an_error_is_repeated_as_an_error(acme: Company) -> None:
    """R-221: the same refused write is not tried again."""
    alice = acme.alice.in_run("run_1")
    bad = {"key": "answer_style", "value": "zh"}
    assert alice.tool("memory_save", bad, "c1") == alice.tool("memory_save", bad, "c1")


def test_every_call_leaves_an_event(acme: Company) -> None:
    acme.alice.tool("memory_search", {"query": "x"})
    acme.alice.tool("memory_save", STYLE)
    with acme.entered():
        actions = set(AuditEvent.objects.values_list("action", flat=True))
    assert {"memory.recall", "memory.propose"} <= actions
