"""The store of LangGraph over our client: items pass the same gates, and what is not remembered is never an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from asgiref.sync import async_to_sync
from cast import Caller, Company, new_key, now, sentence, word
from client_door import AwaitedNetwork, Network, client_of
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp

from memories.models import Memory
from memoryhub.client import AsyncClient, Client, HubError, InvalidRequest, NotFound, Retries, Unavailable
from memoryhub.client.langgraph import Held, HubStore, NotStored
from memoryhub.client.langgraph.matching import is_under, matches

pytestmark = pytest.mark.usefixtures("pauses")
HABITS, TRIPS = ("habits",), ("trips", "work")


def said(put: PutOp) -> Any:
    return {"type": "user_message", "ref": f"message_{word()}", "occurred_at": datetime.now(UTC)}


def item(mark: str | None = None, **rest: Any) -> dict[str, Any]:
    return {"content": sentence(mark), **rest}


class Awaited:
    """A store whose async methods are awaited at once, so that both ways take the same tests."""

    def __init__(self, store: HubStore) -> None:
        self.store = store

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return async_to_sync(getattr(self.store, f"a{name}"))


def waiting(caller: Caller, network: Network | None = None, **options: Any) -> Any:
    return HubStore(client_of(caller, network, retries=Retries(limit=0)), **{"evidence": said} | options)


def awaited(caller: Caller, network: Network | None = None, **options: Any) -> Any:
    transport = AwaitedNetwork(network or Network())
    hub = AsyncClient(caller.token or "", caller.subject or "", url="http://testserver", transport=transport)
    return Awaited(HubStore(hub, **{"evidence": said} | options))


@pytest.fixture(params=[waiting, awaited])
def store_of(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_the_life_of_an_item(acme: Company, store_of: Any) -> None:
    """R-322, R-321, R-306: put, read, found by fields and by words, replaced, deleted, told again."""
    store, value = store_of(acme.alice), item("brisk", rank=2)
    store.put(HABITS, "reports", value, ttl=60 * 24)
    store.put(TRIPS, "reports", {"seat": "aisle", "rank": 3})
    got = store.get(HABITS, "reports")
    assert (got.value, got.key, got.namespace) == (value, "reports", HABITS)
    assert got.updated_at >= got.created_at > now(minutes=-1)
    assert store.get(("trips",), "reports") is None
    assert [one.value for one in store.search(("trips",))] == [{"seat": "aisle", "rank": 3}]
    assert [one.namespace for one in store.search((), filter={"rank": {"$gte": 2}})] == [TRIPS, HABITS]
    (found,) = store.search((), query="brisk summary", filter={"rank": 2})
    assert (found.value, found.namespace, found.score > 0) == (value, HABITS, True)
    assert store.list_namespaces(max_depth=1, limit=1, offset=1) == [("trips",)]
    store.put(HABITS, "reports", item("terse"))
    assert store.search(HABITS)[0].value != value
    store.delete(HABITS, "reports")
    store.delete(HABITS, "reports")
    assert (store.get(HABITS, "reports"), store.search(HABITS)) == (None, [])
    store.put(HABITS, "reports", item("again"))
    with acme.entered():
        kept = Memory.objects.exclude(status="deleted")
        assert sorted((one.path, one.key, one.kind) for one in kept) == [
            (["habits"], "reports", "preference"),
            (["trips", "work"], "reports", "preference"),
        ]


def test_what_waits_is_an_error_unless_somebody_takes_it(acme: Company, store_of: Any) -> None:
    """R-321, R-238: a guess is not remembered, and the graph is told so."""
    value = item("canary")
    with pytest.raises(Held) as held:
        store_of(acme.alice, evidence=None).batch([GetOp(HABITS, "reports"), PutOp(HABITS, "reports", value)])
    ((put, decision),) = held.value.writes
    assert (put.key, decision.decision, held.value.outcome) == ("reports", "needs_confirmation", "not_done")
    assert "canary" not in f"{held.value!r} {held.value}"
    taken: list[Any] = []
    patient = store_of(acme.alice, evidence=None, on_held=lambda put, decision: taken.append(decision.candidate_id))
    patient.put(HABITS, "reports", value)
    assert (taken, patient.get(HABITS, "reports")) == ([decision.candidate_id], None)
    with acme.entered():
        assert Memory.objects.count() == 0


def test_refused_and_routed_puts_do_not_stop_the_others(acme: Company, store_of: Any) -> None:
    """R-321, R-325."""
    store, value = store_of(acme.alice), item()
    store.put(HABITS, "gone", item())
    seen = now()
    store.delete(HABITS, "gone")
    puts = [
        PutOp(HABITS, "refund_status", {"content": "The refund is approved."}),
        PutOp(HABITS, "kept", value),
        PutOp(HABITS, "long", {"content": "x" * 2001}),
        PutOp(HABITS, "gone", item()),
    ]
    old = store_of(acme.alice, evidence=lambda put: said(put) | {"occurred_at": seen})
    with pytest.raises(NotStored) as missed:
        old.batch(puts)
    (_, routed), (_, malformed), (_, forgotten) = missed.value.writes
    assert (routed.source_of_truth.topic, malformed.status, forgotten.reason) == ("refund_status", 400, "tombstone_key")
    assert (type(missed.value), missed.value.outcome) == (NotStored, "partly_done")
    assert [one.value for one in store.search(())] == [value]


def test_a_batch_reads_before_it_writes_and_answers_in_order(acme: Company, store_of: Any) -> None:
    store, first, last = store_of(acme.alice), item(), item()
    store.put(HABITS, "a", first)
    answers = store.batch(
        [
            PutOp(HABITS, "a", item()),
            GetOp(HABITS, "a"),
            PutOp(HABITS, "a", last),
            ListNamespacesOp((MatchCondition("suffix", ("*",)),)),
            SearchOp((), limit=0),
            PutOp(HABITS, "absent", None),
        ]
    )
    assert [answers[0], answers[1].value, *answers[2:]] == [None, first, None, [HABITS], [], None]
    assert store.get(HABITS, "a").value == last
    with acme.entered():
        assert Memory.objects.count() == 2


def test_what_people_correct_and_other_doors_store_is_read(acme: Company) -> None:
    """R-306: no stale copy of a text stands in a value."""
    store, key = waiting(acme.alice), new_key()
    for value, rest in (
        (item(), {}),
        (item(rank=1), {"rank": 1}),
        ({"rank": 2}, {"rank": 2}),
        ({"content": "[" * 1999}, {}),
    ):
        store.put(("a",), key, value)
        memory = acme.alice.listed(key=key, status="active")[0]
        assert store.get(("a",), key).value == value
        corrected = sentence()
        assert acme.alice.correct(memory, statement=corrected).status_code == 200
        assert store.get(("a",), key).value == {"content": corrected, **rest}
    other = acme.alice.store(key="answer_style", value="brief")
    assert store.get((), "answer_style").value == {"content": other["statement"], "value": "brief"}


def test_an_end_is_the_end_and_what_is_paused_is_deleted_too(acme: Company) -> None:
    store = waiting(acme.alice)
    store.put(HABITS, "a", item(), ttl=30.5)
    with acme.entered():
        memory = Memory.objects.get()
        assert now(minutes=30) < memory.valid_until < now(minutes=31)
        Memory.objects.update(valid_until=now(minutes=-1))
    assert (store.get(HABITS, "a"), store.search(()), store.list_namespaces()) == (None, [], [])
    with pytest.raises(NotStored) as late:
        store.put(HABITS, "b", item(), ttl=-1)
    assert late.value.code == "already_expired"
    store.put(HABITS, "c", item())
    store.hub.pause(acme.alice.listed(key="c")[0]["memory_id"])
    assert store.get(HABITS, "c") is None
    for key in ("a", "c"):
        store.delete(HABITS, key)
    with acme.entered():
        assert not Memory.objects.exclude(status="deleted").exists()


def test_whose_memory_it_is_comes_from_the_client_alone(acme: Company, store_of: Any) -> None:
    """R-321, R-305: labels are places inside one namespace; one that may not be used is no empty store."""
    store_of(acme.alice).put(("paul",), "a", item())
    paul = store_of(acme.paul)
    assert (paul.get(("paul",), "a"), paul.search(()), paul.list_namespaces()) == (None, [], [])
    inner = store_of(acme.alice, namespace={"type": "user", "path": ["paul"]})
    assert (inner.get((), "a").namespace, inner.list_namespaces()) == ((), [()])
    foreign = store_of(acme.alice, namespace={"type": "team", "id": "night"})
    for ask in (lambda: foreign.get(HABITS, "a"), lambda: foreign.search(()), lambda: foreign.delete(HABITS, "a")):
        with pytest.raises(NotFound):
            ask()
    with pytest.raises(NotStored):
        foreign.put(HABITS, "a", item())


@pytest.mark.parametrize(
    "fault", [httpx.Response(503), httpx.ConnectError("refused"), httpx.Response(200, json={"items": None})]
)
def test_a_failure_is_never_an_empty_answer(acme: Company, fault: Any) -> None:
    """R-238."""
    for ask in (
        lambda store: store.get(HABITS, "a"),
        lambda store: store.search(HABITS),
        lambda store: store.put(HABITS, "a", item()),
        lambda store: store.delete(HABITS, "a"),
    ):
        with pytest.raises(HubError):
            ask(waiting(acme.alice, Network(fault)))


def test_a_search_that_does_not_work_finds_not_nothing(acme: Company) -> None:
    found = client_of(acme.alice).recall("x")
    body = {name: getattr(found, name) for name in ("recall_id", "confidence")} | {"status": "degraded", "gate": {}}
    body |= {"warnings": [], "items": [], "omitted": {}, "requery": []}
    with pytest.raises(Unavailable):
        waiting(acme.alice, Network(httpx.Response(200, json=body))).search((), query="x")


def test_what_cannot_be_asked_is_refused(acme: Company) -> None:
    store = waiting(acme.alice)
    for wrong in (
        SearchOp(HABITS, {"a": {"$in": [1]}}),
        SearchOp(HABITS, {"a') OR ('1": 1}),
        SearchOp(HABITS, query="x", limit=100, offset=1),
        GetOp(("a.b",), "k"),
        PutOp(("",), "k", item()),
        "no operation",
    ):
        with pytest.raises(ValueError, match=r"[a-z]") as refused:
            store.batch([wrong])
        assert isinstance(refused.value, InvalidNamespaceError) == isinstance(wrong, GetOp | PutOp)
    with pytest.raises(InvalidRequest):
        store.search(tuple("abcdefghi"))


def test_which_client_serves_which_calls() -> None:
    absent = httpx.Response(
        404, json={"code": "not_found", "status": 404}, headers={"Content-Type": "application/problem+json"}
    )
    hub = Client("k", transport=httpx.MockTransport(lambda request: absent))
    assert asyncio.run(HubStore(hub).aget(HABITS, "a")) is None
    with pytest.raises(asyncio.InvalidStateError):
        HubStore(AsyncClient("k")).get(HABITS, "a")


VALUE = {"n": 3, "s": "b", "yes": True, "tags": ["x", 1], "in": {"s": "c", "a-b": 1}, "d.e": 1}


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        (None, True), ({"n": 3, "s": "b"}, True), ({"n": 3, "s": "x"}, False), ({"n": 3.0}, True), ({"n": True}, False),
        ({"yes": True}, True), ({"yes": 1}, False), ({"tags": ["x", 1]}, True), ({"tags": ["x"]}, False),
        ({"in": {"s": "c"}}, True), ({"in.a-b": 1}, True), ({"in.no.more": 1}, False), ({"d.e": 1}, True),
        ({"n": {"$gt": 2, "$lt": 4}}, True), ({"n": {"$gte": 4}}, False), ({"n": {"$lte": float("inf")}}, True),
        ({"s": {"$gt": "a"}}, True), ({"s": {"$gt": 1}}, False), ({"no": {"$lt": 9}}, False), ({"no": None}, False),
        ({"no": {"$ne": 1}}, True), ({"n": {"$eq": float("nan")}}, False), ({"s": {"$eq": "b", "$ne": "b"}}, False),
    ],
)  # fmt: skip
def test_filters(wanted: Any, fits: bool) -> None:
    assert matches(VALUE, wanted) is fits


@pytest.mark.parametrize(
    ("kind", "path", "fits"),
    [
        ("prefix", ("a",), True), ("prefix", ("a", "*", "c"), True), ("prefix", ("*", "c"), False),
        ("suffix", (), True),
        ("suffix", ("c",), True), ("suffix", ("*", "c"), True), ("suffix", ["*"] * 4, False), ("prefix", ("A",), False),
    ],
)  # fmt: skip
def test_conditions_of_a_listing(kind: Any, path: Any, fits: bool) -> None:
    assert is_under(("a", "b", "c"), MatchCondition(kind, path)) is fits
