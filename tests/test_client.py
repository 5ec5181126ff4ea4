"""The SDK: every call through the application, both clients alike; repeats that do nothing twice; errors that help."""

from __future__ import annotations

import dataclasses
import itertools
import json
from typing import Any

import httpx
import pytest
from cast import USER, Company, in_months, new_key, now, sentence
from client_door import HELD, Network, told

from memories.models import Evidence, Memory, Operation
from memoryhub.client import (
    Client,
    KeyReused,
    NotAllowed,
    NotFound,
    RateLimited,
    Retries,
    Stale,
    Unanswered,
    Unavailable,
)
from memoryhub.client.calls import Effect
from memoryhub.client.endpoints import Endpoints

pytestmark = pytest.mark.usefixtures("pauses")


# --- what it can do ---------------------------------------------------------------------------------------------------


def test_the_life_of_a_memory(acme: Company, connect: Any) -> None:
    """R-303, R-306, R-315: proposed, recalled, corrected under its version, paused, forgotten."""
    hub, key = connect(acme.alice), new_key()
    evidence = hub.attest(type="user_message", ref="message_7", occurred_at=now())
    made = hub.propose(**HELD, key=key, statement=sentence("first"), evidence_id=evidence.id, value={"a": 1})
    assert (made.decision, made.stored, made.waiting, made.memory.value) == ("store", True, False, {"a": 1})
    found = hub.recall("first summary", kinds=["preference"], explain=True)
    assert [item.memory_id for item in found.items] == [made.memory.memory_id]
    assert found.items[0].namespace.id == "alice"
    assert hub.memory(made.memory.memory_id).provenance.ref == "message_7"
    corrected = hub.correct(
        made.memory.memory_id, version=1, statement=sentence("second"), value=None, evidence_id=evidence.id
    )
    assert (corrected.memory.version, corrected.memory.value) == (2, None)
    current = hub.lookup(namespace=USER, kind="preference", key=key)
    assert current == corrected.memory
    assert [one.version for one in hub.history(current.memory_id)] == [2, 1]
    assert hub.pause(current.memory_id, version=2).status == "paused"
    assert hub.recall("second summary").items == ()
    assert hub.resume(current.memory_id).status == "active"
    renewed = hub.renew(current.memory_id, valid_until=in_months(), version=2, evidence_id=evidence.id)
    receipt = hub.forget(renewed.memory.memory_id)
    assert (receipt.state, hub.receipt(receipt.id).id) == ("hidden", receipt.id)
    assert hub.recall("second summary").status == "nothing_relevant"
    with acme.entered():
        assert Memory.objects.exclude(status="deleted").count() == 0


def test_context_feedback_tools_and_status(acme: Company, connect: Any) -> None:
    memory, hub = acme.alice.store(sentence("brisk")), connect(acme.alice.in_run("run_1"))
    packet = hub.context("brisk summary", preload=[memory["key"]], format="openai_responses")
    assert json.dumps(memory["statement"]) in packet.input[0]["content"][0]["text"]
    assert [item["memory_id"] for item in packet.items] == [memory["memory_id"]]
    assert hub.context("brisk summary").packet["items"][0]["memory_id"] == memory["memory_id"]
    assert hub.feedback(packet.recall_id, memory["memory_id"], "used").verdict == "used"
    assert [tool["name"] for tool in hub.tools()] == ["memory_search", "memory_save"]
    found = hub.call_tool("call_1", "memory_search", {"query": "brisk"})
    assert (found.ok, found.error, len(found.output["memories"])) == (True, None, 1)
    refused = hub.call_tool("call_2", "memory_search", {"query": "brisk", "tenant": "beta"})
    assert (refused.ok, refused.error) == (False, "invalid_tool_arguments")
    assert hub.index_status().total == 1


def test_what_waits_is_shown_and_answered(acme: Company, connect: Any) -> None:
    hub = connect(acme.by("relay"))
    held = hub.propose(**HELD, key=new_key(), statement=sentence())
    assert (held.stored, held.waiting) == (False, True)
    assert hub.operation(held.operation_id).decision == "needs_confirmation"
    (waiting,) = hub.candidates(awaiting="owner")
    assert hub.candidate(held.candidate_id) == waiting
    yes = hub.attest(type="user_message", ref="message_8", occurred_at=now()).id
    with pytest.raises(Stale):
        hub.decide(held.candidate_id, "approve", content_hash="0" * 64, evidence_id=yes)
    decided = hub.decide(held.candidate_id, "approve", content_hash=waiting.content_hash, evidence_id=yes)
    assert (decided.candidate.status, decided.stored) == ("approved", True)


def test_forgetting_in_two_steps(acme: Company, connect: Any) -> None:
    key, hub = acme.alice.store()["key"], connect(acme.alice)
    plan = hub.plan_forgetting(key=key)
    assert (plan.count, hub.preview(**told(key=key)).decision) == (1, "supersede")
    receipt = hub.confirm_forgetting(plan.confirm_token)
    assert receipt.memory_ids == plan.memory_ids
    assert hub.confirm_forgetting(plan.confirm_token).id == receipt.id


def test_a_delegation_is_a_client_for_one_person(acme: Company, connect: Any) -> None:
    hub = connect(acme.alice)
    made = hub.delegate("alice", ["memory:recall"], run_id="run_1")
    assert made.token not in repr(made)
    narrow = connect(dataclasses.replace(acme.alice, token=made.token, subject=None))
    assert narrow.recall("anything").items == ()
    with pytest.raises(NotAllowed) as refused:
        narrow.propose(**told())
    assert refused.value.code == "missing_scope"


def test_another_person_over_the_same_connection(acme: Company, connect: Any) -> None:
    """R-305."""
    memory, hub = acme.alice.store(), connect(acme.alice)
    assert hub.memory(memory["memory_id"]).status == "active"
    with pytest.raises(NotFound):
        hub.acting_for("paul").memory(memory["memory_id"])


def test_a_listing_goes_on_to_its_end(acme: Company, connect: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryhub.client.endpoints.PAGE", "2")
    stored = [acme.alice.store()["memory_id"] for _ in range(5)]
    network = Network()
    listed = list(connect(acme.alice, network).memories(namespace=USER, kind="preference"))
    assert sorted(one.memory_id for one in listed) == sorted(stored)
    assert len(network.requests) == 3


def test_a_batch_is_split_and_answered_in_order(acme: Company, connect: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryhub.client.hub.BATCH_ITEMS", 2)
    network = Network()
    items = [told() for _ in range(4)]
    answers = connect(acme.alice, network).propose_batch([*items[:3], told(kind=""), items[3]])
    assert len(network.requests) == 3
    assert [getattr(one, "code", None) for one in answers] == [None, None, None, "invalid_input", None]
    assert [one.memory.key for one in (*answers[:3], answers[4])] == [one["key"] for one in items]


def test_a_batch_that_broke_off_is_repeated_under_its_key(
    acme: Company, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-245: what was done is not done again."""
    monkeypatch.setattr("memoryhub.client.hub.BATCH_ITEMS", 1)
    network, items = Network(), [told() for _ in range(3)]
    hub = connect(acme.alice, network, retries=Retries(limit=0))
    real, sent = network.way.handle_request, itertools.count()

    def breaks_at_the_second(request: httpx.Request) -> httpx.Response:
        if next(sent) == 1:
            raise httpx.ReadError("gone", request=request)
        return real(request)

    monkeypatch.setattr(network.way, "handle_request", breaks_at_the_second)
    with pytest.raises(Unanswered) as broken:
        hub.propose_batch(items)
    assert broken.value.outcome == "partly_done"
    answers = hub.propose_batch(items, idempotency_key=broken.value.idempotency_key)
    assert [one.decision for one in answers] == ["store"] * 3
    with acme.entered():
        assert Operation.objects.count() == 3


# --- repeats ----------------------------------------------------------------------------------------------------------


def test_a_write_whose_answer_was_lost_is_carried_out_once(acme: Company, connect: Any, pauses: list[float]) -> None:
    """R-240, R-245: network failure after commit; the key stays the same over the attempts."""
    network = Network(lost=2)
    made = connect(acme.alice, network).propose(**told())
    assert (made.decision, len(pauses)) == ("store", 2)
    assert len({request.headers["Idempotency-Key"] for request in network.requests}) == 1
    with acme.entered():
        assert (Operation.objects.count(), Evidence.objects.count()) == (1, 1)


def test_when_all_answers_are_lost_the_outcome_is_unknown_and_can_be_asked(acme: Company, connect: Any) -> None:
    """R-243, R-245."""
    network, proposal = Network(lost=4), told()
    hub = connect(acme.alice, network)
    with pytest.raises(Unanswered) as lost:
        hub.propose(**proposal)
    assert (lost.value.outcome, len(network.requests)) == ("unknown", 4)
    again = hub.propose(**proposal, idempotency_key=lost.value.idempotency_key)
    assert (again.decision, again.stored) == ("store", True)
    with pytest.raises(KeyReused):
        hub.propose(**told(), idempotency_key=lost.value.idempotency_key)
    with acme.entered():
        assert Operation.objects.count() == 1


def test_what_knows_no_key_is_not_sent_again_once_it_may_have_arrived(acme: Company, connect: Any) -> None:
    memory = acme.alice.store()
    network = Network(lost=1)
    with pytest.raises(Unanswered) as lost:
        connect(acme.alice, network).correct(memory["memory_id"], version=1, conditions="On Mondays.")
    assert (lost.value.outcome, lost.value.idempotency_key, len(network.requests)) == ("unknown", None, 1)
    never_sent = Network(httpx.ConnectError("refused"), httpx.Response(429, headers={"Retry-After": "2"}))
    hub = connect(acme.alice, never_sent)
    assert hub.forget(memory["memory_id"]).state == "hidden"
    assert len(never_sent.requests) == 3


def test_it_waits_as_the_server_asks_and_not_for_ever(acme: Company, connect: Any, pauses: list[float]) -> None:
    busy = httpx.Response(503, headers={"Retry-After": "3"})
    connect(acme.alice, Network(busy)).recall("x")
    assert 3 <= pauses.pop() <= 4.5
    later = httpx.Response(429, headers={"Retry-After": "3600"})
    with pytest.raises(RateLimited) as limited:
        connect(acme.alice, Network(later)).recall("x")
    assert (limited.value.retry_after, pauses) == (3600, [])
    with pytest.raises(Unavailable):
        connect(acme.alice, Network(*[httpx.Response(502)] * 9)).recall("x")
    assert len(pauses) == 3
    assert pauses[0] < pauses[1] < pauses[2] < 2


def test_a_call_without_an_answer_is_repeated_and_acts_once(acme: Company, connect: Any) -> None:
    """R-219: in a run and without one."""
    save = ("call_1", "memory_save", {"key": "answer_style", "value": "brief"})
    for caller in (acme.alice.in_run("run_1"), acme.alice):
        assert connect(caller, Network(lost=1)).call_tool(*save).error == "waits_for_confirmation"
    with acme.entered():
        assert Operation.objects.count() == 2


def test_what_creates_goes_out_under_a_key_and_what_reads_without() -> None:
    """Each call by its path: those that the server answers again by a key are sent again, others only if they read."""
    hub = Client("k", run="")
    writes = {
        hub.propose: told(), hub.attest: {"type": "summary", "ref": "r"}, hub.propose_together: {"proposals": []},
    }  # fmt: skip
    described = [Endpoints.__dict__[call.__name__].describe(hub, **given) for call, given in writes.items()]
    assert all(call.effect is Effect.ONCE and call.idempotency_key for call in described)
    correct = Endpoints.__dict__["correct"].describe(hub, "id", version=3, value=None)
    assert (correct.headers["If-Match"], correct.effect, correct.content) == (
        '"3"',
        Effect.EACH_TIME,
        b'{"value":null}',
    )
