"""What a memory may become, how it ends, and what no retriever, body or address gets around."""

from __future__ import annotations

from typing import Any

import pytest
from cast import Cast, Company, sentence, word
from django.db import IntegrityError, transaction
from django.urls import get_resolver
from embedders import InUse, WordEmbedder
from test_forget_scopes import forget
from test_indexing import fill

from memories.models import Candidate, Memory


def test_only_what_may_follow_follows(acme: Company) -> None:
    """R-045: by the id of a superseded version the current one is switched; what is deleted comes to no other state."""
    first = acme.alice.store()
    second = acme.alice.store(key=first["key"])
    for verb, status in (("pause", "paused"), ("resume", "active")):
        assert acme.alice.post(f"/memories/{first['memory_id']}/{verb}").status_code == 200
        assert acme.alice.memory(second["memory_id"]).json()["status"] == status
        assert acme.alice.memory(first["memory_id"]).json()["status"] == "superseded"
    acme.alice.forget(second)
    assert acme.alice.post(f"/memories/{second['memory_id']}/resume").status_code == 404
    assert acme.alice.memory(second["memory_id"]).json()["status"] == "deleted"


@pytest.mark.in_clear
@pytest.mark.parametrize("change", [{"status": "deleted"}, {"statement": None}])
def test_the_database_knows_the_states_too(acme: Company, change: dict[str, Any]) -> None:
    """R-045: deleted exactly where there is no text."""
    memory = acme.alice.store()
    with acme.entered(), pytest.raises(IntegrityError), transaction.atomic():
        Memory.objects.filter(pk=memory["memory_id"]).update(**change)


def test_every_memory_is_somebodys(acme: Company) -> None:
    """R-037: tenant, namespace and slot are columns that are never empty."""
    for name in ("tenant", "namespace", "slot"):
        assert not Memory._meta.get_field(name).null, name


@pytest.mark.parametrize("embedder", [None, "words-5", "words-6"])
def test_no_retriever_widens_the_place(cast: Cast, use: InUse, embedder: str | None) -> None:
    """R-165: by words or by the vectors of either embedder, an exact copy in another's place stays there."""
    if embedder:
        use(WordEmbedder(embedder))
    mark = word()
    mine = cast.acme.alice.store(sentence(mark))
    for other in (cast.acme.paul, cast.beta.bob):
        other.store(sentence(mark))
    if embedder:
        fill(cast.acme)
        fill(cast.beta)
    assert cast.acme.alice.recalled(sentence(mark)) == [mine["memory_id"]]


def test_an_overview_comes_first_and_details_on_request(acme: Company) -> None:
    """R-191: what is recalled holds what a prompt needs; where it came from is read by its id."""
    mark = word()
    memory = acme.alice.store(sentence(mark))
    (item,) = acme.alice.recall(mark)["items"]
    assert "provenance" not in item
    assert acme.alice.memory(item["memory_id"]).json()["provenance"]["ref"] == memory["provenance"]["ref"]


def test_a_listing_by_words_has_one_order(acme: Company) -> None:
    """R-115: the last changed comes first, each time."""
    mark = word()
    made = [acme.alice.store(f"{sentence(mark)} {word()}")["memory_id"] for _ in range(3)]
    for _ in range(2):
        assert [row["memory_id"] for row in acme.alice.listed(q=mark)] == made[::-1]


def test_a_summary_keeps_its_conditions_and_waits(acme: Company) -> None:
    """R-009, R-010: what a model summed up becomes active only by its person's word, with the conditions it had."""
    held = acme.alice.hold(evidence="summary", conditions="While the audit lasts.")
    assert held["conditions"] == "While the audit lasts."
    with acme.entered():
        assert not Memory.objects.exists()
    memory = acme.person("alice").decide(held, "approve")
    assert memory.json()["memory"]["conditions"] == "While the audit lasts."


def test_a_summary_goes_with_the_conversation_it_sums_up(acme: Company) -> None:
    """D7: forgotten with its source; one of another conversation still waits."""
    talk, other = f"talk {word()}", f"talk {word()}"
    for thread in (talk, other):
        acme.alice.hold(evidence=acme.alice.evidence("summary", thread=thread, text=sentence()))
    forget(acme.alice, thread=talk)
    with acme.entered():
        (left,) = Candidate.objects.filter(status="pending")
        assert left.evidence.thread == other


def test_fixtures_have_no_address(acme: Company) -> None:
    """R-102: what a file of cases declares counts in `manage.py evaluate` alone: no URL leads there."""
    views = [str(pattern) for pattern in get_resolver().url_patterns]
    assert not [one for one in views if "evaluat" in one]
    body = acme.alice.proposal(evidence=None)
    for field in ("evidence_type", "evidence_class", "expected_action"):
        assert acme.alice.post("/proposals", body | {field: "explicit_user"}).status_code == 400, field
    assert acme.alice.post("/proposals", body).status_code == 202
