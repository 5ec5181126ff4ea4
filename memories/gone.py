"""By when the last bytes of what was forgotten are gone, as this deployment promises it.

Rows are emptied at once and proven empty by the purge. SQLite overwrites as it deletes; PostgreSQL keeps bytes in its
files until `purge_bytes` has rewritten them; a backup keeps what it holds for as long as it is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from memories.models import Erasure


@dataclass(frozen=True, slots=True)
class Promise:
    """Days after the purge until the files of the database hold no byte, and until no backup does."""

    database: int
    backups: int


@dataclass(frozen=True, slots=True)
class Gone:
    """When that is for one forgetting."""

    database: datetime
    backups: datetime


def promise() -> Promise:
    """A backup of the files may be made just before they are rewritten, so its days count from then."""
    database = settings.MEMORYHUB_REWRITE_DAYS if connection.vendor == "postgresql" else 0
    return Promise(database, database + settings.MEMORYHUB_BACKUP_DAYS)


def by(erasure: Erasure) -> Gone | None:
    """None as long as the purge has not proven every store empty."""
    if erasure.purged_at is None:
        return None
    days = promise()
    after = [erasure.purged_at + timedelta(days=count) for count in (days.database, days.backups)]
    return Gone(*after)
