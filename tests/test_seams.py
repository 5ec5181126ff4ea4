"""What one part promises holds in the others: pages and REST, encryption and what stands beside it, rights that end."""

from __future__ import annotations

import smtplib
from typing import Any

import pytest
from cast import TEAM, Caller, Company, in_months, now, sentence
from test_encryption import encrypted, purge, store  # noqa: F401 - fixtures
from test_extraction import hand_over, said, wish
from test_forget_scopes import forget
from verdicts import lesson, pass_time, state

from accounts import invitations
from accounts.errors import NotVisible, Unavailable
from accounts.models import Delivery, Group, GroupMember, Membership, User, Webhook
from accounts.principals import system
from memories import actions, saved_views
from memories.models import Extraction, Memory
from memoryhub import sweeping
from reviews import delays, mailing, notices


def join(company: Company, name: str, role: str = "reviewer") -> Caller:
    """A person with this role, in Alice's team."""
    with company.entered():
        person = Membership.objects.get(external_id=name)
        person.roles = ["member", role]
        person.save()
        GroupMember.objects.get_or_create(group=Group.objects.get(slug=TEAM["id"]), membership=person)
    return company.person(name)


# --- encryption, and what was built beside it


def test_who_forgets_everything_of_theirs_keeps_their_rules_and_views(
    encrypted: Company,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The keys of what was forgotten go; what stays by design can still be opened."""
    alice = encrypted.person("alice")
    encrypted.alice.store(sentence())
    with encrypted.entered():
        actions.add_rule(encrypted.principal("alice"), "key", "salary_*")
        saved_views.save(encrypted.principal("alice"), "mine", "kind=preference")
    plan = alice.post("/forget", {"filter": {"namespace": {"type": "user"}}, "dry_run": True}).json()
    assert alice.post("/forget", {"confirm_token": plan["confirm_token"]}).status_code == 200
    purge(encrypted, monkeypatch)
    assert encrypted.alice.propose(sentence()).status_code == 201
    assert encrypted.alice.propose(sentence(), key="salary_now").json()["reason"] == "do_not_remember"
    assert [alice.client.get(path).status_code for path in ("/settings/memory/", "/memories/")] == [200, 200]


def test_a_conversation_is_looked_through_beside_encrypted_memories(encrypted: Company) -> None:  # noqa: F811
    encrypted.alice.store(sentence())
    found = hand_over(encrypted.alice.in_run("run_7"), said(wish()), conversation="thread_9")
    assert (found["state"], len(found["items"])) == ("done", 1)


# --- conversations


def test_no_conversation_is_kept_while_memory_is_off(acme: Company) -> None:
    with acme.entered():
        actions.switch_memory(acme.principal("alice"), on=False)
    body = {"conversation": "talk", "messages": [said(wish())]}
    answer = acme.alice.post("/extractions", body)
    assert (answer.status_code, answer.json()["code"]) == (409, "memory_off")
    with acme.entered():
        assert not Extraction.objects.exists()
        actions.switch_memory(acme.principal("alice"), on=True)
    assert acme.alice.post("/extractions", body).json()["state"] == "done"


# --- reviews


def test_the_dossier_is_for_reviewers_of_the_place_by_every_door(acme: Company) -> None:
    """Also not for a reviewer elsewhere who once proposed it."""
    paul = join(acme, "paul")
    given = {"key": "deploys", "namespace": TEAM, "kind": "lesson", "valid_until": in_months()}
    proposed = paul.post("/proposals", {"statement": "Deploy on Monday.", **given}).json()["candidate_id"]
    assert acme.person("rita").get(f"/candidates/{proposed}/dossier").status_code == 200
    with acme.entered():
        GroupMember.objects.filter(membership__external_id="paul", group__slug=TEAM["id"]).delete()
    assert paul.get(f"/candidates/{proposed}/dossier").status_code == 403
    assert paul.client.get(f"/reviews/{proposed}/").status_code == 403


def test_a_claim_takes_no_answer_back(acme: Company) -> None:
    """What was answered before somebody else claimed it takes effect."""
    rita, paul = acme.person("rita"), join(acme, "paul")
    held = lesson(acme.alice)
    assert rita.decide(held, "approve", undoable=True).status_code == 202
    assert paul.post(f"/candidates/{held['candidate_id']}/claim").status_code == 409
    pass_time(acme)
    rita.candidate(held["candidate_id"])
    assert state(acme, held) == ("approved", "done")


def test_a_verdict_that_cannot_take_effect_now_lets_the_worker_rest(
    acme: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise Unavailable

    held = lesson(acme.alice)
    acme.person("rita").decide(held, "approve", undoable=True)
    pass_time(acme)
    with monkeypatch.context() as patch, acme.entered():
        patch.setattr(delays, "VERBS", {"approve": away})
        delays.commit_due(system(acme.tenant.pk), now())
        assert not sweeping._work_waits()
    with acme.entered():
        delays.commit_due(system(acme.tenant.pk), now())
    assert state(acme, held) == ("approved", "done")


def test_several_entries_of_the_playbook_are_announced_too(acme: Company) -> None:
    shared = acme.alice.share(TEAM)
    with acme.entered():
        Webhook.objects.create(url="https://example.com/", events=["entry.suspended", "entry.resumed"], salt="0" * 64)
        row = Memory.objects.get(pk=shared["memory_id"])
        for action in ("pause", "resume"):
            actions.change_several(acme.principal("rita"), action, {row.pk: row.version})
        assert list(Delivery.objects.order_by("pk").values_list("event", flat=True)) == [
            "entry.suspended",
            "entry.resumed",
        ]


# --- mail and invitations


def test_one_bad_mailbox_keeps_no_mail_from_others(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    for caller in (acme.alice, acme.by("runtime", "paul")):
        caller.hold()
    tried: list[str] = []

    def send(_subject: str, _text: str, _sender: Any, to: list[str]) -> None:
        tried.append(to[0])
        if len(tried) == 1:
            raise smtplib.SMTPRecipientsRefused({to[0]: (550, b"no such user")})

    monkeypatch.setattr(mailing, "send_mail", send)
    with acme.entered():
        notices.gather(system(acme.tenant.pk), now())
        assert mailing.mail_due(system(acme.tenant.pk), now()) == 1
    assert len(set(tried)) == 2


def accept(company: Company, invitation: Any, user: User) -> Membership:
    with company.entered():
        token = invitations.link_of(invitation).rstrip("/").rsplit("/", 1)[1]
    return invitations.accept(user, token, "request")


def test_an_invitation_is_worth_what_its_sender_may_do(acme: Company) -> None:
    with acme.entered():
        invited = [invitations.invite(acme.principal("adam"), f"new{n}@x.example", "admin") for n in range(2)]
    users = [User.objects.create_user(f"new{n}@x.example", "a password of the tests") for n in range(2)]
    assert accept(acme, invited[0], users[0]).roles == ["admin"]
    with acme.entered():
        Membership.objects.filter(external_id="adam").update(roles=["member"])
    with pytest.raises(NotVisible):
        accept(acme, invited[1], users[1])


def test_who_comes_back_after_a_forgetting_has_a_name_again(acme: Company, beta: Company) -> None:
    """Someone with another organisation, who therefore still can sign in."""
    user = acme.member("alice").user
    with beta.entered():
        Membership.objects.get_or_create(user=user, defaults={"external_id": "alice2", "roles": ["member"]})
    forget(acme.person("adam"), person="alice")
    with acme.entered():
        invited = invitations.invite(acme.principal("adam"), user.email, "member")
    person = accept(acme, invited, user)
    assert person.is_active
    assert "forgotten" not in person.external_id


# --- days at the edge of time


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01"])
def test_no_day_breaks_a_page(acme: Company, day: str) -> None:
    rita, alice = join(acme, "rita"), acme.person("alice")
    join(acme, "rita", "auditor")
    for path in ("/memories/", "/activity/", "/audit/"):
        for name in ("since", "until"):
            assert rita.client.get(path, {name: day}).status_code in (200, 403), path
    memory = acme.alice.store()
    seen = f"{memory['memory_id']}:{memory['version']}"
    held = acme.alice.hold()
    for path, body in (
        ("/memories/several/", {"action": "renew", "seen": seen, "valid_until": day}),
        (f"/candidates/{held['candidate_id']}/approve/", {"content_hash": held["content_hash"], "valid_until": day}),
        (f"/memories/{memory['memory_id']}/correct/", {"statement": "x y", "valid_until": day, "expected_version": 1}),
        ("/developers/recall/", {"query": "x", "mode": "generous", "as_of": day}),
    ):
        assert alice.client.post(path, body).status_code in (200, 302, 400, 409), path
