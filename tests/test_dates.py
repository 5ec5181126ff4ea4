"""Dates in rows and questions: the same term in whatever words and language."""

from datetime import date

import pytest

from memories.search import dates

SAID = date(2023, 5, 8)  # a Monday


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("We met on 7 May 2023.", {"@d7", "@m5", "@y2023"}),
        ("May 7th, 2023", {"@d7", "@m5", "@y2023"}),
        ("the 3rd of March", {"@d3", "@m3"}),
        ("2023-05-07", {"@d7", "@m5", "@y2023"}),
        ("2023年5月7日", {"@d7", "@m5", "@y2023"}),
        ("十二月", {"@m12"}),
        ("in August", {"@m8"}),
        ("Sept 9", {"@m9", "@d9"}),
        ("You may march on.", set()),
        ("Room 45, 13 people", set()),
        ("version 3.11.7", set()),
    ],
)
def test_a_named_date_has_the_same_terms_in_any_spelling(text, terms):
    assert {term for _, term in dates.named(text)} == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("I saw her yesterday", ["@y2023", "@m5", "@d7"]),
        ("昨天见过", ["@y2023", "@m5", "@d7"]),
        ("the day before yesterday", ["@y2023", "@m5", "@d6"]),
        ("last week", ["@y2023", "@m5", "@d1"]),
        ("two years ago", ["@y2021"]),
        ("三个月前", ["@y2023", "@m2"]),
        ("last month", ["@y2023", "@m4"]),
        ("next year", ["@y2024"]),
        ("last Friday", ["@y2023", "@m5", "@d5"]),
        ("上周五", ["@y2023", "@m5", "@d5"]),
        ("next Friday", ["@y2023", "@m5", "@d12"]),
        ("99 years ago, or 99 days ago", ["@y1924", "@y2023", "@m1", "@d29"]),
        ("nothing of the kind", []),
    ],
)
def test_a_relative_date_is_seen_from_the_day_it_was_said(text, terms):
    assert dates.meant(text, SAID) == terms


@pytest.mark.parametrize("day", [date(1, 1, 1), date(9999, 12, 31)])
def test_the_ends_of_the_calendar_are_no_error(day):
    assert dates.of_row("yesterday, tomorrow, 10 years ago, next year, last friday, 下周一", day)


@pytest.mark.parametrize(
    ("question", "is_one"),
    [
        ("When did she move?", True),
        ("How long have they known each other?", True),
        ("What year was it?", True),
        ("他什么时候搬家的？", True),
        ("住了多久", True),
        ("Where does she live?", False),
        ("What do I like when travelling?", False),
        ("他住在哪里", False),
    ],
)
def test_a_question_about_a_time_is_known_as_one(question, is_one):
    assert dates.asks_when(question) is is_one


@pytest.mark.parametrize(
    ("text", "is_timed"), [("I moved here last spring.", True), ("去年搬来的", True), ("I like tea.", False)]
)
def test_a_row_that_tells_a_time_is_known_as_one(text, is_timed):
    assert dates.is_timed(text) is is_timed
