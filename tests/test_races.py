"""Many at once, through the doors and on real connections: one effect each, nothing lost, never a 500."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from cast import USER, Caller, Cast, new_key, sentence, text_of, word
from django.db import connections, transaction
from django.test import Client

from accounts import audit, calls, tenancy
from accounts.models import ApiCall, AuditEvent, IdempotencyKey
from accounts.principals import system
from memories.models import Candidate, Erasure, Memory, Operation, Slot


def at_once(callers: int, call: Callable[[int, Client], Any]) -> list[Any]:
    """Call in as many threads, all released at the same moment; each has its own connection and client."""
    gate = threading.Barrier(callers)

    def one(index: int) -> Any:
        try:
            gate.wait(timeout=30)
            return call(index, Client())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(callers) as pool:
        return list(pool.map(one, range(callers)))


def by(caller: Caller, client: Client) -> Caller:
    return Caller(caller.token, caller.subject, caller.run, caller.thread, client)


def versions_of_one_key(crowd: Cast) -> list[int]:
    with crowd.acme.entered():
        assert Slot.objects.count() == 1
        assert Memory.objects.current().count() <= 1
        return sorted(Memory.objects.values_list("version", flat=True))


def test_twenty_identical_proposals_are_one_memory(crowd: Cast) -> None:
    """W1, R-082, R-113, R-130: one is stored, nineteen are kept, and all name the same memory."""
    alice = crowd.acme.alice
    body = alice.proposal()
    answers = at_once(20, lambda _, client: by(alice, client).post("/proposals", body))
    assert Counter(answer.json()["decision"] for answer in answers) == {"store": 1, "keep": 19}
    assert len({answer.json()["memory"]["memory_id"] for answer in answers}) == 1
    assert versions_of_one_key(crowd) == [1]
    with crowd.acme.entered():
        assert Operation.objects.count() == 20


def test_twenty_different_proposals_for_one_key_form_one_chain(crowd: Cast) -> None:
    """R-120, R-128, T21: one active at the end, versions without gaps or repeats, every retired one linked once."""
    alice, key = crowd.acme.alice, new_key()
    bodies = [alice.proposal(key=key) for _ in range(20)]
    answers = at_once(20, lambda index, client: by(alice, client).post("/proposals", bodies[index]))
    assert Counter(answer.json()["decision"] for answer in answers) == {"store": 1, "supersede": 19}
    assert versions_of_one_key(crowd) == list(range(1, 21))
    retired = [one for answer in answers for one in answer.json()["superseded_ids"]]
    assert len(retired) == len(set(retired)) == 19
    with crowd.acme.entered():
        (standing,) = Memory.objects.current()
        assert standing.version == 20
    assert alice.recalled("summary") == [str(standing.pk)]


def test_a_delete_during_writes_leaves_nothing_that_was_there_before(crowd: Cast) -> None:
    """T21: whoever comes first, what was answered as forgotten never stands again, and versions go on counting."""
    alice = crowd.acme.alice
    memory = alice.store()
    bodies = [alice.proposal(key=memory["key"]) for _ in range(8)]

    def call(index: int, client: Client) -> Any:
        if index % 3 == 0:
            return by(alice, client).call("DELETE", f"/memories/{memory['memory_id']}")
        return by(alice, client).post("/proposals", bodies[index - 1])

    answers = at_once(9, call)
    deletes, writes = answers[0::3], [answer for index, answer in enumerate(answers) if index % 3]
    assert 200 in {answer.status_code for answer in deletes} <= {200, 404}
    assert {answer.status_code for answer in writes} <= {200, 201}
    with crowd.acme.entered():
        gone = {one for row in Erasure.objects.all() for one in row.memory_ids}
        assert not Memory.objects.kept().filter(pk__in=gone).exists()
        numbers = list(Memory.objects.order_by("version").values_list("version", flat=True))
        assert numbers == list(range(1, len(numbers) + 1))
        assert Memory.objects.current().count() <= 1


@pytest.mark.parametrize("action", ["approve", "reject"])
def test_four_answers_to_one_candidate_count_once(crowd: Cast, action: str) -> None:
    alice = crowd.acme.by("relay")
    held, word_of_hers = alice.hold(), alice.evidence()
    answers = at_once(4, lambda _, client: by(alice, client).decide(held, action, evidence_id=word_of_hers))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    with crowd.acme.entered():
        assert Memory.objects.count() == (1 if action == "approve" else 0)
        assert Candidate.objects.get().status == (Candidate.Status.APPROVED if action == "approve" else "rejected")


def test_approval_and_forgetting_at_once_leave_one_truth(crowd: Cast) -> None:
    alice, key = crowd.acme.by("relay"), new_key()
    memory = alice.store(key=key)
    held, word_of_hers = alice.hold(key=key), alice.evidence()

    def call(index: int, client: Client) -> Any:
        if index:
            return by(alice, client).call("DELETE", f"/memories/{memory['memory_id']}")
        return by(alice, client).decide(held, "approve", evidence_id=word_of_hers)

    approved, deleted = at_once(2, call)
    assert approved.status_code in (200, 409)
    assert deleted.status_code == 200
    with crowd.acme.entered():
        assert Memory.objects.kept().count() == 0 or approved.json()["decision"] in ("store", "reject")
        assert not Memory.objects.kept().filter(pk=memory["memory_id"]).exists()
        assert not Candidate.objects.filter(status=Candidate.Status.PENDING).exists()


def test_one_idempotency_key_ten_times_is_one_effect(crowd: Cast) -> None:
    """R-240, R-247, W10: a repeat waits for the first, or is told that it still runs; never a second effect."""
    alice, headers = crowd.acme.alice, {"Idempotency-Key": word()}
    body = alice.proposal()
    answers = at_once(10, lambda _, client: by(alice, client).post("/proposals", body, headers))
    assert {answer.status_code for answer in answers} <= {201, 409}
    served = [answer for answer in answers if answer.status_code == 201]
    assert all(answer.json() == served[0].json() for answer in served)
    assert sum("Idempotency-Replayed" not in answer.headers for answer in served) == 1
    with crowd.acme.entered():
        assert (Memory.objects.count(), Operation.objects.count(), IdempotencyKey.objects.count()) == (1, 1, 1)


@pytest.mark.in_clear
def test_two_corrections_of_one_version_have_one_winner(crowd: Cast) -> None:
    """R-261, W19, R-127, R-128: 200 and 412; the loser's text is nowhere."""
    alice = crowd.acme.alice
    memory, evidence = alice.store(), [alice.evidence(), alice.evidence()]
    texts = [sentence(), sentence()]
    answers = at_once(
        2, lambda index, client: by(alice, client).correct(memory, evidence[index], statement=texts[index])
    )
    assert sorted(answer.status_code for answer in answers) == [200, 412]
    assert versions_of_one_key(crowd) == [1, 2]
    lost = next(text for text, answer in zip(texts, answers, strict=True) if answer.status_code == 412)
    with crowd.acme.entered():
        assert not Memory.objects.filter(statement=lost).exists()


def test_two_writers_who_expect_the_same_version_have_one_winner(crowd: Cast) -> None:
    """R-252."""
    alice, key = crowd.acme.alice, new_key()
    alice.store(key=key)
    bodies = [alice.proposal(key=key, expected_version=1) for _ in range(4)]
    answers = at_once(4, lambda index, client: by(alice, client).post("/proposals", bodies[index]))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    assert {answer.json().get("current_version") for answer in answers if answer.status_code == 409} == {2}


def test_a_batch_and_single_writes_do_not_lose_each_other(crowd: Cast) -> None:
    """W18: what is written while a long write runs is still there afterwards."""
    alice, rita = crowd.acme.alice, crowd.acme.rita
    evidence = alice.evidence()
    items = [alice.proposal(evidence=evidence) for _ in range(30)]
    singles = [alice.proposal(evidence=evidence) for _ in range(6)]
    others = [rita.proposal() for _ in range(3)]

    def call(index: int, client: Client) -> Any:
        if index == 0:
            return by(alice, client).post("/proposals/batch", {"items": items})
        if index < 7:
            return by(alice, client).post("/proposals", singles[index - 1])
        return by(rita, client).post("/proposals", others[index - 7])

    batch, *rest = at_once(10, call)
    assert [one["decision"] for one in batch.json()["items"]] == ["store"] * 30
    assert [answer.status_code for answer in rest] == [201] * 9
    with crowd.acme.entered():
        assert Memory.objects.current().count() == 39
    assert len(alice.listed()) == 36
    assert len(rita.listed(namespace=USER)) == 3


def test_the_first_calls_of_a_new_person_make_one_namespace(crowd: Cast) -> None:
    """Namespaces are made at first use: many first uses make one."""
    adam = crowd.acme.adam
    answers = at_once(8, lambda _, client: by(adam, client).post("/recall", {"query": "summary"}))
    assert {answer.status_code for answer in answers} == {200}
    assert len({text_of(answer).split('"gate"')[1] for answer in answers}) == 1


def test_reading_while_others_write_never_fails_and_never_shows_half(crowd: Cast) -> None:
    """An index that is refreshed in several threads shows each memory whole, and only standing ones."""
    alice, key = crowd.acme.alice, new_key()
    alice.store(key=key)
    bodies = [alice.proposal(key=key) for _ in range(5)]

    def call(index: int, client: Client) -> Any:
        if index < 5:
            return by(alice, client).post("/proposals", bodies[index])
        return by(alice, client).post("/recall", {"query": "summary before the details"})

    answers = at_once(10, call)
    assert {answer.status_code for answer in answers} <= {200, 201}
    known = {body["statement"] for body in bodies}
    for answer in answers[5:]:
        items = answer.json()["items"]
        assert len(items) <= 1
        assert all(item["statement"] in known or item["version"] == 1 for item in items)
    with crowd.acme.entered():
        assert AuditEvent.objects.filter(action="memory.recall").count() == 5


def test_an_event_needs_the_transaction_of_its_verb(crowd: Cast) -> None:
    """R-269: an event can never be written beside the change it tells of."""
    acme = crowd.acme
    with acme.entered():
        with pytest.raises(transaction.TransactionManagementError):
            audit.record(system(acme.tenant.pk), "memory.propose")
        with tenancy.atomic():
            audit.record(system(acme.tenant.pk), "memory.propose")


def test_calls_of_one_second_are_written_together_and_none_is_lost(
    crowd: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is seen at once, what follows within the pause, also when nobody calls again."""
    monkeypatch.setattr(calls, "PAUSE_SECONDS", 0.4)
    alice = crowd.acme.alice
    with crowd.acme.entered():
        before = ApiCall.objects.count()
    for _ in range(6):
        assert alice.get("/memories").status_code == 200

    def written() -> int:
        with crowd.acme.entered():
            return ApiCall.objects.count() - before

    assert written() < 6
    waited_until = time.monotonic() + 10
    while written() < 6 and time.monotonic() < waited_until:
        time.sleep(0.05)
    assert written() == 6
