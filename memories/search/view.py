"""What one search may see of its namespaces, brought into thread order: made once for as long as nothing changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memories.search import facts, meaning, rank, recipe
from memories.search.columns import NO_THREAD, Columns, Mask
from memories.search.meaning import Meaning, Stored
from memories.search.recipe import Cues
from memories.search.threads import Floats, Threads
from memories.vectors import Means


@dataclass(frozen=True, slots=True)
class Part:
    """One namespace of a search: its rows and which of them are eligible."""

    namespace_id: UUID
    rows: Columns
    eligible: Mask
    secret: bytes


@dataclass(frozen=True, slots=True)
class View:
    """The eligible rows of some namespaces in thread order.

    `at` says where each stands among all rows of all parts, one part after the other; `places` says it the other way
    round, -1 for a row that is not seen.
    """

    parts: tuple[Part, ...]
    offsets: tuple[int, ...]
    at: npt.NDArray[np.intp]
    places: npt.NDArray[np.int32]
    lengths: Floats
    cues: Cues
    answers: Floats
    speakers: tuple[bytes, ...]
    owners: npt.NDArray[np.integer]
    meanings: dict[str, Meaning] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.at)

    @property
    def nbytes(self) -> int:
        """Roughly the memory it takes besides its parts."""
        return 60 * self.size + 4 * len(self.places) + sum(one.nbytes for one in tuple(self.meanings.values()))

    def is_of(self, parts: Sequence[Part]) -> bool:
        """Whether these parts are the ones it was made of."""
        return len(parts) == len(self.parts) and all(
            mine.rows is theirs.rows and np.array_equal(mine.eligible, theirs.eligible)
            for mine, theirs in zip(self.parts, parts, strict=True)
        )

    def meaning(self, means: Means) -> Meaning | None:
        """The vectors that this embedder made of the rows, centred; those of another are as if they were not there."""
        found = self.meanings.get(means.embedder)
        if found is not None:
            return found
        width = len(next(iter(means.statements.values())))
        stored = [
            Stored.of(one, self.places[one.rows + offset])
            for part, offset in zip(self.parts, self.offsets, strict=True)
            for one in part.rows.vectors
            if one.embedder == means.embedder and one.width == width
        ]
        made = meaning.meaning(stored, self.cues.chinese, self.cues.threads, means)
        if made is None:
            return None
        self.meanings.clear()  # one embedder at a time; each of these steps is safe beside other threads
        self.meanings[means.embedder] = made
        return made

    def people_named(self, question: str) -> set[int]:
        """The speakers of these rows whom a question names."""
        found: set[int] = set()
        begin = 0
        for part in self.parts:
            end = begin + len(part.rows.speakers)
            found |= {begin + place for place in facts.people_named(question, self.speakers[begin:end], part.secret)}
            begin = end
        return found


def of(parts: Sequence[Part]) -> View:
    """The view of these parts."""
    sizes = [part.rows.size for part in parts]
    offsets = tuple(int(offset) for offset in np.cumsum([0, *sizes[:-1]]))
    seen = np.flatnonzero(np.concatenate([part.eligible for part in parts]))
    columns = {
        name: np.concatenate([part.rows.data[name] for part in parts])[seen]
        for name in ("thread", "sequence", "created", "length", "distinct", "traits", "speaker")
    }
    owners = np.repeat(np.arange(len(parts)), sizes)[seen]
    people = np.concatenate([[0], np.cumsum([len(part.rows.speakers) for part in parts])])
    columns["speaker"] = columns["speaker"] + people[owners]
    if np.any(columns["thread"] != NO_THREAD):
        order = np.lexsort((columns["created"], columns["sequence"], columns["thread"]))
        columns = {name: column[order] for name, column in columns.items()}
        seen, owners = seen[order], owners[order]
    places = np.full(sum(sizes), -1, np.int32)
    places[seen] = np.arange(len(seen), dtype=np.int32)
    speaking = set(columns["speaker"].tolist())  # who only speaks in rows that are not seen is nobody here
    everybody = [speaker for part in parts for speaker in part.rows.speakers]
    speakers = tuple(speaker if number in speaking else b"" for number, speaker in enumerate(everybody))
    unknown = np.array([not speaker for speaker in speakers], bool)
    threads, traits = Threads.of(columns["thread"]), columns["traits"]
    asking = (traits & facts.Trait.QUESTION) != 0
    cues = Cues(
        threads=threads,
        uttered=columns["thread"] != NO_THREAD,
        asking=asking,
        timed=(traits & facts.Trait.TIMED) != 0,
        chinese=(traits & facts.Trait.CHINESE) != 0,
        fullness=recipe.fullness(columns["distinct"]),
        speakers=np.where(unknown[columns["speaker"]], -1, columns["speaker"]),
    )
    return View(
        parts=tuple(parts),
        offsets=offsets,
        at=seen,
        places=places,
        lengths=columns["length"],
        cues=cues,
        answers=_answers(asking, threads),
        speakers=speakers,
        owners=owners,
    )


def _answers(asking: Mask, threads: Threads) -> Floats:
    """What each row passes on to the next of its thread: a question nearly all of its words."""
    if threads.single or len(asking) < 2:
        return np.zeros(0, np.float32)
    passed: Floats = np.where(asking[:-1], np.float32(rank.ANSWER), np.float32(rank.HEARD[0])) * threads.neighbours(1)
    return passed
