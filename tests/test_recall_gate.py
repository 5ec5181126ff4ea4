"""The recall gate: what comes back, in which order, and why the others lost."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.recall_gate import (
    Anchors,
    Cutoff,
    Eligible,
    Instruction,
    Loss,
    Mode,
    Omitted,
    RecallWeights,
    Searched,
    Selection,
    Status,
    contenders,
    select,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = timedelta(days=1)
WEIGHTS = RecallWeights()


def memory(number: int, **fields: object) -> Eligible:
    """A preference that matched well and was confirmed ten days ago."""
    defaults = {
        "memory_id": UUID(int=number),
        "kind": "preference",
        "key": f"key_{number}",
        "statement": "Put the conclusion first.",
        "value": None,
        "conditions": None,
        "evidence_class": "explicit_user",
        "version": 1,
        "confirmed_at": NOW - 10 * DAY,
        "valid_until": None,
        "score": 0.8,
        "scores": {"keyword": 0.8, "semantic": 0.0},
        "relevance": 0.6,
        "tokens": 20,
    }
    return Eligible(**(defaults | fields))  # type: ignore[arg-type]


def gate(*memories: Eligible, **fields: object) -> Selection:
    asked = {"limit": 10, "token_budget": None, "now": NOW, "anchors": Anchors(), "policy": WEIGHTS}
    return select(memories, **(asked | fields))  # type: ignore[arg-type]


def numbers(selection: Selection) -> list[int]:
    return [item.memory.memory_id.int for item in selection.items]


def lost(selection: Selection) -> tuple[tuple[UUID, Loss], ...]:
    return tuple((one.memory.memory_id, why) for one, why in selection.losers)


def said(key: str, kind: str = "preference") -> Anchors:
    return Anchors((Instruction(kind, key, "Put the evidence first."),))


# who can still win


@given(
    found=st.lists(
        st.tuples(
            st.floats(0, 1.5, allow_nan=False),
            st.integers(0, 2),
            st.sampled_from(["explicit_user", "tool_output"]),
            st.integers(0, 400),
            st.integers(1, 9),
        ),
        max_size=60,
    ),
    limit=st.integers(1, 12),
)
def test_reading_only_contenders_changes_no_answer(found, limit):
    """Nothing that authority, freshness or version could have lifted into the answer is left unread."""
    hits = [
        memory(
            n,
            score=round(score, 6),
            named=named,
            evidence_class=evidence,
            confirmed_at=NOW - age * DAY,
            version=version,
        )
        for n, (score, named, evidence, age, version) in enumerate(found, 1)
    ]
    hits.sort(key=lambda hit: (-hit.named, -hit.score, hit.memory_id))
    chosen = contenders(hits, limit, WEIGHTS, NOW)
    assert numbers(gate(*chosen, limit=limit)) == numbers(gate(*hits, limit=limit))


def test_what_is_clearly_behind_is_not_read():
    hits = [memory(n, score=1 - n / 10_000) for n in range(1, 60)]
    assert numbers(gate(*contenders(hits, 10, WEIGHTS, NOW), limit=10)) == numbers(gate(*hits, limit=10))
    assert len(contenders(hits, 10, WEIGHTS, NOW)) < 20


# relevance


@pytest.mark.parametrize(
    ("mode", "kept"),
    [(Mode.GENEROUS, [1, 2, 3, 4]), (Mode.BALANCED, [1, 2]), (Mode.PRECISE, [1]), ("precise", [1])],
)
def test_the_mode_sets_how_sure_an_item_must_be(mode, kept):
    relevances = enumerate((0.8, 0.35, 0.3, 0.02, 0.005), 1)
    found = gate(*(memory(n, relevance=p, score=p) for n, p in relevances), mode=mode)
    assert numbers(found) == kept
    assert found.omitted.below_threshold == 5 - len(kept)


def test_a_floor_holds_even_for_the_best():
    assert gate(memory(1, relevance=0.09), mode=Mode.PRECISE).status == Status.NOTHING_RELEVANT
    assert numbers(gate(memory(1, relevance=0.09), mode=Mode.BALANCED)) == [1]


def test_a_min_score_is_compared_with_the_score_that_is_returned():
    [item] = gate(memory(1)).items
    assert numbers(gate(memory(1), min_score=item.score)) == [1]
    above = gate(memory(1), min_score=item.score + 1e-6)
    assert (above.status, above.items, above.confidence) == (Status.NOTHING_RELEVANT, (), 0.0)
    assert above.omitted == Omitted(below_threshold=1)
    assert lost(above) == ((UUID(int=1), Loss.BELOW_THRESHOLD),)


def test_nothing_eligible_is_nothing_relevant():
    found = gate()
    assert (found.status, found.confidence, found.items, found.omitted) == (
        Status.NOTHING_RELEVANT,
        0.0,
        (),
        Omitted(),
    )


@pytest.mark.parametrize(
    ("relevances", "status"), [([0.9], "ok"), ([0.3, 0.3], "ok"), ([0.1], "weak"), ([0.02], "weak")]
)
def test_little_confidence_is_weak_and_still_returns_its_items(relevances, status):
    found = gate(*(memory(n, relevance=p) for n, p in enumerate(relevances, 1)))
    assert found.status == status
    assert len(found.items) == len(relevances)
    assert (found.confidence >= 0.5) is (status == "ok")


def test_more_relevant_items_make_more_confidence_and_it_is_a_probability():
    confidences = [gate(*(memory(n, relevance=0.2) for n in range(1, k))).confidence for k in range(1, 9)]
    assert confidences == sorted(confidences)
    assert confidences[0] == 0
    assert gate(memory(1, relevance=1.0)).confidence == 1


# anchors


def test_a_current_instruction_overrides_the_memory_of_its_kind_and_key():
    found = gate(memory(1, key="answer_order"), anchors=said("answer_order"))
    assert (found.status, found.items) == (Status.OVERRIDDEN, ())
    assert found.omitted == Omitted(overridden=1)
    assert lost(found) == ((UUID(int=1), Loss.OVERRIDDEN),)


@pytest.mark.parametrize("anchors", [said("answer_tone"), said("answer_order", "procedure"), said("answer"), Anchors()])
def test_an_instruction_about_something_else_overrides_nothing(anchors):
    assert numbers(gate(memory(1, key="answer_order"), anchors=anchors)) == [1]


def test_case_and_width_of_a_key_do_not_save_a_memory_from_an_instruction():
    assert gate(memory(1, key="answer_order"), anchors=said("Ａnswer_Order ")).status == Status.OVERRIDDEN


def test_others_stand_beside_an_overridden_one():
    found = gate(memory(1, key="answer_order"), memory(2), anchors=said("answer_order"))
    assert (found.status, numbers(found), found.omitted.overridden) == (Status.OK, [2], 1)


def test_an_irrelevant_memory_is_not_counted_as_overridden():
    found = gate(memory(1, key="answer_order", relevance=0.001), anchors=said("answer_order"))
    assert (found.status, found.omitted) == (Status.NOTHING_RELEVANT, Omitted(below_threshold=1))


def test_a_memory_yields_to_the_system_that_answers_for_its_key():
    found = gate(memory(1, key="refund_status"), memory(2), anchors=Anchors(sources=("refund_status",)))
    assert (numbers(found), found.omitted.overridden) == ([2], 1)


# order


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"score": 0.9}, {"score": 0.8, "evidence_class": "explicit_user", "confirmed_at": NOW, "version": 9}),
        ({}, {"evidence_class": "verified_reviewer"}),
        ({"kind": "lesson", "evidence_class": "verified_reviewer"}, {"kind": "lesson"}),
        ({"evidence_class": "verified_reviewer"}, {"evidence_class": "tool_output", "confirmed_at": NOW}),
        (
            {"confirmed_at": NOW - 900 * DAY},
            {"evidence_class": "verified_reviewer", "confirmed_at": NOW, "version": 99},
        ),
        ({"confirmed_at": NOW - DAY}, {"confirmed_at": NOW - 90 * DAY}),
        ({"version": 2}, {"version": 1}),
    ],
)
def test_match_then_authority_then_freshness_then_version(better, worse):
    """R-172, R-187: among equals in match the greater authority wins over the more recent."""
    first, second = memory(2, **better), memory(1, **worse)
    assert numbers(gate(second, first)) == [2, 1]
    assert numbers(gate(first, second)) == [2, 1]


def test_ties_are_settled_by_id():
    assert numbers(gate(memory(3), memory(1), memory(2))) == [1, 2, 3]


def test_the_parts_of_a_score_add_up():
    [item] = gate(memory(1, version=4)).items
    assert set(item.scores) == {"keyword", "semantic", "authority", "freshness", "version"}
    assert item.score == pytest.approx(sum(item.scores.values()))


def test_without_a_question_authority_and_confirmation_decide():
    """A blank query scores nothing, so the order is exact and not a matter of weights."""
    blank = {"score": 0.0, "scores": {"keyword": 0.0, "semantic": 0.0}, "relevance": 1.0}
    found = gate(
        memory(1, evidence_class="verified_reviewer", confirmed_at=NOW, **blank),
        memory(2, confirmed_at=NOW - 2 * DAY, version=50, **blank),
        memory(3, confirmed_at=NOW - 2 * DAY + timedelta(seconds=1), **blank),
    )
    assert numbers(found) == [3, 2, 1]
    assert found.status == Status.OK


def test_a_confirmation_in_the_future_counts_as_fresh_and_no_more():
    ahead, now = (gate(memory(1, confirmed_at=moment)).items[0].score for moment in (NOW + 400 * DAY, NOW))
    assert ahead == now


# limit and budget


def test_the_limit_takes_the_best_and_counts_nothing_lost():
    found = gate(*(memory(n, score=1 - n / 10) for n in range(1, 6)), limit=2)
    assert numbers(found) == [1, 2]
    assert found.omitted == Omitted()
    assert [why for _, why in found.losers] == [Loss.OVER_LIMIT] * 3


@pytest.mark.parametrize(
    ("budget", "kept"), [(None, [1, 2, 3]), (60, [1, 2, 3]), (59, [1, 2]), (20, [1]), (19, []), (0, [])]
)
def test_the_budget_is_kept_and_the_rest_counted(budget, kept):
    found = gate(*(memory(n) for n in range(1, 4)), token_budget=budget)
    assert numbers(found) == kept
    assert found.tokens_used == 20 * len(kept)
    assert found.omitted == Omitted(over_budget=3 - len(kept))


def test_one_oversized_item_is_passed_over_and_does_not_empty_the_answer():
    found = gate(memory(1, tokens=5000, score=0.9), memory(2), memory(3), token_budget=45)
    assert numbers(found) == [2, 3]
    assert lost(found) == ((UUID(int=1), Loss.OVER_BUDGET),)


def test_only_what_the_budget_kept_out_is_counted_against_it():
    """Not what the limit, the instruction or the cutoff would have left out anyway."""
    found = gate(
        *(memory(n, score=1 - n / 10) for n in range(1, 6)),
        memory(6, key="said"),
        memory(7, relevance=0.001),
        limit=3,
        token_budget=40,
        anchors=said("said"),
    )
    assert numbers(found) == [1, 2]
    assert found.omitted == Omitted(over_budget=1, overridden=1, below_threshold=1)


def test_a_budget_too_small_for_anything_is_not_told_as_nothing_relevant():
    found = gate(memory(1), token_budget=5)
    assert (found.status, found.items, found.omitted.over_budget) == (Status.WEAK, (), 1)


eligible = st.builds(
    memory,
    st.integers(1, 10**9),
    key=st.sampled_from(["tone", "order", "units"]),
    kind=st.sampled_from(["preference", "procedure"]),
    evidence_class=st.sampled_from(["explicit_user", "verified_reviewer", "tool_output"]),
    version=st.integers(1, 50),
    confirmed_at=st.integers(-900, 900).map(lambda days: NOW + days * DAY),
    score=st.floats(0, 2),
    relevance=st.floats(0, 1),
    tokens=st.integers(1, 300),
)


@given(
    st.lists(eligible, max_size=25, unique_by=lambda one: one.memory_id),
    st.integers(1, 12),
    st.none() | st.integers(0, 600),
    st.sampled_from(list(Mode)),
    st.none() | st.floats(0, 2),
)
def test_every_answer_keeps_its_promises(memories, limit, budget, mode, min_score):
    anchors = said("tone")
    found = gate(*memories, limit=limit, token_budget=budget, mode=mode, min_score=min_score, anchors=anchors)
    items, scores = found.items, [item.score for item in found.items]
    assert len(items) <= limit
    assert found.tokens_used == sum(item.memory.tokens for item in items)
    assert budget is None or found.tokens_used <= budget
    assert scores == sorted(scores, reverse=True)
    assert min_score is None or all(score >= min_score for score in scores)
    assert not any((item.memory.kind, item.memory.key) == ("preference", "tone") for item in items)
    losing = [memory_id for memory_id, _ in lost(found)]
    assert sorted([item.memory.memory_id for item in items] + losing) == sorted(one.memory_id for one in memories)
    assert 0 <= found.confidence <= 1
    assert (not items) or found.status in (Status.OK, Status.WEAK)
    again = gate(*reversed(memories), limit=limit, token_budget=budget, mode=mode, min_score=min_score, anchors=anchors)
    assert again.items == items


def test_the_policy_sets_weights_order_and_cutoffs():
    first_reviewed = replace(WEIGHTS, authority_order={"preference": ("verified_reviewer", "explicit_user")})
    pair = (memory(1), memory(2, evidence_class="verified_reviewer"))
    assert numbers(gate(*pair)) == [1, 2]
    assert numbers(gate(*pair, policy=first_reviewed)) == [2, 1]
    strict = replace(WEIGHTS, cutoffs={Mode.GENEROUS: Cutoff(0.7, 0.0)})
    assert numbers(gate(*pair, policy=strict)) == []


# what the search says of the whole


def found(eligible: int, confidence: float | None, **fields: object) -> Searched:
    return Searched(eligible, confidence, **fields)  # type: ignore[arg-type]


def test_a_generous_answer_is_filled_up_where_there_are_enough_rows():
    """As many rows as an exhaustive scan would return, however little they are worth."""
    weak = [memory(n, relevance=0.001, score=1 / n) for n in range(1, 13)]
    assert numbers(gate(*weak, searched=found(12, 0.6))) == list(range(1, 11))
    assert numbers(gate(*weak, searched=found(12, 0.6), mode=Mode.BALANCED)) == []
    assert numbers(gate(*weak, searched=found(12, 0.6), min_score=0.5)) == [1, 2]


@pytest.mark.parametrize(
    ("confidence", "status"), [(0.1, Status.NOTHING_RELEVANT), (0.3, Status.WEAK), (0.7, Status.OK)]
)
def test_a_filled_answer_says_what_it_is_worth(confidence, status):
    answer = gate(*(memory(n, relevance=0.01) for n in range(1, 13)), searched=found(12, confidence))
    assert (answer.status, answer.confidence, len(answer.items)) == (status, confidence, 10)


@pytest.mark.parametrize(("relevance", "status"), [(0.005, Status.NOTHING_RELEVANT), (0.02, Status.WEAK)])
def test_a_filled_answer_of_words_alone_is_nothing_where_no_item_would_stand(relevance, status):
    answer = gate(*(memory(n, relevance=relevance) for n in range(1, 4)), searched=found(12, None))
    assert (answer.status, len(answer.items)) == (status, 3)


@pytest.mark.parametrize(
    ("confidence", "eligible", "kept"), [(0.1, 12, [1]), (0.5, 12, [1, 2]), (0.1, 3, [1, 2]), (None, 12, [1, 2])]
)
def test_where_hardly_anything_speaks_for_an_answer_a_precise_item_must_speak_for_itself(confidence, eligible, kept):
    rows = [memory(1, relevance=0.25), memory(2, relevance=0.17)]
    assert numbers(gate(*rows, searched=found(eligible, confidence), mode=Mode.PRECISE)) == kept


def test_among_few_rows_the_nearest_is_none_by_that_alone():
    few = [memory(1, relevance=0.025), memory(2, relevance=0.02)]
    assert gate(*few, searched=found(2, 0.01)).status == Status.NOTHING_RELEVANT
    assert gate(*few, searched=found(2, 0.01)).items == ()
    assert gate(memory(1, relevance=0.05), searched=found(1, 0.01)).status == Status.WEAK


def test_confidence_is_never_less_than_that_of_the_best_item():
    assert gate(memory(1, relevance=0.6), searched=found(3, 0.2)).confidence == 0.6


def test_what_was_asked_for_by_name_comes_first_and_always():
    rows = [memory(1, relevance=0.9, score=0.9), memory(2, relevance=0.001, score=0.1, named=1)]
    answer = gate(*rows, memory(3, relevance=0.001, score=0.05, named=2), mode=Mode.PRECISE)
    assert numbers(answer) == [3, 2, 1]
    assert [item.score for item in answer.items] == sorted((item.score for item in answer.items), reverse=True)


@pytest.mark.parametrize("items", [[], [memory(1)]])
def test_without_its_embedder_an_answer_is_degraded_not_empty_of_meaning(items):
    answer = gate(*items, searched=found(1, None, degraded=True))
    assert answer.status == Status.DEGRADED
    assert numbers(answer) == [item.memory_id.int for item in items]
