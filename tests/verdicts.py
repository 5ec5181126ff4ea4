"""What the tests of verdicts that take effect later share."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from cast import TEAM, Caller, Company, in_months, now, word

from accounts.models import AuditEvent
from accounts.principals import system
from memories.models import Candidate
from reviews import delays
from reviews.models import DelayedVerdict

LATER = timedelta(minutes=1)


def lesson(caller: Caller, namespace: Any = TEAM) -> dict[str, Any]:
    """What an agent proposed for the team on Alice's behalf: a candidate for a reviewer."""
    given = {"namespace": namespace, "kind": "lesson", "valid_until": in_months()}
    response = caller.propose(f"Read the {word()} log before restarting the importer.", **given)
    return caller.candidate(response.json()["candidate_id"])


def pass_time(company: Company, passed: timedelta = LATER) -> None:
    """As if what waits had been answered this much earlier."""
    with company.entered():
        for row in DelayedVerdict.objects.filter(state="waiting"):
            DelayedVerdict.objects.filter(pk=row.pk).update(commits_at=row.commits_at - passed)


def state(company: Company, held: dict[str, Any]) -> tuple[str, str]:
    """The candidate's status, and what became of the newest delayed verdict on it."""
    with company.entered():
        row = DelayedVerdict.objects.filter(candidate_id=held["candidate_id"]).latest("pk")
        return Candidate.objects.get(pk=held["candidate_id"]).status, row.state


def events(company: Company, held: dict[str, Any]) -> list[str]:
    with company.entered():
        rows = AuditEvent.objects.filter(target_id=held["candidate_id"]).order_by("pk")
        return [row.action for row in rows if row.action.startswith("candidate.")]


def take_effect(company: Company) -> None:
    """Let the time pass in which answers can be taken back."""
    with company.entered():
        delays.commit_due(system(company.tenant.pk), now(minutes=1))
