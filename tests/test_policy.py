"""The policy document: what it says by default, what replaces what, and that a wrong one never loads."""

import copy
from dataclasses import FrozenInstanceError

import pytest

from memories import policy as policies
from memories.policy import PolicyError, ReviewRules, default_document, default_policy, load, merge

POLICY = default_policy()


def changed(path, value):
    """The default document with one place changed."""
    document = copy.deepcopy(default_document())
    *parents, last = path
    place = document
    for name in parents:
        place = place[name]
    place[last] = value
    return document


def test_the_default_policy_says_what_the_design_says():
    """R-027, R-038: few kinds, each with places, evidence and an end of its own."""
    kinds = {rule.name: rule for rule in POLICY.kinds}
    assert {name: sorted(rule.namespaces) for name, rule in kinds.items()} == {
        "preference": ["user"],
        "profile": ["user"],
        "procedure": ["agent", "team"],
        "convention": ["project"],
        "lesson": ["agent", "project", "team"],
        "episode": ["agent", "project", "user"],
    }
    assert {name: sorted(rule.evidence) for name, rule in kinds.items()} == {
        "preference": ["explicit_user"],
        "profile": ["explicit_user"],
        "procedure": ["verified_reviewer"],
        "convention": ["explicit_user_maintainer", "verified_reviewer"],
        "lesson": ["verified_reviewer"],
        "episode": ["explicit_user", "run_result_with_receipt", "verified_reviewer"],
    }
    assert {name: (rule.expiry_required, rule.max_days) for name, rule in kinds.items()} == {
        "preference": (False, None),
        "profile": (False, None),
        "procedure": (True, 366),
        "convention": (True, 366),
        "lesson": (True, 180),
        "episode": (True, 90),
    }
    assert (POLICY.confirm, POLICY.inference, POLICY.retention.candidate_days) == ("agent_writes", "confirm", 30)
    assert not POLICY.tools.memory_save_free_text
    assert not POLICY.tools.memory_forget


def test_authority_is_per_kind():
    """R-031."""
    assert POLICY.authority("preference", "explicit_user") > POLICY.authority("preference", "verified_reviewer")
    for kind in ("procedure", "convention", "lesson"):
        assert POLICY.authority(kind, "verified_reviewer") > POLICY.authority(kind, "explicit_user") > 0
    assert POLICY.authority("project_fact", "verified_reviewer") == POLICY.authority("convention", "verified_reviewer")
    assert POLICY.authority("preference", "model_inference") == POLICY.authority("mood", "tool_output") == 0


def test_kinds_are_found_under_their_other_names():
    assert POLICY.kind("project_fact") is POLICY.kind("convention")
    assert POLICY.kind("mood") is None
    assert POLICY.refused_kind("checkpoint") == "run_state_not_memory"
    assert POLICY.refused_kind("preference") is None


def test_registered_values_are_the_policys_words_for_the_right_key_and_kind():
    assert POLICY.registered_value("preference", "preferred_language", "中文", None)
    assert POLICY.registered_value("preference", "preferred_language", "Answer in Chinese.", "zh")
    assert not POLICY.registered_value("preference", "preferred_language", "先结论后原因", None)
    assert not POLICY.registered_value("profile", "preferred_language", "中文", None)
    assert not POLICY.registered_value("preference", None, "中文", None)
    assert not POLICY.registered_value("preference", "preferred_language", "中文", "en")


def test_every_text_for_people_is_there_in_both_languages():
    labelled = [*POLICY.kinds, *POLICY.topics, *POLICY.keys]
    texts = [item.label for item in labelled] + [part for t in POLICY.topics for part in (t.system, t.how_to_query)]
    texts += [value.label for key in POLICY.keys for value in key.values]
    assert all(
        text.en and text.zh and text.get("zh-hans") == text.zh and text.get("en-gb") == text.en for text in texts
    )


def test_a_policy_is_immutable_and_can_be_a_cache_key():
    assert {POLICY: 1}[load(default_document())] == 1
    assert hash(load(default_document(), version=2)) != hash(POLICY)
    with pytest.raises(FrozenInstanceError):
        POLICY.confirm = "always"


def test_null_is_the_default_and_an_object_replaces_top_level_fields():
    assert load(merge(default_document(), None)) == POLICY
    assert load(merge(default_document(), {"confirm": "always"})).confirm == "always"
    kinds = {"preference": default_document()["kinds"]["preference"]}
    keys = [key for key in default_document()["keys"] if key["kind"] == "preference"]
    assert [rule.name for rule in load(merge(default_document(), {"kinds": kinds, "keys": keys})).kinds] == [
        "preference"
    ]


def test_a_merge_leaves_the_default_alone():
    default = default_document()
    merge(default, {"confirm": "always"})
    assert default == default_document()


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (["confirm"], "never", "confirm"),
        (["inference"], "allow", "inference"),
        (["colour"], "red", ""),
        (["kinds", "preference", "evidence"], ["model_inference"], "kinds/preference/evidence/0"),
        (["kinds", "preference", "evidence"], ["tool_output"], "kinds/preference/evidence/0"),
        (["kinds", "preference", "namespaces"], [], "kinds/preference/namespaces"),
        (["kinds", "preference", "ttl"], 1, "kinds/preference"),
        (["kinds", "procedure", "evidence"], ["explicit_user"], "kinds/procedure/evidence"),
        (["kinds", "procedure", "expiry", "rule"], "optional", "kinds/procedure/expiry"),
        (["kinds", "procedure", "expiry", "default_days"], 400, "kinds/procedure/expiry"),
        (["kinds", "procedure", "authority"], ["explicit_user"], "kinds/procedure/authority"),
        (["kinds", "convention", "also_called"], ["lesson"], "kinds"),
        (["kinds", "convention", "also_called"], ["transcript"], "kinds"),
        (["lifecycle", "one_active_version"], False, "lifecycle/one_active_version"),
        (["lifecycle", "enforce_expiry"], "yes", "lifecycle/enforce_expiry"),
        (["lifecycle", "allow_delete"], None, "lifecycle/allow_delete"),
        (["prohibited"], ["secret"], "prohibited"),
        (["prohibited"], [], "prohibited"),
        (["precedence"], list(reversed(policies.PRECEDENCE)), "precedence"),
        (["recall", "order"], ["relevance"], "recall/order"),
        (["recall", "weights", "authority"], 2, "recall/weights/authority"),
        (["recall", "token_budget"], True, "recall/token_budget"),
        (["topics", 0, "rules"], ["astrology"], "topics/0/rules"),
        (["topics", 0, "keys"], ["(a+)+"], "topics/0/keys/0"),
        (["topics", -1, "name"], "something_else", "topics"),
        (["topics", 1, "name"], "refund_status", "topics"),
        (["keys", 0, "kind"], "mood", "keys/0/kind"),
        (["keys", 0, "values"], [], "keys/0/values"),
        (["keys", 1, "name"], "answer_style", "keys"),
        (["retention", "candidate_days"], 0, "retention/candidate_days"),
    ],
)
def test_a_wrong_document_does_not_load_and_names_the_place(path, value, place):
    """R-290, R-293: also a promise about the life of a memory that the code would not keep."""
    with pytest.raises(PolicyError) as caught:
        load(changed(path, value))
    assert caught.value.place == place
    assert (place or "the top") in str(caught.value)


@pytest.mark.parametrize("field", sorted(default_document().keys() - {"review"}))
def test_every_field_is_required(field):
    document = default_document()
    del document[field]
    with pytest.raises(PolicyError):
        load(document)


def test_a_policy_from_before_reviews_had_rules_names_none():
    document = default_document()
    del document["review"]
    assert load(document).review == ReviewRules()


@pytest.mark.parametrize("document", [None, [], "confirm: always", 3])
def test_what_is_no_object_is_no_policy(document):
    with pytest.raises(PolicyError):
        load(document)


def test_the_problem_never_quotes_the_document():
    with pytest.raises(PolicyError) as caught:
        load(changed(["kinds", "preference", "label", "en"], ["quizzaciously"]))
    assert "quizzaciously" not in str(caught.value)


def test_the_lists_of_the_default_are_what_the_code_does():
    """R-289."""
    document = default_document()
    assert tuple(document["recall"]["order"]) == policies.RECALL_ORDER
    assert tuple(document["precedence"]) == policies.PRECEDENCE
    assert set(document["prohibited"]) == policies.PROHIBITED
