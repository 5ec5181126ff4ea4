"""The pages on which a person forgets much at once."""

from __future__ import annotations

from typing import Any

import pytest
from cast import TEAM, Company, sentence, word
from django.test import Client
from test_pages import checked, page

from memories.models import Erasure, Evidence, Memory


def confirmed(client: Client, path: str, **typed: str) -> Any:
    """Look at the page, then send its form."""
    shown = client.get(path)
    token = shown.context["plan"].confirm_token
    return client.post(path, {"confirm_token": token, "understood": "on", **typed}, follow=True)


def kept(acme: Company) -> int:
    with acme.entered():
        return Memory.objects.kept().count()


def test_a_memory_leads_to_its_conversation_and_its_agent(acme: Company) -> None:
    evidence = acme.alice.evidence(thread="talk")
    memory = acme.alice.store(evidence=evidence)
    with acme.entered():
        agent = Memory.objects.get().proposed_by
    html = page(acme.person("alice").client, f"/memories/{memory['memory_id']}/")
    assert f"/forget/conversation/{evidence}/" in html
    assert f"/forget/agent/{agent}/" in html


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_what_goes_is_shown_and_then_forgotten(acme: Company, language: str) -> None:
    alice, mark = acme.person("alice").client, word(7)
    evidence = acme.alice.evidence(thread="talk")
    acme.alice.store(sentence(mark), evidence=evidence)
    acme.alice.store(evidence=acme.alice.evidence(thread="another"))
    path = f"/forget/conversation/{evidence}/"
    assert mark in page(alice, path, language)
    assert kept(acme) == 2
    response = confirmed(alice, path)
    assert kept(acme) == 1
    with acme.entered():
        assert response.redirect_chain[-1][0] == f"/erasures/{Erasure.objects.get(state='hidden').pk}/"


def test_without_the_tick_or_with_an_old_list_nothing_is_forgotten(acme: Company) -> None:
    alice = acme.person("alice").client
    evidence = acme.alice.evidence(thread="talk")
    acme.alice.store(evidence=evidence)
    path = f"/forget/conversation/{evidence}/"
    token = alice.get(path).context["plan"].confirm_token
    assert alice.post(path, {"confirm_token": token}).status_code == 400
    assert alice.post(path, {"confirm_token": "made up", "understood": "on"}).status_code == 400
    acme.alice.store(evidence=acme.alice.evidence(thread="talk"))
    late = alice.post(path, {"confirm_token": token, "understood": "on"}, follow=True)
    assert "Please look again." in checked(late)
    assert kept(acme) == 2
    confirmed(alice, path)
    assert kept(acme) == 0


def test_a_reviewer_empties_a_team_and_a_member_does_not(acme: Company) -> None:
    acme.rita.share(TEAM, "Check the receipt before closing a case.")
    with acme.entered():
        place = Memory.objects.get().namespace_id
    listed = "/memories/?namespace=team:support"
    assert f"/forget/place/{place}/" not in page(acme.person("alice").client, listed)
    assert acme.person("alice").client.get(f"/forget/place/{place}/").status_code == 404
    rita = acme.person("rita").client
    assert f"/forget/place/{place}/" in page(rita, listed)
    confirmed(rita, f"/forget/place/{place}/")
    assert kept(acme) == 0


def test_a_person_leaves_after_their_password_and_keeps_a_receipt(acme: Company) -> None:
    """R-139, R-262: asked for the password, the name typed, signed out, the receipt without an account."""
    password, mark = word(9), word(7)
    user = acme.member("alice").user
    user.set_password(password)
    user.save()
    alice = acme.person("alice").client
    acme.alice.store(sentence(mark))
    asked = alice.get("/forget/me/")["Location"]
    assert asked.startswith("/account/reauthenticate/")
    assert alice.post(asked, {"password": word(9)}).status_code == 200
    assert alice.get("/forget/me/").status_code == 302
    assert alice.post(asked, {"password": password})["Location"] == "/forget/me/"
    wrong = confirmed(alice, "/forget/me/", typed="bob")
    assert wrong.status_code == 400
    assert "Type the name exactly as it is shown." in checked(wrong)
    assert kept(acme) == 1
    farewell = confirmed(alice, "/forget/me/", typed="alice")
    html = checked(farewell)
    assert "Your account is gone" in html
    assert mark not in html
    assert kept(acme) == 0
    assert alice.get("/memories/").status_code == 302, "signed out"
    assert Client().get(farewell.redirect_chain[-1][0]).status_code == 200
    assert Client().get("/forgotten/made-up/").status_code == 404
    with acme.entered():
        assert not Evidence.objects.exclude(text=None).exists()
