"""What changed between two texts: word by word in Latin script, character by character in Chinese. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Change = Literal["same", "removed", "added"]
HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
TOKEN = re.compile(rf"[{HAN}]|(?:(?![{HAN}])\w)+|\s+|.", re.DOTALL)
IS_HAN = re.compile(rf"[{HAN}]")
JOINER = "\u200d"
EXACT = 1_000_000
"""Up to this many pairs of tokens are compared; beyond it, tokens that stand everywhere count as noise."""
SHORTEST_WORD = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text that stayed, went or came."""

    change: Change
    text: str


def diff(old: str, new: str) -> list[Piece]:
    """The pieces in reading order; joined without the added ones they are the old text, without the removed the new."""
    before, after = tokens(old), tokens(new)
    matcher = SequenceMatcher(None, before, after, autojunk=len(before) * len(after) > EXACT)
    pieces: list[Piece] = []
    for kind, from_, to, start, end in matcher.get_opcodes():
        left, right = "".join(before[from_:to]), "".join(after[start:end])
        if kind == "equal":
            pieces.append(Piece("same", left))
            continue
        # A mere space between two changes would chop one change into many.
        if len(pieces) > 2 and pieces[-1].change == "same" and pieces[-1].text.isspace():
            space = pieces.pop().text
            left, right = space + left, space + right
        _add(pieces, left, right)
    return pieces


def merge(base: str, mine: str, theirs: str) -> str | None:
    """Both changes of the same text in one; nothing where they touch the same place."""
    parts = tokens(base)
    edits = sorted({*_edits(parts, tokens(mine)), *_edits(parts, tokens(theirs))})
    merged, at = "", 0
    for start, end, text in edits:
        if start < at or (merged and start == at and start == end):
            return None
        merged += "".join(parts[at:start]) + text
        at = end
    return merged + "".join(parts[at:])


def tokens(text: str) -> list[str]:
    """Words, single Chinese characters, spaces and signs; what a reader sees as one character stays whole."""
    found: list[str] = []
    for token in TOKEN.findall(text):
        if found and (_belongs_to_before(token) or found[-1].endswith(JOINER)):
            found[-1] += token
        else:
            found.append(token)
    return found


def shared(text: str, statement: str) -> list[Piece]:
    """The text with the words marked (as `added`) that the statement has too: where it was taken from."""
    known = {word for token in tokens(statement) if (word := token.casefold())}
    pairs = _pairs(tokens(statement))
    parts = tokens(text)
    is_shared = [_is_word(part) and part.casefold() in known for part in parts]
    for at, pair in enumerate(zip(parts, parts[1:], strict=False)):
        if pair in pairs:
            is_shared[at] = is_shared[at + 1] = True
    pieces: list[Piece] = []
    for at, part in enumerate(parts):
        between = part.isspace() and 0 < at < len(parts) - 1 and is_shared[at - 1] and is_shared[at + 1]
        change: Change = "added" if is_shared[at] or between else "same"
        if pieces and pieces[-1].change == change:
            pieces[-1] = Piece(change, pieces[-1].text + part)
        else:
            pieces.append(Piece(change, part))
    return pieces


def _edits(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, str]]:
    """What to put in place of which tokens."""
    matcher = SequenceMatcher(None, before, after, autojunk=len(before) * len(after) > EXACT)
    return [
        (from_, to, "".join(after[start:end]))
        for kind, from_, to, start, end in matcher.get_opcodes()
        if kind != "equal"
    ]


def _add(pieces: list[Piece], left: str, right: str) -> None:
    """Put a change behind the one before it, or make it longer where they touch."""
    if len(pieces) > 1 and pieces[-1].change == "added" and pieces[-2].change == "removed":
        right, left = pieces.pop().text + right, pieces.pop().text + left
    pieces += [Piece("removed", left)] if left else []
    pieces += [Piece("added", right)] if right else []


def _belongs_to_before(token: str) -> bool:
    first = token[0]
    is_modifier = "\U0001f3fb" <= first <= "\U0001f3ff"
    return unicodedata.category(first) in ("Mn", "Me", "Mc") or first in (JOINER, "\ufe0f") or is_modifier


def _is_word(token: str) -> bool:
    return len(token) >= SHORTEST_WORD and token[0].isalnum()


def _pairs(parts: Sequence[str]) -> set[tuple[str, str]]:
    """Neighbouring Chinese characters: one alone is shared by chance."""
    couples = zip(parts, parts[1:], strict=False)
    return {(one, two) for one, two in couples if IS_HAN.match(one) and IS_HAN.match(two)}
