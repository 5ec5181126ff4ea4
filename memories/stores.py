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

from memories.encryption import keys
from memories.encryption.fields import Plain, columns, is_sealed
from memories.exchange import files
from memories.models import (
    Candidate,
    Comment,
    Erasure,
    Evidence,
    EvidenceLink,
    Export,
    Extraction,
    Feature,
    ImportLine,
    Memory,
    Namespace,
    Operation,
    OwnRule,
    Reveal,
    SavedView,
    Slot,
    SourceMarker,
    Use,
)


@dataclass(frozen=True, slots=True)
class Doomed:
    """What is being forgotten in one namespace, at one moment, under one receipt: slots with all their versions, single
    earlier versions of others, what waits for a person, and sources that may bring nothing back. `closed`: to this
    namespace nobody can propose any more."""

    namespace: Namespace
    slot_ids: Sequence[uuid.UUID]
    erasure: Erasure
    rev: int
    now: datetime
    memory_ids: Sequence[uuid.UUID] = ()
    candidate_ids: Sequence[uuid.UUID] = ()
    sources: Collection[str] = ()
    closed: bool = False

    @property
    def versions(self) -> models.QuerySet[Memory]:
        return Memory.objects.filter(Q(slot_id__among=self.slot_ids) | Q(pk__among=self.memory_ids))

    @property
    def held(self) -> models.QuerySet[Candidate]:
        return Candidate.objects.filter(Q(slot_id__among=self.slot_ids) | Q(pk__among=self.candidate_ids))


def _says(row: models.Model, name: str, canary: str) -> bool:
    if not is_sealed(row, name):
        return False
    held = getattr(row, name)
    if isinstance(held, bytes):
        return canary.encode() in held
    return canary in (held if isinstance(held, str) else json.dumps(held, ensure_ascii=False)) or (
        json.dumps(canary, ensure_ascii=False)[1:-1] in json.dumps(held, ensure_ascii=False)
    )


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
        return int(rows) + self._opened(canary) + self.in_files(spellings)

    def _opened(self, canary: str) -> int:
        """How many rows hold the text where it is encrypted."""
        names = [field.name for field in columns(self.model) if field.name in self.columns]
        rows = self.model.objects.iterator() if names and keys.configured() else ()  # type: ignore[attr-defined]
        return sum(any(_says(row, name, canary) for name in names) for row in rows)


def purge(doomed: Doomed) -> dict[str, int]:
    """Remove from every store what belongs to the forgotten slots; counts by store."""
    return {store.name: store.purge(doomed) for store in STORES}


def scan(canary: str) -> dict[str, int]:
    """Where a text stands that should stand nowhere: counts by store, of the active tenant."""
    return {store.name: count for store in STORES if (count := store.scan(canary))}


def _evidence(doomed: Doomed) -> int:
    """Blank evidence that only served what is forgotten, and mark every source so that it cannot bring it back."""
    links = EvidenceLink.objects.filter(memory__in=doomed.versions).values_list("evidence_id", flat=True)
    named = (doomed.versions.values_list("evidence_id", flat=True), doomed.held.values_list("evidence_id", flat=True))
    used = {pk for rows in (*named, links) for pk in rows if pk is not None}
    if not doomed.closed:
        digests = set(Evidence.objects.filter(pk__among=used).values_list("source_digest", flat=True))
        _mark(doomed, digests - set(doomed.sources), whole=False)
        _mark(doomed, doomed.sources, whole=True)
    # What refused proposals for these keys rested on goes too; it made nothing, so its sources are not marked.
    refused = Operation.objects.filter(slot_id__among=doomed.slot_ids, evidence__isnull=False)
    ids = used | set(refused.values_list("evidence_id", flat=True))
    alive = Memory.objects.kept().exclude(pk__in=doomed.versions.values("pk"))
    needed = set(alive.filter(evidence_id__among=ids).values_list("evidence_id", flat=True)) | set(
        EvidenceLink.objects.filter(evidence_id__among=ids, memory__in=alive).values_list("evidence_id", flat=True)
    )
    waiting = Candidate.objects.filter(evidence_id__among=ids, statement__isnull=False)
    waiting = waiting.exclude(pk__in=doomed.held.values("pk"))
    needed |= set(waiting.values_list("evidence_id", flat=True))
    return Evidence.objects.filter(pk__among=ids - needed).update(**NO_SOURCE)


def _mark(doomed: Doomed, digests: Collection[str], *, whole: bool) -> None:
    SourceMarker.objects.bulk_create(
        [
            SourceMarker(namespace=doomed.namespace, source_digest=digest, forgotten_at=doomed.now, whole=whole)
            for digest in digests
        ],
        update_conflicts=True,
        unique_fields=["namespace", "source_digest"],
        update_fields=["forgotten_at", "whole"] if whole else ["forgotten_at"],
    )


def _features(doomed: Doomed) -> int:
    return Feature.objects.filter(memory__in=doomed.versions).delete()[0]


def _links(doomed: Doomed) -> int:
    return EvidenceLink.objects.filter(memory__in=doomed.versions).delete()[0]


def _candidates(doomed: Doomed) -> int:
    doomed.held.filter(status__in=[Candidate.Status.PENDING, Candidate.Status.CHANGES_REQUESTED]).update(
        status=Candidate.Status.WITHDRAWN, decided_at=doomed.now, **BLANK_CANDIDATE
    )
    return doomed.held.update(**BLANK_CANDIDATE)


def _comments(doomed: Doomed) -> int:
    return Comment.objects.filter(candidate__in=doomed.held, text__isnull=False).update(text=None)


def _exports(doomed: Doomed) -> int:
    return files.withdraw(doomed.namespace.pk)


def _import_lines(doomed: Doomed) -> int:
    staged = ImportLine.objects.filter(namespace=doomed.namespace, content__isnull=False)
    if doomed.erasure.scope not in Erasure.WHOLE:
        digests = Slot.objects.filter(pk__among=doomed.slot_ids).values("digest")
        staged = staged.filter(slot_digest__in=digests)
    return staged.update(content=None, result=ImportLine.Result.REFUSED, reason="tombstone_key")


def _extractions(doomed: Doomed) -> int:
    """Let go of every conversation that is held for the place: any of them may tell what is forgotten."""
    held = Extraction.objects.filter(namespace=doomed.namespace, messages__isnull=False)
    dropped = held.update(
        state=Extraction.State.FAILED,
        error="forgotten_meanwhile",
        messages=None,
        finished_at=doomed.now,
        claimed_until=None,
    )
    Extraction.objects.filter(namespace=doomed.namespace).update(conversation="", run_id="")
    return dropped


def _memories(doomed: Doomed) -> int:
    return doomed.versions.exclude(status=Memory.Status.DELETED).update(
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
        provenance=Plain({"source": "deletion_request", "erasure_id": str(doomed.erasure.pk)}),
        updated_at=doomed.now,
        retired_at=doomed.now,
    )


def _own_rules(doomed: Doomed) -> int:
    """A person's rules protect them as long as they are there, also from what was forgotten before."""
    return OwnRule.objects.filter(namespace=doomed.namespace).delete()[0] if doomed.closed else 0


def _uses(doomed: Doomed) -> int:
    return Use.objects.filter(slot_id__among=doomed.slot_ids).delete()[0]


def _saved_views(doomed: Doomed) -> int:
    """They hold names and filters, and go with their person."""
    return SavedView.objects.filter(namespace=doomed.namespace).delete()[0] if doomed.closed else 0


def _reveals(doomed: Doomed) -> int:
    """Why somebody read a person's memories goes with the person; that they did stays in the audit."""
    return Reveal.objects.filter(namespace=doomed.namespace).delete()[0] if doomed.closed else 0


NO_SOURCE: dict[str, Any] = {"text": None, "speaker": "", "ref": "", "thread": "", "run_id": ""}
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
    Store("comments", Comment, ("text",), _comments),
    Store(
        "memories",
        Memory,
        ("key", "path", "path_key", "statement", "value", "conditions", "aliases", "said", "provenance"),
        _memories,
    ),
    Store("exports", Export, ("file", "sha256"), _exports, files.with_text),
    Store("import_lines", ImportLine, ("content",), _import_lines),
    Store("own_rules", OwnRule, ("text",), _own_rules),
    Store("uses", Use, (), _uses),
    Store("saved_views", SavedView, ("name", "query"), _saved_views),
    Store("reveals", Reveal, ("words",), _reveals),
    Store("extractions", Extraction, ("messages", "conversation", "run_id"), _extractions),
)
