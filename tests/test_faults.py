"""The broker, the embedder or the clock goes wrong: nothing acknowledged is lost, and all that is due goes on later."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from cast import Company, new_key, sentence, word
from django.conf import settings
from django.utils import timezone
from embedders import InUse, WordEmbedder
from exchange import entry, hand_over

from accounts.principals import system
from memories import indexing, purging
from memories.embeddings import EmbedderError
from memories.models import Export, Feature, Import
from memoryhub.sweeping import sweep


def test_a_broker_that_is_gone_delays_and_loses_nothing(
    acme: Company, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    """R-161, R-262: every call is answered as ever; what its messages would have made prompt is done by the sweep."""
    monkeypatch.setattr(settings, "CELERY_BROKER_URL", "redis://127.0.0.1:1/0")
    monkeypatch.setattr(purging, "truncate_log", lambda: True)
    alice, person = acme.alice, acme.person("alice")
    with django_capture_on_commit_callbacks(execute=True):
        memory = alice.store()
        receipt = alice.forget(alice.store())
        export = person.post("/exports", {"format": "csv"}).json()
        errand = hand_over(person, [entry(sentence(), new_key())], dry_run=True)
        assert person.post(f"/imports/{errand['id']}/start").status_code in (200, 202)
    assert alice.memory(memory["memory_id"]).status_code == 200
    sweep(timezone.now(), slug="acme")
    assert alice.get(f"/erasures/{receipt['id']}").json()["state"] == "purged"
    assert person.get(f"/exports/{export['id']}").json()["state"] == "ready"
    assert person.get(f"/imports/{errand['id']}").json()["state"] == "done"


def test_an_embedder_that_is_gone_costs_meaning_and_no_memory(acme: Company, use: InUse) -> None:
    """R-161: words still find it, the answer says that meaning was missing, and vectors come when it is back."""
    embedder, alice, mark = WordEmbedder(), acme.alice, word(6)
    use(embedder)

    def away(_texts: Any) -> None:
        raise EmbedderError("unreachable")

    known = alice.store()
    fill(acme)
    embedder.before = away
    memory = alice.store(sentence(mark))
    assert fill(acme)["vectors_made"] == 0
    found = alice.recall(mark)
    assert (found["status"], memory["memory_id"]) == ("degraded", found["items"][0]["memory_id"])
    assert alice.get("/index-status").json()["pending"] == 1
    assert alice.memory(known["memory_id"]).status_code == 200
    embedder.before = lambda texts: None
    assert fill(acme, timedelta(hours=2))["vectors_made"] == 1
    assert alice.get("/index-status").json()["pending"] == 0


def fill(company: Company, later: timedelta = timedelta()) -> Mapping[str, int]:
    with company.entered():
        return indexing.fill_due(system(company.tenant.pk), timezone.now() + later)


@pytest.mark.parametrize("ahead", [timedelta(days=10), timedelta(days=-400)])
def test_a_clock_that_jumped_puts_nothing_off(
    acme: Company, use: InUse, ahead: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was claimed, hidden or put off while the clock was wrong is due when it is right again."""
    use(WordEmbedder())
    monkeypatch.setattr(purging, "truncate_log", lambda: True)
    alice, person = acme.alice, acme.person("alice")
    kept, gone = alice.store(), alice.store()
    with monkeypatch.context() as patch:
        real = timezone.now
        patch.setattr(timezone, "now", lambda: real() + ahead)
        receipt = alice.forget(gone)
        export = person.post("/exports", {"format": "csv"}).json()
        errand = hand_over(person, [entry(sentence(), new_key())], dry_run=True)
        person.post(f"/imports/{errand['id']}/start")
        claimed = timezone.now() + timedelta(minutes=2)
    with acme.entered():
        Export.objects.update(state="running", claimed_until=claimed)
        Import.objects.update(state="running", claimed_until=claimed)
        Feature.objects.update(embed_after=claimed)
    sweep(timezone.now(), slug="acme")
    assert alice.get(f"/erasures/{receipt['id']}").json()["state"] == "purged"
    assert person.get(f"/exports/{export['id']}").json()["state"] == "ready"
    assert person.get(f"/imports/{errand['id']}").json()["state"] == "done"
    assert alice.memory(kept["memory_id"]).json()["status"] == "active"
    with acme.entered():
        assert not Feature.objects.filter(vector=None).exists()
