"""What is purged is gone from the bytes of SQLite's files, not only from its tables."""

from __future__ import annotations

import io
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from cast import Cast, Company, sentence, word
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from test_verify_erasure import look_for

from accounts.principals import system
from memories import purging


def purge(company: Company, later: timedelta = timedelta()) -> dict[str, int]:
    with company.entered():
        return dict(purging.purge_due(system(company.tenant.pk), timezone.now() + later))


def on_disk(text: str) -> int:
    """How often a text stands in the database file or its write-ahead log."""
    file = str(connection.settings_dict["NAME"])
    return sum(Path(name).read_bytes().count(text.encode()) for name in (file, f"{file}-wal"))


if connection.vendor == "sqlite":

    @pytest.mark.in_clear
    def test_the_files_of_sqlite_hold_no_byte_of_it(crowd: Cast) -> None:
        acme, canary = crowd.acme, word(12)
        memory = acme.alice.store(sentence(canary))
        assert on_disk(canary) > 0
        acme.alice.forget(memory)
        assert purge(acme)["erasures_purged"] == 1
        assert on_disk(canary) == 0

    def test_a_reader_that_holds_the_log_only_delays_it(crowd: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(purging, "CHECKPOINT_WAIT_MS", 20)
        alice = crowd.acme.alice
        erasure = alice.forget(alice.store())
        reader = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories_memory").fetchone()
        alice.store()
        assert purge(crowd.acme) == {"erasures_purged": 0, "erasures_waiting": 1}
        assert alice.get(f"/erasures/{erasure['id']}").json()["state"] == "hidden"
        reader.close()
        assert purge(crowd.acme, timedelta(seconds=3)) == {"erasures_purged": 1, "erasures_waiting": 0}

    @pytest.mark.in_clear
    def test_the_command_looks_into_the_files_and_rewrites_them(
        crowd: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """R-140, R-155, T23: in the file and its write-ahead log before, nowhere after; also by the command itself."""
        home = tmp_path / "var"
        home.mkdir()
        monkeypatch.setattr(settings, "VAR_DIR", home)
        acme, mark = crowd.acme, word(9)
        memory = acme.alice.store(sentence(mark))
        assert look_for(tmp_path, mark)[1]["database files"] > 0
        acme.alice.forget(memory)
        purge(acme)
        assert look_for(tmp_path, mark)[0]
        connection.cursor().execute("PRAGMA secure_delete=OFF")
        acme.alice.forget(acme.alice.store(sentence(mark)))
        assert not look_for(tmp_path, mark)[0]
        call_command("purge_bytes", stdout=io.StringIO())
        assert look_for(tmp_path, mark)[0]
        connection.cursor().execute("PRAGMA secure_delete=ON")
