"""Characters that a reader does not see; joiners that emoji and scripts need are allowed."""

import re
import unicodedata

_BIDI_OVERRIDE = re.compile("[\u202a-\u202e]")
_BIDI_ISOLATE = re.compile("[\u2066-\u2069]")
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_TAGS = re.compile("[\U000e0000-\U000e007f]")
_FLAG_EMOJI = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{2,6}\U000e007f")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}|[\U000e0100-\U000e01ef]{2,}")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f]")
_FILLERS = re.compile(
    "[\u3164\uffa0\u115f\u1160\u17b4\u17b5\u034f]|\u2800{2,}|[\ue000-\uf8ff\U000f0000-\U0010fffd]{3,}"
)
_INVISIBLE = re.compile("[\u200b-\u200f\u2060-\u2065\u206a-\u206f\ufeff\u180e\u061c\ufff9-\ufffb]")
# Scripts whose spelling uses joiners, and scripts that mark line breaks with a zero-width space.
_JOINING = (
    "ARABIC", "SYRIAC", "MONGOLIAN", "NKO", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA",
    "HEBREW", "TIBETAN", "MYANMAR", "KHMER", "BALINESE", "JAVANESE",
)  # fmt: skip
_SPACELESS = ("THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "JAVANESE", "BALINESE")


def hidden_unicode(text: str) -> str:
    """The rule id of the first hidden character that has no place where it stands, or ""."""
    if text.isascii():
        return "control_character" if _CONTROL.search(text) else ""
    if _CONTROL.search(text):
        return "control_character"
    if _TAGS.search(_FLAG_EMOJI.sub("", text)):
        return "tag_characters"
    if _BIDI_OVERRIDE.search(text) or (_BIDI_ISOLATE.search(text) and not _RTL.search(text)):
        return "bidi_override"
    if _SELECTORS.search(text):
        return "variation_selector_run"
    if _FILLERS.search(text):
        return "invisible_filler"
    for match in _INVISIBLE.finditer(text):
        if not _belongs(text, match.start()):
            return "zero_width_in_word"
    return ""


def _belongs(text: str, at: int) -> bool:
    char = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if char == "\ufeff":
        return at == 0
    if char in "\u200e\u200f\u061c":
        return bool(_RTL.search(text))
    if char == "\u200b":
        return _script(before).startswith(_SPACELESS) or _script(after).startswith(_SPACELESS)
    if char == "\u200d":
        return (_is_emoji(before) and _is_emoji(after)) or _script(before).startswith(_JOINING)
    if char == "\u200c":
        return _script(before).startswith(_JOINING)
    return False


def _script(char: str) -> str:
    return unicodedata.name(char, "") if char else ""


def _is_emoji(char: str) -> bool:
    return bool(char) and (
        unicodedata.category(char) in ("So", "Sk") or char in "\ufe0f\u2640\u2642\u2695\u2696\u2708\u2764"
    )
