"""Going over rows that are there: each is brought to what its tenant wants now, under the newest key of its owner.

A row says itself whether it is due: it is plain and should not be, or encrypted and should not be, or its key is not
the newest. So this may stop at any row, run twice, or beside every writer; whoever comes next does what is left.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet

from accounts import tenancy
from memories.encryption import keys
from memories.encryption.fields import Sealed, columns, is_blank
from memories.models import Candidate, Evidence, Feature, ImportLine, Memory
from memories.stores import NO_SOURCE

BATCH = 200


@dataclass(frozen=True, slots=True)
class Step:
    """One batch: of which table, how many rows were looked at and how many of them changed."""

    table: str
    seen: int
    changed: int


def rows_with_text() -> list[QuerySet[Any]]:
    """Every row of the active tenant that may hold a text, table by table."""
    return [
        Evidence.objects.all(),
        Memory.objects.kept(),
        Feature.objects.all(),
        Candidate.objects.exclude(statement=None),
        ImportLine.objects.exclude(content=None),
    ]


def go_over(rows: QuerySet[Any]) -> Iterator[Step]:
    """Bring these rows up to date, a batch in each transaction. Raises KeyUnavailable and ContentDamaged."""
    last: uuid.UUID | None = None
    while True:
        with tenancy.atomic():
            wanted = rows if last is None else rows.filter(pk__gt=last)
            batch = list(wanted.select_for_update(of=("self",)).order_by("pk")[:BATCH])
            changed = sum(_bring_up_to_date(row) for row in batch)
        if not batch:
            return
        last = batch[-1].pk
        yield Step(rows.model._meta.verbose_name_plural, len(batch), changed)


def count_due(rows: QuerySet[Any]) -> tuple[int, int]:
    """How many rows there are, and how many are not as they should be."""
    total = due = 0
    for row in rows.iterator():
        total += 1
        due += bool(_due(row))
    return total, due


def keep_what_stays(owner_id: uuid.UUID) -> None:
    """Move the evidence of an owner that something else still needs to the newest key: the older ones will go.

    What was left over under a key that is gone already, as in a restored backup, is blanked.
    """
    for rows in (
        Evidence.objects.filter(subject_id=owner_id),
        Evidence.objects.filter(subject=None, agent_id=owner_id),
    ):
        for row in rows.exclude(**NO_SOURCE).order_by("pk"):
            try:
                _bring_up_to_date(row)
            except keys.KeyDestroyed:
                Evidence.objects.filter(pk=row.pk).update(**NO_SOURCE)


def _bring_up_to_date(row: Model) -> int:
    changes = {field.name: field.sealed_for(row, getattr(row, field.name)) for field in _due(row)}
    if changes:
        type(row).objects.filter(pk=row.pk).update(**changes)  # type: ignore[attr-defined]
    return bool(changes)


def _due(row: Any) -> list[Any]:
    """The columns of a row that are not as its tenant wants them."""
    wanted = keys.writing(row.tenant_id, row.key_owner_id or row.tenant_id) if keys.encrypts(row.tenant_id) else None
    return [field for field in columns(type(row)) if not _is_right(row.__dict__[field.attname], wanted)]


def _is_right(held: Any, wanted: Any) -> bool:
    if is_blank(held):
        return True
    if isinstance(held, Sealed):
        return wanted is not None and held.generation == wanted.generation
    return wanted is None
