"""PrecisionMemBench read and scored as its own harness does it: beliefs, what is asked, and published reports. Pure.

A system under test only searches. Pinned facts, open questions, what a relation brings along and the cut to a budget
are the harness's own, as is the prelude about the person, whose assertions therefore hold whatever is searched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

from memories.evaluation.conversations import DataError

BELIEFS, TRIALS, REPORTS = "beliefs.seed.json", "retrieval.cases.json", "retrieval-report-*.json"
OWNER = "test-user"
"""Whose beliefs are meant where a case names nobody."""
MOST, MOST_QUESTIONS = 20, 15
QUESTION, RELATION = "open_question", "relation"


@dataclass(frozen=True, slots=True)
class Belief:
    """One remembered thing and what became of it."""

    id: str
    owner: str
    type: str
    name: str
    aliases: tuple[str, ...]
    content: str
    reason: str
    scopes: tuple[str, ...]
    pinned: bool
    superseded_by: str | None
    resolved_at: datetime | None
    created_at: datetime
    participants: tuple[str, ...]

    @property
    def is_question(self) -> bool:
        return self.type == QUESTION

    @property
    def is_current(self) -> bool:
        """Neither replaced nor settled."""
        return self.superseded_by is None and self.resolved_at is None

    def is_of(self, trial: Trial) -> bool:
        """Whether it is the person's and in a scope that is asked."""
        return self.owner == trial.owner and not set(self.scopes).isdisjoint(trial.scopes)


@dataclass(frozen=True, slots=True)
class Trial:
    """One question with what must, may and must not come back. `only` None leaves open what else may."""

    id: str
    category: str
    owner: str
    scopes: tuple[str, ...]
    text: str
    most: int
    most_questions: int
    must: tuple[str, ...]
    must_not: tuple[str, ...]
    only: tuple[str, ...] | None
    order: tuple[tuple[str, str], ...]
    least: int
    greatest: int | None
    pinned: tuple[tuple[str, ...], tuple[str, ...]]
    questions: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Score:
    """What a returned set is worth. No precision where nothing was expected and nothing came; `failures` are codes."""

    precision: float | None
    recall: float | None
    failures: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.failures

    @property
    def is_active(self) -> bool:
        """Passed by finding something, not by staying silent."""
        return self.passed and bool(self.precision)


@dataclass(frozen=True, slots=True)
class Published:
    """What a report says that a system returned for one case, and how it was scored there."""

    trial: str
    returned: tuple[str, ...]
    precision: float | None
    recall: float | None
    passed: bool


@dataclass(frozen=True, slots=True)
class Benchmark:
    """All beliefs by id, every case, and the published reports."""

    beliefs: Mapping[str, Belief]
    trials: tuple[Trial, ...]
    reports: tuple[tuple[Published, ...], ...] = field(default=())

    def standing(self, belief: Belief) -> Belief:
        """What stands in the place of a belief today: itself, or the end of the chain that replaced it."""
        for _ in self.beliefs:
            belief = self.beliefs.get(belief.superseded_by or "", belief)
        return belief

    def pinned(self, trial: Trial) -> list[str]:
        """The facts that are always there."""
        always = (one for one in self.beliefs.values() if one.is_of(trial) and one.pinned and not one.is_question)
        return [one.id for one in always if one.is_current]

    def questions(self, trial: Trial) -> list[str]:
        """The open questions that are always there."""
        always = (one for one in self.beliefs.values() if one.is_of(trial) and one.pinned and one.is_question)
        return [one.id for one in always if one.resolved_at is None][: trial.most_questions]

    def completed(
        self, trial: Trial, found: Sequence[str], brings: Callable[[Belief], bool] = lambda _: True
    ) -> list[str]:
        """What a search found as the harness hands it on: without what is always there, with those a relation is about
        where it `brings` them, and cut to the budget."""
        always = self.pinned(trial)
        chosen = [one for one in dict.fromkeys(found) if one not in always]
        about = [
            other
            for one in chosen
            if self.beliefs[one].type == RELATION
            for other in self.beliefs[one].participants
            if other in self.beliefs and self.beliefs[other].is_of(trial) and brings(self.beliefs[other])
        ]
        chosen += [one for one in dict.fromkeys(about) if one not in always and one not in chosen]
        return chosen[: max(0, trial.most - len(always[: trial.most]))]

    def expected(self, trial: Trial) -> frozenset[str]:
        """What a search has to find."""
        if trial.only is not None:
            return frozenset(trial.only)
        return frozenset(
            one
            for one in trial.must
            if one not in self.beliefs or not (self.beliefs[one].pinned and self.beliefs[one].owner == OWNER)
        )

    def score(self, trial: Trial, returned: Sequence[str]) -> Score:
        """What a completed set is worth."""
        always, expected, got = set(self.pinned(trial)[: trial.most]), self.expected(trial), set(returned)
        right = len(expected & got)
        precision = right / len(got) if got else 0.0 if expected else None
        recall = right / len(expected) if expected else None
        return Score(precision, recall, tuple(self._failures(trial, list(returned), always)))

    def _failures(self, trial: Trial, returned: list[str], always: set[str]) -> Iterator[str]:
        got, present, asking = set(returned), set(returned) | always, set(self.questions(trial))
        checks = {
            "missing": present.issuperset(trial.must) and got.issuperset(trial.only or ()),
            "unexpected": trial.only is None or got.issubset(trial.only),
            "forbidden": present.isdisjoint(trial.must_not),
            "count": trial.least <= len(got) <= (len(got) if trial.greatest is None else trial.greatest),
            "order": all({a, b} <= got and returned.index(a) < returned.index(b) for a, b in trial.order),
            "pinned": always.issuperset(trial.pinned[0]) and always.isdisjoint(trial.pinned[1]),
            "questions": asking.issuperset(trial.questions[0]) and asking.isdisjoint(trial.questions[1]),
        }
        return (name for name, holds in checks.items() if not holds)


def read(folder: Path) -> Benchmark:
    """The benchmark in a folder and below it. Raises DataError where it is not there or not as it should be."""
    told = [_belief(row) for row in _rows(_only(folder, BELIEFS))]
    reports = [_report(path) for path in sorted(folder.rglob(REPORTS)) if not path.name.startswith("session-")]
    trials = tuple(_trial(row) for row in _rows(_only(folder, TRIALS)))
    return Benchmark({one.id: one for one in told}, trials, tuple(reports))


@dataclass(frozen=True, slots=True)
class _Object:
    """A JSON object of a file, which is named where something is missing."""

    file: str
    number: int
    fields: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        if key not in self.fields:
            self._bad(key)
        return self.fields[key]

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(self.fields.get(key) or ())

    def scopes(self) -> tuple[str, ...]:
        """At least one: the first is the one that an outside provider is told."""
        return self.texts("scope") or self._bad("scope")

    def moment(self, key: str) -> datetime:
        try:
            found = datetime.fromisoformat(self[key])
        except (TypeError, ValueError):
            return self._bad(key)
        return found if found.tzinfo else found.replace(tzinfo=UTC)

    def _bad(self, key: str) -> NoReturn:
        raise DataError(f"{self.file}: {key!r} is missing or wrong in number {self.number}")

    def inner(self, key: str) -> _Object:
        return _Object(self.file, self.number, self.fields.get(key) or {})


def _belief(row: _Object) -> Belief:
    return Belief(
        id=row["_id"],
        owner=row["user_id"],
        type=row["type"],
        name=row["canonical_name"],
        aliases=row.texts("aliases"),
        content=row["content"],
        reason=row["why_it_matters"],
        scopes=row.scopes(),
        pinned=bool(row["pinned"]),
        superseded_by=row["superseded_by"],
        resolved_at=row.moment("resolved_at") if row["resolved_at"] else None,
        created_at=row.moment("created_at"),
        participants=row.texts("participants"),
    )


def _trial(row: _Object) -> Trial:
    budget, expect = row.inner("budget").fields, row.inner("expect")
    relevant, pinned, questions = (expect.inner(name) for name in ("relevantBeliefs", "pinnedFacts", "openQuestions"))
    return Trial(
        id=row["caseId"],
        category=row["category"],
        owner=row.fields.get("userId") or OWNER,
        scopes=row.scopes(),
        text=row["query"],
        most=budget.get("maxBeliefs", MOST),
        most_questions=budget.get("maxQuestions", MOST_QUESTIONS),
        must=relevant.texts("mustInclude") + relevant.texts("shouldInclude"),
        must_not=relevant.texts("mustExclude"),
        only=relevant.texts("shouldOnlyInclude") if "shouldOnlyInclude" in relevant.fields else None,
        order=tuple((first, second) for first, second in relevant.fields.get("orderedBefore", ())),
        least=relevant.fields.get("minCount", 0),
        greatest=relevant.fields.get("maxCount"),
        pinned=(pinned.texts("mustInclude"), pinned.texts("mustExclude")),
        questions=(questions.texts("mustInclude"), questions.texts("mustExclude")),
    )


def _report(path: Path) -> tuple[Published, ...]:
    return tuple(
        Published(
            trial=row["caseId"],
            returned=row.texts("relevantBeliefs"),
            precision=row["retrievalPrecision"],
            recall=row["retrievalRecall"],
            passed=row["passed"],
        )
        for row in _rows(path, "cases")
    )


def _rows(path: Path, key: str = "") -> list[_Object]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise DataError(f"{path.name} is not JSON in UTF-8") from None
    rows = (document.get(key) if isinstance(document, dict) else None) if key else document
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{path.name} holds no list of objects")
    return [_Object(path.name, number, row) for number, row in enumerate(rows, start=1)]


def _only(folder: Path, name: str) -> Path:
    found = sorted(folder.rglob(name))
    if not found:
        raise DataError(f"{folder} holds no {name}")
    return found[0]
