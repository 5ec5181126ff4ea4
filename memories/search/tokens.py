"""Text to search terms, and terms to the keyed bytes that a database may hold. Pure.

A term is a stemmed English word, a word of another script, a number, or a single character or character pair of
Chinese, Japanese and Korean text (so that a two-character word inside a sentence is found without a dictionary).
"""

from __future__ import annotations

import hashlib
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import Stemmer

_ENGLISH = """
a about am an and any are as at be been being but by can could did do does doing for from had has have having he
her here hers him his how i if in into is it its just let me might mine my of on or our ours please shall she
should so some such than that the their theirs them there these they this those to too us very was we were what
when where whether which while who whom whose why will with would you your yours d ll m re s t ve don doesn didn
isn aren wasn weren won wouldn shouldn couldn hasn haven
"""
STOP_WORDS = frozenset(_ENGLISH.split())
"""English function words. `not`, `never`, `first`, `before` and the like stay: preferences are made of them."""

CJK_STOP_WORDS = (
    "为什么|怎么样|什么样|什么|怎么|如何|怎样|请问|是否|哪些|哪个|哪里|多少|应该|应当|可以|能否|我们|你们|他们|她们|它们|咱们|这个|那个|这些|那些"
    "|ください|です|ます|でした|ました|してく"
)
PARTICLES = frozenset(
    "的了吗呢吧啊呀嘛着过地得之其与其和及或而且并是在就也都还又很把被将给对于从向到为以我你他她它您咱这那哪谁不没有要会能可该请让使个些们"
)
"""Chinese characters that carry grammar more than meaning: never a term alone, nor two of them as a pair."""
LIGHT = frozenset("的了吗呢吧啊呀嘛是在我你他她它们您把被与和及")
"""The particles that make a pair say less; the others also begin or end real words (摘要, 可视, 个人)."""

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u3096"
_CJK = f"{_HAN}{_HIRAGANA}\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uac00-\ud7a3\u3131-\u318e"
# Scripts whose vowel signs are marks, which `\w` leaves out, and the Thai family, which writes without spaces.
_MARKED = "\u0900-\u0963\u0966-\u0dff\u1a20-\u1aad"
_SPACELESS = "\u0e00-\u0e4e\u0e50-\u0ed9\u0edc-\u0edf\u0f00-\u0f07\u0f20-\u0fbc\u1000-\u1049\u1780-\u17d3\u17e0-\u17e9"
_TOKEN = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    rf"|(?P<pairs>[{_SPACELESS}]+)"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    rf"|(?P<word>(?:[^\W\d_{_CJK}{_SPACELESS}]|[{_MARKED}])(?:[^\W_{_CJK}{_SPACELESS}]|[{_MARKED}])*)"
)
_PAIRWISE = re.compile(f"[{_CJK}{_SPACELESS}]")
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_HIRAGANA_ONLY = re.compile(f"[{_HIRAGANA}]+")
_CJK_BREAK = re.compile(CJK_STOP_WORDS)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HAS_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")
_LATIN_WORD = re.compile(r"[A-Za-z0-9]+")
# Accents, Hebrew points, Arabic vowel signs and the stretching bar: often left out when one asks.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670]"
)
_MAY_HAVE_ACCENTS = re.compile("[\u00c0-\u024f\u0300-\u06ff\u1e00-\u1fff]")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'", "\uff07": "'"})

_HASH_BYTES = 8
_KEPT_BYTES = {b"\x02": 5, b"\x01": _HASH_BYTES}
"""How much of each hash a format of packs keeps. Of five bytes, two terms of a large namespace share a hash once in ten
million times; packs of the first format were written before."""
_FORMAT = b"\x02"
_KEPT = np.uint64((1 << 8 * _KEPT_BYTES[_FORMAT]) - 1)
_MOST = 255

_local = threading.local()


def terms(text: str) -> list[str]:
    """The search terms of a text in reading order, repeats included; a word of humps (`responseOrder`) is one."""
    text = _without_accents(unicodedata.normalize("NFKC", text).casefold())
    out: list[str] = []
    for found in _TOKEN.finditer(text):
        match found.lastgroup:
            case "cjk":
                for run in _CJK_BREAK.split(found[0]):
                    out += _characters_and_pairs(run)
            case "pairs":
                out += [found[0][i : i + 2] for i in range(max(1, len(found[0]) - 1))]
            case "number":
                out += _number(found[0])
            case _:
                if found[0] not in STOP_WORDS:
                    out.append(_stem(found[0]))
    return out


def parts(text: str) -> dict[str, list[str]]:
    """For each word of humps the terms of its parts: nobody says "hub" in `GitHub`, yet one may ask so."""
    text = unicodedata.normalize("NFKC", text)
    if not _HAS_CAMEL.search(text):
        return {}
    humped = {found[0]: parted(found[0]) for found in _LATIN_WORD.finditer(text)}
    return {whole[0]: terms(apart) for word, apart in humped.items() if apart != word and (whole := terms(word))}


def parted(word: str) -> str:
    """A word of humps as its parts: `response Order`."""
    return _CAMEL.sub(" ", word)


def weight(term: str) -> float:
    """How much a term says by itself: a lone character says little, as does a pair that only joins words."""
    if not is_pairwise(term):
        return 1.0
    if len(term) == 1:
        return 0.3 if _is_han(term) else 0.1
    return 0.4 if term[0] in LIGHT or term[-1] in LIGHT or _is_hiragana(term) else 1.0


def texts_of(
    statement: str, key: str = "", conditions: str | None = None, aliases: Iterable[str] = (), value: object = None
) -> str:
    """All the text under which a memory is found: statement, key, conditions, aliases and the words of its value."""
    return "\n".join([statement, key, conditions or "", *aliases, *_leaves(value)])


def count(text: str) -> Counter[str]:
    """Each term of a text with the number of times it occurs, 0 where it is but a part of a word."""
    counts = Counter(terms(text))
    for found in parts(text).values():
        counts.update(dict.fromkeys(found, 0))
    return counts


def length(counts: Mapping[str, int]) -> int:
    """The length of a text in terms, as ranking uses it."""
    return sum(counts.values())


def hash_terms(words: Iterable[str], secret: bytes) -> npt.NDArray[np.uint64]:
    """The keyed 64-bit hash of each term: the same term under another secret has another hash."""
    keyed = hashlib.blake2b(digest_size=_HASH_BYTES, key=hash_key(secret))
    out = bytearray()
    for word in words:
        one = keyed.copy()
        one.update(word.encode("utf-8", "surrogatepass"))
        out += one.digest()
    return np.frombuffer(bytes(out), dtype="<u8").astype(np.uint64, copy=False)


def term_hashes(terms: Iterable[str], secret: bytes) -> npt.NDArray[np.uint64]:
    """The hash of each term as packs keep it and as it is looked up."""
    return hash_terms(terms, secret) & _KEPT


def pack(counts: Mapping[str, int], secret: bytes) -> bytes:
    """Terms and counts as bytes without a readable word: format byte, sorted 40-bit hashes, one count byte each."""
    hashes = term_hashes(counts, secret)
    tfs = np.minimum(np.fromiter(counts.values(), dtype=np.int64, count=len(counts)), _MOST).astype(np.uint8)
    order = np.argsort(hashes)
    kept = hashes[order].astype("<u8").view(np.uint8).reshape(-1, _HASH_BYTES)[:, : _KEPT_BYTES[_FORMAT]]
    return _FORMAT + kept.tobytes() + tfs[order].tobytes()


def unpack(
    packs: Sequence[bytes],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8], npt.NDArray[np.intp]]:
    """The hashes and counts of packs, one behind the other, and how many each has.

    Raises ValueError when the bytes of one are no pack.
    """
    formats = {bytes(one[:1]) for one in packs}
    if not formats <= _KEPT_BYTES.keys():
        raise ValueError("not a term pack of a known format")
    if len(formats) > 1:
        hashes, counts, each = zip(*(unpack([one]) for one in packs), strict=True)
        return np.concatenate(hashes), np.concatenate(counts), np.concatenate(each)
    width = _KEPT_BYTES[formats.pop()] if formats else _HASH_BYTES
    lengths = np.fromiter(map(len, packs), np.intp, len(packs))
    sizes, rest = np.divmod(lengths - 1, width + 1)
    if rest.any():
        raise ValueError("not a term pack of a known format")
    joined = np.frombuffer(b"".join(packs), np.uint8)
    shapes = np.stack([np.ones_like(sizes), width * sizes, sizes], axis=1)
    owners = np.repeat(np.tile(np.arange(3, dtype=np.int8), len(packs)), shapes.ravel())
    whole = np.zeros((int(sizes.sum()), _HASH_BYTES), np.uint8)
    whole[:, :width] = joined[owners == 1].reshape(-1, width)
    return whole.reshape(-1).view("<u8") & _KEPT, joined[owners == 2], sizes


def _characters_and_pairs(run: str) -> list[str]:
    singles = [char for char in run if char not in PARTICLES and not _is_hiragana(char)]
    pairs = (run[i : i + 2] for i in range(len(run) - 1))
    return singles + [pair for pair in pairs if not (pair[0] in PARTICLES and pair[1] in PARTICLES)]


def _number(digits: str) -> list[str]:
    """`1,000` is `1000`; a version such as 3.11.7 is also found by 3.11."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    out = []
    for part in digits.split(","):
        out.append(part)
        if part.count(".") > 1:
            out.append(".".join(part.split(".")[:2]))
    return out


def _stem(word: str) -> str:
    if not word.isascii() or not word.isalpha():
        return word
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:  # a Snowball stemmer keeps state, so each thread has its own
        stemmer = _local.stemmer = Stemmer.Stemmer("english")
    return str(stemmer.stemWord(word))


def _without_accents(text: str) -> str:
    if not _MAY_HAVE_ACCENTS.search(text):
        return text
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def is_pairwise(term: str) -> bool:
    """Of a script that is indexed by single characters and pairs."""
    return term[0] >= "\u0e00" and _PAIRWISE.match(term) is not None


def _is_han(char: str) -> bool:
    return _HAN_CHARACTER.match(char) is not None


def _is_hiragana(text: str) -> bool:
    return _HIRAGANA_ONLY.fullmatch(text) is not None


def _leaves(value: object) -> list[str]:
    """The strings inside a JSON value, keys of objects included, without recursion."""
    out: list[str] = []
    todo = [value]
    while todo:
        match todo.pop():
            case str(text):
                out.append(text)
            case dict() as fields:
                todo += [*reversed(fields.values())]
            case list() | tuple() as items:
                todo += [*reversed(items)]
            case bool() | None:
                pass
            case int() | float() as number:
                out.append(str(number))
    return out


@lru_cache(maxsize=1024)
def hash_key(secret: bytes) -> bytes:
    """The secret in a length that the hash takes as its key; an empty one is an error."""
    if not secret:
        raise ValueError("terms are never hashed without a secret")
    return secret if len(secret) <= hashlib.blake2b.MAX_KEY_SIZE else hashlib.blake2b(secret).digest()
