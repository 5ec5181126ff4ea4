"""What a text costs in a prompt, without a tokenizer's tables. Pure.

Tokenizers cut a text into words, groups of digits and runs of marks before they look anything up; most such pieces are
one token. Counting them comes within a few per cent of o200k for English and code; in Chinese, Japanese and Korean it
stands between tokenizers of today, who need less, and those of 2023, who need more.
"""

from __future__ import annotations

import math
import re

LONG, PER_FURTHER_LETTER = 7, 0.22
"""A word of more letters than this is often more than one token."""
PER_RUN_OF_MARKS = 0.8
PER_CJK, PER_FULL_WIDTH_MARK, PER_OTHER_BYTE = 0.85, 1.0, 0.22
HEAD_ROOM = 1.05
"""What is counted rather too high than too low, so that a full packet still fits."""

_CJK = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
)
_FULL_WIDTH_MARK = re.compile("[\u2014\u2018\u2019\u201c\u201d\u2026\u3000-\u3004\u3008-\u303f\uff00-\uffef]")
_WORD = re.compile("[A-Z]*[a-z]+|[A-Z]+")
_DIGITS_OR_LINE = re.compile("[0-9]{1,3}|\n+")
_MARKS = re.compile("[!-/:-@\\[-`{-~]{1,4}")


def estimate_tokens(text: str) -> int:
    """About the tokens of a text; 0 for an empty one and never less than 1 otherwise."""
    rest, cjk = _CJK.subn("", text)
    rest, full_width_marks = _FULL_WIDTH_MARK.subn("", rest)
    words = _WORD.findall(rest)
    further = sum(len(word) - LONG for word in words if len(word) > LONG)
    other = 0 if rest.isascii() else len(rest.encode("utf-8", "surrogatepass")) - sum(map(str.isascii, rest))
    tokens = (
        len(words)
        + PER_FURTHER_LETTER * further
        + len(_DIGITS_OR_LINE.findall(rest))
        + PER_RUN_OF_MARKS * len(_MARKS.findall(rest))
        + PER_CJK * cjk
        + PER_FULL_WIDTH_MARK * full_width_marks
        + PER_OTHER_BYTE * other
    )
    return math.ceil(HEAD_ROOM * (tokens or bool(text)))
