"""Killed at any moment, and crowded: nothing acknowledged is lost, nothing is half written, all that is due goes on.

`make test` does a little of it; `.ci/run` sets MEMORYHUB_TEST_KILLS, MEMORYHUB_TEST_WRITERS and MEMORYHUB_TEST_ROUNDS.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import IO, Any

import pytest
from cast import Caller, Cast, Company, new_key, now, word
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone
from test_races import at_once, by

from accounts import sealing, verifying
from accounts.models import AuditEvent
from accounts.principals import system
from memories import access, purging
from memories.models import Erasure, Feature, Memory, Operation, Slot
from memoryhub.management import scratch

KILLS = int(os.environ.get("MEMORYHUB_TEST_KILLS", "6"))
WRITERS = int(os.environ.get("MEMORYHUB_TEST_WRITERS", "8"))
ROUNDS = int(os.environ.get("MEMORYHUB_TEST_ROUNDS", "5"))


def assert_whole(company: Company) -> None:
    """What must hold of every row at every moment."""
    with company.entered():
        for slot in Slot.objects.all():
            versions = list(slot.versions.order_by("version"))
            assert [row.version for row in versions] == list(range(1, slot.last_version + 1))
            assert sum(row.status in Memory.CURRENT for row in versions) <= 1
        kept = set(Memory.objects.kept().values_list("pk", flat=True))
        assert set(Feature.objects.values_list("pk", flat=True)) == kept
        told = AuditEvent.objects.filter(action__in=["memory.propose", "memory.approve"]).count()
        assert told == Operation.objects.count()
        forgotten = AuditEvent.objects.filter(action="memory.forget").values_list("target_id", flat=True)
        assert set(forgotten) == set(Erasure.objects.values_list("pk", flat=True))
        assert all(purging.left(erasure) == {} for erasure in Erasure.objects.exclude(state=Erasure.State.PURGED))


def assert_all_due_is_done(company: Company) -> None:
    """Whoever comes next finishes what was begun, and the chain of the audit holds."""
    with company.entered():
        # An attempt that was killed is repeated after a while.
        purging.purge_due(system(company.tenant.pk), timezone.now() + timedelta(hours=2))
        assert not Erasure.objects.exclude(state=Erasure.State.PURGED).exists()
        sealing.seal_all(company.tenant.pk)
        assert verifying.verify(company.tenant.pk).fault is None


@contextlib.contextmanager
def beside(script: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process of `tests` over the database of this test: the one that forks those to kill."""
    name, here = str(connection.settings_dict["NAME"]), os.environ.get("DATABASE_URL", "")
    url = scratch.named(here, name) if connection.vendor == "postgresql" else f"sqlite:///{name}"
    own = {"DATABASE_URL": url, "MEMORYHUB_VAR_DIR": str(settings.VAR_DIR), "MEMORYHUB_EMBEDDER": "none"}
    own |= {"MEMORYHUB_KEY_STORE": settings.MEMORYHUB_KEY_STORE}
    own |= {"PYTHONPATH": str(settings.BASE_DIR), "DJANGO_SETTINGS_MODULE": "memoryhub.settings"}
    command = [sys.executable, str(settings.BASE_DIR / "tests" / script), *arguments]
    with subprocess.Popen(  # noqa: S603
        command, env=os.environ | own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.fixture
def writer(crowd: Cast) -> Iterator[subprocess.Popen[str]]:
    with crowd.acme.entered():
        access.readable(crowd.acme.principal("alice"))
    with beside("writer.py", "alice", "acme") as process:
        yield process


def said(stream: IO[str] | None) -> Any:
    assert stream is not None
    return json.loads(stream.readline())


@pytest.mark.in_clear
def test_killed_at_any_moment_nothing_acknowledged_is_lost(crowd: Cast, writer: subprocess.Popen[str]) -> None:
    """R-111, R-262: at most the one verb that had not returned may or may not have happened, and then wholly."""
    chance, known, verbs = random.Random(KILLS), {}, 0  # noqa: S311
    for seed in range(KILLS):
        assert writer.stdin is not None
        print(seed, file=writer.stdin, flush=True)
        child = said(writer.stdout)["pid"]
        first = said(writer.stdout)
        time.sleep(chance.uniform(0, 0.25))
        os.kill(child, signal.SIGKILL)
        line = first
        while "ended" not in line:
            known |= line["done"]
            verbs += 1
            line = said(writer.stdout)
        assert_whole(crowd.acme)
        with crowd.acme.entered():
            current = Memory.objects.current().filter(key__startswith="key_")
            found = {row.key: [str(row.pk), row.status] for row in current}
        told = {key: state for key, state in known.items() if state}
        changed = {key for key in found.keys() | told.keys() if found.get(key) != told.get(key)}
        assert len(changed) <= 4, "more changed than the verb that was at work could change"
        known = dict(found)
    assert verbs > KILLS
    assert_all_due_is_done(crowd.acme)


def test_a_crowd_at_one_key_leaves_it_whole(crowd: Cast) -> None:
    """T21, R-120, R-128: writers who store, correct, pause, resume, forget and recall one key; never a 500, no gap."""
    alice, key = crowd.acme.alice, new_key()
    evidence = alice.evidence()
    answers: Counter[int] = Counter()

    def rounds(index: int, client: Client) -> None:
        caller, chance = by(alice, client), random.Random(index)  # noqa: S311
        for _ in range(ROUNDS):
            answers[act(caller, chance, key, evidence)] += 1

    at_once(WRITERS, rounds)
    assert answers.total() == WRITERS * ROUNDS
    # In a large crowd on a slow machine somebody may wait too long, and is told so.
    assert answers.keys() <= {200, 201, 404, 409, 412, 503}, answers
    assert answers[503] <= answers.total() / 100, answers
    assert answers[201] > 0
    assert_whole(crowd.acme)
    with crowd.acme.entered():
        assert Slot.objects.count() == 1
        standing = {str(row.pk) for row in Memory.objects.recallable(timezone.now())}
    assert set(alice.recalled("summary")) == standing
    assert_all_due_is_done(crowd.acme)


def act(caller: Caller, chance: random.Random, key: str, evidence: str) -> int:
    """One call of one kind; returns its status."""
    what = chance.choice(["store", "store", "correct", "pause", "resume", "forget", "recall"])
    if what == "store":
        said = {"type": "user_message", "ref": word(), "occurred_at": now().isoformat()}
        return int(caller.post("/proposals", caller.proposal(key=key, evidence=None) | {"evidence": said}).status_code)
    if what == "recall":
        return int(caller.post("/recall", {"query": "summary"}).status_code)
    listed = caller.get("/memories", key=key)
    if listed.status_code != 200 or not listed.json()["items"]:
        return int(listed.status_code)
    memory = listed.json()["items"][0]
    if what == "correct":
        return int(caller.correct(memory, evidence, statement="Put tables first.").status_code)
    if what == "forget":
        return int(caller.call("DELETE", f"/memories/{memory['memory_id']}").status_code)
    return int(caller.post(f"/memories/{memory['memory_id']}/{what}").status_code)
