"""The suite about finding: conversations and articles through the product's own recall, in a scratch tenant.

Rows are written as a past that was decided, questions asked by `recall`, everything rolled back. Vectors are made once
and kept in the var folder. Each figure is explained where it is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from django.conf import settings

from memories import embeddings, recalling
from memories.evaluation import conversations, history, ranked
from memories.evaluation.cast import Cast
from memories.evaluation.conversations import DataSet, Question, Told
from memories.evaluation.names import Name
from memories.evaluation.results import Figure, Result
from memories.evaluation.scenes import POLICY
from memories.evaluation.vector_cache import VectorCache
from memories.evaluation.world import World, ref_of, scratch
from memories.indexing import text_of
from memories.models import Feature, Namespace
from memories.recall_gate import Mode, Status
from memories.recalling import ABOUT_SOMEONE_ELSE, Recalled, RecallInput
from memories.search import rows
from memories.vectors import Means, Vector, pack

TENANT = "evaluation"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
BUDGET, MOST = 800, 100
WRONG_SHARE = 4
"""One question in so many is also put to a namespace that does not hold its answer."""
BATCH = 500
IN_WORDS_TOO, IN_BUDGET, IN_PRECISE = "locomo_turns", "locomo_turns", ("locomo_facts", "xquad_zh")


def retrieval(folder: Path) -> Result:
    """Every set in the folder: how much of what answers comes back, and what is said where nothing does."""
    embedder = embeddings.active()
    cache = VectorCache(embedder, Path(settings.VAR_DIR) / "evaluation") if embedder else None
    means = embeddings.means(embedder.name) if embedder else None
    figures: dict[str, Figure] = {"embedder": None if embedder is None else True}
    for data in conversations.read(folder):
        figures |= {f"{data.name}_{name}": figure for name, figure in _figures(data, cache, means).items()}
    return Result("retrieval", (), figures)


def _figures(data: DataSet, cache: VectorCache | None, means: Means | None) -> dict[str, Figure]:
    cast = Cast()
    for owner in dict.fromkeys(one.namespace for one in data.told):
        cast.add(_name(owner))
    out: dict[str, Figure] = {"memories": len(data.told), "questions": len(data.questions)}
    with scratch(cast, POLICY) as world:
        run = _Run(world, data)
        run.write()
        if cache is None or means is None:
            return {**out, **run.found()}
        if data.name == IN_WORDS_TOO:
            out |= {f"words_{name}": figure for name, figure in run.found().items()}
        run.embed(cache, means)
        out |= run.found()
        out |= run.abstention()
        if data.name == IN_BUDGET:
            out["gold_in_800_tokens"] = run.in_budget()
        if data.name in IN_PRECISE:
            out |= run.precise()
    return out


@dataclass
class _Run:
    """One set inside a scratch world."""

    world: World
    data: DataSet
    ids: dict[object, str] = field(default_factory=dict)
    namespaces: dict[str, Namespace] = field(default_factory=dict)
    texts: dict[object, str] = field(default_factory=dict)
    cache: VectorCache | None = None
    means: Means | None = None

    def write(self) -> None:
        """What was told, as the versions of a past."""
        with self.world.entered(TENANT):
            for number, one in enumerate(self.data.told):
                said, key = _said(one), f"n{number}"
                pk = history.tell(self._namespace(one.namespace), self._kind, key, one.text, said, NOW)
                self.ids[pk] = one.id
                self.texts[pk] = text_of(one.text, key, None, said)

    def embed(self, cache: VectorCache, means: Means) -> None:
        """Their vectors, as indexing would have written them."""
        self.cache, self.means = cache, means
        made = dict(zip(self.texts, cache.documents(list(self.texts.values())), strict=True))
        with self.world.entered(TENANT):
            features = Feature.objects.in_bulk(list(made))
            for pk, feature in features.items():
                feature.vector, feature.embedder = pack(made[pk]), means.embedder
                feature.save(update_fields=["vector", "embedder"])
        for namespace in self.namespaces.values():
            rows.index().forget(namespace.pk)

    def found(self) -> Mapping[str, Figure]:
        """How much of what answers is among the first, and how far up."""
        return ranked.figures(ranked.judge(self._got(question), question.gold) for question in self.data.questions)

    def in_budget(self) -> Figure:
        """The share of what answers that fits into a packet."""
        shares = []
        for question in self.data.questions:
            got = set(self._got(question, limit=MOST, token_budget=BUDGET))
            shares.append(len(got & question.gold) / len(question.gold))
        return _mean(shares)

    def precise(self) -> dict[str, Figure]:
        """What comes back where only what is probably right should: precision over the questions that got anything."""
        precision, recall, sizes = [], [], []
        for question in self.data.questions:
            got = self._got(question, mode=Mode.PRECISE)
            right = len(set(got) & question.gold)
            precision.append(right / len(got) if got else 0.0)
            recall.append(right / len(question.gold))
            sizes.append(len(got))
        empty = [not self._ask(one, where, mode=Mode.PRECISE).items for one, where in self._misplaced()]
        return {
            "precise_precision": _mean(precision),
            "precise_recall": _mean(recall),
            "precise_rows": _mean(sizes),
            "precise_empty_elsewhere": _mean(empty),
        }

    def abstention(self) -> dict[str, Figure]:
        """Whether confidence tells the questions that are answered here from those that are answered elsewhere."""
        here = [self._ask(one, one.namespace) for one in self.data.questions[::WRONG_SHARE]]
        elsewhere = [self._ask(one, where) for one, where in self._misplaced()]
        if not elsewhere:
            return {}
        mistaken = [self._ask(one, one.namespace) for one in self.data.mistaken[::WRONG_SHARE]]
        warned = {"about_someone_else_here": here, "about_someone_else_mistaken": mistaken} if mistaken else {}
        return {
            "confidence_auroc": _auroc([_sure(one) for one in here], [_sure(one) for one in elsewhere]),
            "false_abstention": _mean([one.selection.status == Status.NOTHING_RELEVANT for one in here]),
            "false_answer": _mean([one.selection.status != Status.NOTHING_RELEVANT for one in elsewhere]),
            "weak_here": _mean([one.selection.status == Status.WEAK for one in here]),
            "rows_elsewhere": _mean([len(one.items) for one in elsewhere]),
            **{name: _mean([ABOUT_SOMEONE_ELSE in one.warnings for one in asked]) for name, asked in warned.items()},
        }

    @property
    def _kind(self) -> str:
        return "episode" if self.data.name == IN_WORDS_TOO else "profile"

    def _misplaced(self) -> Iterator[tuple[Question, str]]:
        """Some questions, each with a namespace that is not its own."""
        owners = list(self.namespaces)
        if len(owners) > 1:
            for question in self.data.questions[::WRONG_SHARE]:
                yield question, owners[(owners.index(question.namespace) + 1) % len(owners)]

    def _got(self, question: Question, *, mode: Mode = Mode.GENEROUS, **asked: int) -> list[str]:
        return [self.ids[item.memory.pk] for item in self._ask(question, question.namespace, mode=mode, **asked).items]

    def _ask(
        self, question: Question, where: str, *, mode: Mode = Mode.GENEROUS, limit: int = 10, **asked: int
    ) -> Recalled:
        name = _name(where)
        meant: tuple[Vector, Means] | None = None
        if self.cache is not None and self.means is not None:
            meant = (self.cache.question(question.text), self.means)
        given = RecallInput(
            query=question.text,
            namespaces=(ref_of(TENANT, name),),
            kinds=(self._kind,),
            limit=limit,
            mode=mode,
            token_budget=asked.get("token_budget"),
        )
        with self.world.entered(TENANT):
            recalled = recalling.recall(self.world.principal(self.world.keeper(name)), given, now=NOW, meant=meant)
        self.world.searched.update(area.namespace.pk for area in recalled.areas)
        return recalled

    def _namespace(self, owner: str) -> Namespace:
        if owner not in self.namespaces:
            self.namespaces[owner] = self.world.namespace(_name(owner))
        return self.namespaces[owner]


def _name(owner: str) -> Name:
    return Name(TENANT, "user", owner)


def _said(one: Told) -> Mapping[str, object]:
    said: dict[str, object] = {"thread": one.thread, "sequence": one.sequence}
    if one.speaker:
        said["speaker"] = one.speaker
    if one.at is not None:
        said["at"] = one.at.isoformat()
    return said


def _sure(recalled: Recalled) -> float:
    return recalled.selection.confidence


def _mean(values: Sequence[float]) -> float | None:
    return round(float(np.mean(values)), 4) if values else None


def _auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The probability that a positive has the higher value; ties count half."""
    below = np.sort(np.array(negative))
    values = np.array(positive)
    won = np.searchsorted(below, values, "left") + np.searchsorted(below, values, "right")
    return round(float(won.mean() / (2 * len(below))), 4)
