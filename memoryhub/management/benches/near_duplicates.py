"""How many of 30 pairs the finder of near-duplicates finds among 200 entries, and how many it makes up."""

from __future__ import annotations

import uuid

from rich.console import Console

from memories import embeddings, similar
from memories.indexing import text_of
from memories.search import facts, tokens
from memories.similar import Pair, Sample
from memoryhub.management.benches.playbook_entries import Entry, entries

LEAST_FOUND, MOST_FALSE = 28, 3


def compare() -> tuple[list[Entry], list[Pair]]:
    """The entries, and the pairs that are found among them with the embedder in use; by words where there is none."""
    playbook = entries()
    embedder = embeddings.active()
    texts = [text_of(one.title, "", one.when, {}) for one in playbook]
    vectors = list(embedder.documents(texts)) if embedder else [None] * len(texts)
    samples = [
        Sample(
            uuid.uuid4(), tokens.count(tokens.texts_of(one.title, "", one.when)), vector, facts.is_chinese(one.title)
        )
        for one, vector in zip(playbook, vectors, strict=True)
    ]
    return playbook, similar.pairs(samples, embeddings.means(embedder.name) if embedder else None)


def run(console: Console) -> bool:
    """Print what was found, missed and made up; whether it is as good as it should be."""
    playbook, found = compare()
    numbers = sorted({one.pair for one in playbook if one.pair is not None})
    right = {playbook[pair.one].pair for pair in found if _is_right(playbook, pair)}
    wrong = [pair for pair in found if not _is_right(playbook, pair)]
    console.print(f"{len(playbook)} entries, {len(numbers)} pairs; embedder {_name()}")
    console.print(f"found {len(right)}, missed {len(numbers) - len(right)}, false {len(wrong)}")
    for number in (number for number in numbers if number not in right):
        one, other = (entry.title for entry in playbook if entry.pair == number)
        console.print(f"  missed: {one} | {other}")
    for pair in wrong:
        titles = f"{playbook[pair.one].title} | {playbook[pair.other].title}"
        console.print(f"  false ({pair.by} {pair.likeness:.2f}): {titles}")
    return len(right) >= LEAST_FOUND and len(wrong) <= MOST_FALSE


def _is_right(playbook: list[Entry], pair: Pair) -> bool:
    one, other = playbook[pair.one].pair, playbook[pair.other].pair
    return one is not None and one == other


def _name() -> str:
    embedder = embeddings.active()
    return embedder.name if embedder else "none"
