"""The sweep does what is due, once, whatever else fails; the chain of the audit shows any tampering."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from cast import TEAM, Cast, Company, in_months, new_key, now, sentence
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone

from accounts import tenancy
from accounts.models import AuditEvent, AuditSeal, IdempotencyKey
from accounts.principals import Principal
from accounts.tasks import TENANT_HEADER, TenantTask
from memories import purging
from memories.models import Candidate, Erasure, Evidence, Memory
from memories.tasks import purge as purge_task
from memoryhub import sweeping
from memoryhub import tasks as hub_tasks


@pytest.fixture(autouse=True)
def _no_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a test's transaction the log cannot be emptied; see test_purging_files.py."""
    monkeypatch.setattr(purging, "truncate_log", lambda: True)


def sweep(company: Company, **later: float) -> Mapping[str, int]:
    """What a sweep at this moment did in one tenant, the sealing of its own events left out."""
    (swept,) = sweeping.sweep(timezone.now() + timedelta(**later), slug=company.tenant.slug)
    assert not swept.failed
    return {what: count for what, count in swept.counts.items() if what != "events_sealed"}


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, audit aside."""
    models = [model for model in apps.get_models() if model not in (AuditEvent, AuditSeal)]
    return {
        model._meta.label: sorted(getattr(model, "everywhere", model.objects).values_list(), key=str)
        for model in models
    }


# --- what is due ------------------------------------------------------------------------------------------------------


def test_each_due_thing_is_done_once(acme: Company) -> None:
    """R-103, R-134, R-161: a second sweep at the same moment finds nothing to do and changes nothing."""
    alice = acme.alice
    held = alice.hold()
    alice.forget(alice.store())
    fading = alice.store(valid_until=now(days=2).isoformat())
    alice.post("/forget", {"filter": {"kind": "preference"}, "dry_run": True})
    alice.attest(text=sentence(), speaker="Alice")
    alice.propose(headers={"Idempotency-Key": "once"})
    at = {"days": 200}
    done = sweep(acme, **at)
    assert done["candidates_lapsed"] == 1
    assert done["memories_expired"] == 1
    assert done["erasures_purged"] == 2, "the forgotten one and the long expired one"
    assert done["plans_dropped"] == 1
    assert done["evidence_expired"] >= 1
    assert done["idempotency_keys_dropped"] == 1
    with acme.entered():
        assert Candidate.objects.get(pk=held["candidate_id"]).statement is None
        assert Memory.objects.get(pk=fading["memory_id"]).status == "deleted"
        assert not Evidence.objects.filter(text__isnull=False).exists()
        assert not IdempotencyKey.objects.exists()
        assert not AuditEvent.objects.filter(seal=None).exists()
        before = everything()
    assert sweep(acme, **at) == {}
    assert everything() == before


def test_nothing_happens_before_its_time(acme: Company) -> None:
    alice = acme.alice
    alice.hold()
    alice.store(valid_until=now(days=2).isoformat())
    alice.post("/forget", {"filter": {"kind": "preference"}, "dry_run": True})
    alice.attest(text=sentence())
    alice.propose(headers={"Idempotency-Key": "once"})
    assert sweep(acme) == {"notices_made": 2, "notices_mailed": 1}, "what waits and what ends is told at once"
    assert sweep(acme) == {}


def test_a_sweep_touches_one_tenant_at_a_time(cast: Cast) -> None:
    cast.acme.alice.hold()
    bobs = cast.beta.bob.hold()
    sweep(cast.acme, days=60)
    assert cast.beta.bob.candidate(bobs["candidate_id"])["status"] == "pending"
    assert tenancy.active_id() is None


# --- evidence ---------------------------------------------------------------------------------------------------------


def test_evidence_loses_its_text_and_keeps_its_reference_for_the_memory(acme: Company) -> None:
    alice = acme.alice
    used = alice.evidence(text=sentence(), speaker="Alice", ref="message_used", thread="t1")
    unused = alice.evidence(text=sentence(), speaker="Alice", ref="message_unused", thread="t1")
    alice.store(evidence=used)
    sweep(acme, days=40)
    with acme.entered():
        kept, gone = Evidence.objects.get(pk=used), Evidence.objects.get(pk=unused)
    assert (kept.text, kept.speaker, kept.ref, kept.thread) == (None, "", "message_used", "t1")
    assert (gone.text, gone.speaker, gone.ref, gone.thread) == (None, "", "", "")


def test_a_reference_stays_as_long_as_something_that_waits_cites_it(acme: Company) -> None:
    alice = acme.alice
    acme.policy(confirm="always")
    evidence = alice.evidence(text=sentence(), ref="message_held")
    held = alice.candidate(alice.propose(evidence=evidence).json()["candidate_id"])
    with acme.entered():
        Candidate.objects.filter(pk=held["candidate_id"]).update(lapses_at=now(days=60))
    sweep(acme, days=40)
    with acme.entered():
        row = Evidence.objects.get(pk=evidence)
        assert (row.text, row.ref) == (None, "message_held")
    sweep(acme, days=70)
    with acme.entered():
        assert Evidence.objects.get(pk=evidence).ref == ""


# --- what is long expired ---------------------------------------------------------------------------------------------


def test_what_is_long_expired_is_forgotten_with_a_receipt_for_its_owner(acme: Company) -> None:
    """D17, R-134: a removal by a job has an event, an actor and a receipt."""
    memory = acme.alice.store(valid_until=now(days=2).isoformat())
    assert "memories_expired" not in sweep(acme, days=91), "the policy keeps it 90 days past its end"
    sweep(acme, days=93)
    with acme.entered():
        erasure = Erasure.objects.get(memory_ids=[memory["memory_id"]])
        assert AuditEvent.objects.get(action="memory.expire", target_id=erasure.pk).actor == "system"
    receipt = acme.alice.get(f"/erasures/{erasure.pk}").json()
    assert (receipt["state"], receipt["memory_ids"]) == ("purged", [memory["memory_id"]])
    assert acme.paul.get(f"/erasures/{erasure.pk}").status_code == 404


def test_what_a_person_is_still_asked_about_is_not_forgotten_under_them(acme: Company) -> None:
    key = new_key()
    memory = acme.alice.store(key=key, valid_until=now(days=2).isoformat())
    held = acme.alice.hold(key=key)
    with acme.entered():
        Candidate.objects.filter(pk=held["candidate_id"]).update(lapses_at=now(days=100))
    assert "memories_expired" not in sweep(acme, days=95)
    assert acme.alice.memory(memory["memory_id"]).json()["statement"] == memory["statement"]
    assert sweep(acme, days=101)["memories_expired"] == 1


def test_an_ended_version_goes_with_its_key_and_not_before(acme: Company) -> None:
    alice, key = acme.alice, new_key()
    ended = alice.store(key=key, valid_until=now(days=2).isoformat())
    lasting = alice.store(key=key)
    assert "memories_expired" not in sweep(acme, days=200)
    assert [row["memory_id"] for row in alice.get(f"/memories/{lasting['memory_id']}/history").json()["items"]] == [
        lasting["memory_id"],
        ended["memory_id"],
    ]


def test_a_shared_lesson_expires_too(acme: Company) -> None:
    acme.alice.share(TEAM, valid_until=in_months())
    assert sweep(acme, days=250)["memories_expired"] == 1


# --- failure ----------------------------------------------------------------------------------------------------------


def failing(_principal: Principal, _now: datetime) -> Mapping[str, int]:
    raise RuntimeError("a remembered text could stand here")


def test_one_step_that_fails_stops_no_other_step_and_no_other_tenant(cast: Cast) -> None:
    cast.acme.alice.hold()
    cast.beta.bob.hold()
    steps = [f"{__name__}.failing", *sweeping.STEPS]
    results = {one.tenant: one for one in sweeping.sweep(timezone.now() + timedelta(days=60), steps=steps)}
    for slug in ("acme", "beta"):
        assert results[slug].failed == (f"{__name__}.failing",)
        assert results[slug].counts["candidates_lapsed"] == 1


def test_a_failed_step_is_told_and_makes_the_command_fail(
    acme: Company, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sweeping, "STEPS", (f"{__name__}.failing", *sweeping.STEPS))
    monkeypatch.setattr(sweeping.sweep, "__kwdefaults__", {"slug": None, "steps": sweeping.STEPS})
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 steps failed"):
        call_command("sweep", tenant="acme", stdout=out)
    assert "acme" in out.getvalue()
    assert "a remembered text" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("after", range(1, len(sweeping.STEPS)))
def test_a_sweep_that_stopped_half_way_is_finished_by_the_next(acme: Company, after: int) -> None:
    alice = acme.alice
    alice.hold()
    alice.forget(alice.store())
    alice.attest(text=sentence())
    moment = timezone.now() + timedelta(days=60)
    sweeping.sweep(moment, slug="acme", steps=sweeping.STEPS[:after])
    sweeping.sweep(moment, slug="acme")
    with acme.entered():
        assert not Candidate.objects.filter(status="pending").exists()
        assert not Erasure.objects.filter(state="hidden").exists()
        assert not Evidence.objects.filter(text__isnull=False).exists()
        assert not AuditEvent.objects.filter(seal=None).exists()


def test_a_crash_inside_a_step_leaves_the_row_due(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    erasure = acme.alice.forget(acme.alice.store())

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(purging, "_settle", crash)
        with pytest.raises(KeyboardInterrupt), transaction.atomic():
            sweep(acme)
    assert acme.alice.get(f"/erasures/{erasure['id']}").json()["state"] == "hidden"
    sweep(acme, seconds=10)
    assert acme.alice.get(f"/erasures/{erasure['id']}").json()["state"] == "purged"


# --- the worker and the tasks -----------------------------------------------------------------------------------------


def test_the_worker_stops_when_told_and_survives_a_failing_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, rounds = threading.Event(), []

    def once(_now: datetime, **_: Any) -> list[sweeping.Swept]:
        rounds.append(1)
        if len(rounds) == 3:
            stop.set()
        raise ConnectionError

    monkeypatch.setattr(sweeping, "sweep", once)
    monkeypatch.setattr(sweeping, "close_old_connections", lambda: None)
    monkeypatch.setattr(sweeping, "gather_statistics", lambda: None)
    monkeypatch.setattr(sweeping, "_work_waits", lambda: False)
    monkeypatch.setattr(sweeping.connection, "close", lambda: None)
    sweeping.work(stop, 0.001)
    assert len(rounds) == 3


def test_the_worker_wakes_early_for_a_forgetting(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "LOOK_SECONDS", 0.001)
    acme.alice.forget(acme.alice.store())
    sweeping._rest(threading.Event(), 3600.0)
    with acme.entered():
        Erasure.objects.update(attempts=1)
    stop = threading.Event()
    stop.set()
    sweeping._rest(stop, 3600.0)


def run(task: Callable[..., Any], *args: str, tenant: Company | None) -> None:
    headers = {TENANT_HEADER: str(tenant.tenant.pk)} if tenant else {}
    task.apply(args=args, headers=headers, throw=True)  # type: ignore[attr-defined]


def test_a_task_enters_the_tenant_of_its_header_and_leaves_it(cast: Cast) -> None:
    """T16: no tenant, no work; another tenant's id is nothing to it."""
    erasure = cast.acme.alice.forget(cast.acme.alice.store())
    with pytest.raises(tenancy.NoActiveTenant):
        run(purge_task, erasure["id"], tenant=None)
    run(purge_task, erasure["id"], tenant=cast.beta)
    assert cast.acme.alice.get(f"/erasures/{erasure['id']}").json()["state"] == "hidden"
    run(purge_task, erasure["id"], tenant=cast.acme)
    assert cast.acme.alice.get(f"/erasures/{erasure['id']}").json()["state"] == "purged"
    assert tenancy.active_id() is None
    assert isinstance(purge_task, TenantTask)


def test_beat_sweeps_every_tenant_by_its_id(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(hub_tasks.sweep_tenant, "apply_async", lambda headers, **_: sent.append(headers[TENANT_HEADER]))
    hub_tasks.sweep()
    assert {str(cast.acme.tenant.pk), str(cast.beta.tenant.pk)} <= set(sent)
    hub_tasks.app.finalize()
    assert hub_tasks.app.conf.beat_schedule["sweep"]["task"] == "memoryhub.tasks.sweep"


def test_soon_hands_over_ids_after_the_commit_and_only_with_a_broker(
    acme: Company, monkeypatch: pytest.MonkeyPatch, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(purge_task, "apply_async", lambda **message: sent.append(message))
    erasure_id = Erasure(pk=None).pk
    with acme.entered(), django_capture_on_commit_callbacks(execute=True):
        purging.soon(erasure_id)
    assert sent == []
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    with acme.entered(), django_capture_on_commit_callbacks(execute=True):
        purging.soon(erasure_id)
        assert sent == []
    tenant = {TENANT_HEADER: str(acme.tenant.pk)}
    assert sent == [{"args": [str(erasure_id)], "headers": tenant, "retry": False}]


def test_an_unknown_tenant_is_an_error(cast: Cast) -> None:
    for command in ("sweep", "verify_audit"):
        with pytest.raises(CommandError, match="no such tenant"):
            call_command(command, tenant="nowhere", stdout=io.StringIO())
