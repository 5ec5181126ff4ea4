"""Going over rows that are there: each is brought to what its tenant wants now, under the newest key of its owner.

A row says itself whether it is due: it is plain and should not be, or encrypted and should not be, or its key is not
the newest. So this may stop at any row, run twice, or beside every writer; whoever comes next does what is left.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from accounts import tenancy
from memories.encryption import envelope, keys
from memories.encryption.fields import Sealed, SealedField, columns, is_blank
from memories.models import (
    Candidate,
    Comment,
    Evidence,
    Extraction,
    Feature,
    ImportLine,
    Memory,
    OwnRule,
    Reveal,
    SavedView,
)
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
        Comment.objects.filter(text__isnull=False).select_related("candidate"),
        OwnRule.objects.filter(text__isnull=False),
        SavedView.objects.all(),
        Reveal.objects.all(),
        Extraction.objects.all(),
    ]


def go_over(rows: QuerySet[Any]) -> Iterator[Step]:
    """Bring these rows up to date, a batch in each transaction. Raises KeyUnavailable and ContentDamaged."""
    last: uuid.UUID | None = None
    while True:
        with tenancy.atomic():
            wanted = rows if last is None else rows.filter(pk__gt=last)
            batch = list(wanted.select_for_update(of=("self",)).order_by("pk")[:BATCH])
            changed = bring_up_to_date(batch)
        if not batch:
            return
        last = batch[-1].pk
        yield Step(str(rows.model._meta.model_name), len(batch), changed)


def count_due(rows: QuerySet[Any]) -> tuple[int, int]:
    """How many rows there are, and how many are not as they should be."""
    total = due = 0
    newest: dict[uuid.UUID, envelope.Key | None] = {}
    for row in rows.iterator():
        total += 1
        due += not all(_is_right(row.__dict__[field.attname], _wanted(row, newest)) for field in columns(rows.model))
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
                bring_up_to_date([row])
            except keys.KeyDestroyed:
                Evidence.objects.filter(pk=row.pk).update(**NO_SOURCE)
    for kept in (OwnRule.objects.filter(text__isnull=False), SavedView.objects.all(), Reveal.objects.all()):
        for own in kept.filter(namespace__membership_id=owner_id).order_by("pk"):
            try:
                bring_up_to_date([own])
            except keys.KeyDestroyed:
                own.delete()


def bring_up_to_date(batch: Sequence[Any]) -> int:
    """Write the columns of these rows of one table that are not as they should be; returns how many rows had any."""
    found: dict[tuple[SealedField, ...], list[list[Any]]] = defaultdict(list)
    newest: dict[uuid.UUID, envelope.Key | None] = {}
    for row in batch:
        key = _wanted(row, newest)
        due = tuple(field for field in columns(type(row)) if not _is_right(row.__dict__[field.attname], key))
        if due:
            values = [field.sealed_for(row, getattr(row, field.name), key) for field in due]
            found[due].append(
                [*(_prepared(*one) for one in zip(due, values, strict=True)), _prepared(_pk_of(row), row.pk)]
            )
    with connection.cursor() as cursor:
        for due, written in found.items():
            cursor.executemany(_update(due), written)
    return sum(map(len, found.values()))


def _update(due: Sequence[SealedField]) -> str:
    """One statement for many rows: what differs from row to row is told to no planner."""
    quoted, meta = connection.ops.quote_name, due[0].model._meta
    changes = ", ".join(f"{quoted(str(field.column))} = %s" for field in due)
    return f"UPDATE {quoted(meta.db_table)} SET {changes} WHERE {quoted(str(meta.pk.column))} = %s"  # noqa: S608 - names


def _pk_of(row: Any) -> Any:
    return row._meta.pk.target_field if row._meta.pk.remote_field else row._meta.pk


def _prepared(field: Any, value: Any) -> Any:
    return field.get_db_prep_save(value, connection)


def _wanted(row: Any, newest: dict[uuid.UUID, envelope.Key | None]) -> envelope.Key | None:
    """The key that a row should be encrypted with, None for none; each owner's is asked for once."""
    owner_id = row.key_owner_id or row.tenant_id
    if owner_id not in newest:
        newest[owner_id] = keys.writing(row.tenant_id, owner_id) if keys.encrypts(row.tenant_id) else None
    return newest[owner_id]


def _is_right(held: Any, wanted: envelope.Key | None) -> bool:
    if is_blank(held):
        return True
    if isinstance(held, Sealed):
        return wanted is not None and held.generation == wanted.generation
    return wanted is None
