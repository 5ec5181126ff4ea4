"""One request, one effect: repeats answer from what the first one left behind, and keep no text to do so."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from cast import Caller, Company, new_key, sentence, word
from django.utils import timezone

from accounts.models import AuditEvent, Delegation, IdempotencyKey
from memories.models import Candidate, Evidence, Feedback, Memory, Operation


def twice(caller: Caller, path: str, body: Any, key: str = "") -> tuple[Any, Any]:
    headers = {"Idempotency-Key": key or word()}
    return caller.post(path, body, headers), caller.post(path, body, headers)


def assert_repeated(first: Any, again: Any) -> None:
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize("decision", ["store", "needs_confirmation", "keep", "reject", "route_to_source"])
def test_a_repeated_proposal_answers_as_the_first(acme: Company, decision: str) -> None:
    """R-240, R-241, W10: whatever was decided; a second key is a second request."""
    alice, known = acme.alice, acme.alice.store()
    body = {
        "store": lambda: alice.proposal(),
        "needs_confirmation": lambda: alice.proposal(evidence=None),
        "keep": lambda: alice.proposal(known["statement"], known["key"]),
        "reject": lambda: alice.proposal(reusable=False),
        "route_to_source": lambda: alice.proposal(evidence="business_receipt"),
    }[decision]()
    with acme.entered():
        before = Operation.objects.count()
    first, again = twice(alice, "/proposals", body)
    assert first.json()["decision"] == decision
    assert_repeated(first, again)
    with acme.entered():
        assert Operation.objects.count() == before + 1
    assert (
        alice.post("/proposals", body, {"Idempotency-Key": word()}).json()["operation_id"]
        != first.json()["operation_id"]
    )


@pytest.mark.in_clear
def test_every_post_that_makes_something_can_be_repeated(acme: Company) -> None:
    alice = acme.by("relay")
    held, answer = alice.hold(), {"evidence_id": alice.evidence()}
    bodies = {
        "/evidence": {"type": "user_message", "ref": "m1", "occurred_at": timezone.now().isoformat()},
        "/delegations": {"subject": "alice", "scopes": ["memory:recall"]},
        "/proposals/batch": {"items": [alice.proposal(), {"kind": "preference"}, alice.proposal(evidence=None)]},
        f"/candidates/{held['candidate_id']}/approve": {"content_hash": held["content_hash"], **answer},
    }
    for path, body in bodies.items():
        first, again = twice(alice, path, body)
        assert first.status_code in (200, 201), path
        assert again.json() == first.json(), path
        assert again.headers["Idempotency-Replayed"] == "true"
    with acme.entered():
        assert Delegation.objects.count() == 1
        assert Evidence.objects.filter(ref="m1").count() == 1
        assert Memory.objects.count() == 2
        assert Candidate.objects.count() == 2


def test_another_body_under_the_same_key_is_refused(acme: Company) -> None:
    """R-242."""
    key, alice = word(), acme.alice
    body = alice.proposal()
    assert alice.post("/proposals", body, {"Idempotency-Key": key}).status_code == 201
    reordered = dict(reversed(body.items()))
    assert alice.post("/proposals", reordered, {"Idempotency-Key": key}).headers["Idempotency-Replayed"] == "true"
    refused = alice.post("/proposals", body | {"statement": sentence()}, {"Idempotency-Key": key})
    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_key_reused")
    with acme.entered():
        assert Memory.objects.count() == 1


def test_a_key_belongs_to_its_agent_person_and_address(acme: Company, beta: Company) -> None:
    """T22: someone else's same key is a new request, and tells nothing of the first."""
    key, body = {"Idempotency-Key": word()}, acme.alice.proposal(evidence=None)
    assert acme.alice.post("/proposals", body, key).status_code == 202
    for caller in (acme.paul, acme.by("runtime", agent="solo"), beta.by("runtime", "alice"), acme.person("alice")):
        answer = caller.post("/proposals", body, key)
        assert answer.status_code == (202 if caller.token else 201)  # what a person asks by themselves is their word
        assert "Idempotency-Replayed" not in answer.headers
    assert "Idempotency-Replayed" not in acme.alice.post("/evidence", {"ref": "x"}, key).headers
    rotated = acme.by("relay").post("/proposals", body, key)
    assert rotated.headers["Idempotency-Replayed"] == "true"


def test_an_error_uses_no_key_up(acme: Company) -> None:
    """The corrected request may use the same key."""
    key, alice = {"Idempotency-Key": word()}, acme.alice
    memory = alice.store()
    stale = alice.proposal(key=memory["key"], expected_version=9)
    assert alice.post("/proposals", stale, key).status_code == 409
    assert alice.post("/proposals", stale | {"expected_version": 1}, key).status_code == 201
    with acme.entered():
        assert IdempotencyKey.objects.count() == 1


def test_a_key_is_forgotten_after_its_time(acme: Company) -> None:
    key, body = {"Idempotency-Key": word()}, acme.alice.proposal()
    first = acme.alice.post("/proposals", body, key).json()
    with acme.entered():
        IdempotencyKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    again = acme.alice.post("/proposals", body, key)
    assert (again.json()["decision"], "Idempotency-Replayed" in again.headers) == ("keep", False)
    assert again.json()["operation_id"] != first["operation_id"]


@pytest.mark.parametrize("key", ["", " " * 0, "k" * 256])
def test_a_key_has_between_1_and_255_characters(acme: Company, key: str) -> None:
    assert acme.alice.post("/proposals", acme.alice.proposal(), {"Idempotency-Key": "k" * 255}).status_code == 201
    assert acme.alice.post("/proposals", acme.alice.proposal(), {"Idempotency-Key": key}).status_code == 400


def test_rows_of_requests_hold_digests_and_ids_only(acme: Company) -> None:
    """R-153: neither the key, nor the body, nor the answer is kept in words."""
    mark, key = word(7), word(7)
    twice(acme.alice, "/proposals", acme.alice.proposal(sentence(mark), new_key(mark)), key)
    with acme.entered():
        (row,) = IdempotencyKey.objects.all()
        assert mark not in json.dumps([row.references, row.fingerprint, row.digest])
        assert key not in json.dumps([row.references, row.fingerprint, row.digest])
        assert set(row.references) == {"operation"}


def test_a_repeat_after_forgetting_tells_no_text(acme: Company) -> None:
    """R-153, T22: the answer is made anew from ids, so what is gone is not in it, and it is not stored again."""
    key, body = {"Idempotency-Key": word()}, acme.alice.proposal()
    first = acme.alice.post("/proposals", body, key).json()
    acme.alice.forget(first["memory"])
    again = acme.alice.post("/proposals", body, key).json()
    assert again["operation_id"] == first["operation_id"]
    assert (again["memory"]["status"], again["memory"]["statement"], again["searchable"]) == ("deleted", None, False)
    with acme.entered():
        assert Memory.objects.kept().count() == 0


def test_the_key_and_its_effect_stand_or_fall_together(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-238, R-269: a failure in the middle leaves neither row, so the repeat does the work."""
    from accounts import audit

    key, body = {"Idempotency-Key": word()}, acme.alice.proposal()
    with monkeypatch.context() as broken:
        broken.setattr(audit, "write", _fail)
        with pytest.raises(AssertionError, match="500"):
            acme.alice.post("/proposals", body, key)
    with acme.entered():
        assert (IdempotencyKey.objects.count(), Memory.objects.count(), Operation.objects.count()) == (0, 0, 0)
        assert AuditEvent.objects.filter(action="memory.propose").count() == 0
    assert acme.alice.post("/proposals", body, key).json()["decision"] == "store"


def _fail(*_: Any, **__: Any) -> None:
    raise RuntimeError


def test_what_became_of_a_write_can_be_asked(acme: Company) -> None:
    """R-243, R-244, R-245: by its operation, by the same agent and person only, in codes and ids."""
    written = acme.alice.propose().json()
    answer = acme.alice.get(f"/operations/{written['operation_id']}")
    assert answer.json()["decision"] == "store"
    assert answer.json()["memory_id"] == written["memory"]["memory_id"]
    assert written["memory"]["statement"] not in answer.content.decode()
    for caller in (acme.paul, acme.by("runtime", agent="solo"), acme.person("alice")):
        assert caller.get(f"/operations/{written['operation_id']}").status_code == 404


def test_repeated_feedback_counts_once(acme: Company) -> None:
    alice, key = acme.alice, {"Idempotency-Key": word()}
    memory = alice.store()
    answer = alice.recall(memory["statement"])
    path, body = f"/recalls/{answer['recall_id']}/feedback", {"memory_id": memory["memory_id"], "verdict": "used"}
    first, second = (alice.post(path, body, key) for _ in range(2))
    assert first.json() == second.json()
    assert second.headers["Idempotency-Replayed"] == "true"
    with acme.entered():
        assert Feedback.objects.count() == 1
