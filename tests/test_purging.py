"""After a forgetting: `hidden` becomes `purged` only when nothing is left, and every failure stays visible."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from cast import Company, new_key, now, sentence, text_of
from django.conf import settings
from django.db import connection
from django.utils import timezone

from accounts import verifying
from accounts.models import AuditEvent, AuditSeal
from accounts.principals import system
from memories import purging, stores
from memories.models import Candidate, Erasure, Evidence, Feature, Memory, Namespace
from memories.search import rows

SQLITE = connection.vendor == "sqlite"


@pytest.fixture(autouse=True)
def _no_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a test's transaction the log cannot be emptied; see test_purging_files.py."""
    monkeypatch.setattr(purging, "truncate_log", lambda: True)


def purge(company: Company, later: timedelta = timedelta()) -> dict[str, int]:
    with company.entered():
        return dict(purging.purge_due(system(company.tenant.pk), timezone.now() + later))


def receipt(company: Company, erasure: dict[str, Any]) -> dict[str, Any]:
    return company.alice.get(f"/erasures/{erasure['id']}").json()


def test_a_forgetting_is_purged_with_its_place_in_the_audit(acme: Company) -> None:
    erasure = acme.alice.forget(acme.alice.store())
    assert erasure["state"] == "hidden"
    assert purge(acme) == {"erasures_purged": 1, "erasures_waiting": 0}
    shown = receipt(acme, erasure)
    assert shown["state"] == "purged"
    assert shown["purged_at"] is not None
    with acme.entered():
        event = AuditSeal.objects.get(sequence=shown["audit_sequence"]).event
        assert (event.action, str(event.target_id)) == ("memory.forget", erasure["id"])
        assert AuditEvent.objects.filter(action="memory.purge", target_id=erasure["id"], actor="system").count() == 1
        assert verifying.verify(acme.tenant.pk).fault is None


@pytest.mark.parametrize(("rewritten", "kept"), [(7, 30), (1, 0)])
def test_the_receipt_tells_by_when_the_last_byte_is_gone(
    acme: Company, rewritten: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-147, R-148: what is gone now is told from what leaves by a date that this deployment promises."""
    monkeypatch.setattr(settings, "MEMORYHUB_REWRITE_DAYS", rewritten)
    monkeypatch.setattr(settings, "MEMORYHUB_BACKUP_DAYS", kept)
    erasure = acme.alice.forget(acme.alice.store())
    assert erasure["gone_by"] is None
    purge(acme)
    shown = receipt(acme, erasure)
    purged = datetime.fromisoformat(shown["purged_at"])
    in_files = 0 if SQLITE else rewritten
    days = {place: (datetime.fromisoformat(moment) - purged).days for place, moment in shown["gone_by"].items()}
    assert days == {"database": in_files, "backups": in_files + kept}
    alice = acme.person("alice")
    assert "Last backup with it gone by" in text_of(alice.call("GET", f"//erasures/{erasure['id']}/"))
    told = text_of(alice.call("GET", "//help/forgetting/"))
    assert ("No backups are kept" in told) == (kept == 0)
    assert (f"At most {in_files + kept} days after the purge" in told) == (kept > 0)


def test_purging_twice_is_purging_once(acme: Company) -> None:
    erasure = acme.alice.forget(acme.alice.store())
    purge(acme)
    first = receipt(acme, erasure)
    assert purge(acme, timedelta(days=1)) == {"erasures_purged": 0, "erasures_waiting": 0}
    assert receipt(acme, erasure) == first


LEFTOVERS = {
    "a statement": lambda memory_id: Candidate.objects.filter(slot__versions=memory_id).update(statement="kept"),
    "index terms": lambda memory_id: Feature.objects.create(
        memory_id=memory_id, namespace=Namespace.objects.get(memories=memory_id), terms=b"kept", length=1
    ),
    "provenance": lambda memory_id: Memory.objects.filter(pk=memory_id).update(provenance={"ref": "kept"}),
    "what was said": lambda memory_id: Memory.objects.filter(pk=memory_id).update(said={"speaker": "kept"}),
    "an area": lambda memory_id: Memory.objects.filter(pk=memory_id).update(path=["kept"]),
}


@pytest.mark.parametrize("leave", LEFTOVERS.values(), ids=LEFTOVERS.keys())
@pytest.mark.in_clear
def test_what_is_not_clean_stays_hidden_and_is_tried_again(acme: Company, leave: Any) -> None:
    alice = acme.alice
    key = new_key()
    memory = alice.store(key=key)
    alice.hold(key=key)
    erasure = alice.forget(memory)
    with acme.entered():
        leave(memory["memory_id"])
    assert purge(acme) == {"erasures_purged": 0, "erasures_waiting": 1}
    assert receipt(acme, erasure)["state"] == "hidden"
    with acme.entered():
        assert Erasure.objects.get(pk=erasure["id"]).attempts == 1
        Feature.objects.filter(memory_id=memory["memory_id"]).delete()
        Candidate.objects.update(statement=None)
        Memory.objects.filter(pk=memory["memory_id"]).update(
            path=[], said={}, provenance={"source": "deletion_request"}
        )
    assert purge(acme) == {"erasures_purged": 0, "erasures_waiting": 1}, "the next attempt is not due yet"
    assert purge(acme, timedelta(minutes=5)) == {"erasures_purged": 1, "erasures_waiting": 0}
    assert receipt(acme, erasure)["state"] == "purged"


def test_every_store_of_the_registry_is_looked_into(acme: Company) -> None:
    erasure = acme.alice.forget(acme.alice.store())
    with acme.entered():
        row = Erasure.objects.get(pk=erasure["id"])
        for store in stores.STORES:
            purging._rows_of(store.name, row).exists()
        with pytest.raises(LookupError):
            purging._rows_of("a store nobody told us of", row)


def test_what_is_said_anew_after_the_forgetting_is_left_alone(acme: Company) -> None:
    alice, key = acme.alice, new_key()
    erasure = alice.forget(alice.store(key=key))
    later = now(seconds=1).isoformat()
    again = alice.store(key=key, evidence=alice.evidence(occurred_at=later))
    acme.policy(confirm="always")
    asked = alice.propose(key=key, evidence=alice.evidence(occurred_at=later))
    held = alice.candidate(asked.json()["candidate_id"])
    assert purge(acme)["erasures_purged"] == 1
    assert receipt(acme, erasure)["state"] == "purged"
    assert alice.memory(again["memory_id"]).json()["statement"] == again["statement"]
    assert alice.candidate(held["candidate_id"])["statement"] == held["statement"]


def test_evidence_goes_once_nothing_else_rests_on_it(acme: Company) -> None:
    alice = acme.alice
    evidence = alice.evidence(text=sentence())
    memory = alice.store(evidence=evidence)
    acme.policy(confirm="always")
    held = alice.candidate(alice.propose(evidence=evidence).json()["candidate_id"])
    alice.forget(memory)
    with acme.entered():
        assert Evidence.objects.get(pk=evidence).text is not None, "a candidate still rests on it"
    assert acme.person("alice").decide(held, "reject").status_code == 200
    assert purge(acme)["erasures_purged"] == 1
    with acme.entered():
        row = Evidence.objects.get(pk=evidence)
        assert (row.text, row.ref, row.thread, row.speaker) == (None, "", "", "")


def test_one_of_two_workers_makes_the_attempt(acme: Company) -> None:
    erasure = acme.alice.forget(acme.alice.store())
    with acme.entered():
        one, other = Erasure.objects.get(pk=erasure["id"]), Erasure.objects.get(pk=erasure["id"])
        assert purging._claim(one)
        assert not purging._claim(other)
    assert purge(acme)["erasures_purged"] == 0, "claimed by one that then stopped"
    assert purge(acme, timedelta(seconds=3))["erasures_purged"] == 1


def test_the_index_of_this_process_lets_go(acme: Company) -> None:
    memory = acme.alice.store()
    acme.alice.recall(memory["statement"])
    kept = rows.index()._kept
    assert kept
    acme.alice.forget(memory)
    purge(acme)
    with acme.entered():
        namespace_id = Memory.objects.get(pk=memory["memory_id"]).namespace_id
    assert namespace_id not in kept
