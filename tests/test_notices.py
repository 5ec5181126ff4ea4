"""Notices: people learn in the pages and by mail what waits, what ends, who may act for them; mails hold no memory."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from smtplib import SMTPServerDisconnected
from typing import Any

import pytest
from cast import Company, now, sentence
from django.core import mail
from django.test import Client
from django.utils import timezone
from test_pages import checked, page

from accounts.models import Agent, AgentSubject, AuditEvent, Membership
from memoryhub import sweeping
from reviews.models import Notice

STEPS = ("reviews.tasks.gather_notices", "reviews.tasks.mail_notices")


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


def sweep(moment: datetime | None = None) -> dict[str, int]:
    (swept,) = sweeping.sweep(moment or timezone.now(), slug="acme", steps=STEPS)
    assert swept.failed == ()
    return dict(swept.counts)


def bell(client: Client) -> int:
    return int(re.findall(r"(\d+) new notices?", page(client, "/help/"))[0])


def new_agent(acme: Company) -> Agent:
    """An agent that came a day after everyone else."""
    with acme.entered():
        for model in (Membership, Agent, AgentSubject):
            model.objects.update(created_at=now(days=-1))
        owner = Membership.objects.get(external_id="adam")
        return Agent.objects.create(slug="scribe", name="Scribe", owner=owner)


def test_what_waits_is_told_until_it_is_decided(acme: Company, alice: Client) -> None:
    held = acme.alice.hold()
    sweep()
    sweep()
    assert bell(alice) == 1
    assert held["statement"] in page(alice, "/notices/")
    paul = acme.person("paul").client
    assert (bell(paul), held["statement"] in page(paul, "/notices/")) == (0, False)
    alice.post(f"/candidates/{held['candidate_id']}/reject/", {"content_hash": held["content_hash"]})
    assert bell(alice) == 0, "at once, without another sweep"
    alice.post(f"/candidates/{held['candidate_id']}/undo/")
    assert bell(alice) == 1
    alice.post(f"/candidates/{held['candidate_id']}/reject/", {"content_hash": held["content_hash"]})
    sweeping.sweep(now(minutes=1), slug="acme", steps=("reviews.tasks.commit_verdicts",))
    assert bell(alice) == 0
    assert sweep()["notices_dropped"] == 1


def test_what_ends_within_a_week_is_told(acme: Company, alice: Client) -> None:
    soon = acme.alice.store(valid_until=now(days=6).isoformat())
    acme.alice.store(valid_until=now(days=9).isoformat())
    acme.alice.store()
    sweep()
    html = page(alice, "/notices/")
    assert bell(alice) == 1
    assert soon["statement"] in html
    acme.alice.correct(soon, valid_until=now(days=90).isoformat())
    assert bell(alice) == 0


def test_a_new_agent_is_told_to_those_it_may_act_for(acme: Company, alice: Client) -> None:
    agent = new_agent(acme)
    assert sweep() == {}, "it may act for nobody"
    with acme.entered():
        AgentSubject.objects.create(agent=agent, membership=Membership.objects.get(external_id="alice"))
    sweep()
    paul = acme.person("paul").client
    assert "Scribe, for which adam answers" in page(alice, "/notices/")
    assert bell(paul) == 0
    with acme.entered():
        Agent.objects.filter(pk=agent.pk).update(acts_for_everyone=True)
    sweep()
    assert "Scribe" in page(paul, "/notices/")


def test_all_can_be_marked_as_seen(acme: Company, alice: Client) -> None:
    acme.alice.hold()
    sweep()
    assert alice.get("/notices/read/").status_code == 405
    alice.post("/notices/read/")
    assert bell(alice) == 0
    mail.outbox.clear()
    sweep(now(hours=2))
    assert mail.outbox == [], "what was seen needs no mail"


# --- mail ------------------------------------------------------------------------------------------------------------


def test_a_mail_says_how_many_and_where_and_nothing_else(acme: Company, alice: Client) -> None:
    """R-142: no remembered text leaves by mail; fifty things make one mail, in the person's language."""
    held = [acme.alice.hold() for _ in range(3)]
    alice.post("/settings/language/", {"language": "zh-hans"})
    acme.by("runtime", "paul").hold()
    sweep()
    letters = {letter.to[0]: letter for letter in mail.outbox}
    assert set(letters) == {"alice@acme.example", "paul@acme.example"}
    letter = letters["alice@acme.example"]
    told = letter.subject + letter.body
    assert "/waiting/" in letter.body
    assert "3" in letter.body
    assert re.search(r"[\u4e00-\u9fff]", told)
    assert not any(one["statement"] in told or one["key"] in told for one in held)
    assert "1 proposal of an agent waits" in letters["paul@acme.example"].body
    with acme.entered():
        event = AuditEvent.objects.filter(action="notice.mail").earliest("pk")
        assert event.details == {"notices": 3}


def test_one_mail_an_hour_at_the_most(acme: Company) -> None:
    started = timezone.now()
    acme.alice.hold()
    sweep(started)
    acme.alice.hold()
    acme.alice.store(valid_until=now(days=2).isoformat())
    sweep(started + timedelta(minutes=59))
    assert len(mail.outbox) == 1
    sweep(started + timedelta(minutes=61))
    sweep(started + timedelta(minutes=62))
    assert len(mail.outbox) == 2
    assert "1 proposal" in mail.outbox[1].body
    assert "1 memory about you ends" in mail.outbox[1].body


def test_a_mail_that_fails_is_sent_later(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    acme.alice.hold()

    def refuse(*args: Any, **options: Any) -> None:
        raise SMTPServerDisconnected

    with monkeypatch.context() as broken:
        broken.setattr("reviews.mailing.send_mail", refuse)
        assert "notices_mailed" not in sweep()
    with acme.entered():
        assert Notice.objects.filter(mailed_at=None).count() == 1
    assert sweep()["notices_mailed"] == 1


def test_each_kind_comes_by_the_ways_that_were_chosen(acme: Company, alice: Client) -> None:
    html = page(alice, "/settings/notices/")
    assert html.count("checked") == 2 * (len(Notice.Kind) - 3), "reviewers' kinds and break-glass are not asked"
    chosen = {"waiting": ["app"], "expiring": ["mail"], "agent": []}
    assert "Your choice holds" in checked(alice.post("/settings/notices/", chosen, follow=True))
    assert page(alice, "/settings/notices/").count("checked") == 2
    acme.alice.hold()
    acme.alice.store(sentence(), valid_until=now(days=2).isoformat())
    sweep()
    assert bell(alice) == 1
    (letter,) = mail.outbox
    assert "proposal" not in letter.body
    assert "1 memory about you ends" in letter.body
    assert alice.post("/settings/notices/", {"waiting": ["pigeon"]}).status_code == 400


def test_only_reviewers_choose_notices_for_reviewers(acme: Company, alice: Client) -> None:
    """And what a person was not asked stays as they had chosen it."""
    shown = ("A proposal waits for your review", "A proposal lapses soon without a review")
    rita = acme.person("rita").client
    assert [words in page(rita, "/settings/notices/") for words in shown] == [True, True]
    assert [words in page(alice, "/settings/notices/") for words in shown] == [False, False]
    rita.post("/settings/notices/", {"waiting": ["app"], "review": ["app"]})
    with acme.entered():
        Membership.objects.filter(external_id="rita").update(roles=["member"])
    rita.post("/settings/notices/", {"waiting": ["app", "mail"], "review": ["app", "mail"]})
    with acme.entered():
        off = set(Membership.objects.get(external_id="rita").notices_off)
    assert {"review:mail", "lapsing:app", "lapsing:mail"} <= off
    assert "waiting:mail" not in off
    assert "review:app" not in off
