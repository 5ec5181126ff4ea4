"""No code is without words: reasons and rules of the gate, evidence classes, stores and error codes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from accounts.forms import SCOPE_WORDS
from accounts.principals import Scope
from accounts.problems import PROBLEMS
from memories import stores, write_gate
from memories.policy import default_document
from memories.reasons import EVIDENCE, REASONS, RULES, STORES, sentence
from memoryhub.templatetags.hub import language_of

ROOT = Path(__file__).resolve().parent.parent
OF_THE_FRAMEWORK = {
    "not_authenticated", "authentication_failed", "permission_denied", "not_found", "method_not_allowed",
    "not_acceptable", "unsupported_media_type", "throttled", "parse_error",
}  # fmt: skip


def calls(*places: str) -> Iterator[ast.Call]:
    for place in places:
        path = ROOT / place
        for file in [path] if path.suffix == ".py" else sorted(path.rglob("*.py")):
            if "migrations" not in file.parts and "evaluation" not in file.parts:
                yield from (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))


def name_of(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def literal(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def reasons_of_the_gate() -> set[str]:
    found = {literal(call.args[0]) for call in calls("memories/write_gate.py") if name_of(call) == "_reject"}
    found |= {literal(call.args[1]) for call in calls("memories/write_gate.py") if name_of(call) == "_Answer"}
    return {reason for reason in found if reason} | set(default_document()["refused_kinds"].values())


def test_every_reason_of_the_gate_has_a_sentence() -> None:
    reasons = reasons_of_the_gate()
    assert len(reasons) > 20
    assert reasons - set(REASONS) == set()
    assert set(REASONS) - reasons == {"forget_requires_confirmation"}, "a sentence for a reason nobody gives"


def test_a_reason_of_a_newer_policy_still_reads_as_one() -> None:
    with translation.override("en"):
        told = str(sentence("made_up_tomorrow"))
    assert told == "The policy decided so; the code tells the reason."


def test_every_rule_evidence_class_and_store_has_words() -> None:
    assert {rule.__name__.lstrip("_") for rule in write_gate._RULES} == set(RULES)
    assert {one.value for one in write_gate.EvidenceClass} == set(EVIDENCE)
    assert {store.name for store in stores.STORES} - set(STORES) == set()


def test_every_scope_has_words() -> None:
    assert set(SCOPE_WORDS) == set(Scope)


def codes_of_errors() -> set[str]:
    """Codes that can stand at the top of a problem document; those of single fields stand under `errors`."""
    errors = ast.parse((ROOT / "accounts/errors.py").read_text())
    classes = {node.name for node in errors.body if isinstance(node, ast.ClassDef)} - {"FieldError"}
    found = {
        literal(one.value)
        for node in errors.body
        if isinstance(node, ast.ClassDef)
        for one in node.body
        if isinstance(one, ast.Assign) and getattr(one.targets[0], "id", "") == "code"
    }
    for call in calls("accounts", "memories", "reviews", "memoryhub"):
        name = name_of(call)
        if name in classes:
            found |= {literal(word.value) for word in call.keywords if word.arg == "code"}
        elif name in ("_problem", "problem", "problem_document") and len(call.args) > 2:
            found.add(literal(call.args[2]))
    return {code for code in found if code} | OF_THE_FRAMEWORK


def test_every_error_code_has_an_explanation() -> None:
    codes = codes_of_errors()
    assert {"stale_version", "own_proposal", "server_error", "missing_scope"} <= codes
    assert codes - set(PROBLEMS) == set()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Use metric units.", "en"),
        ("先结论后原因", "zh-Hans"),
        ("用 SI 单位", "zh-Hans"),
        ("最初に結論を", ""),
        ("שלום", ""),
        ("12", ""),
    ],
)
def test_the_language_of_a_text_is_named_only_when_it_is_plain(text: str, language: str) -> None:
    assert language_of(text) == language
