"""Two processes over one database: what one writes, edits or forgets, the other recalls or no longer recalls."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from uuid import UUID

from django.db import connection
from rich.console import Console

from memoryhub.management import many, scratch
from memoryhub.management.person import Person
from memoryhub.management.scratch import Environment

PERSON, MEMORIES = "asked_300", 300
CHUNK = 500
STANDING = 40
"""About so many memories of this run stand at a time."""
DURING = 2
"""Recalls write a trace: more of them could keep the other process of a SQLite database waiting for ever."""


def run(console: Console, url: str, interleavings: int) -> None:
    """Fill, interleave, print the counts."""
    began = time.monotonic()
    with (
        scratch.database(url) as place,
        scratch.installation(**place, MEMORYHUB_EMBEDDER="none") as environment,
        scratch.process(environment) as inside,
    ):
        inside.submit(many.fill, MEMORIES, {PERSON: MEMORIES}).result()
        counts: Counter[str] = Counter()
        for first in range(0, interleavings, CHUNK):
            changes = min(CHUNK, interleavings - first)
            counts.update(inside.submit(interleave, dict(environment), Person(PERSON), changes, first).result())
            console.print(f"{first + changes:,} changes, stale {counts['missed'] + counts['returned although gone']}")
    stale = counts["missed"] + counts["returned although gone"]
    console.print(
        f"Two processes, {connection.display_name}: {interleavings:,} changes of one, each followed by a recall of the "
        f"other, {time.monotonic() - began:.0f} s"
    )
    for name, count in counts.items():
        console.print(f"  {count:7,}  {name}")
    console.print("[green]never stale[/]\n" if not stale else f"[red]stale {stale} times[/]\n")


def interleave(environment: Environment, person: Person, changes: int, first: int = 0) -> Counter[str]:
    """So many changes, in turns by another process and by this one; after each the one that did not write recalls.

    While the other process writes, this one recalls too, so that its index is refreshed in the middle of writes. Counts
    what was done, and the recalls that missed what stands or returned what is gone. `first` tells one run over the same
    rows from another.
    """
    chance, counts = random.Random(first), Counter({"missed": 0, "returned although gone": 0})  # noqa: S311
    standing: dict[str, UUID] = {}
    gone: dict[str, set[UUID]] = {}
    with scratch.process(environment) as other:
        for number, (what, mark) in enumerate(_plan(chance, standing, range(first, first + changes)), first):
            before = standing.pop(mark, None)
            step = (mark, before if what == "forgotten" else None)
            if number % 2:
                after = _change(person, *step, number)
                found = other.submit(_recall, person, mark).result()
            else:
                writing = other.submit(_change, person, *step, number)
                counts["recalls during a write"] += _recall_during(writing, person, mark)
                after = writing.result()
                found = _recall(person, mark)
            if before is not None:
                gone.setdefault(mark, set()).add(before)
            if after is not None:
                standing[mark] = after
                counts["missed"] += after not in found
            counts["returned although gone"] += bool(found & gone.get(mark, set()))
            counts[what] += 1
    return counts


def _plan(chance: random.Random, standing: dict[str, UUID], numbers: range) -> Iterator[tuple[str, str]]:
    """What to do next, by what stands: store something new, edit or forget something known."""
    for number in numbers:
        what = chance.choice(("stored", "edited", "forgotten")) if len(standing) > STANDING // 2 else "stored"
        if what == "stored" and len(standing) > STANDING:
            what = "forgotten"
        yield what, f"mark{_letters(number)}ux" if what == "stored" else chance.choice(sorted(standing))


def _change(person: Person, mark: str, forgotten: UUID | None, number: int) -> UUID | None:
    if forgotten is not None:
        person.forget(forgotten)
        return None
    return person.remember(f"about_{mark}", f"Put the {mark} {_letters(number)} summary first in every report.")


def _recall(person: Person, mark: str) -> set[UUID]:
    return {item.memory.pk for item in person.recall(f"the {mark} summary").items}


def _recall_during(writing: Future[UUID | None], person: Person, mark: str) -> int:
    made = 0
    while made < DURING and not writing.done():
        _recall(person, mark)
        made += 1
    return made


def _letters(number: int) -> str:
    """The number as a word, so that it is a term and no number."""
    return "".join("bdfgklmnpr"[int(digit)] + "a" for digit in str(number))
