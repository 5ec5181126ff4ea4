"""What waits for a person: who sees it, who may answer, what an answer binds to, and what it leaves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from cast import PROJECT, TEAM, Caller, Company, in_months, new_key, now, sentence, text_of, word
from django.utils import timezone

from accounts.models import AuditEvent, Membership
from accounts.principals import system
from memories.models import Candidate, Evidence, Memory
from reviews import decisions
from reviews.models import Review

LESSON = "Check the receipt before closing a case."


def lesson(caller: Caller, namespace: Any = TEAM, **fields: Any) -> dict[str, Any]:
    """A lesson that a person told and a reviewer must see: the candidate."""
    given = {"kind": "lesson", "namespace": namespace, "valid_until": in_months()} | fields
    answer = caller.propose(LESSON, **given).json()
    assert answer["decision"] == "needs_review", answer
    return caller.candidate(answer["candidate_id"])


def waiting(caller: Caller, awaiting: str | None = None) -> list[str]:
    response = caller.get("/candidates", **({"awaiting": awaiting} if awaiting else {}))
    return [item["candidate_id"] for item in response.json()["items"]]


# --- what is shown ----------------------------------------------------------------------------------------------------


def test_a_person_is_shown_exactly_what_would_be_kept(acme: Company) -> None:
    """R-084, R-098, R-213: every field of the content, who asks, what it would replace, until when it waits."""
    memory = acme.alice.store()
    text = sentence()
    content = {"value": {"a": [1]}, "conditions": "In reports.", "aliases": ["order"]}
    held = acme.alice.propose(text, memory["key"], None, valid_until="2099-12-31T00:00:00Z", **content).json()
    seen = acme.person("alice").candidate(held["candidate_id"])
    assert {name: seen[name] for name in content} == content
    assert (seen["statement"], seen["key"], seen["kind"]) == (text, memory["key"], "preference")
    assert (seen["valid_until"], seen["replaces_version"]) == ("2099-12-31T00:00:00Z", 1)
    assert (seen["status"], seen["awaiting"]) == ("pending", "owner")
    saved = acme.person("alice").decide(seen, "approve").json()["memory"]
    for name in ("statement", "value", "conditions", "aliases", "valid_until", "key", "kind", "namespace"):
        assert saved[name] == seen[name], name


def test_the_queues_show_each_what_is_theirs_to_decide(acme: Company, beta: Company) -> None:
    """Owners see what is about them, reviewers what is for reviewers of their groups; nobody else anything."""
    mine, shared = acme.alice.hold(), lesson(acme.alice)
    assert waiting(acme.alice, "owner") == [mine["candidate_id"]]
    assert waiting(acme.person("alice"), "owner") == [mine["candidate_id"]]
    assert set(waiting(acme.alice)) == {mine["candidate_id"], shared["candidate_id"]}
    assert waiting(acme.person("rita"), "reviewer") == [shared["candidate_id"]]
    assert waiting(acme.person("rita"), "owner") == []
    for stranger in (acme.paul, acme.person("paul"), beta.bob, beta.by("runtime", "rita"), acme.person("adam")):
        assert waiting(stranger) == []


def test_what_is_decided_waits_no_more(acme: Company) -> None:
    held = acme.alice.hold()
    acme.person("alice").decide(held, "reject")
    assert waiting(acme.alice) == []
    assert acme.alice.candidate(held["candidate_id"])["status"] == "rejected"


# --- what an answer does ----------------------------------------------------------------------------------------------


def test_a_confirmation_makes_it_the_persons_own_word(acme: Company) -> None:
    """R-097, R-243: stored as explicit, with the confirmation as its source, by the person's own session."""
    held = acme.alice.hold()
    answer = acme.person("alice").decide(held, "approve").json()
    assert (answer["decision"], answer["memory"]["evidence_class"]) == ("store", "explicit_user")
    with acme.entered():
        memory, candidate = Memory.objects.get(), Candidate.objects.get()
        person = Membership.objects.get(external_id="alice")
        assert memory.evidence.type == Evidence.Type.WEB_FORM
        assert (memory.approved_by, candidate.memory_id, candidate.status) == (person.pk, memory.pk, "approved")
        review = Review.objects.get()
        assert (review.reviewer_id, review.verdict, review.content_hash) == (person.pk, "approve", held["content_hash"])
        assert AuditEvent.objects.filter(action="candidate.approve", target_id=candidate.pk).count() == 1
    assert acme.alice.recalled("summary") == [answer["memory"]["memory_id"]]


@pytest.mark.parametrize("action", ["reject", "withdraw"])
def test_a_no_takes_the_content_away(acme: Company, action: str) -> None:
    """R-098, R-254: with every field; the record that something was asked and refused stays."""
    held = acme.alice.hold(value={"a": 1}, conditions="In reports.", aliases=["order"])
    answer = acme.person("alice").decide(held, action)
    assert answer.json()["candidate"]["statement"] is None
    with acme.entered():
        row = Candidate.objects.get()
        assert (row.key, row.statement, row.value, row.conditions, row.aliases) == (None, None, None, None, [])
        assert (row.said, row.provenance, row.path) == ({}, {}, [])
        assert row.decided_at is not None
        assert Memory.objects.count() == 0
    assert held["statement"] not in text_of(answer)


def test_asking_for_changes_keeps_it_visible_and_no_longer_approvable(acme: Company) -> None:
    held = lesson(acme.alice)
    rita = acme.person("rita")
    assert rita.decide(held, "request_changes", reason="too_broad").status_code == 200
    assert acme.alice.candidate(held["candidate_id"])["statement"] == LESSON
    assert rita.decide(held, "approve").status_code == 409
    with acme.entered():
        assert Review.objects.get().reason == "too_broad"


@pytest.mark.parametrize("reason", ["it is wrong, see message 7", "orange", "NOT_TRUE", "not true", "x" * 500])
def test_a_reason_in_ones_own_words_is_not_kept(acme: Company, reason: str) -> None:
    """R-266: only the codes of a closed list are."""
    acme.person("alice").decide(acme.alice.hold(), "reject", reason="not_true")
    assert acme.person("alice").decide(acme.alice.hold(), "reject", reason=reason).status_code == 200
    with acme.entered():
        assert set(Review.objects.values_list("reason", flat=True)) == {"not_true", ""}
        assert not AuditEvent.objects.filter(reason=reason).exists()


@pytest.mark.parametrize("again", ["approve", "reject", "request_changes", "withdraw"])
def test_what_was_decided_is_decided(acme: Company, again: str) -> None:
    held = acme.alice.hold()
    alice = acme.person("alice")
    assert alice.decide(held, "approve").status_code == 200
    late = alice.decide(held, again)
    assert (late.status_code, late.json()["code"]) == (409, "already_decided")
    with acme.entered():
        assert Memory.objects.count() == 1


# --- what it binds to -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content_hash", ["0" * 64, "", "x", None])
def test_an_answer_binds_to_the_content_shown(acme: Company, content_hash: str | None) -> None:
    """R-213, T19: another hash, none, or a made-up one stores nothing."""
    held = acme.alice.hold()
    alice = acme.person("alice")
    body = {} if content_hash is None else {"content_hash": content_hash}
    refused = alice.post(f"/candidates/{held['candidate_id']}/approve", body)
    assert refused.status_code in (400, 412)
    with acme.entered():
        assert Memory.objects.count() == 0
    assert alice.decide(held, "approve").status_code == 200


def test_the_hash_covers_everything_that_is_shown(acme: Company) -> None:
    """Each part of the content changes it; the same content has the same one."""
    key, text = new_key(), sentence()
    base = acme.alice.hold(text, key)["content_hash"]
    assert acme.alice.hold(text, key)["content_hash"] == base
    changes: list[dict[str, Any]] = [
        {"value": 1}, {"conditions": "In reports."}, {"aliases": ["order"]}, {"valid_until": "2099-01-01"},
        {"namespace": {"type": "user", "path": ["work"]}},
    ]  # fmt: skip
    hashes = {acme.alice.hold(text, key, **change)["content_hash"] for change in changes}
    hashes |= {acme.alice.hold(sentence(), key)["content_hash"], acme.alice.hold(text, new_key())["content_hash"]}
    assert len(hashes | {base}) == len(changes) + 3


def test_the_hash_is_no_digest_that_others_can_make(acme: Company) -> None:
    """R-142: it is keyed, so a guessed sentence cannot be confirmed by it."""
    import hashlib

    text = sentence()
    held = acme.alice.hold(text)
    for name in ("sha256", "blake2b"):
        assert hashlib.new(name, text.encode()).hexdigest()[:64] != held["content_hash"]


# --- who may answer ---------------------------------------------------------------------------------------------------


def test_nobody_reviews_what_was_proposed_for_them(acme: Company) -> None:
    """R-100, T8: Rita's own proposal waits for another reviewer, whoever carries the answer."""
    held = lesson(acme.rita)
    for caller, more in (
        (acme.person("rita"), {}),
        (acme.by("relay", "rita"), {"evidence_id": acme.rita.evidence()}),
    ):
        refused = caller.decide(held, "approve", **more)
        assert (refused.status_code, refused.json()["code"]) == (403, "own_proposal")
    with acme.entered():
        Membership.objects.filter(external_id="alice").update(roles=["reviewer"])
    assert acme.person("alice").decide(held, "approve").json()["decision"] == "store"


def test_only_the_person_it_is_about_confirms_a_guess(acme: Company) -> None:
    """R-097: not a reviewer, not an admin."""
    held = acme.alice.hold()
    for name in ("rita", "adam", "paul"):
        assert acme.person(name).decide(held, "approve").status_code == 404
    assert acme.person("alice").decide(held, "approve").status_code == 200


@pytest.mark.parametrize("action", ["approve", "reject", "request_changes"])
def test_an_agent_answers_only_by_relaying_the_persons_own_message(acme: Company, action: str) -> None:
    """R-097, R-211, R-212, T19: its scope, and a message of that person; nothing the agent or a tool said."""
    held = acme.alice.hold()
    relay = acme.by("relay")
    for caller, more, status in (
        (acme.alice, {"evidence_id": acme.alice.evidence()}, 403),
        (relay, {}, 400),
        (relay, {"evidence_id": acme.alice.evidence("tool_output")}, 400),
        (relay, {"evidence_id": acme.alice.evidence("review")}, 400),
        (relay, {"evidence_id": acme.alice.evidence("summary")}, 400),
        (relay, {"evidence_id": acme.paul.evidence()}, 400),
        (relay, {"evidence_id": "nonsense"}, 400),
    ):
        assert caller.decide(held, action, **more).status_code == status, more
    with acme.entered():
        assert Candidate.objects.get().status == "pending"
    assert relay.decide(held, action, evidence_id=acme.alice.evidence()).status_code == 200


def test_a_relayed_yes_is_stored_with_the_message_as_its_source(acme: Company) -> None:
    message = acme.alice.evidence(ref="message_confirmation_12")
    answer = acme.by("relay").decide(acme.alice.hold(), "approve", evidence_id=message).json()
    assert answer["memory"]["provenance"]["ref"] == "message_confirmation_12"
    with acme.entered():
        assert str(Memory.objects.get().evidence_id) == message


def test_confirmed_in_the_arguments_is_no_confirmation(acme: Company) -> None:
    """R-212: no field of a proposal stands in for a person."""
    for name in ("confirmed", "approved", "approval", "status", "evidence_class"):
        assert acme.alice.propose(evidence=None, **{name: True}).status_code == 400


def test_a_reviewer_may_shorten_the_life_of_what_they_approve(acme: Company) -> None:
    held = lesson(acme.alice)
    end = now(days=30).replace(microsecond=0)
    saved = acme.person("rita").decide(held, "approve", valid_until=end.isoformat()).json()["memory"]
    assert saved["valid_until"] == end.isoformat().replace("+00:00", "Z")
    assert saved["evidence_class"] == "verified_reviewer"


# --- the gate is asked again ------------------------------------------------------------------------------------------


def test_an_approval_passes_todays_gate(acme: Company) -> None:
    """R-090, R-253: what policy no longer admits is refused, and its content goes."""
    held = lesson(acme.alice)
    acme.policy(inference="reject")
    with acme.entered():
        Candidate.objects.update(valid_until=timezone.now())
    answer = acme.person("rita").decide(held, "approve").json()
    assert (answer["decision"], answer["reason"]) == ("reject", "already_expired")
    with acme.entered():
        row = Candidate.objects.get()
        assert (row.status, row.statement, Memory.objects.count()) == ("rejected", None, 0)


def test_an_approval_after_a_newer_word_supersedes_it_visibly(acme: Company) -> None:
    key = new_key()
    held = acme.alice.hold(key=key)
    newer = acme.alice.store(key=key)
    answer = acme.person("alice").decide(held, "approve").json()
    assert (answer["decision"], answer["superseded_ids"]) == ("supersede", [newer["memory_id"]])


# --- how long it waits ------------------------------------------------------------------------------------------------


def test_what_waits_too_long_lapses_with_its_content(acme: Company) -> None:
    """R-103: once, however often it is looked at, and never what is not due."""
    due, fresh = acme.alice.hold(), acme.alice.hold()
    with acme.entered():
        Candidate.objects.filter(pk=due["candidate_id"]).update(lapses_at=timezone.now())
        late = acme.person("alice").decide(due, "approve")
        assert (late.status_code, late.json()["code"]) == (409, "lapsed")
        assert waiting(acme.alice) == [fresh["candidate_id"]]
        assert [decisions.lapse(system(acme.tenant.pk), timezone.now()) for _ in range(2)] == [1, 0]
        row = Candidate.objects.get(pk=due["candidate_id"])
        assert (row.status, row.statement, row.key) == ("lapsed", None, None)
        assert Candidate.objects.get(pk=fresh["candidate_id"]).statement
        assert AuditEvent.objects.filter(action="candidate.lapse").get().actor == "system"


def test_it_lapses_at_the_moment_and_not_before(acme: Company) -> None:
    acme.alice.hold()
    with acme.entered():
        end = Candidate.objects.get().lapses_at
        assert decisions.lapse(system(acme.tenant.pk), end - timedelta(microseconds=1)) == 0
        assert decisions.lapse(system(acme.tenant.pk), end) == 1


# --- shared places ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("namespace", [TEAM, PROJECT], ids=lambda namespace: namespace["type"])
def test_findings_are_published_by_review(acme: Company, namespace: Any) -> None:
    """R-248, R-249, R-250, R-254: proposed, unseen by others, approved, then read by all who may."""
    held = lesson(acme.alice, namespace)
    assert acme.rita.recalled("receipt") == []
    answer = acme.person("rita").decide(held, "approve").json()
    assert answer["decision"] == "store"
    for reader in (acme.alice, acme.rita):
        assert reader.recalled("receipt") == [answer["memory"]["memory_id"]]
    assert acme.paul.recalled("receipt") == []
    with acme.entered():
        memory = Memory.objects.get()
        assert (memory.evidence_class, memory.approved_by) == (
            "verified_reviewer", Membership.objects.get(external_id="rita").pk,
        )  # fmt: skip


def test_a_reviewer_of_other_groups_reviews_nothing_here(acme: Company) -> None:
    """R-251: the role alone is not enough; being in the group is asked at the moment of the answer."""
    held = lesson(acme.alice)
    with acme.entered():
        Membership.objects.get(external_id="rita").group_memberships.filter(group__slug="support").delete()
    assert acme.person("rita").decide(held, "approve").status_code == 404
    assert acme.person("adam").decide(held, "approve").status_code == 404


def test_what_waits_is_found_by_no_search(acme: Company) -> None:
    """R-096: of any kind, not even by its own words."""
    mark = word()
    acme.alice.hold(sentence(mark))
    assert acme.alice.recalled(mark) == []
    assert acme.alice.listed(q=mark) == []
    assert acme.alice.tool("memory_search", {"query": mark})["memories"] == []
    assert acme.alice.post("/context", {"query": mark}).json()["packet"]["items"] == []


def test_what_a_rejected_guess_rested_on_goes_with_it(acme: Company) -> None:
    """R-103: the original text of what a person would not have remembered is not kept either."""
    mark = word(8)
    said = acme.alice.evidence("summary", text=f"Probably likes {mark}.")
    guess = acme.alice.hold(evidence=said)
    acme.person("alice").decide(guess, "reject")
    with acme.entered():
        assert Evidence.objects.get(pk=said).text is None
