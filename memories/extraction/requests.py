"""Explicit requests to remember, recognised by rules alone, in English and Chinese.

A request is what a person asks of the assistant for later: to keep a fact about them, or to act in some way from now
on. Questions, refusals, suppositions, what others said, quoted passages and texts handed over to be worked on are none.
What is asked for this once is told apart (`one_off`), so that nobody stores it.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memories import reuse, topics
from memories.extraction import chinese as zh
from memories.extraction import chinese_standing, english_standing, wording
from memories.extraction import english as en
from memories.extraction.characters import SIMPLIFIED, TRADITIONAL
from memories.extraction.english_words import VERB

PREFERENCE, PROFILE = "preference", "profile"
LONGEST = 500
"""Characters of a sentence that is read: nobody asks at such length, and the rules would take long over it."""
_KEY_LENGTH = 60

# One character for one, so that every place in the folded text is the same place in the original.
_MARKS = ("‘’“”「」『』，：；！？（）", '\'\'"""""",:;!?()')
_FOLD = str.maketrans(_MARKS[0], _MARKS[1]) | str.maketrans(TRADITIONAL, SIMPLIFIED)
_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|(?<![\w'])'[^'\n]{2,200}'(?!\w)|`{3}.*?(?:`{3}|\Z)|`[^`\n]+`", re.S)
_RECALLED = re.compile(r"\[memory context\].*?(?:\[end of memory context\]|\Z)", re.S)
_FOREIGN_LINE = re.compile(r"^[ \t]*(?:>|(?:user|assistant|system|human|ai|用户|助手|系统)[ \t]*:).*$", re.M)
_SENTENCE = re.compile(
    r"(?:[^。!?;\n.]|\.(?!\s|$)|\.(?=\s(?:not )?(?:ever|always|permanently)\W*$)|(?<=\bdr)\.|(?<=\bms)\.|(?<=\bmr)\.)+"
    r"(?:[。!?;.]+[\"')]?|(?=\n)|\Z)",
    re.M,
)
_GOES_ON = (
    "(?=from now|please|pls|always|never|i |you |do |don't |can |could |remember|next time|in (?:the )?future|going)"
)
_TURN = re.compile(
    rf"(?<!just)\s(?:but|so)\s{_GOES_ON}|,\sso\s(?={VERB}(?![\w-]))|,\s(?:and )?(?:however|so|therefore)\s(?!that\b)"
    "|,?(?:但是?|不过|所以|因此|因而)"
)
_BEFORE = re.compile(r"[\s,:;!.~\-，：；！。、—]")
_AFTER = re.compile(r"(?:[\s。.;；,，?？!！~]|(?:[,，]?(?:好吗|行吗|可以吗|好不好|吗))(?=[?？]))+$")
_POINTS = re.compile(
    r"^\W*(?:(?:this|that|it|the following|following|one thing|do that|please do that|do so)\b.{0,24}"
    r"|(?:这|以下|下面)[^,]{0,6}|一条)?\W*$"
)
_ONLY_AGAIN = re.compile(r"^\W*(?:remember|me)\W*$")
_POINTS_ON = re.compile(r"\bfollowing\b|下面|以下")
_POINTS_BACK = re.compile(r"\b(?:it|that|this|them|these|those|one)\b|这样|那样|省")
_FRAME = re.compile(r"^\w+,\s")  # "in future letters, …"
_NOT_WORD = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class Request:
    """One request: the person's own words, where they stand, and what they would be kept as.

    `words` is `text[start:end]`, verbatim, without the words that only ask to keep it.
    """

    words: str
    start: int
    end: int
    kind: str
    key: str
    one_off: bool


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of the text as the rules read it."""

    start: int
    end: int
    said: str


def find(text: str) -> tuple[Request, ...]:
    """The requests in a person's message, in the order in which they stand."""
    folded = _masked(fold(text))
    sentences = [_Part(m.start(), m.end(), m.group()) for m in _SENTENCE.finditer(folded) if m.group().strip()]
    found: dict[tuple[int, int], Request] = {}
    for number, sentence in enumerate(sentences):
        if len(sentence.said) > LONGEST:
            continue
        if _is_task(sentence.said):
            if sentence.said.rstrip().endswith(":"):
                break  # what follows is the text to be worked on
            continue
        for part in _turns(sentence):
            span = _span(part, sentence, sentences, number)
            if span is not None:
                request = _request(text, folded, *span)
                found.setdefault((request.start, request.end), request)
    return tuple(found.values())


def fold(text: str) -> str:
    """Lower case, simplified, half-width, straight quotes: as many characters as before."""
    return "".join(_folded(character) for character in text).translate(_FOLD)


def bare(text: str) -> str:
    """The words alone, to see whether two texts say the same: folded, without the marks at their end."""
    return fold(_AFTER.sub("", text).strip())


def own_words(text: str) -> str:
    """The text without recalled memories and lines of others, which only stand in it: as long as before."""
    folded = fold(text)
    masked = _FOREIGN_LINE.sub(_blank, _RECALLED.sub(_blank, folded))
    return "".join(" " if now != was else plain for plain, was, now in zip(text, folded, masked, strict=True))


def key_of(words: str) -> str:
    """A name for words that no registered key is evident for: the same words always get the same one."""
    name = _NOT_WORD.sub("_", unicodedata.normalize("NFKC", words).lower()).strip("_")
    if len(name) <= _KEY_LENGTH:
        return name or "note"
    return f"{name[:_KEY_LENGTH].rstrip('_')}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _folded(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character).lower()
    return plain if len(plain) == 1 else character


def _masked(folded: str) -> str:
    """Blank what is not the person's own words now: recalled memories, quoted passages and lines, code."""
    for pattern in (_RECALLED, _FOREIGN_LINE, _QUOTED):
        folded = pattern.sub(_blank, folded)
    return folded


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "·", match.group())


def _turns(sentence: _Part) -> Iterator[_Part]:
    """The parts of a sentence that a contrast or conclusion divides: each asks, or does not, by itself."""
    start = 0
    for turn in [*_TURN.finditer(sentence.said), None]:
        end = turn.start() if turn else len(sentence.said)
        if sentence.said[start:end].strip():
            yield _Part(sentence.start + start, sentence.start + end, sentence.said[start:end])
        start = turn.end() if turn else end


def _span(part: _Part, sentence: _Part, sentences: Sequence[_Part], number: int) -> tuple[int, int] | None:
    """Where the words stand that this part asks to keep or to follow, or None."""
    said = part.said.strip()
    asks = sentence.said.rstrip()[-1:] == "?" and part.end == sentence.end
    if _is_none(said, is_question=asks):
        return None
    offset = part.start + len(part.said) - len(part.said.lstrip())
    if (kept := _kept(said)) is not None:
        start, end = kept
        if not _only_points(said[start:end]):
            return offset + start, offset + end
        if said.rstrip().endswith(":") or _POINTS_ON.search(said):
            return _of(sentences, number + 1)
        return (sentence.start, part.start) if part.start > sentence.start else _of(sentences, number - 1)
    before = sentence.said[: part.start - sentence.start]
    if en.FROM_NOW.search(before) and en.IMPERATIVE.match(said):
        return sentence.start, sentence.end
    if _directs(said) or _is_once(said):
        if _only_points(said) or re.match(r"(?:please )?(?:do|keep) (?:that|this|it|so)\b", said):
            return sentence.start, sentence.end
        # What the request speaks of may stand in the part before it.
        return (sentence.start if _POINTS_BACK.search(said) else offset), offset + len(said)
    around = sentence.said + (sentences[number - 1].said if number else "")
    return (offset, offset + len(said)) if _corrects(said, around) else None


def _only_points(said: str) -> bool:
    """Whether it says nothing itself; a quoted passage says something."""
    return "·" not in said and bool(_POINTS.match(said))


def _of(sentences: Sequence[_Part], number: int) -> tuple[int, int] | None:
    return (sentences[number].start, sentences[number].end) if 0 <= number < len(sentences) else None


def _is_task(said: str) -> bool:
    """A text to be translated, corrected or written: what stands in it is nobody's request."""
    return bool(en.TASK.match(said.strip()) or zh.TASK.search(said)) and not _is_rule_about_tasks(said)


def _is_rule_about_tasks(said: str) -> bool:
    first = said.strip()
    return bool(
        en.FROM_NOW_FIRST.match(first)
        or en.WHENEVER.match(first)
        or zh.RULE_ABOUT_TASKS.match(first)
        or chinese_standing.RULE.match(first)
    )


def _is_none(said: str, *, is_question: bool) -> bool:
    if (en.REPORTS.search(said) and not _orders(said)) or en.SAYS_LAST.search(said) or zh.REPORTS.search(said):
        return True
    goes_on = en.REFUSES_BUT.search(said) or en.FROM_NOW.search(said)
    if (en.REFUSES.search(said) and not goes_on) or zh.REFUSES.search(said):
        return True
    if en.SUPPOSES.search(said) or zh.SUPPOSES.search(said) or zh.OWN_PLAN.search(said):
        return True
    if chinese_standing.TELLS.search(said) and not zh.KEEP.search(said):
        return True
    if en.ASKS.match(said) or zh.ASKS_STILL.search(said) or _recollects(said):
        return True
    asks = is_question or zh.ASKS.search(said)
    return bool(asks) and not en.ASKS_POLITELY.search(said) and not zh.ASKS_POLITELY.search(said)


def _orders(said: str) -> bool:
    """An order of the speaker's own, whose verb of saying is the assistant's: "never quote …", "whenever …, say …"."""
    return bool(en.IMPERATIVE_ALWAYS.match(said) or en.IMPERATIVE.match(said) or english_standing.RULE.match(said))


def _recollects(said: str) -> bool:
    """A memory of the speaker's own, or an errand of theirs."""
    for pattern, recollects in ((en.KEEP, en.RECOLLECTS), (zh.KEEP, zh.RECOLLECTS)):
        if (match := pattern.search(said)) is None or said[match.end("ask") :].lstrip()[:1] == ":":
            continue
        if recollects.match(said[match.end("ask") :].lstrip(" ,")):
            return True
    return False


def _kept(said: str) -> tuple[int, int] | None:
    """Where the words are that a "remember" asks to keep; they may be only a pointer to what stands beside it."""
    for pattern in (en.KEEP, zh.KEEP):
        if (match := pattern.search(said)) is None:
            continue
        start, end = match.end("ask"), len(said)
        if _ONLY_AGAIN.match(said[start:end]):
            return None
        before = said[: match.start()].strip(" ,")
        if _only_points(said[start:end]) and before and not said.rstrip().endswith(":"):
            return 0, match.start()
        if pattern is zh.KEEP and match.start() > 0 and said[: match.start()].strip(" ,:"):
            return 0, end
        return start, end
    for pattern in (en.UPDATED, en.KEEP_AFTERWARDS, zh.KEEP_AFTERWARDS):
        if (match := pattern.search(said)) is None:
            continue
        what = match.groupdict().get("what")
        return match.span("what") if what and not _only_points(what) else (0, match.start())
    return None


def _directs(said: str) -> bool:
    """Whether it tells how to act from now on."""
    if (called := en.CALL_ME.match(said)) is not None and not en.CALL_ME_NOT.match(called["name"]):
        return True
    if en.COMFORTS.match(said):
        return False
    if english_standing.stands(said) or chinese_standing.stands(said):
        return True
    if en.OWN_WISH.match(said) and not en.HABIT.match(said):
        return False
    if (rule := en.WHENEVER.match(said)) is not None and not en.HABIT.match(said):
        return not en.STATES.match(rule["rest"])
    if (first := en.FROM_NOW_FIRST.match(said)) is not None:
        rest = _FRAME.sub("", said[first.end() :])
        return bool(rest.strip()) and not any(pattern.match(rest) for pattern in (en.STATES, en.TELLS))
    if en.IMPERATIVE.match(said) and en.FROM_NOW.search(said):
        return True
    if en.FROM_NOW_LAST.search(said) or en.HABIT.match(said):
        tale = en.LAST_OF_A_TALE.search(said) and not (en.IMPERATIVE.match(said) or en.PREFERS.match(said))
        return not tale and not en.STATES.match(said)
    if (always := en.IMPERATIVE_ALWAYS.match(said)) is not None:
        return bool(en.WISHED.search(said)) or not en.TOLD_OF.search(always["rest"])
    if en.PREFERS.match(said) and en.OUTPUT.search(said[4:]):
        return bool(en.FROM_NOW.search(said) or en.STANDING.search(said))
    if zh.NAME.search(said) or zh.PREFERS.search(said):
        return True
    return bool(zh.LASTING.search(said) and (zh.DIRECTS.search(said) or zh.SUGGESTS.search(said)))


def _corrects(said: str, around: str) -> bool:
    """Whether it says what is right about the person and what is not, after what was said before it was wrong."""
    return bool(
        (en.CORRECTED.search(around) and en.RIGHT_NOT_WRONG.search(said))
        or (zh.CORRECTED.search(around) and zh.RIGHT_NOT_WRONG.search(said))
    )


def _is_once(said: str) -> bool:
    """Whether it says itself that it is for this once. Any other order of the day is no request at all."""
    return bool(wording.ONLY_ONCE.search(said))


def _request(text: str, folded: str, start: int, end: int) -> Request:
    while start < end and _BEFORE.match(text[start]):
        start += 1
    words = _AFTER.sub("", text[start:end])
    said = folded[start : start + len(words)]
    once_only = _is_once(said) and not _directs(said) and _kept(said) is None
    one_off = once_only or bool(wording.BOUND.search(said)) or reuse.is_one_off(topics.prepare(words))
    kind = PROFILE if wording.ABOUT_ONESELF.search(said) and not wording.WISHES.search(said) else PREFERENCE
    evident = next((key for of, key, pattern in wording.KEYS if of == kind and pattern.search(said)), None)
    return Request(words, start, start + len(words), kind, evident or key_of(words), one_off)
