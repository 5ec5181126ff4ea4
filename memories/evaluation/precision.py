"""The suite about finding nothing else: PrecisionMemBench through propose and recall, in a scratch tenant.

Its beliefs are fed in two ways, and every figure says in which. *governed*: key, aliases and statement, each scope an
area, superseded ones as older versions, resolved ones expired, open questions in an area of their own, pinned facts
preloaded by their keys. *wire*: what its harness sends to an outside provider: one text with aliases, the person and
the first scope. The points of calibration, where nothing is searched, tell whether scoring is the benchmark's own.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memories import embeddings, indexing, recalling
from memories.evaluation import beliefs
from memories.evaluation.beliefs import Belief, Benchmark, Score, Trial
from memories.evaluation.cast import Cast
from memories.evaluation.names import Name
from memories.evaluation.results import Figure, Result, Row
from memories.evaluation.scenes import POLICY
from memories.evaluation.world import Source, Wish, World, ref_of, scratch
from memories.recall_gate import Mode
from memories.recalling import RecallInput
from memories.write_gate import EvidenceClass

TENANT = "evaluation"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PATIENCE = 600.0
"""Seconds within which the vectors of all beliefs are made."""
PREFERENCE, PROFILE = "preference", "profile"
FACTS, QUESTIONS = "facts", "questions"
Area = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fed:
    """A belief as it is remembered, and when."""

    kind: str
    key: str
    statement: str
    area: Area
    at: datetime
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Feed:
    """One way to feed the benchmark: how beliefs are remembered, where a case looks, which keys are loaded with any
    answer, and what a relation may bring along."""

    name: str
    fed: Callable[[Benchmark, Belief], Fed]
    areas: Callable[[Trial], Sequence[Area]]
    preload: Callable[[Benchmark, Trial], tuple[str, ...]]
    brings: Callable[[Belief], bool]


def precision(folder: Path) -> Result:
    """Every case fed in each way: precision, recall, and how many pass by finding exactly what they should."""
    bench = beliefs.read(folder)
    figures: dict[str, Figure] = {"embedder": True if embeddings.active() else None, **_calibration(bench)}
    rows: list[Row] = []
    for feed in (GOVERNED, WIRE):
        returned, refused = _returned(bench, feed)
        scores = [bench.score(trial, returned[trial.id]) for trial in bench.trials]
        rows += [_row(bench, feed, trial, returned[trial.id]) for trial in bench.trials]
        figures |= {f"{feed.name}_{name}": figure for name, figure in _totals(scores).items()}
        figures[f"{feed.name}_refused"] = refused
    return Result("precision", rows, figures)


def _row(bench: Benchmark, feed: Feed, trial: Trial, got: list[str]) -> Row:
    score = bench.score(trial, got)
    return Row(f"{feed.name}:{trial.id}", sorted(bench.expected(trial)), got, "+".join(score.failures), score.passed)


def _calibration(bench: Benchmark) -> dict[str, Figure]:
    """What the published reports say scored anew, and the two answers that need no search."""
    trials = {trial.id: trial for trial in bench.trials}
    published = [one for report in bench.reports for one in report if one.trial in trials]
    differing = 0
    for one in published:
        score = bench.score(trials[one.trial], one.returned)
        differing += (score.precision, score.recall, score.passed) != (one.precision, one.recall, one.passed)
    nothing = _totals([bench.score(trial, ()) for trial in bench.trials])
    everything = _totals([bench.score(trial, _everything(bench, trial)) for trial in bench.trials])
    return {
        "cases": len(bench.trials),
        "cases_with_an_answer": sum(bool(bench.expected(trial)) for trial in bench.trials),
        "published_cases": len(published),
        "published_cases_scored_otherwise": differing,
        "nothing_passed": nothing["passed"],
        **{f"everything_{name}": figure for name, figure in everything.items()},
    }


def _everything(bench: Benchmark, trial: Trial) -> list[str]:
    """All that an outside provider could return."""
    theirs = [one.id for one in bench.beliefs.values() if one.owner == trial.owner and trial.scopes[0] in one.scopes]
    return bench.completed(trial, theirs) if _asks(trial) else []


def _totals(scores: Sequence[Score]) -> dict[str, Figure]:
    return {
        "precision": _mean([one.precision for one in scores]),
        "recall": _mean([one.recall for one in scores]),
        "active": sum(one.is_active for one in scores),
        "passed": sum(one.passed for one in scores),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    counted = [value for value in values if value is not None]
    return round(sum(counted) / len(counted), 4) if counted else None


def _asks(trial: Trial) -> bool:
    """The harness searches for nothing where nothing is asked or nothing would fit."""
    return bool(trial.text.strip()) and trial.most > 0


def _returned(bench: Benchmark, feed: Feed) -> tuple[dict[str, list[str]], int]:
    """What comes back in each case, and how many beliefs the write gate refused."""
    cast = Cast()
    for owner in {one.owner for one in bench.beliefs.values()} | {trial.owner for trial in bench.trials}:
        cast.add(_name(owner))
    with scratch(cast, POLICY) as world:
        ids = _write(world, bench, feed)
        returned = {
            trial.id: bench.completed(
                trial, _found(world, bench, trial, feed, ids) if _asks(trial) else (), feed.brings
            )
            for trial in bench.trials
        }
    return returned, len(bench.beliefs) - len(ids)


def _write(world: World, bench: Benchmark, feed: Feed) -> dict[uuid.UUID, str]:
    """Propose every belief in the order in which they came about, and let their vectors be made."""
    ids: dict[uuid.UUID, str] = {}
    fed = {one.id: feed.fed(bench, one) for one in bench.beliefs.values()}
    for id_ in sorted(fed, key=lambda id_: fed[id_].at):
        belief, one = bench.beliefs[id_], fed[id_]
        name = _name(belief.owner, one.area)
        wish = Wish(name, one.kind, one.key, one.statement, one.valid_until, aliases=belief.aliases)
        source = Source(EvidenceClass.explicit_user, id_)
        judged = world.propose(world.keeper(name), wish, source, one.at)
        if judged.memory_id is not None:
            ids[judged.memory_id] = id_
    with world.entered(TENANT):
        keeper = world.principal(world.keeper(_name(beliefs.OWNER)))
        indexing.fill_due(keeper, NOW, seconds=PATIENCE)
    return ids


def _found(world: World, bench: Benchmark, trial: Trial, feed: Feed, ids: Mapping[uuid.UUID, str]) -> list[str]:
    asked = RecallInput(
        query=trial.text,
        namespaces=tuple(ref_of(TENANT, _name(trial.owner, area)) for area in feed.areas(trial)),
        kinds=(PREFERENCE, PROFILE),
        limit=trial.most,
        mode=Mode.PRECISE,
        preload=feed.preload(bench, trial),
    )
    with world.entered(TENANT):
        recalled = recalling.recall(world.principal(world.keeper(_name(trial.owner))), asked, now=NOW)
    world.searched.update(area.namespace.pk for area in recalled.areas)
    return [ids[item.memory.pk] for item in recalled.items]


def _name(owner: str, path: Area = ()) -> Name:
    return Name(TENANT, "user", owner, path)


def _governed(bench: Benchmark, belief: Belief) -> Fed:
    """Under the key of what stands in its place today."""
    stands = bench.standing(belief)
    return Fed(
        kind=PREFERENCE if stands.type == PREFERENCE else PROFILE,
        key=stands.name,
        statement=belief.content,
        area=(stands.scopes[0], QUESTIONS if stands.is_question else FACTS),
        at=belief.created_at,
        valid_until=belief.resolved_at,
    )


def _wired(bench: Benchmark, belief: Belief) -> Fed:
    """One text under a key that says nothing; nothing is told of its type, its state or its age."""
    number = list(bench.beliefs).index(belief.id)
    text = " ".join(filter(None, (belief.name, *belief.aliases, belief.content, belief.reason)))
    return Fed(PROFILE, f"n{number}", text, belief.scopes[:1], NOW - timedelta(days=1))


GOVERNED = Feed(
    "governed",
    _governed,
    areas=lambda trial: [(scope, FACTS) for scope in trial.scopes],
    preload=lambda bench, trial: tuple(bench.beliefs[one].name for one in bench.pinned(trial)),
    brings=lambda belief: not belief.is_question and belief.is_current,
)
WIRE = Feed(
    "wire",
    _wired,
    areas=lambda trial: [trial.scopes[:1]],
    preload=lambda bench, trial: (),
    brings=lambda belief: True,
)
