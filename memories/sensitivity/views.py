"""Normalised views of one text, so that a secret written differently meets the same rules."""

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from urllib.parse import unquote

from memories.sensitivity.findings import EngineUnavailable

_FOLDED_SCRIPTS = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "LISU", "COPTIC")
_SMALL_CAPITALS = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɡı", "abcdefghijklmnoprstuvwyzgi", strict=True))
_CN_DIGITS = {
    ord(char): digit
    for digit, chars in enumerate(
        ("零〇○", "一壹幺", "二贰貳两", "三叁參", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")
    )
    for char in chars
}
_CN_DIGIT_TABLE = {code: str(digit) for code, digit in _CN_DIGITS.items()}
_DIGIT_WORDS = {
    word: str(digit)
    for digit, word in enumerate(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"))
} | {"oh": "0", "nought": "0"}

_CN_DIGIT = "[零〇○一壹幺二贰貳两三叁參四肆五伍六陆陸七柒八捌九玖]"
_CN_RUN = re.compile(rf"[0-9]{{0,20}}{_CN_DIGIT}(?:[ \-、,·]?(?:{_CN_DIGIT}|[0-9])){{3,40}}")
_EN_RUN = re.compile(
    r"(?<![a-z])(?:(?:zero|one|two|three|four|five|six|seven|eight|nine|oh|nought)[ ,\-]{1,2}){3,30}"
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|oh|nought)(?![a-z])",
    re.IGNORECASE,
)
_TAG = re.compile("[\U000e0020-\U000e007e]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_COMBINING = re.compile("[\u0300-\u036f\u20d0-\u20f0]")
_LONG_TOKEN = re.compile(r"[A-Za-z0-9+/_\-]{12}")
_FIRST_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}[ :,]?(?:0x|\\x)?){8}")
_AT = re.compile(r"\s{0,2}(?:[(\[{<【「]\s?(?:at|AT|At|@|艾特|圈a)\s?[)\]}>】」]|艾特|圈a|[_\-]at[_\-]|\sAT\s)\s{0,2}")
_DOT = re.compile(
    r"\s{0,2}(?:[(\[{<【「]\s?(?:dot|DOT|Dot|点|\.)\s?[)\]}>】」]|[_\-]dot[_\-]|\sDOT\s"
    r"|(?<=[A-Za-z0-9])点(?=[A-Za-z])|(?<=[A-Za-z0-9])\s点\s(?=[A-Za-z]))\s{0,2}"
)
_AT_WORD = re.compile(r"(?<=[A-Za-z0-9])\s+at\s+(?=[A-Za-z0-9-]+(?:\s+dot\s+|\.)[A-Za-z])", re.IGNORECASE)
_DOT_WORD = re.compile(r"(?<=[A-Za-z0-9])\s+dot\s+(?=[A-Za-z])", re.IGNORECASE)

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_\-])[A-Za-z0-9+/_\-]{12,2000}={0,2}(?![A-Za-z0-9+/_\-=])")
_BASE32 = re.compile(r"(?<![A-Z0-9])[A-Z2-7]{16,1000}={0,6}(?![A-Z0-9=])")
_HEX = re.compile(r"(?<![A-Za-z0-9])(?:0x)?[0-9A-Fa-f]{2}(?:[ :,]?(?:0x|\\x)?[0-9A-Fa-f]{2}){7,999}(?![A-Za-z0-9])")
_CODES = re.compile(r"(?<![0-9])[0-9]{2,3}(?:[ ,;]{1,2}[0-9]{2,3}){7,400}(?![0-9])")
_ESCAPE = re.compile(
    r"\\u([0-9A-Fa-f]{4})|\\u\{([0-9A-Fa-f]{2,6})\}|\\x([0-9A-Fa-f]{2})"
    r"|[uU]\+([0-9A-Fa-f]{4})(?![0-9A-Fa-f])"
)
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,10});")
_REVERSED = re.compile(r"倒着|倒序|反着|反过来|反写|逆序|倒过来|reverse|backward|rtl", re.IGNORECASE)
_ROT13 = re.compile(r"rot-?13|凯撒", re.IGNORECASE)
_ROT13_TABLE = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm"
)

_TOKEN = r"[A-Za-z0-9_\-+/=.~@#$%^&*!:]"
_WRAP = re.compile(rf"(?<={_TOKEN})[ \t]*(?:\\n|[\r\n])+[ \t]*(?={_TOKEN})")
_CONCATENATION = re.compile(r"['\"]\s{0,4}[+.&]?\s{0,4}['\"]|(?<=[A-Za-z0-9])\s?\+\s(?=[A-Za-z0-9])")
_SPACED_WORD = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z][ ._*\-]){4,40}[A-Za-z](?![A-Za-z0-9])")
_SPACED_HAN = re.compile(r"(?<![\u4e00-\u9fff])[\u4e00-\u9fff](?:[ \t][\u4e00-\u9fff]){1,40}(?![\u4e00-\u9fff])")
_BROKEN_RUN = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z0-9_+/=\-]{1,6}[ \t\n.\-_·,/|]{1,2}){3,80}[A-Za-z0-9_+/=\-]{1,40}")
_BREAK = re.compile(r"[ \t\n.·,|]+|(?<=[A-Za-z0-9])[\-/](?=[A-Za-z0-9])")
_SHORT_GROUPS = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z0-9_]{1,6}(?:[ \t\n.\-_·,/|]{1,2}[A-Za-z0-9_]{1,6}){3}(?![A-Za-z0-9])"
)
_KNOWN_START = re.compile(
    r"(?:AKIA|ASIA|LTAI|AKID|AIza|gh[pousr]_|ghp|github_pat_|glpat-?|glrt-?|xox[abp]-?|sk-?(?:ant"
    r"|proj|live|test)?[-_]?"
    r"|rk_live_|eyJ|npm_?|hf_?|SG\.|whsec_?|pypi-|dop_v1_|dckr_pat_|GOCSPX-?)(?=[A-Za-z0-9_\-.]{10})"
)


@lru_cache(maxsize=1)
def _fold_table() -> dict[int, str]:
    """Look-alike letters of other scripts, each with its ASCII letter."""
    try:
        from confusable_homoglyphs import confusables

        data = confusables.confusables_data
    except Exception as error:
        raise EngineUnavailable("homoglyphs") from error
    table = {ord(char): plain for char, plain in _SMALL_CAPITALS.items()}
    for char, others in data.items():
        if len(char) != 1 or ord(char) < 0x370 or not unicodedata.name(char, "").startswith(_FOLDED_SCRIPTS):
            continue
        plain = next((o["c"] for o in others if len(o["c"]) == 1 and o["c"].isascii() and o["c"].isalnum()), None)
        if plain:
            table[ord(char)] = plain
    table.update(
        {
            ord(c): p
            for c, p in zip("аеорсухіјѕһԁԛԝвнкмтАВЕКМНОРСТХУІЈЅ", "aeopcyxijshdqwbhkmtABEKMHOPCTXYIJS", strict=True)
        }
    )
    return table


def plain(text: str) -> str:
    """NFKC without invisible characters; tag characters become the letters they hide."""
    if text.isascii():
        return text
    text = _TAG.sub(lambda m: chr(ord(m[0]) - 0xE0000), text)
    return _COMBINING.sub("", unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)))


def folded(text: str) -> str:
    """Letters of other scripts that look like ASCII ones, replaced by those."""
    return text if text.isascii() else text.translate(_fold_table())


def _readable(raw: bytes) -> str | None:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if len(text) < 6 or not all(c.isprintable() or c in "\n\t" for c in text):
        return None
    return text


def _unbase64(match: re.Match[str]) -> str:
    token = match[0].rstrip("=").replace("-", "+").replace("_", "/")
    if len(token) % 4 == 1:
        return match[0]
    try:
        decoded = _readable(base64.b64decode(token + "=" * (-len(token) % 4)))
    except (binascii.Error, ValueError):
        return match[0]
    return decoded or match[0]


def _unbase32(match: re.Match[str]) -> str:
    token = match[0].rstrip("=")
    try:
        decoded = _readable(base64.b32decode(token + "=" * (-len(token) % 8)))
    except (binascii.Error, ValueError):
        return match[0]
    return decoded or match[0]


def _unhex(match: re.Match[str]) -> str:
    digits = re.sub(r"0x|\\x|[ :,]", "", match[0])
    decoded = _readable(bytes.fromhex(digits)) if len(digits) % 2 == 0 else None
    return decoded or match[0]


def _uncodes(match: re.Match[str]) -> str:
    codes = [int(n) for n in re.findall(r"\d+", match[0])]
    return "".join(map(chr, codes)) if all(32 <= n < 127 for n in codes) else match[0]


def _unescape(match: re.Match[str]) -> str:
    code = int(match[match.lastindex or 0], 16)
    return chr(code) if 32 <= code < 0xD800 or 0xE000 <= code < 0x110000 else match[0]


def decoded(text: str) -> str:
    """Encodings undone where they stand, so that labels beside them still count."""
    if "&" in text and _ENTITY.search(text):
        text = html.unescape(text)
    if len(_PERCENT.findall(text)) >= 2:
        text = unquote(text, errors="ignore")
    if "\\" in text or "+" in text:
        text = _ESCAPE.sub(_unescape, text)
    if _FIRST_HEX.search(text):
        text = _CODES.sub(_uncodes, _HEX.sub(_unhex, text))
    if _LONG_TOKEN.search(text):
        text = _BASE64.sub(_unbase64, _BASE32.sub(_unbase32, text))
    return text


def spoken_digits(text: str) -> str:
    """Digits written as Chinese numerals or English words, as digits."""
    text = _CN_RUN.sub(lambda m: re.sub(r"[ \-、,·]", "", m[0]).translate(_CN_DIGIT_TABLE), text)
    return _EN_RUN.sub(lambda m: "".join(_DIGIT_WORDS[w.lower()] for w in re.findall(r"[A-Za-z]+", m[0])), text)


def at_dot(text: str) -> str:
    """Addresses written with (at) and (dot), as addresses."""
    text = _AT_WORD.sub("@", _AT.sub("@", text))
    return _DOT_WORD.sub(".", _DOT.sub(".", text)) if "@" in text else text


def unwrapped(text: str) -> str:
    """Tokens broken over lines or string pieces, and words spelled with gaps, in one piece."""
    text = _CONCATENATION.sub("", _WRAP.sub("", text))
    text = _SPACED_WORD.sub(lambda m: re.sub(r"[ ._*\-]", "", m[0]), text)
    return _SPACED_HAN.sub(lambda m: re.sub(r"[ \t]", "", m[0]), text)


def joined(text: str) -> str:
    """Runs of short broken groups joined, cut before anything that starts like a known credential."""
    if not _SHORT_GROUPS.search(text):
        return ""
    pieces = []
    for match in _BROKEN_RUN.finditer(text):
        run = _BREAK.sub("", match[0])
        if len(run) >= 16 and sum(c.isdigit() for c in run) >= 2:
            pieces.append(_KNOWN_START.sub(lambda m: " " + m[0], run))
            pieces.append(_KNOWN_START.sub(lambda m: " " + m[0], re.sub(r"\s+", "", match[0])))
    return "\n".join(pieces)


_STEPS: tuple[Callable[[str], str], ...] = (folded, decoded, spoken_digits, at_dot, unwrapped)


def views(text: str) -> Iterator[str]:
    """The plain text, the text with every disguise undone, and joined or reversed ones where they apply."""
    base = plain(text)
    undone = base
    for step in _STEPS:
        undone = step(undone)
    once_more = decoded(plain(undone)) if undone != base else undone
    seen = set()
    for view in (base, undone, once_more, joined(base), *_hinted(base)):
        if view and view not in seen:
            seen.add(view)
            yield view


def is_reversed_hint(text: str) -> bool:
    """Whether the text says that something in it is written backwards."""
    return bool(_REVERSED.search(text))


def _hinted(text: str) -> Iterator[str]:
    """Transformations tried only where the text itself names them."""
    if _REVERSED.search(text):
        yield text[::-1]
    if _ROT13.search(text):
        yield text.translate(_ROT13_TABLE)
