"""The undo window: an answer takes effect a moment later, once, or was taken back and never happened."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from cast import Caller, Company, now
from django.utils import timezone
from verdicts import events, lesson, pass_time, state

from accounts.models import Membership
from accounts.principals import system
from memories.models import Candidate, Memory
from memoryhub import sweeping
from reviews import delays, tasks
from reviews.models import DelayedVerdict, Review


@pytest.fixture
def rita(acme: Company) -> Caller:
    return acme.person("rita")


@pytest.mark.parametrize("look", ["read", "list", "page", "queue", "sweep", "task"])
def test_an_answer_takes_effect_when_its_moment_has_come(acme: Company, rita: Caller, look: str) -> None:
    """R-129: once, by the sweep, by a worker, or by whoever looks at it afterwards."""
    held = lesson(acme.alice)
    answer = rita.decide(held, "approve", undoable=True)
    assert answer.status_code == 202
    assert (answer.json()["delayed"]["state"], answer.json()["candidate"]["status"]) == ("waiting", "pending")
    looks = {
        "read": lambda: rita.candidate(held["candidate_id"]),
        "list": lambda: rita.get("/candidates"),
        "page": lambda: rita.client.get(f"/reviews/{held['candidate_id']}/"),
        "queue": lambda: rita.client.get("/reviews/"),
        "sweep": lambda: sweeping.sweep(timezone.now(), slug="acme", steps=("reviews.tasks.commit_verdicts",)),
        "task": lambda: work(acme),
    }
    looks[look]()
    assert state(acme, held) == ("pending", "waiting")
    assert acme.alice.recalled("importer log", kinds=["lesson"]) == []
    pass_time(acme)
    looks[look]()
    looks[look]()
    assert state(acme, held) == ("approved", "done")
    with acme.entered():
        memory, review = Memory.objects.get(), Review.objects.get()
        assert memory.evidence_class == "verified_reviewer"
        assert memory.approved_by == review.reviewer_id == Membership.objects.get(external_id="rita").pk
    assert acme.alice.recalled("importer log", kinds=["lesson"]) == [str(memory.pk)]
    assert events(acme, held) == ["candidate.decide", "candidate.approve"]


def work(company: Company) -> None:
    with company.entered():
        tasks.commit_verdict.run(str(DelayedVerdict.objects.get().pk))


@pytest.mark.parametrize("verdict", ["approve", "reject", "request_changes"])
def test_what_was_taken_back_never_happened(acme: Company, rita: Caller, verdict: str) -> None:
    """R-265: both steps stand in the audit; nothing in recall, nothing lost, and it can be decided again."""
    held = lesson(acme.alice)
    assert rita.decide(held, verdict, undoable=True).status_code == 202
    assert rita.get("/candidates").json()["items"] == []
    undone = rita.post(f"/candidates/{held['candidate_id']}/undo")
    assert (undone.status_code, undone.json()["delayed"]["state"]) == (200, "undone")
    pass_time(acme)
    with acme.entered():
        delays.commit_due(system(acme.tenant.pk), now(hours=1))
        assert Memory.objects.count() == Review.objects.count() == 0
    assert rita.candidate(held["candidate_id"]) == held
    assert [item["candidate_id"] for item in rita.get("/candidates").json()["items"]] == [held["candidate_id"]]
    assert events(acme, held) == ["candidate.decide", "candidate.undo"]
    assert rita.decide(held, verdict).status_code == 200


def test_too_late_is_too_late(acme: Company, rita: Caller) -> None:
    """Also before anybody has let it take effect; the same request a moment earlier is the test above."""
    held = lesson(acme.alice)
    rita.decide(held, "approve", undoable=True)
    pass_time(acme)
    assert rita.post(f"/candidates/{held['candidate_id']}/undo").json()["code"] == "too_late"
    rita.candidate(held["candidate_id"])
    assert rita.post(f"/candidates/{held['candidate_id']}/undo").json()["code"] == "too_late"
    assert state(acme, held) == ("approved", "done")


def test_only_the_one_who_decided_can_take_it_back(acme: Company, beta: Company, rita: Caller) -> None:
    held = lesson(acme.alice)
    rita.decide(held, "approve", undoable=True)
    others = [(acme.person("alice"), 409), (acme.by("relay", "rita"), 403), (acme.person("paul"), 404)]
    for other, status in [*others, (beta.person("rita"), 404)]:
        assert other.post(f"/candidates/{held['candidate_id']}/undo").status_code == status
    assert rita.post(f"/candidates/{held['candidate_id']}/undo").status_code == 200


def test_meanwhile_nobody_else_decides_it(acme: Company, rita: Caller) -> None:
    """R-103: nor does it lapse: it was answered in time."""
    held = lesson(acme.alice)
    rita.decide(held, "approve", undoable=True)
    for caller, answer in ((rita, "approve"), (rita, "reject"), (acme.person("alice"), "withdraw")):
        response = caller.decide(held, answer)
        assert (response.status_code, response.json()["code"]) == (409, "already_decided")
    with acme.entered():
        Candidate.objects.update(lapses_at=timezone.now())
        tasks.lapse_candidates(system(acme.tenant.pk), now(seconds=1))
    pass_time(acme, timedelta(seconds=40))
    rita.candidate(held["candidate_id"])
    assert state(acme, held) == ("approved", "done")


@pytest.mark.parametrize("change", ["content", "role", "gone"])
def test_what_does_not_allow_it_any_more_refuses_and_says_so(acme: Company, rita: Caller, change: str) -> None:
    """R-213: other content, a reviewer who is none any more, a candidate that is gone."""
    held = lesson(acme.alice)
    rita.decide(held, "approve", undoable=True)
    with acme.entered():
        candidate = Candidate.objects.get()
        if change == "content":
            Candidate.objects.update(content_hash="0" * 64)
        elif change == "role":
            Membership.objects.filter(external_id="rita").update(roles=["member"])
        else:
            Candidate.objects.update(status="withdrawn")
    pass_time(acme)
    with acme.entered():
        delays.commit_due(system(acme.tenant.pk), timezone.now())
        row = DelayedVerdict.objects.get()
        candidate.refresh_from_db()
        assert Memory.objects.count() == 0
        code = {"content": "content_changed", "role": "not_found", "gone": "already_decided"}[change]
        assert (row.error, row.state) == (code, "refused")
        assert candidate.status == ("withdrawn" if change == "gone" else "pending")
    assert events(acme, held) == ["candidate.decide", "candidate.commit"]


def test_agents_answers_take_effect_at_once(acme: Company, rita: Caller) -> None:
    """A relayed answer cannot be taken back; asked for that, it is refused, and without it nothing changes."""
    relay = acme.by("relay")
    held = relay.hold()
    refused = relay.decide(held, "approve", evidence_id=relay.evidence(), undoable=True)
    assert (refused.status_code, refused.json()["code"]) == (403, "not_undoable")
    assert relay.decide(held, "approve", evidence_id=relay.evidence()).json()["decision"] == "store"


def test_a_host_may_want_no_window(acme: Company, rita: Caller, settings: Any) -> None:
    settings.MEMORYHUB_REVIEW_UNDO_SECONDS = 0
    answer = rita.decide(lesson(acme.alice), "approve", undoable=True)
    assert (answer.status_code, answer.json()["decision"]) == (200, "store")


def test_a_page_offers_to_take_it_back(acme: Company, rita: Caller) -> None:
    held = lesson(acme.alice)
    path = f"/candidates/{held['candidate_id']}"
    rita.client.post(f"/reviews/{held['candidate_id']}/approve/", {"content_hash": held["content_hash"]})
    queue = rita.client.get("/reviews/").content.decode()
    assert f'action="{path}/undo/"' in queue
    assert rita.client.post(f"{path}/undo/", follow=True).status_code == 200
    assert state(acme, held) == ("pending", "undone")
    assert f'action="{path}/undo/"' not in rita.client.get("/reviews/").content.decode()
