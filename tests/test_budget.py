"""What a memory costs: an estimate that errs on the safe side."""

import pytest

from memories.budget import PER_ITEM, cost, estimate_tokens


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("Put the conclusion before the evidence.", 7, 14),
        ("先给结论，再给依据。", 7, 12),
        ("結論を先に書いてください。", 8, 14),
        ("결론을 먼저 써 주세요.", 6, 13),
        ('{"key": [1, 2, 3]}', 4, 12),
        ("👩‍👩‍👧‍👦", 4, 12),
        ("\ud800", 1, 3),
    ],
)
def test_an_estimate_is_near_and_not_low(text, least, most):
    assert least <= estimate_tokens(text) <= most


def test_more_text_never_costs_less():
    text = "先给结论, then the evidence: 「依据」… and so on. 🙂"
    costs = [estimate_tokens(text[:end]) for end in range(len(text) + 1)]
    assert costs == sorted(costs)


def test_an_item_costs_all_that_is_shown_of_it():
    bare = cost("Be brief.")
    assert bare == PER_ITEM + estimate_tokens("Be brief.")
    dearer = [
        cost("Be brief.", key="tone"),
        cost("Be brief.", value={"words": 50}),
        cost("Be brief.", conditions="in mails"),
        cost("Be brief.", labels=["explicit_user"]),
    ]
    assert all(one > bare for one in dearer)


def test_a_value_of_nothing_is_free_and_a_false_one_is_not():
    assert cost("x", value=None) == cost("x")
    assert cost("x", value=False) > cost("x")
