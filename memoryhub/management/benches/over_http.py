"""How fast recall and propose are over HTTP, and whether other people's memories slow them down."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from django.conf import settings
from django.db import connection
from rich.console import Console
from rich.table import Table

from memories import sensitivity
from memoryhub.management import filling, many, scratch
from memoryhub.management.timing import CallFailed, Wire, percentile, served

NEW_QUESTION = "recall, a new question"
BATCH = "propose a batch"
BARS: Mapping[str, float | None] = {"recall": 8.0, NEW_QUESTION: 45.0, "propose": 20.0, "recall after a write": 15.0}
BATCH_OF, BATCHES, BATCH_BAR = 500, 4, 1_000
GROWTH_BAR = 1.3
ROUNDS = 25


@dataclass(frozen=True, slots=True)
class Size:
    """How much is loaded and how often is asked."""

    rows: int
    others: tuple[int, int]
    recalls: int
    proposals: int


FULL = Size(rows=1_000, others=(10_000, 100_000), recalls=400, proposals=200)
QUICK = Size(rows=300, others=(1_000, 5_000), recalls=100, proposals=50)


def run(console: Console, url: str, *, quick: bool) -> None:
    """Fill, serve, measure and print. Raises CallFailed, OSError or SubprocessError when something does not work."""
    size = QUICK if quick else FULL
    with ExitStack() as stack:
        wires = [_installation(stack, url, size, others, console) for others in size.others]
        _measure(wires, size)
    _report(console, size, wires)
    _report_batches(console, wires)
    _report_detectors(console)


def _installation(stack: ExitStack, url: str, size: Size, others: int, console: Console) -> Wire:
    """A filled database with a server over it, and a connection of the person who is measured."""
    began = time.monotonic()
    place = stack.enter_context(scratch.database(url))
    environment = stack.enter_context(scratch.installation(**place, MEMORYHUB_THROTTLE_RATE="1000000/sec"))
    with scratch.process(environment) as inside:
        known = inside.submit(filling.fill, size.rows, others).result()
        megabytes = inside.submit(many.bytes_of_database).result() / 1e6
    wire = Wire(stack.enter_context(served(environment)), known["key"], known["subject"])
    took = time.monotonic() - began
    console.print(f"{size.rows + others:>7,} memories, {megabytes:.0f} MB, filled and served after {took:.0f} s")
    return wire


def _measure(wires: list[Wire], size: Size) -> None:
    """In turns, so that whatever else this machine does meets both alike."""
    asked = filling.sentences(size.rows, seed=7)
    said = filling.sentences(size.proposals, seed=8)
    for wire in wires:
        wire.reconnect()
        _check(wire, asked[0])
        for one in asked[:30]:
            wire.recall(one.question, what=None)
    for turn in range(ROUNDS):
        for wire in wires:
            wire.reconnect()
            for one in asked[turn::ROUNDS][: size.recalls // ROUNDS]:
                wire.recall(one.question, what=NEW_QUESTION)
                wire.recall(one.question)
            for number in range(turn, size.proposals, ROUNDS):
                wire.propose(f"new_{number}", said[number].statement)
                wire.recall(asked[number % size.rows].question, what="recall after a write")
    for turn, one in enumerate(filling.sentences(BATCHES, seed=10)):
        for wire in wires:
            wire.reconnect()
            wire.propose_all({f"batch_{turn}_{number}": one.statement for number in range(BATCH_OF)}, BATCH)


def _check(wire: Wire, known: filling.Sentence) -> None:
    """What was filled in bulk is what the verbs would have written: it is found, and known already."""
    found = [item["statement"] for item in wire.recall(known.statement, what=None)["items"]]
    if known.statement not in found:
        raise CallFailed("a filled memory is not recalled")
    if wire.propose("habit_1", known.statement, what=None)["decision"] != "keep":
        raise CallFailed("a filled memory is not known to the gate")


def _report(console: Console, size: Size, wires: list[Wire]) -> None:
    table = Table("milliseconds over HTTP", title=f"One person with {size.rows:,} memories", title_justify="left")
    for others in size.others:
        table.add_column(f"beside {others:,}\np50 / p95", justify="right")
    for heading in ("growth of p50", "bar"):
        table.add_column(heading, justify="right")
    for what, bar in BARS.items():
        p50s = [percentile(wire.times[what], 0.5) for wire in wires]
        p95s = [percentile(wire.times[what], 0.95) for wire in wires]
        cells = [f"{p50:.1f} / {p95:.1f}" for p50, p95 in zip(p50s, p95s, strict=True)]
        growth = p50s[1] / p50s[0]
        held = verdict(max(p50s) <= bar, f"p50 ≤ {bar:.0f}") if bar else ""
        shown = verdict(growth <= GROWTH_BAR, f"{growth:.2f} ≤ {GROWTH_BAR}") if what == "recall" else f"{growth:.2f}"
        table.add_row(what, *cells, shown, held)
    console.print(table)
    calls = ", ".join(f"{what} {len(wires[0].times[what])} times" for what in BARS)
    console.print(
        f"Beside each: {calls}, one call at a time, in {ROUNDS} turns. {connection.display_name}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, embedder {settings.MEMORYHUB_EMBEDDER}\n"
    )


def _report_batches(console: Console, wires: list[Wire]) -> None:
    rates = [BATCH_OF / percentile(wire.times[BATCH], 0.5) * 1000 for wire in wires]
    held = verdict(min(rates) >= BATCH_BAR, f"≥ {BATCH_BAR:,}")
    shown = " and ".join(f"{rate:,.0f}" for rate in rates)
    console.print(f"Batches of {BATCH_OF}, vectors later: {shown} memories/s, {held}")


def _report_detectors(console: Console) -> None:
    """What it costs to look for secrets and identifiers in 200 characters."""
    sensitivity.warm_up()
    times = []
    for one in filling.sentences(300, seed=9):
        text = (one.statement * 4)[:200]
        began = time.perf_counter()
        sensitivity.scan(text)
        times.append((time.perf_counter() - began) * 1000)
    p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
    console.print(f"Looking for secrets in 200 characters: p50 {p50:.2f} ms, p95 {p95:.2f} ms ({len(times)} texts)")


def verdict(holds: bool, bar: str) -> str:
    """A bar with its result, coloured."""
    return f"[green]{bar} holds[/]" if holds else f"[red]{bar} missed[/]"
