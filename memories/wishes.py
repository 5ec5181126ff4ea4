"""What people do not want remembered, and when they want to be asked. Pure: the keyed digest is handed in.

A person may only be stricter than the policy: their wishes refuse and ask, they admit nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from memories import topics
from memories.policy import KindRule, Policy

PRIVATE_LIFE = "private_life"
"""The topic of what nobody may infer about a person; a person may refuse it also where it was said."""

LEVELS = ("inferred_only", "agent_writes", "always")
"""When the owner is asked before something is remembered, each stricter than the one before."""

MAX_PHRASE_WORDS = 8
MAX_DAYS = 3650
"""The longest that a person may say where the policy names no limit."""

# One Han or kana character is a word of its own, since nothing separates words there; an underscore separates.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A run of words that may not be remembered, known only by its keyed digest."""

    words: int
    digest: str


@dataclass(frozen=True, slots=True)
class Wishes:
    """The rules of the people whom a proposal is about. `agent_off`: one of them does not want the agent that proposes.
    `expiry_days`: by kind, after how many days a memory ends where no end is named. `digest` makes the digest of a run
    of words."""

    off: bool = False
    agent_off: bool = False
    confirm: str = LEVELS[0]
    expiry_days: Mapping[str, int] = field(default_factory=dict)
    kinds: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    phrases: frozenset[Phrase] = frozenset()
    digest: Callable[[str], str] = str

    def refuse(
        self, kind: str, key: str | None, texts: Iterable[str], policy: Policy, is_private: Callable[[str], bool]
    ) -> bool:
        """Whether a rule speaks against remembering this."""
        if not (self.kinds or self.topics or self.keys or self.phrases):
            return False
        texts = tuple(texts)
        rule, name = policy.kind(kind), topics.normalise_key(key or "")
        if (rule.name if rule else kind) in self.kinds:
            return True
        if any(topics.key_matches(name, pattern) for pattern in self.keys):
            return True
        return self._tell_of_a_topic(kind, key, texts, policy, is_private) or self.mention((key or "", *texts))

    def mention(self, texts: Iterable[str]) -> bool:
        """Whether one of the phrases stands in one of these texts, as whole words and in whatever case."""
        lengths = {phrase.words for phrase in self.phrases}
        return any(
            Phrase(length, self.digest(run)) in self.phrases
            for text in texts
            for length in lengths
            for run in runs(text, length)
        )

    def days_of(self, kind: KindRule) -> int | None:
        """After how many days a memory of this kind ends if no end is named: never later than the policy allows."""
        days = self.expiry_days.get(kind.name)
        return None if days is None else min(days, longest(kind))

    def stricter(self, level: str) -> str:
        """The stricter of the policy's level and the person's."""
        return max(level, self.confirm, key=LEVELS.index)

    def _tell_of_a_topic(
        self, kind: str, key: str | None, texts: tuple[str, ...], policy: Policy, is_private: Callable[[str], bool]
    ) -> bool:
        if not self.topics:
            return False
        if PRIVATE_LIFE in self.topics and any(is_private(text) for text in texts):
            return True
        told = policy.topic_of(kind, key, texts)
        about = {told.name} if told else set()
        about |= {topic.name for text in texts for topic in policy.topics_about(text)}
        return not about.isdisjoint(self.topics)


NONE = Wishes()


def longest(kind: KindRule) -> int:
    """How many days a person may let a memory of this kind stand."""
    return MAX_DAYS if kind.max_days is None else kind.max_days


def words(text: str) -> list[str]:
    """The words of a text in one spelling: case, width and punctuation make no difference."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def runs(text: str, length: int) -> Iterator[str]:
    """Every run of this many words of a text."""
    found = words(text)
    return (" ".join(found[start : start + length]) for start in range(len(found) - length + 1))
