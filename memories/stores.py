"""The erasure registry: every store that can hold a remembered text or something made from it.

Each store says which columns hold text, removes what belongs to forgotten slots (`purge`) and finds a text that should
be nowhere (`scan`). A column that is not registered here fails `tests/test_erasure_registry.py`.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from memories.exchange import files
from memories.models import (
    Candidate,
    Erasure,
    Evidence,
    EvidenceLink,
    Export,
    Feature,
    ImportLine,
    Memory,
    Namespace,
    Operation,
    Slot,
    SourceMarker,
)


@dataclass(frozen=True, slots=True)
class Doomed:
    """What is being forgotten: slots of one namespace, at one moment, under one receipt."""

    namespace: Namespace
    slot_ids: Sequence[uuid.UUID]
    erasure: Erasure
    rev: int
    now: datetime


def _no_files(_spellings: Collection[str]) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Store:
    """One place where remembered text can be: columns, and what lies in files beside them."""

    name: str
    model: type[models.Model]
    columns: tuple[str, ...]
    purge: Callable[[Doomed], int]
    in_files: Callable[[Collection[str]], int] = _no_files

    def scan(self, canary: str) -> int:
        """How many rows and files of the active tenant hold the text, in whatever column and escaping."""
        spellings = {canary, *(json.dumps(canary, ensure_ascii=ascii_)[1:-1] for ascii_ in (True, False))}
        hit = Q()
        annotations = {}
        for column in self.columns:
            annotations[f"{column}_text"] = Cast(column, TextField())
            for spelling in spellings:
                hit |= Q(**{f"{column}_text__contains": spelling})
        rows = self.model.objects.alias(**annotations).filter(hit).count()  # type: ignore[attr-defined]
        return int(rows) + self.in_files(spellings)


def purge(doomed: Doomed) -> dict[str, int]:
    """Remove from every store what belongs to the forgotten slots; counts by store."""
    return {store.name: store.purge(doomed) for store in STORES}


def scan(canary: str) -> dict[str, int]:
    """Where a text stands that should stand nowhere: counts by store, of the active tenant."""
    return {store.name: count for store in STORES if (count := store.scan(canary))}


def _evidence(doomed: Doomed) -> int:
    """Blank evidence that only served what is forgotten, and mark every source so that it cannot bring it back."""
    versions = Memory.objects.filter(slot_id__in=doomed.slot_ids)
    held = Candidate.objects.filter(slot_id__in=doomed.slot_ids)
    used = Evidence.objects.filter(
        Q(pk__in=versions.values("evidence_id")) | Q(pk__in=held.values("evidence_id")) | Q(links__memory__in=versions)
    ).distinct()
    rows = list(used.only("pk", "source_digest"))
    SourceMarker.objects.bulk_create(
        [
            SourceMarker(namespace=doomed.namespace, source_digest=digest, forgotten_at=doomed.now)
            for digest in {row.source_digest for row in rows}
        ],
        update_conflicts=True,
        unique_fields=["namespace", "source_digest"],
        update_fields=["forgotten_at"],
    )
    # What refused proposals for these keys rested on goes too; it made nothing, so its sources are not marked.
    refused = Operation.objects.filter(slot_id__in=doomed.slot_ids, evidence__isnull=False)
    ids = [*{row.pk for row in rows} | set(refused.values_list("evidence_id", flat=True))]
    alive = Memory.objects.kept().exclude(slot_id__in=doomed.slot_ids)
    needed = set(alive.filter(evidence_id__in=ids).values_list("evidence_id", flat=True)) | set(
        EvidenceLink.objects.filter(evidence_id__in=ids, memory__in=alive).values_list("evidence_id", flat=True)
    )
    waiting = Candidate.objects.filter(evidence_id__in=ids, statement__isnull=False).exclude(
        slot_id__in=doomed.slot_ids
    )
    needed |= set(waiting.values_list("evidence_id", flat=True))
    only_here = [pk for pk in ids if pk not in needed]
    return Evidence.objects.filter(pk__in=only_here).update(text=None, ref="", thread="", speaker="", run_id="")


def _features(doomed: Doomed) -> int:
    return Feature.objects.filter(memory__slot_id__in=doomed.slot_ids).delete()[0]


def _links(doomed: Doomed) -> int:
    return EvidenceLink.objects.filter(memory__slot_id__in=doomed.slot_ids).delete()[0]


def _candidates(doomed: Doomed) -> int:
    rows = Candidate.objects.filter(slot_id__in=doomed.slot_ids)
    rows.filter(status__in=[Candidate.Status.PENDING, Candidate.Status.CHANGES_REQUESTED]).update(
        status=Candidate.Status.WITHDRAWN, decided_at=doomed.now, **BLANK_CANDIDATE
    )
    return rows.update(**BLANK_CANDIDATE)


def _exports(doomed: Doomed) -> int:
    return files.withdraw(doomed.namespace.pk)


def _import_lines(doomed: Doomed) -> int:
    digests = Slot.objects.filter(pk__in=doomed.slot_ids).values("digest")
    staged = ImportLine.objects.filter(namespace=doomed.namespace, slot_digest__in=digests, content__isnull=False)
    return staged.update(content=None, result=ImportLine.Result.REFUSED, reason="tombstone_key")


def _memories(doomed: Doomed) -> int:
    return (
        Memory.objects.kept()
        .filter(slot_id__in=doomed.slot_ids)
        .update(
            status=Memory.Status.DELETED,
            rev=doomed.rev,
            key=None,
            path=[],
            path_key="",
            statement=None,
            value=None,
            conditions=None,
            aliases=[],
            said={},
            provenance={"source": "deletion_request", "erasure_id": str(doomed.erasure.pk)},
            updated_at=doomed.now,
            retired_at=doomed.now,
        )
    )


BLANK_CANDIDATE: dict[str, Any] = {
    "key": None,
    "path": [],
    "statement": None,
    "value": None,
    "conditions": None,
    "aliases": [],
    "said": {},
    "provenance": {},
}

# Evidence comes first: it asks the other stores what still needs it.
STORES = (
    Store("evidence", Evidence, ("text", "ref", "thread", "speaker", "run_id"), _evidence),
    Store("features", Feature, ("terms", "names", "speaker", "vector", "embedder"), _features),
    Store("evidence_links", EvidenceLink, (), _links),
    Store(
        "candidates",
        Candidate,
        ("key", "path", "statement", "value", "conditions", "aliases", "said", "provenance"),
        _candidates,
    ),
    Store(
        "memories",
        Memory,
        ("key", "path", "path_key", "statement", "value", "conditions", "aliases", "said", "provenance"),
        _memories,
    ),
    Store("exports", Export, ("file", "sha256"), _exports, files.with_text),
    Store("import_lines", ImportLine, ("content",), _import_lines),
)
