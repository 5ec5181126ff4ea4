"""Which calls were approved and what became of them, so that a restart neither asks nor acts twice.

Only writes are noted, and no text: ids, codes and a keyed digest. Searches are asked again, and show what may be seen
by then.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """One write: the digest of what was approved, the message that approved it and when, and its output once known."""

    digest: str
    ref: str | None
    approved_at: str
    output: Mapping[str, Any] | None = None


class Ledger(Protocol):
    """Where calls are noted. `begin` is durable before anything is sent."""

    def find(self, run: str, call_id: str) -> Entry | None: ...
    def begin(self, run: str, call_id: str, entry: Entry) -> None: ...
    def finish(self, run: str, call_id: str, output: Mapping[str, Any]) -> None: ...


class SqliteLedger:
    """A ledger in a SQLite file, shared by processes; without a path it lives as long as this one."""

    def __init__(self, path: str = ":memory:") -> None:
        self._lock = threading.Lock()
        self._rows = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
        self._rows.execute("PRAGMA synchronous=FULL")
        self._rows.execute(
            "CREATE TABLE IF NOT EXISTS calls (run TEXT, call_id TEXT, digest TEXT, ref TEXT, approved_at TEXT,"
            " output TEXT, PRIMARY KEY (run, call_id))"
        )

    def find(self, run: str, call_id: str) -> Entry | None:
        """What is known of a call."""
        wanted = "SELECT digest, ref, approved_at, output FROM calls WHERE run = ? AND call_id = ?"
        with self._lock:
            row = self._rows.execute(wanted, (run, call_id)).fetchone()
        return Entry(row[0], row[1], row[2], json.loads(row[3]) if row[3] else None) if row else None

    def begin(self, run: str, call_id: str, entry: Entry) -> None:
        """Note an approval before the call is sent."""
        noted = (run, call_id, entry.digest, entry.ref, entry.approved_at)
        with self._lock:
            self._rows.execute("INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?, NULL)", noted)

    def finish(self, run: str, call_id: str, output: Mapping[str, Any]) -> None:
        """Note what became of it."""
        with self._lock:
            self._rows.execute(
                "UPDATE calls SET output = ? WHERE run = ? AND call_id = ?", (json.dumps(output), run, call_id)
            )

    def close(self) -> None:
        self._rows.close()
