"""The queue before SQLite's one lock for writing: turns in order, given back however a transaction ends."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from cast import Cast
from django.db import IntegrityError, OperationalError, connection, connections, transaction
from django.test import Client
from test_races import at_once, by

from accounts.models import Tenant
from memoryhub.sqlite import base
from memoryhub.sqlite.queue import Queue

pytestmark = pytest.mark.sqlite


def in_a_thread(work: Any) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


# --- the queue -------------------------------------------------------------------------------------------------------


def test_who_comes_first_is_called_first() -> None:
    queue, called = Queue(), []
    turn = queue.enter(1)
    assert turn is not None

    def wait(number: int) -> None:
        if mine := queue.enter(10):
            called.append(number)
            queue.leave(mine)

    threads = []
    for number in range(5):
        threads.append(in_a_thread(lambda number=number: wait(number)))
        while len(queue._waiting) <= number:
            time.sleep(0.001)
    assert called == []
    queue.leave(turn)
    for thread in threads:
        thread.join()
    assert called == [0, 1, 2, 3, 4]


def test_who_waits_too_long_goes_without_a_trace() -> None:
    queue = Queue()
    turn = queue.enter(1)
    assert queue.enter(0.01) is None
    assert turn is not None
    queue.leave(turn)
    again = queue.enter(0.01)
    assert again is not None
    queue.leave(turn)  # long given back: another's turn stays
    assert queue.enter(0.01) is None


def test_a_thread_that_ended_has_left() -> None:
    queue = Queue()
    in_a_thread(lambda: queue.enter(1)).join()
    assert queue.enter(0) is not None


def test_a_forked_process_begins_with_nobody_in_the_queue() -> None:
    queue = Queue()
    assert queue.enter(1) is not None
    child = os.fork()
    if child == 0:
        os._exit(0 if queue.enter(0.01) is not None else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert queue.enter(0.01) is None


# --- transactions ----------------------------------------------------------------------------------------------------


@contextmanager
def impatient() -> Iterator[None]:
    """Who waits for a turn does so for a moment only."""
    options = connection.settings_dict["OPTIONS"]
    known, options["timeout"] = options["timeout"], 0.05
    yield
    options["timeout"] = known


def somebody_writes() -> bool:
    """Whether another thread comes to write at once."""

    def write(*_: Any) -> bool:
        try:
            with transaction.atomic():
                return bool(connection.in_atomic_block)
        except OperationalError as error:
            return getattr(error.__cause__, "sqlite_errorname", "") != "SQLITE_BUSY"

    return bool(at_once(1, write)[0])


def failing() -> None:
    with transaction.atomic():
        raise ZeroDivisionError


def closed() -> None:
    with transaction.atomic():
        connection.close()


def nested() -> None:
    with transaction.atomic():
        with transaction.atomic():
            assert not somebody_writes()
        with pytest.raises(ZeroDivisionError):
            failing()
        assert not somebody_writes()


@pytest.mark.parametrize("end", [nested, failing, closed])
def test_however_it_ends_the_next_one_writes(transactional_db: None, end: Any) -> None:
    """Committed, with savepoints in it, rolled back, or with its connection gone."""
    with impatient():
        with suppress(ZeroDivisionError):
            end()
        assert somebody_writes()


def test_what_the_database_refuses_at_the_end_gives_its_turn_back(crowd: Cast) -> None:
    with impatient(), crowd.acme.entered():
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("DELETE FROM accounts_tenant")
        assert somebody_writes()


def test_a_caller_who_waits_too_long_is_told_to_come_again(crowd: Cast) -> None:
    """503 as before, and with the turn free the same call is stored."""
    alice = crowd.acme.alice
    body = alice.proposal()
    alice.recall("summary")

    def call(_: int, client: Client) -> Any:
        return by(alice, client).post("/proposals", body)

    with impatient():
        with transaction.atomic():
            refused = at_once(1, call)[0]
        assert (refused.status_code, refused.json()["code"]) == (503, "memory_unavailable")
        assert refused["Retry-After"] == "1"
        assert at_once(1, call)[0].status_code == 201


def test_every_thread_of_a_crowd_writes(transactional_db: None) -> None:
    """Nobody is refused, and nothing is left behind in the queue."""

    def write(*_: Any) -> None:
        for _round in range(20):
            with transaction.atomic():
                Tenant.objects.filter(slug="none").update(name="none")

    at_once(16, write)
    queue = base._queues[str(connections["default"].settings_dict["NAME"])]
    assert (queue._at_work, len(queue._waiting)) == (None, 0)
