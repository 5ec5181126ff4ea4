"""Taking memories along: what a file holds, how it is made, who may have it and when it is gone."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import shutil
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cast import AGENT, PROJECT, TEAM, USER, Caller, Cast, Company, now, sentence, text_of, word
from django.conf import settings
from django.core.files.storage import FileSystemStorage
from exchange import asked, entry, export_of, file_of, hand_over, lines_of, own, sweep
from jsonschema import Draft202012Validator

from accounts import tokens
from accounts.models import AgentKey, AuditEvent, GroupMember, Membership
from memories.exchange import exporting, files, writing
from memories.exchange.importers import schema
from memories.models import Export, Memory
from memories.tasks import write_export
from memoryhub import sweeping


@pytest.fixture(autouse=True)
def _no_file_of_another_test(exports_folder: Path) -> None:
    shutil.rmtree(exports_folder, ignore_errors=True)


def folder() -> Path:
    return Path(settings.STORAGES["exports"]["OPTIONS"]["location"])


def kept(company: Company) -> list[Path]:
    return [path for path in folder().rglob("*") if path.is_file() and str(company.tenant.pk) in str(path)]


def events(company: Company, action: str) -> list[AuditEvent]:
    with company.entered():
        return list(AuditEvent.objects.filter(action=action).order_by("pk"))


# --- one's own, at once -----------------------------------------------------------------------------------------------


def test_ones_own_memories_come_at_once(acme: Company) -> None:
    """R-260: what stands, as the API shows it, in the published form; paused ones too, in the order of writing."""
    alice, mark = acme.alice, word()
    first = alice.store(sentence(mark), value={"a": [1, None]}, aliases=["order"], conditions="In reports")
    second = alice.store("先给结论再给依据 🙂")
    alice.correct(first, statement=sentence(f"{mark}-two"))
    alice.post(f"/memories/{second['memory_id']}/pause")
    gone = alice.forget(alice.store(sentence(f"{mark}-gone")))
    response = alice.post("/exports", {})
    assert response.headers["Content-Type"] == "application/x-ndjson"
    lines = lines_of(response.content)
    standing = {row["memory_id"]: row for row in alice.listed() if row["status"] != "superseded"}
    assert {line["memory_id"]: {k: v for k, v in line.items() if k != "schema"} for line in lines} == standing
    assert [line["status"] for line in lines] == ["paused", "active"], "the correction was written last"
    for line in lines:
        Draft202012Validator(schema()).validate(line)
    assert gone["id"] not in text_of(response)
    assert f"{mark}-gone" not in text_of(response)
    digest = hashlib.sha256(response.content).digest().hex()
    assert (
        f"sha-256=:{__import__('base64').b64encode(bytes.fromhex(digest)).decode()}:"
        == (response.headers["Content-Digest"])
    )
    (event,) = events(acme, "memory.export")
    assert event.details == {"memories": 2, "format": "jsonl"}


def test_an_empty_memory_is_an_empty_file(acme: Company) -> None:
    assert own(acme.paul) == b""


@pytest.mark.parametrize("limit", ["AT_ONCE", "AT_ONCE_BYTES"])
def test_more_than_one_answer_can_hold_is_made_in_the_background(
    acme: Company, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    alice = acme.alice
    for _ in range(2):
        alice.store()
    whole = own(alice)
    monkeypatch.setattr(exporting, limit, 1)
    response = alice.post("/exports", {})
    assert (response.status_code, response.json()["state"]) == (202, "queued")
    sweep(acme)
    assert file_of(alice, response.json()) == whole


def test_a_client_that_reads_nothing_but_json_lines_is_served(acme: Company) -> None:
    acme.alice.store()
    for accept in ("application/x-ndjson", "application/x-ndjson, */*;q=0.5", "*/*", "application/json"):
        assert acme.alice.post("/exports", {}, {"Accept": accept}).status_code == 200
    assert acme.alice.post("/exports", {"format": "csv"}, {"Accept": "application/x-ndjson"}).status_code == 202


# --- a file, in the background ----------------------------------------------------------------------------------------


def test_a_file_is_made_counted_digested_and_fetched(acme: Company) -> None:
    alice = acme.alice
    memories = [alice.store(), alice.share(TEAM), alice.share(PROJECT)]
    export = asked(alice, namespaces=[USER, TEAM, PROJECT])
    assert (export["state"], export["sha256"], export["progress"]) == ("queued", None, {"done": 0, "total": 0})
    assert alice.get(f"/exports/{export['id']}/file").json()["code"] == "export_not_ready"
    assert sweep(acme)["exports_written"] == 1
    made = export_of(alice, export)
    content = file_of(alice, export)
    assert (made["state"], made["progress"]) == ("ready", {"done": 3, "total": 3})
    assert (made["size"], made["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
    assert {line["memory_id"] for line in lines_of(content)} == {one["memory_id"] for one in memories}
    assert sweep(acme).get("exports_written") is None
    actions = ("export.ask", "memory.export", "export.fetch")
    told = [event.details for action in actions for event in events(acme, action)]
    assert told == [
        {"scope": "namespaces", "format": "jsonl", "namespaces": 3},
        {"memories": 3, "format": "jsonl", "scope": "namespaces"},
        {"memories": 3},
    ]


def test_a_file_lies_where_only_the_service_may_read_under_a_name_nobody_guesses(acme: Company) -> None:
    acme.alice.store()
    asked(acme.alice)
    sweep(acme)
    (path,) = kept(acme)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == folder().stat().st_mode & 0o777 == 0o700
    assert len(path.stem) >= 43
    assert str(path.name) not in text_of(acme.alice.get(f"/exports/{exports_of(acme)[0].pk}"))


def exports_of(company: Company) -> list[Export]:
    with company.entered():
        return list(Export.objects.order_by("pk"))


def test_a_file_is_written_some_memories_at_a_time(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the number, no more than a batch is in memory; the file is the same."""
    alice = acme.alice
    for _ in range(5):
        alice.store()
    whole = own(alice)
    monkeypatch.setattr(exporting, "BATCH", 2)
    sizes: list[int] = []
    step = writing._step

    def noted(export: Export, count: int) -> None:
        sizes.append(count)
        step(export, count)

    monkeypatch.setattr(writing, "_step", noted)
    export = asked(alice)
    sweep(acme)
    assert sizes == [2, 2, 1]
    assert file_of(alice, export) == whole


@pytest.mark.in_clear
def test_a_table_holds_no_formula(acme: Company) -> None:
    """T29: whatever a memory says, no spreadsheet computes it."""
    alice = acme.alice
    texts = ["=1+1", "+1", "-1", "@now", "\t=1", "\r=1", "  =1", "＝1+1", "＋1", "－1", "＠x", 'plain "quoted", text']
    for text in texts:
        memory = alice.store()
        with acme.entered():
            Memory.objects.filter(pk=memory["memory_id"]).update(statement=text, conditions=text)
    export = asked(alice, format="csv")
    sweep(acme)
    rows = list(csv.DictReader(io.StringIO(file_of(alice, export).decode("utf-8-sig"), newline="")))
    assert [row["statement"] for row in rows] == [f"'{text}" for text in texts[:-1]] + texts[-1:]
    assert all(row["conditions"] == row["statement"] for row in rows)
    assert {row["namespace"] for row in rows} == {"user:alice"}


@pytest.mark.in_clear
def test_a_text_to_read_holds_no_markup(acme: Company) -> None:
    memory = acme.alice.store()
    with acme.entered():
        Memory.objects.filter(pk=memory["memory_id"]).update(statement="# <b>bold</b>\n- [x](y) `c`")
    person = acme.person("alice")
    person.client.cookies["django_language"] = "zh-hans"
    export = asked(person, format="markdown")
    sweep(acme)
    text = file_of(person, export).decode()
    assert "> \\# \\<b\\>bold\\</b\\>\n> \\- \\[x\\](y) \\`c\\`" in text
    assert text.startswith("# ")
    assert text.isascii() is False, "its headings are in the language of whoever asked"


# --- who may have it --------------------------------------------------------------------------------------------------


def test_only_an_admin_in_person_takes_the_whole_organisation_along(cast: Cast) -> None:
    """An agent never gains its person's rights, and a member has none; the other company is not in it, nor is what is
    remembered of other people: that takes a reason (test_break_glass)."""
    acme, whole = cast.acme, {"scope": "tenant"}
    memories = [acme.adam.store(), acme.alice.share(TEAM), acme.alice.share(AGENT)]
    acme.alice.store()
    acme.paul.store()
    cast.beta.bob.store()
    for caller in (acme.adam, acme.person("alice"), acme.person("rita")):
        answer = caller.post("/exports", whole)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_an_admin")
    adam = acme.person("adam")
    with acme.entered():
        token = tokens.create(acme.principal("adam"), "script", ["memory:read"], now(days=1))
    assert Caller(str(token)).post("/exports", whole).json()["code"] == "not_an_admin", "nor has a token"
    export = adam.post("/exports", whole).json()
    sweep(acme)
    assert {line["memory_id"] for line in lines_of(file_of(adam, export))} == {one["memory_id"] for one in memories}
    with acme.entered():
        Membership.objects.filter(external_id="adam").update(roles=["member"])
    assert adam.get(f"/exports/{export['id']}/file").status_code == 404


def test_a_right_that_ends_ends_with_the_file(acme: Company) -> None:
    """Who leaves a team before the file is made gets none, and who leaves it after that cannot fetch it any more."""
    alice = acme.person("alice")
    acme.alice.share(TEAM)
    made, waiting = asked(alice, namespaces=[TEAM]), None
    sweep(acme)
    assert file_of(alice, made)
    waiting = asked(alice, namespaces=[TEAM])
    with acme.entered():
        GroupMember.objects.filter(membership__external_id="alice", group__slug="support").delete()
    assert alice.get(f"/exports/{made['id']}/file").status_code == 404
    sweep(acme)
    assert (export_of(alice, waiting)["state"], export_of(alice, waiting)["error"]) == ("failed", "no_longer_permitted")
    assert len(kept(acme)) == 1
    (event,) = events(acme, "export.fail")
    assert (event.outcome, event.reason) == ("failed", "no_longer_permitted")


@pytest.mark.parametrize("end", ["key", "person", "agent"])
def test_nothing_is_made_for_who_is_gone(acme: Company, end: str) -> None:
    acme.alice.store()
    asked(acme.alice)
    with acme.entered():
        key = AgentKey.objects.get(agent__slug="helper", name="runtime")
        if end == "key":
            AgentKey.objects.filter(pk=key.pk).update(revoked_at=key.created_at)
        elif end == "person":
            Membership.objects.filter(external_id="alice").update(is_active=False)
        else:
            key.agent.is_active = False
            key.agent.save()
    sweep(acme)
    (row,) = exports_of(acme)
    assert (row.state, row.error, row.file) == ("failed", "no_longer_permitted", "")
    assert kept(acme) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"format": "xml"}, "format"),
        ({"scope": "everything"}, "scope"),
        ({"namespaces": []}, "namespaces"),
        ({"scope": "tenant", "namespaces": [USER]}, "namespaces"),
        ({"namespaces": [{**USER, "path": ["work"]}]}, "namespaces"),
        ({"tenant": "acme"}, "tenant"),
        ({"subject": "paul"}, "subject"),
    ],
)
def test_what_is_not_understood_is_named(acme: Company, body: dict[str, Any], field: str) -> None:
    response = acme.alice.post("/exports", body)
    assert response.status_code == 400
    assert field in json.dumps(response.json()["errors"])
    assert exports_of(acme) == []


# --- ends, failures and retries ---------------------------------------------------------------------------------------


def test_a_link_runs_out_and_the_file_goes(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    acme.alice.store()
    export = asked(acme.alice)
    sweep(acme)
    sweep(acme, hours=23)
    assert file_of(acme.alice, export)
    with acme.entered():
        Export.objects.update(expires_at=exports_of(acme)[0].finished_at)
    answer = acme.alice.get(f"/exports/{export['id']}/file")
    assert (answer.status_code, answer.json()["code"]) == (409, "export_not_ready")
    assert export_of(acme.alice, export)["state"] == "expired", "also before a sweep comes by"
    assert sweep(acme)["export_files_removed"] == 1
    assert kept(acme) == []
    assert export_of(acme.alice, export)["sha256"] is None
    sweep(acme, days=31)
    assert exports_of(acme) == []


def test_an_export_can_be_cancelled_and_made_anew(acme: Company, django_capture_on_commit_callbacks: Any) -> None:
    alice = acme.alice
    alice.store()
    export = asked(alice)
    for wait in (True, False):
        if not wait:
            sweep(acme)
            assert len(kept(acme)) == 1
        with django_capture_on_commit_callbacks(execute=True):
            assert alice.post(f"/exports/{export['id']}/cancel").json()["state"] == "cancelled"
        assert kept(acme) == []
        assert alice.get(f"/exports/{export['id']}/file").status_code == 409
        assert alice.post(f"/exports/{export['id']}/cancel").json()["code"] == "already_ended"
        assert sweep(acme).get("exports_written") is None
        assert alice.post(f"/exports/{export['id']}/retry").json()["state"] == "queued"
        assert alice.post(f"/exports/{export['id']}/retry").json()["code"] == "not_ended"
    sweep(acme)
    assert file_of(alice, export) == own(alice)


def test_a_full_disk_is_told_and_can_be_tried_again(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    acme.alice.store()
    export = asked(acme.alice)

    def full(self: Any, name: str, content: Any) -> str:
        list(content.chunks())
        raise OSError(28, "no space")

    with monkeypatch.context() as patch:
        patch.setattr(FileSystemStorage, "save", full)
        sweep(acme)
    failed = export_of(acme.alice, export)
    assert (failed["state"], failed["error"], failed["sha256"]) == ("failed", "storage_failed", None)
    assert kept(acme) == []
    acme.alice.post(f"/exports/{export['id']}/retry")
    sweep(acme)
    assert file_of(acme.alice, export) == own(acme.alice)


@pytest.mark.parametrize("harm", ["gone", "cut"])
def test_a_file_that_is_not_whole_is_never_given_out(acme: Company, harm: str) -> None:
    acme.alice.store()
    export = asked(acme.alice)
    sweep(acme)
    (path,) = kept(acme)
    if harm == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-1])
    assert acme.alice.get(f"/exports/{export['id']}/file").status_code == 409
    assert (export_of(acme.alice, export)["state"], kept(acme)) == ("failed", [])


def test_a_writer_that_stopped_is_followed_by_another(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash at any batch leaves a row that is due again; the half file goes, and who gives up says so."""
    alice = acme.alice
    alice.store()
    export = asked(alice)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "_step", crash, raising=True)
    for attempt in range(1, writing.MOST_ATTEMPTS + 1):
        with acme.entered(), pytest.raises(KeyboardInterrupt):
            writing.write(Export.objects.get(pk=export["id"]))
        assert len(kept(acme)) == 1, "only the last half file"
        assert sweep(acme).get("exports_written") is None, "someone seems to be at work"
        with acme.entered():
            Export.objects.update(claimed_until=exports_of(acme)[0].created_at - timedelta(minutes=1))
            assert exports_of(acme)[0].attempts == attempt
    sweep(acme)
    assert (export_of(alice, export)["state"], export_of(alice, export)["error"]) == ("failed", "interrupted")
    assert kept(acme) == []
    monkeypatch.undo()
    alice.post(f"/exports/{export['id']}/retry")
    sweep(acme)
    assert file_of(alice, export) == own(alice)


def test_one_of_two_writers_writes_it(acme: Company) -> None:
    acme.alice.store()
    asked(acme.alice)
    with acme.entered():
        one, other = Export.objects.get(), Export.objects.get()
        assert writing.write(one)
        assert not writing.write(other)
    assert len(kept(acme)) == 1


def test_a_file_that_no_row_names_is_removed(acme: Company) -> None:
    with acme.entered():
        name = files.new_name("jsonl")
        files.write(name, [b"left behind"])
        acme.alice.store()
        asked(acme.alice)
    sweep(acme)
    assert len(kept(acme)) == 2, "it is young, so its row may be on its way"
    assert sweep(acme, hours=7)["export_files_removed"] == 1
    assert len(kept(acme)) == 1


def test_one_person_cannot_fill_the_disk(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "MOST_OPEN", 2)
    first, _second = asked(acme.alice), asked(acme.alice)
    assert acme.alice.post("/exports", {"format": "csv"}).json()["code"] == "too_many_exports"
    assert asked(acme.paul)
    acme.alice.post(f"/exports/{first['id']}/cancel")
    assert asked(acme.alice)


def test_a_repeated_request_makes_one_export(acme: Company) -> None:
    once = {"Idempotency-Key": word()}
    answers = [acme.alice.post("/exports", {"format": "csv"}, once) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    assert len(exports_of(acme)) == 1


def test_a_broker_is_handed_the_id_alone(
    acme: Company, monkeypatch: pytest.MonkeyPatch, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(write_export, "apply_async", lambda **message: sent.append(message))
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    with django_capture_on_commit_callbacks(execute=True):
        export = asked(acme.alice)
    headers = {"memoryhub_tenant": str(acme.tenant.pk)}
    assert sent == [{"args": [export["id"]], "headers": headers, "retry": False}]
    write_export.apply(args=[export["id"]], headers=headers, throw=True)
    assert export_of(acme.alice, export)["state"] == "ready"


def test_the_worker_wakes_early_for_what_waits(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "LOOK_SECONDS", 0.001)
    asked(acme.alice)
    sweeping._rest(threading.Event(), 3600.0)
    sweep(acme)
    answer = hand_over(acme.alice, [entry(sentence(), word())], dry_run=True)
    acme.alice.post(f"/imports/{answer['id']}/start", {})
    sweeping._rest(threading.Event(), 3600.0)
