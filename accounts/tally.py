"""How many events this process wrote since it began, by action, outcome and reason: codes, no text."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection

Event = tuple[str, str, str]

_lock = threading.Lock()
_events: Counter[Event] = Counter()


def note(events: Collection[Event]) -> None:
    with _lock:
        _events.update(events)


def noted() -> dict[Event, int]:
    with _lock:
        return dict(_events)
