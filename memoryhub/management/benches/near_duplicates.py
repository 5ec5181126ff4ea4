"""How many of 30 pairs the finder of near-duplicates finds among 200 entries, and how many it makes up.

Measured on the playbook by which the margin was chosen, and on two that had no part in that.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from rich.console import Console

from memories import embeddings, similar
from memories.indexing import text_of
from memories.search import facts, tokens
from memories.similar import Pair, Sample
from memoryhub.management.benches import playbook_entries, third_entries, unseen_entries
from memoryhub.management.benches.playbook_entries import Entry

LEAST_FOUND, MOST_FALSE = 28, 3


def compare(playbook: Sequence[Entry]) -> list[Pair]:
    """The pairs that are found among the entries with the embedder in use; by words where there is none."""
    embedder = embeddings.active()
    texts = [text_of(one.title, "", one.when, {}) for one in playbook]
    vectors = list(embedder.documents(texts)) if embedder else [None] * len(texts)
    words = [tokens.texts_of(one.title, "", one.when) for one in playbook]
    samples = [
        Sample(uuid.uuid4(), tokens.count(text), vector, facts.is_chinese(one.title), similar.marks(text))
        for one, vector, text in zip(playbook, vectors, words, strict=True)
    ]
    return similar.pairs(samples, embeddings.means(embedder.name) if embedder else None)


def run(console: Console) -> bool:
    """Print what was found, missed and made up in each; whether the first is as good as it should be."""
    console.print(f"embedder {_name()}")
    is_good = _print(console, "the playbook the margin was chosen by", playbook_entries.entries())
    _print(console, "a playbook the margin was not chosen by", unseen_entries.entries())
    _print(
        console, "a playbook of the same work elsewhere, with other numbers, or not to be done", third_entries.entries()
    )
    return is_good


def _print(console: Console, name: str, playbook: list[Entry]) -> bool:
    found = compare(playbook)
    numbers = {one.pair for one in playbook if one.pair is not None}
    right = {playbook[pair.one].pair for pair in found if _is_right(playbook, pair)}
    sure = {playbook[pair.one].pair for pair in found if pair.sure and _is_right(playbook, pair)}
    wrong = [pair for pair in found if not _is_right(playbook, pair)]
    made_up = sum(pair.sure for pair in wrong)
    console.print(f"{name}: {len(playbook)} entries, {len(numbers)} pairs")
    console.print(f"  said to be the same: found {len(sure)}, false {made_up}")
    console.print(f"  with those that perhaps are: found {len(right)}, false {len(wrong)}")
    for number in sorted(numbers - right):
        one, other = (entry.title for entry in playbook if entry.pair == number)
        console.print(f"  missed: {one} | {other}")
    for pair in wrong:
        titles = f"{playbook[pair.one].title} | {playbook[pair.other].title}"
        console.print(f"  false ({pair.by if pair.sure else 'perhaps'} {pair.likeness:.2f}): {titles}")
    return len(sure) >= LEAST_FOUND and made_up <= MOST_FALSE


def _is_right(playbook: list[Entry], pair: Pair) -> bool:
    one, other = playbook[pair.one].pair, playbook[pair.other].pair
    return one is not None and one == other


def _name() -> str:
    embedder = embeddings.active()
    return embedder.name if embedder else "none"
