"""Reports of a run as files by name. They hold what is remembered at the end, never a digest, and nothing forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memories.evaluation.results import Result, shown

VERSION = "1.0"
SCOPE = (
    "Write gate, supersession, namespaces, recall and forgetting, through the service's own verbs and database. "
    "Models, extraction, prompts and answers are not part of it."
)
DISCLAIMER = (
    "A passed gate proves that the policy was kept on these cases. It does not prove that answers get better, and says "
    "nothing about encryption, backups, provider-side sessions or legal erasure."
)
Record = Mapping[str, Any]


def lab_files(
    cases: Sequence[Record],
    store: Sequence[Record],
    counts: Mapping[str, int],
    checks: Mapping[str, bool],
    passed: bool,
) -> dict[str, str]:
    """The five files of a lab run."""
    matched = sum(case["matched"] for case in cases)
    review = {
        "version": VERSION,
        "comparison_scope": SCOPE,
        "total_cases": len(cases),
        "matched_cases": matched,
        "decision_counts": dict(counts),
        "gate_checks": dict(checks),
        "gate_passed": passed,
        "cases": list(cases),
        "final_store": list(store),
        "disclaimer": DISCLAIMER,
    }
    headline = [f"Version {VERSION}.", f"Gate: **{_pass(passed)}**.", f"Matched: {matched}/{len(cases)}.", SCOPE]
    markdown = [
        "# Memory review",
        " ".join(headline[:3]),
        SCOPE,
        _table(("Action", "Count"), counts.items()),
        _table(("Check", "Result"), ((name, _pass(holds)) for name, holds in checks.items())),
        _table(("Case", "Operation", "Expected", "Actual", "Reason", "Result"), map(_case_line, cases)),
        DISCLAIMER,
    ]
    recalls = [
        (case["case_id"], case["decision"]["reason"], ", ".join(case["decision"]["recalled_ids"]) or "none")
        for case in cases
        if case["operation"] == "recall"
    ]
    recall = ["# Memory recall", _table(("Case", "Decision", "Recalled IDs"), recalls), DISCLAIMER]
    return {
        "memory-review.json": json.dumps(review, ensure_ascii=False, indent=2) + "\n",
        "memory-review.md": "\n\n".join(markdown) + "\n",
        "memory-decisions.jsonl": _lines(cases),
        "memory-store.jsonl": _lines(store),
        "memory-recall.md": "\n\n".join(recall) + "\n",
    }


def files(result: Result) -> Mapping[str, str]:
    """The reports of any run: the suite's own, or figures and failing rows."""
    if result.files is not None:
        return result.files
    failing = ((row.id, row.expected, row.got, row.reason) for row in result.rows if not row.ok)
    markdown = [
        f"# Evaluation: {result.suite}",
        _table(("Figure", "Value"), ((name, shown(figure)) for name, figure in result.metrics.items())),
        _table(("Failing row", "Expected", "Got", "Reason"), failing),
        DISCLAIMER,
    ]
    return {
        f"evaluation-{result.suite}.json": json.dumps(result.document(), ensure_ascii=False, indent=2) + "\n",
        f"evaluation-{result.suite}.md": "\n\n".join(markdown) + "\n",
    }


def _case_line(case: Record) -> tuple[str, ...]:
    decision = case["decision"]
    result = "match" if case["matched"] else "MISMATCH"
    return case["case_id"], case["operation"], case["expected_action"], decision["action"], decision["reason"], result


def _table(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows)


def _lines(documents: Iterable[Record]) -> str:
    return "".join(json.dumps(document, ensure_ascii=False, sort_keys=True) + "\n" for document in documents)


def _pass(holds: bool) -> str:
    return "PASS" if holds else "FAIL"
