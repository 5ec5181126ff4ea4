"""Names of memories: found when all their words are asked for, with one typing mistake, and never by common words."""

import numpy as np
import pytest

from memories.search import names

SECRET = b"a secret of the tests"


def named(question: str, *rows: list[str], rare: bool = True) -> list[int]:
    """For each row the length of its longest name in the question."""
    records, owners = names.unpack([names.pack(row, SECRET) for row in rows])
    order = np.argsort(records["hash"], kind="stable")
    asked = names.asked(question)
    held, longest = names.held(asked, dict.fromkeys(asked.exact, rare), records[order], owners[order], SECRET)
    out = np.zeros(len(rows), np.uint8)
    np.maximum.at(out, held, longest)
    return out.tolist()


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What is my answer style?", 2),
        ("style of the ANSWERS", 2),
        ("ａｎｓｗｅｒ　ｓｔｙｌｅ", 2),
        ("the style", 0),
        ("tell me about mongo", 1),
        ("回答风格是什么", 3),
        ("风格", 0),
    ],
)
def test_a_name_is_found_when_all_its_words_are_asked_for(question, found):
    assert named(question, ["answer_style", "mongo", "回答风格"]) == [found]


@pytest.mark.parametrize("typed", ["postgers", "postgrs", "postgress", "postgrex", "possgres"])
def test_one_typing_mistake_after_the_second_letter_is_forgiven(typed):
    assert named(f"how is {typed} set up", ["postgres"]) == [1]


@pytest.mark.parametrize("typed", ["bostgres", "psotgres", "postgsre5x", "posgrs", "pos"])
def test_an_early_or_a_second_mistake_is_not(typed):
    assert named(f"how is {typed} set up", ["postgres"]) == [0]


def test_a_short_word_must_be_typed_right():
    assert named("the kace", ["kafe"]) == [0]


def test_a_word_that_is_itself_a_name_is_no_mistyped_other():
    assert named("set up lantern", ["lantern"], ["lanterm"]) == [1, 0]


def test_a_name_of_common_words_only_counts_for_nothing():
    assert named("answer style", ["answer_style"], rare=False) == [0]


@pytest.mark.parametrize("asked", ["weekReport", "WEEKREPORT", "week report", "week_report", "Week-Report"])
@pytest.mark.parametrize("name", ["weekReport", "week_report", "Week Report"])
def test_a_name_is_known_with_and_without_its_joints(asked, name):
    assert named(f"is there a {asked} yet", [name])[0] > 0


@pytest.mark.parametrize(
    ("question", "name"), [("how is TSLint set up", "TS"), ("a phone", "iPhone"), ("my GitHub page", "git")]
)
def test_a_part_of_a_word_names_nothing(question, name):
    assert named(question, [name]) == [0]
    assert named(f"how is {name} set up", [name]) == [1]


def test_a_mistake_in_a_word_of_humps_is_forgiven():
    assert named("is LnaternHub up", ["LanternHub"], ["lantern"]) == [0, 0]  # within the first two letters
    assert named("is LantrenHub up", ["LanternHub"], ["lantern"]) == [1, 0]


def test_the_longest_name_of_a_row_counts():
    assert named("weekly report format", ["report", "weekly_report_format"], ["report"]) == [3, 1]


def test_no_word_can_be_read_in_a_pack():
    packed = names.pack(["zanzibar_plans", "秘密计划"], SECRET)
    assert b"zanzibar" not in packed
    assert "秘密".encode() not in packed
    assert names.pack(["zanzibar_plans"], b"another") not in packed


def test_odd_names_are_no_error():
    odd = ["", "…", "a" * 300, " ".join(f"w{n}" for n in range(40)), "the of", "🙂"]
    assert named("what of the 🙂", odd, []) in ([0, 0], [1, 0])
    assert names.unpack([]) is not None
