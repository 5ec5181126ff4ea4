"""Ranking by keywords: what counts, what leads, and what a probability of relevance means."""

import numpy as np
import pytest

from memories.search import rank, tokens


def ranked(query: str, *texts: str) -> rank.Ranking:
    """These texts as the eligible rows of one namespace, ranked for the query."""
    asked = rank.parse(query)
    bags = [tokens.count(text) for text in texts]
    postings = []
    for term in asked.lookups:
        rows = [number for number, bag in enumerate(bags) if term in bag]
        counts = [bags[number][term] for number in rows]
        postings.append(rank.Posting(np.array(rows, np.intp), np.array(counts, np.uint8)))
    lengths = np.array([tokens.length(bag) for bag in bags], np.float32)
    return rank.score(asked, postings, lengths, len(texts))


def order(query: str, *texts: str) -> list[int]:
    """The texts that matched, best first."""
    score = ranked(query, *texts).score
    return [int(at) for at in np.argsort(-score, kind="stable") if score[at] > 0]


FILLER = [f"An unrelated note about subject{number}." for number in range(40)]


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("quarterly charts", "Prefer charts for quarterly numbers.", "Prefer charts for numbers."),
        ("changelog", "The changelog: changelog entries are short.", "The changelog entries are written by people."),
        ("the hub", "The hub is down.", "LanternHub is down."),
        ("LanternHub", "LanternHub is down.", "The hub is down."),
        ("lantern hub", "LanternHub is down.", "The lamp is down."),
        ("lanternHub", "The lantern and its hub.", "The lamp and its cable."),
        ("changelog", "Short changelog.", "Short changelog " + "with words about other things " * 9),
        ("回答顺序", "回答的顺序由读者决定", "回复用表格"),
        ("报告格式", "报告格式用表格", "警告要报出来，格外注意式样"),
    ],
)
def test_the_better_match_comes_first(query, better, worse):
    assert order(query, *FILLER, worse, better)[0] == len(FILLER) + 1


def test_a_part_of_a_word_covers_little_of_a_question():
    said, held = ranked("the hub", *FILLER, "The hub is down.", "LanternHub is down.").covered[-2:]
    assert said == 1
    assert 0 < held < 0.5


def test_a_rare_word_counts_more_than_a_common_one():
    common = [f"Use a table for subject{number}." for number in range(30)]
    assert order("zanzibar table", *common, "About zanzibar.")[0] == len(common)


def test_scores_are_comparable_across_questions():
    """A full match scores about 1 for a short question as for a long one, and unknown words lower it."""
    texts = ("Put the conclusion before the evidence in weekly reports.", *FILLER)
    one, many = ranked("conclusion", *texts), ranked("conclusion evidence weekly reports", *texts)
    assert one.score[0] == pytest.approx(1, abs=0.25)
    assert many.score[0] == pytest.approx(1, abs=0.25)
    assert ranked("conclusion zanzibar quux", *texts).score[0] < 0.5 * one.score[0]


def test_the_bridge_finds_what_keywords_alone_would_miss():
    assert order("answer order", "Conclusion before evidence.", *FILLER) == [0]
    assert order("语言 language", "Reply in Chinese.", *FILLER) == [0]
    assert order("图表", "优先柱状图", *FILLER) == [0]


def test_the_bridge_never_outranks_a_word_that_was_asked_for():
    texts = ["First the conclusion, then the evidence, last the details, before all else.", "Sort order: by name."]
    assert order("order", *texts) == [1, 0]
    result = ranked("order", *texts)
    assert result.keyword[0] == 0
    assert 0 < result.bridge[0] <= result.keyword[1] / 2
    assert result.bridge[1] == 0


def test_a_related_word_that_is_everywhere_says_nothing():
    texts = [f"First note subject{number}." for number in range(40)]
    assert order("order", *texts) == []


def test_nothing_asked_or_nothing_there_ranks_nothing():
    assert order("", "Brief.") == []
    assert order("zxqv bnmtr", "Brief.") == []
    assert rank.score(rank.parse("brief"), [], np.zeros(0, np.float32), 0).score.size == 0


def test_relevance_is_zero_exactly_where_nothing_matched():
    result = ranked("weekly conclusion", "Weekly.", "Use tables.", "The conclusion.")
    assert (result.relevance > 0).tolist() == [True, False, True]
    assert np.all(result.relevance <= 1)


def test_a_full_match_is_probable_and_a_passing_one_is_not():
    texts = ["Put the conclusion before the evidence in weekly reports.", *FILLER]
    assert ranked(texts[0], *texts).relevance[0] > 0.9
    passing = ranked("which wine goes with the fish we bought before noon on subject7", *texts)
    assert passing.relevance.max() < 0.2


def test_the_same_words_are_less_probable_among_more_rows_that_hold_them():
    few, many = (["Use a table."] * n + FILLER for n in (1, 20))
    assert ranked("table", *few).relevance[0] > 2 * ranked("table", *many).relevance[0]


def test_a_row_behind_a_clearly_better_one_is_less_relevant_than_alone():
    alone = ranked("weekly conclusion", "Weekly.", *FILLER).relevance[0]
    behind = ranked("weekly conclusion", "Weekly.", "Weekly conclusion.", *FILLER[1:]).relevance[0]
    assert behind < alone


@pytest.mark.parametrize("query", ["请帮我预订明天去上海的机票", "这首歌的作者是谁呢", "今天天气怎么样适合出门吗"])
def test_one_shared_character_is_not_relevance(query):
    """Under the most generous cutoff (0.01): such a match is an accident of the script."""
    texts = ["作业先列大纲", "上级要先看摘要", "明细放附录", "气氛要轻松"]
    assert ranked(query, *texts).relevance.max() < 0.01


def test_half_of_a_short_question_may_be_relevant():
    assert ranked("语调", "语气正式").relevance[0] >= 0.01


def test_the_question_is_measured_in_rows_the_caller_may_see():
    """Rows with length 0 are not eligible and count for nothing."""
    asked = rank.parse("table")
    posting = [rank.Posting(np.array([0]), np.array([1], np.uint8))]
    posting += [rank.Posting(np.zeros(0, np.intp), np.zeros(0, np.uint8))] * (len(asked.lookups) - 1)
    small = rank.score(asked, posting, np.array([3, 4], np.float32), 2)
    padded = rank.score(asked, posting, np.array([3, 4, 0, 0, 0], np.float32), 2)
    assert padded.score[:2] == pytest.approx(small.score)
    assert padded.relevance[:2] == pytest.approx(small.relevance)
