"""What encryption costs: the same memories in two installations, one of which encrypts them, asked in turns."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache

from rich.console import Console
from rich.table import Table

from memoryhub.management import scratch, sized
from memoryhub.management.benches.size import LEAST, ROUNDS, Installation, fill
from memoryhub.management.person import Person
from memoryhub.management.sized import HIT, MISS, PROBES, Measured, Times
from memoryhub.management.timing import percentile

PROPOSE = "propose"
PROPOSED = 30
WRITTEN_TO = PROBES[0]


def run(console: Console, url: str) -> None:
    """Fill two alike, encrypt one, ask both, print."""
    with ExitStack() as stack:
        plain, sealed = [fill(stack, console, url, LEAST) for _ in range(2)]
        _encrypt(stack, console, sealed)
        for turn in range(ROUNDS):
            for call in (sized.ask, propose):
                for one in (plain, sealed):
                    one.measure(call, turn)
        _report(console, plain, sealed)


def propose(turn: int) -> Measured:
    """One round of proposals that are stored, each under a key of its own."""
    times, person = Times(), _person(f"written_{WRITTEN_TO}")
    for number in range(PROPOSED):
        began, worked = time.perf_counter(), time.process_time()
        person.remember(f"proposed_{turn}_{number}", f"Put the summary {turn} {number} before the details.")
        times.cpu.append((time.process_time() - worked) * 1000)
        times.wall.append((time.perf_counter() - began) * 1000)
    return {(WRITTEN_TO, PROPOSE): times}


def _encrypt(stack: ExitStack, console: Console, one: Installation) -> None:
    """Encrypt what is there, and go on with a process that has the keys."""
    folder = one.environment["MEMORYHUB_VAR_DIR"]
    environment = {**one.environment, "MEMORYHUB_KEY_STORE": f"{folder}/keys"}
    scratch.manage(environment, "encryption", "set-up")
    began = time.monotonic()
    scratch.manage(environment, "encryption", "encrypt")
    console.print(f"encrypted {one.memories:,} memories in {time.monotonic() - began:.0f} s")
    one.environment = environment
    one.inside = stack.enter_context(scratch.process(environment))
    one.whole, one.parts = one.inside.submit(sized.weigh).result()


def _report(console: Console, plain: Installation, sealed: Installation) -> None:
    table = Table("memories of one person", "", title="Milliseconds of processor time, p50", title_justify="left")
    for name in ("plain", "encrypted", "more"):
        table.add_column(name, justify="right")
    for size, what in [*((size, what) for what in (HIT, MISS) for size in PROBES), (WRITTEN_TO, PROPOSE)]:
        row = [percentile(one.times[size, what].cpu, 0.5) for one in (plain, sealed)]
        table.add_row(f"{size:,}", what, *(f"{cell:.2f}" for cell in row), f"{row[1] / row[0] - 1:+.0%}")
    console.print(table)
    each = [_bytes_each(one) for one in (plain, sealed)]
    console.print(
        f"bytes of a memory with its terms and vector and their indexes: {each[0]:,.0f} plain, {each[1]:,.0f} encrypted"
    )


def _bytes_each(one: Installation) -> float:
    parts: Sequence[int] = list(one.parts.values())
    return (sum(parts) or one.whole) / one.memories


@cache
def _person(external_id: str) -> Person:
    return Person(external_id)
