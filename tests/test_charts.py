"""Charts say in words and numbers what they draw, begin at zero, and never take a name for markup."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from django.template import Context, Template, TemplateSyntaxError

HOSTILE = "<img src=x onerror=alert(1)> “٣”"


def drawn(tag: str, **given: object) -> str:
    html = Template("{% load charts %}" + tag).render(Context(given))
    ElementTree.fromstring(f"<all>{html.replace(' hidden', '').replace('data-x', '')}</all>")  # noqa: S314 - our own
    return html


def test_columns_are_stacked_from_zero_and_told_in_a_table() -> None:
    series = [("saved", [1, 0, 2]), (HOSTILE, [3, 0, 0])]
    html = drawn("{% stacked labels series title %}", labels=["Mon", "Tue", "Wed"], series=series, title="A week")
    assert re.findall(r'class="s(\d)"\s+y="([\d.]+)"\s+width="[\d.]+"\s+height="([\d.]+)"', html) == [
        ("0", "90", "30"),
        ("1", "0", "90"),
        ("0", "60", "60"),
    ]
    assert "<img" not in html
    assert '<th scope="row">Wed</th>' in html
    assert html.count('<td class="number">') == 6
    linked = drawn(
        "{% stacked labels series 't' links=links %}", labels=["Mon"], series=[("a", [1])], links=["/x/?a=1"]
    )
    assert '<a href="/x/?a=1" aria-label="Mon · a: 1">' in linked


def test_lines_bars_and_sparklines_hold_their_numbers() -> None:
    line = drawn("{% line labels series 'Wait' 'days' %}", labels=["1", "2", "3"], series=[("median", [2, 4, 0])])
    assert 'points="0,61 300,1 600,121"' in line
    bars = drawn("{% bars rows 'Reasons' %}", rows=[("unclear", 4), (HOSTILE, 1)])
    assert 'width="100"' in bars
    assert 'width="25"' in bars
    assert "&lt;img" in bars
    spark = drawn("{% sparkline values 'twice in three weeks' %}", values=[0, 2, 0])
    assert 'aria-label="twice in three weeks"' in spark
    assert "flat" in drawn("{% sparkline values 'never' %}", values=[0, 0])
    strip = drawn("{% strip marks 'Runs' %}", marks=[("good", "run 1"), ("bad", HOSTILE)])
    assert strip.count("<li") == 2


@pytest.mark.parametrize("tag", ["stacked labels series 't'", "line labels series 't'", "bars series 't'"])
def test_nothing_to_draw_is_drawn_as_nothing(tag: str) -> None:
    drawn("{% " + tag + " %}", labels=[], series=[])


def test_more_than_five_series_are_refused() -> None:
    with pytest.raises(TemplateSyntaxError):
        drawn("{% line labels series 't' %}", labels=["a"], series=[(str(n), [1]) for n in range(6)])
