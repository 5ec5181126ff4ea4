"""Rows of a chain before they are asked for: PostgreSQL writes the next events down while these are hashed."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from itertools import islice

from django.conf import settings
from django.db import DatabaseError, connection

from accounts.chain import places

CONNECTIONS = 2
Rows = list[tuple[int, str, str]]


@dataclass(frozen=True, slots=True)
class Step:
    """So many places behind one."""

    after: int
    wanted: int

    @property
    def end(self) -> int:
        return self.after + self.wanted


@contextlib.contextmanager
def reading_ahead(steps: Iterator[Step]) -> Iterator[Iterator[tuple[Step, Rows | None]]]:
    """Every step in its order, with its rows, or with None where whoever asks has to read them itself."""
    if not (readers := _readers()):
        yield ((step, None) for step in steps)
        return
    pool = ThreadPoolExecutor(readers, "memoryhub-audit")
    try:
        yield _in_order(pool, steps, readers + 1)
    finally:
        pool.shutdown(cancel_futures=True)


def _readers() -> int:
    """None on SQLite, which works in this process, nor in a transaction: nobody else sees what it has done so far."""
    if connection.vendor == "sqlite" or connection.in_atomic_block:
        return 0
    return min(CONNECTIONS, settings.MEMORYHUB_POOL_SIZE - 1)


def _in_order(pool: ThreadPoolExecutor, steps: Iterator[Step], ahead: int) -> Iterator[tuple[Step, Rows | None]]:
    waiting: deque[tuple[Step, Future[Rows | None]]] = deque()

    def ask(count: int) -> None:
        waiting.extend((step, pool.submit(copy_context().run, _read, step)) for step in islice(steps, count))

    ask(ahead)
    while waiting:
        step, read = waiting.popleft()
        rows = read.result()
        ask(1)
        yield step, rows


def _read(step: Step) -> Rows | None:
    """On a connection of this thread's own, given back at once."""
    try:
        return list(places(step.after, step.wanted))
    except DatabaseError:
        return None
    finally:
        connection.close()
