"""What is measured inside one installation of many memories: recall from a warm and a dropped index, and after writes.

A recall here is the whole verb without HTTP and without making the question's vector: permission, the revision of the
namespace, ranking by words and by meaning, reading the best rows, the gate, and one transaction with trace and event.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from uuid import UUID

from django.db import connection

from memories.search import rows
from memories.vectors import Means, Vector
from memoryhub.management import many
from memoryhub.management.person import Person

PROBES = (300, 3_000, 20_000)
HIT, MISS = "index hit", "index dropped"
WRITE, VECTOR, EDIT, FORGET = "after a write", "after its vector came", "after an edit", "after a forgetting"
ASKED = {300: (60, 20), 3_000: (60, 10), 20_000: (60, 4)}
"""How often in one round, by size: hits, and misses."""
CHANGED = 6
QUESTION_WORDS = 6
TICKS = os.sysconf("SC_CLK_TCK")

Question = tuple[str, tuple[Vector, Means]]


class NotSeen(RuntimeError):
    """A recall that missed what was just written, or returned what was just forgotten."""


@dataclass
class Times:
    """Milliseconds of each call, of processor time in this process, and of the parts that a trace tells."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    server: float = 0.0
    searched: list[float] = field(default_factory=list)
    gated: list[float] = field(default_factory=list)

    def add(self, other: Times) -> None:
        self.wall += other.wall
        self.cpu += other.cpu
        self.server += other.server
        self.searched += other.searched
        self.gated += other.gated


Measured = dict[tuple[int, str], Times]


def fill(memories: int) -> tuple[int, dict[str, int]]:
    """Two people of each probed size, one to ask and one to write to. Bytes of the database, and of its parts."""
    people = {f"{what}_{size}": size for what in ("asked", "written") for size in PROBES}
    many.fill(memories, people)
    return weigh()


def weigh() -> tuple[int, dict[str, int]]:
    """Bytes of the database, and of its parts."""
    return many.bytes_of_database(), many.bytes_of_tables()


def ask(turn: int) -> Measured:
    """One round of questions to each probed size; the first calls of a round are not counted."""
    out: Measured = {}
    for size, (hits, misses) in ASKED.items():
        person = _person(f"asked_{size}")
        questions = _questions(turn * 1000 + size, hits + misses + 3)
        for _ in range(3):
            _recall(person, next(questions), Times())
        for what, count in ((HIT, hits), (MISS, misses)):
            with _timed(out, size, what) as times:
                for _ in range(count):
                    if what == MISS:
                        rows.index().forget(person.namespace_id)
                    _recall(person, next(questions), times)
    return out


def change(turn: int) -> Measured:
    """One round of changes to each probed size, each followed by a recall that must see it."""
    out: Measured = {}
    for size in PROBES:
        person = _person(f"written_{size}")
        questions = _questions(turn * 1000 + size + 1, CHANGED * 4 + 1)
        _recall(person, next(questions), Times())
        for number in range(CHANGED):
            key, mark = f"new_{turn}_{number}", _mark(size, turn, number)
            first = person.remember(key, _said(mark, "before"))
            _see(out, person, size, WRITE, mark, next(questions), present=first)
            _give_vector(person, first, turn + number)
            _see(out, person, size, VECTOR, mark, next(questions), present=first)
            second = person.remember(key, _said(mark, "after"))
            _see(out, person, size, EDIT, mark, next(questions), present=second, absent=first)
            person.forget(second)
            _see(out, person, size, FORGET, mark, next(questions), absent=second)
    return out


def _see(
    out: Measured,
    person: Person,
    size: int,
    what: str,
    mark: str,
    question: Question,
    *,
    present: UUID | None = None,
    absent: UUID | None = None,
) -> None:
    with _timed(out, size, what) as times:
        found = _recall(person, (f"the {mark} summary", question[1]), times)
    if (present is not None and present not in found) or absent in found:
        raise NotSeen(f"{what}, among {size}")


def _recall(person: Person, question: Question, times: Times) -> set[UUID]:
    began, worked = time.perf_counter(), time.process_time()
    recalled = person.recall(*question)
    times.cpu.append((time.process_time() - worked) * 1000)
    times.wall.append((time.perf_counter() - began) * 1000)
    times.searched.append(recalled.trace.latency["search_ms"])
    times.gated.append(recalled.trace.latency["gate_ms"])
    return {item.memory.pk for item in recalled.items}


@contextmanager
def _timed(out: Measured, size: int, what: str) -> Iterator[Times]:
    """With the processor time of the database's own process, where it is another one of this machine."""
    times, before = Times(), _server_cpu()
    yield times
    times.server += _server_cpu() - before
    out.setdefault((size, what), Times()).add(times)


def _server_cpu() -> float:
    """Milliseconds, in steps of ten; 0 where the database is this process or on another machine."""
    if connection.vendor != "postgresql":
        return 0.0
    try:
        fields = Path(f"/proc/{_server_process()}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) * 1000 / TICKS


def _server_process() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def _questions(seed: int, count: int) -> Iterator[Question]:
    invention = many.Invention(seed)
    vectors = invention.vectors(count)
    for text, vector in zip(invention.texts(count, QUESTION_WORDS), vectors, strict=True):
        yield text, (vector, _means())


def _give_vector(person: Person, memory_id: UUID, seed: int) -> None:
    vector = many.Invention(seed).vectors(1)[0]
    person.inside(lambda: many.give_vector(person.memory(memory_id), vector))


def _mark(*numbers: int) -> str:
    """A word that nobody else uses."""
    return "".join("abcdefghij"[int(digit)] for number in numbers for digit in f"{number}x".rstrip("x")) + "ux"


def _said(mark: str, where: str) -> str:
    return f"Put the {mark} summary {where} the details in every report."


@cache
def _means() -> Means:
    return many.Invention(0).means


@cache
def _person(external_id: str) -> Person:
    return Person(external_id)
