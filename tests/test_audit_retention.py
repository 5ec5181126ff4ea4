"""Old events leave by the policy's retention, nothing else can make them leave, and what stays can be verified."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from append_only import tampering
from cast import Company
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from accounts import sealing, verifying
from accounts.chain import head
from accounts.ids import first_uuid7
from accounts.models import AuditCheckpoint, AuditEvent, AuditSeal
from accounts.principals import system
from memories import retention
from memories.policy import default_document, load

NOW = datetime.now(UTC)
OLD, DAYS = 12, 400


@pytest.fixture
def aged(acme: Company) -> Iterator[Company]:
    """A company, entered, with a dozen sealed events of before the retention and some of today."""
    acme.policy(confirm="inferred_only", retention=kept(DAYS))
    with acme.entered():
        for number in range(OLD):
            old(NOW - timedelta(days=DAYS + 40, minutes=-number))
        sealing.seal_all(acme.tenant.pk)
        yield acme


def kept(days: int | None) -> dict[str, int | None]:
    return {"candidate_days": 30, "evidence_text_days": 30, "expired_purge_days": 90, "audit_days": days}


def old(at: datetime) -> AuditEvent:
    return AuditEvent.objects.create(id=first_uuid7(at), at=at, actor="system", action="memory.list", outcome="ok")


def expire(company: Company) -> int:
    return retention.drop_old_audit(system(company.tenant.pk), NOW).get("audit_events_removed", 0)


def test_old_events_leave_and_the_rest_holds(aged: Company) -> None:
    """What left is counted and stated: in a checkpoint, in an event, and by whoever verifies."""
    count, end = AuditEvent.objects.count(), head()
    assert expire(aged) == OLD
    assert AuditEvent.objects.count() == count - OLD + 1
    told = AuditEvent.objects.get(action="audit.expire")
    assert told.details == {"last": OLD, "until": (NOW - timedelta(days=DAYS)).date().isoformat(), "events": OLD}
    assert AuditCheckpoint.objects.get().sequence == OLD
    assert head() == end
    sealing.seal_all(aged.tenant.pk)
    verdict = verifying.verify(aged.tenant.pk, end)
    assert (verdict.first, verdict.last, verdict.fault) == (OLD + 1, count + 1, None)
    out = io.StringIO()
    call_command("verify_audit", tenant="acme", stdout=out)
    assert f"holds, {OLD} before it left by retention" in out.getvalue()
    assert expire(aged) == 0


def test_it_goes_on_in_batches_and_on_other_days(aged: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "EXPIRE_BATCH", 5)
    assert expire(aged) == OLD
    assert list(AuditCheckpoint.objects.order_by("pk").values_list("sequence", flat=True)) == [5, 10, OLD]
    assert verifying.verify(aged.tenant.pk).fault is None


def test_a_chain_of_which_all_left_goes_on_where_it_was(aged: Company) -> None:
    with tampering() as cursor:
        cursor.execute("DELETE FROM accounts_auditseal WHERE sequence > %s", [OLD])
        cursor.execute("DELETE FROM accounts_auditevent WHERE at > %s", [NOW - timedelta(days=1)])
    assert expire(aged) == OLD
    assert head() is not None
    assert sealing.seal_all(aged.tenant.pk) == 1
    assert AuditSeal.objects.get().sequence == OLD + 1
    assert verifying.verify(aged.tenant.pk).fault is None


@pytest.mark.parametrize("retained", [None, DAYS + 100])
def test_what_the_policy_keeps_stays(aged: Company, retained: int | None) -> None:
    """A policy that does not say keeps everything."""
    aged.policy(confirm="inferred_only", retention=kept(retained))
    assert expire(aged) == 0
    assert not AuditCheckpoint.objects.exists()


def test_a_policy_of_before_this_rule_is_still_valid() -> None:
    document = default_document()
    assert load(document).retention.audit_days == 1095
    document = {**document, "retention": {name: days for name, days in kept(1).items() if name != "audit_days"}}
    assert load(document).retention.audit_days is None


def test_the_sweep_does_it(aged: Company) -> None:
    out = io.StringIO()
    call_command("sweep", tenant="acme", stdout=out)
    assert f"audit events removed: {OLD}" in " ".join(out.getvalue().split())
    assert verifying.verify(aged.tenant.pk).fault is None
    assert not AuditEvent.objects.filter(seal=None).exists()


def test_what_was_tampered_with_does_not_leave_unseen(aged: Company) -> None:
    with tampering() as cursor:
        cursor.execute("UPDATE accounts_auditseal SET digest = %s WHERE sequence = 3", ["0" * 64])
    count = AuditEvent.objects.count()
    with pytest.raises(sealing.BrokenChain), transaction.atomic():
        expire(aged)
    assert AuditEvent.objects.count() == count
    with pytest.raises(CommandError):
        call_command("sweep", tenant="acme", stdout=io.StringIO())


# --- the guard lets exactly that through ------------------------------------------------------------------------------


def test_events_before_a_checkpoint_can_go_and_no_others(aged: Company) -> None:
    """A seal only after its event, an event only when a checkpoint covers it and it is old."""
    seals = list(AuditSeal.objects.order_by("sequence"))
    oldest, newest = seals[0], seals[-1]
    for attempt in (oldest.event, oldest):
        refused(attempt)
    AuditCheckpoint.objects.create(sequence=newest.sequence, seal="0" * 64, until=NOW, digest="0" * 64)
    refused(oldest, "its event is still there")
    refused(newest.event, "it is younger than thirty days")
    stray = old(NOW - timedelta(days=500))
    refused(stray, "it has no seal")
    with transaction.atomic():
        assert go(oldest.event) == 1
        assert go(oldest) == 1
        transaction.set_rollback(True)
    assert verifying.verify(aged.tenant.pk).fault == verifying.Fault(1, "checkpoint"), "and a made-up one is found"


def test_a_checkpoint_of_another_company_covers_nothing(aged: Company, beta: Company) -> None:
    with beta.entered():
        AuditCheckpoint.objects.create(sequence=1000, seal="0" * 64, until=NOW, digest="0" * 64)
    refused(AuditSeal.objects.get(sequence=1).event)


def go(row: AuditEvent | AuditSeal) -> int:
    return int(type(row).objects.filter(pk=row.pk)._raw_delete("default"))


def refused(row: AuditEvent | AuditSeal, why: str = "") -> None:
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        go(row)
    assert type(row).objects.filter(pk=row.pk).exists(), why
