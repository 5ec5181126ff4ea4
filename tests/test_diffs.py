"""Differences read as people would mark them, in both scripts, and lose no character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories import diffs
from memories.diffs import Piece

TEXTS = st.text(alphabet="ab 先结论后原因。👩\u200d💻é\u0301", max_size=40)


def marked(pieces: list[Piece]) -> str:
    signs = {"same": "{}", "removed": "[-{}]", "added": "[+{}]"}
    return "".join(signs[piece.change].format(piece.text) for piece in pieces)


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("Put the table first.", "Put the table last.", "Put the table [-first][+last]."),
        ("Sort by shelf and by tea.", "Sort by tea and by age.", "Sort by [-shelf][+tea] and by [-tea][+age]."),
        ("先结论后原因", "先结论再讲原因", "先结论[-后][+再讲]原因"),
        ("同样的话", "同样的话", "同样的话"),
        ("Call her 👩‍💻 daily", "Call her 👩 daily", "Call her [-👩‍💻][+👩] daily"),
        ("Use metric units.", "先给结论。", "[-Use metric units.][+先给结论。]"),
        ("", "New", "[+New]"),
    ],
)
def test_words_in_latin_script_and_characters_in_chinese(old: str, new: str, shown: str) -> None:
    assert marked(diffs.diff(old, new)) == shown


@given(TEXTS, TEXTS)
def test_no_character_is_lost_or_made_up(old: str, new: str) -> None:
    pieces = diffs.diff(old, new)
    assert "".join(piece.text for piece in pieces if piece.change != "added") == old
    assert "".join(piece.text for piece in pieces if piece.change != "removed") == new
    assert "".join(piece.text for piece in diffs.shared(old, new)) == old


def test_both_changes_go_together_unless_they_touch() -> None:
    base = "Put the table first and the notes last."
    mine, theirs = base.replace("first", "at the top"), base.replace("notes", "sources")
    assert diffs.merge(base, mine, theirs) == "Put the table at the top and the sources last."
    assert diffs.merge(base, mine, base.replace("first", "second")) is None
    assert diffs.merge(base, mine, mine) == mine


def test_the_words_of_a_source_that_the_memory_has_are_marked() -> None:
    assert marked(diffs.shared("Please put the conclusion first, ok?", "Put the conclusion first.")) == (
        "Please [+put the conclusion first], ok?"
    )
    assert marked(diffs.shared("以后请先给结论吧", "先给结论。")) == "以后请[+先给结论]吧"
