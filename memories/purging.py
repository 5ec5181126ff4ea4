"""What follows a forgetting: prove that every store let go of it, empty what the database still keeps, seal the event.

A forgetting is hidden at once by the verb. It counts as purged only when nothing of it is left in any store, SQLite's
write-ahead log is empty and its audit event has its place in the chain. Until then the receipt says `hidden`.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import OperationalError, connection, models, transaction
from django.db.models import F, Q
from django.utils.module_loading import import_string

from accounts import audit, sealing, tenancy
from accounts.errors import Unavailable
from accounts.models import AuditSeal
from accounts.principals import Principal
from memories import ledger, traces
from memories.encryption import shredding
from memories.exchange import files
from memories.models import Candidate, Erasure, Evidence, EvidenceLink, ImportLine, Memory, Slot
from memories.search import rows
from memories.stores import NO_SOURCE, STORES

log = structlog.get_logger("memoryhub.purge")

ERASING = ("memory.forget", "memory.expire", "memory.forget_again")
PURGE_TASK = "memories.tasks.purge"
BATCH = 200
PIECE = 500
# How long after the forgetting each attempt is due; after the last of them one an hour.
ATTEMPTS_AFTER = tuple(timedelta(seconds=seconds) for seconds in (0, 2, 10, 60, 600))
CHECKPOINT_WAIT_MS = 1000
EXISTENCE_IS_A_TRACE = frozenset({"features", "evidence_links", "own_rules", "uses"})
OF_A_TOMBSTONE = frozenset({"source", "erasure_id"})


def soon(erasure_id: uuid.UUID) -> None:
    """Have it purged promptly once this transaction is committed. Without a broker the sweep alone does it."""
    if not settings.CELERY_BROKER_URL:
        return
    tenant_id = tenancy.current_id()
    # The task is a door and stands above the verb that calls here, hence by name.
    transaction.on_commit(lambda: import_string(PURGE_TASK).send(tenant_id, erasure_id), robust=True)


def purge_due(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Finish every forgetting that is due for an attempt; counts of purged ones and of those that go on waiting."""
    purged = 0
    while due := [row for row in _hidden()[:BATCH] if _is_due(row, now)]:
        done = purge(principal, due, now)
        purged += done
        if done < BATCH:
            break
    with tenancy.atomic():
        waiting = Erasure.objects.filter(state=Erasure.State.HIDDEN).count()
    return {"erasures_purged": purged, "erasures_waiting": waiting}


def purge(principal: Principal, erasures: Sequence[Erasure], now: datetime) -> int:
    """Try to finish these forgettings; returns how many are purged. The others stay hidden and are tried again."""
    clean = [row for row in erasures if _claim(row) and _let_go(row) and _kept_in_ledger(row)]
    if not clean:
        return 0
    if not truncate_log():
        log.warning("purge_waits", code="log_in_use", erasure_ids=[row.pk for row in clean][:50])
        return 0
    sealing.seal_all(principal.tenant_id)
    return sum(_settle(principal, row, now) for row in clean)


def left(erasure: Erasure) -> dict[str, int]:
    """How many rows of each store still hold something of what was forgotten."""
    return {
        store.name: count
        for store in STORES
        if (count := sum(_holds(store.name, row) for row in _rows_of(store.name, erasure).values(*store.columns)))
    }


def rested_on(evidence: models.QuerySet[Evidence]) -> models.QuerySet[Evidence]:
    """Those on which a kept memory rests."""
    kept = Memory.objects.kept()
    links = EvidenceLink.objects.filter(memory__in=kept)
    return evidence.filter(
        Q(pk__in=kept.filter(evidence__isnull=False).values("evidence_id")) | Q(pk__in=links.values("evidence_id"))
    )


def unneeded(evidence: models.QuerySet[Evidence]) -> models.QuerySet[Evidence]:
    """Those on which no kept memory and nothing that waits for a person rests."""
    waiting = Candidate.objects.filter(statement__isnull=False, evidence__isnull=False)
    return evidence.exclude(pk__in=rested_on(evidence).values("pk")).exclude(pk__in=waiting.values("evidence_id"))


def let_go(evidence: models.QuerySet[Evidence]) -> int:
    """Blank of these what nothing needs any more; how many were not blank yet."""
    return unneeded(evidence.exclude(**NO_SOURCE)).update(**NO_SOURCE)


def truncate_log() -> bool:
    """Empty SQLite's write-ahead log, where overwritten pages live on. False while someone still reads from it."""
    if connection.vendor != "sqlite":
        return True
    with connection.cursor() as cursor:
        usual = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        try:
            cursor.execute(f"PRAGMA busy_timeout={CHECKPOINT_WAIT_MS}")  # writers wait while this does
            busy = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except OperationalError:
            return False
        finally:
            cursor.execute(f"PRAGMA busy_timeout={int(usual)}")
    return not busy


def _hidden() -> models.QuerySet[Erasure]:
    return Erasure.objects.filter(state=Erasure.State.HIDDEN).order_by("attempts", "pk")


def _is_due(erasure: Erasure, now: datetime) -> bool:
    made, last = erasure.attempts, len(ATTEMPTS_AFTER) - 1
    after = ATTEMPTS_AFTER[min(made, last)] + timedelta(hours=max(0, made - last))
    if erasure.hidden_at is None or erasure.hidden_at > now:  # the clock was ahead
        return True
    return now >= erasure.hidden_at + after


def _claim(erasure: Erasure) -> bool:
    """Of several workers, one makes this attempt; a crash after it costs only the wait for the next."""
    with tenancy.atomic():
        mine = Erasure.objects.filter(pk=erasure.pk, state=Erasure.State.HIDDEN, attempts=erasure.attempts)
        return bool(mine.update(attempts=F("attempts") + 1))


def _let_go(erasure: Erasure) -> bool:
    """Whether nothing is left. Evidence that something else needed at the time, and no longer needs, goes now.

    A large one is checked piece by piece: others write in between, its receipt tells how far it is, and after a crash
    it goes on there.
    """
    traces.drop(erasure)
    files.clear(_filed_with(erasure))
    for start in range(erasure.checked, erasure.size, PIECE):
        piece = erasure.piece(start, PIECE)
        with tenancy.atomic():
            let_go(_evidence_of(piece))
            found = left(piece)
            namespaces = _namespaces_of(piece)
            if not found:
                Erasure.objects.filter(pk=erasure.pk).update(checked=min(start + PIECE, erasure.size))
        for namespace_id in namespaces:
            rows.index().forget(namespace_id)
        for store, count in found.items():
            log.error("purge_found_text", erasure_id=erasure.pk, code=store, row_count=count)
        if found:
            return False
    return _shredded(erasure)


def _shredded(erasure: Erasure) -> bool:
    """Whether the keys that go with it are destroyed."""
    try:
        shredding.destroy(erasure)
    except Unavailable as error:
        log.warning("purge_waits", code=error.code, erasure_ids=[erasure.pk])
        return False
    return True


def _kept_in_ledger(erasure: Erasure) -> bool:
    """Whether an old backup could not bring it back unnoticed; written now if a crash came in between."""
    with tenancy.atomic():
        return ledger.keep(erasure)


def _settle(principal: Principal, erasure: Erasure, now: datetime) -> int:
    with tenancy.atomic():
        seals = AuditSeal.objects.filter(event__target_id=erasure.pk, event__action__in=ERASING)
        sequence = seals.order_by("sequence").values_list("sequence", flat=True).last()
        if sequence is None:
            log.error("purge_found_no_event", erasure_id=erasure.pk)
            return 0
        waiting = Erasure.objects.filter(pk=erasure.pk, state=Erasure.State.HIDDEN)
        settled = waiting.update(state=Erasure.State.PURGED, purged_at=now, audit_sequence=sequence)
        if settled:
            audit.record(
                principal,
                "memory.purge",
                target="erasure",
                target_id=erasure.pk,
                details={"attempts": erasure.attempts + 1, "audit_sequence": sequence},
            )
    return settled


def _evidence_of(erasure: Erasure) -> models.QuerySet[Evidence]:
    return Evidence.objects.filter(
        Q(pk__in=Memory.objects.filter(pk__in=erasure.memory_ids, evidence__isnull=False).values("evidence_id"))
        | Q(pk__in=_candidates_of(erasure).filter(evidence__isnull=False).values("evidence_id"))
        | Q(pk__in=erasure.evidence_ids)
    )


def _candidates_of(erasure: Erasure) -> models.QuerySet[Candidate]:
    """What waited when it was forgotten. What was proposed for the key afterwards is a new story."""
    mine = Q(slot_id__in=erasure.slot_ids) | Q(pk__in=erasure.candidate_ids)
    return Candidate.objects.filter(mine, created_at__lte=erasure.hidden_at)


def _namespaces_of(erasure: Erasure) -> list[uuid.UUID]:
    return list(Slot.objects.filter(pk__among=erasure.slot_ids).values_list("namespace_id", flat=True).distinct())


def _filed_with(erasure: Erasure) -> list[uuid.UUID]:
    """Exports that may hold what was forgotten; one begun afterwards cannot."""
    return files.holding(_namespaces_of(erasure), erasure.hidden_at or erasure.created_at)


def _staged_for(erasure: Erasure) -> models.QuerySet[ImportLine]:
    """What a file held for these keys when they were forgotten. A file handed over afterwards is a new story."""
    staged = ImportLine.objects.filter(namespace__in=_namespaces_of(erasure))
    if erasure.scope not in Erasure.WHOLE:
        staged = staged.filter(slot_digest__in=Slot.objects.filter(pk__among=erasure.slot_ids).values("digest"))
    return staged.filter(content__isnull=False, created_at__lte=erasure.hidden_at)


def _closed_by(erasure: Erasure) -> Q:
    """The namespaces of those who are no longer there after it."""
    match erasure.scope:
        case Erasure.Scope.PERSON:
            return Q(namespace__membership_id=erasure.target_id)
        case Erasure.Scope.TENANT:
            return Q()
    return Q(pk=None)


def _rows_of(store: str, erasure: Erasure) -> models.QuerySet[Any]:
    """The rows of a store that stood for what was forgotten."""
    by_store = {store.name: store.model.objects for store in STORES}  # type: ignore[attr-defined]
    match store:
        case "memories":
            return by_store[store].filter(pk__in=erasure.memory_ids)
        case "features" | "evidence_links":
            return by_store[store].filter(memory_id__in=erasure.memory_ids)
        case "candidates":
            return _candidates_of(erasure)
        case "comments":
            return by_store[store].filter(candidate__in=_candidates_of(erasure))
        case "evidence":
            return unneeded(_evidence_of(erasure))
        case "exports":
            return by_store[store].filter(pk__in=_filed_with(erasure))
        case "import_lines":
            return _staged_for(erasure)
        case "own_rules" | "saved_views" | "reveals":
            return by_store[store].filter(_closed_by(erasure))
        case "uses":
            return by_store[store].filter(slot_id__in=erasure.slot_ids)
        case "extractions":
            held = by_store[store].filter(namespace__in=_namespaces_of(erasure))
            return held.filter(created_at__lte=erasure.hidden_at)
    raise LookupError(store)


def _holds(store: str, row: Mapping[str, Any]) -> bool:
    if store in EXISTENCE_IS_A_TRACE:
        return True
    texts = {name: value for name, value in row.items() if value not in (None, "", [], {})}
    told = texts.get("provenance")
    if store == "memories" and isinstance(told, dict) and set(told) <= OF_A_TOMBSTONE:
        texts.pop("provenance", None)
    return bool(texts)
