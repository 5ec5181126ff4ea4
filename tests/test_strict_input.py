"""Input is read as it was sent: nothing coerced, trimmed, cut or ignored; every wrong field is named, none quoted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest
from cast import USER, Caller, Company, new_key, now, sentence, text_of
from django.db import models
from rest_framework import serializers as drf

from accounts.models import Membership
from memories import serializers
from memories.models import Candidate, Evidence, Memory


def pointers(response: Any) -> list[str]:
    assert response.status_code == 400, text_of(response)
    return sorted(error["pointer"] for error in response.json()["errors"])


def propose(caller: Caller, **changes: Any) -> Any:
    body = {"namespace": USER, "kind": "preference", "key": new_key(), "statement": sentence()} | changes
    return caller.post("/proposals", {name: value for name, value in body.items() if value != "LEFT OUT"})


# --- the document of an error -----------------------------------------------------------------------------------------


def test_every_wrong_field_is_named_at_once(acme: Company) -> None:
    answer = propose(acme.alice, kind=1, key="", statement="LEFT OUT", valid_until="soon", colour="red")
    assert pointers(answer) == ["colour", "key", "kind", "statement", "valid_until"]
    body = answer.json()
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert {"type", "title", "status", "detail", "code", "errors", "instance"} <= set(body)
    assert (body["status"], body["code"], body["instance"]) == (400, "invalid_input", answer.headers["X-Request-Id"])
    assert all(set(error) == {"pointer", "code", "detail"} for error in body["errors"])


def test_a_place_inside_is_named_by_its_path(acme: Company) -> None:
    for changes, place in (
        ({"namespace": {"type": "user", "colour": "red"}}, "namespace.colour"),
        ({"namespace": {"type": "user", "path": ["a", ""]}}, "namespace.path.1"),
        ({"namespace": {"type": "team"}}, "namespace.id"),
        ({"evidence": {"type": "user_message", "ref": "m", "occurred_at": "x"}}, "evidence.occurred_at"),
        ({"said": {"sequence": "7"}}, "said.sequence"),
        ({"aliases": ["a", 7]}, "aliases.1"),
    ):
        assert pointers(propose(acme.alice, **changes)) == [place]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_an_error_is_told_in_the_language_of_the_call(acme: Company, language: str) -> None:
    """The codes stay; the sentences are for people."""
    answer = acme.alice.call("POST", "/proposals", {"kind": 1}, {"Accept-Language": language})
    assert answer.json()["code"] == "invalid_input"
    assert answer.headers["Content-Language"] == language
    if language == "zh-hans":
        assert any("\u4e00" <= char <= "\u9fff" for char in answer.json()["title"])


# --- types and sizes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1, 1.5, True, None, [], {}, ["x"]])
@pytest.mark.parametrize("field", ["kind", "key", "statement"])
def test_a_text_is_a_string(acme: Company, field: str, value: Any) -> None:
    assert pointers(propose(acme.alice, **{field: value})) == [field] or value == {}


@pytest.mark.parametrize("value", ["true", 1, 0, "yes", [], {}])
def test_a_flag_is_true_or_false(acme: Company, value: Any) -> None:
    assert pointers(propose(acme.alice, reusable=value)) == ["reusable"]


@pytest.mark.parametrize("value", ["3", 3.0, 3.5, True, -1, 2**31, 1e400, [], {}])
def test_a_whole_number_is_whole(acme: Company, value: Any) -> None:
    """R-110: no boolean, no fraction, no text, nothing out of range."""
    answer = propose(acme.alice, expected_version=value)
    assert answer.status_code == 400
    assert "errors" in answer.json()


@pytest.mark.parametrize("raw", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_are_finite(acme: Company, raw: str) -> None:
    body = json.dumps({"query": "x", "min_score": "SCORE"}).replace('"SCORE"', raw).encode()
    assert acme.alice.post("/recall", body).status_code == 400


@pytest.mark.parametrize(
    "value",
    [
        "2026-13-01", "2026-02-30", "26-01-01", "2026-1-1", "tomorrow", "2026-01-01T10:00:00", "2026-01-01 10:00",
        "2026-01-01T25:00:00Z", "2026-01-01T10:00:00+25:00", "0001-01-01", "9999-12-31", "９９９９-12-31", 20260101,
        True,
    ],
)  # fmt: skip
def test_an_end_is_a_day_or_an_instant_with_its_zone(acme: Company, value: Any) -> None:
    """R6: a time without a zone means nothing; years that no clock can reach are refused."""
    assert pointers(propose(acme.alice, valid_until=value)) == ["valid_until"]


def test_all_times_that_come_out_are_utc(acme: Company) -> None:
    """R6: also what went in with another offset."""
    memory = acme.alice.store(valid_until="2099-08-13T09:30:00+09:30")
    assert memory["valid_until"] == "2099-08-13T00:00:00Z"
    for name in ("created_at", "updated_at", "confirmed_at", "valid_until"):
        assert datetime.fromisoformat(memory[name]).utcoffset().total_seconds() == 0
        assert memory[name].endswith("Z")


@pytest.mark.parametrize(("field", "limit"), [("statement", 2000), ("conditions", 2000), ("key", 128), ("kind", 32)])
def test_a_text_has_its_length_and_is_never_cut(acme: Company, field: str, limit: int) -> None:
    """R-040, R-188, W17: the limit itself is admitted and comes back whole; one more is refused."""
    filler = ("Put the summary first. " * 100)[: limit - 1] + "."
    fitting = filler if field in ("statement", "conditions") else "k" * limit
    answer = propose(acme.alice, **{field: fitting})
    assert answer.status_code < 300
    if field in ("statement", "conditions") and answer.json()["candidate_id"]:
        assert acme.alice.candidate(answer.json()["candidate_id"])[field] == fitting
    assert pointers(propose(acme.alice, **{field: fitting + "x"})) == [field]


def test_lists_and_values_have_their_size(acme: Company) -> None:
    assert propose(acme.alice, aliases=[f"alias {index}" for index in range(16)]).status_code == 202
    assert pointers(propose(acme.alice, aliases=[f"alias {index}" for index in range(17)])) == ["aliases"]
    assert pointers(propose(acme.alice, value="x" * 8191)) == ["value"]
    path = [f"label {index}" for index in range(9)]
    assert pointers(propose(acme.alice, namespace={"type": "user", "path": path})) == ["namespace.path"]
    assert propose(acme.alice, namespace={"type": "user", "path": path[:8]}).status_code == 202


def test_a_deep_value_is_refused_and_not_followed(acme: Company) -> None:
    """T32."""
    value: Any = "x"
    for _ in range(40):
        value = [value]
    assert pointers(propose(acme.alice, value=value)) == ["value"]
    assert acme.alice.post("/proposals", b"[" * 100_000).status_code == 400
    assert acme.alice.post("/proposals", b'{"value": ' + b"[" * 100_000 + b"]" * 100_000 + b"}").status_code == 400


def test_a_large_body_is_refused_before_it_is_read(acme: Company) -> None:
    answer = acme.alice.post("/proposals", b'{"statement": "' + b"x" * (1024 * 1024) + b'"}')
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b'"text"', b"7", b"{", b"\xff\xfe", b"{'a': 1}", b"\xef\xbb\xbf{}"]
)
def test_a_body_is_a_json_object(acme: Company, body: bytes) -> None:
    assert acme.alice.post("/proposals", body).status_code == 400


@pytest.mark.parametrize("type_", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_says_that_it_is_json(acme: Company, type_: str) -> None:
    alice = acme.alice
    headers = {"Authorization": f"Bearer {alice.token}", "MemoryHub-Subject": "alice"}
    response = alice.client.generic("POST", "/api/v1/recall", b'{"query": "x"}', type_, headers=headers)
    assert response.status_code in (400, 415)
    assert response.headers["Content-Type"] == "application/problem+json"


# --- characters -------------------------------------------------------------------------------------------------------


BROKEN = {"nul": "\x00", "high half": "\ud800", "low half": "\udfff", "half an emoji": "a\ud83d"}
BROKEN_IN = {
    "key": ("key", "BAD"),
    "statement": ("statement", "BAD"),
    "conditions": ("conditions", "BAD"),
    "value.a": ("value", {"a": "BAD"}),
    "aliases.0": ("aliases", ["BAD"]),
    "namespace.path.0": ("namespace", {"type": "user", "path": ["BAD"]}),
    "said.speaker": ("said", {"speaker": "BAD"}),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_characters_are_an_error_with_their_place(acme: Company, broken: str) -> None:
    """R17: never a 500, and never stored in another form."""
    bad = f"text {BROKEN[broken]} text"
    for place, (name, value) in BROKEN_IN.items():
        changes = {name: json.loads(json.dumps(value).replace('"BAD"', json.dumps(bad)))}
        assert pointers(propose(acme.alice, **changes)) == [place]
    assert pointers(acme.alice.post("/recall", {"query": bad})) == ["query"]
    answer = acme.alice.tool("memory_search", json.dumps({"query": bad}))
    assert answer == {"ok": False, "error": "invalid_tool_arguments"}


@pytest.mark.parametrize("header", ["MemoryHub-Subject", "MemoryHub-Run", "MemoryHub-Thread", "Idempotency-Key"])
def test_broken_characters_in_a_header_are_no_500(acme: Company, header: str) -> None:
    for value in ("a\x00b", "a\x7f", "a\x85b"):
        answer = acme.alice.call("POST", "/proposals", acme.alice.proposal(), {header: value})
        assert answer.status_code == {"MemoryHub-Subject": 404, "Idempotency-Key": 201}.get(header, 400), value


def test_names_in_headers_may_be_in_any_script(acme: Company) -> None:
    """Headers are bytes: what was sent as UTF-8 is read as UTF-8, for people and for runs."""
    with acme.entered():
        Membership.objects.filter(external_id="alice").update(external_id="爱丽丝")
    name, run = ("爱丽丝".encode().decode("latin-1"), "运行一".encode().decode("latin-1"))
    memory = acme.by("runtime", name).in_run(run).store()
    assert memory["namespace"]["id"] == "爱丽丝"
    assert memory["provenance"]["run_id"] == "运行一"
    minted = acme.by("runtime", name).post("/delegations", {"subject": "爱丽丝", "scopes": ["memory:read"]}).json()
    assert len(Caller(minted["token"], name).listed()) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Use the family emoji 👨‍👩‍👧‍👦 in greetings.",
        "اكتب الخلاصة أولا في كل تقرير.",
        "Cafe\u0301 menus use combining marks e\u0301.",
        "先写结论，再写依据。",
        "  Two spaces stay at both ends.  ",
        "Tabs\tand\nlines stay.",
        "Quotes ' \" ` $$ -- /* */ ; % _ \\ stay.",
        "<b>Markup</b> & entities &amp; stay.",
        "{{ 7*7 }} ${7*7} #{7*7} stay.",
    ],
)
def test_every_script_comes_back_byte_for_byte(acme: Company, text: str) -> None:
    """I13, R2, R17, T28: stored literally, wherever it stands, and found by its own key."""
    key = f"k {text.strip()[:40]}"
    more = {"value": {text: [text]}, "conditions": text, "aliases": [text.strip()[:100]], "reusable": True}
    memory = acme.alice.store(text, key, **more)
    read = acme.alice.memory(memory["memory_id"]).json()
    assert (read["statement"], read["key"], read["conditions"], read["value"]) == (text, key, text, {text: [text]})
    assert [row["memory_id"] for row in acme.alice.listed(key=key)] == [memory["memory_id"]]
    found = acme.alice.get("/memories/lookup", namespace=json.dumps(USER), kind="preference", key=key)
    assert found.json()["memory_id"] == memory["memory_id"]
    assert found.headers["Content-Type"] == "application/json"


def test_names_that_look_alike_are_different_names(acme: Company) -> None:
    """O6: by the letter: case, width and spaces count."""
    names = ["Order", "order", "order ", "ｏrder", "or/der", "or%2Fder", "órder", "o\u0301rder"]
    made = {acme.alice.store(key=name)["memory_id"] for name in names}
    assert len(made) == len(names)
    for name in names:
        assert len(acme.alice.listed(key=name)) == 1


# --- query strings ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "colour=red", "limit=0", "limit=x", "limit=1&limit=2", "limit=", "cursor=", "offset=5", "page=2", "key=",
        "namespace=user", "namespace={}", "namespace=[]", 'namespace={"type":"planet"}',
        'namespace={"type":"user","x":1}', "q=%00", "q=", "updated_since=2026-01-01",
    ],
)  # fmt: skip
def test_a_query_string_is_read_strictly(acme: Company, query: str) -> None:
    """R8, R11, I9: an unknown, repeated, blank or unreadable parameter is an error, never ignored."""
    assert acme.alice.get(f"/memories?{query}").status_code == 400
    assert acme.alice.get("/memories?limit=5").status_code == 200


# --- mass assignment --------------------------------------------------------------------------------------------------

BODIES: dict[str, tuple[str, type[drf.Serializer], set[str]]] = {
    "propose": ("/proposals", serializers.ProposalBody, {
        "namespace", "kind", "key", "statement", "value", "evidence_id", "evidence", "reusable", "conditions",
        "aliases", "said", "valid_until", "expected_version", "sensitivity",
    }),
    "attest": ("/evidence", serializers.EvidenceBody, {
        "type", "ref", "occurred_at", "thread", "sequence", "speaker", "text", "reviewer",
    }),
    "recall": ("/recall", serializers.RecallBody, {
        "query", "namespaces", "kinds", "keys", "limit", "token_budget", "mode", "min_score", "as_of", "anchors",
        "explain",
    }),
    "correct": ("", serializers.CorrectionBody, {
        "statement", "value", "conditions", "valid_until", "sensitivity", "evidence_id",
    }),
    "forget": ("/forget", serializers.ForgetBody, {"filter", "dry_run", "confirm_token", "typed"}),
    "tool": ("/tools/call", serializers.ToolCallBody, {"call_id", "name", "arguments"}),
}  # fmt: skip
SERVERS_OWN = sorted(
    {
        name
        for model in (Memory, Candidate, Evidence)
        for field in model._meta.concrete_fields
        for name in (field.name, field.attname)
    }
    | {"confirmed", "approved", "authority", "score", "author", "role", "roles", "scopes", "principal"}
)


@pytest.mark.parametrize("door", BODIES)
def test_a_body_has_the_fields_of_the_contract(door: str) -> None:
    """T7: a field that is added to a body must be added here too, and so be thought about."""
    _, serializer, fields = BODIES[door]
    assert set(serializer().fields) == fields


@pytest.mark.parametrize("door", BODIES)
def test_nothing_of_the_servers_own_can_be_set(acme: Company, door: str) -> None:
    """T7, R-093, R-094, R-227: status, version, author, evidence class, ids, times: 400 and no effect."""
    path, _, fields = BODIES[door]
    memory = acme.alice.store()
    wanted: Mapping[str, Any] = {
        "propose": {"namespace": USER, "kind": "preference", "key": memory["key"], "statement": sentence()},
        "attest": {"type": "user_message", "ref": "m", "occurred_at": now().isoformat()},
        "recall": {"query": "x"},
        "correct": {"statement": sentence()},
        "forget": {"filter": {"key": memory["key"]}, "dry_run": True},
        "tool": {"call_id": "c", "name": "memory_search", "arguments": {"query": "x"}},
    }[door]
    foreign = [name for name in SERVERS_OWN if name not in fields]
    body = {**wanted, **dict.fromkeys(foreign, "x")}
    if door == "correct":
        answer = acme.alice.call("PATCH", f"/memories/{memory['memory_id']}", body, {"If-Match": '"1"'})
    else:
        answer = acme.alice.post(path, body)
    assert set(foreign) <= set(pointers(answer))
    assert acme.alice.memory(memory["memory_id"]).json() == memory


def test_every_body_refuses_unknown_fields() -> None:
    """No serializer of an input is a lenient one."""
    from memoryhub.fields import StrictSerializer

    inputs = [
        one
        for one in vars(serializers).values()
        if isinstance(one, type) and issubclass(one, drf.Serializer) and one.__module__ == serializers.__name__
    ]
    assert inputs
    assert [one.__name__ for one in inputs if not issubclass(one, StrictSerializer)] == []
    assert not any(issubclass(one, drf.ModelSerializer) for one in inputs)
    assert all(not field.read_only for one in inputs for field in one().fields.values())
    assert isinstance(Memory._meta.pk, models.UUIDField)


# --- conditional requests ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", ['"2"', "2", "x", '""', "", '"1", "2"', "1" * 20, "-1", "１"])
def test_a_tag_that_is_not_the_current_one_changes_nothing(acme: Company, tag: str) -> None:
    memory = acme.alice.store()
    path = f"/memories/{memory['memory_id']}"
    body = {"statement": sentence(), "evidence_id": acme.alice.evidence()}
    refused = acme.alice.call("PATCH", path, body, {"If-Match": tag.encode().decode("latin-1")})
    assert refused.status_code == 412
    assert acme.alice.memory(memory["memory_id"]).json() == memory
    assert acme.alice.call("PATCH", path, body, {"If-Match": 'W/"1"'}).status_code == 200


def test_a_correction_says_which_version_it_saw(acme: Company) -> None:
    """R-127: 428 without; unmentioned fields stay, an explicit null clears."""
    memory = acme.alice.store(value={"a": 1}, conditions="In reports.", valid_until="2099-01-01")
    path, evidence = f"/memories/{memory['memory_id']}", acme.alice.evidence()
    assert acme.alice.call("PATCH", path, {"conditions": None, "evidence_id": evidence}).status_code == 428
    answer = acme.alice.correct(memory, evidence, conditions=None)
    assert answer.headers["ETag"] == '"2"'
    changed = answer.json()["memory"]
    assert (changed["conditions"], changed["value"], changed["valid_until"], changed["statement"]) == (
        None, {"a": 1}, memory["valid_until"], memory["statement"],
    )  # fmt: skip
    assert pointers(acme.alice.correct(changed, evidence, version=2)) == ["statement"]


def test_an_agents_correction_without_evidence_is_a_guess(acme: Company) -> None:
    """api.md: held for the person, and nothing changes until then."""
    memory = acme.alice.store()
    answer = acme.alice.correct(memory, None, statement=sentence())
    assert (answer.status_code, answer.json()["reason"]) == (202, "inference_requires_confirmation")
    assert acme.alice.memory(memory["memory_id"]).json() == memory


def test_an_unchanged_memory_is_not_sent_again(acme: Company) -> None:
    memory = acme.alice.store()
    path = f"/memories/{memory['memory_id']}"
    same = acme.alice.call("GET", path, None, {"If-None-Match": '"1"'})
    assert (same.status_code, same.content) == (304, b"")
    assert acme.alice.call("GET", path, None, {"If-None-Match": '"2"'}).status_code == 200
