"""The undo window when the process is killed from outside: a verdict takes effect or is taken back, never both."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator

import pytest
from cast import Cast, now
from test_crashes import KILLS, beside, said
from verdicts import events, lesson

from accounts.principals import system
from memories.models import Candidate, Memory
from reviews import delays
from reviews.models import DelayedVerdict, Review

# What may stand afterwards: as before, or as the verb leaves it.
MAY_BE = {"decide": ("none", "waiting"), "undo": ("waiting", "undone"), "commit": ("waiting", "done")}


@pytest.fixture
def decider(crowd: Cast) -> Iterator[subprocess.Popen[str]]:
    with beside("decider.py", "rita", "acme") as process:
        yield process


def killed(process: subprocess.Popen[str], chance: random.Random, *told: str) -> bool:
    """Have a child do it and kill it at some moment; tells whether it said before that it was done."""
    assert process.stdin is not None
    print(json.dumps(told), file=process.stdin, flush=True)
    child = said(process.stdout)["begun"]
    time.sleep(chance.uniform(0, 0.3))
    os.kill(child, signal.SIGKILL)
    done, line = False, said(process.stdout)
    while "ended" not in line:
        done, line = line["done"], said(process.stdout)
    return bool(done)


@pytest.mark.in_clear
def test_killed_inside_the_window_it_commits_or_reverts_never_both(crowd: Cast, decider: subprocess.Popen[str]) -> None:
    """R-111: what was acknowledged stands, what was not is wholly done or wholly to be done."""
    acme, rita = crowd.acme, crowd.acme.person("rita")
    chance = random.Random(KILLS)  # noqa: S311
    for number in range(KILLS):
        verb = list(MAY_BE)[number % len(MAY_BE)]
        held = lesson(acme.alice)
        known = (held["candidate_id"], rita.candidate(held["candidate_id"])["content_hash"])
        if verb != "decide":
            rita.decide(held, "approve", undoable=True)
        done = killed(decider, chance, verb, *known)
        with acme.entered():
            row = DelayedVerdict.objects.filter(candidate_id=known[0]).first()
            state = row.state if row else "none"
            assert state in MAY_BE[verb]
            assert not done or state == MAY_BE[verb][-1]
            stored = Memory.objects.filter(key=held["key"])
            answered = Review.objects.filter(candidate_id=known[0])
            assert stored.count() == answered.count() == int(state == "done")
            for _ in range(2):
                delays.commit_due(system(acme.tenant.pk), now(minutes=2))
            takes_effect = state in ("waiting", "done")
            assert stored.count() == answered.count() == int(takes_effect)
            status = Candidate.objects.get(pk=known[0]).status
        assert status == ("approved" if takes_effect else "pending")
        assert events(acme, held).count("candidate.approve") == int(takes_effect)
        assert events(acme, held).count("candidate.undo") == int(state == "undone")
