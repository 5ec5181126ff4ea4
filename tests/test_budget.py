"""What a memory costs: an estimate that errs on the safe side."""

import pytest

from memories.budget import estimate_tokens


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("a", 1, 2),
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


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The old printer only works with a cable, so bring one along to the meeting.", 17),
        ('{"words":120,"language":"en","on":true}', 13),
        ("def total(rows):\n    return sum(row.price for row in rows)", 14),
        ("0193a7c2-1111-7abc-9def-0123456789ab", 21),
    ],
)
def test_english_code_and_ids_cost_about_what_a_tokenizer_counts(text, tokens):
    """R-186: the second figure is that of o200k."""
    assert tokens <= estimate_tokens(text) <= 1.25 * tokens
