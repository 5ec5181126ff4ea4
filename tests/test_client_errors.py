"""What the SDK makes of failures: errors that say what to do, that are never empty answers, and that hold no text."""

from __future__ import annotations

import dataclasses
import logging
from typing import Any

import httpx
import pytest
from cast import ABSENT, Company, sentence, word
from client_door import Network, told

from memoryhub.client import (
    AsyncClient,
    Client,
    Conflict,
    HubError,
    InvalidRequest,
    NoMemoryHub,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    RateLimited,
    Stale,
    Unanswered,
    Unavailable,
)

pytestmark = pytest.mark.usefixtures("pauses")


def test_errors_say_what_to_do(acme: Company, connect: Any) -> None:
    memory, hub = acme.alice.store(), connect(acme.alice)
    cases = [
        (InvalidRequest, lambda: hub.propose(**told(kind=""))),
        (NotFound, lambda: hub.memory(ABSENT)),
        (NotFound, lambda: hub.memory("../recall?x#y")),
        (Stale, lambda: hub.correct(memory["memory_id"], version=9, conditions="On Mondays.")),
        (Conflict, lambda: hub.propose(**told(expected_version=7))),
        (NotAllowed, lambda: connect(acme.by("readonly")).propose(**told())),
        (NotAuthenticated, lambda: connect(dataclasses.replace(acme.alice, token="mh_x_y")).recall("x")),
    ]
    for kind, call in cases:
        with pytest.raises(kind) as raised:
            call()
        error = raised.value
        assert error.advice in str(error)
        assert (error.outcome, bool(error.request_id)) == ("not_done", True)
    with pytest.raises(InvalidRequest) as invalid:
        hub.propose(**told(kind=""))
    assert [one.pointer for one in invalid.value.fields] == ["kind"]
    assert "kind: " in str(invalid.value)
    assert f"/problems/{invalid.value.code}" in str(invalid.value)


STRANGE = [
    (httpx.ConnectError("refused"), Unanswered), (httpx.ReadTimeout("slow"), Unanswered),
    (httpx.Response(502, text="<html>"), Unavailable), (httpx.Response(301, headers={"Location": "/x"}), NoMemoryHub),
    (httpx.Response(200, text="<html>"), NoMemoryHub), (httpx.Response(200, json=[]), NoMemoryHub),
    (httpx.Response(200, json={"items": None}), NoMemoryHub), (httpx.Response(404, text="no"), NoMemoryHub),
    (httpx.Response(500, json={"code": "x"}), NoMemoryHub),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "kind"), STRANGE)
def test_a_failure_is_never_an_empty_answer(acme: Company, connect: Any, answer: Any, kind: type[HubError]) -> None:
    """R-238, R18: neither for what is ranked nor for what is listed; and no address is told, which may hold secrets."""
    for ask in (lambda hub: hub.recall("x"), lambda hub: list(hub.memories()), lambda hub: hub.tools()):
        hub = connect(acme.alice, Network(*[answer] * 4), url="http://user:pass@testserver")
        with pytest.raises(kind) as raised:
            ask(hub)
        assert "pass" not in str(raised.value)


def test_an_unreadable_answer_to_a_write_leaves_its_outcome_open(acme: Company, connect: Any) -> None:
    hub, proposal = connect(acme.alice, Network(httpx.Response(201, text="<html>"))), told()
    with pytest.raises(NoMemoryHub) as strange:
        hub.propose(**proposal)
    assert strange.value.outcome == "unknown"
    assert hub.propose(**proposal, idempotency_key=strange.value.idempotency_key).stored


def test_no_text_and_no_key_in_errors_reprs_and_logs(
    acme: Company, connect: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """R-233, R-239."""
    caplog.set_level(logging.DEBUG)
    mark, caller = word(8), acme.alice
    network = Network()
    hub = connect(caller, network)
    made = hub.propose(**told(statement=sentence(mark), conditions=f"When {mark} is on."))
    shown = [repr(hub), repr(made), repr(hub.recall(mark)), repr(hub.context(mark)), repr(list(hub.memories()))]
    shown += [repr(hub.call_tool("c", "memory_search", {"query": mark}))]
    for wrong in (told(statement=f"{mark} " * 900), told(sensitivity=mark)):
        with pytest.raises(InvalidRequest) as raised:
            hub.propose(**wrong)
        shown += [repr(raised.value), str(raised.value)]
    network.lost = 4
    with pytest.raises(Unanswered) as raised:
        hub.propose(**told(statement=sentence(mark)))
    assert (raised.value.__cause__, raised.value.__context__) == (None, None)
    everything = "".join([*shown, repr(raised.value), str(raised.value), caplog.text])
    assert mark not in everything
    assert (caller.token or "") not in everything


def test_a_client_from_the_environment() -> None:
    environment = {"MEMORYHUB_KEY": "k", "MEMORYHUB_SUBJECT": "alice", "MEMORYHUB_RUN": "", "MEMORYHUB_THREAD": "t"}
    for kind in (Client, AsyncClient):
        assert repr(kind.from_environment(environment)) == f"{kind.__name__}(subject='alice', run='', thread='t')"
        with pytest.raises(KeyError):
            kind.from_environment({})


def test_limits_of_the_caller_are_an_error_of_their_own(acme: Company, connect: Any, settings: Any) -> None:
    settings.MEMORYHUB_THROTTLE_RATE = "1/hour"
    hub = connect(acme.alice)
    hub.index_status()
    with pytest.raises(RateLimited) as limited:
        hub.index_status()
    assert limited.value.retry_after > 0
