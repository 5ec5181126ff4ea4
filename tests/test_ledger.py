"""A backup that comes back does not bring back what was forgotten since."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cast import Cast, Company, new_key, now, sentence, word
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from test_canary import rows_with
from test_forget_scopes import forget

from memories import ledger
from memories.models import Erasure, Memory
from memories.search import rows

SQLITE = connection.vendor == "sqlite"


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger of this test alone."""
    file = tmp_path / "erasures.jsonl"
    monkeypatch.setattr(settings, "MEMORYHUB_LEDGER", file)
    return file


def replay() -> str:
    out = io.StringIO()
    call_command("replay_erasures", stdout=out)
    return out.getvalue()


def ready() -> bool:
    return Client().get("/readyz").status_code == 200


def kept(company: Company) -> int:
    with company.entered():
        return Memory.objects.kept().count()


def test_a_forgetting_is_written_down_before_it_is_acknowledged_in_ids_and_digests(crowd: Cast, book: Path) -> None:
    """R-148, R-152, T24."""
    mark, alice = word(9), crowd.acme.alice
    memory = alice.store(sentence(mark), evidence=alice.evidence(text=f"Well: {mark}.", thread=f"talk {mark}"))
    assert not book.exists()
    receipt = alice.forget(memory)
    (line,) = book.read_text().splitlines()
    entry = json.loads(line)
    assert (entry["erasure"], entry["scope"], len(entry["slots"])) == (receipt["id"], "key", 1)
    assert mark not in line
    assert memory["key"] not in line
    assert ready()


def test_what_cannot_be_written_down_is_not_acknowledged_and_written_later(
    crowd: Cast, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-161, R-238: a full disk; it is hidden, but the answer is an error and the receipt waits."""
    acme = crowd.acme
    memory = acme.alice.store()
    with monkeypatch.context() as patch:
        patch.setattr(settings, "MEMORYHUB_LEDGER", book / "not a folder")
        book.write_text("")
        answer = acme.alice.call("DELETE", f"/memories/{memory['memory_id']}")
        assert (answer.status_code, answer.json()["code"]) == (503, "ledger_unwritten")
        assert kept(acme) == 0
        call_command("sweep", stdout=io.StringIO())
        with acme.entered():
            assert Erasure.objects.get().state == "hidden"
            Erasure.objects.update(attempts=0)
    call_command("sweep", stdout=io.StringIO())
    with acme.entered():
        assert Erasure.objects.get().state == "purged"
    assert len(book.read_text().splitlines()) == 1


def test_half_a_line_of_a_crash_is_no_harm_and_a_changed_one_is_told(crowd: Cast, book: Path) -> None:
    alice = crowd.acme.alice
    alice.forget(alice.store())
    whole = book.read_bytes()
    book.write_bytes(whole + whole[:50])
    assert ready()
    alice.forget(alice.store())
    assert len(list(ledger.entries())) == 2
    book.write_bytes(book.read_bytes().replace(b'"scope":"key"', b'"scope":"agent"', 1))
    with pytest.raises(CommandError, match="was changed"):
        call_command("replay_erasures")


if SQLITE:

    @pytest.fixture
    def backup(crowd: Cast, tmp_path: Path) -> Callable[[], None]:
        """Keeps the database file as it is when first called; called again puts that back."""
        live, copy = Path(str(connection.settings_dict["NAME"])), tmp_path / "backup.sqlite3"

        def keep_or_restore() -> None:
            if not copy.exists():
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
                shutil.copy(live, copy)
                return
            connection.close()
            for end in ("-wal", "-shm"):
                Path(f"{live}{end}").unlink(missing_ok=True)
            shutil.copy(copy, live)
            rows.index.cache_clear()

        return keep_or_restore

    def lived(company: Company, mark: str) -> dict[str, Any]:
        alice = company.alice
        memory = alice.store(sentence(mark), evidence=alice.evidence(text=f"Well: {mark}.", thread="talk"))
        alice.hold(f"Probably likes {mark} charts.")
        alice.evidence(text=f"Only said: {mark}.", thread="talk")
        return memory

    FORGETTINGS: dict[str, Callable[[Company, dict[str, Any]], Any]] = {
        "key": lambda acme, memory: acme.alice.forget(memory),
        "conversation": lambda acme, memory: forget(acme.alice, thread="talk"),
        "agent": lambda acme, memory: forget(acme.alice, agent="helper"),
        "namespace": lambda acme, memory: forget(acme.alice, namespace={"type": "user"}),
        "person": lambda acme, memory: forget(acme.person("alice"), person="alice"),
        "tenant": lambda acme, memory: forget(acme.person("adam"), tenant="acme"),
    }

    @pytest.mark.parametrize("scope", FORGETTINGS)
    @pytest.mark.in_clear
    def test_a_restored_backup_forgets_again(crowd: Cast, book: Path, backup: Callable[[], None], scope: str) -> None:
        """R-148, T24: not ready to serve, forgotten again by the command, and purged with the same receipt."""
        acme, mark = crowd.acme, word(9)
        memory = lived(acme, mark)
        of_paul = acme.paul.store()
        backup()
        FORGETTINGS[scope](acme, memory)
        with acme.entered():
            receipt = Erasure.objects.exclude(state="planned").get()
        after = rows_with(mark)
        backup()
        assert rows_with(mark) > after
        assert not ready()
        assert "1 forgettings" in replay()
        assert ready()
        assert rows_with(mark) == after
        with acme.entered():
            again = Erasure.objects.get(pk=receipt.pk)
            assert (again.state, again.scope, again.hidden_at) == ("purged", scope_of(scope), receipt.hidden_at)
            assert not Memory.objects.kept().filter(pk=memory["memory_id"]).exists()
            others = Memory.objects.kept().filter(pk=of_paul["memory_id"])
            assert others.exists() == (scope != "tenant")
        assert "0 forgettings" in replay()

    def scope_of(name: str) -> str:
        return {"conversation": "source"}.get(name, name)

    def test_what_the_backup_never_knew_stays_closed(crowd: Cast, book: Path, backup: Callable[[], None]) -> None:
        """R-150: stored and forgotten after the backup: the key and the source bring nothing back."""
        alice, key = crowd.acme.alice, new_key()
        alice.store()
        backup()
        event = {"ref": "message_7", "thread": "talk", "occurred_at": now(minutes=-5).isoformat()}
        alice.forget(alice.store(key=key, evidence=alice.evidence(**event)))
        backup()
        replay()
        assert alice.propose(key=key, evidence=None).json()["reason"] == "tombstone_key"
        assert alice.propose(evidence=alice.evidence(**event)).json()["reason"] == "tombstone_source"
        assert alice.propose(key=key).json()["decision"] == "store"

    def test_what_was_remembered_anew_before_the_backup_stays(
        crowd: Cast, book: Path, backup: Callable[[], None]
    ) -> None:
        alice, key = crowd.acme.alice, new_key()
        alice.forget(alice.store(key=key))
        fresh = alice.store(key=key)
        backup()
        backup()
        assert ready()
        assert "0 forgettings" in replay()
        assert alice.memory(fresh["memory_id"]).json()["status"] == "active"
