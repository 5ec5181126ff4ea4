"""Turns at writing, one after the other in the order of their coming, among the threads of one process."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from dataclasses import dataclass, field

LOOK_SECONDS = 1.0  # how often those who wait look whether who has the turn still lives


@dataclass(slots=True, eq=False)
class Turn:
    """One thread's place in the queue, and then its turn."""

    thread: threading.Thread = field(default_factory=threading.current_thread)
    called: threading.Event = field(default_factory=threading.Event)


class Queue:
    """Who waits here sleeps until it is called; nobody is overtaken."""

    def __init__(self) -> None:
        self.start_anew()
        os.register_at_fork(after_in_child=self.start_anew)  # the threads that wait are the parent's

    def start_anew(self) -> None:
        self._lock = threading.Lock()
        self._at_work: Turn | None = None
        self._waiting: deque[Turn] = deque()

    def enter(self, seconds: float) -> Turn | None:
        """Wait for a turn so long at most. Who gets one has to leave; a thread that ended has left."""
        mine, until = Turn(), time.monotonic() + seconds
        with self._lock:
            self._waiting.append(mine)
            self._call_next()
        while not mine.called.wait(min(LOOK_SECONDS, max(until - time.monotonic(), 0))):
            with self._lock:
                self._call_next()
                if time.monotonic() >= until and not mine.called.is_set():
                    self._waiting.remove(mine)
                    return None
        return mine

    def leave(self, turn: Turn) -> None:
        """Give the turn back; nothing happens when it is another's by now."""
        with self._lock:
            if self._at_work is turn:
                self._at_work = None
                self._call_next()

    def _call_next(self) -> None:
        if self._at_work is not None and self._at_work.thread.is_alive():
            return
        self._at_work = self._waiting.popleft() if self._waiting else None
        if self._at_work is not None:
            self._at_work.called.set()
