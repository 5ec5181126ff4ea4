"""Activity: everything done to a person's data, in words, by whom; nobody else's, and no remembered text."""

from __future__ import annotations

import csv

import pytest
from cast import TEAM, Company, in_months, now, word
from django.test import Client
from test_pages import page
from test_pages_words import calls, literal, name_of

from memories.models import Candidate
from reviews.activity import ACTIONS

# Done by the service alone, to nobody in particular, or told elsewhere.
UNSAID = {
    "candidate.lapse", "evidence.expire", "memory.expire", "memory.purge", "policy.activate", "tenant.provision",
    "export.fail", "import.fail", "activity.read", "activity.export", "candidate.comment", "candidate.release",
    "memory.recalled_after_forgetting",
}  # fmt: skip


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


def actions_of_the_code() -> set[str]:
    found = set()
    for call in calls("accounts", "memories", "reviews", "memoryhub"):
        if name_of(call) in ("record", "event") and len(call.args) > 1 and (action := literal(call.args[1])):
            found.add(action)
    return found


def test_every_action_that_concerns_a_person_has_words() -> None:
    found = {one for one in actions_of_the_code() if not one.startswith(("audit.", "key."))}
    assert {"rule.add", "import.start"} <= found
    assert found - set(ACTIONS) - UNSAID == set()


def test_what_was_done_is_told_in_words(acme: Company, alice: Client) -> None:
    mark = word()
    memory = acme.alice.store(f"Put the {mark} summary first.")
    acme.alice.recall(mark)
    receipt = acme.alice.forget(acme.alice.store())
    html = page(alice, "/activity/")
    for words in ("helper", "proposed to remember something", "looked something up", "had something forgotten"):
        assert words in html
    assert f"/memories/{memory['memory_id']}/" in html
    assert f"/erasures/{receipt['id']}/" in html
    assert "keeps this log" in html
    assert mark not in html
    assert "proposed to remember something" not in page(acme.person("paul").client, "/activity/")


def test_what_a_reviewer_did_to_mine_is_told_too(acme: Company, alice: Client) -> None:
    given = {"namespace": TEAM, "kind": "lesson", "valid_until": in_months()}
    acme.alice.propose(f"Read the {word()} log before restarting the importer.", **given)
    with acme.entered():
        held = Candidate.objects.get()
    acme.person("rita").post(f"/candidates/{held.pk}/reject", {"content_hash": held.content_hash})
    html = page(alice, "/activity/?actor=other")
    assert "rita" in html
    assert "said no to what had waited" in html


def test_filters_stand_in_the_address_and_hold_for_the_file(acme: Company, alice: Client) -> None:
    acme.alice.store()
    page(alice, "/memories/")
    assert "looked through memories" not in page(alice, "/activity/"), "one's own reading is no news"
    assert "looked through memories" in page(alice, "/activity/?own_reading=on")
    assert "noted where something comes from" not in page(alice, "/activity/?group=forgetting")
    tomorrow = now(days=2).date().isoformat()
    assert "Nothing of that kind was done." in page(alice, f"/activity/?since={tomorrow}")
    lines = list(csv.DictReader(alice.get("/activity/file/?actor=agent").getvalue().decode().splitlines()))
    assert {line["actor_name"] for line in lines} == {"helper"}
    assert [line["action"] for line in lines] == ["evidence.attest", "memory.propose"]
    assert alice.get("/activity/?group=made_up").status_code == 200


def test_older_pages_follow_and_lose_nothing(acme: Company, alice: Client) -> None:
    for _ in range(26):
        acme.alice.store()  # two events each
    first = page(alice, "/activity/")
    assert first.count("<li data-item") == 50
    older = first.split("before=")[1].split('"')[0]
    assert page(alice, f"/activity/?before={older}").count("<li data-item") == 2
