"""What the verbs take: checked values that a door has read, without anything that says who is calling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

MAX_STATEMENT = 2000
MAX_NAME = 128
MAX_QUERY = 2000
MAX_LABELS = 8
MAX_VALUE_BYTES = 8192
MAX_ALIASES = 16
MAX_BATCH = 1000
MAX_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class NamespaceRef:
    """A namespace as a caller names it: the type alone means the caller's own."""

    type: str
    id: str | None = None
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceInput:
    """An event as a runtime attests it. One whose moment is not told is never newer than a forgetting."""

    type: str
    ref: str
    occurred_at: datetime | None = None
    thread: str = ""
    sequence: int | None = None
    speaker: str = ""
    text: str | None = None
    reviewer: str | None = None


@dataclass(frozen=True, slots=True)
class HandOver:
    """How something comes in with a file or a conversation. `inferred`: a model worded it, or nobody vouches for it.
    `paused`: it is kept without being used."""

    inferred: bool = False
    paused: bool = False


@dataclass(frozen=True, slots=True)
class ProposalInput:
    """A request to remember. `valid_until` is an instant or a day; a day ends when it ends for the owner.

    `handed_over` is set for the lines of a file and for what is found in a conversation, and by no door that takes
    single proposals; `extraction_id` names the extraction that found it. `end_is_settled`: that it has no end, where it
    has none, was decided before, so the owner's own end for its kind does not apply.
    """

    namespace: NamespaceRef
    kind: str
    key: str
    statement: str
    value: Any = None
    conditions: str | None = None
    aliases: tuple[str, ...] = ()
    evidence_id: str | None = None
    evidence: EvidenceInput | None = None
    reusable: bool | None = None
    said: Mapping[str, Any] = field(default_factory=dict)
    valid_until: datetime | date | None = None
    expected_version: int | None = None
    sensitivity: str | None = None
    handed_over: HandOver | None = None
    extraction_id: str | None = None
    end_is_settled: bool = False


def end_of(valid_until: datetime | date | None, time_zone: str) -> datetime | None:
    """The instant at which a memory ends: a bare day ends at the midnight after it in the owner's time zone."""
    if valid_until is None or isinstance(valid_until, datetime):
        return valid_until
    return datetime.combine(valid_until + timedelta(days=1), time.min, ZoneInfo(time_zone or "UTC"))


def day_after(now: datetime, days: int, time_zone: str) -> date:
    """The day that is so many days after today, as the owner's calendar has it."""
    return now.astimezone(ZoneInfo(time_zone or "UTC")).date() + timedelta(days=days)


def texts_in(name: str, value: Any) -> dict[str, str]:
    """Every string inside a JSON value, keys included, under names that tell where it stood."""
    found: dict[str, str] = {}
    waiting = [(name, value)]
    while waiting:
        place, part = waiting.pop()
        if isinstance(part, str):
            found[place] = part
        elif isinstance(part, Mapping):
            for index, (label, inner) in enumerate(part.items()):
                found[f"{place}.{index}.name"] = str(label)
                waiting.append((f"{place}.{index}", inner))
        elif isinstance(part, list | tuple):
            waiting += [(f"{place}.{index}", inner) for index, inner in enumerate(part)]
        elif isinstance(part, int | float) and not isinstance(part, bool):
            found[place] = repr(part)
    return {place: text for place, text in found.items() if text}
