"""The undo window when a process ends inside it, and when everybody comes at once."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from cast import Caller, Cast, now
from django.test import Client
from django.utils import timezone
from test_races import at_once
from verdicts import lesson, pass_time, state

from accounts.principals import system
from memories.models import Memory
from reviews import delays
from reviews.models import DelayedVerdict, Review


class Killed(BaseException):
    """The process ends here: nothing after it runs."""


@pytest.mark.parametrize("moment", ["before", "inside"])
def test_a_crash_commits_or_reverts_never_both(crowd: Cast, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """R-111: whoever comes next finds a verdict that is wholly done or wholly to be done."""
    acme, rita = crowd.acme, crowd.acme.person("rita")
    held = lesson(acme.alice)
    rita.decide(held, "approve", undoable=True)
    pass_time(acme)

    def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch, acme.entered():
        patch.setattr(delays, "_end" if moment == "inside" else "principal_of", die)
        with pytest.raises(Killed):
            delays.commit_due(system(acme.tenant.pk), timezone.now())
    assert state(acme, held) == ("pending", "waiting")
    with acme.entered():
        assert Memory.objects.count() == Review.objects.count() == 0
        delays.commit_due(system(acme.tenant.pk), timezone.now())
        assert Memory.objects.count() == Review.objects.count() == 1
    assert state(acme, held) == ("approved", "done")


def test_undo_and_commit_at_once_leave_one_truth(crowd: Cast) -> None:
    """Everybody comes at the same moment; either it was taken back or it took effect, once."""
    acme, callers = crowd.acme, 4
    rita = acme.person("rita")
    for _ in range(5):
        held = lesson(acme.alice)
        rita.decide(held, "approve", undoable=True)
        with acme.entered():
            DelayedVerdict.objects.filter(state="waiting").update(commits_at=now(seconds=0.05))
        turn = threading.Event()

        def call(index: int, client: Client, held: dict[str, Any] = held, turn: threading.Event = turn) -> int:
            client.force_login(acme.member("rita").user)
            turn.wait(0.01 * index)
            caller = Caller(client=client)
            if index % 2:
                return int(caller.post(f"/candidates/{held['candidate_id']}/undo").status_code)
            return int(caller.get(f"/candidates/{held['candidate_id']}").status_code)

        undone = at_once(callers, call)[1::2].count(200)
        rita.candidate(held["candidate_id"])
        with acme.entered():
            delays.commit_due(system(acme.tenant.pk), now(seconds=1))
            stored = Memory.objects.filter(key=held["key"]).count()
        assert undone + stored == 1
