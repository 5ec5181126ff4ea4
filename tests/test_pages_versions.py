"""The page of one memory: why it came back, what changed, an earlier version put back, a correction looked at first."""

from __future__ import annotations

import json
import re

import pytest
from cast import Company, sentence, word
from django.test import Client
from test_pages import checked, page
from test_pages_memories import correction, current, stored

from accounts.models import AuditEvent
from memories.models import Memory, Recall


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


def address(memory: dict[str, str]) -> str:
    return f"/memories/{memory['memory_id']}/"


def test_a_memory_tells_why_it_came_back_but_nothing_of_others_recalls(acme: Company, alice: Client) -> None:
    mark = word()
    memory = acme.alice.store(sentence(mark))
    assert "No agent has looked it up for you lately." in page(alice, address(memory))
    recalled = acme.alice.in_run("run_7").recall(mark)
    told = {"memory_id": memory["memory_id"], "verdict": "used"}
    assert acme.alice.post(f"/recalls/{recalled['recall_id']}/feedback", told).status_code == 201
    html = page(alice, address(memory))
    for words in ("place 1 of 1", "same words", "run_7", "the agent used it", "helper"):
        assert words in html, words
    shared = acme.alice.share({"type": "team", "id": "support"}, f"Check the {mark} ledger before closing the month.")
    acme.rita.recall(mark)
    assert "No agent has looked it up for you lately." in page(alice, address(shared))


def test_a_memory_tells_what_beat_it_and_what_almost_came(acme: Company, alice: Client) -> None:
    """Of what the reader may see, by the ids in the trace; no trace holds a text."""
    mark = word()
    better, worse, hidden = (acme.alice.store(f"Note {word()} of the {mark} ledger.") for _ in range(3))
    for _ in range(2):
        acme.alice.recall(f"{mark} ledger", limit=2)
    with acme.entered():
        first, second = Recall.objects.order_by("pk")
        assert [one["memory_id"] for one in first.gate["near"]] not in ([], [one["memory_id"] for one in first.items])
        assert {"memory_id", "score", "reason"} == set(first.gate["near"][0])
        assert mark not in json.dumps([first.items, first.gate])
        scores = {"score": 0.5, "scores": {}}
        first.delete()
        second.items = [{"memory_id": one["memory_id"], **scores} for one in (better, worse)]
        second.gate["near"] = [{"memory_id": hidden["memory_id"], "score": 0.4, "reason": "over_limit"}]
        second.save()
    html = page(alice, address(worse))
    assert "place 2 of 2" in html
    assert html.index("What came before it") < html.index(better["statement"])
    assert html.index("Also considered, not given") < html.index(hidden["statement"])
    html = page(alice, address(hidden))
    assert "considered, but did not come back" in html
    assert html.index("What came instead") < html.index(worse["statement"])
    acme.alice.forget(hidden)
    assert "Also considered, not given" not in page(alice, address(worse))


def test_versions_are_compared_and_an_earlier_one_is_put_back_as_a_new_one(acme: Company, alice: Client) -> None:
    first = acme.alice.store("Put the table first in reports.", conditions="In May")
    second = acme.alice.correct(first, statement="Put the table last in reports.", conditions=None).json()["memory"]
    html = page(alice, address(second))
    assert "Put the table <del>first</del><ins>last</ins> in reports." in html
    both = page(alice, f"{address(second)}compare/?old=1&new=2")
    assert "<del>first</del><ins>last</ins>" in both
    assert "<del>In May</del>" in both
    assert "<del>last</del><ins>first</ins>" in page(alice, f"{address(second)}compare/?old=2&new=1")
    assert page(alice, f"{address(first)}compare/?old=x&new=99").count("selected") == 2
    stale = alice.post(f"{address(first)}restore/", {"expected_version": 1})
    assert stale.status_code == 412
    back = alice.post(f"{address(first)}restore/", {"expected_version": 2}, follow=True)
    assert "It says again what it said then" in checked(back)
    now = current(acme, first["key"])
    assert (now.version, now.statement, now.conditions) == (3, "Put the table first in reports.", "In May")
    acme.alice.forget(first)
    assert alice.post(f"{address(first)}restore/", {"expected_version": 3}).status_code == 404
    assert alice.get(f"{address(first)}compare/").status_code == 404


def test_a_correction_is_looked_at_first_and_that_changes_nothing(acme: Company, alice: Client) -> None:
    memory = acme.alice.store("Put the table first in reports.")
    before = stored(acme)
    with acme.entered():
        events = AuditEvent.objects.exclude(action="memory.history").count()
    url = f"{address(memory)}correct/"
    html = checked(alice.post(url, correction(memory, statement="Put the table last in reports.", preview="1")))
    assert "<del>first</del><ins>last</ins>" in html
    assert "It is remembered and replaces the earlier version." in html
    refused = "My password is hunter-" + "seven-times-2024"
    html = checked(alice.post(url, correction(memory, statement=refused, preview="1")))
    assert "notice warning" in html
    assert alice.post(url, correction(memory, statement="", preview="1")).status_code == 200
    assert stored(acme) == before
    assert current(acme, memory["key"]).version == 1
    with acme.entered():
        assert AuditEvent.objects.exclude(action="memory.history").count() == events
        assert not Memory.objects.filter(statement__contains="hunter").exists()


def test_a_stale_correction_is_offered_merged_where_both_changes_go_together(acme: Company, alice: Client) -> None:
    memory = acme.alice.store("Put the table first and the notes last.")
    assert acme.alice.correct(memory, statement="Put the table first and the sources last.").status_code == 200
    url = f"{address(memory)}correct/"
    mine = "Put the table on top and the notes last."
    html = checked(alice.post(url, correction(memory, statement=mine)))
    assert re.search(r"<textarea[^>]*>\s*Put the table on top and the sources last\.</textarea>", html)
    clash = checked(alice.post(url, correction(memory, statement="Put the table first and the graphs last.")))
    assert "Both touch the same words" in clash
    assert current(acme, memory["key"]).version == 2


def test_pausing_can_be_taken_back_from_the_message(acme: Company, alice: Client) -> None:
    memory = acme.alice.store()
    html = checked(alice.post(f"{address(memory)}pause/", {"expected_version": 1}, follow=True))
    undo = re.search(r'action="([^"]+resume/\?expected_version=1)"', html)
    assert undo is not None
    assert alice.post(undo[1]).status_code == 302
    assert current(acme, memory["key"]).status == "active"


def test_the_style_page_shows_every_component(acme: Company, alice: Client) -> None:
    for language in ("zh-hans", "en"):
        html = page(alice, "/style/", language)
        assert html.count('class="chart') == 3
        assert "&lt;b&gt;bold&lt;/b&gt;" in html
