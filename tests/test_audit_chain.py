"""The chain of the audit: whatever is done to its rows is found, and the first event that does not hold is named."""

from __future__ import annotations

import contextlib
import io
import json
import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from append_only import migration, tampering
from cast import Cast, Company
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from accounts import audit, sealing, verifying
from accounts.chain import Chain, Head, Written, head
from accounts.ids import first_uuid7
from accounts.models import AuditCheckpoint, AuditEvent, AuditSeal
from accounts.principals import system
from memories import purging
from memories.models import Erasure

LENGTH = 24
POSITIONS = 12  # of each kind
Seals = list[AuditSeal]


def grow(company: Company, count: int) -> None:
    """So many more events, all sealed. The company must be entered."""
    with transaction.atomic():
        for number in range(count):
            audit.record(system(company.tenant.pk), "memory.list", details={"items": number})
    sealing.seal_all(company.tenant.pk)


@pytest.fixture
def seals(acme: Company) -> Iterator[Seals]:
    """A chain, with its company entered."""
    with acme.entered():
        grow(acme, LENGTH)
        yield list(AuditSeal.objects.order_by("sequence"))


def column(value: Any) -> Any:
    return value.hex if connection.vendor == "sqlite" else value


# --- five kinds of tampering, with events, seals or both --------------------------------------------------------------

Tamper = Callable[[Any, Seals, int], set[str]]


def edit_event(cursor: Any, seals: Seals, at: int) -> set[str]:
    """Another code, id, time or detail in an event."""
    name, value = random.choice(
        [
            ("outcome", "denied"), ("action", "memory.forget"), ("reason", "x"), ("actor", "agent"),
            ("target", "memory"), ("request_id", "0"), ("at", "2020-01-01 00:00:00"), ("details", '{"items": 1000}'),
            ("actor_id", column(seals[0].event_id)), ("subject_id", column(seals[0].event_id)),
            ("target_id", column(seals[0].event_id)),
        ]
    )  # fmt: skip
    change(cursor, "auditevent", name, value, seals[at].event_id)
    return {"changed"}


def edit_seal(cursor: Any, seals: Seals, at: int) -> set[str]:
    """Another digest, with or without another event."""
    if random.random() < 0.5:
        edit_event(cursor, seals, at)
    change(cursor, "auditseal", "digest", random.randbytes(32).hex(), seals[at].pk)
    return {"changed"}


def delete_event(cursor: Any, seals: Seals, at: int) -> set[str]:
    remove(cursor, "auditevent", seals[at].event_id)
    return {"event_missing"}


def delete_seal(cursor: Any, seals: Seals, at: int) -> set[str]:
    """The seal alone, or with its event."""
    remove(cursor, "auditseal", seals[at].pk)
    if random.random() < 0.5:
        remove(cursor, "auditevent", seals[at].event_id)
    return {"seal_missing"}


def delete_and_close_the_gap(cursor: Any, seals: Seals, at: int) -> set[str]:
    delete_seal(cursor, seals, at)
    shift(cursor, seals[at].sequence, -1)
    return {"removed", "changed"} if at + 2 == len(seals) else {"removed"}


def swap_places(cursor: Any, seals: Seals, at: int) -> set[str]:
    other = random.randrange(at + 1, len(seals))
    for pk, sequence in ((seals[at].pk, -1), (seals[other].pk, at + 1), (seals[at].pk, other + 1)):
        change(cursor, "auditseal", "sequence", sequence, pk)
    return {"reordered"}


def swap_events(cursor: Any, seals: Seals, at: int) -> set[str]:
    """The seals stay, their events change places."""
    other = random.randrange(at + 1, len(seals))
    forged = AuditEvent.objects.create(actor="system", action="x", outcome="ok")
    for seal, event in ((seals[other], forged), (seals[at], seals[other].event), (seals[other], seals[at].event)):
        change(cursor, "auditseal", "event_id", column(event.pk), seal.pk)
    remove(cursor, "auditevent", forged.pk)
    return {"reordered"}


def insert(cursor: Any, seals: Seals, at: int) -> set[str]:
    """A forged event takes a place; what stood there and behind moves on."""
    shift(cursor, at, 1)
    forged = AuditEvent.objects.create(actor="system", action="memory.forget", outcome="ok")
    digest = random.choice([seals[at].digest, random.randbytes(32).hex()])
    AuditSeal.objects.create(sequence=at + 1, event=forged, digest=digest)
    return {"inserted", "reordered"} if at + 1 == len(seals) else {"inserted"}


def cut_tail(cursor: Any, seals: Seals, at: int) -> set[str]:
    """Everything from here on, events and seals."""
    for seal in seals[at:]:
        remove(cursor, "auditseal", seal.pk)
        remove(cursor, "auditevent", seal.event_id)
    return {"cut"}


def change(cursor: Any, table: str, name: str, value: Any, pk: Any) -> None:
    place = column(pk) if table == "auditevent" else pk
    cursor.execute(f"UPDATE accounts_{table} SET {name} = %s WHERE id = %s", [value, place])  # noqa: S608


def remove(cursor: Any, table: str, pk: Any) -> None:
    cursor.execute(f"DELETE FROM accounts_{table} WHERE id = %s", [column(pk) if table == "auditevent" else pk])  # noqa: S608


def shift(cursor: Any, after: int, by: int) -> None:
    """Number what stands after a place anew; first out of the way, since numbers are unique."""
    cursor.execute("UPDATE accounts_auditseal SET sequence = -sequence WHERE sequence > %s", [after])
    cursor.execute("UPDATE accounts_auditseal SET sequence = %s - sequence WHERE sequence < 0", [by])


NEEDS_ANOTHER = (swap_places, swap_events, delete_seal, delete_and_close_the_gap)
TAMPERINGS: tuple[Tamper, ...] = (
    edit_event, edit_seal, delete_event, delete_seal, delete_and_close_the_gap, swap_places, swap_events, insert,
    cut_tail,
)  # fmt: skip


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda tamper: tamper.__name__)
def test_tampering_anywhere_is_found_and_named(acme: Company, seals: Seals, tamper: Tamper) -> None:
    """T25: edit, delete, reorder, insert and cut, in the events, in the seals and in both."""
    noted = head()
    assert verifying.verify(acme.tenant.pk, noted).fault is None
    with tampering() as cursor:
        for _ in range(POSITIONS):
            at = random.randrange(len(seals) - (tamper in NEEDS_ANOTHER))
            with transaction.atomic():
                kinds = tamper(cursor, seals, at)
                verdict = verifying.verify(acme.tenant.pk, noted)
                transaction.set_rollback(True)
            assert verdict.fault is not None, at
            assert verdict.fault.sequence == at + 1
            assert verdict.fault.kind in kinds
            assert verdict.held == at
    assert verifying.verify(acme.tenant.pk, noted).held == len(seals)


def test_a_long_chain_is_read_in_batches(acme: Company, seals: Seals, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a batch or a noted head ends, and progress is told."""
    monkeypatch.setattr(verifying, "VERIFY_BATCH", 5)
    told: list[int] = []
    assert verifying.verify(acme.tenant.pk, progress=told.append).held == len(seals)
    assert told == [*range(5, len(seals), 5), len(seals)]
    with tampering() as cursor:
        for at in range(0, len(seals), 4):
            noted = Head(at + 1, seals[at].digest)
            assert verifying.verify(acme.tenant.pk, noted).fault is None
            assert verifying.verify(acme.tenant.pk, Head(at + 1, "0" * 64)).fault == verifying.Fault(
                at + 1, "head_differs"
            )
            with transaction.atomic():
                edit_seal(cursor, seals, at)
                assert verifying.verify(acme.tenant.pk, noted).held == at
                transaction.set_rollback(True)


def test_a_chain_moved_to_another_company_does_not_hold(cast: Cast) -> None:
    with cast.acme.entered():
        grow(cast.acme, 3)
    with tampering() as cursor:
        for table in ("auditseal", "auditevent"):
            statement = f"UPDATE accounts_{table} SET tenant_id = %s WHERE tenant_id = %s"  # noqa: S608
            cursor.execute(statement, [column(cast.beta.tenant.pk), column(cast.acme.tenant.pk)])
    with cast.beta.entered():
        assert verifying.verify(cast.beta.tenant.pk).fault is not None


def test_an_event_slipped_in_behind_the_chain_is_found(acme: Company, seals: Seals) -> None:
    """It is not sealed later either, so that no forged past becomes part of the chain."""
    forged = AuditEvent.objects.create(id="01900000-0000-7000-8000-000000000000", action="memory.forget", outcome="ok")
    assert sealing.seal(acme.tenant.pk) == 0
    fault = verifying.verify(acme.tenant.pk).fault
    assert fault == verifying.Fault(len(seals) + 1, "never_sealed", fault.event_id if fault else None)
    assert str(fault.event_id) == str(forged.pk)


def test_a_clock_that_ran_ahead_leaves_no_event_unsealed(acme: Company, seals: Seals) -> None:
    ahead = timezone.now() + timedelta(days=1)
    AuditEvent.objects.create(id=first_uuid7(ahead), at=ahead, actor="system", action="memory.list", outcome="ok")
    assert sealing.seal(acme.tenant.pk) == 1
    grow(acme, 2)
    assert not AuditEvent.objects.filter(seal=None).exists()
    assert verifying.verify(acme.tenant.pk).fault is None


def test_seals_of_the_earlier_form_are_made_anew_in_their_places(acme: Company, seals: Seals) -> None:
    with tampering() as cursor:
        cursor.execute("UPDATE accounts_auditseal SET digest = %s", ["0" * 64])
        assert verifying.verify(acme.tenant.pk).fault is not None
        migration.seal_anew(apps, None)
    assert verifying.verify(acme.tenant.pk).fault is None
    assert list(AuditSeal.objects.order_by("sequence")) == seals


def test_bytes_where_text_belongs_are_found(acme: Company, seals: Seals) -> None:
    """SQLite lets any column hold anything; PostgreSQL refuses."""
    is_lax = connection.vendor == "sqlite"
    refusal = contextlib.nullcontext() if is_lax else pytest.raises(DatabaseError)
    with tampering() as cursor, refusal, transaction.atomic():
        change(cursor, "auditevent", "at", b"ok", seals[5].event_id)
    found = verifying.verify(acme.tenant.pk).fault
    assert found == (verifying.Fault(6, "changed", seals[5].event_id) if is_lax else None)


def test_an_event_is_written_alike_on_every_database(acme: Company) -> None:
    """A chain begun on SQLite holds on PostgreSQL; and what a seal covers is every column."""
    given: dict[str, Any] = {
        "id": "01900000-0000-7000-8000-000000000001", "at": "2031-02-03T04:05:06+00:00", "actor": "agent",
        "action": "memory.list", "outcome": "ok", "target": "memory", "request_id": "r\"1",
        "target_id": "01900000-0000-7000-8000-000000000002", "details": {"id": "x", "items": 3},
    }  # fmt: skip
    with acme.entered():
        event = AuditEvent.objects.create(**given)
        (text,) = AuditEvent.objects.filter(pk=event.pk).values_list(Written(), flat=True)
    assert text == json.dumps(
        [
            "01900000000070008000000000000001", acme.tenant.pk.hex, "2031-02-03 04:05:06", "agent", None, None,
            "memory.list", "ok", "", "memory", "01900000000070008000000000000002", 'r"1', '{"id": "x", "items": 3}',
        ],
        separators=(",", ":"),
    )  # fmt: skip
    assert len(json.loads(text)) == len(AuditEvent._meta.concrete_fields)


def test_a_seal_cannot_be_made_without_the_key(acme: Company, seals: Seals, settings: Any) -> None:
    chain = Chain.of(acme.tenant.pk)
    settings.MEMORYHUB_PEPPER = "another"
    assert Chain.of(acme.tenant.pk).digest("", 1, "[]") != chain.digest("", 1, "[]")
    assert verifying.verify(acme.tenant.pk).fault == verifying.Fault(1, "changed", seals[0].event_id)


# --- the database refuses --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [AuditEvent, AuditSeal, AuditCheckpoint])
@pytest.mark.parametrize("verb", ["update", "delete", "save"])
def test_the_database_refuses_to_change_the_audit(acme: Company, seals: Seals, model: Any, verb: str) -> None:
    """T25: whoever asks, by whatever query; adding goes on."""
    AuditCheckpoint.objects.create(sequence=0, seal="", until=seals[0].event.at, digest="")
    attempts = {
        "update": lambda: model.objects.update(tenant=acme.tenant),
        "delete": lambda: model.objects.all()._raw_delete("default"),
        "save": lambda: model.objects.first().save(),
    }
    count = model.objects.count()
    with pytest.raises(DatabaseError), transaction.atomic():
        attempts[verb]()
    assert model.objects.count() == count
    grow(acme, 1)


@pytest.mark.pg
@pytest.mark.parametrize("table", ["auditevent", "auditseal", "auditcheckpoint", "tenant"])
def test_no_table_of_the_audit_can_be_emptied(acme: Company, seals: Seals, table: str) -> None:
    """TRUNCATE fires no trigger of a row; emptying the tenants would take the audit along."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            cursor.execute(f"TRUNCATE accounts_{table} CASCADE")
    assert AuditSeal.objects.count() == len(seals)


# --- the command -----------------------------------------------------------------------------------------------------


def verify(*arguments: str) -> str:
    out = io.StringIO()
    call_command("verify_audit", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_untouched_chains_hold_and_it_is_noted(cast: Cast) -> None:
    """Each company has a chain of its own, and each verification leaves its event."""
    for company in (cast.acme, cast.beta):
        with company.entered():
            grow(company, 3)
            assert list(AuditSeal.objects.order_by("sequence").values_list("sequence", flat=True))[0] == 1
    assert verify().count("holds") == 2
    assert "broken" not in verify("--tenant", "acme")
    with cast.acme.entered():
        noted = AuditEvent.objects.filter(action="audit.verify").order_by("-pk")
        assert [(event.outcome, event.actor) for event in noted] == [("holds", "system")] * 2


def test_a_copy_that_takes_no_writes_is_verified_too(
    acme: Company, seals: Seals, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise DatabaseError

    monkeypatch.setattr(audit, "record", fails)
    assert "holds" in verify("--tenant", "acme")


def test_a_broken_chain_is_told_in_words(acme: Company, seals: Seals) -> None:
    """Sequence, event and what is wrong; the exit is not zero, and the verdict is kept."""
    with tampering() as cursor:
        edit_event(cursor, seals, 4)
    with pytest.raises(CommandError) as refusal:
        verify("--tenant", "acme")
    assert f"acme: sequence 5, event {seals[4].event_id}: the event that stands here, or" in str(refusal.value)
    event = AuditEvent.objects.get(action="audit.verify")
    assert (event.outcome, event.reason, event.details["sequence"]) == ("broken", "changed", 5)


def test_a_cut_tail_is_found_by_a_head_noted_before(acme: Company, seals: Seals, tmp_path: Path) -> None:
    file = tmp_path / "heads.json"
    verify("--save-heads", str(file))
    assert json.loads(file.read_text())["acme"] == f"{seals[-1].sequence}:{seals[-1].digest}" == str(head())
    grow(acme, 2)
    verify("--heads", str(file))
    with tampering() as cursor:
        cut_tail(cursor, list(AuditSeal.objects.order_by("sequence")), 20)
    assert "broken" not in verify("--tenant", "acme"), "what is left holds by itself"
    for arguments in (["--heads", str(file)], ["--tenant", "acme", "--head", str(Head(24, seals[23].digest))]):
        with pytest.raises(CommandError, match="sequence 21: the newest events are gone"):
            verify(*arguments)


def test_a_chain_sealed_anew_is_found_by_a_head_noted_before(acme: Company, seals: Seals) -> None:
    """Whoever has the key as well can make a chain that holds, and not the one that was noted."""
    noted = head()
    with tampering() as cursor:
        cursor.execute("DELETE FROM accounts_auditseal")
        change(cursor, "auditevent", "outcome", "denied", seals[2].event_id)
    sealing.seal_all(acme.tenant.pk)
    assert verifying.verify(acme.tenant.pk).fault is None
    assert verifying.verify(acme.tenant.pk, noted).fault == verifying.Fault(len(seals), "head_differs")


def test_a_chain_cut_before_a_receipt_is_found_without_a_head(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(purging, "truncate_log", lambda: True)  # not inside a test's transaction
    acme.alice.forget(acme.alice.store())
    call_command("sweep", tenant="acme", stdout=io.StringIO())
    with acme.entered():
        named = Erasure.objects.get().audit_sequence
        with tampering() as cursor:
            cut_tail(cursor, list(AuditSeal.objects.order_by("sequence")), named - 1)
    with pytest.raises(CommandError, match=f"sequence {named}: the newest"):
        verify("--tenant", "acme")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--head", "1:" + "0" * 64],
        ["--tenant", "acme", "--head", "x"],
        ["--heads", "/nowhere"],
        ["--tenant", "nowhere"],
    ],
)
def test_what_cannot_be_verified_is_an_error(acme: Company, arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        verify(*arguments)
    with acme.entered():
        assert not AuditEvent.objects.filter(action="audit.verify").exists()
