"""Memories as small text files: folders are the labels of an area, a file's name is a key, its text the statement.

For interfaces in which a model reads and edits files. There is no folder without a file in it. What other doors keep
under a key that is no file name is not shown here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from memoryhub.client.errors import Conflict, FieldProblem, InvalidRequest
from memoryhub.client.outcomes import NotStored, Outcome, is_stored
from memoryhub.client.places import Place, Seen
from memoryhub.client.results import Memory
from memoryhub.client.steps import Steps

Parts = tuple[str, ...]
ATTEMPTS = 3
MAX_TEXT = 2000  # characters of a statement, by the API's contract
MAX_LAYERS = 4  # of percent-encoding; what is still encoded after that is refused too


class BadPath(ValueError):
    """A path that leads outside, or that is spelled so that somebody may read it as one that does."""


class TooLong(InvalidRequest):
    """The file would hold more than a memory does. Nothing was sent.

    It is not spread over several memories: the gate would decide on each alone, so that half a file could be kept and
    half refused, and no edit, move or correction of it would be one write.
    """

    def __init__(self, length: int) -> None:
        wrong = (
            f"it would have {length:,} characters, and a file here holds at most {MAX_TEXT:,}. "
            "Keep one fact a file: shorten it, or make several files in a folder of its own"
        )
        super().__init__("too_long", fields=[FieldProblem("the file", "max_length", wrong)])


def parts_of(path: str) -> Parts:
    """The folders and the name that a path with slashes consists of. Raises BadPath."""
    parts = tuple(unicodedata.normalize("NFC", part) for part in path.split("/") if part)
    if not all(is_name(part) for part in parts):
        raise BadPath("no such name may stand in a path")
    return parts


def is_name(text: str) -> bool:
    """Whether a text is one segment of a path, however it is decoded or normalized."""
    for _ in range(MAX_LAYERS):
        plain = unicodedata.normalize("NFKC", text)
        if not plain or plain.strip(". ") == "" or any(char in "/\\" or not char.isprintable() for char in plain):
            return False
        decoded = unquote(text)
        if decoded == text:
            return True
        text = decoded
    return False


@dataclass(frozen=True)
class File:
    """A memory as a file."""

    parts: Parts
    memory: Memory

    @property
    def text(self) -> str:
        return self.memory.statement or ""


@dataclass(frozen=True)
class Files:
    """The files of a place. `evidence` is asked for each write, by its path; without it every write is a guess."""

    place: Place
    evidence: Callable[[Parts], Seen] | None = None

    def read(self, parts: Parts) -> Steps[File | None]:
        if not parts:
            return None
        memory = yield from self.place.get(parts[:-1], parts[-1])
        return None if memory is None else File(parts, memory)

    def at(self, parts: Parts) -> Steps[list[File]]:
        """The file, or every file of the folder."""
        file = yield from self.read(parts)
        return [file] if file is not None else (yield from self.below(parts))

    def below(self, parts: Parts = ()) -> Steps[list[File]]:
        """Every file in this folder and its folders, by path."""
        listed = yield from self.place.list(parts)
        files = [File((*self.place.labels_of(one), one.key or ""), one) for one in listed]
        return sorted((one for one in files if all(map(is_name, one.parts))), key=lambda one: one.parts)

    def write(self, parts: Parts, text: str, over: File | None) -> Steps[None]:
        """Propose a file's text if what is there is still `over`. Raises TooLong, Conflict, NotStored, HubError."""
        if len(text) > MAX_TEXT:
            raise TooLong(len(text))
        proposal = self._proposal(parts, text, over, expected_version=over.memory.version if over else 0)
        outcome: Outcome = yield lambda hub: hub.propose(**proposal)
        _check([(parts, outcome)])

    def change(self, parts: Parts, changed: Callable[[File | None], str]) -> Steps[tuple[File | None, str]]:
        """Propose what becomes of a file, and return it as it was with its new text.

        When somebody else wrote in between, the change is made on what they wrote. Raises Conflict after a few times,
        NotStored, HubError, and whatever `changed` raises.
        """
        for attempts_left in reversed(range(ATTEMPTS)):
            file = yield from self.read(parts)
            text = changed(file)
            try:
                yield from self.write(parts, text, file)
            except Conflict:
                if not attempts_left:
                    raise
            else:
                return file, text
        raise AssertionError("the last attempt returns or raises")

    def forget(self, files: Sequence[File]) -> Steps[None]:
        """Forget every version of these."""
        for one in files:
            yield from self.place.forget(one.parts[:-1], one.parts[-1])

    def move(self, files: Sequence[File], old: Parts, new: Parts) -> Steps[None]:
        """Propose these at their new path, and forget them at the old one when all of them are stored.

        A memory at another path is another memory, with a history of its own.
        """
        there = [(*new, *one.parts[len(old) :]) for one in files]
        items = [
            self._proposal(parts, one.text, one, expected_version=0) for parts, one in zip(there, files, strict=True)
        ]
        outcomes = yield lambda hub: hub.propose_together(items)
        _check(list(zip(there, outcomes, strict=True)))
        yield from self.forget(files)

    def _proposal(self, parts: Parts, text: str, kept: File | None, **more: Any) -> Any:
        """What a person or another door said beside the text stays; a value, which said the same as it, does not."""
        seen = self.evidence(parts) if self.evidence else None
        if kept is not None:
            more |= {"conditions": kept.memory.conditions, "valid_until": kept.memory.valid_until}
        return self.place.proposal(parts[:-1], parts[-1], text, seen, **more)


def _check(writes: list[tuple[Parts, Outcome]]) -> None:
    missed = [(parts, outcome) for parts, outcome in writes if not is_stored(outcome)]
    if missed:
        raise NotStored.of(missed, len(writes))
