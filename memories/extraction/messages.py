"""A conversation as it is handed over, and what is found in it. Plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

MAX_MESSAGES = 200


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `own`: the person whose conversation it is wrote it. `text` is None where it may not be kept."""

    id: str
    role: str
    author: str
    at: datetime | None
    text: str | None
    own: bool = False

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "at": self.at.isoformat() if self.at else None}

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Message:
        at = kept["at"]
        return cls(**{**kept, "at": datetime.fromisoformat(at) if at else None})


@dataclass(frozen=True, slots=True)
class ExtractionInput:
    """A conversation to look through. `conversation` is the runtime's own id of it."""

    conversation: str
    method: str
    messages: Sequence[Message]


@dataclass(frozen=True, slots=True)
class Finding:
    """Words of one message, verbatim, and what they would be kept as. `message` is its place.

    `stated`: they are whole sentences in which the person says so, not words cut out of them.
    """

    message: int
    words: str
    kind: str
    key: str
    one_off: bool
    stated: bool
