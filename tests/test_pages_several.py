"""Several proposals answered at once: what can be is told, what is sensitive never is, one undo takes all back."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from cast import Company, new_key, sentence, word
from django.test import Client
from test_pages import checked, page
from test_pages_candidates import remembered, row, take_effect

from accounts.models import AuditEvent
from memories.models import Memory

Held = dict[str, Any]


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


def named(*held: Held) -> list[str]:
    return [f"{one['candidate_id']}:{one['content_hash']}" for one in held]


def look(client: Client, verdict: str, *held: Held) -> str:
    return page(
        client, "/waiting/several/?" + urlencode([("verdict", verdict), *(("seen", one) for one in named(*held))])
    )


def answer(client: Client, verdict: str, *held: Held) -> str:
    return checked(client.post("/waiting/several/", {"verdict": verdict, "seen": named(*held)}, follow=True))


def undo_of(html: str) -> str:
    return re.findall(r'action="(/waiting/several/undo/[^"]+)"', html)[0].replace("&amp;", "&")


def test_those_chosen_are_remembered_together(acme: Company, alice: Client) -> None:
    held, left = [acme.alice.hold() for _ in range(3)], acme.alice.hold()
    html = page(alice, "/waiting/")
    assert all(one in html for one in named(*held, left))
    chosen = re.compile(r'data-key="x"\s+checked')
    assert (len(chosen.findall(html)), len(chosen.findall(page(alice, "/waiting/?choose=all")))) == (0, 4)
    assert "3 of 3 can be confirmed" in look(alice, "approve", *held)
    assert "3 memories are remembered." in answer(alice, "approve", *held)
    assert [row(acme, one).status for one in held] == ["pending"] * 3, "nothing has happened yet"
    take_effect(acme)
    assert [row(acme, one).status for one in (*held, left)] == ["approved"] * 3 + ["pending"]
    with acme.entered():
        event = AuditEvent.objects.get(action="candidate.several")
        assert (event.details["items"], event.details["verdict"]) == (3, "approve")
        told = str(list(AuditEvent.objects.values_list("details", flat=True)))
    assert not any(one["statement"] in told or one["key"] in told for one in held)


def test_those_chosen_are_rejected_together(acme: Company, alice: Client) -> None:
    held = [acme.alice.hold(), acme.alice.hold(sensitivity="personal")]
    assert "2 of 2 can be rejected" in look(alice, "reject", *held)
    assert "2 proposals are rejected." in answer(alice, "reject", *held)
    take_effect(acme)
    assert [row(acme, one).status for one in held] == ["rejected"] * 2


@pytest.mark.parametrize("verdict", ["approve", "reject"])
def test_one_undo_takes_all_back(acme: Company, alice: Client, verdict: str) -> None:
    held = [acme.alice.hold() for _ in range(2)]
    undo = undo_of(answer(alice, verdict, *held))
    paul = acme.person("paul").client
    assert "It has taken effect already." in checked(paul.post(undo, follow=True)), "nobody else's"
    assert "they wait again" in checked(alice.post(undo, follow=True))
    take_effect(acme)
    assert [row(acme, one).status for one in held] == ["pending"] * 2
    again = undo_of(answer(alice, verdict, *held))
    take_effect(acme)
    assert "It has taken effect already." in checked(alice.post(again, follow=True))
    assert {row(acme, one).status for one in held} == {"approved" if verdict == "approve" else "rejected"}


def test_what_is_sensitive_is_confirmed_by_itself(acme: Company, alice: Client) -> None:
    """Three of five: it is told which go on waiting and why, and a request that names one of them does nothing."""
    key = new_key()
    plain = [acme.alice.hold() for _ in range(2)]
    first, newest = acme.alice.hold(key=key), acme.alice.hold(key=key)
    labelled = acme.alice.hold(sensitivity="personal")
    acme.policy(confirm="agent_writes")
    ill = acme.alice.hold("I have a chronic illness, so keep answers short.", evidence="user_message")
    html = look(alice, "approve", *plain, first, newest, labelled, ill)
    assert "3 of 6 can be confirmed" in html
    assert "It is sensitive or risky, so it is read and answered by itself." in html
    assert "Another of those chosen says something else under the same name." in html
    assert set(re.findall(r'name="seen"\s+value="([^"]+)"', html)) == set(named(*plain, newest))
    for wrong in (ill, labelled, first):
        assert "so none was answered" in answer(alice, "approve", *plain, newest, wrong)
    take_effect(acme)
    assert {row(acme, one).status for one in (*plain, first, newest, labelled, ill)} == {"pending"}
    answer(alice, "approve", *plain, newest)
    take_effect(acme)
    assert {row(acme, one).status for one in (*plain, newest)} == {"approved"}
    assert remembered(acme, ill) is None


def test_only_ones_own_and_exactly_what_was_shown(acme: Company, alice: Client) -> None:
    held, pauls = acme.alice.hold(), acme.by("runtime", "paul").hold(sentence(mark := word(8)))
    other = held | {"content_hash": "0" * 64}
    html = look(alice, "approve", held, pauls)
    assert ("1 of 2 can be confirmed" in html, mark in html) == (True, False)
    assert "1 does not wait any more" in html
    assert "It says something else by now." in look(alice, "approve", other)
    for wrong in ((held, pauls), (other,)):
        assert "so none was answered" in answer(alice, "approve", *wrong)
    checked(alice.post("/waiting/several/", {"verdict": "approve", "seen": ["x:y"]}, follow=True))
    checked(alice.post("/waiting/several/", {"verdict": "withdraw", "seen": named(held)}, follow=True))
    take_effect(acme)
    with acme.entered():
        assert not Memory.objects.exists()
    answer(alice, "approve", held)
    take_effect(acme)
    with acme.entered():
        assert Memory.objects.count() == 1


def test_the_list_of_memories_leads_to_what_waits(acme: Company, alice: Client) -> None:
    """Uncounted: the page asks the database for nothing more because of it."""
    acme.alice.store()
    assert 'href="/waiting/">Waiting for you</a>' in page(alice, "/memories/")
