"""The list of memories: what narrows it, what is done to several at once, and how often each was used."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from cast import TEAM, Company, in_months, now, sentence, word
from django.test import Client
from exchange import sweep
from test_pages import checked, page

from accounts.models import AuditEvent
from accounts.principals import system
from memories.models import Erasure, Export, Memory, Recall, SavedView, Use
from memories.uses import count_due, weekly

SEVERAL = "/memories/several/"


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


def later() -> str:
    return now(days=170).date().isoformat()


def choose(client: Client, action: str, memories: list[dict[str, Any]], **more: str) -> str:
    query = [("action", action), *(("id", one["memory_id"]) for one in memories), *more.items()]
    return page(client, f"{SEVERAL}?{urlencode(query)}")


def confirm(client: Client, html: str, action: str, **more: str) -> Any:
    """Press the button of the page that was shown."""
    seen = re.findall(r'name="seen"\s+value="([^"]+)"', html)
    return client.post(SEVERAL, {"action": action, "seen": seen, **more}, follow=True)


def statuses(acme: Company, memories: list[dict[str, Any]]) -> list[str]:
    with acme.entered():
        known = dict(Memory.objects.values_list("pk", "status"))
    return [known[key] for one in memories for key in known if str(key) == one["memory_id"]]


# --- narrowing -------------------------------------------------------------------------------------------------------


def test_filters_stand_in_the_address_and_each_can_be_taken_away(acme: Company, alice: Client) -> None:
    acme.alice.store()
    html = page(alice, "/memories/?kind=preference&source=explicit_user&sort=oldest&page=1")
    assert 'href="?kind=preference&amp;sort=oldest"' in html
    assert 'href="?source=explicit_user&amp;sort=oldest"' in html
    assert 'href="?kind=preference&amp;source=explicit_user&amp;sort=oldest&amp;status=paused"' in html
    assert html.count('class="row"') == 1


def test_tabs_tell_how_many_there_are_under_the_same_filters(acme: Company, alice: Client) -> None:
    paused, old, ended = acme.alice.store(), acme.alice.store(), acme.alice.store()
    acme.alice.post(f"/memories/{paused['memory_id']}/pause")
    assert acme.alice.correct(old, statement=sentence()).status_code == 200
    with acme.entered():
        Memory.objects.filter(pk=ended["memory_id"]).update(valid_until=now() - timedelta(days=1))
    html = page(alice, "/memories/?kind=preference")
    assert re.findall(r'class="count">(\d+)<', html) == ["3", "1", "1", "1", "1"]
    for tab in ("active", "paused", "expired", "superseded"):
        assert page(alice, f"/memories/?status={tab}").count('class="row"') == 1


def test_the_order_and_what_nobody_uses(acme: Company, alice: Client) -> None:
    mark = word()
    first, second = acme.alice.store(sentence(mark)), acme.alice.store(valid_until=in_months())
    acme.alice.recall(mark)
    with acme.entered():
        count_due(system(acme.tenant.pk), now())
        Memory.objects.update(created_at=now() - timedelta(days=100))

    def order(query: str) -> list[str]:
        return re.findall(r'href="/memories/([0-9a-f-]{36})/"', page(alice, f"/memories/?{query}"))

    ids = [first["memory_id"], second["memory_id"]]
    assert order("sort=oldest") == order("sort=used") == ids
    assert order("") == order("sort=ending") == ids[::-1]
    assert order("unused=90") == order("unused=30&kind=preference") == [ids[1]]
    assert order("ends=30") == []


def test_uses_are_counted_once_and_go_with_what_is_forgotten(acme: Company, alice: Client) -> None:
    mark = word()
    memory = acme.alice.store(sentence(mark))
    for _ in range(3):
        acme.alice.recall(mark)
    with acme.entered():
        Recall.objects.order_by("pk").first().delete()
        assert count_due(system(acme.tenant.pk), now())["recalls_counted"] == 2
        assert count_due(system(acme.tenant.pk), now())["recalls_counted"] == 0
        use = Use.objects.get()
        assert (use.total, sum(weekly(use, now()).weeks), weekly(use, now()).weeks[-1]) == (2, 2, 2)
        assert weekly(use, now() + timedelta(weeks=12)).recent == 0
    assert "recalled 2 times in 12 weeks" in page(alice, "/memories/")
    acme.alice.recall(mark)
    acme.alice.forget(memory)
    with acme.entered():
        count_due(system(acme.tenant.pk), now())
        assert not Use.objects.exists()


# --- views -----------------------------------------------------------------------------------------------------------


def test_a_view_is_kept_without_the_words_searched_for_and_seen_by_nobody_else(acme: Company, alice: Client) -> None:
    mark = word(6)
    for query in (f"q={mark}&kind=preference&page=3", f"kind=preference&sort=used&q={mark}"):
        kept = alice.post("/memories/views/", {"name": "Mine <b>", "query": query}, follow=True)
        assert "The view is kept." in checked(kept)
    with acme.entered():
        view = SavedView.objects.get()
        assert view.query == "kind=preference&sort=used"
    assert "Mine &lt;b&gt;" in page(alice, "/memories/")
    rita = acme.person("rita").client
    assert "Mine" not in page(rita, "/memories/")
    assert rita.post(f"/memories/views/{view.pk}/remove/").status_code == 404
    assert alice.post(f"/memories/views/{view.pk}/remove/").status_code == 302
    with acme.entered():
        assert not SavedView.objects.exists()


# --- several at once -------------------------------------------------------------------------------------------------


def test_several_are_paused_together_after_saying_for_how_many_and_come_back_with_one_undo(
    acme: Company, alice: Client
) -> None:
    memories = [acme.alice.store() for _ in range(3)]
    acme.alice.post(f"/memories/{memories[0]['memory_id']}/pause")
    shared = acme.alice.share(TEAM)
    html = choose(alice, "pause", [*memories, shared], back="kind=preference")
    assert "4 chosen" in html
    assert "it can be done to 2" in html
    assert "not to 2" in html
    assert "It is paused already." in html
    assert "Only a maintainer or a reviewer" in html
    done = confirm(alice, html, "pause", back="kind=preference")
    assert done.redirect_chain == [("/memories/?kind=preference", 302)]
    assert "2 memories were changed." in checked(done)
    assert statuses(acme, memories) == ["paused"] * 3
    with acme.entered():
        events = AuditEvent.objects.filter(request_id=AuditEvent.objects.get(action="memory.several").request_id)
        assert sorted(events.values_list("action", flat=True)) == ["memory.pause", "memory.pause", "memory.several"]
    undo = re.search(r'action="(/memories/several/\?action=resume[^"]+)"', checked(done))
    assert undo is not None
    alice.post(undo[1].replace("&amp;", "&"))
    assert statuses(acme, memories) == ["paused", "active", "active"]


def test_when_one_of_several_changed_meanwhile_none_is_touched(acme: Company, alice: Client) -> None:
    memories = [acme.alice.store() for _ in range(2)]
    html = choose(alice, "pause", memories)
    assert acme.alice.correct(memories[1], statement=sentence()).status_code == 200
    assert confirm(alice, html, "pause").status_code == 412
    assert statuses(acme, memories) == ["active", "superseded"]
    gone = choose(alice, "forget", memories[:1])
    acme.alice.forget(memories[0])
    assert confirm(alice, gone, "forget", understood="on").status_code == 404


def test_several_are_extended_where_the_gate_agrees(acme: Company, alice: Client) -> None:
    memories = [acme.alice.store(valid_until=in_months()) for _ in range(2)]
    endless = acme.alice.store()
    assert 'name="valid_until"' in choose(alice, "renew", memories)
    past = choose(alice, "renew", memories, valid_until="2020-01-01")
    assert "The end you named has passed already." in past
    assert 'name="seen"' not in past
    html = choose(alice, "renew", [*memories, endless], valid_until=later())
    assert "It has no end, so there is nothing to extend." in html
    assert "2 memories were changed." in checked(confirm(alice, html, "renew", valid_until=later()))
    with acme.entered():
        assert set(Memory.objects.current().values_list("version", flat=True)) == {1, 2}
    assert confirm(alice, html, "renew", valid_until=later()).status_code == 412


def test_several_are_forgotten_under_one_receipt(acme: Company, alice: Client) -> None:
    mark = word(6)
    memories = [acme.alice.store(sentence(mark)) for _ in range(2)]
    html = choose(alice, "forget", memories)
    unticked = confirm(alice, html, "forget")
    assert "Nothing was forgotten" in checked(unticked)
    assert statuses(acme, memories) == ["active", "active"]
    done = confirm(alice, html, "forget", understood="on")
    with acme.entered():
        receipt = Erasure.objects.get()
        assert len(receipt.memory_ids) == 2
    assert done.redirect_chain[0][0] == f"/erasures/{receipt.pk}/"
    assert mark not in checked(done)
    assert statuses(acme, memories) == ["deleted", "deleted"]


def test_nothing_chosen_or_what_belongs_to_others_changes_nothing(acme: Company, alice: Client) -> None:
    memory = acme.alice.store()
    nothing = alice.get(f"{SEVERAL}?action=pause&back=kind%3Dpreference", follow=True)
    assert nothing.redirect_chain == [("/memories/?kind=preference", 302)]
    assert "Choose at least one memory first." in checked(nothing)
    paul = acme.person("paul").client
    html = choose(paul, "forget", [memory])
    assert "1 is not there any more" in html
    assert memory["statement"] not in html
    answer = paul.post(SEVERAL, {"action": "forget", "understood": "on", "seen": f"{memory['memory_id']}:1"})
    assert answer.status_code == 404
    assert paul.post(SEVERAL, {"action": "forget", "seen": "nonsense"}).status_code == 302
    assert statuses(acme, [memory]) == ["active"]


# --- taking some along -----------------------------------------------------------------------------------------------


def take_along(acme: Company, client: Client, query: str, told: str) -> list[str]:
    """The statements in the file of what an address of the list's export names."""
    assert told in page(client, f"/memories/export/?{query}")
    done = client.post(f"/memories/export/?{query}", {"format": "jsonl"}, follow=True)
    assert "The file is being made." in checked(done)
    sweep(acme)
    address = done.redirect_chain[-1][0]
    assert "Fetch the file" in page(client, address)
    lines = b"".join(client.get(f"{address}file/").streaming_content).decode().splitlines()
    return [json.loads(line)["statement"] for line in lines]


def test_what_was_chosen_is_taken_along_as_it_stands_when_the_file_is_written(acme: Company, alice: Client) -> None:
    first, old, gone, _other = (acme.alice.store() for _ in range(4))
    new = acme.alice.correct(old, statement=sentence()).json()["memory"]
    acme.alice.forget(gone)
    chosen = "&".join(f"id={one['memory_id']}" for one in (first, old, new, gone))
    told = take_along(acme, alice, chosen, "2 can be taken along")
    assert sorted(told) == sorted([first["statement"], new["statement"]])
    assert "4 chosen" in page(alice, f"/memories/export/?{chosen}")
    stranger = acme.person("rita").client
    theirs = page(stranger, f"/memories/export/?{chosen}")
    assert "nothing to take along" in theirs
    assert stranger.post(f"/memories/export/?{chosen}", {"format": "jsonl"}).status_code == 400
    with acme.entered():
        assert Export.objects.get().scope == "chosen"


def test_all_that_the_filters_give_is_taken_along_and_can_be_stopped(acme: Company, alice: Client) -> None:
    mark = word()
    wanted = [acme.alice.store(sentence(mark)) for _ in range(2)]
    acme.alice.store()
    assert "Export all 2 of these" in page(alice, f"/memories/?q={mark}")
    told = take_along(acme, alice, f"q={mark}&sort=oldest", "2 chosen")
    assert told == [one["statement"] for one in wanted]
    done = alice.post(f"/memories/export/?q={mark}", {"format": "csv"}, follow=True)
    undo = re.search(r'action="(/data/exports/[^"]+/cancel/)"', checked(done))
    assert undo is not None
    assert "It is cancelled" in checked(alice.post(undo[1], follow=True))
    assert alice.get(f"/memories/export/?q={word()}").status_code == 302
