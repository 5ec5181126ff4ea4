"""What ranking must know of one memory beyond its words: who said it, where in which thread, and what kind of text.

Pure. Everything that could be read is a keyed hash.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import IntFlag
from typing import Any

import numpy as np

from memories.search import dates, names, tokens

MOST_PARTS = 6
_WORD = re.compile(r"[^\W_]+")
_ASCII_WORD = re.compile(r"[A-Za-z]+")


class Trait(IntFlag):
    """What kind of text a row is."""

    QUESTION = 1
    TIMED = 2
    CHINESE = 4


@dataclass(frozen=True, slots=True)
class Facts:
    """Terms with counts, and the facts of one row, ready to be stored."""

    terms: bytes
    length: int
    names: bytes
    thread: int | None
    sequence: int | None
    speaker: bytes
    said_on: date | None
    traits: Trait


def of(
    statement: str,
    secret: bytes,
    *,
    key: str = "",
    conditions: str | None = None,
    aliases: Sequence[str] = (),
    value: object = None,
    said: Mapping[str, Any] | None = None,
) -> Facts:
    """The facts of a memory with this content, said so."""
    said = said or {}
    speaker, said_on, thread = str(said.get("speaker") or ""), _day(said.get("at")), said.get("thread")
    text = tokens.texts_of(statement, key, conditions, aliases, value)
    counts = tokens.count(f"{speaker}\n{text}" if speaker else text)
    counts.update(Counter(dates.of_row(statement, said_on)))
    sequence = said.get("sequence")
    return Facts(
        terms=tokens.pack(counts, secret),
        length=tokens.length(counts),
        names=names.pack([key, *aliases], secret),
        thread=_signed(_hashes("thread", [str(thread)], secret)[0]) if thread else None,
        sequence=int(sequence) if sequence is not None else None,
        speaker=pack_speaker(speaker, secret),
        said_on=said_on,
        traits=traits_of(statement),
    )


def traits_of(statement: str) -> Trait:
    """Whether a text asks, tells a time, and is Chinese, Japanese or Korean."""
    traits = Trait(0)
    if statement.rstrip().endswith(("?", "？")):
        traits |= Trait.QUESTION
    if dates.is_timed(statement):
        traits |= Trait.TIMED
    if is_chinese(statement):
        traits |= Trait.CHINESE
    return traits


def is_chinese(text: str) -> bool:
    """Whether a text is of the language group that is written without spaces; else it counts as English."""
    return any(tokens.is_pairwise(char) for char in text)


def pack_speaker(name: str, secret: bytes) -> bytes:
    """A person as hashes: first of the whole name, then of each word of a longer one."""
    parts = _WORD.findall(_folded(name))[:MOST_PARTS]
    if not parts:
        return b""
    spelled = [" ".join(parts), *(parts if len(parts) > 1 else ())]
    return np.array(_hashes("person", spelled, secret), "<u8").tobytes()


def people_named(question: str, speakers: Sequence[bytes], secret: bytes) -> set[int]:
    """Which of these speakers a question names, by place: by the whole name, or by a word of only one of them."""
    known = [np.frombuffer(speaker, "<u8").tolist() for speaker in speakers]
    if not any(known):
        return set()
    asked = set(_hashes("person", _possible_names(question), secret))
    whole = {place for place, hashes in enumerate(known) if hashes and hashes[0] in asked}
    owners: dict[int, list[int]] = {}
    for place, hashes in enumerate(known):
        for part in hashes[1:]:
            owners.setdefault(part, []).append(place)
    alone = {places[0] for part, places in owners.items() if part in asked and len(places) == 1}
    return whole | alone


def _possible_names(question: str) -> set[str]:
    """Every run of up to four words, and of two to four characters of a script without spaces."""
    question = unicodedata.normalize("NFKC", question)
    out: set[str] = set()
    words = _WORD.findall(question)
    for at in range(len(words)):
        for size in range(1, 5):
            run = words[at : at + size]
            spelled = " ".join(run).casefold()
            # "will" and "may" are names only where they are written as names
            if len(run) == size and (spelled not in tokens.STOP_WORDS or (at and run[0][0].isupper())):
                out.add(spelled)
    for word in words:
        if tokens.is_pairwise(word[0]):
            chinese = _ASCII_WORD.sub(" ", word).casefold()
            out |= {chinese[at : at + size] for at in range(len(chinese)) for size in (2, 3, 4)}
    return out


def _day(moment: object) -> date | None:
    try:
        return datetime.fromisoformat(moment).date() if isinstance(moment, str) else None
    except ValueError:
        return None


def _hashes(what: str, texts: Iterable[str], secret: bytes) -> list[int]:
    return tokens.hash_terms([f"@{what}\x1f{text}" for text in texts], secret).tolist()


def _signed(number: int) -> int:
    """As a database holds 64 bits."""
    return number - (1 << 64) if number >= 1 << 63 else number


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
