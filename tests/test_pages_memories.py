"""What people do with their memories on the pages, and what the rows then say."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cast import TEAM, Company, in_months, new_key, now, sentence, word
from django.test import Client
from test_pages import checked, page

from memories.models import Candidate, Erasure, Memory


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


def entry(**fields: Any) -> dict[str, Any]:
    given = {"statement": sentence(), "key": new_key(), "kind": "preference", "namespace": "user:alice"}
    return given | {"conditions": "", "valid_until": ""} | fields


def correction(memory: dict[str, Any], **fields: Any) -> dict[str, Any]:
    shown = {"statement": memory["statement"], "conditions": memory["conditions"] or "", "valid_until": ""}
    return shown | {"expected_version": memory["version"]} | fields


def current(acme: Company, key: str) -> Memory:
    with acme.entered():
        return Memory.objects.current().get(key=key)


def stored(acme: Company) -> int:
    with acme.entered():
        return Memory.objects.count() + Candidate.objects.count()


# --- entering --------------------------------------------------------------------------------------------------------


def test_what_a_person_enters_is_saved_at_once_as_their_own_word(acme: Company, alice: Client) -> None:
    acme.policy(confirm="always")
    given = entry(conditions="In written reports")
    response = alice.post("/memories/new/", given, follow=True)
    memory = current(acme, given["key"])
    assert response.redirect_chain == [(f"/memories/{memory.pk}/", 302)]
    assert "It is remembered." in checked(response)
    assert (memory.statement, memory.conditions, memory.status) == (given["statement"], "In written reports", "active")
    assert memory.evidence_class == "explicit_user"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("statement", "", "This field is required."),
        ("statement", "x" * 2001, "at most 2000 characters"),
        ("key", "k" * 129, "at most 128 characters"),
        ("key", "a\x00b", "Null characters are not allowed."),
        ("kind", "gossip", "is not one of the available choices"),
        ("namespace", "team:night", "is not one of the available choices"),
        ("valid_until", "soon", "Enter a valid date."),
        ("valid_until", "2020-01-01", "The end you named has passed already."),
        ("kind", "lesson", "This kind of memory cannot be kept here"),
    ],
)
def test_a_wrong_field_is_named_beside_it_and_nothing_is_stored(
    acme: Company, alice: Client, field: str, value: str, words: str
) -> None:
    before = stored(acme)
    response = alice.post("/memories/new/", entry(**{field: value}))
    assert response.status_code == 400
    html = checked(response)
    at = html.index(f'id="id_{field}_error"')
    assert words in html[at : at + 400].replace("&#x27;", "'")
    assert 'aria-invalid="true"' in html
    assert stored(acme) == before


def test_a_refused_text_is_told_in_words_and_kept_nowhere(acme: Company, alice: Client) -> None:
    before = stored(acme)
    secret = "-".join(["my password is", word(8) + "A9!"]).replace("-", " ", 1)
    response = alice.post("/memories/new/", entry(statement=secret))
    assert "Such things are not remembered, and the text was not kept." in checked(response)
    assert stored(acme) == before
    response = alice.post("/memories/new/", entry(statement="The refund of order 12 has been approved."))
    assert "It is looked up when needed, not remembered." in checked(response)


def test_what_a_member_enters_for_a_team_waits_for_a_reviewer(acme: Company, alice: Client) -> None:
    given = entry(namespace="team:support", kind="lesson", valid_until=in_months())
    html = checked(alice.post("/memories/new/", given, follow=True))
    assert "a reviewer decides first" in html
    with acme.entered():
        held = Candidate.objects.get(key=given["key"])
    assert (held.awaiting, held.status) == ("reviewer", "pending")
    assert given["statement"] in page(alice, "/waiting/")


# --- reading ---------------------------------------------------------------------------------------------------------


def test_a_memory_says_why_it_is_remembered(acme: Company, alice: Client) -> None:
    said = word()
    evidence = acme.alice.evidence(ref=f"message_{said}", text=f"From now on the {said} summary first, please.")
    memory = acme.alice.store(sentence(said), evidence=evidence)
    html = page(alice, f"/memories/{memory['memory_id']}/")
    for words in ("the person said so", "message of the person", f"message_{said}", "What was checked"):
        assert words in html
    assert "No known form of a secret or identifier in it" in html
    told = html.replace("<mark>", "").replace("</mark>", "")
    assert f"From now on the {said} summary first" in told
    assert re.search(rf"<mark>[^<]*{said} summary[^<]*</mark>", html)


def test_an_expired_memory_reads_as_expired(acme: Company, alice: Client) -> None:
    memory = acme.alice.store()
    with acme.entered():
        Memory.objects.filter(pk=memory["memory_id"]).update(valid_until=now(days=-1))
    assert 'class="state expired"' in page(alice, f"/memories/{memory['memory_id']}/")
    assert memory["statement"] in page(alice, "/memories/?status=expired")
    assert memory["statement"] not in page(alice, "/memories/?status=active")


# --- correcting ------------------------------------------------------------------------------------------------------


def test_a_correction_becomes_the_next_version(acme: Company, alice: Client) -> None:
    memory, better = acme.alice.store(), sentence()
    response = alice.post(f"/memories/{memory['memory_id']}/correct/", correction(memory, statement=better))
    standing = current(acme, memory["key"])
    assert (response.status_code, response["Location"]) == (302, f"/memories/{standing.pk}/")
    assert (standing.statement, standing.version) == (better, 2)
    html = page(alice, response["Location"])
    assert memory["statement"] in html
    assert "This is an earlier version." in page(alice, f"/memories/{memory['memory_id']}/")


def test_an_untouched_end_keeps_its_instant_and_a_new_one_is_the_end_of_the_day_there(
    acme: Company, alice: Client
) -> None:
    assert alice.post("/settings/time-zone/", {"time_zone": "Asia/Shanghai"}).status_code == 302
    end = now(days=10).replace(hour=3, minute=4, second=5, microsecond=6)
    memory = acme.alice.store(valid_until=end.isoformat())
    url = f"/memories/{memory['memory_id']}/correct/"
    day = page(alice, url).split('type="date" name="valid_until" value="')[1][:10]
    alice.post(url, correction(memory, statement=sentence(), valid_until=day))
    assert current(acme, memory["key"]).valid_until == end
    alice.post(url, correction(memory, expected_version=2, valid_until="2099-12-31"))
    assert current(acme, memory["key"]).valid_until.isoformat() == "2099-12-31T16:00:00+00:00"


def test_a_correction_of_what_changed_meanwhile_shows_both_and_stores_nothing(acme: Company, alice: Client) -> None:
    memory, theirs, mine = acme.alice.store(), sentence(), sentence()
    assert acme.alice.correct(memory, statement=theirs).status_code == 200
    url = f"/memories/{memory['memory_id']}/correct/"
    response = alice.post(url, correction(memory, statement=mine))
    assert response.status_code == 412
    html = checked(response)
    assert theirs in html
    assert mine in html
    assert "<ins>" in html
    assert current(acme, memory["key"]).statement == theirs
    again = alice.post(url, correction(memory, statement=mine, expected_version=2))
    assert again.status_code == 302
    assert current(acme, memory["key"]).statement == mine


def test_a_value_for_programs_can_be_corrected_and_must_be_json(acme: Company, alice: Client) -> None:
    memory = acme.alice.store(value={"place": "top"})
    url = f"/memories/{memory['memory_id']}/correct/"
    for wrong in ("{", "[" * 5000, "NaN", "1e999", '"\\ud800"', '"\\u0000"', f'"{"x" * 9000}"'):
        response = alice.post(url, correction(memory, value=wrong))
        assert response.status_code == 400
        assert 'id="id_value_error"' in checked(response)
    assert alice.post(url, correction(memory, value='{"place": "end"}')).status_code == 302
    assert current(acme, memory["key"]).value == {"place": "end"}


def test_a_correction_passes_the_gate_too(acme: Company, alice: Client) -> None:
    memory = acme.alice.store()
    refused = correction(memory, statement="The refund of order 12 has been approved.")
    response = alice.post(f"/memories/{memory['memory_id']}/correct/", refused)
    assert response.status_code == 400
    assert "It is looked up when needed" in checked(response)
    assert current(acme, memory["key"]).statement == memory["statement"]


# --- pausing ---------------------------------------------------------------------------------------------------------


def test_pause_and_use_again(acme: Company, alice: Client) -> None:
    memory = acme.alice.store()
    url, seen = f"/memories/{memory['memory_id']}/", {"expected_version": memory["version"]}
    assert "It is paused" in checked(alice.post(f"{url}pause/", seen, follow=True))
    assert current(acme, memory["key"]).status == "paused"
    assert "It is active again." in checked(alice.post(f"{url}resume/", seen, follow=True))
    assert current(acme, memory["key"]).status == "active"


def test_a_button_pressed_on_an_old_page_does_nothing(acme: Company, alice: Client) -> None:
    memory = acme.alice.store()
    for data in ({"expected_version": 7}, {"expected_version": "x"}, {}):
        response = alice.post(f"/memories/{memory['memory_id']}/pause/", data)
        assert response.status_code == 412
        assert "It changed since you read it" in checked(response)
    assert current(acme, memory["key"]).status == "active"


def test_a_member_who_is_no_maintainer_may_read_but_not_pause_what_the_team_remembers(
    acme: Company, alice: Client
) -> None:
    memory = acme.alice.share(TEAM)
    seen = {"expected_version": memory["version"]}
    url = f"/memories/{memory['memory_id']}/"
    html = page(alice, url)
    assert "Only a maintainer or a reviewer may pause or forget it" in html
    assert f"{url}forget/" not in html
    assert f"{url}forget/" in page(acme.person("rita").client, url)
    page(alice, f"{url}forget/", status=403)
    for action in ("pause/", "forget/"):
        response = alice.post(url + action, {**seen, "understood": "on"})
        assert response.status_code == 403
        assert "Only a maintainer or a reviewer may change" in checked(response)
    assert acme.person("rita").client.post(f"{url}pause/", seen).status_code == 302


# --- forgetting ------------------------------------------------------------------------------------------------------


def test_forgetting_tells_what_it_means_and_ends_with_a_receipt_without_text(acme: Company, alice: Client) -> None:
    mark = word()
    memory = acme.alice.store(sentence(mark))
    assert acme.alice.correct(memory, statement=f"Put the {mark} table before the text.").status_code == 200
    url = f"/memories/{memory['memory_id']}/forget/"
    html = page(alice, url)
    assert "All 2 versions are forgotten" in html
    assert "It cannot be undone." in html
    response = alice.post(url, {"expected_version": 2, "understood": "on"})
    with acme.entered():
        receipt = Erasure.objects.latest("pk")
        assert not Memory.objects.kept().filter(slot__in=receipt.slot_ids).exists()
    assert (response.status_code, response["Location"]) == (302, f"/erasures/{receipt.pk}/")
    for path in (f"/erasures/{receipt.pk}/", "/memories/", f"/memories/{memory['memory_id']}/"):
        assert mark not in page(alice, path)
    assert str(receipt.pk) in page(alice, f"/erasures/{receipt.pk}/")
    page(alice, url, status=404)
    page(alice, f"/memories/{memory['memory_id']}/correct/", status=404)


def test_forgetting_needs_the_tick_and_the_version_seen(acme: Company, alice: Client) -> None:
    memory = acme.alice.store()
    url = f"/memories/{memory['memory_id']}/forget/"
    unticked = alice.post(url, {"expected_version": 1})
    assert unticked.status_code == 400
    assert "This field is required." in checked(unticked)
    assert alice.post(url, {"expected_version": 9, "understood": "on"}).status_code == 412
    assert current(acme, memory["key"]).statement == memory["statement"]
