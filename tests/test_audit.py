"""What was done is written down: one event a verb, reads and refusals too, in ids and codes, never to be changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from cast import ABSENT, TEAM, USER, Company, sentence, word

from accounts import audit
from accounts.models import Agent, AuditEvent, Membership
from memories.models import Memory


def events(company: Company) -> list[AuditEvent]:
    """The events since the company was provisioned, oldest first."""
    with company.entered():
        done = AuditEvent.objects.exclude(action__in=["tenant.provision", "key.create", "policy.activate"])
        return list(done.order_by("id"))


VERBS: dict[str, Callable[[Company], Any]] = {
    "evidence.attest": lambda acme: acme.alice.attest(),
    "memory.propose": lambda acme: acme.alice.propose(evidence=None),
    "memory.recall": lambda acme: acme.alice.post("/recall", {"query": "summary"}),
    "memory.list": lambda acme: acme.alice.get("/memories"),
    "delegation.mint": lambda acme: acme.alice.post("/delegations", {"subject": "alice", "scopes": ["memory:recall"]}),
    "memory.forget_plan": lambda acme: acme.alice.post("/forget", {"filter": {"namespace": USER}, "dry_run": True}),
}


@pytest.mark.parametrize("action", VERBS)
def test_every_verb_leaves_one_event(acme: Company, action: str) -> None:
    """R-265: who, for whom, what, with which result, in which request."""
    response = VERBS[action](acme)
    assert response.status_code < 300
    (event,) = events(acme)
    with acme.entered():
        agent, alice = Agent.objects.get(slug="helper"), Membership.objects.get(external_id="alice")
    assert (event.action, event.actor, event.actor_id, event.subject_id) == (action, "agent", agent.pk, alice.pk)
    assert event.request_id == response.headers["X-Request-Id"]


ON_A_MEMORY: dict[str, Callable[[Company, str, str], Any]] = {
    "memory.read": lambda acme, path, key: acme.alice.get(path),
    "memory.history": lambda acme, path, key: acme.alice.get(f"{path}/history"),
    "memory.lookup": lambda acme, path, key: acme.alice.get(
        "/memories/lookup", namespace=json.dumps(USER), kind="preference", key=key
    ),
    "memory.pause": lambda acme, path, key: acme.alice.post(f"{path}/pause"),
    "memory.resume": lambda acme, path, key: acme.alice.post(f"{path}/resume"),
    "memory.forget": lambda acme, path, key: acme.alice.call("DELETE", path),
}


@pytest.mark.parametrize("action", ON_A_MEMORY)
def test_every_verb_on_a_memory_leaves_one_event(acme: Company, action: str) -> None:
    memory = acme.alice.store()
    before = len(events(acme))
    response = ON_A_MEMORY[action](acme, f"/memories/{memory['memory_id']}", memory["key"])
    assert response.status_code == 200
    (event,) = events(acme)[before:]
    assert (event.action, event.outcome) == (action, "ok")
    if action != "memory.forget":
        assert str(event.target_id) == memory["memory_id"]


@pytest.mark.parametrize("verdict", ["approve", "reject", "request_changes", "withdraw"])
def test_every_answer_to_a_candidate_is_written_down(acme: Company, verdict: str) -> None:
    held = acme.alice.hold()
    before = len(events(acme))
    acme.person("alice").decide(held, verdict)
    made = {event.action: event for event in events(acme)[before:]}
    assert set(made) == {f"candidate.{verdict}"} | ({"memory.approve"} if verdict == "approve" else set())
    event = made[f"candidate.{verdict}"]
    assert (event.actor, str(event.target_id)) == ("person", held["candidate_id"])


@pytest.mark.parametrize("decision", ["store", "needs_confirmation", "reject", "route_to_source", "keep"])
def test_the_gates_answer_is_written_down_with_its_reason_and_policy(acme: Company, decision: str) -> None:
    """R-075, R-268: a refusal as much as a success."""
    known = acme.alice.store()
    bodies = {
        "store": lambda: acme.alice.proposal(),
        "needs_confirmation": lambda: acme.alice.proposal(evidence=None),
        "reject": lambda: acme.alice.proposal(reusable=False),
        "route_to_source": lambda: acme.alice.proposal(evidence="business_receipt"),
        "keep": lambda: acme.alice.proposal(known["statement"], known["key"]),
    }
    answer = acme.alice.post("/proposals", bodies[decision]()).json()
    event = events(acme)[-1]
    assert (event.outcome, event.reason) == (decision, answer["reason"])
    assert event.details == {"operation": answer["operation_id"], "policy_version": answer["policy_version"]}


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "status", "code"),
    [
        (lambda acme: acme.by("readonly").get("/memories"), 403, "missing_scope"),
        (lambda acme: acme.alice.get(f"/memories/{ABSENT}"), 404, "not_found"),
        (lambda acme: acme.paul.post("/recall", {"query": "x", "namespaces": [TEAM]}), 404, "unknown_namespace"),
    ],
)
def test_a_refusal_is_written_down(acme: Company, ask: Callable[[Company], Any], status: int, code: str) -> None:
    """R-265, R-280: overreach is countable; the event tells the view and the method, not what was asked for."""
    response = ask(acme)
    assert response.status_code == status
    (event,) = events(acme)
    assert (event.action, event.outcome, event.reason) == ("api.refused", "refused", code)
    assert set(event.details) == {"view", "method"}
    assert ABSENT not in json.dumps(event.details)


def test_a_stranger_leaves_no_event_and_a_wrong_input_none_either(acme: Company) -> None:
    """Nobody known did anything; what is malformed never became an act."""
    from cast import Caller

    assert Caller(None).get("/memories").status_code == 401
    assert acme.alice.post("/proposals", {"kind": 1}).status_code == 400
    assert events(acme) == []


def test_a_refusal_in_a_verb_leaves_its_event_and_no_change(acme: Company) -> None:
    memory = acme.rita.share(TEAM, "Check the receipt before closing a case.")
    before = len(events(acme))
    relay = acme.by("relay", "alice")
    assert relay.call("DELETE", f"/memories/{memory['memory_id']}").status_code == 403
    assert [event.reason for event in events(acme)[before:]] == ["not_a_maintainer"]
    with acme.entered():
        assert Memory.objects.get().status == "active"


# --- with the change or not at all ------------------------------------------------------------------------------------


def test_an_event_that_cannot_be_written_stops_the_verb(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-269: no change without its event, for each verb that changes something."""
    memory, held = acme.alice.store(), acme.alice.hold()
    path = f"/memories/{memory['memory_id']}"

    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError

    attempts: list[Callable[[], Any]] = [
        lambda: acme.alice.call("DELETE", path),
        lambda: acme.alice.post(f"{path}/pause"),
        lambda: acme.person("alice").decide(held, "approve"),
        lambda: acme.person("alice").decide(held, "reject"),
        lambda: acme.alice.attest(),
        lambda: acme.alice.post("/delegations", {"subject": "alice", "scopes": ["memory:recall"]}),
        lambda: acme.alice.post("/recall", {"query": "x"}),
    ]
    before = (acme.alice.memory(memory["memory_id"]).json(), acme.alice.candidate(held["candidate_id"]))
    with monkeypatch.context() as broken:
        broken.setattr(audit, "record", fails)
        for attempt in attempts:
            with pytest.raises(AssertionError, match="500"):
                attempt()
    assert (acme.alice.memory(memory["memory_id"]).json(), acme.alice.candidate(held["candidate_id"])) == before


# --- ids and codes only -----------------------------------------------------------------------------------------------


def test_no_event_holds_a_text(acme: Company) -> None:
    """R-142, R-266: after everything that can happen to it."""
    mark = word(7)
    memory = acme.alice.store(sentence(mark), f"key_{mark}", value=mark, conditions=mark)
    acme.alice.recall(mark)
    acme.alice.correct(memory, statement=sentence(mark))
    acme.alice.forget(memory)
    told = json.dumps([list(AuditEvent.everywhere.values())], default=str)
    assert mark not in told


def test_details_are_numbers_ids_and_codes(acme: Company) -> None:
    acme.alice.forget(acme.alice.store())
    acme.alice.hold()
    acme.alice.recall("summary")
    for event in events(acme):
        for value in event.details.values():
            assert isinstance(value, int) or (len(str(value)) <= 64 and " " not in str(value))
