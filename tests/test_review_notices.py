"""Reviewers learn in the pages and by mail what waits for them; only who could decide it, and no word of it by mail."""

from __future__ import annotations

from datetime import timedelta

import pytest
from cast import Caller, Company
from django.core import mail
from django.utils import timezone
from test_notices import bell, sweep
from test_pages import page
from test_reviews import lesson, paul, rita

from accounts.models import GroupMember, Membership
from reviews.models import Notice

__all__ = ["paul", "rita"]  # who reviews the team


@pytest.fixture
def alice(acme: Company) -> Caller:
    """A third reviewer of the team, for whom an agent proposes."""
    with acme.entered():
        Membership.objects.filter(external_id="alice").update(roles=["reviewer"])
    return acme.person("alice")


def told(acme: Company, kind: str = "review") -> list[str]:
    with acme.entered():
        return sorted(Notice.objects.filter(kind=kind).values_list("membership__external_id", flat=True))


def test_a_proposal_is_told_to_who_may_decide_it_until_it_is_decided(
    acme: Company, rita: Caller, paul: Caller, alice: Caller
) -> None:
    """R-100: every reviewer of the place except whose agent proposed it; others learn nothing, mails hold no text."""
    held = lesson(acme.alice)
    sweep()
    assert sweep() == {}
    assert told(acme) == ["paul", "rita"]
    for reader, sees in ((rita, True), (paul, True), (alice, False), (acme.person("adam"), False)):
        html = page(reader.client, "/notices/")
        assert (held["statement"] in html, f"/reviews/{held['candidate_id']}/" in html) == (sees, sees)
    letters = {letter.to[0]: letter.body for letter in mail.outbox}
    assert set(letters) == {"paul@acme.example", "rita@acme.example"}
    assert "1 proposal waits for your review" in letters["rita@acme.example"]
    assert "/reviews/" in letters["rita@acme.example"]
    assert not any(held[part] in str(letters) for part in ("statement", "key"))
    assert rita.decide(held, "reject", reason="unclear").status_code == 200
    assert (bell(rita.client), bell(paul.client)) == (0, 0), "at once, without another sweep"
    assert sweep()["notices_dropped"] == 2


def test_who_reviews_the_place_no_longer_is_told_no_longer(acme: Company, rita: Caller, paul: Caller) -> None:
    lesson(acme.alice)
    sweep()
    assert (bell(rita.client), bell(paul.client)) == (1, 1)
    with acme.entered():
        GroupMember.objects.filter(membership__external_id="paul").delete()
        Membership.objects.filter(external_id="rita").update(roles=["member"])
    assert (bell(rita.client), bell(paul.client)) == (0, 0)


def test_a_second_reviewer_is_told_and_not_of_the_first_ones_verdict(acme: Company, rita: Caller, paul: Caller) -> None:
    acme.policy(confirm="inferred_only", review={"risk": {"lesson": "high"}, "two_approvers": ["high"]})
    held = lesson(acme.alice)
    sweep()
    before = page(paul.client, "/notices/")
    assert rita.decide(held, "approve").json()["candidate"]["status"] == "pending"
    sweep()
    assert (told(acme), bell(rita.client), bell(paul.client)) == (["paul"], 0, 1)
    assert held["statement"] in before
    assert held["statement"] in page(paul.client, "/notices/")


def test_what_lapses_soon_is_told_to_who_wants_to_know(acme: Company, rita: Caller, paul: Caller) -> None:
    lesson(acme.alice)
    end = timezone.now() + timedelta(days=30)
    sweep(end - timedelta(days=4))
    assert told(acme, "lapsing") == []
    paul.client.post("/settings/notices/", {"review": ["app", "mail"], "lapsing": ["app"]})
    mail.outbox.clear()
    sweep(end - timedelta(days=2))
    assert told(acme, "lapsing") == ["paul", "rita"]
    (letter,) = mail.outbox
    assert (letter.to, "1 proposal lapses within three days" in letter.body) == (["rita@acme.example"], True)
