"""Dates in rows and in questions, as terms that do not depend on the language. Pure.

"last week" said on 8 May 2023 means May 2023; a row then also holds the terms of that month and year, so that
"what happened in May 2023?" and 2023年5月 find it. A date term has a sign that no word of a text can hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_SHORT = {name[:3]: number for number, name in enumerate(_MONTHS, 1)} | {"sept": 9}
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBERS |= {"nine": 9, "ten": 10, "couple of": 2, "few": 3, "several": 3}
_NUMBERS |= {char: number for number, char in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "几": 3}
_CHINESE_MONTHS = {
    name: number
    for number, name in enumerate(["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"], 1)
}
_CHINESE_DAYS = {char: number for number, char in enumerate("一二三四五六")} | {"日": 6, "天": 6}

# "may" and "march" are also verbs: beside a number or after a word of time they are months.
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?|(?<=in )may|(?<=of )may|(?<=since )may|(?<=by )may|(?<=last )may|(?<=this )may|(?<=next )may"
    r"|(?<=in )march|(?<=of )march|(?<=since )march|(?<=by )march|(?<=last )march|(?<=this )march|(?<=next )march"
    r"|(?:may|mar(?:ch)?)(?=\.?,? \d)|(?<=\d )(?:may|mar(?:ch)?)|(?<=\d(?:st|nd|rd|th) )(?:may|mar(?:ch)?))"
)
_ORDINAL = r"(?:st|nd|rd|th)?"
_NAMED = re.compile(
    rf"\b(?P<day_before>[0-3]?\d){_ORDINAL}(?: of)? (?P<month_after>{_MONTH})\b"
    rf"|\b(?P<month_before>{_MONTH})\b\.?(?: (?P<day_after>[0-3]?\d){_ORDINAL}\b(?!\d))?"
    r"|(?<!\d)(?P<iso_year>(?:19|20)\d\d)[-/.](?P<iso_month>[01]?\d)[-/.](?P<iso_day>[0-3]?\d)(?!\d)"
    r"|(?<!\d)(?P<year>(?:19|20)\d\d)(?!\d)"
    r"|(?<!\d)(?P<han_month>1[0-2]|0?[1-9])月(?:(?P<han_day>[0-3]?\d)[日号])?"
    r"|(?P<word_month>十[一二]?|[一二三四五六七八九])月"
)
_PART = {"day": "@d", "month": "@m", "year": "@y"}

_AGO = re.compile(
    rf"\b(?P<count>\d{{1,2}}|{'|'.join(w for w in _NUMBERS if w.isascii())}) (?P<unit>day|week|month|year)s? ago\b"
    r"|(?P<han_count>\d{1,2}|[一二三四五六七八九十两几])个?(?P<han_unit>天|周|星期|礼拜|月|年)(?:以前|之前|前)"
)
_WEEKDAY = re.compile(
    rf"\b(?P<way>last|this|next|on) (?P<name>{'|'.join(_DAYS)})\b"
    r"|(?P<han_way>上|这|下)?个?(?:周|星期|礼拜)(?P<han>[一二三四五六日天])"
)
_UNITS = {"day": "day", "week": "week", "month": "month", "year": "year", "天": "day", "周": "week"}
_UNITS |= {"星期": "week", "礼拜": "week", "月": "month", "年": "year"}

_RELATIVE: tuple[tuple[re.Pattern[str], str, int], ...] = tuple(
    (re.compile(pattern), unit, count)
    for pattern, unit, count in (
        (r"\bday before yesterday\b|前天", "day", -2),
        (r"(?<!before )\byesterday\b|\blast night\b|昨[天晚日]", "day", -1),
        (r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|今[天晚早日]", "day", 0),
        (r"(?<!after )\btomorrow\b|明[天晚早日]", "day", 1),
        (r"\bday after tomorrow\b|后天", "day", 2),
        (r"\blast week(?:end)?\b|上个?(?:周|星期|礼拜)(?![一二三四五六日天])", "week", -1),
        (r"\bthis week(?:end)?\b|[这本]个?(?:周|星期|礼拜)(?![一二三四五六日天])", "week", 0),
        (r"\bnext week(?:end)?\b|下个?(?:周|星期|礼拜)(?![一二三四五六日天])", "week", 1),
        (r"\blast month\b|上个?月", "month", -1),
        (r"\bthis month\b|[这本]个?月", "month", 0),
        (r"\bnext month\b|下个?月", "month", 1),
        (r"\blast year\b|去年", "year", -1),
        (r"\bthis year\b|今年", "year", 0),
        (r"\bnext year\b|明年", "year", 1),
    )
)

_TIMED = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|since|months?|years?|weeks?|weekends?|days?|hours?|\d{4}"
    r"|(?:last|next|this) (?:week|month|year|weekend|morning|night|summer|winter|spring|autumn|fall)"
    rf"|{'|'.join(_MONTHS)}|{'|'.join(_DAYS)})\b"
    r"|\d{2,4}年|[一二三四五六七八九十\d]月|\d+[日号天]|[昨今明前后]天|[去今明]年|[上下]个?(?:周|星期|月)|周末|星期|小时|[天周月年]前",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"^\W*(?:when|since when|until when)\b|\bhow long\b|\b(?:what|which) (?:date|year|month|day|week)\b"
    r"|什么时候|什么时间|什么日期|何时|哪一?[年月天日]|几[月年号点]|多久|多长时间|哪个月",
    re.IGNORECASE,
)


def terms_of(day: date, *, precision: str = "day") -> list[str]:
    """The terms of a date, or of its month or year when no more is known."""
    parts = [f"@y{day.year}"]
    if precision != "year":
        parts.append(f"@m{day.month}")
    return [*parts, f"@d{day.day}"] if precision == "day" else parts


def named(text: str) -> list[tuple[str, str]]:
    """Each part of a date that a text names, as it is written there, and its term."""
    found: list[tuple[str, str]] = []
    for match in _NAMED.finditer(text.lower()):
        for name, written in match.groupdict().items():
            if written is None:
                continue
            kind = "day" if "day" in name else "month" if "month" in name else "year"
            number = _number(written, kind)
            if number is not None:
                found.append((f"{written}月" if name == "word_month" else written, f"{_PART[kind]}{number}"))
    return found


def meant(text: str, said: date) -> list[str]:
    """The terms of the dates that relative words mean, seen from the day on which the text was said."""
    text = text.lower()
    out: list[str] = []
    for unit, count in _moves(text):
        out += _moved(said, unit, count)
    for match in _WEEKDAY.finditer(text):
        out += terms_of(_days_away(said, _to_weekday(match, said)))
    return list(dict.fromkeys(out))


def of_row(text: str, said: date | None) -> list[str]:
    """Every date term of a row: the day it was said, the dates it names and those it means."""
    terms = [term for _, term in named(text)]
    if said is not None:
        terms += [*terms_of(said), *meant(text, said)]
    return list(dict.fromkeys(terms))


def is_timed(text: str) -> bool:
    """Whether a text says when something happens or how long."""
    return _TIMED.search(text) is not None


def asks_when(question: str) -> bool:
    """Whether a question is about a time."""
    return _ASKS_WHEN.search(question) is not None


def _number(written: str, kind: str) -> int | None:
    if kind == "month" and not written.isdigit():
        return _CHINESE_MONTHS.get(written) or _SHORT.get(written[:4]) or _SHORT.get(written[:3])
    number = int(written)
    most = {"day": 31, "month": 12, "year": 2099}[kind]
    return number if 1 <= number <= most else None


def _moves(text: str) -> Iterator[tuple[str, int]]:
    for pattern, unit, count in _RELATIVE:
        if pattern.search(text):
            yield unit, count
    for match in _AGO.finditer(text):
        written = match["count"] or match["han_count"]
        yield _UNITS[match["unit"] or match["han_unit"]], -(int(written) if written.isdigit() else _NUMBERS[written])


def _moved(day: date, unit: str, count: int) -> list[str]:
    """The terms of a day so many units away."""
    return _MOVES[unit](day, count)


def _months_away(day: date, count: int) -> date:
    months = day.year * 12 + day.month - 1 + count
    return date(min(max(months // 12, 1), 9999), months % 12 + 1, 1)


def _days_away(day: date, count: int) -> date:
    return date.fromordinal(min(max(day.toordinal() + count, 1), date.max.toordinal()))


_MOVES: dict[str, Callable[[date, int], list[str]]] = {
    "day": lambda day, count: terms_of(_days_away(day, count)),
    "week": lambda day, count: terms_of(_days_away(day, 7 * count)),
    "month": lambda day, count: terms_of(_months_away(day, count), precision="month"),
    "year": lambda day, count: terms_of(_months_away(day, 12 * count), precision="year"),
}


def _to_weekday(match: re.Match[str], said: date) -> int:
    """Days from the day of saying to the weekday meant."""
    if match["name"]:
        target, way = _DAYS.index(match["name"]), match["way"]
        back = (said.weekday() - target) % 7 or 7
        return -back if way in ("last", "on") else 7 - back or 7
    week = {"上": -1, "下": 1}.get(match["han_way"] or "", 0)
    return _CHINESE_DAYS[match["han"]] - said.weekday() + 7 * week
