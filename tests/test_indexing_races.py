"""Vectors on real connections: several workers and a forgetting at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from cast import Caller, Cast
from django.db import connections
from django.utils import timezone
from embedders import InUse, WordEmbedder

from accounts.principals import system
from memories import embeddings, indexing
from memories.models import Feature, Memory


def test_workers_and_forgetting_at_once(crowd: Cast, use: InUse, monkeypatch: pytest.MonkeyPatch) -> None:
    """On real connections: no text is embedded twice, what is forgotten has no vector, everything else has one."""
    monkeypatch.setattr(indexing, "BATCH", 3)
    embedder = use(WordEmbedder())
    embeddings.means(embedder.name)
    embedder.asked.clear()
    alice, company = crowd.acme.alice, crowd.acme
    stored = [alice.store() for _ in range(16)]
    gate = threading.Barrier(4)

    def fill() -> int:
        with company.entered():
            return indexing.fill_due(system(company.tenant.pk), timezone.now())["vectors_made"]

    def work(index: int) -> None:
        try:
            gate.wait(timeout=30)
            if index < 2:
                while fill():
                    pass
            else:
                for memory in stored[index::4]:
                    Caller(alice.token, alice.subject).forget(memory)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    while fill():
        pass
    assert len(embedder.asked) == len(set(embedder.asked))
    gone = {memory["memory_id"] for memory in stored[2::4] + stored[3::4]}
    with company.entered():
        rows = {str(pk): vector for pk, vector in Feature.objects.values_list("pk", "vector")}
        assert set(rows) == {memory["memory_id"] for memory in stored} - gone
        assert all(rows.values())
        newest = Memory.objects.order_by("-rev").values_list("rev", "namespace__revision").first()
    assert newest is not None
    assert newest[0] == newest[1]
