"""What a reviewer gives back: its proposer learns of it, reads why, answers, words it anew and sends it again."""

from __future__ import annotations

from typing import Any

import pytest
from cast import TEAM, Caller, Company, in_months, new_key, text_of, word
from test_notices import bell, sweep

from memories.models import Candidate, Comment
from memoryhub import sweeping
from reviews.models import DelayedVerdict


def body(held: Candidate, statement: str) -> dict[str, Any]:
    """The same over REST."""
    return {**words(held, statement), "conditions": None, "value": None}


@pytest.fixture
def alice(acme: Company) -> Caller:
    return acme.person("alice")


def given_back(acme: Company, comment: str, **fields: Any) -> Candidate:
    """A lesson proposed for Alice that Rita asks to change, in her page."""
    given = {"namespace": TEAM, "kind": "lesson", "valid_until": in_months(), "key": new_key()} | fields
    asked = acme.alice.propose(f"Read the {word()} log before restarting the importer.", **given).json()
    rita = acme.person("rita")
    held = rita.candidate(asked["candidate_id"])
    body = {"content_hash": held["content_hash"], "reason": "unclear", "comment": comment}
    assert rita.client.post(f"/reviews/{held['candidate_id']}/request_changes/", body).status_code == 302
    with acme.entered():
        moment = DelayedVerdict.objects.latest("commits_at").commits_at
    sweeping.sweep(moment, slug="acme", steps=("reviews.tasks.commit_verdicts",))
    with acme.entered():
        return Candidate.objects.get(pk=held["candidate_id"])


def words(held: Candidate, statement: str) -> dict[str, str]:
    return {"content_hash": held.content_hash, "statement": statement, "conditions": ""}


def test_the_proposer_reads_why_answers_and_sends_better_words(acme: Company, alice: Caller) -> None:
    """R-135: from the bell to the queue again, and from there to recall, decided by somebody else."""
    mark = word()
    held = given_back(acme, f"Which {mark} log?")
    sweep()
    assert bell(alice.client) == 1
    for path in ("/notices/", "/waiting/"):
        assert f"/candidates/{held.pk}/" in text_of(alice.client.get(path))
    address = f"/candidates/{held.pk}/"
    page = text_of(alice.client.get(address))
    assert "unclear" in page
    assert f"Which {mark} log?" in page
    assert alice.client.post(f"{address}comment/", {"comment": "The newest one."}).status_code == 302
    better = f"Read the newest {mark} log first."
    assert alice.client.post(f"{address}resubmit/", words(held, better)).status_code == 302
    assert bell(alice.client) == 0
    with acme.entered():
        again = Candidate.objects.get(pk=held.pk)
        assert (again.status, again.statement, again.decided_at) == ("pending", better, None)
        assert again.content_hash != held.content_hash
    rita = acme.person("rita")
    assert "The newest one." in text_of(rita.client.get(f"/reviews/{held.pk}/"))
    own = alice.decide(rita.candidate(str(held.pk)), "approve")
    assert (own.status_code, own.json()["code"]) == (403, "not_a_reviewer")
    assert rita.decide(rita.candidate(str(held.pk)), "approve").status_code == 200
    assert acme.alice.recalled(f"newest {mark} log", kinds=["lesson"]) != []


def test_the_same_words_a_secret_and_another_persons_hand_are_refused(
    acme: Company, beta: Company, alice: Caller
) -> None:
    held = given_back(acme, "Which log?")
    path = f"/candidates/{held.pk}/resubmit"
    secret = "sk" + "-proj-" + "a1B2" * 10
    for statement in (held.statement or "", f"Use {secret} for the importer."):
        assert alice.client.post(f"{path}/", words(held, statement)).status_code == 400
        assert alice.post(path, body(held, statement)).status_code == 400
    stale = {**body(held, "Read it."), "content_hash": "0" * 64}
    assert alice.post(path, stale).status_code == 412
    for stranger, code in ((acme.person("rita"), 403), (acme.person("paul"), 404), (beta.person("bob"), 404)):
        assert stranger.post(path, body(held, "Read it.")).status_code == code
        assert stranger.client.post(f"{path}/", words(held, "Read it.")).status_code == 404
    refused = acme.alice.post(path, body(held, "Read it."))
    assert (refused.status_code, refused.json()["code"]) == (403, "people_only")
    with acme.entered():
        assert Candidate.objects.get(pk=held.pk).status == "changes_requested"
    again = alice.post(path, body(held, "Read the newest log."))
    assert (again.status_code, again.json()["status"]) == (200, "pending")
    late = alice.post(path, body(held, "Read it."))
    assert (late.status_code, late.json()["code"]) == (409, "already_decided")


def test_what_was_given_back_is_withdrawn_and_lapses_with_all_its_words(acme: Company, alice: Caller) -> None:
    held = given_back(acme, "Which log?")
    gone = alice.client.post(f"/candidates/{held.pk}/withdraw/", {"content_hash": held.content_hash})
    assert gone.status_code == 302
    late = given_back(acme, "Which log?")
    with acme.entered():
        lapses_at = late.lapses_at
    sweeping.sweep(lapses_at, slug="acme", steps=("reviews.tasks.lapse_candidates",))
    with acme.entered():
        found = dict(Candidate.objects.values_list("pk", "status"))
        assert found == {held.pk: "withdrawn", late.pk: "lapsed"}
        assert not Candidate.objects.exclude(statement=None).exists()
        assert not Comment.objects.exclude(text=None).exists()
    assert alice.client.get(f"/candidates/{late.pk}/").status_code == 404
