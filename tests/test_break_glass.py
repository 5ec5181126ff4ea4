"""Breaking the glass: who must read a person's memories gives a reason, has 30 minutes, and the person is told."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from cast import Cast, Company, now, sentence, word
from django.core import mail
from django.test import Client
from django.utils import timezone
from test_pages import checked, page

from accounts.models import AuditEvent, Membership
from memories.models import Reveal
from memories.stores import scan
from memoryhub import sweeping

PASSWORD = "a long walk along the harbour"
WORDS = "A court asked for this under file 17."
NOTICES = ("reviews.tasks.gather_notices", "reviews.tasks.mail_notices")


def signed_in(company: Company, name: str = "adam") -> Client:
    """Someone who has just given their password."""
    user = company.member(name).user
    user.set_password(PASSWORD)
    user.save()
    client = company.person(name).client
    asked = client.get("/audit/reveals/new/")
    if asked.status_code == 302:
        client.post(asked["Location"], {"password": PASSWORD})
    return client


def break_glass(client: Client, person: str = "alice", **given: Any) -> Any:
    data = {"person": person, "ground": "law", "words": WORDS} | given
    return client.post("/audit/reveals/new/", data)


@pytest.fixture
def adam(acme: Company) -> Client:
    return signed_in(acme)


def sweep(hours: int = 0) -> None:
    (swept,) = sweeping.sweep(now(hours=hours), slug="acme", steps=NOTICES)
    assert swept.failed == ()


def events(company: Company) -> list[AuditEvent]:
    with company.entered():
        return list(AuditEvent.objects.filter(action__startswith="reveal.").order_by("pk"))


@pytest.mark.parametrize("role", ["admin", "auditor"])
def test_with_a_reason_they_read_and_the_person_learns_who_why_and_when(acme: Company, role: str) -> None:
    """R-183: read only, counted without text, told in the pages, by mail and in the activity."""
    mark = word(8)
    acme.alice.store(sentence(mark), key=f"key_{mark}", conditions=f"In {mark} reports")
    acme.by("runtime", "paul").store(other := sentence(word(8)))
    with acme.entered():
        Membership.objects.filter(external_id="adam").update(roles=[role])
    reader = signed_in(acme)
    address = break_glass(reader)["Location"]
    html = page(reader, address)
    assert mark in html
    assert other not in html
    assert "/correct/" not in html
    assert f"{acme.member('adam').external_id}" in page(reader, "/audit/reveals/")
    opened, read = events(acme)
    alice = acme.member("alice")
    assert [(one.action, one.target_id, one.reason) for one in (opened, read)] == [
        ("reveal.open", alice.pk, "law"),
        ("reveal.read", alice.pk, "law"),
    ]
    assert read.details["items"] == 1
    with acme.entered():
        said = str(list(AuditEvent.objects.values_list("details", flat=True)))
        assert mark not in said
        assert WORDS not in said
    sweep()
    person = acme.person("alice").client
    for path in ("/notices/", "/activity/", "/activity/?group=reveals"):
        told = page(person, path)
        assert WORDS in told, path
        assert "adam" in told, path
    (letter,) = [one for one in mail.outbox if one.to == ["alice@acme.example"]]
    assert "/notices/" in letter.body
    assert not any(one in letter.subject + letter.body for one in (mark, WORDS, "adam"))


@pytest.mark.parametrize("words", ["", "Too short.", "Look for the card 4111" + " 1111 1111 1111, please."])
def test_without_a_proper_reason_nothing_opens(acme: Company, adam: Client, words: str) -> None:
    mark = word(8)
    acme.alice.store(sentence(mark))
    refused = break_glass(adam, words=words)
    assert refused.status_code == 400
    assert mark not in checked(refused)
    with acme.entered():
        assert not Reveal.objects.exists()
    assert break_glass(adam).status_code == 302


@pytest.mark.parametrize(
    "given", [{"person": "nobody"}, {"person": "adam"}, {"person": "bob"}, {"ground": "curiosity"}]
)
def test_only_for_another_person_of_the_organisation(acme: Company, adam: Client, given: dict[str, str]) -> None:
    assert break_glass(adam, **given).status_code == 400
    assert break_glass(adam).status_code == 302
    with acme.entered():
        assert Reveal.objects.count() == 1


def test_it_ends_by_itself_and_when_the_reader_stops(acme: Company, adam: Client) -> None:
    mark = word(8)
    acme.alice.store(sentence(mark))
    first, second = (break_glass(adam)["Location"] for _ in range(2))
    assert mark in page(adam, first)
    with acme.entered():
        row = Reveal.objects.order_by("pk").first()
        assert row.until - row.created_at <= timedelta(minutes=30, seconds=1)
        Reveal.objects.filter(pk=row.pk).update(until=timezone.now())
    over = adam.get(first)
    assert (over.status_code, mark in over.content.decode()) == (403, False)
    assert mark in page(adam, second)
    assert adam.post(f"{second}end/").status_code == 302
    assert adam.get(second).status_code == 403
    assert adam.post(f"{second}end/").status_code == 403
    assert [one.action for one in events(acme)] == ["reveal.open"] * 2 + ["reveal.read"] * 2 + ["reveal.end"]


def test_nobody_else_may(cast: Cast, adam: Client) -> None:
    """Not a member, a reviewer, another company's admin; nor another admin with the first one's address."""
    acme, mark = cast.acme, word(8)
    acme.alice.store(sentence(mark))
    address = break_glass(adam)["Location"]
    for company, name, roles in (
        (acme, "paul", ["member"]),
        (acme, "rita", ["reviewer"]),
        (cast.beta, "bob", ["admin"]),
        (acme, "paul", ["admin"]),
    ):
        with company.entered():
            Membership.objects.filter(external_id=name).update(roles=roles)
        other = signed_in(company, name)
        answers = [other.get(address), other.post(f"{address}end/")]
        assert {one.status_code for one in answers} == {404}
        if "admin" not in roles:
            refused = [other.get("/audit/reveals/"), other.get("/audit/reveals/new/"), break_glass(other)]
            assert {one.status_code for one in refused} == {403}
            answers += refused
        assert not any(mark in one.content.decode() for one in answers)
    assert break_glass(signed_in(cast.beta, "bob"), person="paul").status_code == 400, "there is no Paul at Beta"
    assert mark in page(adam, address)
    with acme.entered():
        Membership.objects.filter(external_id="adam").update(roles=["member"])
    assert adam.get(address).status_code == 403, "nor who is no admin any more"


def test_the_password_is_asked_for_again(acme: Company) -> None:
    adam = acme.person("adam").client
    assert adam.get("/audit/reveals/new/")["Location"].startswith("/account/reauthenticate/")
    assert break_glass(adam)["Location"].startswith("/account/reauthenticate/")
    with acme.entered():
        assert not Reveal.objects.exists()


def test_what_was_forgotten_is_not_shown(acme: Company, adam: Client) -> None:
    mark, left = word(8), word(8)
    memory = acme.alice.store(sentence(mark))
    acme.alice.store(sentence(left))
    address = break_glass(adam)["Location"]
    assert mark in page(adam, address)
    acme.alice.forget(memory)
    html = page(adam, address)
    assert (mark in html, left in html) == (False, True)


def test_the_reason_goes_with_the_person(acme: Company, adam: Client) -> None:
    """What was done stays in the audit by ids and codes; the words do not."""
    mark = word(8)
    acme.alice.store()
    break_glass(adam, words=f"The {mark} office asked for it.")
    with acme.entered():
        assert scan(mark) == {"reveals": 1}
    plan = acme.person("adam").post("/forget", {"filter": {"person": "alice"}, "dry_run": True}).json()
    gone = acme.person("adam").post("/forget", {"confirm_token": plan["confirm_token"], "typed": "alice"})
    assert gone.status_code == 200, gone.content
    with acme.entered():
        assert scan(mark) == {}
    assert [one.action for one in events(acme)] == ["reveal.open"]


def test_the_notice_cannot_be_turned_off(acme: Company, adam: Client) -> None:
    """Neither way, nor by seeing it before the mail goes, nor by another mail just before."""
    person = acme.person("alice").client
    assert "break-glass" not in page(person, "/settings/notices/")
    person.post("/settings/notices/", {"break-glass": []})
    with acme.entered():
        off = ["break-glass:app", "break-glass:mail"]
        Membership.objects.filter(external_id="alice").update(notices_off=off)
    acme.alice.hold()
    sweep()
    assert len(mail.outbox) == 1
    break_glass(adam)
    sweeping.sweep(timezone.now(), slug="acme", steps=NOTICES[:1])
    assert WORDS in page(person, "/notices/")
    person.post("/notices/read/")
    sweep()
    assert len(mail.outbox) == 2
    sweep(hours=2)
    assert len(mail.outbox) == 2, "once"
    assert re.search(r"memories for a while", mail.outbox[1].body)
