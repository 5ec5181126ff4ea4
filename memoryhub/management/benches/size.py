"""Recall from tables of many memories: each size in an installation of its own, asked in turns so that whatever else
this machine does meets all alike; and what a memory takes on disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field

from django.db import connection
from rich.console import Console
from rich.table import Table

from memoryhub.management import scratch, sized
from memoryhub.management.benches.over_http import GROWTH_BAR, verdict
from memoryhub.management.sized import EDIT, FORGET, HIT, MISS, PROBES, VECTOR, WRITE, Measured, Times
from memoryhub.management.timing import percentile

SIZES = (50_000, 100_000)
LEAST = 2 * sum(PROBES)
ROUNDS = 5
BARS = {(300, HIT): 3.0, (3_000, HIT): 5.0, (20_000, HIT): 15.0}
BARS |= {(300, MISS): 5.0, (3_000, MISS): 40.0, (20_000, MISS): 400.0}
WRITE_BAR = 15.0
BYTES_BAR = 1800


@dataclass
class Installation:
    """One size: its settings, the process inside it, what it takes on disk, and every time that was measured there."""

    memories: int
    environment: scratch.Environment
    inside: ProcessPoolExecutor
    whole: int
    parts: dict[str, int]
    times: Measured = field(default_factory=dict)

    def measure(self, call: Callable[[int], Measured], turn: int) -> None:
        for place, times in self.inside.submit(call, turn).result().items():
            self.times.setdefault(place, Times()).add(times)


def run(console: Console, url: str, sizes: Sequence[int]) -> None:
    """Fill, ask, change, print. Raises NotSeen when a recall does not see a change, and what a process raises."""
    with ExitStack() as stack:
        made = [fill(stack, console, url, memories) for memories in sorted(sizes)]
        for turn in range(ROUNDS):
            for call in (sized.ask, sized.change):
                for one in made:
                    one.measure(call, turn)
            console.print(f"round {turn + 1} of {ROUNDS}, load {os.getloadavg()[0]:.1f}")
    _report(console, made)
    for one in made:
        _report_bytes(console, one)


def fill(stack: ExitStack, console: Console, url: str, memories: int) -> Installation:
    """A new installation with so many memories; it goes when the stack is left."""
    began = time.monotonic()
    place = stack.enter_context(scratch.database(url))
    environment = stack.enter_context(scratch.installation(**place, MEMORYHUB_EMBEDDER="none"))
    inside = stack.enter_context(scratch.process(environment))
    console.print(f"filling {memories:,} memories …")
    whole, parts = inside.submit(sized.fill, memories).result()
    console.print(f"{memories:,} memories, {whole / 1e6:.0f} MB, after {time.monotonic() - began:.0f} s")
    return Installation(memories, environment, inside, whole, parts)


def _report(console: Console, made: Sequence[Installation]) -> None:
    title = "Milliseconds of one recall (storage, ranking, gate, trace and event; no HTTP, no embedder)"
    table = Table("memories of one person", "", title=title, title_justify="left")
    for one in made:
        table.add_column(f"among {one.memories:,}\np50 / p95", justify="right")
        table.add_column("CPU here +\ndatabase", justify="right")
        table.add_column("of it search +\nreading, gate", justify="right")
    table.add_column("growth\nof p50, CPU", justify="right")
    table.add_column("bar of p95", justify="right")
    for what in (HIT, MISS, WRITE, VECTOR, EDIT, FORGET):
        for size in PROBES:
            table.add_row(f"{size:,}", what, *_row([one.times[size, what] for one in made], size, what))
    console.print(table)
    calls = ", ".join(f"{what} {len(made[0].times[PROBES[0], what].wall)}" for what in (HIT, MISS, WRITE))
    console.print(
        f"{connection.display_name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; calls at {PROBES[0]}: "
        f"{calls}; in {ROUNDS} rounds, the sizes in turns\n"
    )


def _row(measured: Sequence[Times], size: int, what: str) -> list[str]:
    cells = []
    for times in measured:
        cells.append(f"{percentile(times.wall, 0.5):.1f} / {percentile(times.wall, 0.95):.1f}")
        cells.append(f"{percentile(times.cpu, 0.5):.1f} + {times.server / len(times.wall):.1f}")
        cells.append(f"{percentile(times.searched, 0.5):.1f} + {percentile(times.gated, 0.5):.1f}")
    first, last = measured[0], measured[-1]
    growth = percentile(last.wall, 0.5) / percentile(first.wall, 0.5)
    worked = percentile(last.cpu, 0.5) / percentile(first.cpu, 0.5)
    shown = f"{growth:.2f}, {worked:.2f}"
    bar = BARS.get((size, what), WRITE_BAR)
    slowest = max(percentile(times.wall, 0.95) for times in measured)
    return [
        *cells,
        verdict(growth <= GROWTH_BAR, shown) if what == HIT else shown,
        verdict(slowest <= bar, f"≤ {bar:.0f}"),
    ]


def _report_bytes(console: Console, one: Installation) -> None:
    """What counts: the row of the memory, the row of its terms and vector, and every index of both."""
    each = {name: size / one.memories for name, size in one.parts.items()}
    console.print(f"{one.memories:,} memories: {one.whole / one.memories:,.0f} bytes each with all other tables")
    if each:
        total = sum(each.values())
        console.print(
            f"  memory, terms and vector, indexes: {verdict(total <= BYTES_BAR, f'{total:,.0f} ≤ {BYTES_BAR:,}')}"
        )
    for name, size in sorted(each.items(), key=lambda item: -item[1]):
        console.print(f"  {size:7,.0f}  {name}")
