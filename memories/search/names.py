"""The names a memory answers to (its key and aliases), as keyed hashes: found when a question holds all their words.

Pure. A row keeps one record per word of a name, and per letter of a long word one in which that letter is open, so
that a question with one typing mistake still meets it, although no word can be read here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from memories.search import tokens

RECORD = np.dtype([("hash", "<u8"), ("name", "u1"), ("words", "u1"), ("word", "u1"), ("open", "u1")])
MOST_NAMES, MOST_WORDS = 17, 8
LONG, PREFIX = 5, 2
"""A mistake is forgiven in words of this length or more, after these first letters."""
FEW_ROWS, FEW_SHARE = 5, 0.2
"""A name counts only where its rarest word names at most this many rows, or this share of them."""
HOLE = "*"

_WORD = re.compile(r"[a-z]+")

Records = npt.NDArray[np.void]


def pack(names: Iterable[str], secret: bytes) -> bytes:
    """The records of these names; names of too many words are left to the ordinary search."""
    words: list[str] = []
    fields: list[tuple[int, int, int, int]] = []
    seen: set[frozenset[str]] = set()
    for name in names:
        parts = list(dict.fromkeys(_words(name)))
        if not parts or len(parts) > MOST_WORDS or frozenset(parts) in seen or len(seen) == MOST_NAMES:
            continue
        for at, (part, surface) in enumerate(_surfaces(name, parts)):
            spellings = [part, *_with_hole(surface)]
            words += spellings
            fields += [(len(seen), len(parts), at, int(n > 0)) for n in range(len(spellings))]
        seen.add(frozenset(parts))
    out = np.zeros(len(words), RECORD)
    if words:
        out["hash"] = tokens.hash_terms(words, secret)
        out["name"], out["words"], out["word"], out["open"] = np.array(fields, np.uint8).T
    return out.tobytes()


def unpack(packs: Sequence[bytes]) -> tuple[Records, npt.NDArray[np.intp]]:
    """The records of many rows and for each the place of its row in `packs`."""
    records = np.frombuffer(b"".join(packs), RECORD)
    return records, np.repeat(np.arange(len(packs)), [len(one) // RECORD.itemsize for one in packs])


def asked(question: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a question as names hold them, and the spellings under which a mistyped one meets a name."""
    words = tuple(dict.fromkeys(_words(question)))
    loose: dict[str, None] = {}
    for word in _WORD.findall(_folded(question)):
        if len(word) >= LONG - 1 and word not in tokens.STOP_WORDS:
            loose |= dict.fromkeys(_mistyped(word))
    return words, tuple(loose)


def _words(name: str) -> list[str]:
    """The telling words of a name: `answer_order` is two; of a script without spaces its character pairs."""
    found = tokens.terms(name.replace("_", " ").replace(".", " ").replace("-", " "))
    longest = [term for term in found if not tokens.is_pairwise(term) or len(term) > 1]
    return longest or found


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _surfaces(name: str, parts: Sequence[str]) -> list[tuple[str, str]]:
    """Each word with the spelling it is written in, which a typing mistake changes; empty for other scripts."""
    written = {tokens.terms(word)[0]: word for word in _WORD.findall(_folded(name)) if tokens.terms(word)}
    return [(part, written.get(part, "")) for part in parts]


def _with_hole(word: str) -> list[str]:
    if len(word) < LONG:
        return []
    return [word[:at] + HOLE + word[at + 1 :] for at in range(PREFIX, len(word))] + [HOLE + word]


def _mistyped(word: str) -> list[str]:
    """What a word may meet: another letter in one place, a letter left out, one too many, two exchanged."""
    replaced = [word[:at] + HOLE + word[at + 1 :] for at in range(PREFIX, len(word))]
    missing = [word[:at] + HOLE + word[at:] for at in range(PREFIX, len(word) + 1)]
    extra = [HOLE + word[:at] + word[at + 1 :] for at in range(PREFIX, len(word))]
    exchanged = [HOLE + word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(PREFIX, len(word) - 1)]
    return [*replaced, *missing, *extra, *exchanged]
