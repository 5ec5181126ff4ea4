"""Explicit requests: which sentences ask to remember, and which words of them would be kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memories.evaluation import asking, cases
from memories.extraction import requests

ROOT = Path(__file__).parents[1]
SENTENCES = Path(__file__).parent / "cases" / "requests.jsonl"


def kept(text: str) -> list[str]:
    return [one.words for one in requests.find(text) if not one.one_off]


def test_all_parts_reach_the_bars_and_nothing_for_once_is_kept() -> None:
    """Whatever a part is for, none falls below the bars again."""
    figures = asking.recognise(cases.read(SENTENCES)).metrics
    for half in asking.PARTS:
        assert figures[f"{half}_precision"] >= 0.95
        assert figures[f"{half}_recall"] >= 0.90
    assert figures["one_off_stored"] == 0
    assert figures["kind_right"] >= 0.95


def test_every_finding_is_the_persons_own_words_where_they_stand() -> None:
    for case in cases.read(SENTENCES):
        text = case.text("text")
        for one in requests.find(f"Hello there.\n{text} 谢谢！"):
            assert f"Hello there.\n{text} 谢谢！"[one.start : one.end] == one.words.strip() != ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please remember that I'm allergic to nuts.", ["I'm allergic to nuts"]),
        ("I'm allergic to nuts. Please remember that.", ["I'm allergic to nuts"]),
        ("Remember this: I'm allergic to nuts.", ["I'm allergic to nuts"]),
        ("请记住下面这点。我对花生过敏。", ["我对花生过敏"]),
        ("我对花生过敏，请记住。", ["我对花生过敏"]),
        ("Use a table now, but from now on use prose.", ["from now on use prose"]),
        ("Thanks! From now on use prose. And never use emojis.", ["From now on use prose", "And never use emojis"]),
        ("Translate this:\nFrom now on use prose.\nNever shout.", []),
        ("```\nfrom now on use prose\n```", []),
        ("> From now on use prose.\nIs that yours?", []),
        ("", []),
        ("?!\n。。", []),
    ],
)
def test_which_words_are_kept(text: str, expected: list[str]) -> None:
    assert kept(text) == expected


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("From now on answer in English.", "preference", "preferred_language"),
        ("以后都用中文回答我。", "preference", "preferred_language"),
        ("请记住，以后先给结论。", "preference", "answer_style"),
        ("Remember, metric units only.", "preference", "units"),
        ("Correction: my time zone is Oslo, not Dublin.", "profile", "time_zone"),
        ("From now on put the risks first.", "preference", "from_now_on_put_the_risks_first"),
    ],
)
def test_the_kind_and_an_evident_key(text: str, kind: str, key: str) -> None:
    (found,) = requests.find(text)
    assert (found.kind, found.key) == (kind, key)


def test_long_words_have_names_of_their_own() -> None:
    long = "always put the table about the first quarter before the chart about the "
    first, second = requests.key_of(f"{long}second"), requests.key_of(f"{long}third")
    assert first != second
    assert max(map(len, (first, second))) <= 128
    assert first == requests.key_of(f"{long}second")


HOSTILE = (
    "嗯", "，那就", "请务必一定要", "我希望你以后都", "把我的", "i want you to ", "it's great if you to ",
    "ok so and also ", "please ", "would you mind not", "for all my ", "i'd appreciate it if you would ", "'", "(", " ",
    "stop adding ", "whenever you say ", "no more the ", "every reply you send ", "no emojis. ever. ",
    "so you know for next time ",
    "遇到我的时候，", "别再", "把我的语言", "不希望在", "只要你请就", "我跟你说，", "on every my reply ",
)  # fmt: skip


def test_no_wording_keeps_the_rules_busy_for_ever() -> None:
    """What can be read in many ways is read in few: a long row of one beginning ends like any other text."""
    asked = "from memories.extraction import requests; import sys; [requests.find(t) for t in sys.argv[1:]]"
    texts = [(piece * 500)[:499] for piece in HOSTILE]
    subprocess.run([sys.executable, "-c", asked, *texts], check=True, timeout=60, cwd=ROOT)  # noqa: S603
