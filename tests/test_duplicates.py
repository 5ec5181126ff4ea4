"""Near-duplicates of the playbook: by words and by meaning, among what a person may see."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cast import AGENT, TEAM, Company, in_months, text_of, word

from memories import similar
from memories.models import Candidate
from memories.playbook import duplicates
from memories.search import tokens
from memories.similar import Sample
from memories.vectors import Means, unit
from memoryhub.management.benches import playbook_entries, third_entries, unseen_entries
from memoryhub.management.benches.playbook_entries import Entry

WIDE = 400
CHANCE = np.random.default_rng(5)
MEANS = Means("made_up", {language: np.zeros(WIDE, np.float32) for language in ("en", "zh")}, {})


def sample(text: str, vector: Any = None, *, chinese: bool = False) -> Sample:
    return Sample(uuid.uuid4(), tokens.count(text), vector, chinese, similar.marks(text))


def pointing(*towards: Any) -> Any:
    return unit(sum(towards) + CHANCE.normal(0, 0.02, WIDE))


def test_what_lies_together_in_a_crowd_is_no_duplicate_and_a_pair_apart_is() -> None:
    """A form that many sentences share makes them near; only two that are nearer than their others say the same."""
    form, topics = CHANCE.normal(0, 1, WIDE), CHANCE.normal(0, 1, (20, WIDE))
    crowd = [sample(word(), pointing(form * 2, topic)) for topic in topics]
    meaning = CHANCE.normal(0, 1, WIDE)
    pair = [sample(word(), pointing(meaning)), sample(word(), pointing(meaning), chinese=True)]
    (found,) = similar.pairs([*crowd, *pair], MEANS)
    assert (found.one, found.other, found.by) == (20, 21, "meaning")
    assert similar.pairs([*crowd, *pair], None) == []
    assert similar.pairs([], MEANS) == similar.pairs([pair[0]], MEANS) == []


def test_a_form_that_many_fill_in_makes_no_duplicates_by_words_and_a_copy_does() -> None:
    form = "Order more {} as soon as a third of it is left in the store"
    crowd = [sample(form.format(thing)) for thing in ("clay", "hops", "sand", "paper", "diesel", "sugar")]
    others = [sample(word()) for _ in range(20)]
    assert len(similar.pairs([*crowd[:2], *others], None)) == 1
    assert similar.pairs([*crowd, *others], None) == []
    (found,) = similar.pairs([*crowd, crowd[0], *others], None)
    assert (found.one, found.other, found.by) == (0, 6, "words")


@pytest.mark.parametrize(("cosine", "sure"), [(0.5, [True]), (0.14, [False]), (0.05, [])])
def test_a_smaller_margin_is_said_to_be_perhaps_the_same(cosine: float, sure: list[bool]) -> None:
    axes = np.eye(WIDE)
    pair = [sample(word(), unit(axes[0] * cosine**0.5 + axes[at] * (1 - cosine) ** 0.5)) for at in (1, 2)]
    others = [sample(word(), unit(axis)) for axis in axes[3:30]]
    assert [one.sure for one in similar.pairs([*pair, *others], MEANS)] == sure


@pytest.mark.parametrize(
    ("one", "other", "sure"),
    [
        ("Keep the ledger for 90 days", "Keep the ledger for 90 days at least", True),
        ("Keep the ledger for 90 days", "Keep the ledger for 30 days", False),
        ("Keep the ledger for 90 days", "Keep the ledger, by 2 people, for 90 days", True),
        ("Restart the relay in production after a call", "Restart the relay in staging after a call", False),
        ("重启生产环境的网关之前先打电话", "重启测试环境的网关之前先打电话", False),
        ("Restart the relay in production after a call", "Restart the relay after a call", True),
    ],
)
def test_other_numbers_or_another_environment_are_perhaps_the_same(one: str, other: str, sure: bool) -> None:
    """What each names alone keeps two apart; what one of them adds does not."""
    meaning = CHANCE.normal(0, 1, WIDE)
    pair = [sample(text, pointing(meaning)) for text in (one, other)]
    others = [sample(word(), pointing(CHANCE.normal(0, 1, WIDE))) for _ in range(20)]
    (found,) = similar.pairs([*pair, *others], MEANS)
    assert (found.one, found.other, found.sure) == (0, 1, sure)


@pytest.mark.parametrize("entries", [playbook_entries.entries, unseen_entries.entries, third_entries.entries])
def test_the_playbooks_of_the_benchmark_are_200_entries_with_30_pairs(entries: Callable[[], list[Entry]]) -> None:
    playbook = entries()
    numbers = [one.pair for one in playbook if one.pair is not None]
    assert (len(playbook), len(numbers), len({*numbers})) == (200, 60, 30)
    assert len({one.title for one in playbook}) == 200


def test_a_copy_with_small_changes_is_shown_to_those_who_see_both(acme: Company, beta: Company) -> None:
    mark = word()
    text = f"Open the {mark} ticket, read the newest receipt and compare its amount with the order"
    given = {"kind": "procedure", "namespace": TEAM, "valid_until": in_months(), "evidence": "review"}
    one = acme.alice.store(f"{text}.", **given)
    other = acme.alice.store(f"{text} twice.", **{**given, "namespace": AGENT})
    acme.alice.store(f"Tell the {mark} manager when a parcel was lost on its way.", **given)
    page = text_of(acme.person("rita").client.get("/playbook/duplicates/"))
    assert one["memory_id"] in page
    assert other["memory_id"] in page
    for stranger in (acme.person("alice"), acme.person("paul"), beta.person("rita")):
        assert mark not in text_of(stranger.client.get("/playbook/duplicates/"))


@pytest.mark.parametrize("changed", [True, False])
def test_a_reviewer_learns_which_entry_a_candidate_repeats(acme: Company, changed: bool) -> None:
    mark = word()
    text = f"Open the {mark} ticket, read the newest receipt and compare its amount with the order"
    given = {"kind": "procedure", "namespace": TEAM, "valid_until": in_months()}
    entry = acme.alice.store(f"{text}.", key="check", evidence="review", **given)
    acme.alice.propose(f"{text} twice.", key="other_check" if changed else "check", **given)
    with acme.entered():
        found = duplicates.of_candidate(acme.principal("rita"), Candidate.objects.get())
        assert [str(one.entry.pk) for one in found] == ([entry["memory_id"]] if changed else [])
        assert duplicates.of_candidate(acme.principal("paul"), Candidate.objects.get()) == []
        waiting = Candidate.objects.get().pk
    page = text_of(acme.person("rita").client.get(f"/reviews/{waiting}/"))
    assert ("Entries that seem to say the same" in page) == changed
