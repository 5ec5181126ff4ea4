"""What a file says, line by line, before anyone judges it: our own export, mem0's, and a plain list."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest

from memories.exchange.importers import IMPORTERS, MAX_LINE_BYTES, SCHEMA, BadLine, Entry, schema
from memories.inputs import NamespaceRef


def line(**fields: Any) -> dict[str, Any]:
    return {"schema": SCHEMA, "kind": "preference", "key": "style", "statement": "Conclusion first.", **fields}


def read(content: bytes | str | dict[str, Any], form: str = "jsonl") -> list[Any]:
    if isinstance(content, dict):
        content = json.dumps(content)
    found = IMPORTERS[form](content if isinstance(content, bytes) else content.encode())
    return [(number, (entry.code, entry.field) if isinstance(entry, BadLine) else entry) for number, entry in found]


def test_a_whole_line_is_read_and_what_belongs_to_the_writer_is_not() -> None:
    full = line(
        namespace={"type": "team", "id": "support", "path": ["work"]},
        value={"a": [1, None]},
        conditions="In reports",
        aliases=["order"],
        valid_until="2030-01-01T00:00:00+08:00",
        sensitivity="internal",
        said={"thread": "t", "sequence": 3, "speaker": "Al", "at": "2026-01-01T00:00:00Z"},
        status="paused",
        memory_id="1",
        evidence_class="verified_reviewer",
        version=99,
        provenance={"approved": True},
        created_at="x",
        updated_at=None,
        confirmed_at=7,
    )
    ((number, entry),) = read(full)
    assert number == 1
    assert entry == Entry(
        kind="preference",
        key="style",
        statement="Conclusion first.",
        place=NamespaceRef("team", "support", ("work",)),
        value={"a": [1, None]},
        conditions="In reports",
        aliases=("order",),
        valid_until=datetime(2029, 12, 31, 16, tzinfo=UTC),
        sensitivity="internal",
        said={"thread": "t", "sequence": 3, "speaker": "Al", "at": "2026-01-01T00:00:00+00:00"},
        paused=True,
        reusable=True,
    )


def test_the_schema_names_every_field_that_is_read() -> None:
    """Each is either the writer's own or taken over; nothing is silently ignored."""
    assert schema()["properties"]["schema"]["const"] == SCHEMA
    writers = {name for name, rule in schema()["properties"].items() if rule.get("readOnly")}
    taken = {"place" if name == "namespace" else name for name in set(schema()["properties"]) - writers}
    assert taken == set(Entry.__dataclass_fields__) - {"paused", "inferred", "reusable"} | {"schema", "status"}


BAD: list[tuple[bytes | dict[str, Any], str, str]] = [
    (b"{", "not_json", ""),
    (b"[]", "not_an_object", ""),
    (b'"text"', "not_an_object", ""),
    (b"\xff\xfe", "not_utf8", ""),
    (b'{"a": "\\ud800"}', "broken_characters", ""),
    (b'{"a": "\\u0000"}', "broken_characters", ""),
    (b'{"value": NaN}', "not_json", ""),
    (b'{"value": 1e999}', "not_json", ""),
    (b"[" * 60_000, "not_json", ""),
    (b'"' + b"x" * MAX_LINE_BYTES + b'"', "line_too_long", ""),
    ({"kind": "preference"}, "required", "schema"),
    (line(schema="memoryhub.memory/2"), "unknown_schema", "schema"),
    (line(kind=None), "invalid", "kind"),
    (line(statement=1), "invalid", "statement"),
    (line(statement=" "), "blank", "statement"),
    (line(statement="x" * 2001), "max_length", "statement"),
    (line(key="k" * 129), "max_length", "key"),
    (line(secret_of_mine=1), "unknown_field", ""),
    (line(tenant="acme"), "unknown_field", ""),
    (line(subject="alice"), "unknown_field", ""),
    (line(value="x" * 8300), "too_large", "value"),
    (line(value=json.loads("[" * 40 + "]" * 40)), "too_deep", "value"),
    (line(aliases=["a"] * 17), "max_length", "aliases"),
    (line(valid_until="tomorrow"), "not_a_time", "valid_until"),
    (line(valid_until="2030-01-01T00:00:00"), "not_a_time", "valid_until"),
    (line(valid_until="2030-02-31"), "not_a_day", "valid_until"),
    (line(valid_until="1200-01-01"), "out_of_range", "valid_until"),
    (line(said={"at": "now"}), "not_a_time", "said"),
    (line(said={"tenant": "x"}), "unknown_field", "said"),
    (line(status="deleted"), "invalid_choice", "status"),
    (line(namespace={"type": "planet"}), "invalid_choice", "namespace"),
]


@pytest.mark.parametrize(("content", "code", "field"), BAD)
def test_a_bad_line_says_what_is_wrong_with_it(content: Any, code: str, field: str) -> None:
    assert read(content) == [(1, (code, field))]


def test_a_bad_line_keeps_its_number_and_holds_up_no_other() -> None:
    good = json.dumps(line()).encode()
    found = read(b"\n".join([b"\xef\xbb\xbf" + good, b"{", b"", b"  ", good + b"\r", b"[]"]))
    assert [(number, type(one)) for number, one in found] == [(1, Entry), (2, tuple), (5, Entry), (6, tuple)]


def test_a_plain_list_is_one_preference_a_line() -> None:
    found = dict(read("\n- Conclusion first.\n\n2. 先结论后原因\n * Metric units\n", "text"))
    assert [(number, entry.statement) for number, entry in found.items()] == [
        (2, "Conclusion first."), (4, "先结论后原因"), (5, "Metric units"),
    ]  # fmt: skip
    (_, again), *_rest = read("Conclusion first.", "text")
    assert again.key == found[2].key != found[4].key, "the same words are the same memory"
    assert {entry.kind for entry in found.values()} == {"preference"}
    assert not any(entry.inferred for entry in found.values())


@pytest.mark.parametrize(
    "wrap", [lambda items: items, lambda items: {"results": items}, lambda items: {"memories": items}]
)
def test_mem0_is_read_in_each_form_it_exports(wrap: Any) -> None:
    items = [
        {"id": "m-1", "memory": "Likes tea", "user_id": "alice", "metadata": {"a": 1}, "hash": "x", "score": None},
        {"id": "m-2", "memory": "Works in Berlin", "expiration_date": "2031-01-02"},
        {"id": "m-3"},
        "text",
    ]
    found = [one for _, one in read(json.dumps(wrap(items)), "mem0")]
    assert [one.statement for one in found[:2]] == ["Likes tea", "Works in Berlin"]
    assert all(one.inferred for one in found[:2]), "a model worded them"
    assert found[1].valid_until == date(2031, 1, 2)
    assert found[2:] == [("required", "statement"), ("not_an_object", "")]


@pytest.mark.parametrize(("content", "code"), [(b"{}", "not_a_list"), (b"{", "not_json"), (b"\xff", "not_utf8")])
def test_what_is_no_mem0_export_is_told(content: bytes, code: str) -> None:
    assert read(content, "mem0") == [(1, (code, ""))]
