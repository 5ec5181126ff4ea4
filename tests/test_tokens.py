"""Text to terms: every script is found by its words, and the packed form holds none of them."""

import threading

import numpy as np
import pytest

from memories.search import bridge, tokens
from memories.search.tokens import count, hash_terms, pack, term_hashes, terms, texts_of, unpack, weight

SECRET = b"a secret of the tests"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Put the conclusions first.", "CONCLUSION"),
        ("Prefer Zanzibar charts", "ＺＡＮＺＩＢＡＲ　ｃｈａｒｔ"),
        ("response_order", "order response"),
        ("responseOrder", "order"),
        ("HTTPServer settings", "server http"),
        ("the user's summaries", "user summary"),
        ("Zoe\u0308 likes cafe\u0301s", "Zoë café"),
        ("Zoë", "zoe"),
        ("Escribe siempre al señor Ibáñez", "senor ibañez"),
        ("Version 3.11.7 of the runtime", "3.11"),
        ("at most 1,000 rows", "1000"),
        ("每周五下班前把项目进展发到群里。", "进展"),
        ("毎週金曜日に進捗報告をまとめてください。", "進捗"),
        ("ガイドを見る", "ｶﾞｲﾄﾞ"),
        ("매주 금요일에 진행상황을 정리해 주세요.", "진행"),
        ("报告 ２０２６ 年", "2026"),
        ("เขียนสรุปก่อนรายละเอียดในทุกรายงาน", "สรุป"),
        ("हिन्दी में लिखो", "हिन्दी"),
        ("اكتبِ الملخصَ قبل التفاصيل", "الملخص"),
        ("כתוב את הסיכום", "הסיכום"),
        ("Пишите отчёт кратко", "отчет"),
        ("Sign with 𠮷 as a mark", "𠮷"),
    ],
)
def test_a_word_is_found_in_its_text(text, asked):
    assert asked
    assert set(terms(asked)) <= set(count(text))


def test_the_parts_of_a_word_are_held_but_not_said():
    counts = count("LanternHub keeps the lanternHub log, and a log")
    assert (counts["lanternhub"], counts["hub"], counts["lantern"], counts["log"]) == (2, 0, 0, 2)
    assert count("the hub of LanternHub")["hub"] == 1
    assert unpack([pack(counts, SECRET)])[1].min() == 0


@pytest.mark.parametrize("text", ["", " \t\n", "*", "--", "\0", "?!。，", "the of and", "什么 怎么", "🏳️‍🌈👩‍👩‍👧"])
def test_what_says_nothing_has_no_terms(text):
    assert terms(text) == []


def test_words_that_make_a_preference_are_kept():
    assert {"not", "never", "first", "befor", "after", "last"} <= set(terms("not never first before after last"))


def test_a_lone_character_says_less_than_a_pair_and_a_joining_pair_less_than_a_word():
    assert weight("结") < weight("的结") < weight("结论") == weight("conclus")


def test_a_character_inside_a_word_does_not_make_the_word():
    assert "报告" not in terms("汇报与告知")


def test_everything_under_which_one_may_ask_is_indexed():
    found = set(
        terms(
            texts_of(
                "Use tables.",
                "output_form",
                "in audits",
                ["grid layout"],
                {"a": ["wide", {"b": "columns", "c": 3}], "d": None, "e": True},
            )
        )
    )
    assert {"tabl", "output", "form", "audit", "grid", "layout", "wide", "column", "3"} <= found


def test_deeply_nested_values_are_read_without_recursion():
    value: object = "bottom"
    for _ in range(5000):
        value = [value]
    assert "bottom" in terms(texts_of("x", value=value))


def test_packing_keeps_terms_and_counts():
    counts = count("summary summary summary first 结论")
    hashes, tfs, _ = unpack([pack(counts, SECRET)])
    by_hash = dict(zip(hashes.tolist(), tfs.tolist(), strict=True))
    expected = dict(zip(term_hashes(counts, SECRET).tolist(), counts.values(), strict=True))
    assert by_hash == expected
    assert np.all(hashes[1:] > hashes[:-1])


def test_packs_of_the_first_format_are_read_beside_newer_ones():
    """A database filled before keeps whole hashes: the same terms under the same numbers, one by one and mixed."""
    counts = count("summary first 结论")
    hashes = np.sort(hash_terms(counts, SECRET)).astype("<u8")
    before, after = b"\x01" + hashes.tobytes() + bytes([1] * len(hashes)), pack(counts, SECRET)
    assert len(after) == 1 + 6 * len(counts) < len(before)
    for packs in ([before], [after], [after, before, after]):
        found, tfs, sizes = unpack(packs)
        assert set(found.tolist()) == set(term_hashes(counts, SECRET).tolist())
        assert (len(tfs), sizes.tolist()) == (len(packs) * len(counts), [len(counts)] * len(packs))


def test_an_empty_text_packs_to_nothing():
    hashes, tfs, _ = unpack([pack(count(""), SECRET)])
    assert len(hashes) == len(tfs) == 0


def test_a_very_frequent_term_is_counted_up_to_a_byte():
    _, tfs, _ = unpack([pack(count("echo " * 1000), SECRET)])
    assert tfs.tolist() == [255]


def test_no_word_stands_in_a_pack_and_another_secret_gives_other_bytes():
    counts = count("canarysentence conclusion 结论先行")
    packed = pack(counts, SECRET)
    for word in counts:
        assert word.encode() not in packed
    other = unpack([pack(counts, SECRET + b"!")])[0]
    assert not set(other.tolist()) & set(unpack([packed])[0].tolist())


def test_a_long_secret_is_used_whole():
    assert hash_terms(["a"], b"x" * 65).tolist() != hash_terms(["a"], b"x" * 66).tolist()


def test_terms_are_never_hashed_without_a_secret():
    with pytest.raises(ValueError, match="secret"):
        pack(count("anything"), b"")


@pytest.mark.parametrize("packed", [b"", b"\x03", b"\x01123", b"\x02123", b"\x00" * 10])
def test_other_bytes_are_not_taken_for_a_pack(packed):
    with pytest.raises(ValueError, match="pack"):
        unpack([packed])


def test_every_thread_stems_for_itself():
    words = ["conclusions", "summaries", "preferring", "tables"] * 50
    expected, found = terms(" ".join(words)), []
    threads = [threading.Thread(target=lambda: found.append(terms(" ".join(words)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


@pytest.mark.parametrize(
    "text", ["a" * 50_000, "aB" * 25_000, "1." * 25_000, "_" * 50_000, "结" * 50_000, "é" * 50_000]
)
def test_hostile_texts_take_no_more_than_their_length(text):
    assert len(terms(text)) <= 2 * len(text)


def test_the_bridge_leads_from_what_is_asked_to_what_is_written():
    assert "befor" in bridge.related("order")
    assert "中文" in bridge.related("languag")
    assert "languag" in bridge.related("语言")
    assert "order" not in bridge.related("befor")
    assert bridge.related("zanzibar") == ()


def test_every_word_of_the_bridge_is_a_term_and_no_longer_word_shrinks_to_a_character():
    lines = [*bridge.SAME, *(line for both in bridge.ABOUT for line in both)]
    for word in " ".join(lines).split():
        found = bridge.terms_of(word)
        assert found, word
        assert len(word) == 1 or all(len(term) > 1 for term in found), word


def test_texts_of_leaves_out_what_is_absent():
    assert terms(texts_of("Brief.", "tone")) == terms("Brief. tone")
    assert tokens.length(count("brief brief tone")) == 3
