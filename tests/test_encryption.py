"""Texts and features encrypted under keys outside the database: nothing stands in clear, nothing is moved or changed
unseen, keys can be changed at any moment and destroyed for good, and a key that is away is an error, never silence."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cast import Caller, Company, in_months, sentence, text_of, word
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from exchange import entry, hand_over
from test_erasure_registry import everything

from accounts.principals import system
from memories import purging
from memories.encryption import keys, recrypting
from memories.encryption.keystore import Folder, StoreError
from memories.models import Evidence, Export, Feature, Import, ImportLine, Memory
from memories.search import rows
from memories.stores import STORES, scan
from memoryhub.sweeping import sweep


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    """A key store of this test's own; a setting is seen at once, and a key is read anew whenever it is needed."""
    monkeypatch.setattr(settings, "MEMORYHUB_KEY_STORE", str(tmp_path / "keys"))
    monkeypatch.setattr(keys, "SETTING_SECONDS", 0.0)
    monkeypatch.setattr(keys, "KEY_SECONDS", 0.0)
    keys.forget()
    keys.store().set_up()
    yield keys.store()
    keys.forget()


def command(*arguments: str) -> str:
    out = io.StringIO()
    call_command("encryption", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def encrypted(acme: Company) -> Company:
    command("encrypt", "--tenant", "acme")
    return acme


def purge(company: Company, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Inside a test's transaction SQLite's log cannot be emptied; see test_purging_files.py."""
    monkeypatch.setattr(purging, "truncate_log", lambda: True)
    with company.entered():
        return dict(purging.purge_due(system(company.tenant.pk), timezone.now() + timedelta(hours=2)))


def stored_bytes() -> bytes:
    """Every cell of every table that the erasure registry names, as the database keeps it."""
    found = []
    with connection.cursor() as cursor:
        for store in STORES:
            cursor.execute(f"SELECT * FROM {store.model._meta.db_table}")  # noqa: S608 - a name of a table
            found += [cell for row in cursor.fetchall() for cell in row if cell is not None]
    return b"\n".join(bytes(one) if isinstance(one, bytes | memoryview) else str(one).encode() for one in found)


def whole_story(caller: Caller, mark: str) -> None:
    """The mark in every column and flow that can hold a text."""
    everything(caller, mark)
    old = caller.store(sentence(f"{mark}old"), key=f"second_{mark}")
    caller.correct(old, statement=sentence(mark))
    caller.hold(sentence(mark), key=f"held_{mark}", conditions=f"When {mark} is due.")
    caller.share({"type": "team", "id": "support"}, sentence(mark), key=f"shared_{mark}")
    hand_over(caller, [entry(sentence(mark), f"staged_{mark}")], dry_run=True)


def test_no_column_of_the_registry_holds_a_text_in_clear(encrypted: Company) -> None:
    """R-140, T23: and everything is found, read and exported as if it were not encrypted."""
    mark, alice = word(6), encrypted.alice
    whole_story(alice, mark)
    assert mark.encode() not in stored_bytes()
    with encrypted.entered():
        assert {"evidence", "memories", "candidates"} <= scan(mark).keys(), "the scan opens what is encrypted"
        assert len({row.generation for row in sealed_columns(Memory)}) == 1
        assert all(type(row) is not bytes for row in Feature.objects.values_list("terms", flat=True))
    rows.index.cache_clear()
    found = alice.recall(mark)["items"]
    assert {item["key"] for item in found} >= {f"key_{mark}", f"second_{mark}", f"shared_{mark}"}
    assert mark in text_of(alice.get("/memories"))
    assert mark.encode() in encrypted.person("alice").post("/exports", {}).content


def sealed_columns(model: Any) -> list[Any]:
    return [one for one in model.objects.exclude(key=None).values_list("key", flat=True) if not isinstance(one, str)]


Look = Callable[[Caller, str], list[str]]
LOOKS: dict[str, Look] = {
    "by key": lambda who, mark: [one["key"] for one in who.listed(key=f"key_{mark}")],
    "by a part": lambda who, mark: [one["key"] for one in who.listed(q=f"{mark.upper()} SUMMARY")],
    "by an area": lambda who, mark: [
        one["key"] for one in who.listed(namespace={"type": "user", "path": [f"path {mark}"]})
    ],
    "by its place": lambda who, mark: [
        who.get(
            "/memories/lookup",
            namespace=f'{{"type": "user", "path": ["path {mark}", "inner"]}}',
            kind="preference",
            key=f"key_{mark}",
        ).json()["key"]
    ],
    "before a call": lambda who, mark: [
        who.memory(one["memory_id"]).json()["key"]
        for one in who.post("/context", {"query": "", "kinds": ["preference"], "preload": [f"key_{mark}"]}).json()[
            "items"
        ]
        if one["memory_id"] == who.listed(key=f"key_{mark}")[0]["memory_id"]
    ],
}


@pytest.mark.parametrize("how", LOOKS)
@pytest.mark.parametrize("kept", ["plain", "encrypted", "encrypted later", "decrypted again"])
@pytest.mark.in_clear
def test_what_is_looked_for_inside_the_database_is_found(acme: Company, how: str, kept: str) -> None:
    """A key, an area and a part of a text, with plain rows and encrypted ones side by side; and nothing else."""
    mark = word(6)
    place = {"type": "user", "path": [f"path {mark}", "inner"]}
    if kept == "encrypted":
        command("encrypt")
    acme.alice.store(sentence(mark), key=f"key_{mark}", namespace=place)
    if kept in ("encrypted later", "decrypted again"):
        command("encrypt")
    if kept == "decrypted again":
        command("decrypt")
    assert (mark.encode() in stored_bytes()) == (kept in ("plain", "decrypted again"))
    acme.alice.store(key=f"other_{mark}", namespace={"type": "user", "path": [f"path {mark}x"]})
    assert LOOKS[how](acme.alice, mark) == [f"key_{mark}"]
    assert acme.alice.listed(q="mh1") == acme.alice.listed(q="==") == [], (
        "what is encrypted is not searched as it stands"
    )


@pytest.mark.parametrize("told", [{"said": {"thread": "talk"}}, {"evidence": "talk"}, {"header": "talk"}])
def test_a_conversation_is_forgotten_whole_wherever_it_is_named(encrypted: Company, told: dict[str, Any]) -> None:
    """R-140: what was told in it is known by the evidence, by what was said, and by the run."""
    alice = encrypted.alice
    caller = alice.in_run("run", "talk") if "header" in told else alice
    evidence = alice.evidence(thread="talk") if "evidence" in told else caller.evidence()
    memory = caller.store(evidence=evidence, **({"said": told["said"]} if "said" in told else {}))
    other = alice.store(evidence=alice.evidence(thread="talking"), said={"thread": "talking"})
    plan = alice.post("/forget", {"filter": {"thread": "talk"}, "dry_run": True}).json()
    assert plan["memory_ids"] == [memory["memory_id"]]
    alice.post("/forget", {"confirm_token": plan["confirm_token"]})
    assert [one["memory_id"] for one in alice.listed()] == [other["memory_id"]]


# --- keys that are away, wrong or destroyed --------------------------------------------------------------------------


def away(store: Path) -> None:
    store.rename(store.with_name("elsewhere"))


def another_ring(store: Path) -> None:
    shutil.rmtree(store / "ring")
    keys.store().set_up()


CALLS = {
    "recall": lambda who: who.post("/recall", {"query": "summary"}),
    "context": lambda who: who.post("/context", {"query": "summary"}),
    "list": lambda who: who.get("/memories"),
    "search": lambda who: who.get("/memories", q="summary"),
    "propose": lambda who: who.post("/proposals", who.proposal(evidence=None, key="fresh")),
}


@pytest.mark.parametrize("harm", [away, another_ring])
def test_a_key_that_cannot_be_had_is_an_error_that_tells_nothing(
    encrypted: Company, store: Folder, harm: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    """R-161: 503 with its own code on every path, and the process is not ready; nothing is stored in clear instead."""
    mark, alice = word(6), encrypted.alice
    alice.store(sentence(mark))
    assert all(call(alice).status_code < 300 for call in CALLS.values())
    before = Memory.everywhere.count()
    harm(Path(settings.MEMORYHUB_KEY_STORE))
    keys.forget()
    rows.index.cache_clear()
    ready = Client().get("/readyz")
    assert ready.json()["checks"]["keys"] == ("failed" if harm is away else "ok")
    for name, call in CALLS.items():
        answer = call(alice)
        assert (answer.status_code, answer.json().get("code")) == (503, "key_unavailable"), name
        assert mark not in text_of(answer)
    assert Memory.everywhere.count() == before
    assert mark not in caplog.text


def test_a_tenant_that_encrypts_writes_nothing_without_a_key_store(
    encrypted: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    encrypted.alice.store()
    monkeypatch.setattr(settings, "MEMORYHUB_KEY_STORE", "")
    keys.forget()
    assert Client().get("/readyz").json()["checks"]["keys"] == "failed"
    answer = encrypted.alice.post("/evidence", {"type": "user_message", "ref": "one"})
    assert (answer.status_code, answer.json()["code"]) == (503, "key_unavailable")
    with pytest.raises(CommandError, match="MEMORYHUB_KEY_STORE"):
        command("status")


def swapped(one: Memory, other: Memory) -> None:
    (first,) = raw("statement", one.pk)
    write("statement", other.pk, first)


def cut(one: Memory, _other: Memory) -> None:
    (held,) = raw("statement", one.pk)
    write("statement", one.pk, held[:-8] + "AAAAAAA=")


def of_another_column(one: Memory, _other: Memory) -> None:
    (held,) = raw("conditions", one.pk)
    write("statement", one.pk, held)


def raw(column: str, pk: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM memories_memory WHERE id = %s", [in_database(pk)])  # noqa: S608
        return cursor.fetchone()


def write(column: str, pk: Any, value: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE memories_memory SET {column} = %s WHERE id = %s", [value, in_database(pk)])  # noqa: S608


def in_database(pk: Any) -> Any:
    return pk if connection.vendor == "postgresql" else pk.hex


@pytest.mark.parametrize("harm", [swapped, cut, of_another_column])
def test_what_was_changed_or_moved_does_not_open(encrypted: Company, harm: Callable[[Memory, Memory], None]) -> None:
    """A ciphertext is bound to its tenant, table, column and row."""
    for _ in range(2):
        encrypted.alice.store(conditions="When a report is due.")
    with encrypted.entered():
        one, other = Memory.objects.order_by("pk")
        harm(one, other)
    found = [encrypted.alice.memory(str(row.pk)) for row in (one, other)]
    assert sorted(answer.status_code for answer in found) == [200, 503]
    assert {answer.json().get("code") for answer in found} == {None, "content_damaged"}


# --- changing keys ---------------------------------------------------------------------------------------------------


def generations(company: Company) -> set[int]:
    with company.entered():
        return {
            value.generation
            for found in recrypting.rows_with_text()
            for row in found
            for value in row.__dict__.values()
            if hasattr(value, "generation")
        }


class Stopped(Exception):
    pass


@pytest.mark.parametrize("what", ["encrypt", "rotate-keys", "decrypt"])
def test_going_over_rows_may_stop_anywhere_and_goes_on(
    acme: Company, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything can be read at every moment in between, and the next call does just what is left."""
    mark = word(6)
    if what != "encrypt":
        command("encrypt")
    whole_story(acme.alice, mark)
    monkeypatch.setattr(recrypting, "BATCH", 2)
    real, calls = recrypting.bring_up_to_date, []

    def stopping(batch: Any) -> int:
        calls.append(batch)
        if len(calls) == 5:
            raise Stopped
        return real(batch)

    monkeypatch.setattr(recrypting, "bring_up_to_date", stopping)
    with pytest.raises(Stopped):
        command(what)
    monkeypatch.setattr(recrypting, "bring_up_to_date", real)
    rows.index.cache_clear()
    assert acme.alice.recalled(mark)
    assert len(acme.alice.listed(q=mark)) == len(acme.alice.listed())
    said = command(what)
    assert "changed" in said
    assert generations(acme) == {"encrypt": {1}, "rotate-keys": {2}, "decrypt": set()}[what]
    assert (mark.encode() in stored_bytes()) == (what == "decrypt")
    assert "0 of them yet to be changed" in command("status")
    rows.index.cache_clear()
    assert acme.alice.recalled(mark)


def test_the_wrapping_key_is_changed_even_after_a_stop(
    encrypted: Company, store: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Data keys stay what they are; the former wrapping key is gone when nothing needs it any more."""
    mark = word(6)
    whole_story(encrypted.alice, mark)
    wrapped = list(store.wrapped())
    assert len(wrapped) > 1
    assert {name for _, name in wrapped} == {"1"}
    real, calls = Folder.wrap_again, []

    def stopping(self: Folder, path: Path) -> None:
        calls.append(path)
        if len(calls) == 2:
            raise Stopped
        real(self, path)

    monkeypatch.setattr(Folder, "wrap_again", stopping)
    with pytest.raises(Stopped):
        command("rotate-wrapping")
    monkeypatch.setattr(Folder, "wrap_again", real)
    assert {name for _, name in store.wrapped()} == {"1", "2"}
    assert encrypted.alice.listed(q=mark)
    assert "Every data key is wrapped by 2" in command("rotate-wrapping")
    assert {name for _, name in store.wrapped()} == {"2"}
    assert list(store.ring().keys) == ["2"]
    assert len(encrypted.alice.listed(q=mark)) == len(encrypted.alice.listed())


def test_keys_are_for_this_user_alone_and_never_shown(encrypted: Company, store: Folder, tmp_path: Path) -> None:
    encrypted.alice.store()
    root = tmp_path / "keys"
    assert not [path for path in (root, *root.rglob("*")) if path.stat().st_mode & 0o077]
    assert all(secret.hex() not in repr(store.ring()) for secret in store.ring().keys.values())
    with encrypted.entered():
        owner = keys.owners(encrypted.tenant.pk)[0]
        assert repr(keys.reading(encrypted.tenant.pk, owner, 1)) == "Key(1, …)"
    root.chmod(0o750)
    with pytest.raises(StoreError, match="chmod 700"):
        store.check()
    assert Client().get("/readyz").json()["checks"]["keys"] == "failed"


def test_data_keys_are_kept_as_long_as_a_backup_may_need_them(
    encrypted: Company, store: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    encrypted.alice.store()
    command("rotate-keys")
    assert "0 data keys destroyed" in command("drop-keys")
    monkeypatch.setattr(settings, "MEMORYHUB_BACKUP_DAYS", -1)
    assert "0 data keys" not in command("drop-keys")
    assert len(encrypted.alice.listed()) == 1


# --- destroying keys -------------------------------------------------------------------------------------------------


def wide(caller: Caller, **chosen: Any) -> dict[str, Any]:
    """A forgetting of a whole: by its dry run, and where it asks for it by typing its name."""
    plan = caller.post("/forget", {"filter": chosen, "dry_run": True})
    assert plan.status_code == 200, text_of(plan)
    typed = {"typed": plan.json()["typed"]} if plan.json()["typed"] else {}
    answer = caller.post("/forget", {"confirm_token": plan.json()["confirm_token"], **typed})
    assert answer.status_code == 200, text_of(answer)
    return dict(answer.json())


SCOPES: dict[str, Callable[[Company], dict[str, Any]]] = {
    "namespace": lambda acme: wide(acme.person("alice"), namespace={"type": "user"}),
    "person": lambda acme: wide(acme.person("alice"), person="alice"),
    "tenant": lambda acme: wide(acme.person("adam"), tenant="acme"),
}


def rows_of_alice(company: Company) -> dict[str, list[dict[str, Any]]]:
    """A backup of what the database holds of her: the bytes of every row."""
    alice = company.member("alice")
    with company.entered():
        return {
            "memories": list(Memory.objects.filter(namespace__membership=alice).values()),
            "evidence": list(Evidence.objects.filter(subject=alice).values()),
        }


@pytest.mark.parametrize("scope", SCOPES)
def test_a_restored_backup_opens_nothing_once_the_keys_are_destroyed(
    encrypted: Company, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-147, R-148: also where the ledger was lost with everything else; other people's texts open as before."""
    mark, paul = word(6), encrypted.paul
    whole_story(encrypted.alice, mark)
    paul.store(sentence("unharmed"))
    backup = rows_of_alice(encrypted)
    SCOPES[scope](encrypted)
    assert purge(encrypted, monkeypatch)["erasures_waiting"] == 0
    with encrypted.entered():
        for row in backup["memories"]:
            Memory.objects.filter(pk=row["id"]).update(**{name: row[name] for name in ("status", "statement", "key")})
            restored = Memory.objects.get(pk=row["id"])
            with pytest.raises(keys.KeyDestroyed):
                _ = restored.statement
        for row in backup["evidence"]:
            Evidence.objects.filter(pk=row["id"]).update(text=row["text"], ref=row["ref"])
            restored = Evidence.objects.get(pk=row["id"])
            with pytest.raises(keys.KeyDestroyed):
                _ = restored.ref
    if scope != "tenant":
        assert [one["statement"] for one in paul.listed()] == [sentence("unharmed")]
    if scope == "namespace":
        answer = encrypted.alice.get("/memories")
        assert (answer.status_code, answer.json()["code"]) == (503, "key_destroyed")


def test_what_others_still_rest_on_outlives_the_key(encrypted: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """A team's memory keeps its evidence, and what is remembered afterwards has a key of its own."""
    alice = encrypted.alice
    team = {"type": "team", "id": "support"}
    shared = alice.share(team, evidence=alice.evidence("review", text="Why it matters."), valid_until=in_months())
    alice.store(sentence("gone"))
    wide(encrypted.person("alice"), namespace={"type": "user"})
    later = alice.store(sentence("later"))
    assert purge(encrypted, monkeypatch)["erasures_waiting"] == 0
    assert [one["memory_id"] for one in alice.listed(namespace=team)] == [shared["memory_id"]]
    assert [one["memory_id"] for one in alice.listed(namespace={"type": "user"})] == [later["memory_id"]]
    with encrypted.entered():
        evidence = Memory.objects.get(pk=shared["memory_id"]).evidence
        assert evidence is not None
        assert evidence.text == "Why it matters."


def test_keys_that_cannot_be_destroyed_yet_keep_the_receipt_waiting(
    encrypted: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-161: hidden at once, purged only when the key is gone as well."""
    encrypted.alice.store()
    receipt = wide(encrypted.person("alice"), namespace={"type": "user"})
    root = Path(settings.MEMORYHUB_KEY_STORE)
    away(root)
    assert purge(encrypted, monkeypatch)["erasures_waiting"] == 1
    root.with_name("elsewhere").rename(root)
    assert purge(encrypted, monkeypatch)["erasures_waiting"] == 0
    assert encrypted.alice.get(f"/erasures/{receipt['id']}").json()["state"] == "purged"


# --- files -----------------------------------------------------------------------------------------------------------


def test_files_of_exports_are_encrypted_and_read_whole_or_not_at_all(
    encrypted: Company, exports_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-143, R-147: in chunks that cannot be left out; a file that was cut off is made anew."""
    monkeypatch.setattr("memories.encryption.streams.CHUNK", 300)
    shutil.rmtree(exports_folder, ignore_errors=True)
    mark, alice = word(6), encrypted.alice
    for _ in range(5):
        alice.store(sentence(mark))
    errand = alice.post("/exports", {"format": "csv"}).json()
    sweep(timezone.now(), slug="acme", steps=("memories.tasks.write_exports",))
    (file,) = [path for path in exports_folder.rglob("*") if path.is_file()]
    assert mark.encode() not in file.read_bytes()
    answer = alice.get(f"/exports/{errand['id']}/file")
    whole = b"".join(answer.streaming_content)
    with encrypted.entered():
        export = Export.objects.get(pk=errand["id"])
        assert len(whole) == export.size
        assert scan(mark)["exports"] == 1
    assert whole.count(mark.encode()) == 5
    damaged = bytearray(file.read_bytes())
    damaged[-1] ^= 1
    file.write_bytes(damaged)
    with pytest.raises(keys.ContentDamaged):
        b"".join(alice.get(f"/exports/{errand['id']}/file").streaming_content)
    file.write_bytes(damaged[:-40])
    assert alice.get(f"/exports/{errand['id']}/file").status_code == 409


def test_a_line_that_cannot_be_opened_now_is_taken_up_again(encrypted: Company) -> None:
    """Nothing acknowledged is lost: a key that is away is no fault of the line."""
    alice = encrypted.person("alice")
    mark = word(6)
    errand = hand_over(alice, f"{sentence(mark)}\n", dry_run=True, format="text")
    with encrypted.entered():
        assert ImportLine.objects.get().content is not None
    root = Path(settings.MEMORYHUB_KEY_STORE)
    assert alice.post(f"/imports/{errand['id']}/start").status_code in (200, 202)
    away(root)
    keys.forget()
    apply = ("memories.tasks.apply_imports",)
    assert sweep(timezone.now(), slug="acme", steps=apply)[0].failed == apply
    root.with_name("elsewhere").rename(root)
    with encrypted.entered():
        Import.objects.update(claimed_until=timezone.now())  # its lease is over
    sweep(timezone.now(), slug="acme", steps=apply)
    assert mark in text_of(alice.get("/memories"))
