"""What an operator counts: wrong writes, conflicts, and recalls after a forgetting."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from cast import Company, sentence
from django.test import Client
from django.utils import timezone

from accounts import tally
from accounts.models import AuditEvent
from accounts.principals import system
from memories.models import Recall
from memories.uses import count_due


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, client: Client, django_capture_on_commit_callbacks: Any) -> Any:
    """What /metrics counts of these calls."""
    monkeypatch.setattr(tally, "_events", Counter())

    def counted(*calls: Any) -> list[str]:
        with django_capture_on_commit_callbacks(execute=True):
            for call in calls:
                call()
        lines = client.get("/metrics").content.decode().splitlines()
        return [line for line in lines if line.startswith("memoryhub_events_total{")]

    return counted


def line(action: str, outcome: str, reason: str, count: int) -> str:
    return f'memoryhub_events_total{{action="{action}",outcome="{outcome}",reason="{reason}"}} {count}'


def test_writes_refusals_and_corrections_are_counted_by_reason(acme: Company, counted: Any) -> None:
    """R-276, R-280, R-283: what was stored, refused and corrected can be set against each other; no text is a label."""
    alice = acme.alice
    memory = alice.store()
    lines = counted(
        alice.store,
        alice.store,
        lambda: alice.propose("Skip the chart this time.", "canary_key", reusable=False),
        lambda: alice.correct(memory, statement=sentence("canary")),
    )
    assert line("memory.propose", "store", "policy_accepted", 2) in lines
    assert line("memory.propose", "reject", "not_reusable_across_tasks", 1) in lines
    assert [one for one in lines if 'action="memory.propose",outcome="supersede"' in one and one.endswith(" 1")], lines
    assert "canary" not in "".join(lines)


def test_a_recall_after_a_forgetting_is_counted_and_an_alarm(acme: Company, caplog: pytest.LogCaptureFixture) -> None:
    """R-162, R-278: none while all is well; a trace that names what was forgotten before it is told by its id."""
    memory = acme.alice.store(sentence("brisk"))
    assert acme.alice.recalled("brisk") == [memory["memory_id"]]
    acme.alice.forget(memory)
    with acme.entered():
        principal, now = system(acme.tenant.pk), timezone.now()
        assert count_due(principal, now) == {"recalls_counted": 1, "recalled_after_forgetting": 0}
        Recall.objects.update(created_at=now + timedelta(minutes=1), is_counted=False)
        assert count_due(principal, now) == {"recalls_counted": 1, "recalled_after_forgetting": 1}
        event = AuditEvent.objects.get(action="memory.recalled_after_forgetting")
        assert str(event.target_id) == memory["memory_id"]
