"""Thousands of texts through every door of a served installation, then forgotten: where one still stands, and when the
last was gone.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

from rich.console import Console
from rich.table import Table

from memoryhub import remnants
from memoryhub.canaries import Canaries
from memoryhub.management import planting, scratch
from memoryhub.management.benches.over_http import verdict
from memoryhub.management.planting import Door
from memoryhub.management.timing import CallFailed, served

REFUSED_SHARE, TAKEN_BACK_SHARE = 0.4, 0.1
BAR_ALONE, BAR_WITH_BROKER = 10.0, 5.0
PATIENCE = 120.0
COLLECTED_AFTER = 1.5  # the expiring ones are past their end by then


@dataclass(frozen=True, slots=True)
class Planted:
    """The canaries by what should have become of them."""

    kept: Sequence[str]
    gone: Sequence[str]


def run(console: Console, url: str, broker: str, count: int) -> int:
    """Plant, look, forget, look. The number of places where one stands that should not; prints them by name.

    Raises CallFailed when a door answers otherwise than it should, and when something is not purged in two minutes.
    """
    with ExitStack() as stack:
        place = stack.enter_context(scratch.database(url))
        settings = {"MEMORYHUB_THROTTLE_RATE": "1000000/sec", **place}
        if broker:
            settings |= {"CELERY_BROKER_URL": broker, "CACHE_URL": broker}
        environment = stack.enter_context(scratch.installation(**settings))
        inside = stack.enter_context(scratch.process(environment))
        key = inside.submit(planting.provision).result()
        port = stack.enter_context(served({**environment, "MEMORYHUB_LOG_LEVEL": "debug"}))
        if broker:
            stack.enter_context(_celery(environment))
        door, began = Door.at(port, key), time.monotonic()
        planted = _plant(door, count)
        console.print(f"{count:,} canaries in {time.monotonic() - began:.0f} s")
        folder = Path(environment["MEMORYHUB_VAR_DIR"])

        def look(canaries: Sequence[str]) -> Mapping[str, int]:
            return inside.submit(_stand, canaries, folder).result()

        exported = _export(door, planted.kept)
        seen = sum(look(planted.kept).values())
        if not seen or not exported:
            raise CallFailed("the look-out does not see what stands")
        early = look(planted.gone)
        took = _forget(door)
        late = look([*planted.kept, *planted.gone])
    _report(console, len(planted.kept), len(planted.gone), {"before": early, "after": late})
    bar = BAR_WITH_BROKER if broker else BAR_ALONE
    console.print(
        f"Kept ones stood in {seen:,} places before and in {exported:,} lines of an export; all receipts said purged "
        f"{verdict(took <= bar, f'{took:.1f} s ≤ {bar:.0f} s')} after the last forgetting"
    )
    return len(early) + len(late)


def _plant(door: Door, count: int) -> Planted:
    refused, taken_back = int(count * REFUSED_SHARE), int(count * TAKEN_BACK_SHARE)
    texts = planting.marks(count, seed=count)
    gone = texts[: refused + taken_back]
    _each(door, texts[:refused], planting.REFUSED)
    _each(door, texts[refused : refused + taken_back], planting.TAKEN_BACK)
    _each(door, texts[refused + taken_back :], planting.KEPT)
    return Planted(texts[refused + taken_back :], gone)


def _each(door: Door, marks: Sequence[str], ways: Mapping[str, Callable[[Door, str], None]]) -> None:
    """Each canary by the next of these ways."""
    named = list(ways.items())
    for number, mark in enumerate(marks):
        name, way = named[number % len(named)]
        try:
            way(door, mark)
        except CallFailed as error:
            raise CallFailed(f"{name}: {error}") from None


def _export(door: Door, kept: Sequence[str]) -> int:
    """How many kept canaries stand in a file of everything, which stays where exports lie."""
    asked = door.send("/exports", {"format": "csv", "namespaces": [{"type": "user"}]})
    _await(lambda: door.send(f"/exports/{asked['id']}", None, method="GET")["state"] == "ready", "an export")
    content = door.http.get(f"/api/v1/exports/{asked['id']}/file").text
    return sum(mark in content for mark in kept)


def _forget(door: Door) -> float:
    """Half one by one, the rest of the person by a filter. Seconds from the last forgetting to the last receipt."""
    time.sleep(COLLECTED_AFTER)
    receipts = [door.send(f"/memories/{one}", None, method="DELETE")["id"] for one in door.standing[::2]]
    plan = door.send("/forget", {"filter": {"namespace": {"type": "user"}}, "dry_run": True})
    receipts.append(door.send("/forget", {"confirm_token": plan["confirm_token"]})["id"])
    began = time.monotonic()
    for receipt in receipts:
        _await(lambda: door.send(f"/erasures/{receipt}", None, method="GET")["state"] == "purged", "an erasure")  # noqa: B023
    return time.monotonic() - began


def _await(done: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > deadline:
            raise CallFailed(f"{what} was not finished in {PATIENCE:.0f} s")
        time.sleep(0.05)


def _stand(texts: Sequence[str], folder: Path) -> dict[str, int]:
    """In how many places of each kind any of these texts stands. Runs inside the installation."""
    found: Counter[str] = Counter()
    for place in remnants.look(Canaries(texts), leave_out=folder / "none", data_directory=None):
        found[place.name.replace(str(folder), "the installation's folder")] += place.hits
    return {name: hits for name, hits in found.items() if hits}


@contextmanager
def _celery(environment: scratch.Environment) -> Iterator[None]:
    """A Celery worker and its clock over this installation."""
    command = [sys.executable, "-m", "celery", "-A", "memoryhub.celery"]
    folder = environment["MEMORYHUB_VAR_DIR"]
    with open(f"{folder}/celery.log", "wb") as log:
        parts = [
            Popen([*command, *what], cwd=scratch.ROOT, env=dict(environment), stdout=log, stderr=log)  # noqa: S603
            for what in (["worker", "--concurrency", "1"], ["beat", "--schedule", f"{folder}/beat"])
        ]
        try:
            yield
        finally:
            for part in parts:
                part.terminate()
            for part in parts:
                part.wait(timeout=30)


def _report(console: Console, kept: int, gone: int, found: Mapping[str, Mapping[str, int]]) -> None:
    table = Table("where", "hits", title="Where a canary stands that should not", title_justify="left")
    for when, places in found.items():
        for name, hits in places.items():
            table.add_row(f"{when} the forgetting: {name}", f"[bold red]{hits}[/]")
    if table.rows:
        console.print(table)
    before, after = (sum(places.values()) for places in found.values())
    console.print(
        f"{gone:,} refused or taken back: {verdict(not before, f'{before} hits')}; "
        f"{kept + gone:,} after {kept:,} were forgotten: {verdict(not after, f'{after} hits')}; "
        "in rows, files, log, cache, broker and the database's own files"
    )
