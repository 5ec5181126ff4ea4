"""What people decide about remembering as such holds at every door: their rules, when they are asked, memory off."""

from __future__ import annotations

from typing import Any

import pytest
from cast import TEAM, USER, Company, in_months, new_key, now, sentence, text_of, word
from django.test import Client
from test_pages import checked, page
from test_pages_candidates import take_effect

from accounts.models import AuditEvent, Membership
from memories import actions
from memories.models import Candidate, Evidence, Memory, OwnRule
from memories.purging import left
from memories.reasons import OUTCOMES, REASONS, REMARKS
from memories.stores import scan


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


def add(client: Client, text: str, type_: str = "phrase") -> Any:
    return client.post("/settings/memory/rules/", {"text": text, "type": type_}, follow=True)


def choose(client: Client, subject: str) -> Any:
    return client.post("/settings/memory/rules/", {"subject": subject}, follow=True)


def rules(acme: Company) -> list[OwnRule]:
    with acme.entered():
        return list(OwnRule.objects.order_by("pk"))


def refused(response: Any, reason: str = "do_not_remember") -> bool:
    body = response.json()
    return (body["decision"], body["reason"], body["memory"]) == ("reject", reason, None)


# --- rules -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phrase", "told", "kept"),
    [
        (
            "blue heron",
            "Mention the Blue-Heron project in every report.",
            "Mention the heron of blue stone.",
        ),
        ("蓝鹭计划", "写周报时请先写蓝鹭计划的进展。", "写周报时请先写蓝色计划的进展。"),
    ],
)
def test_words_are_refused_wherever_they_stand(acme: Company, alice: Client, phrase: str, told: str, kept: str) -> None:
    """The same proposals with and without the words: whole words, in any case; nobody else's memory is touched."""
    assert "The rule stands." in checked(add(alice, phrase))
    assert refused(acme.alice.propose(told))
    assert refused(acme.alice.propose(sentence(), conditions=told))
    assert refused(acme.alice.propose(sentence(), value={"note": told}))
    assert refused(acme.alice.propose(told, evidence=None)), "a guess is no way round"
    assert acme.alice.propose(kept).status_code == 201
    assert acme.by("runtime", "paul").propose(told).status_code == 201
    with acme.entered():
        assert not Candidate.objects.exists()
        assert scan(told) == {"memories": 1}, "Paul's"


def test_a_refusal_holds_at_every_door(acme: Company, alice: Client) -> None:
    """REST, batch, tool, file and the person's own form ask the same gate."""
    mark = word()
    add(alice, mark)
    told = sentence(mark)
    assert refused(acme.alice.propose(told))
    batch = acme.alice.post("/proposals/batch", {"items": [acme.alice.proposal(told)]})
    assert batch.json()["items"][0]["reason"] == "do_not_remember"
    preview = acme.alice.post("/proposals/preview", acme.alice.proposal(told))
    assert preview.json()["reason"] == "do_not_remember"
    entry = {"statement": told, "key": new_key(), "kind": "preference", "namespace": "user:alice"}
    assert str(REASONS["do_not_remember"]) in checked(alice.post("/memories/new/", entry))
    lesson = acme.alice.propose(told, namespace=TEAM, kind="lesson", valid_until=in_months())
    assert refused(lesson), "an agent that works for her files it nowhere else"
    own = acme.by("runtime", "rita").propose(told, namespace=TEAM, kind="lesson", valid_until=in_months())
    assert own.status_code == 202, "Rita's word is not hers"
    with acme.entered():
        assert not Memory.objects.exists()


def test_what_waited_before_the_rule_is_refused_at_the_yes(acme: Company, alice: Client) -> None:
    mark = word()
    held, free = acme.alice.hold(sentence(mark)), acme.alice.hold()
    add(alice, mark)
    for candidate, words in ((held, "do_not_remember"), (free, "policy_accepted")):
        data = {"content_hash": candidate["content_hash"]}
        alice.post(f"/candidates/{candidate['candidate_id']}/approve/", data)
        take_effect(acme)
        with acme.entered():
            assert AuditEvent.objects.filter(action="memory.approve", reason=words).exists()
            assert Memory.objects.filter(key=candidate["key"]).exists() == (words == "policy_accepted")


@pytest.mark.parametrize(
    ("type_", "text", "refuses", "lets"),
    [
        ("key", "spouse_*", "SpouseBirthday", "spouseless"),
        ("key", "*_diet", "evening diet", "dietary"),
        ("key", "shoe size", "shoe-size", "shoe_sizes"),
    ],
)
def test_names_are_refused_by_pattern(
    acme: Company, alice: Client, type_: str, text: str, refuses: str, lets: str
) -> None:
    add(alice, text, type_)
    assert refused(acme.alice.propose(key=refuses))
    assert acme.alice.propose(key=lets).status_code == 201


@pytest.mark.parametrize(
    ("subject", "refuses", "lets"),
    [
        ("topic:private_life", {"statement": "I was diagnosed with asthma, so plan breaks."}, {}),
        ("topic:order_status", {"statement": "Always begin with where my order is."}, {}),
        ("kind:profile", {"kind": "profile", "statement": "I work as a bookbinder."}, {"kind": "preference"}),
    ],
)
def test_topics_and_kinds_are_refused(
    acme: Company, alice: Client, subject: str, refuses: dict[str, Any], lets: dict[str, Any]
) -> None:
    before = acme.alice.propose(**refuses).json()["reason"]
    choose(alice, subject)
    after = acme.alice.propose(**refuses).json()["reason"]
    assert (before, after) == ("policy_accepted", "do_not_remember")
    assert acme.alice.propose(**lets).status_code == 201


def test_an_agent_that_was_shut_out_keeps_nothing_and_gets_nothing_back(acme: Company, alice: Client) -> None:
    """Neither by itself nor for a team on her behalf; other agents and other people go on, and so does she."""
    mark = word()
    kept, held = acme.alice.store(sentence(mark)), acme.alice.hold()
    paul = acme.by("runtime", "paul")
    assert "The rule stands." in checked(choose(alice, "agent:helper"))
    for told in (acme.alice.propose(), acme.alice.propose(namespace=TEAM, kind="lesson", valid_until=in_months())):
        assert refused(told, "agent_off")
    for asked in ({"query": mark}, {"query": mark, "namespaces": [USER]}):
        assert acme.alice.post("/recall", asked).json()["items"] == []
    assert acme.alice.get("/memories").json()["items"] == []
    assert acme.alice.get(f"/memories/{kept['memory_id']}").status_code == 404
    assert acme.alice.get("/candidates").json()["items"] == []
    answer = {"content_hash": held["content_hash"]}
    relay = acme.by("relay")
    for caller, verb in ((acme.alice, "withdraw"), (relay, "approve"), (relay, "reject")):
        assert caller.post(f"/candidates/{held['candidate_id']}/{verb}", answer).status_code == 404
    assert acme.alice.attest("user_message", text=sentence(word())).status_code == 201
    with acme.entered():
        assert not Evidence.objects.order_by("-pk")[0].text
    assert paul.propose().status_code == 201
    assert mark in page(alice, "/memories/")
    alice.post(f"/candidates/{held['candidate_id']}/approve/", {"content_hash": held["content_hash"]})
    take_effect(acme)
    with acme.entered():
        assert Memory.objects.filter(key=held["key"]).exists(), "her own yes"
    [rule] = rules(acme)
    alice.post(f"/settings/memory/rules/{rule.pk}/remove/")
    assert acme.alice.recalled(mark) == [kept["memory_id"]]
    assert acme.alice.propose().status_code == 201


def test_only_an_agent_of_ones_own_can_be_shut_out(acme: Company, alice: Client) -> None:
    choose(alice, "agent:nobody")
    assert rules(acme) == []


def test_words_that_look_like_a_secret_are_known_by_their_digest_alone(acme: Company, alice: Client) -> None:
    number = "+49 30 " + "".join(str(digit) for digit in (9, 0, 1, 8, 2, 0))
    html = checked(add(alice, number))
    assert "words that are not kept" in html
    assert number not in html
    rule = rules(acme)[0]
    assert (rule.text, rule.words > 0) == (None, True)
    with acme.entered():
        assert scan(number) == {}
    assert alice.get("/settings/memory/rules.json").json()["rules"][0]["text"] is None
    assert "It looks like a secret" in checked(add(alice, number, "key"))


def test_a_rule_stands_once_until_its_person_removes_it(acme: Company, alice: Client) -> None:
    mark = word()
    for spelling in (mark, mark.upper(), f" {mark}!"):
        add(alice, spelling)
    (rule,) = rules(acme)
    assert refused(acme.alice.propose(sentence(mark)))
    assert acme.person("paul").client.post(f"/settings/memory/rules/{rule.pk}/remove/").status_code == 404
    assert "The rule is gone." in checked(alice.post(f"/settings/memory/rules/{rule.pk}/remove/", follow=True))
    assert acme.alice.propose(sentence(mark)).status_code == 201
    with acme.entered():
        told = AuditEvent.objects.filter(action__startswith="rule.").values_list("action", "details__type")
        assert list(told.order_by("pk")) == [("rule.add", "phrase"), ("rule.remove", "phrase")]
        assert mark not in str(list(AuditEvent.objects.values()))


@pytest.mark.parametrize("text", ["", "!", "a", "one two three four five six seven eight nine", "x" * 129])
def test_what_is_no_rule_is_told_beside_the_field(acme: Company, alice: Client, text: str) -> None:
    response = add(alice, text)
    assert response.status_code == 400
    assert 'id="id_text_error"' in checked(response)
    assert choose(alice, "topic:made_up").status_code == 400
    assert rules(acme) == []


def test_the_original_message_is_not_kept_either(acme: Company, alice: Client) -> None:
    mark = word()
    acme.alice.evidence(text=f"Before the rule: {mark}.")
    add(alice, mark)
    acme.alice.evidence(text=f"After the rule: {mark}.")
    with acme.entered():
        assert [row.text is None for row in Evidence.objects.order_by("pk")] == [False, True]


def test_rules_go_with_their_person_and_not_with_their_memories(acme: Company, alice: Client) -> None:
    """R-141: erasing all that is remembered leaves the protection; forgetting the person leaves nothing."""
    mark = word()
    add(alice, mark)
    acme.alice.forget(acme.alice.store())
    assert [rule.text for rule in rules(acme)] == [mark]
    with acme.entered():
        person = acme.principal("alice")
        plan = actions.plan_forget(person, actions.ForgetFilter(person="alice"))
        erasure = actions.confirm_forget(person, plan.confirm_token, typed="alice")
        assert scan(mark) == {}
        assert erasure.counts["own_rules"] == 1
        assert left(erasure) == {}


# --- when they are asked ---------------------------------------------------------------------------------------------


def test_a_person_is_asked_more_often_than_the_policy_wants_and_never_less(acme: Company, alice: Client) -> None:
    assert acme.alice.propose().status_code == 201
    alice.post("/settings/memory/ask/", {"confirm": "always"})
    response = acme.alice.propose()
    assert (response.status_code, response.json()["reason"]) == (202, "confirmation_required")
    assert acme.by("runtime", "paul").propose().status_code == 201, "it is her choice, not his"
    acme.policy(confirm="always")
    assert alice.post("/settings/memory/ask/", {"confirm": "inferred_only"}).status_code == 400
    with acme.entered():  # what was chosen under a laxer policy weakens no stricter one
        Membership.objects.filter(external_id="alice").update(confirm="inferred_only")
    assert acme.alice.propose().status_code == 202


# --- off and on ------------------------------------------------------------------------------------------------------


def test_memory_off_keeps_nothing_and_hands_nothing_out(acme: Company, alice: Client) -> None:
    mark = word()
    memory = acme.alice.store(sentence(mark))
    shared = acme.alice.share(TEAM, f"Check the {mark} list before closing a case.")
    assert set(acme.alice.recalled(mark)) == {memory["memory_id"], shared["memory_id"]}
    alice.post("/settings/memory/switch/", {"memory": "off"})
    assert refused(acme.alice.propose(), "memory_off")
    assert acme.alice.recalled(mark) == [shared["memory_id"]], "what her team knows is not hers"
    assert "memory_id" not in text_of(acme.alice.post("/context", {"query": mark, "namespaces": [{"type": "user"}]}))
    assert memory["statement"] in page(alice, "/memories/"), "she still sees what is there"
    alice.post("/settings/memory/switch/", {"memory": "on"})
    assert memory["memory_id"] in acme.alice.recalled(mark)
    assert acme.alice.propose().status_code == 201
    assert alice.post("/settings/memory/switch/", {"memory": "sideways"}).status_code == 400


# --- the tester ------------------------------------------------------------------------------------------------------


def test_a_sentence_can_be_tried_out_and_nothing_of_it_is_kept(acme: Company, alice: Client) -> None:
    mark = word()
    told = {"statement": sentence(mark), "kind": "preference", "evidence": "explicit_user", "key": ""}
    for evidence, outcome in (("explicit_user", "store"), ("model_inference", "needs_confirmation")):
        html = checked(alice.post("/settings/memory/try/", told | {"evidence": evidence}))
        assert str(OUTCOMES[outcome]) in html
    add(alice, mark)
    html = checked(alice.post("/settings/memory/try/", told))
    assert str(OUTCOMES["reject"]) in html
    assert str(REASONS["do_not_remember"]) in html
    alice.post(f"/settings/memory/rules/{rules(acme)[0].pk}/remove/")
    with acme.entered():
        assert scan(mark) == {}
        assert mark not in str(list(AuditEvent.objects.values()))


# --- over REST --------------------------------------------------------------------------------------------------------


def test_rules_are_kept_tried_and_removed_with_a_token_of_ones_own(acme: Company) -> None:
    """The same rules as on the page; a wrong one names its field and changes nothing."""
    mark = word()
    me = acme.person("alice")
    made = me.post("/own-rules", {"type": "phrase", "text": mark})
    assert made.status_code == 201
    assert me.post("/own-rules", {"type": "phrase", "text": mark}).json() == made.json(), "the same rule stands once"
    assert me.get("/own-rules").json()["items"] == [made.json()]
    for wrong, code in (
        ({"type": "topic", "text": "weather"}, "unknown_topic"),
        ({"type": "agent", "text": "nobody"}, "unknown_agent"),
        ({"type": "mood", "text": "bad"}, "invalid_choice"),
    ):
        refusal = me.post("/own-rules", wrong)
        assert (refusal.status_code, refusal.json()["errors"][0]["code"]) == (400, code)
    told = me.post("/own-rules/try", {"statement": sentence(mark)}).json()
    assert (told["decision"], told["reason"]) == ("reject", "do_not_remember")
    assert me.post("/own-rules/try", {"statement": sentence()}).json()["decision"] == "store"
    assert refused(acme.alice.propose(sentence(mark)))
    assert me.call("DELETE", f"/own-rules/{made.json()['id']}").status_code == 204
    assert me.get("/own-rules").json()["items"] == []
    assert acme.alice.propose(sentence(mark)).status_code == 201
    with acme.entered():
        assert scan(mark) == {"memories": 1}


def test_a_conversation_waits_without_what_a_rule_speaks_of(acme: Company, alice: Client) -> None:
    """R-097: what the person does not want kept is let go of before a row holds it."""
    mark = word()
    add(alice, mark)
    said = [
        {"id": f"m{number}", "role": "user", "text": text}
        for number, text in enumerate((f"From now on put the {mark} table first.", "From now on put totals last."))
    ]
    answer = acme.alice.post("/extractions", {"conversation": "thread_1", "messages": said}).json()
    assert (answer["withheld"], [one["decision"] for one in answer["items"]]) == (1, ["store"])
    with acme.entered():
        assert scan(mark) == {"own_rules": 1}


# --- how long it is remembered ---------------------------------------------------------------------------------------


def test_what_is_new_ends_when_its_person_wants_it_and_nobody_named_an_end(acme: Company, alice: Client) -> None:
    """R-132, R-286: within the policy, for what comes from now on; the same words again get no new end."""
    mark = word()
    episode = {"kind": "episode", "statement": f"The {mark} fair was moved to the new hall."}
    assert refused(acme.alice.propose(**episode), "expiry_required")
    before = acme.alice.store()
    assert "Your choice holds" in checked(
        alice.post("/settings/memory/expiry/", {"episode": "30", "preference": "400"}, follow=True)
    )
    stored = acme.alice.propose(**episode, key=(key := new_key())).json()
    assert now(days=30).isoformat() < stored["memory"]["valid_until"] < now(days=31, hours=1).isoformat()
    assert {"rule": "expiry", "passed": True, "code": "end_by_own_wish"} in stored["checks"]
    assert acme.alice.propose(**episode, key=key).json()["decision"] == "keep"
    told = page(alice, f"/memories/{stored['memory']['memory_id']}/")
    assert str(REMARKS["end_by_own_wish"]) in told
    named = acme.alice.store(valid_until=in_months())
    assert named["valid_until"] < now(days=200).isoformat(), "what was said goes first"
    assert acme.alice.store()["valid_until"] > now(days=399).isoformat()
    assert acme.alice.correct(before, statement=sentence()).json()["memory"]["valid_until"] is None, "it was settled"
    assert acme.by("runtime", "paul").store()["valid_until"] is None, "it is her choice, not his"
    with acme.entered():  # a stricter policy cuts what was chosen under a laxer one
        Membership.objects.filter(external_id="alice").update(expiry_days={"episode": 5000})
    cut = acme.alice.propose(**episode, key=new_key()).json()["memory"]["valid_until"]
    assert cut < now(days=92).isoformat()


def test_an_end_that_the_policy_does_not_allow_is_refused_at_both_doors(acme: Company, alice: Client) -> None:
    me = acme.person("alice")
    assert me.call("PUT", "/own-expiry", {"days": {"episode": 30}}).json() == {"days": {"episode": 30}}
    for wrong, code in (
        ({"episode": 91}, "expiry_too_far"),
        ({"episode": 0}, "min_value"),
        ({"mood": 3}, "unknown_kind"),
        ({"lesson": 3}, "unknown_kind"),
    ):
        refusal = me.call("PUT", "/own-expiry", {"days": wrong})
        assert (refusal.status_code, refusal.json()["errors"][0]["code"]) == (400, code)
    assert alice.post("/settings/memory/expiry/", {"episode": "91"}).status_code == 400
    assert me.get("/own-expiry").json() == {"days": {"episode": 30}}
    assert alice.post("/settings/memory/expiry/", {"episode": ""}).status_code == 302
    assert me.get("/own-expiry").json() == {"days": {}}
    with acme.entered():
        assert AuditEvent.objects.filter(action="person.expiry").count() == 2
