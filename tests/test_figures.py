"""Figures of governance: counted from codes and ids, for auditors alone; nothing comes back after a forgetting."""

from __future__ import annotations

from datetime import timedelta

import pytest
from cast import Caller, Company, now, sentence, word
from test_pages import page

from accounts.models import AuditEvent
from accounts.principals import system
from memories.models import Memory, Recall
from memories.uses import count_due


@pytest.fixture
def adam(acme: Company) -> Caller:
    return acme.person("adam")


def tables(adam: Caller) -> dict[str, list[list[object]]]:
    return dict(adam.get("/figures").json()["tables"])


def test_decisions_and_their_reasons_are_counted(acme: Company, adam: Caller) -> None:
    """R-276, R-277: what became of proposals, conflicts by reason, and how much people took back."""
    stored = acme.alice.store(key="tone")
    alice = acme.person("alice")
    changed = alice.call("PATCH", f"/memories/{stored['memory_id']}", {"statement": sentence()}, {"If-Match": '"1"'})
    assert changed.status_code == 200
    held = acme.alice.hold()
    alice.decide(held, "reject")
    assert acme.alice.propose("The refund of order 7 was paid.").json()["decision"] == "route_to_source"
    assert acme.alice.propose(reusable=False).json()["decision"] == "reject"
    found = tables(adam)
    assert found["decisions"][-1][1:] == [1, 1, 0, 1, 1, 1]
    assert found["wrong"][-1][1:] == [2, 1, 1, 1.0]
    assert dict(found["conflicts"][1:])["newer_equal_or_higher_authority"] == 1
    assert ["reject", "not_reusable_across_tasks", 1] in found["reasons"]
    assert len(found["decisions"]) == 9


def test_recalls_and_what_was_made_of_them_are_counted(acme: Company, adam: Caller) -> None:
    mark = word()
    memory = acme.alice.store(sentence(mark))
    recalled = acme.alice.recall(mark)
    body = {"memory_id": memory["memory_id"], "verdict": "stale"}
    assert acme.alice.post(f"/recalls/{recalled['recall_id']}/feedback", body).status_code == 201
    found = tables(adam)
    assert (found["recalls"][-1][1], found["feedback"][1:]) == (1, [["stale", 1]])
    assert adam.client.get("/audit/figures/feedback.csv").content.decode().splitlines() == ["verdict,count", "stale,1"]
    assert adam.client.get("/audit/figures/other.csv").status_code == 404


def test_a_memory_that_comes_back_after_a_forgetting_is_told(acme: Company, adam: Caller) -> None:
    """R-162, R-278: the trace of one that came back later is an event and a figure; of one before, it is none."""
    mark = word()
    memory = acme.alice.store(sentence(mark))
    acme.alice.recall(mark)
    acme.alice.forget(memory)
    with acme.entered():
        count_due(system(acme.tenant.pk), now())
        assert not AuditEvent.objects.filter(action="memory.recalled_after_forgetting").exists()
    assert "never" in page(adam.client, "/audit/figures/")
    with acme.entered():
        trace = Recall.objects.get()
        later = trace.created_at + timedelta(minutes=1)
        Recall.objects.create(created_at=later, status="ok", items=[{"memory_id": memory["memory_id"]}])
        for _ in range(2):
            count_due(system(acme.tenant.pk), now())
        event = AuditEvent.objects.get(action="memory.recalled_after_forgetting")
        assert str(event.target_id) == memory["memory_id"]
        assert Memory.objects.get(pk=memory["memory_id"]).statement is None
    assert tables(adam)["recalls"][-1][3] == 1
    for language in ("en", "zh-hans"):
        assert mark not in page(adam.client, "/audit/figures/", language)
    assert "1 memory" in page(adam.client, "/audit/figures/")


def test_only_auditors_read_the_figures(acme: Company, adam: Caller) -> None:
    """Reading them leaves an event."""
    acme.alice.store()
    assert acme.person("alice").get("/figures").status_code == 403
    assert acme.person("alice").client.get("/audit/figures/").status_code == 403
    with acme.entered():
        assert not AuditEvent.objects.filter(action="audit.read").exists()
    assert adam.get("/figures").status_code == 200
    with acme.entered():
        assert AuditEvent.objects.filter(action="audit.read").count() == 1
