"""Identifiers: UUIDv7 (RFC 9562 §5.7), so that ids sort by the time they were made and need no central sequence."""

from __future__ import annotations

import os
import threading
import time
import uuid
from datetime import datetime

_lock = threading.Lock()
_last = 0


def first_uuid7(moment: datetime) -> uuid.UUID:
    """The least UUIDv7 that this moment can give: ids from then on are not below it."""
    return uuid.UUID(int=max(0, int(moment.timestamp() * 1000)) << 80 | 0x7 << 76 | 0b10 << 62)


def uuid7() -> uuid.UUID:
    """A new UUIDv7. Within one process ids strictly increase: the 12 bits after the millisecond hold a counter."""
    global _last
    with _lock:
        now = time.time_ns() // 1_000_000 << 12 | int.from_bytes(os.urandom(2)) >> 6
        _last = max(now, _last + 1)
        stamp = _last
    millis, fraction = stamp >> 12, stamp & 0xFFF
    tail = int.from_bytes(os.urandom(8)) & 0x3FFF_FFFF_FFFF_FFFF
    return uuid.UUID(int=millis << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | tail)
