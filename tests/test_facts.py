"""What is noted of a memory for ranking: who, when, where in a thread, what kind of text; nothing readable."""

from datetime import date

import numpy as np
import pytest

from memories.search import facts, tokens
from memories.search.facts import Trait

SECRET = b"a secret of the tests"


def named(question: str, *people: str) -> set[str]:
    """Which of these people a question names."""
    speakers = [facts.pack_speaker(person, SECRET) for person in people]
    return {people[place] for place in facts.people_named(question, speakers, SECRET)}


@pytest.mark.parametrize(
    ("question", "people"),
    [
        ("What did Mary Example paint?", {"Mary Example"}),
        ("what did mary example's sister say", {"Mary Example"}),
        ("What did Mary paint?", {"Mary Example"}),
        ("What did Example say?", set()),  # two people share that word
        ("MARY and Will", {"Mary Example", "Will"}),
        ("will it rain", set()),
        ("Will it rain", set()),
        ("does Will paint", {"Will"}),
        ("小林什么时候搬家的", {"小林"}),
        ("林什么", set()),
        ("summary of Maryland", set()),
        ("", set()),
    ],
)
def test_a_person_is_named_by_a_name_that_is_theirs_alone(question, people):
    assert named(question, "Mary Example", "Tom Example", "Will", "小林", "") == people


@pytest.mark.parametrize(
    ("text", "traits"),
    [
        ("Where was it?", Trait.QUESTION),
        ("去年在哪里？", Trait.QUESTION | Trait.TIMED | Trait.CHINESE),
        ("It was last summer.", Trait.TIMED),
        ("That is so.", Trait(0)),
        ("ひらがな", Trait.CHINESE),
        ("한국어", Trait.CHINESE),
    ],
)
def test_the_kind_of_a_text_is_noted(text, traits):
    assert facts.traits_of(text) == traits


def test_what_was_said_is_found_by_speaker_and_day():
    said = {"speaker": "Zelda", "thread": "chat 7", "sequence": 3, "at": "2023-05-08T13:56:00+00:00"}
    found = facts.of("I moved here last year.", SECRET, key="move", said=said)
    hashes = set(tokens.unpack([found.terms])[0].tolist())
    wanted = tokens.term_hashes(["zelda", "@d8", "@m5", "@y2023", "@y2022", "move"], SECRET).tolist()
    assert set(wanted) <= hashes
    assert (found.sequence, found.said_on) == (3, date(2023, 5, 8))
    assert -(1 << 63) <= found.thread < 1 << 63


@pytest.mark.parametrize("said", [None, {}, {"at": "someday"}, {"at": None, "speaker": "", "thread": ""}, {"at": 7}])
def test_a_memory_of_which_no_more_is_known_has_no_thread_speaker_or_day(said):
    found = facts.of("Brief.", SECRET, said=said)
    assert (found.thread, found.speaker, found.said_on) == (None, b"", None)


def test_nothing_can_be_read_and_nothing_compared_across_namespaces():
    said = {"speaker": "Zelda", "thread": "zebra thread"}
    one, other = (facts.of("zanzibar", secret, key="zephyr", said=said) for secret in (SECRET, b"another"))
    for field in (one.terms, one.names, one.speaker):
        assert b"zanzibar" not in field
        assert b"elda" not in field
    assert one.thread != other.thread
    assert not set(np.frombuffer(one.speaker, "<u8")) & set(np.frombuffer(other.speaker, "<u8"))
