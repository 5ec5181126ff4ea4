"""The lab suite: its eight kinds of case, its six checks, and what breaking a case does to them."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memories.evaluation import cases, lab, reports
from memories.evaluation.cases import CaseError
from memories.evaluation.results import Result

pytestmark = pytest.mark.django_db
LAB = Path(__file__).parent / "cases" / "lab.jsonl"
FILES = {
    "memory-review.json",
    "memory-review.md",
    "memory-decisions.jsonl",
    "memory-store.jsonl",
    "memory-recall.md",
}
CORE = {
    "offer-order", "offer-order-changed", "guessed-colour", "marked-secret", "own-recall", "other-tenant",
    "forget-offer-order", "forget-it-twice", "said-anew",
}  # fmt: skip
Document = dict[str, Any]


def documents() -> list[Document]:
    return [json.loads(line) for line in LAB.read_text().splitlines()]


def core() -> list[Document]:
    """The cases of our story that the checks rest on."""
    return [one for one in documents() if one["id"] in CORE]


def changed(id_: str, **changes: Any) -> list[Document]:
    """The core of our story with one case changed."""
    story = core()
    next(one for one in story if one["id"] == id_).update(changes)
    return story


def run(tmp_path: Path, story: Sequence[Document]) -> Result:
    path = tmp_path / "story.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in story), encoding="utf-8")
    return lab.lab(cases.read(path))


def checks_that_fail(result: Result) -> set[str]:
    gate = {name: holds for name, holds in result.metrics.items() if isinstance(holds, bool) and name != "gate_passed"}
    assert len(gate) == 6
    assert result.passed == result.metrics["gate_passed"] == all(gate.values())
    return {name for name, holds in gate.items() if not holds}


def test_the_story_matches_and_the_gate_passes(tmp_path: Path) -> None:
    """R-078, R-294, R-295, R-298: every kind of answer, and strangers see nothing."""
    result = run(tmp_path, documents())
    assert [row.id for row in result.rows if not row.ok] == []
    assert checks_that_fail(result) == set()
    reasons = {row.id: row.reason for row in result.rows}
    assert reasons["other-tenant"] == "namespace_first_no_match"
    assert reasons["forget-it-twice"] == "memory_not_found"
    assert reasons["old-message-again"] == "tombstone_key"
    assert reasons["past-its-end"] == "already_expired"
    assert reasons["nobodys-namespace"] == "invalid_namespace"
    counted = {name: result.metrics[name] for name in ("store", "route_to_source", "reject", "supersede", "delete")}
    assert counted == {"store": 6, "route_to_source": 1, "reject": 10, "supersede": 1, "delete": 1}


def test_a_guess_attested_as_the_persons_word_fails_until_the_expectation_is_edited(tmp_path: Path) -> None:
    """R-296."""
    story = changed("guessed-colour", evidence_type="explicit_user")
    assert checks_that_fail(run(tmp_path, story)) == {"expected_decisions_matched"}
    next(one for one in story if one["id"] == "guessed-colour")["expected_action"] = "store"
    assert checks_that_fail(run(tmp_path, story)) == set()


def test_a_wrong_key_of_a_deletion_fails_two_checks(tmp_path: Path) -> None:
    """R-297: a deletion that hit nothing is no deletion, whatever else is expected of it."""
    story = changed("forget-offer-order", key="offer_orders")
    assert checks_that_fail(run(tmp_path, story)) >= {"expected_decisions_matched", "deleted_content_purged"}


@pytest.mark.parametrize("missing", [{"forget-offer-order"}, {"forget-offer-order", "forget-it-twice"}])
def test_without_any_deletion_nothing_counts_as_purged(tmp_path: Path, missing: set[str]) -> None:
    story = [one for one in core() if one["id"] not in missing | {"said-anew"}]
    if len(missing) == 1:
        story[-1]["key"] = "never_said"  # and so it finds nothing, as it expects
    assert checks_that_fail(run(tmp_path, story)) == {"deleted_content_purged"}


def test_without_a_question_from_elsewhere_nothing_counts_as_isolated(tmp_path: Path) -> None:
    story = [one for one in core() if one["id"] != "other-tenant"]
    assert checks_that_fail(run(tmp_path, story)) == {"namespace_isolation_enforced"}


def test_a_question_from_elsewhere_proves_nothing_while_nothing_is_stored(tmp_path: Path) -> None:
    story = sorted(core(), key=lambda one: one["id"] != "other-tenant")
    assert checks_that_fail(run(tmp_path, story)) == {"namespace_isolation_enforced"}


@pytest.mark.parametrize(
    ("id_", "changes"),
    [
        ("offer-order", {"expected_action": "reject"}),
        ("own-recall", {"expected_recall_ids": []}),
        ("own-recall", {"expected_recall_ids": ["mem_0000000000000000"]}),
        ("other-tenant", {"expected_action": "store"}),
        ("forget-it-twice", {"expected_action": "delete"}),
    ],
)
def test_an_edited_expectation_fails(tmp_path: Path, id_: str, changes: Document) -> None:
    """R-292."""
    result = run(tmp_path, changed(id_, **changes))
    assert [row.id for row in result.rows if not row.ok] == [id_]
    assert "expected_decisions_matched" in checks_that_fail(result)


def test_an_empty_file_passes_nothing(tmp_path: Path) -> None:
    assert not run(tmp_path, []).passed


@pytest.mark.parametrize(
    ("id_", "key"),
    [(one["id"], key) for one in documents() if one["id"] in ("offer-order", "own-recall", "forget-offer-order")
     for key in one],
)  # fmt: skip
def test_a_missing_key_is_named(tmp_path: Path, id_: str, key: str) -> None:
    story = documents()
    place = next(index for index, one in enumerate(story) if one["id"] == id_)
    del story[place][key]
    with pytest.raises(CaseError, match=f"line {place + 1}, key '{key}'"):
        run(tmp_path, story)


@pytest.mark.parametrize(
    "changes",
    [
        {"operation": "merge"},
        {"id": "offer-order-changed"},
        {"reusable": "false"},
        {"as_of": "yesterday"},
        {"valid_until": "2026-13-01"},
        {"namespace": [1]},
    ],
)
def test_what_the_lab_does_not_know_is_named(tmp_path: Path, changes: Document) -> None:
    key = next(iter(changes))
    with pytest.raises(CaseError, match=rf"line [123], key '{key}'"):
        run(tmp_path, changed("offer-order", **changes))


def digests(text: str) -> list[str]:
    """What could stand for a text in a report: usual digests, also cut short, and usual encodings."""
    data = text.encode()
    made = [hashlib.new(name, data).hexdigest()[:12] for name in ("md5", "sha1", "sha256", "sha512", "blake2b")]
    encoded = [base64.b64encode(data).decode().rstrip("=")[:-1], data.hex(), json.dumps(text)[1:-1]]
    return [text, *made, *encoded]


def test_reports_hold_neither_secrets_nor_what_was_forgotten(tmp_path: Path) -> None:
    """R-319, R-299, R-301: five files; the refused text, the forgotten ones and their digests are in none of them."""
    address = "@".join(["canarybird", "example.org"])
    token = " ".join(["Bearer", "canary" + "0123456789abcdef"])
    story = changed("marked-secret", statement=f"Write to {address} with {token}.", sensitivity="personal")
    result = run(tmp_path, story)
    assert checks_that_fail(result) == set()
    files = reports.files(result)
    assert set(files) == FILES
    everything = "\n".join(files.values()) + json.dumps(result.document())
    forgotten = ["List the cheapest tea first.", "List the freshest tea first."]
    for text in (address, token, *forgotten):
        assert [form for form in digests(text) if form in everything] == []
    assert "List the rarest tea first." in files["memory-store.jsonl"]
    assert "does not prove that answers get better" in files["memory-review.md"]
    assert "does not prove that answers get better" in files["memory-review.json"]


def test_reports_tell_every_case_and_the_final_store(tmp_path: Path) -> None:
    files = reports.files(run(tmp_path, documents()))
    review = json.loads(files["memory-review.json"])
    decisions = [json.loads(line) for line in files["memory-decisions.jsonl"].splitlines()]
    store = [json.loads(line) for line in files["memory-store.jsonl"].splitlines()]
    assert review["cases"] == decisions
    assert [one["case_id"] for one in decisions] == [one["id"] for one in documents()]
    assert review["final_store"] == store
    assert review["total_cases"] == review["matched_cases"] == len(documents())
    assert set(review["gate_checks"].values()) == {True}
    by_case = {one["created_by_case"]: one for one in store}
    assert {one["status"] for one in by_case.values()} == {"active", "deleted"}
    gone = by_case["offer-order-changed"]
    assert (gone["statement"], gone["key"], gone["status"], gone["version"]) == (None, None, "deleted", 2)
    assert by_case["said-anew"]["version"] == 3
    assert by_case["said-anew"]["memory_id"] != gone["memory_id"]
    recalled = next(one for one in decisions if one["case_id"] == "recall-what-was-said-anew")
    assert recalled["decision"]["recalled_ids"] == [by_case["said-anew"]["memory_id"]]
    assert recalled["decision"]["recalled_ids"][0] in files["memory-recall.md"]
