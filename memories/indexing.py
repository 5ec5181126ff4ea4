"""Filling in vectors: rows say themselves that they are due, and any process may do the work at any time.

A memory is found by its words at once. Its vector comes later: claimed for a while, read, embedded with no transaction
open, and written under the lock of its namespace if it still says the same. Another embedder makes every row due again.
"""

from __future__ import annotations

import time
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import F, Q
from django.utils.module_loading import import_string

from accounts import tenancy
from accounts.principals import Principal
from memories import access, embeddings, lifecycle
from memories.embeddings import Embedder, EmbedderError
from memories.models import Feature, Memory, Namespace
from memories.vectors import Vector, pack

log = structlog.get_logger("memories.indexing")

EMBED_TASK = "memories.tasks.embed"
BATCH = 32  # a worker that is told to stop ends the batch it is at
LEASE = timedelta(minutes=5)
PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """How far the active tenant's vectors are. `oldest_seconds`: how long the longest waiting new memory has waited.

    `pending` also counts memories that wait for a new vector after a change of embedder; `total` counts all.
    """

    pending: int
    oldest_seconds: int
    embedder: str | None
    semantic: bool
    total: int


def status(now: datetime) -> IndexStatus:
    """What is still to be embedded in the active tenant. Nothing is, where no embedder may see its texts."""
    total = Feature.objects.count()
    embedder = embeddings.permitted()
    if embedder is None:
        return IndexStatus(0, 0, None, semantic=False, total=total)
    pending = sum(rows.count() for rows in _due(embedder.name))
    new = Feature.objects.filter(embedder="").order_by("memory_id").values_list("memory_id", flat=True)
    oldest = new.first() if pending else None
    waited = (now - _made_at(oldest)).total_seconds() if oldest else 0.0
    return IndexStatus(pending, max(0, int(waited)), embedder.name, semantic=not embeddings.is_resting(), total=total)


def soon() -> None:
    """Have the vectors of the active tenant made promptly once this transaction is committed; one message for all.

    Without a broker the worker finds the rows by itself.
    """
    tenant_id = tenancy.current_id()
    asked = any(getattr(waiting[1], "vectors_of", None) == tenant_id for waiting in connection.run_on_commit)
    if not settings.CELERY_BROKER_URL or asked or embeddings.permitted() is None:
        return

    def ask() -> None:
        import_string(EMBED_TASK).send(tenant_id)  # the task is a door and stands above, hence by name

    ask.vectors_of = tenant_id  # type: ignore[attr-defined]
    transaction.on_commit(ask, robust=True)


def fill_due(
    _principal: Principal, now: datetime, *, seconds: float = 0.0, embedder: Embedder | None = None
) -> Mapping[str, int]:
    """Make vectors of what is due in the active tenant: one batch, and more while `seconds` last.

    Returns how many were made, and how many wait and could be made now (counted up to a thousand). `embedder`, in place
    of the one that is permitted here, is for evaluations.
    """
    embedder = embedder or embeddings.permitted()
    if embedder is None:
        return {}
    made, until, goes_on = 0, time.monotonic() + seconds, True
    while goes_on:
        claimed = _claim(embedder.name, now)
        filled = _fill(embedder, claimed, now) if claimed else 0
        made += filled
        goes_on = filled > 0 and time.monotonic() < until
    with tenancy.atomic():
        waiting = sum(_ready(rows, now)[:1000].count() for rows in _due(embedder.name))
    return {"vectors_made": made, "vectors_waiting": waiting}


def text_of(statement: str, key: str, conditions: str | None, said: Mapping[str, object]) -> str:
    """What stands for a memory in vector space: who said it, its key where that is words, the statement, when it holds.

    A key with digits is a number of something and says nothing. Dates belong to the words, not to the vector.
    """
    speaker = said.get("speaker")
    name = key.replace("_", " ").replace("-", " ").strip()
    head = str(speaker) if speaker else "" if any(char.isdigit() for char in name) else name
    body = f"{statement} ({conditions})" if conditions else statement
    return f"{head}: {body}" if head else body


def _due(name: str) -> tuple[models.QuerySet[Feature], ...]:
    """The rows without a vector of this embedder: new ones, then those of others. Each is one range of an index."""
    rows = Feature.objects.order_by("embedder")
    return rows.filter(embedder=""), rows.filter(embedder__gt="", embedder__lt=name), rows.filter(embedder__gt=name)


def _ready(rows: models.QuerySet[Feature], now: datetime) -> models.QuerySet[Feature]:
    """Those that nobody is at work on and that need not rest: after a failure, or because the clock was ahead."""
    return rows.filter(Q(embed_after=None) | Q(embed_after__lte=now) | Q(embed_after__gt=now + LONGEST_PAUSE))


def _claim(name: str, now: datetime) -> list[uuid.UUID]:
    """Take rows for a while. What failed or was dropped before comes alone, so that it can harm no other."""
    with tenancy.atomic():
        for due in _due(name):
            rows = _ready(due, now).select_for_update(skip_locked=True).values_list("memory_id", flat=True)
            ids = list(rows.filter(embed_attempts=0)[:BATCH]) or list(rows.filter(embed_attempts__gt=0)[:1])
            if ids:
                mine = _ready(Feature.objects.filter(memory_id__in=ids), now)
                mine.update(embed_after=now + LEASE, embed_attempts=F("embed_attempts") + 1)
                return ids
    return []


def _fill(embedder: Embedder, ids: Sequence[uuid.UUID], now: datetime) -> int:
    """Embed claimed rows; returns how many got their vector. When the embedder is down they are due again soon."""
    with tenancy.atomic():
        texts = _texts(ids)
    asked = list(texts)
    try:
        embeddings.means(embedder.name)  # what ranking needs with the first vector
        vectors = embedder.documents([texts[pk].text for pk in asked])
    except EmbedderError as error:
        _give_back(ids, error, now)
        return 0
    return _write(embedder.name, texts, dict(zip(asked, vectors, strict=True)), now)


@dataclass(frozen=True, slots=True)
class _Text:
    namespace_id: uuid.UUID
    text: str


def _texts(ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, _Text]:
    """What kept memories say; an erased one is missing."""
    rows = Memory.objects.kept().filter(pk__in=ids).order_by("pk")
    return {
        row.pk: _Text(row.namespace_id, text_of(row.statement or "", row.key or "", row.conditions, row.said))
        for row in rows.only("tenant", "namespace", "statement", "key", "conditions", "said")
    }


def _write(name: str, texts: Mapping[uuid.UUID, _Text], vectors: Mapping[uuid.UUID, Vector], now: datetime) -> int:
    """Write vectors, one transaction for each namespace. What was forgotten or changed meanwhile gets none."""
    by_namespace: dict[uuid.UUID, list[uuid.UUID]] = defaultdict(list)
    for pk in vectors:
        by_namespace[texts[pk].namespace_id].append(pk)
    written = 0
    for namespace_id, ids in sorted(by_namespace.items()):
        with tenancy.atomic():
            namespace = Namespace.objects.get(pk=namespace_id)
            access.lock([namespace])
            standing = _texts(ids)
            same = {pk: pack(vectors[pk]) for pk in ids if standing.get(pk) == texts[pk]}
            written += lifecycle.embed(namespace, same, name)
    return written


def _give_back(ids: Sequence[uuid.UUID], error: EmbedderError, now: datetime) -> None:
    """Let claimed rows go. A failure of the embedder counts against no row; a refused input against that one alone."""
    log.warning("vectors_not_made", code=error.code, row_count=len(ids))
    rows = Feature.objects.filter(memory_id__in=ids)
    with tenancy.atomic():
        if not error.refused:
            rows.update(embed_after=now + PAUSE, embed_attempts=0)
        elif len(ids) > 1:
            rows.update(embed_after=None)  # each comes again alone, since it has been tried
        else:
            tried = rows.values_list("embed_attempts", flat=True).first() or 1
            rows.update(embed_after=now + min(PAUSE * 2 ** min(tried, 20), LONGEST_PAUSE))


def _made_at(memory_id: uuid.UUID) -> datetime:
    """When a memory was written: its id begins with the millisecond."""
    return datetime.fromtimestamp((memory_id.int >> 80) / 1000, UTC)
