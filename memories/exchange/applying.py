"""Carrying out the handed-over files that wait: some lines at a time, each batch in one transaction with its results.

A line's text goes in the transaction that remembers it, so whoever goes on after a crash does none twice.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime, timedelta

import structlog
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from accounts import audit, tenancy
from accounts.errands import lapsed, noted, principal_of
from accounts.errors import Forbidden, MemoryHubError, Unavailable
from accounts.principals import Principal, Scope, system
from memories import access, actions
from memories.actions import Fate, Sitting
from memories.exchange.importing import Result, State, counts, drop_staged, proposal_of, staged
from memories.models import Import, ImportLine, Namespace

log = structlog.get_logger("memories.exchange")

BATCH = 100
LEASE = timedelta(minutes=2)
MOST_ATTEMPTS = 5
KEPT_FOR = timedelta(days=30)
DUE_BATCH = 20


def apply_due(_principal: Principal, now: datetime, *, seconds: float) -> Mapping[str, int]:
    """Carry out what waits, for as long as `seconds` last; what is left goes on with the next call."""
    until, done = time.monotonic() + seconds, 0
    for errand in _due(now).order_by("pk")[:DUE_BATCH]:
        done += apply(errand, until)
        if time.monotonic() >= until:
            break
    return {"lines_imported": done}


def apply(errand: Import, until: float | None = None) -> int:
    """Carry out one file, until it is done or, at `until` of the monotonic clock, due again; returns how many lines."""
    claim = _claim(errand)
    if claim is None:
        return 0
    with noted(errand):
        return _carry_out(errand, claim, until)


def _carry_out(errand: Import, claim: datetime | None, until: float | None) -> int:
    done = 0
    try:
        asker = principal_of(errand)
        asker.require(Scope.PROPOSE)
        while claim is not None and (until is None or time.monotonic() < until):
            claim, count = _batch(errand, asker, claim)
            done += count
            if claim is not None and not count:
                _finish(errand, asker, claim)
                return done
    except Forbidden as error:
        _fail(errand, error.code)
        return done
    if claim is not None:
        _mine(errand, claim).update(state=State.QUEUED, claimed_until=None)
    return done


def drop_expired(_principal: Principal, now: datetime) -> Mapping[str, int]:
    """Let go of files nobody gave the word for in time, and later of what is known about ended ones."""
    waiting = Import.objects.filter(state__in=[State.CHECKING, State.CHECKED], expires_at__lte=now)
    with tenancy.atomic():
        ids = list(waiting.values_list("pk", flat=True))
        waiting.update(state=State.EXPIRED, finished_at=now)
        dropped = drop_staged(ids)
    Import.objects.filter(finished_at__lte=now - KEPT_FOR).delete()
    return {"imports_expired": len(ids), "lines_dropped": dropped}


def _due(now: datetime) -> QuerySet[Import]:
    return Import.objects.filter(Q(state=State.QUEUED) | (Q(state=State.RUNNING) & lapsed(now, LEASE)))


def _mine(errand: Import, claim: datetime) -> QuerySet[Import]:
    return Import.objects.filter(pk=errand.pk, state=State.RUNNING, claimed_until=claim)


def _claim(errand: Import) -> datetime | None:
    if errand.attempts >= MOST_ATTEMPTS:
        _fail(errand, errand.error or "interrupted")
        return None
    now = timezone.now()
    claim, started = now + LEASE, errand.started_at or now
    taken = {"state": State.RUNNING, "claimed_until": claim, "started_at": started, "attempts": F("attempts") + 1}
    return claim if _due(now).filter(pk=errand.pk).update(**taken) else None


def _batch(errand: Import, asker: Principal, claim: datetime) -> tuple[datetime | None, int]:
    """Carry out some lines under a renewed claim, which is None when someone else has it or it was cancelled."""
    with tenancy.atomic():
        renewed = timezone.now() + LEASE
        if not _mine(errand, claim).update(claimed_until=renewed, attempts=0):
            return None, 0
        lines = list(staged(errand)[:BATCH])
        wanted = {line.namespace_id for line in lines}
        usable = {one.pk: one for one in access.usable(asker) if one.pk in wanted}
        access.lock(usable.values())
        sitting = Sitting(asker)
        for line in lines:
            _take(errand, sitting, line, usable.get(line.namespace_id) if line.namespace_id else None)
        sitting.write()
        ImportLine.objects.bulk_update(lines, ["result", "reason", "content"])
    return renewed, len(lines)


def _take(errand: Import, sitting: Sitting, line: ImportLine, namespace: Namespace | None) -> None:
    """Carry one line out and let go of its text. One that fails says why and holds up no other."""
    fate = Fate(Result.REFUSED, "unknown_namespace")
    if namespace is not None and line.content is not None:
        try:
            fate = actions.take(sitting, *proposal_of(line.content, namespace), replaces=errand.replaces)
        except Unavailable:  # says nothing about the line: it stays, and is taken up again
            raise
        except MemoryHubError as error:
            fate = Fate(Result.REFUSED, error.code)
    line.result, line.reason, line.content = fate.result, fate.reason, None


def _finish(errand: Import, asker: Principal, claim: datetime) -> None:
    with tenancy.atomic():
        if _mine(errand, claim).update(state=State.DONE, finished_at=timezone.now(), claimed_until=None):
            audit.record(asker, "import.finish", target="import", target_id=errand.pk, details=counts(errand))


def _fail(errand: Import, code: str) -> None:
    with tenancy.atomic():
        ended = {"state": State.FAILED, "error": code, "finished_at": timezone.now(), "claimed_until": None}
        if Import.objects.filter(pk=errand.pk, state=State.RUNNING).update(**ended):
            if code == "no_longer_permitted":
                drop_staged([errand.pk])  # else its lines stay, for whoever has it tried again
            service = system(errand.tenant_id)
            audit.record(service, "import.fail", outcome="failed", reason=code, target="import", target_id=errand.pk)
