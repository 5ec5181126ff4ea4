"""Two reviewers at one candidate at the same moment: it is decided once, and both are told what holds.

`make test` does a little of it; `.ci/run` sets MEMORYHUB_TEST_DECISIONS.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from typing import Any

import pytest
from cast import TEAM, Caller, Cast, Company, in_months, now
from django.test import Client
from test_races import at_once

from accounts.models import Group, GroupMember, Membership
from accounts.principals import system
from memories.models import Candidate, Memory
from reviews import delays
from reviews.models import DelayedVerdict, Review

DECISIONS = int(os.environ.get("MEMORYHUB_TEST_DECISIONS", "12"))


@pytest.fixture
def acme(crowd: Cast) -> Company:
    """Acme with two reviewers of its support team."""
    with crowd.acme.entered():
        person = Membership.objects.get(external_id="paul")
        Membership.objects.filter(pk=person.pk).update(roles=["reviewer"])
        GroupMember.objects.create(group=Group.objects.get(slug="support"), membership=person)
    return crowd.acme


def lessons(caller: Caller, count: int) -> list[dict[str, Any]]:
    """So many proposals that wait for a reviewer."""
    evidence = caller.evidence()
    given = {"namespace": TEAM, "kind": "lesson", "valid_until": in_months(), "evidence_id": evidence}
    items = [given | {"key": f"log_{n}", "statement": f"Read log {n} before the restart."} for n in range(count)]
    answer = caller.post("/proposals/batch", {"items": items, "atomic": True}).json()
    return [caller.candidate(one["candidate_id"]) for one in answer["items"]]


@pytest.mark.parametrize("undoable", [False, True])
def test_two_reviewers_never_decide_one_candidate_twice(acme: Company, undoable: bool) -> None:
    """R-129: one approves, one rejects, at the same moment; one of them is told that it was decided."""
    held = lessons(acme.alice, DECISIONS)
    turn = threading.Barrier(2)

    def decide(index: int, client: Client) -> list[int]:
        client.force_login(acme.member(("rita", "paul")[index]).user)
        caller, found = Caller(client=client), []
        for number, one in enumerate(held):
            turn.wait(timeout=60)
            verdict = "approve" if (index + number) % 2 else "reject"
            found.append(caller.decide(one, verdict, undoable=undoable).status_code)
        return found

    answers = list(zip(*at_once(2, decide), strict=True))
    assert Counter(map(tuple, map(sorted, answers))) == {(202 if undoable else 200, 409): DECISIONS}
    with acme.entered():
        delays.commit_due(system(acme.tenant.pk), now(minutes=1))
        while DelayedVerdict.objects.filter(state="waiting").exists():
            delays.commit_due(system(acme.tenant.pk), now(minutes=1))
        assert Review.objects.count() == Review.objects.values("candidate").distinct().count() == DECISIONS
        statuses = Counter(Candidate.objects.values_list("status", flat=True))
        assert set(statuses) <= {"approved", "rejected"}
        assert Memory.objects.count() == statuses["approved"]
