"""`bench peers`: a harness that lies elsewhere asks others and us, and what is measured inside is what recall gives."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cast import Company, now, word
from django.core.management import CommandError, call_command
from embedders import InUse, WordEmbedder

from accounts import tenancy
from memories.evaluation import ranked
from memories.evaluation.conversations import Question
from memories.models import Feature
from memoryhub.management import beside
from memoryhub.management.harness import Harness, HarnessFailed, Task

DATA_SETS = """
from collections import namedtuple
Asked = namedtuple("Asked", "namespace text gold")
DATASETS = {"tiny": lambda: (["one", "two"], [Asked("ann", f"question {n}", {"b", "a"}) for n in range(6)])}
"""
PROGRAMME = """
import json, sys
if "--provision" in sys.argv:
    print(json.dumps(sys.argv[1:]))
else:
    print("warming up", flush=True)
    print(json.dumps({"system": "peer", "recall@10": 0.5}))
"""


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "datasets.py").write_text(DATA_SETS)
    (tmp_path / "run.py").write_text(PROGRAMME)
    return Harness(tmp_path, sys.executable)


def test_a_harness_is_asked_for_its_questions_and_runs_a_system(harness: Harness) -> None:
    """R-117: the questions are those that it asks itself, and what it prints besides its result stays a line."""
    task = Task("tiny", copies=3, questions=2)
    memories, questions = harness.asked(task)
    assert (memories, [one.text for one in questions]) == (6, ["question 0", "question 3"])
    assert questions[0] == Question("ann", "question 0", frozenset({"a", "b"}))
    assert json.loads(harness.provision(task)) == [*task.arguments, "--provision"]
    assert list(harness.run(task, "peer", {})) == ["warming up", {"system": "peer", "recall@10": 0.5}]


def test_a_harness_that_cannot_answer_says_why(harness: Harness, tmp_path: Path) -> None:
    with pytest.raises(HarnessFailed, match="KeyError: 'unknown'"):
        harness.asked(Task("unknown"))
    with pytest.raises(HarnessFailed, match="No such file"):
        Harness(tmp_path, "no-such-interpreter").asked(Task("tiny"))


def test_peers_are_measured_only_where_a_harness_is_named() -> None:
    with pytest.raises(CommandError, match="--harness"):
        call_command("bench", "peers")


def test_ranked_answers_are_judged_by_place() -> None:
    assert ranked.judge(["a", "x", "b"], {"a", "b"}) == (1.0, 1.0, pytest.approx(0.9197, abs=1e-4))
    assert ranked.judge([*"uvwxyz", "a"], {"a", "b"})[:2] == (0.0, 0.5)
    assert ranked.figures([]) == {"recall_5": None, "recall_10": None, "ndcg_10": None}


@pytest.mark.in_clear  # the harness knows its memories by the column of keys
def test_what_is_asked_inside_is_what_recall_gives(acme: Company, use: InUse, tmp_path: Path) -> None:
    """R-117: vectors once all memories are there, each text embedded once; then the same rows by verb and by search."""
    embedder = use(WordEmbedder())
    acme.policy(confirm="inferred_only")
    mark, tenant, vectors = word(), acme.tenant, str(tmp_path)
    said = {
        "statement": f"The {mark} stands in the harbour.",
        "kind": "episode",
        "valid_until": now(days=30).isoformat(),
    }
    keys = {acme.alice.store(key=f"D{number}", **said)["key"] for number in range(10)}
    with tenancy.entered(tenant.pk):
        standing = Feature.objects.count()
    assert not beside.make_vectors(tenant.slug, vectors, standing + 1)
    assert beside.make_vectors(tenant.slug, vectors, standing)
    assert len([text for text in embedder.asked if mark in text]) == 1
    asked = beside.ask(tenant.slug, vectors, [Question("alice", f"Where is the {mark}?", frozenset(keys))] * 2)
    assert {name: (len(one.times), one.judged) for name, one in asked.items()} == {
        beside.RECALL: (2, [(0.5, 1.0, 1.0)] * 2),
        beside.SEARCH: (2, [(0.5, 1.0, 1.0)] * 2),
    }
