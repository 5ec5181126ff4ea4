"""What differs between two procedures, step by step. Plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from enum import StrEnum

from memories.procedures import Procedure, read

ALIKE = 0.6
"""From this share of common characters on, another wording is an edit and not another step."""


class Change(StrEnum):
    """What became of one entry of a list."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    EDITED = "edited"


@dataclass(frozen=True, slots=True)
class Wording:
    """Everything of a procedure that may differ between two versions."""

    title: str
    when: str = ""
    parts: Procedure = Procedure(())
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One step or stop condition: its numbers from 1 and its words before and after; None where it is not."""

    change: Change
    old_number: int | None = None
    new_number: int | None = None
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A part outside the lists that differs: `title`, `when`, `applies_to`, `owner` or `valid_until`."""

    field: str
    before: str | datetime | None
    after: str | datetime | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Steps and stop conditions in the order of the newer version, those that are gone where they stood."""

    fields: tuple[FieldChange, ...]
    steps: tuple[EntryChange, ...]
    stop_conditions: tuple[EntryChange, ...]

    @property
    def differs(self) -> bool:
        entries = (*self.steps, *self.stop_conditions)
        return bool(self.fields) or any(one.change is not Change.SAME for one in entries)


def wording(statement: str | None, value: object, conditions: str | None, valid_until: datetime | None) -> Wording:
    """The procedure that a memory or candidate tells; a plain sentence is one without steps."""
    return Wording(statement or "", conditions or "", read(value) or Procedure(()), valid_until)


def compare(old: Wording, new: Wording) -> Comparison:
    """What one would see changed who knew `old` and reads `new`."""
    pairs = (
        ("title", old.title, new.title),
        ("when", old.when, new.when),
        ("applies_to", old.parts.applies_to, new.parts.applies_to),
        ("owner", old.parts.owner, new.parts.owner),
        ("valid_until", old.valid_until, new.valid_until),
    )
    return Comparison(
        tuple(FieldChange(name, before, after) for name, before, after in pairs if before != after),
        entries(old.parts.steps, new.parts.steps),
        entries(old.parts.stop_conditions, new.parts.stop_conditions),
    )


def entries(old: Sequence[str], new: Sequence[str]) -> tuple[EntryChange, ...]:
    """What became of each entry. Each entry of either list stands in exactly one change."""
    kept = _in_order(old, new)
    paired = dict(kept)
    spare_old = [at for at in range(len(old)) if at not in paired]
    spare_new = [at for at in range(len(new)) if at not in set(paired.values())]
    for before, after in [*_moved(old, new, spare_old, spare_new), *_edited(old, new, spare_old, spare_new)]:
        paired[before] = after
    changes = [_changed(old, new, before, after, before in kept) for before, after in paired.items()]
    changes += [
        EntryChange(Change.ADDED, new_number=at + 1, after=text)
        for at, text in enumerate(new)
        if at not in set(paired.values())
    ]
    changes.sort(key=lambda one: one.new_number or 0)
    for at in (at for at in range(len(old)) if at not in paired):
        gone = EntryChange(Change.REMOVED, old_number=at + 1, before=old[at])
        changes.insert(_place(changes, at), gone)
    return tuple(changes)


def _in_order(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The entries that say the same and stand in the same order, as positions before and after."""
    matcher = SequenceMatcher(None, [_plain(one) for one in old], [_plain(one) for one in new], autojunk=False)
    return {block.a + step: block.b + step for block in matcher.get_matching_blocks() for step in range(block.size)}


def _moved(old: Sequence[str], new: Sequence[str], spare_old: list[int], spare_new: list[int]) -> list[tuple[int, int]]:
    """The entries that say the same elsewhere; takes them out of those to spare."""
    found = []
    for before in list(spare_old):
        after = next((at for at in spare_new if _plain(new[at]) == _plain(old[before])), None)
        if after is not None:
            found.append((before, after))
            spare_old.remove(before)
            spare_new.remove(after)
    return found


def _edited(
    old: Sequence[str], new: Sequence[str], spare_old: list[int], spare_new: list[int]
) -> list[tuple[int, int]]:
    """The most alike pairs of what is left, the nearest first among equals."""
    rated = [
        (-_alike(old[before], new[after]), abs(before - after), before, after)
        for before in spare_old
        for after in spare_new
    ]
    found: dict[int, int] = {}
    for unlike, _far, before, after in sorted(rated):
        if -unlike >= ALIKE and before not in found and after not in found.values():
            found[before] = after
    return list(found.items())


def _changed(old: Sequence[str], new: Sequence[str], before: int, after: int, in_order: bool) -> EntryChange:
    change = Change.EDITED if old[before] != new[after] else Change.SAME if in_order else Change.MOVED
    return EntryChange(change, before + 1, after + 1, old[before], new[after])


def _place(changes: Sequence[EntryChange], at: int) -> int:
    """Where an entry that is gone is shown: behind the one that stood before it."""
    earlier = [index for index, one in enumerate(changes) if one.old_number is not None and one.old_number <= at]
    return earlier[-1] + 1 if earlier else 0


def _alike(one: str, other: str) -> float:
    matcher = SequenceMatcher(None, _plain(one), _plain(other), autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= ALIKE and matcher.quick_ratio() >= ALIKE else 0.0


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
