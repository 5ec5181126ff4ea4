"""Vectors follow by due rows: found by words at once, by meaning soon, never for what was forgotten, never mixed."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from cast import PROJECT, Caller, Cast, Company, new_key, sentence, word
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from embedders import InUse, Provider, WordEmbedder, direction

from accounts import tenancy
from accounts.principals import system
from accounts.tasks import TENANT_HEADER
from memories import embeddings, indexing, purging, tasks
from memories.embeddings.base import EmbedderError
from memories.models import Feature, Memory
from memories.stores import scan
from memories.vectors import unpack
from memoryhub import sweeping

DOWN = EmbedderError("unreachable")


@pytest.fixture
def embedder(use: InUse) -> WordEmbedder:
    made: WordEmbedder = use(WordEmbedder())
    embeddings.means(made.name)
    made.asked.clear()
    return made


def fill(company: Company, now: datetime | None = None) -> dict[str, int]:
    """One batch of vectors in this company."""
    with company.entered():
        return dict(indexing.fill_due(system(company.tenant.pk), now or timezone.now()))


def status(caller: Caller) -> dict[str, Any]:
    response = caller.get("/index-status")
    assert response.status_code == 200
    return dict(response.json())


def feature(company: Company, memory: dict[str, Any]) -> Feature:
    with company.entered():
        return Feature.objects.get(pk=memory["memory_id"])


def revisions(company: Company, memory: dict[str, Any]) -> tuple[int, int]:
    """Of the memory and of its namespace."""
    with company.entered():
        row = Memory.objects.select_related("namespace").get(pk=memory["memory_id"])
        return row.rev, row.namespace.revision


def raising(error: Exception, *, holding: str = "") -> Any:
    """What an embedder does that fails: always, or when a text holds these words."""

    def fail(texts: Sequence[str]) -> None:
        if any(holding in text for text in texts):
            raise error

    return fail


# --- from words to meaning --------------------------------------------------------------------------------------------


def test_a_memory_is_found_by_words_at_once_and_its_vector_follows(acme: Company, embedder: WordEmbedder) -> None:
    """O5."""
    mark = word()
    answer = acme.alice.propose(sentence(mark), "answer_order").json()
    memory = answer["memory"]
    assert answer["searchable"] is True
    assert acme.alice.recalled(mark) == [memory["memory_id"]]
    assert status(acme.alice) == {
        "pending": 1, "oldest_seconds": 0, "embedder": "words-1", "semantic": True, "total": 1,
    }  # fmt: skip
    before = revisions(acme, memory)
    assert fill(acme) == {"vectors_made": 1, "vectors_waiting": 0}
    row = feature(acme, memory)
    assert (row.embedder, row.embed_after, row.embed_attempts) == ("words-1", None, 0)
    asked = direction(f"answer order: {sentence(mark)}")
    assert float(unpack([bytes(row.vector)])[0] @ asked) == pytest.approx(1.0, abs=1e-3)
    assert revisions(acme, memory) == (before[1] + 1, before[1] + 1)
    assert status(acme.alice)["pending"] == 0
    assert acme.alice.recalled(mark) == [memory["memory_id"]]
    assert fill(acme) == {"vectors_made": 0, "vectors_waiting": 0}


def test_the_age_of_the_oldest_waiting_memory_is_told(acme: Company, embedder: WordEmbedder) -> None:
    acme.alice.store()
    with acme.entered():
        assert indexing.status(timezone.now() + timedelta(minutes=2)).oldest_seconds in {119, 120}
        fill(acme)
        assert indexing.status(timezone.now() + timedelta(minutes=2)).oldest_seconds == 0


def test_without_an_embedder_nothing_waits_and_nothing_is_semantic(acme: Company, use: InUse) -> None:
    use(None)
    acme.alice.store()
    assert fill(acme) == {}
    assert status(acme.alice) == {
        "pending": 0, "oldest_seconds": 0, "embedder": None, "semantic": False, "total": 1,
    }  # fmt: skip


def test_an_embedder_that_is_left_alone_is_not_called_semantic(
    acme: Company, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "is_resting", lambda: True)
    assert status(acme.alice)["semantic"] is False


def test_another_tenant_sees_and_fills_only_its_own(cast: Cast, embedder: WordEmbedder) -> None:
    cast.acme.alice.store()
    assert status(cast.beta.bob)["pending"] == 0
    assert fill(cast.beta) == {"vectors_made": 0, "vectors_waiting": 0}
    assert status(cast.acme.alice)["pending"] == 1
    assert embedder.asked == []


@pytest.mark.parametrize(
    ("key", "conditions", "said", "text"),
    [
        ("answer_order", None, {}, "answer order: S"),
        ("turn_17", None, {}, "S"),
        ("turn_17", None, {"speaker": "Ann", "at": "2026-01-01"}, "Ann: S"),
        ("seat-choice", "on long flights", {}, "seat choice: S (on long flights)"),
        ("", None, {}, "S"),
        ("座位", None, {}, "座位: S"),
    ],
)
def test_what_stands_for_a_memory_in_vector_space(key: str, conditions: str | None, said: Any, text: str) -> None:
    assert indexing.text_of("S", key, conditions, said) == text


# --- one batch after another ------------------------------------------------------------------------------------------


def test_a_batch_is_one_change_of_each_namespace(
    acme: Company, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = [acme.alice.store() for _ in range(3)]
    shared = acme.rita.share(PROJECT)
    before = [revisions(acme, memory)[1] for memory in (own[0], shared)]
    assert fill(acme)["vectors_made"] == 4
    assert {revisions(acme, memory) for memory in own} == {(before[0] + 1, before[0] + 1)}
    assert revisions(acme, shared) == (before[1] + 1, before[1] + 1)
    monkeypatch.setattr(indexing, "BATCH", 2)
    for _ in range(5):
        acme.alice.store()
    made = [fill(acme) for _ in range(3)]
    assert made == [{"vectors_made": n, "vectors_waiting": rest} for n, rest in ((2, 3), (2, 1), (1, 0))]


def test_the_oldest_come_first(acme: Company, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "BATCH", 2)
    stored = [acme.alice.store() for _ in range(3)]
    fill(acme)
    assert [bool(feature(acme, memory).vector) for memory in stored] == [True, True, False]


def test_no_transaction_is_open_while_texts_are_embedded(acme: Company, embedder: WordEmbedder) -> None:
    acme.alice.store()
    depths, outside = [], len(connection.savepoint_ids)
    embedder.before = lambda texts: depths.append(len(connection.savepoint_ids))
    fill(acme)
    assert depths == [outside]


def test_what_one_worker_is_at_another_leaves_alone_until_the_lease_ends(acme: Company, embedder: WordEmbedder) -> None:
    acme.alice.store()
    meanwhile: list[dict[str, int]] = []

    def another(texts: Sequence[str]) -> None:
        embedder.before = lambda texts: None
        meanwhile.append(fill(acme))
        meanwhile.append(fill(acme, timezone.now() + indexing.LEASE + timedelta(seconds=1)))

    embedder.before = another
    assert fill(acme)["vectors_made"] == 1
    assert [one["vectors_made"] for one in meanwhile] == [0, 1]


def test_a_worker_that_dies_costs_the_lease_and_its_rows_come_again_one_by_one(
    acme: Company, embedder: WordEmbedder
) -> None:
    for _ in range(3):
        acme.alice.store()

    def die(texts: Sequence[str]) -> None:
        raise SystemExit

    embedder.before = die
    with pytest.raises(SystemExit):
        fill(acme)
    embedder.before = lambda texts: None
    assert fill(acme)["vectors_made"] == 0
    later = timezone.now() + indexing.LEASE + timedelta(seconds=1)
    assert [fill(acme, later)["vectors_made"] for _ in range(3)] == [1, 1, 1]


# --- what happens meanwhile -------------------------------------------------------------------------------------------


def test_what_is_forgotten_while_it_is_embedded_gets_no_vector(acme: Company, embedder: WordEmbedder) -> None:
    mark = word(8)
    gone, stays = acme.alice.store(sentence(mark)), acme.alice.store()
    revision: list[int] = []

    def forget(texts: Sequence[str]) -> None:
        acme.alice.forget(gone)
        revision.append(revisions(acme, gone)[1])

    embedder.before = forget
    assert fill(acme)["vectors_made"] == 1
    with acme.entered():
        assert not Feature.objects.filter(pk=gone["memory_id"]).exists()
        assert Memory.objects.get(pk=gone["memory_id"]).status == Memory.Status.DELETED
        assert scan(mark) == {}
    assert revisions(acme, gone) == (revision[0], revision[0] + 1)
    assert feature(acme, stays).embedder == "words-1"
    assert acme.alice.recalled(mark) == []


def test_the_last_memory_forgotten_meanwhile_changes_nothing_more(acme: Company, embedder: WordEmbedder) -> None:
    gone = acme.alice.store()
    embedder.before = lambda texts: acme.alice.forget(gone)
    assert fill(acme)["vectors_made"] == 0
    rev, revision = revisions(acme, gone)
    assert rev == revision


@pytest.mark.in_clear
def test_a_text_that_is_another_when_it_is_written_gets_no_vector(acme: Company, embedder: WordEmbedder) -> None:
    """No verb changes a version's text; a repair by hand may."""
    memory = acme.alice.store()
    embedder.before = lambda texts: Memory.objects.filter(pk=memory["memory_id"]).update(statement="something else")
    assert fill(acme)["vectors_made"] == 0
    assert feature(acme, memory).vector is None


@pytest.mark.parametrize("action", ["pause", "correct"])
def test_pausing_or_correcting_meanwhile_is_not_undone(acme: Company, embedder: WordEmbedder, action: str) -> None:
    memory = acme.alice.store()

    def change(texts: Sequence[str]) -> None:
        embedder.before = lambda texts: None
        if action == "pause":
            acme.alice.post(f"/memories/{memory['memory_id']}/pause")
        else:
            assert acme.alice.correct(memory, statement=sentence()).status_code == 200

    embedder.before = change
    assert fill(acme)["vectors_made"] == 1
    shown = acme.alice.memory(memory["memory_id"]).json()
    assert shown["status"] == {"pause": "paused", "correct": "superseded"}[action]
    assert fill(acme)["vectors_made"] == (action == "correct")


def test_a_vector_leaves_with_its_memory(acme: Company, embedder: WordEmbedder) -> None:
    memory = acme.alice.store()
    fill(acme)
    acme.alice.forget(memory)
    with acme.entered():
        assert not Feature.objects.exists()
    assert status(acme.alice)["total"] == 0


# --- failures ---------------------------------------------------------------------------------------------------------


def test_while_the_embedder_is_down_rows_wait_and_are_not_blamed(acme: Company, embedder: WordEmbedder) -> None:
    memory, now = acme.alice.store(), timezone.now()
    embedder.before = raising(DOWN)
    for _ in range(3):
        assert fill(acme, now) == {"vectors_made": 0, "vectors_waiting": 0}
    assert len(embedder.asked) == 1, "it is left alone for a moment"
    assert feature(acme, memory).embed_attempts == 0
    assert status(acme.alice)["pending"] == 1
    embedder.before = lambda texts: None
    assert fill(acme, now + indexing.PAUSE)["vectors_made"] == 1


def test_one_text_that_is_refused_harms_no_other(acme: Company, embedder: WordEmbedder) -> None:
    mark, now = word(8), timezone.now()
    good = [acme.alice.store(), acme.alice.store()]
    bad = acme.alice.store(sentence(mark))
    embedder.before = raising(EmbedderError("status_400", refused=True), holding=mark)
    for _ in range(4):
        fill(acme, now)
    assert [feature(acme, memory).embedder for memory in good] == ["words-1", "words-1"]
    assert feature(acme, bad).vector is None
    waits = []
    for _ in range(3):
        due = feature(acme, bad).embed_after
        assert due is not None
        waits.append(due - now)
        now = due
        fill(acme, now)
    assert waits == sorted(waits)
    assert waits[0] < waits[-1] <= indexing.LONGEST_PAUSE
    assert status(acme.alice)["pending"] == 1


# --- another embedder -------------------------------------------------------------------------------------------------


def test_another_embedder_makes_every_vector_anew_and_new_memories_go_first(
    acme: Company,
    use: InUse,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """O1."""
    use(WordEmbedder("words-5"))
    old = [acme.alice.store() for _ in range(2)]
    fill(acme)
    for name in ("words-9", "words-1"):  # later and earlier in the alphabet
        use(WordEmbedder(name))
        monkeypatch.setattr(indexing, "BATCH", 1)
        new = acme.alice.store()
        assert status(acme.alice)["pending"] == status(acme.alice)["total"] == len(old) + 1
        fill(acme)
        assert feature(acme, new).embedder == name
        assert not any(feature(acme, memory).embedder == name for memory in old)
        monkeypatch.setattr(indexing, "BATCH", 64)
        fill(acme)
        old.append(new)
        assert {feature(acme, memory).embedder for memory in old} == {name}
        assert status(acme.alice)["pending"] == 0


def semantic(answer: dict[str, Any]) -> list[float]:
    return [item["scores"]["semantic"] for item in answer["items"]]


def test_recall_goes_by_words_alone_until_the_vectors_of_the_new_embedder_are_there(acme: Company, use: InUse) -> None:
    """O1: Vectors of two embedders are never compared: those of `words-6` would all look alike to `words-5`."""
    mark = word()
    use(WordEmbedder("words-5"))
    for _ in range(3):
        acme.alice.store()
    memory = acme.alice.store(sentence(mark))
    asked = memory["statement"]  # its own words: random directions of others might point away from it
    assert semantic(acme.alice.recall(asked))[0] == 0
    fill(acme)
    assert semantic(acme.alice.recall(asked))[0] > 0
    use(WordEmbedder("words-6"))
    answer = acme.alice.recall(asked)
    assert (answer["items"][0]["memory_id"], semantic(answer)[0]) == (memory["memory_id"], 0)
    assert answer["status"] != "degraded"
    fill(acme)
    assert semantic(acme.alice.recall(asked))[0] > 0


@pytest.mark.parametrize("slow", [False, True])
def test_recall_with_a_broken_or_slow_embedder_answers_by_words_and_says_degraded(
    acme: Company, embedder: WordEmbedder, slow: bool
) -> None:
    mark, go = word(), threading.Event()
    memory = acme.alice.store(sentence(mark))
    fill(acme)
    embedder.timeout = 0.05
    embedder.before = (lambda texts: go.wait(20)) if slow else raising(DOWN)
    answer = acme.alice.recall(f"which {mark} summary")
    go.set()
    assert answer["status"] == "degraded"
    assert answer["items"][0]["memory_id"] == memory["memory_id"]
    embedder.before = lambda texts: None
    assert acme.alice.recall(f"what {mark} summary")["status"] != "degraded"


# --- who may see what -------------------------------------------------------------------------------------------------


def test_a_remote_embedder_sees_no_text_of_a_tenant_that_did_not_opt_in(cast: Cast, use: InUse) -> None:
    """T31: local ones always; remote ones only by the tenant's policy, and only what the gate let pass."""
    provider = Provider()
    remote = use(provider.embedder())
    embeddings.means(remote.name)
    provider.requests.clear()
    mine, _theirs = cast.acme.alice.store(), cast.beta.alice.store()
    assert fill(cast.acme) == fill(cast.beta) == {}
    assert status(cast.acme.alice)["semantic"] is False
    cast.acme.policy(confirm="inferred_only", embedding={"remote": True})
    assert fill(cast.acme)["vectors_made"] == 1
    assert fill(cast.beta) == {}
    assert status(cast.acme.alice)["semantic"] is True
    assert [mine["statement"] in text for text in provider.texts] == [True]


def test_a_remote_embedder_sees_nothing_that_was_refused_routed_or_is_held(acme: Company, use: InUse) -> None:
    provider = Provider()
    remote = use(provider.embedder())
    embeddings.means(remote.name)
    acme.policy(confirm="inferred_only", embedding={"remote": True})
    provider.requests.clear()
    secret = "password" + ": " + "Tr0ub" + "4dor&" + word(4)
    outcomes = {
        acme.alice.propose(statement, new_key(), evidence).json()["decision"]
        for statement, evidence in (
            (f"My {secret}", "user_message"),
            ("The refund 81 is pending.", "user_message"),
            (sentence(), None),
        )
    }
    assert outcomes == {"reject", "route_to_source", "needs_confirmation"}
    fill(acme)
    assert provider.requests == []


# --- promptness -------------------------------------------------------------------------------------------------------


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(tasks.embed, "apply_async", lambda **options: sent.append(options))
    return sent


def test_with_a_broker_one_message_without_text_asks_for_the_vectors_of_a_transaction(
    acme: Company,
    embedder: WordEmbedder,
    settings: Any,
    messages: list[dict[str, Any]],
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        acme.alice.store()
    assert messages == []
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    items = [acme.alice.proposal() for _ in range(3)]
    with django_capture_on_commit_callbacks(execute=True):
        answer = acme.alice.post("/proposals/batch", {"items": items, "atomic": False}).json()
    assert [one["decision"] for one in answer["items"]] == ["store"] * 3
    assert messages == [{"headers": {TENANT_HEADER: str(acme.tenant.pk)}, "retry": False, "expires": 60.0}]
    with django_capture_on_commit_callbacks(execute=True):
        acme.alice.hold()
    assert len(messages) == 1


def test_a_broker_that_is_away_harms_no_write(
    acme: Company,
    embedder: WordEmbedder,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    def away(**_: Any) -> None:
        raise ConnectionError

    monkeypatch.setattr(tasks.embed, "apply_async", away)
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    with django_capture_on_commit_callbacks(execute=True):
        acme.alice.store()
    assert fill(acme)["vectors_made"] == 1


def test_the_task_makes_vectors_in_the_tenant_of_its_header(cast: Cast, embedder: WordEmbedder) -> None:
    mine, theirs = cast.acme.alice.store(), cast.beta.alice.store()
    with pytest.raises(tenancy.NoActiveTenant):
        tasks.embed.apply(throw=True)
    tasks.embed.apply(headers={TENANT_HEADER: str(cast.acme.tenant.pk)}, throw=True)
    assert feature(cast.acme, mine).embedder == "words-1"
    assert feature(cast.beta, theirs).embedder == ""


def test_a_sweep_makes_a_batch_and_the_command_all_of_them(
    acme: Company, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purging, "truncate_log", lambda: True)
    monkeypatch.setattr(indexing, "BATCH", 2)
    for _ in range(5):
        acme.alice.store()
    (swept,) = sweeping.sweep(timezone.now(), slug="acme")
    assert (swept.counts["vectors_made"], swept.counts["vectors_waiting"]) == (2, 3)
    call_command("sweep", tenant="acme")
    assert status(acme.alice)["pending"] == 0


def test_the_worker_goes_on_with_vectors_until_its_next_sweep_or_a_forgetting(
    acme: Company, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "BATCH", 1)
    monkeypatch.setattr(sweeping, "LOOK_SECONDS", 0.001)
    stored = [acme.alice.store() for _ in range(4)]
    made: list[int] = []

    def forgetting_waits() -> bool:
        made.append(0)
        return len(made) > 3

    monkeypatch.setattr(sweeping, "_work_waits", forgetting_waits)
    sweeping._rest(threading.Event(), 3600.0, {"acme": None})
    assert [bool(feature(acme, memory).vector) for memory in stored] == [True, True, True, False]


def test_the_worker_makes_vectors_of_every_tenant_in_turn_after_its_sweep(
    cast: Cast, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    monkeypatch.setattr(purging, "truncate_log", lambda: True)
    monkeypatch.setattr(sweeping, "close_old_connections", lambda: None)
    monkeypatch.setattr(indexing, "BATCH", 1)
    stored = [caller.store() for caller in (cast.acme.alice, cast.acme.alice, cast.beta.alice, cast.beta.alice)]
    texts: list[str] = []

    def note(batch: Sequence[str]) -> None:
        texts.extend(batch)
        if len(texts) == len(stored):
            stop.set()

    embedder.before = note
    sweeping.work(stop, 3600.0)
    whose = [next(at // 2 for at, one in enumerate(stored) if one["statement"] in text) for text in texts]
    assert whose in ([0, 1, 0, 1], [1, 0, 1, 0])


def test_the_worker_outlives_a_database_that_is_away_while_it_makes_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise ConnectionError

    monkeypatch.setattr(sweeping, "sweep", away)
    assert sweeping._make_vectors("acme") == []


def test_a_tenant_whose_embedder_is_down_does_not_keep_the_worker_busy(acme: Company, embedder: WordEmbedder) -> None:
    acme.alice.store()
    embedder.before = raising(DOWN)
    assert sweeping.catch_up(sweeping.sweep(timezone.now(), slug="acme", steps=(sweeping.VECTORS,))) == 0
    assert len(embedder.asked) == 1


def test_ids_tell_when_a_memory_was_written(acme: Company, embedder: WordEmbedder) -> None:
    memory = acme.alice.store()
    written = indexing._made_at(uuid.UUID(memory["memory_id"]))
    assert abs(written - datetime.fromisoformat(memory["created_at"])) < timedelta(seconds=1)


@pytest.mark.parametrize("mode", ["precise", "balanced", "generous"])
def test_a_preloaded_key_is_there_however_little_else_answers(acme: Company, embedder: WordEmbedder, mode: str) -> None:
    """Among enough rows a doubtful question asks more of an item; a key that the scene always loads is not asked."""
    alice = acme.alice
    memories = [alice.store() for _ in range(12)]
    fill(acme)
    body = {"query": f"{word()} {word()}", "preload": [memories[0]["key"]], "mode": mode}
    packet = alice.post("/context", body).json()["packet"]
    assert memories[0]["memory_id"] in [item["memory_id"] for item in packet["items"]]


@pytest.mark.parametrize("query", ["zq7 unheard", "harbour", "港口", "🌵🌵", "x' OR 1=1 --", "the of and"])
def test_a_generous_answer_is_no_shorter_than_an_exhaustive_scan(
    acme: Company, embedder: WordEmbedder, query: str
) -> None:
    """R-117: where there are ten rows, ten come back, however little they say; a least score is what makes it fewer."""
    items = [
        acme.alice.proposal(f"The harbour number {n} is painted.", evidence_id=acme.alice.evidence(), evidence=None)
        for n in range(12)
    ]
    assert acme.alice.post("/proposals/batch", {"items": items}).status_code == 200
    fill(acme)
    asked = {"query": query, "mode": "generous", "limit": 10}
    assert len(acme.alice.post("/recall", asked).json()["items"]) == 10
    assert len(acme.alice.post("/recall", asked | {"min_score": 1000}).json()["items"]) == 0
