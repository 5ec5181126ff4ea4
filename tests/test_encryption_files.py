"""The bytes of a tenant that encrypts, in the database's own files: in clear nowhere, at any time."""

from __future__ import annotations

from pathlib import Path

from cast import Cast, word
from django.db import connection
from test_encryption import command, store, whole_story  # noqa: F401 - the store is a fixture

if connection.vendor == "sqlite":

    def test_the_files_of_sqlite_hold_no_byte_of_it_before_any_erasure(crowd: Cast) -> None:
        """R-140, T23: and once rows that were plain are encrypted, nothing is left of them."""
        early, late = word(12), word(12)
        command("decrypt")
        whole_story(crowd.acme.alice, early)
        assert on_disk(early) > 0
        command("encrypt")
        assert on_disk(early) == 0
        whole_story(crowd.acme.alice, late)
        assert crowd.acme.alice.recalled(late)
        assert on_disk(late) == 0

    def on_disk(text: str) -> int:
        file = str(connection.settings_dict["NAME"])
        return sum(Path(name).read_bytes().count(text.encode()) for name in (file, f"{file}-wal"))
