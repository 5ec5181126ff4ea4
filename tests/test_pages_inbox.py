"""The inbox: a person answers what agents ask in their own time, can take it back, and never has to answer twice."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cast import USER, Company, new_key, sentence, word
from django.test import Client
from test_pages import checked, page
from test_pages_candidates import answer, remembered, row, take_effect

from memories.models import Memory, OwnRule
from reviews.models import DelayedVerdict


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


def edit(client: Client, held: dict[str, Any], statement: str, **fields: Any) -> Any:
    data = {"content_hash": held["content_hash"], "statement": statement, "conditions": "", "valid_until": ""} | fields
    return client.post(f"/candidates/{held['candidate_id']}/edit/", data, follow=True)


def never(client: Client, held: dict[str, Any], rule: str) -> Any:
    data = {"content_hash": held["content_hash"], "rule": rule}
    return client.post(f"/candidates/{held['candidate_id']}/never/", data, follow=True)


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_it_is_told_who_asks_what_it_rests_on_and_what_it_would_replace(acme: Company, alice: Client) -> None:
    """R-084: everything that would be kept, and the words that it was taken from."""
    key, said, old, new = new_key(), f"Earlier I wrote about {word()}.", word(), word()
    own = {"namespace": USER, "kind": "preference", "key": key, "statement": sentence(old)}
    assert acme.person("alice").post("/proposals", own).status_code == 201
    acme.policy(confirm="always")
    evidence = acme.alice.evidence(text=said, ref="message_77")
    held = acme.alice.hold(sentence(new), key=key, evidence=evidence, conditions="In letters")
    html = page(alice, "/waiting/")
    for words in (held["statement"], f"<del>{old}</del><ins>{new}</ins>", "message_77", "In letters", "Agent helper"):
        assert words in html
    assert said in re.sub("<[^>]*>", "", html)
    for key_ in ("y", "e", "n", "v"):
        assert f'data-key="{key_}"' in html
    assert "data-item" in html


# --- taking back -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["approve", "reject"])
def test_an_answer_can_be_taken_back(acme: Company, alice: Client, action: str) -> None:
    held = acme.alice.hold()
    html = checked(answer(alice, held, action))
    undo = f"/candidates/{held['candidate_id']}/undo/"
    assert f'action="{undo}"' in html, "the undo stands beside the words, also without JavaScript"
    assert held["statement"] not in html
    assert held["statement"] in checked(alice.post(undo, follow=True)), "it waits again"
    take_effect(acme)
    assert row(acme, held).status == "pending"
    assert remembered(acme, held) is None
    answer(alice, held, action)
    take_effect(acme)
    assert "It has taken effect already." in checked(alice.post(undo, follow=True))


def test_the_same_answer_sent_again_changes_nothing(acme: Company, alice: Client) -> None:
    """Back and reload: the page that follows is fetched, and a second press is told that it was decided."""
    held = acme.alice.hold()
    first = answer(alice, held, "approve")
    assert [status for _address, status in first.redirect_chain] == [302]
    assert "It has been decided already." in checked(answer(alice, held, "approve"))
    assert "It has been decided already." in checked(answer(alice, held, "reject"))
    take_effect(acme)
    with acme.entered():
        assert DelayedVerdict.objects.count() == 1
        assert Memory.objects.filter(key=held["key"]).count() == 1


def test_an_answer_given_at_home_leads_back_home(acme: Company, alice: Client) -> None:
    first, second = acme.alice.hold(), acme.alice.hold()
    assert answer(alice, first, "approve", back="home").redirect_chain == [("/", 302)]
    assert answer(alice, second, "reject", back="https://elsewhere.example/").redirect_chain == [("/waiting/", 302)]


# --- wording it anew -------------------------------------------------------------------------------------------------


def test_what_a_person_words_anew_is_their_own_word(acme: Company, alice: Client) -> None:
    held, mine = acme.alice.hold(value={"order": "first"}, conditions="In reports"), sentence()
    assert held["statement"] in page(alice, f"/candidates/{held['candidate_id']}/edit/")
    given = {"conditions": "In reports", "value": '{"order": "first"}'}
    assert "It is remembered as you worded it." in checked(edit(alice, held, mine, **given))
    memory = remembered(acme, held)
    assert memory is not None
    assert (memory.statement, memory.conditions, memory.value) == (mine, "In reports", {"order": "first"})
    assert (memory.evidence_class, memory.proposed_by) == ("explicit_user", acme.member("alice").pk)
    assert row(acme, held).status == "approved"
    assert edit(alice, held, sentence()).status_code == 404, "it waits no longer"


def test_a_wording_that_the_gate_refuses_leaves_it_waiting(acme: Company, alice: Client) -> None:
    held = acme.alice.hold()
    refused = edit(alice, held, "The refund of order 12 has been approved.")
    assert refused.status_code == 400
    assert 'id="' + held["candidate_id"] + '_statement_error"' in checked(refused)
    assert (row(acme, held).status, remembered(acme, held)) == ("pending", None)
    stale = edit(alice, held, sentence(), content_hash="0" * 64)
    assert "This is not the content that waits now." in checked(stale)
    assert (row(acme, held).status, remembered(acme, held)) == ("pending", None)


# --- never again -----------------------------------------------------------------------------------------------------


def test_never_again_makes_a_rule_and_clears_what_falls_under_it(acme: Company, alice: Client) -> None:
    first, second = acme.alice.hold(key="shoe_size"), acme.alice.hold(key="shoe_colour")
    other, pauls = acme.alice.hold(), acme.by("runtime", "paul").hold(key="shoe_size")
    html = checked(never(alice, first, "key:shoe_*"))
    assert "2 proposals are rejected" in html
    assert [row(acme, one).status for one in (first, second, other, pauls)] == [
        "rejected", "rejected", "pending", "pending",
    ]  # fmt: skip
    assert acme.alice.propose(key="shoe_brand", evidence=None).json()["reason"] == "do_not_remember"
    assert "shoe_*" in page(alice, "/settings/memory/")


def test_only_the_rules_that_were_offered_can_be_made(acme: Company, alice: Client) -> None:
    """The same request with a rule of one's own making changes nothing."""
    held = acme.alice.hold(key="shoe_size")
    assert never(alice, held, "key:*").status_code == 200
    assert "Nothing was stored." in checked(
        alice.post(
            f"/candidates/{held['candidate_id']}/never/",
            {"content_hash": "0" * 64, "rule": "key:shoe_size"},
            follow=True,
        )
    )
    with acme.entered():
        assert not OwnRule.objects.exists()
    assert row(acme, held).status == "pending"
    assert "1 proposal is rejected" in checked(never(alice, held, "key:shoe_size"))


def test_nobody_answers_for_another(acme: Company, alice: Client) -> None:
    held = acme.alice.hold()
    paul = acme.person("paul").client
    for response in (
        edit(paul, held, sentence()),
        never(paul, held, f"key:{held['key']}"),
        answer(paul, held, "approve"),
    ):
        assert response.status_code == 404
    assert row(acme, held).status == "pending"
