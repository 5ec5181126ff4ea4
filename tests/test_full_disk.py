"""A disk that is full, at whatever step: an error that says so, nothing half written, nothing acknowledged lost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from cast import Cast, Company, new_key, sentence
from django.db import OperationalError, connection
from django.utils import timezone
from exchange import entry
from test_crashes import assert_all_due_is_done, assert_whole

from memories.models import Candidate, Erasure, Evidence, Export, Feature, Memory, Operation, Slot
from memoryhub.sweeping import sweep

WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE)", re.IGNORECASE)
# What is left of an import that failed stays as one that is being looked through, until its day is over.
TABLES = (Evidence, Slot, Memory, Feature, Candidate, Operation, Erasure, Export)


class Full:
    """A disk that takes so many more writes."""

    def __init__(self, takes: int) -> None:
        self.left = takes

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if WRITES.match(sql):
            self.left -= 1
            if self.left < 0:
                raise OperationalError("database or disk is full")
        return execute(sql, params, many, context)


Call = Callable[[], Any]


def calls(company: Company) -> Iterator[tuple[str, Call]]:
    """Every kind of write, each ready to be made and made only when it is called."""
    alice = company.alice
    proposal = alice.proposal(sentence(), value={"a": 1})
    yield "propose", lambda: alice.post("/proposals", proposal)
    memory, evidence = alice.store(), alice.evidence()
    yield "supersede", lambda: alice.correct(memory, evidence, statement=sentence())
    many = [alice.proposal() for _ in range(2)]
    yield "batch", lambda: alice.post("/proposals/batch", {"items": many, "atomic": True})
    held = alice.hold()
    person = company.person("alice")
    yield "approve", lambda: person.decide(held, "approve")
    gone = alice.store()
    yield "forget", lambda: alice.call("DELETE", f"/memories/{gone['memory_id']}")
    alice.store(key="many")
    plan = alice.post("/forget", {"filter": {"key": "many"}, "dry_run": True}).json()
    yield "forget many", lambda: alice.post("/forget", {"confirm_token": plan["confirm_token"]})
    yield "export", lambda: person.post("/exports", {"format": "csv"})
    line = json.dumps(entry(sentence(), new_key())).encode()
    yield "import", lambda: person.call("POST", "/imports", line, dry_run="true")


def everything_written() -> Mapping[str, list[Any]]:
    return {model.__name__: list(model.everywhere.order_by("pk").values()) for model in TABLES}


def test_a_disk_that_is_full_at_any_step_leaves_all_as_it_was(crowd: Cast) -> None:
    """R-111, R-161: each write fails at its first statement, at its second, and so on, until it goes through."""
    acme = crowd.acme
    tried: dict[str, int] = {}
    for name, call in calls(acme):
        before, takes = everything_written(), 0
        while True:
            with connection.execute_wrapper(Full(takes)):
                answer = call()
            if answer.status_code < 300:
                break
            assert (answer.status_code, answer.json()["code"]) == (503, "memory_unavailable"), (name, takes)
            assert everything_written() == before, (name, takes)
            takes += 1
        tried[name] = takes
        assert_whole(acme)
    assert min(tried.values()) >= 2, tried
    sweep(timezone.now(), slug="acme")
    assert_all_due_is_done(acme)


if connection.vendor == "sqlite":

    def test_a_file_that_cannot_grow_is_told_and_loses_nothing_acknowledged(crowd: Cast) -> None:
        """The database's own limit, met inside whatever statement needs a page, the commit included."""
        acme, told = crowd.acme, []
        with page_limit(8):
            for _ in range(60):
                answer = acme.alice.propose(f"{sentence()} {'More of it. ' * 120}", evidence=None)
                if answer.status_code == 503:
                    break
                told.append(answer.json()["candidate_id"])
        assert answer.status_code == 503
        assert answer.json()["code"] == "memory_unavailable"
        assert_whole(acme)
        with acme.entered():
            assert {str(pk) for pk in Candidate.objects.values_list("pk", flat=True)} == set(told)
        assert acme.alice.store()["status"] == "active"

    @contextmanager
    def page_limit(more: int) -> Iterator[None]:
        with connection.cursor() as cursor:
            pages = cursor.execute("PRAGMA page_count").fetchone()[0]
            free = cursor.execute("PRAGMA freelist_count").fetchone()[0]
            most = cursor.execute("PRAGMA max_page_count").fetchone()[0]
            cursor.execute(f"PRAGMA max_page_count={int(pages + more)}")
            try:
                yield
            finally:
                cursor.execute(f"PRAGMA max_page_count={int(most)}")
        assert free >= 0
