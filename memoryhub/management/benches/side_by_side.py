"""This product beside its peers: the same memories, questions and vectors, one system at a time on this machine.

The harness stores and asks, over HTTP here and in its own process with the peers. Then the same questions are asked
over HTTP again, with their vectors known, and in process. The peers are given vectors that were made before.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from rich.console import Console
from rich.table import Table

from memories.evaluation import ranked
from memories.evaluation.conversations import Question
from memoryhub.management import beside, scratch
from memoryhub.management.benches.over_http import verdict
from memoryhub.management.beside import Asked
from memoryhub.management.harness import KEY, TENANT, Harness, HarnessFailed, Task
from memoryhub.management.timing import Wire, percentile, served

REST, KNOWN = "rest", "rest, vectors known"
PEERS = ("recipe", "langgraph-sqlite", "langgraph-memory", "mem0-faiss", "mem0-qdrant")
RIVALS = ("langgraph", "mem0")
BETTER_BY = 0.25
PAUSE = 2.0


@dataclass(frozen=True, slots=True)
class Line:
    """One system: quality, milliseconds of a question, memories stored in a second."""

    system: str
    recall: float
    gain: float
    p50: float
    p95: float
    stored: int | None = None

    @classmethod
    def of(cls, system: str, asked: Asked) -> Line:
        found = ranked.figures(asked.judged)
        times = asked.times
        return cls(
            system,
            found["recall_10"] or 0.0,
            found["ndcg_10"] or 0.0,
            percentile(times, 0.5),
            percentile(times, 0.95),
        )


def run(console: Console, url: str, harness: Harness, tasks: Sequence[Task], peers: Sequence[str]) -> None:
    """Each task in an installation of its own. Raises HarnessFailed, CallFailed, OSError or SubprocessError."""
    for task in tasks:
        memories, questions = harness.asked(task)
        console.print(f"{task.data}: {memories:,} memories, {len(questions):,} questions")
        lines = _ours(console, url, harness, task, memories, questions)
        for peer in peers:
            lines += _lines(console, harness, task, peer, os.environ)
        _report(console, task, memories, lines)


def _ours(
    console: Console, url: str, harness: Harness, task: Task, memories: int, questions: Sequence[Question]
) -> list[Line]:
    with (
        scratch.database(url) as place,
        scratch.installation(**place, MEMORYHUB_THROTTLE_RATE="1000000/sec") as environment,
        scratch.process(environment) as inside,
    ):
        vectors = str(Path(settings.VAR_DIR) / "evaluation")
        key = _provision(environment, harness.provision(task))
        with served(environment) as port:
            reached = {**os.environ, "BENCH_REST_BASE": f"http://127.0.0.1:{port}", "BENCH_REST_TOKEN": key}
            with _filling(inside, vectors, memories):
                lines = _lines(console, harness, task, REST, reached)
            lines.append(Line.of(KNOWN, _over_http(Wire(port, key, ""), questions)))
        asked = inside.submit(beside.ask, TENANT, vectors, questions).result()
        return lines + [Line.of(name, one) for name, one in asked.items()]


def _provision(environment: scratch.Environment, document: str) -> str:
    """Make the people and the agent that the harness speaks for; the agent's key."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(document)
        file.flush()
        made = scratch.output(environment, "provision", file.name)
    key: str = made["keys"][KEY]
    return key


@contextmanager
def _filling(inside: ProcessPoolExecutor, vectors: str, memories: int) -> Iterator[None]:
    """Vectors are made while the block lasts, beside the worker of the server, which makes each copy of a text anew."""
    stop = threading.Event()

    def fill() -> None:
        while not stop.wait(PAUSE):
            if inside.submit(beside.make_vectors, TENANT, vectors, memories).result():
                return

    filler = threading.Thread(target=fill)
    filler.start()
    try:
        yield
    finally:
        stop.set()
        filler.join()


def _lines(console: Console, harness: Harness, task: Task, system: str, environment: Mapping[str, str]) -> list[Line]:
    """The result of one system; what else it printed is shown, most of all where there is none."""
    lines = []
    said: list[str] = []
    for one in harness.run(task, system, environment):
        if isinstance(one, str):
            said.append(one)
        else:
            lines.append(
                Line(system, one["recall@10"], one["ndcg@10"], one["search_p50_ms"], one["search_p95_ms"], one["add/s"])
            )
    if said and not lines:
        console.print(f"[red]{system} gave no result:[/] {said[-1]}")
    if not lines and system == REST:
        raise HarnessFailed("\n".join(said[-3:]) or "it printed nothing")
    return lines


def _over_http(wire: Wire, questions: Sequence[Question]) -> Asked:
    """As the harness asks, each twice: the process behind this connection makes the vectors the first time."""
    asked = Asked()
    for what in (None, KNOWN):
        for one in questions:
            wire.subject = one.namespace
            body = {"query": one.text, "namespaces": [{"type": "user"}], "kinds": [beside.KIND], "limit": beside.LIMIT}
            found = wire.call(what, "/recall", body)["items"]
            if what is KNOWN:
                asked.judged.append(ranked.judge([item["key"] for item in found], one.gold))
    asked.times = wire.times[KNOWN]
    return asked


def _report(console: Console, task: Task, memories: int, lines: Sequence[Line]) -> None:
    table = Table("system", title=f"{task.data}, {memories:,} memories", title_justify="left")
    for heading in ("recall@10", "NDCG@10", "p50 ms", "p95 ms", "stored/s"):
        table.add_column(heading, justify="right")
    for one in lines:
        stored = "" if one.stored is None else f"{one.stored:,}"
        table.add_row(one.system, f"{one.recall:.4f}", f"{one.gain:.4f}", f"{one.p50:.2f}", f"{one.p95:.2f}", stored)
    console.print(table)
    rivals = [one for one in lines if one.system.startswith(RIVALS)]
    if not rivals:
        return
    mine = {one.system: one for one in lines}
    theirs = max(one.recall for one in rivals)
    better = f"recall@10 above mem0 and LangGraph by {mine[REST].recall - theirs:.3f}"
    possible = theirs + BETTER_BY <= 1
    held = verdict(mine[REST].recall - theirs >= BETTER_BY, f"{better} ≥ {BETTER_BY}")
    console.print(held if possible else f"{better}; they leave no more than {1 - theirs:.3f}")
    for name in (KNOWN, beside.RECALL, beside.SEARCH):
        slower = [one.system for one in rivals if one.p95 <= mine[name].p95]
        console.print(verdict(not slower, f"{name}: p95 below theirs") + (f" by {', '.join(slower)}" if slower else ""))
