"""The names a memory answers to (its key and aliases), as keyed hashes: found when a question holds all their words.

Pure. A row keeps one record per word of a name, and per letter of a long word one in which that letter is open, so
that a question with one typing mistake still meets it, although no word can be read here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memories.search import tokens

RECORD = np.dtype([("hash", "<u8"), ("name", "u1"), ("words", "u1"), ("word", "u1"), ("open", "u1")])
MOST_NAMES, MOST_WORDS = 51, 8
"""A key and sixteen aliases, each in up to three spellings."""
LONG, PREFIX = 5, 2
"""A mistake is forgiven in words of this length or more, after these first letters."""
FEW_ROWS, FEW_SHARE = 5, 0.2
"""A name counts only where its rarest word names at most this many rows, or this share of them."""
HOLE = "*"

_WORD = re.compile(r"[a-z]+")
_JOINT = re.compile("[ _.-]")
_TOGETHER = re.compile(f"[a-z0-9]+(?:{_JOINT.pattern}[a-z0-9]+)+")

Records = npt.NDArray[np.void]


def pack(names: Iterable[str], secret: bytes) -> bytes:
    """The records of these names; names of too many words are left to the ordinary search."""
    words: list[str] = []
    fields: list[tuple[int, int, int, int]] = []
    seen: set[frozenset[str]] = set()
    for parts, written in (spelling for name in names for spelling in _spellings(name)):
        if not parts or len(parts) > MOST_WORDS or frozenset(parts) in seen or len(seen) == MOST_NAMES:
            continue
        for at, part in enumerate(parts):
            spellings = [part, *_with_hole(written.get(part, ""))]
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


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a question as names hold them, and the spellings under which a mistyped one meets a name."""

    exact: tuple[str, ...]
    loose: tuple[tuple[str, ...], ...]


def asked(question: str) -> Words:
    """What of a question may be a name."""
    written = dict(_written(question))
    exact = tuple(dict.fromkeys(_words(question)))
    return Words(exact, tuple(_mistyped(written[word]) if word in written else () for word in exact))


def held(
    words: Words, rare: Mapping[str, bool], records: Records, places: npt.NDArray[np.integer], secret: bytes
) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.uint8]]:
    """The rows (by `places`, negative for one not seen) with a name all of whose words are asked for, and its length.

    A word that is in no name may be a mistyped one; a name of common words only counts for nothing. `records` are
    sorted by hash.
    """
    found: list[tuple[npt.NDArray[np.intp], bool]] = []
    unknown: list[tuple[str, ...]] = []
    for (begin, end), word, loose in zip(_ranges(records, words.exact, secret), words.exact, words.loose, strict=True):
        seen = np.arange(begin, end)[places[begin:end] >= 0]
        if len(seen):
            found.append((seen, rare.get(word, True)))
        elif loose:
            unknown.append(loose)
    for spellings in unknown:
        for begin, end in _ranges(records, spellings, secret):
            if begin < end:
                found.append((np.arange(begin, end)[places[begin:end] >= 0], True))
    if not found:
        return np.zeros(0, np.intp), np.zeros(0, np.uint8)
    at = np.concatenate([here for here, _ in found])
    telling = np.repeat([is_rare for _, is_rare in found], [len(here) for here, _ in found])
    name = places[at].astype(np.int64) * (MOST_NAMES + 1) + records["name"][at]
    _, first = np.unique(name * (MOST_WORDS + 1) + records["word"][at], return_index=True)
    at, name, telling = at[first], name[first], telling[first]
    names, begins, counts = np.unique(name, return_index=True, return_counts=True)
    full = (counts == records["words"][at[begins]]) & np.logical_or.reduceat(telling, begins)
    return names[full] // (MOST_NAMES + 1), counts[full].astype(np.uint8)


def _ranges(records: Records, spellings: Sequence[str], secret: bytes) -> list[tuple[int, int]]:
    if not len(records) or not spellings:
        return [(0, 0)] * len(spellings)
    hashes, known = tokens.hash_terms(spellings, secret), records["hash"]
    begins, ends = np.searchsorted(known, hashes, "left"), np.searchsorted(known, hashes, "right")
    return list(zip(begins.tolist(), ends.tolist(), strict=True))


def _spellings(name: str) -> Iterator[tuple[Sequence[str], Mapping[str, str]]]:
    """The distinct words of a name, and each English one as it is written: as the name is, with its humps taken for
    words, and with its words written together, where no mistake is forgiven.

    A question has no such choice: who asks for `TSLint` does not name `TS`.
    """
    apart = tokens.parted(name)
    for spelled in (name, apart) if len(_words(apart)) == len(apart.split()) else (name,):  # iPhone is not the phone
        yield list(dict.fromkeys(_words(spelled))), dict(_written(spelled))
    if _TOGETHER.fullmatch(folded := _folded(name)):
        yield _words(_JOINT.sub("", folded)), {}


def _words(name: str) -> list[str]:
    """The telling words of a name: `answer_order` is two; of a script without spaces its character pairs."""
    found = tokens.terms(_JOINT.sub(" ", name))
    longest = [term for term in found if not tokens.is_pairwise(term) or len(term) > 1]
    return longest or found


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _written(text: str) -> list[tuple[str, str]]:
    """Each English word as a term and as it is written, which is what a typing mistake changes."""
    return [(found[0], word) for word in _WORD.findall(_folded(text)) if (found := tokens.terms(word))]


def _with_hole(word: str) -> list[str]:
    if len(word) < LONG:
        return []
    return [word[:at] + HOLE + word[at + 1 :] for at in range(PREFIX, len(word))] + [HOLE + word]


def _mistyped(word: str) -> tuple[str, ...]:
    """What a word may meet: another letter in one place, a letter left out, one too many, two exchanged."""
    if len(word) < LONG - 1:
        return ()
    replaced = [word[:at] + HOLE + word[at + 1 :] for at in range(PREFIX, len(word))]
    missing = [word[:at] + HOLE + word[at:] for at in range(PREFIX, len(word) + 1)]
    extra = [HOLE + word[:at] + word[at + 1 :] for at in range(PREFIX, len(word))]
    exchanged = [HOLE + word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(PREFIX, len(word) - 1)]
    return (*replaced, *missing, *extra, *exchanged)
