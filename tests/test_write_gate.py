"""The write gate: every reason, the order of the rules, and who is asked."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from memories.policy import default_document, default_policy, load, merge
from memories.wishes import LEVELS, Wishes
from memories.write_gate import (
    Current,
    Detectors,
    Evidence,
    EvidenceClass,
    Outcome,
    Proposal,
    Slot,
    decide,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = timedelta(days=1)
EMPTY = Slot()
CASES = [
    json.loads(line) for line in (Path(__file__).parent / "cases/write_gate.jsonl").read_text("utf-8").splitlines()
]
RELAXED = load(merge(default_document(), {"confirm": "inferred_only"}))
STRICT = load(merge(default_document(), {"confirm": "inferred_only", "inference": "reject"}))

# Detectors that go by a mark in the text, so that each test says what they see.
MARKS = Detectors(
    scan_fields=lambda fields: {name: ("found",) for name, text in fields.items() if "[secret]" in text},
    screen=lambda text: SimpleNamespace(
        verdict="prohibited" if "[structure]" in text else "suspicious" if "[odd]" in text else "clean"
    ),
    sensitive_trait=lambda text: "[trait]" in text,
)


def proposal(statement="Put the conclusion first.", **fields):
    """A person's preference; the detectors see statement and key unless told otherwise."""
    made = Proposal(
        **({"namespace_type": "user", "kind": "preference", "key": "answer_order", "statement": statement} | fields)
    )
    seen = fields.get("free_texts", {"statement": made.statement, "key": made.key or ""})
    return replace(made, free_texts=seen)


def procedure(statement="Check the receipt before promising a refund.", **fields):
    return proposal(
        statement, **({"namespace_type": "agent", "kind": "procedure", "valid_until": NOW + 90 * DAY} | fields)
    )


def evidence(name="explicit_user", **fields):
    return Evidence(EvidenceClass(name), **({"occurred_at": NOW} | fields))


def current(statement="Put the evidence first.", **fields):
    defaults = {
        "memory_id": "m1",
        "version": 1,
        "statement": statement,
        "value": None,
        "conditions": None,
        "valid_until": None,
        "evidence_class": EvidenceClass.explicit_user,
        "status": "active",
    }
    return Slot(current=Current(**(defaults | fields)))


def judge(what=None, source="explicit_user", *, policy=RELAXED, slot=EMPTY, approving=False, **more):
    said = source if isinstance(source, Evidence) else evidence(source)
    return decide(what or proposal(), said, policy, slot, NOW, approving=approving, detectors=MARKS, **more)


def answer(decision):
    return decision.outcome.value, decision.reason


# what is said is judged by what it says


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case):
    what = proposal(
        case["text"],
        key=None,
        kind=case.get("kind", "preference"),
        namespace_type=case.get("namespace", "user"),
        valid_until=NOW + 60 * DAY if case.get("kind") == "procedure" else None,
    )
    decision = judge(what, case.get("evidence", "explicit_user"))
    assert answer(decision) == (case["outcome"], case["reason"])
    if "topic" in case:
        assert decision.topic.name == case["topic"]


def test_the_cases_speak_both_languages_for_every_group():
    groups = {case["id"].rsplit("-", 1)[0] for case in CASES}
    spoken = {(case["id"].rsplit("-", 1)[0], case["lang"]) for case in CASES}
    assert spoken == {(group, language) for group in groups for language in ("en", "zh")}


# storing, replacing, keeping


def test_an_explicit_preference_is_stored_with_all_checks_passed():
    decision = judge()
    assert answer(decision) == ("store", "policy_accepted")
    assert [check.code for check in decision.checks] == ["ok"] * 16
    assert all(check.passed and check.rule for check in decision.checks)


def test_a_newer_statement_supersedes_and_names_what_it_replaces():
    decision = judge(slot=current())
    assert answer(decision) == ("supersede", "newer_equal_or_higher_authority")
    assert decision.supersedes == "m1"


def test_the_same_again_is_kept():
    decision = judge(slot=current("Put the conclusion first."))
    assert answer(decision) == ("keep", "already_known")
    assert all(check.passed for check in decision.checks)


@pytest.mark.parametrize(
    "change",
    [
        {"value": {"order": 1}},
        {"conditions": "in reports"},
        {"valid_until": NOW + DAY},
        {"statement": "put the conclusion first."},
    ],
)
def test_any_difference_is_a_new_version(change):
    assert judge(proposal(**change), slot=current("Put the conclusion first.")).outcome is Outcome.supersede


@pytest.mark.parametrize("gone", [{"status": "paused"}, {"valid_until": NOW}])
def test_a_paused_or_expired_twin_is_replaced_not_kept(gone):
    twin = proposal(valid_until=gone.get("valid_until", None) and NOW + DAY)
    assert judge(twin, slot=current("Put the conclusion first.", **gone)).outcome is Outcome.supersede


# 1-2: what may not be remembered


def test_a_secret_in_any_field_is_rejected():
    for field in ("statement", "key", "ref", "thread", "value.note", "path.0"):
        decision = judge(proposal(free_texts={"statement": "fine", field: "x [secret] x"}))
        assert answer(decision) == ("reject", "sensitive_or_prohibited")
        assert decision.checks[-1].code == "sensitive_or_prohibited"
        assert not decision.checks[-1].passed


@pytest.mark.parametrize("kind", [rule.name for rule in default_policy().kinds])
def test_no_kind_is_spared_the_look_for_secrets(kind):
    """R-015: what a memory is about decides its rules, and never whether there are any."""
    what = {"kind": kind, "namespace_type": "project" if kind == "convention" else "agent", "valid_until": NOW + DAY}
    if kind in ("preference", "profile"):
        what["namespace_type"] = "user"
    word = "explicit_user" if what["namespace_type"] == "user" else "verified_reviewer"
    assert judge(proposal(**what), word).outcome is Outcome.store
    assert answer(judge(proposal("[secret]", **what), word)) == ("reject", "sensitive_or_prohibited")


def test_a_secret_label_is_rejected_and_others_are_not():
    assert judge(proposal(sensitivity="secret")).reason == "sensitive_or_prohibited"
    assert judge(proposal(sensitivity="personal")).outcome is Outcome.store


def test_a_slots_key_is_not_read_as_a_label_of_a_credential():
    seen = []
    marks = replace(MARKS, scan_fields=lambda fields: seen.extend(fields) or {})
    decide(proposal(), evidence(), RELAXED, EMPTY, NOW, detectors=marks)
    assert sorted(seen) == ["slot", "statement"]


def test_structural_injection_is_rejected_and_odd_wording_goes_to_a_reviewer():
    assert answer(judge(proposal("[structure]"))) == ("reject", "prohibited_instruction")
    decision = judge(proposal("[odd] words"))
    assert answer(decision) == ("needs_review", "suspicious_content")
    assert decision.awaiting == "reviewer"


def test_odd_wording_of_a_persons_own_form_goes_to_a_reviewer_too():
    assert judge(proposal("[odd] words", entered_by_person=True)).reason == "suspicious_content"


def test_a_reviewer_may_clear_odd_wording_and_its_owner_may_not():
    what = proposal("[odd] words")
    assert judge(what, evidence(cleared=True), approving=True).outcome is Outcome.store
    assert judge(what, approving=True).reason == "suspicious_content"
    assert judge(what, evidence(cleared=True)).reason == "suspicious_content"
    assert judge(procedure("[odd] words"), "verified_reviewer", approving=True).outcome is Outcome.store


# 3: what a business system owns


@pytest.mark.parametrize("kind", ["preference", "procedure", "case_fact"])
def test_a_business_record_is_routed_whatever_it_says(kind):
    decision = judge(proposal("Blue.", kind=kind), "business_record")
    assert answer(decision) == ("route_to_source", "business_source_of_truth")
    assert decision.topic.name == "business_record"
    assert decision.topic.system.get("zh-hans")
    assert decision.topic.how_to_query.get("en")


def test_a_state_hidden_in_the_value_is_routed():
    decision = judge(proposal("Remember this.", value={"notes": ["Ticket 77 is closed."]}))
    assert decision.topic.name == "ticket_status"


def test_a_guess_that_says_it_is_one_is_a_guess_and_not_a_record():
    assert (
        judge(proposal("The order is probably delayed."), "model_inference").reason == "inference_requires_confirmation"
    )
    assert judge(proposal("The order is delayed."), "model_inference").outcome is Outcome.route_to_source
    assert judge(proposal("The order is probably delayed.")).outcome is Outcome.route_to_source


def test_a_claim_to_power_in_odd_words_is_reviewed_and_then_routed():
    what = proposal("[odd] I have admin rights on the sales database")
    assert judge(what).reason == "suspicious_content"
    assert judge(replace(what, statement=what.statement[6:], free_texts={})).outcome is Outcome.route_to_source
    assert judge(proposal("[odd] Order 31 is on hold")).outcome is Outcome.route_to_source


# 4: what is not for later


def test_not_reusable_is_rejected_and_a_claimed_reuse_is_believed():
    """R-067."""
    assert answer(judge(proposal(reusable=False))) == ("reject", "not_reusable_across_tasks")
    passing = "Skip the chart this time."
    assert judge(proposal(passing)).reason == "not_reusable_across_tasks"
    assert judge(proposal(passing, reusable=True)).outcome is Outcome.store
    assert judge(proposal(conditions="only for this answer")).reason == "not_reusable_across_tasks"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("run_state", "run_state_not_memory"),
        ("checkpoint", "run_state_not_memory"),
        ("transcript", "transcript_not_memory"),
    ],
)
def test_what_the_runtime_keeps_has_its_own_reason(kind, reason):
    """R-004, R-024: neither a run's state nor a conversation becomes a memory, whoever says so."""
    assert answer(judge(proposal(kind=kind))) == ("reject", reason)
    assert answer(judge(proposal(kind=kind), "model_inference")) == ("reject", reason)


@pytest.mark.parametrize("text", ["Shorten that second paragraph.", "把刚才第二段改短。"])
def test_what_points_into_a_conversation_stays_in_it(text):
    """R-026: the same words mean nothing in the next one."""
    assert answer(judge(proposal(text))) == ("reject", "not_reusable_across_tasks")
    assert judge(proposal("Keep paragraphs short in every report.")).outcome is Outcome.store


def test_a_lesson_may_speak_of_this_time():
    lesson = procedure("This time the export failed because the disk was full; clear it first.", kind="lesson")
    assert judge(lesson, "verified_reviewer").outcome is Outcome.store


# 5: what was forgotten


@pytest.mark.parametrize(
    ("source", "occurred", "expected"),
    [
        ("explicit_user", NOW - DAY, "tombstone_key"),
        ("explicit_user", NOW - 2 * DAY, "tombstone_key"),
        ("explicit_user", None, "tombstone_key"),
        ("explicit_user", NOW, "policy_accepted"),
        ("model_inference", NOW, "tombstone_key"),
        ("tool_output", NOW, "tombstone_key"),
    ],
)
def test_after_a_forgetting_only_a_fresh_word_of_a_person_counts(source, occurred, expected):
    slot = Slot(forgotten_at=NOW - DAY)
    assert judge(None, evidence(source, occurred_at=occurred), slot=slot).reason == expected


def test_a_reviewer_may_bring_back_a_shared_rule_and_a_person_their_own_entry():
    slot = Slot(forgotten_at=NOW - DAY)
    assert judge(procedure(), "verified_reviewer", slot=slot).outcome is Outcome.store
    stale = evidence(occurred_at=NOW - 2 * DAY)
    assert judge(proposal(entered_by_person=True), stale, slot=slot).outcome is Outcome.store


def test_a_forgotten_source_brings_nothing_back_unless_something_newer_stands():
    old = evidence(occurred_at=NOW - 2 * DAY, source_forgotten_at=NOW - DAY)
    assert answer(judge(None, old)) == ("reject", "tombstone_source")
    assert judge(None, replace(old, occurred_at=NOW)).outcome is Outcome.store
    assert judge(None, old, slot=current()).outcome is Outcome.supersede


# 7: guesses


def test_a_guess_waits_for_its_owner():
    decision = judge(source="model_inference")
    assert answer(decision) == ("needs_confirmation", "inference_requires_confirmation")
    assert decision.awaiting == "owner"
    assert [check.code for check in decision.checks if not check.passed] == ["inference_requires_confirmation"]


def test_a_guess_about_a_private_trait_is_refused_and_the_same_said_is_not():
    assert answer(judge(proposal("[trait]"), "model_inference")) == ("reject", "sensitive_trait_inference")
    assert judge(proposal("[trait]")).outcome is Outcome.store


def test_a_policy_may_refuse_guesses():
    assert answer(judge(source="model_inference", policy=STRICT)) == ("reject", "inference_requires_confirmation")


def test_a_guess_against_what_the_person_said_only_waits():
    decision = judge(source="model_inference", slot=current())
    assert (decision.outcome, decision.supersedes) == (Outcome.needs_confirmation, None)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"namespace_type": None}, "invalid_namespace"),
        ({"kind": "mood"}, "unknown_kind"),
        ({"kind": "procedure"}, "kind_not_allowed_in_namespace"),
        ({"valid_until": NOW}, "already_expired"),
    ],
)
def test_a_guess_that_no_yes_could_save_is_refused_at_once(fields, reason):
    decision = judge(proposal(**fields), "model_inference")
    assert answer(decision) == ("reject", reason)
    assert decision.awaiting is None


def test_a_guess_for_a_shared_place_needs_no_end_yet():
    assert judge(procedure(valid_until=None), "model_inference").outcome is Outcome.needs_confirmation


# 8-9: whose it is, and on whose word


@pytest.mark.parametrize("type", [None, "", " ", "tenant", "User"])
def test_a_namespace_that_is_none_is_refused(type):
    """R-063, R-070."""
    assert answer(judge(proposal(namespace_type=type))) == ("reject", "invalid_namespace")


def test_a_kind_is_known_under_its_other_names():
    fact = procedure("Dates in APIs are in UTC.", kind="project_fact", namespace_type="project")
    assert judge(fact, "verified_reviewer").outcome is Outcome.store
    assert judge(replace(fact, kind="factoid"), "verified_reviewer").reason == "unknown_kind"
    assert judge(replace(fact, namespace_type="user"), "verified_reviewer").reason == "kind_not_allowed_in_namespace"


@pytest.mark.parametrize("source", ["explicit_user", "tool_output"])
@pytest.mark.parametrize(("kind", "namespace"), [("procedure", "agent"), ("lesson", "team"), ("convention", "project")])
def test_a_shared_rule_waits_for_a_reviewer_even_without_an_end(source, kind, namespace):
    decision = judge(procedure(kind=kind, namespace_type=namespace, valid_until=None), source)
    assert answer(decision) == ("needs_review", "reviewer_required")
    assert decision.awaiting == "reviewer"


def test_an_expired_shared_rule_does_not_wait_for_anybody():
    assert judge(procedure(valid_until=NOW - DAY)).reason == "already_expired"


def test_a_projects_maintainer_may_set_its_conventions_and_nothing_else():
    convention = procedure("Tests run before merge.", kind="convention", namespace_type="project")
    maintainer = evidence(by_maintainer=True)
    assert judge(convention, maintainer).outcome is Outcome.store
    assert judge(replace(convention, kind="lesson"), maintainer).outcome is Outcome.needs_review


@pytest.mark.parametrize(
    ("source", "kind"), [("verified_reviewer", "preference"), ("tool_output", "preference"), ("tool_output", "episode")]
)
def test_nobody_else_speaks_for_the_person(source, kind):
    """R-088."""
    assert answer(judge(proposal(kind=kind, valid_until=NOW + DAY), source)) == ("reject", "unsupported_evidence")


def test_a_runs_result_is_an_episode_only_with_a_receipt():
    run = proposal("Run 104 exported the report.", kind="episode", namespace_type="agent", valid_until=NOW + DAY)
    assert judge(run, evidence("tool_output", with_receipt=True)).outcome is Outcome.store
    assert judge(run, "tool_output").outcome is Outcome.needs_review


# 10: how it ends


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (NOW - DAY, "already_expired"),
        (NOW, "already_expired"),
        (None, "expiry_required"),
        (NOW + timedelta(seconds=1), "policy_accepted"),
        (NOW + 367 * DAY, "policy_accepted"),
        (NOW + 368 * DAY, "expiry_too_far"),
    ],
)
def test_a_procedure_ends_within_its_time(end, expected):
    """R-087, R-136."""
    assert judge(procedure(valid_until=end), "verified_reviewer").reason == expected


def test_a_preference_needs_no_end():
    assert judge(proposal(valid_until=None)).outcome is Outcome.store
    assert judge(proposal(valid_until=NOW + 3000 * DAY)).outcome is Outcome.store


# 11: who wins


def test_a_maintainer_does_not_overrule_a_reviewer_unless_that_has_ended():
    convention = procedure("Tests run before merge.", kind="convention", namespace_type="project")
    maintainer = evidence(by_maintainer=True)
    reviewed = {"evidence_class": EvidenceClass.verified_reviewer, "valid_until": NOW + DAY}
    assert judge(convention, maintainer, slot=current(**reviewed)).reason == "lower_authority_conflict"
    assert judge(convention, "verified_reviewer", slot=current(**reviewed)).outcome is Outcome.supersede
    for gone in ({"valid_until": NOW}, {"status": "paused"}):
        assert judge(convention, maintainer, slot=current(**(reviewed | gone))).outcome is Outcome.supersede


def test_a_run_does_not_overrule_the_person():
    run = proposal("Run 104 exported the report.", kind="episode", valid_until=NOW + DAY)
    receipt = evidence("tool_output", with_receipt=True)
    assert judge(run, receipt, slot=current()).reason == "lower_authority_conflict"
    assert judge(run, slot=current()).outcome is Outcome.supersede


# 13: who is shown it first


def test_by_default_the_person_sees_what_an_agent_wants_to_save():
    decision = judge(policy=default_policy())
    assert answer(decision) == ("needs_confirmation", "confirmation_required")
    assert decision.awaiting == "owner"


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"key": "answer_style", "statement": "先结论后原因"}, Outcome.store),
        ({"key": "answer_style", "statement": "brief"}, Outcome.store),
        ({"key": "answer_style", "statement": "Keep answers brief.", "value": "brief"}, Outcome.store),
        ({"key": "answer_style", "statement": "Keep answers brief.", "value": "detailed"}, Outcome.needs_confirmation),
        ({"key": "answer_style", "statement": "Use metric units."}, Outcome.needs_confirmation),
        (
            {"key": "answer_style", "statement": "Keep answers brief.", "conditions": "at work"},
            Outcome.needs_confirmation,
        ),
        ({"key": "code_language", "statement": "Go"}, Outcome.needs_confirmation),
    ],
)
def test_only_the_policys_own_words_are_saved_without_asking(fields, outcome):
    assert judge(proposal(**fields), policy=default_policy()).outcome is outcome


def test_what_a_person_enters_or_approved_is_not_asked_about_again():
    for policy in (default_policy(), load(merge(default_document(), {"confirm": "always"}))):
        assert judge(proposal(entered_by_person=True), policy=policy).outcome is Outcome.store
        assert judge(policy=policy, approving=True).outcome is Outcome.store
        assert judge(procedure(), "verified_reviewer", policy=policy).outcome is Outcome.store


def test_always_means_registered_values_too():
    always = load(merge(default_document(), {"confirm": "always"}))
    assert judge(proposal("Keep answers brief.", key="answer_style"), policy=always).reason == "confirmation_required"


def test_an_approval_does_not_mend_anything_else():
    for what, reason in (
        (proposal("[secret]"), "sensitive_or_prohibited"),
        (proposal(valid_until=NOW), "already_expired"),
        (proposal(namespace_type=None), "invalid_namespace"),
    ):
        assert judge(what, approving=True).reason == reason


# the order of the rules: each step breaks one rule more, from the last to the first


LADDER = [
    ("confirmation_required", {}, {}),
    ("suspicious_content", {"statement": "[odd] rule"}, {}),
    ("lower_authority_conflict", {}, {}),
    ("expiry_required", {"valid_until": None}, {}),
    ("already_expired", {"valid_until": NOW - DAY}, {}),
    ("unsupported_evidence", {}, {"evidence_class": EvidenceClass.tool_output, "with_receipt": False}),
    ("unknown_kind", {"kind": "mood"}, {}),
    ("invalid_namespace", {"namespace_type": None}, {}),
    ("inference_requires_confirmation", {}, {"evidence_class": EvidenceClass.model_inference}),
    ("sensitive_trait_inference", {"statement": "[odd] [trait] rule"}, {}),
    ("tombstone_key", {}, {}),
    ("not_reusable_across_tasks", {"reusable": False}, {}),
    ("business_source_of_truth", {"kind": "case_fact"}, {}),
    ("prohibited_instruction", {"statement": "[structure] [trait]"}, {}),
    ("sensitive_or_prohibited", {"sensitivity": "secret"}, {}),
]


def test_of_two_broken_rules_the_earlier_is_told():
    """A user's episode is broken step by step; the answer is always the newest, because it stands earlier."""
    document = merge(default_document(), {"confirm": "agent_writes", "inference": "reject"})
    document["kinds"]["episode"]["authority"] = ["verified_reviewer", "tool_output", "explicit_user"]
    policy = load(document)
    stronger = {"evidence_class": EvidenceClass.verified_reviewer}
    what = {"statement": "The release went well.", "kind": "episode", "valid_until": NOW + DAY}
    said, slot = {"evidence_class": EvidenceClass.explicit_user, "occurred_at": NOW - 2 * DAY}, EMPTY
    told = []
    for reason, change, source in LADDER:
        what, said = what | change, said | source
        if reason == "lower_authority_conflict":
            slot = current(**stronger)
        if reason == "tombstone_key":
            slot = replace(slot, forgotten_at=NOW - DAY)
        told.append(judge(proposal(**what), Evidence(**said), policy=policy, slot=slot).reason)
    assert told == [reason for reason, _, _ in LADDER]


def test_a_decision_holds_nothing_of_the_text():
    canary = "quizzaciously"
    for text in (f"{canary} [secret]", f"{canary} [odd]", f"{canary} [structure]", f"Ticket 77 is closed, {canary}."):
        assert canary not in repr(judge(proposal(text)))


def test_the_gate_uses_the_installed_detectors_by_default():
    address = "@".join(["fern", "meadow-sample.org"])
    assert decide(proposal(f"Write to {address}."), evidence(), RELAXED, EMPTY, NOW).reason == "sensitive_or_prohibited"
    assert decide(proposal(), evidence(), RELAXED, EMPTY, NOW).outcome is Outcome.store


# --- a person's own wishes -------------------------------------------------------------------------------------------


def test_a_persons_wishes_only_refuse_and_ask():
    """R-084: a wish weaker than the policy changes nothing; the policy's own refusals come first."""
    lax, strict = Wishes(confirm="inferred_only"), Wishes(confirm="always")
    assert [lax.stricter(level) for level in LEVELS] == list(LEVELS)
    assert {strict.stricter(level) for level in LEVELS} == {"always"}
    off = Wishes(off=True)
    assert answer(judge(wishes=off)) == ("reject", "memory_off")
    secret = proposal(sensitivity="secret")
    assert answer(judge(secret, wishes=off)) == ("reject", "sensitive_or_prohibited")
