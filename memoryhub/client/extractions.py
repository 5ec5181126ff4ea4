"""A conversation to look through, and what was found in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Required, TypedDict

Method = Literal["rules", "model"]


class Message(TypedDict, total=False):
    """One message. `author` is an external id; without one a user's message is the subject's own."""

    id: Required[str]
    role: Required[Literal["user", "assistant", "tool", "system"]]
    text: Required[str]
    author: str
    at: str | datetime | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found, by the place of its message, and what the write gate made of it."""

    message: int
    decision: str | None
    reason: str
    operation_id: str | None
    memory_id: str | None
    candidate_id: str | None


@dataclass(frozen=True, slots=True)
class Extraction:
    """How far it is. A failure is a `failed` with its code as `reason`, never a `done` that found nothing."""

    id: str
    state: str
    method: str
    conversation: str | None
    progress: Mapping[str, int]
    withheld: int
    reason: str | None
    items: tuple[Finding, ...]
    finished_at: datetime | None

    @property
    def ended(self) -> bool:
        """Nothing more comes of it by itself."""
        return self.state in ("done", "failed", "cancelled")
