"""What a story knows of the rows: a few keys, what stands for each, and the time."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass
class Version:
    """What stands for a key."""

    memory_id: uuid.UUID
    text: str
    ends: datetime | None
    paused: bool = False


@dataclass
class Place:
    """A key: how many versions it had, what stands, what waits for the person, when it was last forgotten."""

    versions: int = 0
    standing: Version | None = None
    waiting: dict[str, uuid.UUID] = field(default_factory=dict)
    forgotten: datetime | None = None


@dataclass
class Backup:
    """The database as it was, and what the model knew then."""

    savepoint: str
    places: dict[str, Place]
    events: int


class Clock:
    """The time of the stories: that of the machine, and what a story lets pass."""

    def __init__(self) -> None:
        self.passed = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.passed
