"""What waits for a person or a reviewer: an answer is bound to the exact content, and what follows is told in words."""

from __future__ import annotations

from typing import Any

import pytest
from cast import TEAM, Company, in_months, new_key, now, sentence, word
from django.test import Client
from test_pages import checked, page
from verdicts import take_effect

from memories.models import Candidate, Erasure, Memory
from memories.reasons import REASONS
from reviews.models import Review


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


@pytest.fixture
def rita(acme: Company) -> Client:
    return acme.person("rita").client


def answer(client: Client, candidate: dict[str, Any], action: str, **fields: Any) -> Any:
    data = {"content_hash": candidate["content_hash"], **fields}
    place = "reviews" if candidate.get("awaiting") == "reviewer" and action != "withdraw" else "candidates"
    return client.post(f"/{place}/{candidate['candidate_id']}/{action}/", data, follow=True)


def lesson(acme: Company, by: str = "alice", **fields: Any) -> dict[str, Any]:
    """What an agent proposed for the team on a person's behalf: a candidate for a reviewer."""
    caller = acme.by("runtime", by)
    given = {"namespace": TEAM, "kind": "lesson", "valid_until": in_months()} | fields
    response = caller.propose(f"Read the {word()} log before restarting the importer.", **given)
    assert response.status_code == 202
    return caller.candidate(response.json()["candidate_id"])


def row(acme: Company, candidate: dict[str, Any]) -> Candidate:
    with acme.entered():
        return Candidate.objects.get(pk=candidate["candidate_id"])


def remembered(acme: Company, candidate: dict[str, Any]) -> Memory | None:
    with acme.entered():
        return Memory.objects.current().filter(key=candidate["key"]).first()


# --- the owner -------------------------------------------------------------------------------------------------------


def test_what_waits_is_shown_whole(acme: Company, alice: Client) -> None:
    key, said = new_key(), word()
    replaced = word()
    acme.alice.store(sentence(replaced), key=key)
    fields = {"key": key, "value": {"order": said}, "conditions": f"In {said} reports", "aliases": [f"the {said} rule"]}
    held = acme.alice.hold(**fields, valid_until="2099-12-31")
    for path in ("/waiting/", f"/candidates/{held['candidate_id']}/"):
        html = page(alice, path)
        for words in (held["statement"], key, f"In {said} reports", f"the {said} rule", f"<del>{replaced}</del>",
                      "Agent helper", "Dec. 31, 2099", REASONS["inference_requires_confirmation"]):  # fmt: skip
            assert str(words) in html
        assert f"&quot;order&quot;: &quot;{said}&quot;" in html
    home = page(alice, "/")
    assert held["statement"] in home
    assert "Waiting for you (1)" in home


def test_yes_stores_exactly_what_was_shown(acme: Company, alice: Client) -> None:
    held = acme.alice.hold()
    response = answer(alice, held, "approve")
    assert response.redirect_chain == [("/waiting/", 302)]
    assert "You said yes: it is remembered." in checked(response)
    assert remembered(acme, held) is None, "it can still be taken back"
    take_effect(acme)
    memory = remembered(acme, held)
    assert memory is not None
    assert (memory.statement, memory.evidence_class) == (held["statement"], "explicit_user")
    assert row(acme, held).status == "approved"


def test_a_yes_to_other_content_stores_nothing(acme: Company, alice: Client) -> None:
    """The same answer with the hash of another content, or none."""
    held, other = acme.alice.hold(), acme.alice.hold()
    html = checked(answer(alice, held, "approve", content_hash=other["content_hash"]))
    assert "Nothing was stored. This is not the content that waits now." in html
    assert answer(alice, held, "approve", content_hash="").status_code == 400
    assert remembered(acme, held) is None
    assert row(acme, held).status == "pending"
    with acme.entered():
        assert not Review.objects.exists()


def test_a_second_answer_is_told_that_it_was_decided(acme: Company, alice: Client) -> None:
    held = acme.alice.hold()
    answer(alice, held, "reject")
    html = checked(answer(alice, held, "approve"))
    assert "Nothing was stored. It has been decided already." in html
    assert remembered(acme, held) is None


def test_no_keeps_nothing(acme: Company, alice: Client) -> None:
    held = acme.alice.hold()
    assert "You said no: it is not remembered" in checked(answer(alice, held, "reject"))
    take_effect(acme)
    assert remembered(acme, held) is None
    assert (row(acme, held).status, row(acme, held).statement) == ("rejected", None)
    page(alice, f"/candidates/{held['candidate_id']}/", status=404)


@pytest.mark.in_clear
def test_a_yes_that_the_gate_refuses_today_says_why(acme: Company, alice: Client) -> None:
    held = acme.alice.hold()
    with acme.entered():  # what once was allowed to wait is nothing to be remembered any more
        text = "The refund of order 12 has been approved."
        Candidate.objects.filter(pk=held["candidate_id"]).update(statement=text)
    html = checked(answer(alice, held, "approve"))
    assert "You agreed, but it is not remembered." in html
    assert str(REASONS["business_source_of_truth"]) in html
    assert remembered(acme, held) is None


def test_a_kind_that_needs_an_end_asks_for_it(acme: Company, alice: Client) -> None:
    held = acme.alice.hold(f"The {word()} run ended after the third try.", kind="episode")
    assert "This kind of memory needs a last day." in page(alice, "/waiting/")
    refused = answer(alice, held, "approve", valid_until="")
    assert refused.status_code == 400
    assert f'id="{held["candidate_id"]}_valid_until_error"' in checked(refused)
    assert row(acme, held).status == "pending"
    answer(alice, held, "approve", valid_until=now(days=20).date().isoformat())
    take_effect(acme)
    memory = remembered(acme, held)
    assert memory is not None
    assert memory.valid_until is not None


def test_a_model_only_asks_to_forget(acme: Company, alice: Client) -> None:
    acme.policy(confirm="inferred_only", tools={"memory_save_free_text": False, "memory_forget": True})
    memory = acme.alice.store()
    output = acme.alice.tool("memory_forget", {"memory_id": memory["memory_id"]})
    assert output["error"] == "waits_for_confirmation"
    html = page(alice, "/waiting/")
    assert "asks to forget" in html
    assert memory["statement"] in html
    with acme.entered():
        held = Candidate.objects.get(action="forget")
    asked = {"candidate_id": str(held.pk), "content_hash": held.content_hash, "awaiting": "owner"}
    assert "You said yes: it is forgotten." in checked(answer(alice, asked, "approve"))
    with acme.entered():
        assert Memory.objects.kept().filter(pk=memory["memory_id"]).exists(), "it can still be taken back"
    take_effect(acme)
    with acme.entered():
        assert not Memory.objects.kept().filter(pk=memory["memory_id"]).exists()
        receipt = Erasure.objects.latest("pk")
    assert f"/erasures/{receipt.pk}/" in page(alice, "/activity/")


# --- the reviewer ----------------------------------------------------------------------------------------------------


def test_a_reviewer_approves_for_as_long_as_they_say(acme: Company, rita: Client) -> None:
    held = lesson(acme)
    assert held["statement"] in page(rita, "/reviews/")
    assert "1 proposal waits for a reviewer" in page(rita, "/")
    end = now(days=30).date().isoformat()
    response = answer(rita, held, "approve", valid_until=end)
    assert response.redirect_chain == [("/reviews/", 302)]
    take_effect(acme)
    memory = remembered(acme, held)
    assert memory is not None
    assert memory.evidence_class == "verified_reviewer"
    assert memory.valid_until is not None
    assert memory.valid_until < now(days=32)


def test_a_wrong_day_is_named_beside_its_field(acme: Company, rita: Client) -> None:
    held = lesson(acme)
    response = answer(rita, held, "approve", valid_until="someday")
    assert response.status_code == 400
    assert "Enter a valid date." in checked(response)
    assert row(acme, held).status == "pending"


def test_a_reviewer_may_reject_or_ask_for_changes(acme: Company, rita: Client) -> None:
    first, second = lesson(acme), lesson(acme)
    checked(answer(rita, first, "reject", reason="unclear"))
    checked(answer(rita, second, "request_changes", reason="too_broad", comment="Which importer?"))
    take_effect(acme)
    assert [row(acme, one).status for one in (first, second)] == ["rejected", "changes_requested"]


def test_ones_own_proposal_is_visible_but_others_decide_it(acme: Company, rita: Client) -> None:
    held = lesson(acme, "rita")
    html = page(rita, f"/reviews/{held['candidate_id']}/")
    assert held["statement"] in html
    assert "so another reviewer decides" in html
    assert "/approve/" not in html
    for action in ("approve", "reject", "request_changes"):
        response = answer(rita, held, action, reason="unclear", comment="Why?")
        assert response.status_code == 403
        assert "Nobody reviews what they proposed themselves." in checked(response)
    assert row(acme, held).status == "pending"


def test_who_is_no_reviewer_sees_no_queue_and_decides_nothing(acme: Company, alice: Client) -> None:
    held = lesson(acme)
    assert "Only a reviewer may open this page." in page(alice, "/reviews/", status=403)
    for name, offered in (("alice", False), ("rita", True), ("adam", False)):
        assert ('href="/reviews/"' in page(acme.person(name).client, "/")) is offered
    assert answer(alice, held, "approve").status_code == 403
    assert answer(acme.person("paul").client, held, "approve").status_code == 404
    assert row(acme, held).status == "pending"


def test_what_is_proposed_on_ones_behalf_can_be_withdrawn(acme: Company, alice: Client, rita: Client) -> None:
    held = lesson(acme)
    assert "Withdraw" in page(alice, "/waiting/")
    response = answer(alice, held, "withdraw")
    assert response.redirect_chain == [("/waiting/", 302)]
    assert "It was withdrawn" in checked(response)
    assert row(acme, held).status == "withdrawn"
    assert held["statement"] not in page(rita, "/reviews/")


def test_a_reviewer_is_not_shown_what_only_its_owner_may_read(acme: Company, rita: Client) -> None:
    private, held = acme.alice.store(), acme.alice.hold()
    with acme.entered():
        slot = Memory.objects.get(pk=private["memory_id"]).slot
        Candidate.objects.filter(pk=held["candidate_id"]).update(awaiting="reviewer", slot=slot, base_version=1)
    html = page(rita, f"/reviews/{held['candidate_id']}/")
    assert held["statement"] in html
    assert private["statement"] not in html
    assert "version 1, which only its owner may read" in html
