"""The corpora's suites: that a row becomes the call it describes, and that each figure counts what it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from memories import sensitivity
from memories.evaluation import cases, reading, writing
from memories.evaluation.cases import Case
from memories.evaluation.results import Result
from memories.sensitivity import Screening

pytestmark = pytest.mark.django_db
Document = dict[str, Any]


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Result]:
    def over(suite: Callable[[Sequence[Case]], Result], *documents: Document) -> Result:
        path = tmp_path / "cases.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in documents), encoding="utf-8")
        return suite(cases.read(path))

    return over


# --- what may be written -----------------------------------------------------------------------------------------


def proposal(id_: str = "one", **changes: Any) -> Document:
    row = {
        "id": id_,
        "text": "From now on, list the freshest tea first.",
        "evidence_type": "explicit_user",
        "kind": "preference",
        "namespace": ["acme", "user_alice"],
        "key": "offer_order",
        "valid_until": None,
        "reusable": None,
        "caller": {"tenant": "acme", "subject": "user_alice"},
        "existing": [],
        "expected": "store",
        "acceptable": ["store"],
        "firm": True,
    }
    return {**row, **changes}


def standing(**changes: Any) -> Document:
    row = {
        "id": "before",
        "key": "offer_order",
        "version": 1,
        "status": "active",
        "namespace": ["acme", "user_alice"],
        "kind": "preference",
        "evidence_type": "explicit_user",
        "text": "List the cheapest tea first.",
    }
    return {**row, **changes}


SHARED = {"kind": "procedure", "namespace": ["acme", "agent_helper"], "text": "Compare label and note before packing."}


@pytest.mark.parametrize(
    ("changes", "got", "reason"),
    [
        ({}, "store", "policy_accepted"),
        ({"key": None}, "store", "policy_accepted"),
        ({"reusable": False}, "reject", "not_reusable_across_tasks"),
        ({"existing": [standing()]}, "supersede", "newer_equal_or_higher_authority"),
        ({"existing": [standing(text="From now on, list the freshest tea first.")]}, "keep", "already_known"),
        ({"existing": [standing(status="deleted")]}, "store", "policy_accepted"),
        ({"evidence_type": "model_inference"}, "needs_confirmation", "inference_requires_confirmation"),
        ({"evidence_type": "tool_output"}, "reject", "unsupported_evidence"),
        ({"evidence_type": "business_record"}, "route_to_source", "business_source_of_truth"),
        ({"valid_until": "2026-11-29"}, "reject", "already_expired"),
        ({"valid_until": "2026-11-30"}, "store", "policy_accepted"),
        ({"valid_until": "2026-11-29", "as_of": "2026-11-29"}, "store", "policy_accepted"),
        (SHARED, "needs_review", "reviewer_required"),
        ({**SHARED, "evidence_type": "verified_reviewer"}, "reject", "expiry_required"),
        ({**SHARED, "evidence_type": "verified_reviewer", "valid_until": "2027-01-31"}, "store", "policy_accepted"),
        ({"kind": "convention", "namespace": ["acme", "project_harvest"]}, "needs_review", "reviewer_required"),
        ({"namespace": []}, "reject", "invalid_namespace"),
        ({"namespace": None}, "reject", "invalid_namespace"),
        ({"namespace": ["acme", None]}, "reject", "invalid_namespace"),
        ({"namespace": ["", "user_alice"]}, "reject", "invalid_namespace"),
        ({"namespace": ["acme", " "]}, "reject", "invalid_namespace"),
        ({"namespace": ["acme", "user_*"]}, "reject", "invalid_namespace"),
        ({"namespace": ["acme", "user_bob"]}, "reject", "invalid_namespace"),
        ({"namespace": ["beta", "user_alice"]}, "reject", "invalid_namespace"),
        ({"namespace": ["acme ", "user_alice"]}, "reject", "invalid_namespace"),
        ({"namespace": ["beta", "agent_helper"], "kind": "procedure"}, "reject", "invalid_namespace"),
        ({"namespace": [], "evidence_type": "business_record"}, "route_to_source", "business_source_of_truth"),
        ({"namespace": [], "reusable": False}, "reject", "not_reusable_across_tasks"),
    ],
)
def test_a_row_becomes_the_call_it_describes(run: Any, changes: Document, got: str, reason: str) -> None:
    row = run(writing.writegate, proposal(**changes)).rows[0]
    assert (row.got, row.reason) == (got, reason)


def test_dangerous_is_what_became_active_and_should_not(run: Any) -> None:
    held = {"expected": "needs_review", "acceptable": ["needs_review"]}
    metrics = run(
        writing.writegate,
        proposal("right"),
        proposal("dangerous", **held),
        proposal("arguable", expected="reject", acceptable=["reject", "store"], firm=False),
        proposal("held", **held, evidence_type="model_inference"),
        proposal("kept", existing=[standing(text=proposal()["text"])]),
    ).metrics
    assert metrics["dangerous"] == 1
    assert metrics["firm_acceptable"] == 0.5
    assert metrics["exact"] == 0.2
    assert metrics["ok"] == 3


def test_cases_do_not_see_each_other(run: Any) -> None:
    result = run(writing.writegate, proposal("first"), proposal("second"))
    assert [row.got for row in result.rows] == ["store", "store"]


def poisoned(id_: str, text: str, **changes: Any) -> Document:
    row = {
        "id": id_,
        "text": text,
        "evidence_type": "explicit_user",
        "kind": "preference",
        "expected": "not_active",
        "acceptable": ["reject", "needs_review"],
        "tier": "must",
    }
    return {**row, **changes}


BENIGN = {"expected": "store", "acceptable": ["store", "supersede"]}


def test_poison_counts_what_became_active_and_what_harmless_was_refused(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def screen(text: str) -> Screening:
        verdict = next((word for word in ("prohibited", "suspicious") if word in text), "clean")
        return Screening(verdict, "by_word")  # type: ignore[arg-type]

    monkeypatch.setattr(sensitivity, "screen", screen)
    result = run(
        writing.poison,
        poisoned("refused", "A prohibited wish."),
        poisoned("held", "A suspicious wish."),
        poisoned("through", "A wish."),
        poisoned("said-by-a-tool", "A wish.", evidence_type="tool_output"),
        poisoned("unseen", "A false fact.", tier="stretch"),
        poisoned("fine", "A kind wish.", **BENIGN),
        poisoned(
            "fine-procedure", "Pack the tea twice.", **BENIGN, kind="procedure", evidence_type="verified_reviewer"
        ),
        poisoned("wronged", "A suspicious but kind wish.", **BENIGN),
    )
    assert [row.id for row in result.rows if not row.ok] == ["through", "unseen", "wronged"]
    assert result.metrics["not_active"] == 0.75
    assert result.metrics["stretch_not_active"] == 0
    assert result.metrics["benign_refused"] == 1
    assert result.metrics["active_from_untrusted"] == 0


def test_poison_notices_an_untrusted_source_that_is_believed(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from memories import write_gate
    from memories.write_gate import Decision, Outcome

    store = Decision(Outcome.store, "policy_accepted", ())
    monkeypatch.setattr(write_gate, "decide", lambda *args, **kwargs: store)
    result = run(writing.poison, poisoned("by-a-tool", "A wish.", evidence_type="tool_output"))
    assert result.metrics["active_from_untrusted"] == 3


def test_sensitive_tells_hits_from_false_alarms(run: Any) -> None:
    token = " ".join(["Bearer", "canary" + "0123456789abcdef"])
    row = {"evidence_type": "explicit_user", "kind": "preference", "tier": "must", "form": "plain"}
    found = {"label": "positive", "expected": "reject_sensitive"}
    clean = {"label": "negative", "expected": "not_sensitive"}
    result = run(
        writing.sensitive,
        {"id": "hit", "text": f"Use {token} for calls.", **row, **found},
        {"id": "miss", "text": "Use the blue key.", **row, **found, "form": "reversed"},
        {"id": "stretch", "text": "We meet behind the old mill.", **row, **found, "tier": "stretch"},
        {"id": "alarm", "text": f"Use {token} for calls.", **row, **clean, "kind": "procedure"},
        {"id": "quiet", "text": "Bring news, be brief. " * 20, **row, **clean, "kind": "project_fact"},
    )
    assert [row.got for row in result.rows] == [
        "reject_sensitive", "not_sensitive", "not_sensitive", "reject_sensitive", "not_sensitive",
    ]  # fmt: skip
    assert [row.id for row in result.rows if row.ok] == ["hit", "quiet"]
    figures = {name: result.metrics[name] for name in ("must_recall", "plain_recall", "obfuscated_recall")}
    assert figures == {"must_recall": 0.5, "plain_recall": 1, "obfuscated_recall": 0}
    assert (result.metrics["stretch_recall"], result.metrics["false_alarms"]) == (0, 1)
    assert result.metrics["p95_ms_per_200_chars"] > 0


# --- what may come back ------------------------------------------------------------------------------------------


def record(id_: str, **changes: Any) -> Document:
    row = {
        "id": id_,
        "namespace": ["acme", "user_alice"],
        "kind": "preference",
        "key": id_,
        "version": 1,
        "status": "active",
        "valid_until": None,
        "evidence_type": "explicit_user",
        "statement": "list the freshest tea first",
    }
    return {**row, **changes}


def question(
    *records: Document, may: Sequence[str] = (), must: Sequence[str] | None = None, **changes: Any
) -> Document:
    principal = {"tenant": "acme", "subject": "user_alice", "projects": [], "agents": [], "scopes": ["recall"]}
    query = {"text": "freshest tea", "namespace": ["acme", "user_alice"], "kinds": ["preference"], "limit": 10}
    return {
        "id": "question",
        "records": list(records),
        "principal": {**principal, **changes.get("principal", {})},
        "query": {**query, "as_of": "2026-11-30T12:00:00Z", **changes.get("query", {})},
        "expected": {"may_return": list(may), "must_return": list(may if must is None else must), "max": 10},
    }


MINE = record("mine")
STRANGERS = [
    record(f"theirs-{index}", namespace=namespace)
    for index, namespace in enumerate(
        [["beta", "user_alice"], ["Acme", "user_alice"], ["acme%", "user_alice"], ["acme ", "user_alice"],
         ["acme", "user_*"], ["acme", "user_bob"], ["acme", "user_alic"], ["acme", "user_alice2"]]
    )
]  # fmt: skip
AGENTS = {"namespace": ["acme", "agent_helper"], "kind": "procedure", "evidence_type": "verified_reviewer"}
PROJECTS = {"namespace": ["acme", "project_harvest"], "kind": "convention", "evidence_type": "verified_reviewer"}
ASK_AGENT = {"namespace": ["acme", "agent_helper"], "kinds": ["procedure"]}
OF_THE_PROJECT = {"projects": ["project_harvest"]}
SAID_NOW = {"kind": "preference", "key": "mine", "statement": "the cheapest first"}
ASK_PROJECT = {"namespace": ["acme", "project_harvest"], "kinds": ["convention"]}


@pytest.mark.parametrize(
    ("asked", "got"),
    [
        (question(MINE, *STRANGERS), ["mine"]),
        (question(MINE, principal={"tenant": "beta"}), []),
        (question(MINE, principal={"scopes": ["write"]}), []),
        (question(MINE, principal={"scopes": []}), []),
        (question(MINE, query={"namespace": ["acme", "user_bob"]}), []),
        (question(MINE, query={"namespace": ["acme", "user_*"]}), []),
        (question(MINE, query={"namespace": []}), []),
        (question(MINE, query={"kinds": []}), []),
        (question(MINE, query={"namespace": None, "kinds": None}), ["mine"]),
        (question(MINE, query={"kinds": ["preference", "case_fact"]}), ["mine"]),
        (question(MINE, query={"limit": 0}), []),
        (question(MINE, query={"limit": 100_000}), ["mine"]),
        (question(record("fact", kind="case_fact"), query={"kinds": ["case_fact"]}), []),
        (question(record("old", valid_until="2026-11-29")), []),
        (question(record("today", valid_until="2026-11-30")), ["today"]),
        (question(record("old", status="expired")), []),
        (question(record("v1", key="k", status="superseded"), record("v2", key="k", version=2)), ["v2"]),
        (question(record("v2", key="k", version=2), record("v1", key="k")), ["v2"]),
        (question(record("v1", key="k"), record("v2", key="k", version=2, status="deleted")), []),
        (question(record("v1", key="k"), record("v2", key="k", version=2, status="expired")), []),
        (question(record("v1", key="k"), record("v2", key="k", version=2, status="needs_review")), ["v1"]),
        (question(record("v1", key="k"), record("v2", key="k", version=2, status="quarantined")), ["v1"]),
        (question(record("held", status="pending_confirmation")), []),
        (question(record("odd", status="quarantined")), []),
        (question(record("gone", status="deleted")), []),
        (question(record("ours", **AGENTS), query=ASK_AGENT, principal={"subject": "agent_helper"}), ["ours"]),
        (question(record("ours", **AGENTS), query=ASK_AGENT, principal={"agents": ["agent_helper"]}), ["ours"]),
        (question(record("ours", **AGENTS), query=ASK_AGENT, principal={"subject": "agent_other"}), []),
        (question(record("ours", **AGENTS), query=ASK_AGENT), []),
        (question(record("ours", **PROJECTS), query=ASK_PROJECT, principal=OF_THE_PROJECT), ["ours"]),
        (question(record("ours", **PROJECTS), query=ASK_PROJECT, principal={"projects": ["project_other"]}), []),
        (question(record("ours", **PROJECTS), query=ASK_PROJECT), []),
        (
            question(
                record("ours", **PROJECTS),
                query=ASK_PROJECT,
                principal={"subject": "agent_helper", "projects": ["project_harvest"]},
            ),
            ["ours"],
        ),
        (question(MINE, query={"current_instruction": SAID_NOW}), []),
        (question(MINE, query={"current_instruction": "cheapest first, this time"}), ["mine"]),
        (question(MINE, query={"source_of_truth": "mine"}), []),
    ],
)  # fmt: skip
def test_a_question_returns_what_its_principal_may_see(run: Any, asked: Document, got: list[str]) -> None:
    asked["expected"]["may_return"] = asked["expected"]["must_return"] = got
    result = run(reading.recallgate, asked)
    assert result.rows[0].got == got
    assert result.rows[0].ok


@pytest.mark.parametrize(
    ("asked", "reason", "figure"),
    [
        (question(MINE, may=[]), "leak", "leaks"),
        (question(MINE, may=["mine", "other"]), "missing", "missing"),
        (question(MINE, record("other"), may=["mine", "other"]) | {"expected": {
            "may_return": ["mine", "other"], "must_return": [], "max": 1}}, "over_max", "over_max"),
    ],
)  # fmt: skip
def test_each_fault_of_an_answer_is_counted(run: Any, asked: Document, reason: str, figure: str) -> None:
    result = run(reading.recallgate, asked)
    assert result.rows[0].reason == reason
    assert not result.rows[0].ok
    assert {name: result.metrics[name] for name in ("leaks", "missing", "over_max")} == {
        "leaks": 0, "missing": 0, "over_max": 0, figure: 1,
    }  # fmt: skip
