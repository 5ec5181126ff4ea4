"""Django's SQLite, with a queue before its one lock for writing.

SQLite lets those wait who ask again and again, with rests that grow: in a crowd the same few are lucky, and others ask
until their time is up. Here the threads of a process come in turn, so that one of them at most asks; other processes
are met by SQLite's own lock, as ever.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from django.db.backends.sqlite3 import base

from memoryhub.sqlite.queue import Queue, Turn

_queues: dict[str, Queue] = {}  # of each database


class DatabaseWrapper(base.DatabaseWrapper):
    """Takes a turn for every transaction, and gives it back when SQLite says that the transaction is over."""

    _turn: Turn | None = None

    def _start_transaction_under_autocommit(self) -> None:
        with self.wrap_database_errors:
            self._turn = self._queue.enter(self.settings_dict["OPTIONS"]["timeout"])
            if self._turn is None:
                raise _locked()
        try:
            super()._start_transaction_under_autocommit()
        finally:
            self._leave_when_over()

    def _commit(self) -> None:
        try:
            super()._commit()
        finally:
            self._leave_when_over()

    def _rollback(self) -> None:
        try:
            super()._rollback()
        finally:
            self._leave_when_over()

    def _close(self) -> None:
        try:
            super()._close()
        finally:
            self._leave()

    @property
    def _queue(self) -> Queue:
        name = str(self.settings_dict["NAME"])
        return _queues.get(name) or _queues.setdefault(name, Queue())  # threads that come at once get the same

    def _leave_when_over(self) -> None:
        if self.connection is None or not self.connection.in_transaction:
            self._leave()

    def _leave(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            self._queue.leave(turn)


def _locked() -> sqlite3.OperationalError:
    """What SQLite itself says to those who waited too long."""
    error: Any = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_BUSY, "SQLITE_BUSY"
    refused: sqlite3.OperationalError = error
    return refused
