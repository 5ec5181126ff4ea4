"""Writing the exports that are due: rows say themselves that they wait, and any process may write them at any time.

A claim waits for what is being forgotten at that moment and names the file. Whoever forgets something afterwards sees
the claim and withdraws it; the writer notices at its next step and removes what it wrote.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone, translation

from accounts import audit, tenancy
from accounts.errands import lapsed, noted, principal_of
from accounts.errors import Forbidden, Unavailable
from accounts.principals import Principal, system
from memories import access
from memories.exchange import files
from memories.exchange.exporting import batches, may_export_tenant
from memories.exchange.formats import FORMATS
from memories.models import Export, Memory, Namespace

log = structlog.get_logger("memories.exchange")

LEASE = timedelta(minutes=2)
LINK_LIVES = timedelta(hours=24)
KEPT_FOR = timedelta(days=30)
MOST_ATTEMPTS = 5
DUE_BATCH = 20
State = Export.State


class _Stopped(Exception):
    """It was cancelled, withdrawn or taken over meanwhile."""


def write_due(_principal: Principal, now: datetime) -> Mapping[str, int]:
    """Write every export that waits, and those whose writer stopped without a word."""
    due = list(_due(now).order_by("pk")[:DUE_BATCH])
    return {"exports_written": sum(write(row) for row in due)}


def write(export: Export) -> bool:
    """Write one export; tells whether it is ready now. A failure stands in the row, to be seen and tried again."""
    try:
        asker = principal_of(export)
        if not _claim(export, asker):
            return False
        with noted(export), translation.override(export.language or settings.LANGUAGE_CODE):
            written = files.write(export.file, _parts(export), export.subject_id)
        return _finish(export, asker, written)
    except _Stopped:
        files.remove(export.file)
    except Forbidden as error:
        _fail(export, error.code)
    except Unavailable as error:
        _fail(export, error.code)
    except OSError as error:
        log.error("export_failed", export_id=export.pk, code=type(error).__name__)
        _fail(export, "storage_failed")
    return False


def drop_ended(_principal: Principal, now: datetime) -> Mapping[str, int]:
    """Close the links that have run out, remove their files and those of cancelled, withdrawn and failed exports."""
    Export.objects.filter(state=State.READY, expires_at__lte=now).update(state=State.EXPIRED, sha256="")
    removed = files.clear() + files.remove_strays(now)
    Export.objects.filter(state__in=files.ENDED, file="", finished_at__lte=now - KEPT_FOR).delete()
    return {"export_files_removed": removed}


def _due(now: datetime) -> QuerySet[Export]:
    return Export.objects.filter(Q(state=State.QUEUED) | (Q(state=State.RUNNING) & lapsed(now, LEASE)))


def _claim(export: Export, asker: Principal) -> bool:
    """Take it for a while under a new file name; the file of one who stopped half-way goes first."""
    if export.attempts >= MOST_ATTEMPTS:
        _fail(export, export.error or "interrupted")
        return False
    files.remove(export.file)
    now, name = timezone.now(), files.new_name(FORMATS[export.format].suffix)
    claimed = {"state": State.RUNNING, "file": name, "started_at": now, "claimed_until": now + LEASE, "written": 0}
    with tenancy.atomic():
        if export.scope == Export.Scope.TENANT:
            access.lock_tenant()
        else:
            access.lock(Namespace.objects.filter(pk__in=export.namespace_ids))
        mine = _due(now).filter(pk=export.pk, attempts=export.attempts)
        if not mine.update(attempts=F("attempts") + 1, total=_count(export), **claimed):
            return False
    export.file = name
    _may_read(export, asker)
    return True


def _may_read(export: Export, asker: Principal) -> None:
    """Asked anew, since rights end: the file holds only what the asker may read when it is written."""
    if export.scope == Export.Scope.TENANT:
        allowed = may_export_tenant(asker)
    else:
        allowed = {str(one.pk) for one in access.readable(asker)}.issuperset(export.namespace_ids)
    if not allowed:
        raise Forbidden(code="no_longer_permitted")


def _count(export: Export) -> int:
    rows = Memory.objects.current().filter(namespace__in=_places(export))
    if export.slot_ids:
        rows = rows.filter(slot_id__among=export.slot_ids)
    return rows.count()


def _parts(export: Export) -> Iterator[bytes]:
    form = FORMATS[export.format]
    yield form.head()
    for namespace in _namespaces(export):
        for batch in batches(namespace, export.slot_ids):
            yield form.rows(batch)
            _step(export, len(batch))


def _namespaces(export: Export) -> Iterator[Namespace]:
    rows = _places(export).select_related("membership", "agent", "group").order_by("pk")
    last: uuid.UUID | None = None
    while found := list((rows if last is None else rows.filter(pk__gt=last))[:DUE_BATCH]):
        yield from found
        last = found[-1].pk


def _places(export: Export) -> QuerySet[Namespace]:
    """What the file holds; of people in an organisation's only the asker: what is remembered of others is theirs."""
    if export.scope != Export.Scope.TENANT:
        return Namespace.objects.filter(pk__in=export.namespace_ids)
    return Namespace.objects.filter(~Q(type=Namespace.Type.USER) | Q(membership_id=export.subject_id))


def _step(export: Export, count: int) -> None:
    mine = Export.objects.filter(pk=export.pk, state=State.RUNNING, file=export.file)
    if not mine.update(written=F("written") + count, claimed_until=timezone.now() + LEASE):
        raise _Stopped


def _finish(export: Export, asker: Principal, written: files.Written) -> bool:
    now = timezone.now()
    with tenancy.atomic():
        mine = Export.objects.filter(pk=export.pk, state=State.RUNNING, file=export.file)
        done = {"size": written.size, "sha256": written.sha256, "finished_at": now, "expires_at": now + LINK_LIVES}
        if not mine.update(state=State.READY, claimed_until=None, total=F("written"), **done):
            raise _Stopped
        count = Export.objects.values_list("written", flat=True).get(pk=export.pk)
        details = {"memories": count, "format": export.format, "scope": export.scope}
        audit.record(asker, "memory.export", target="export", target_id=export.pk, details=details)
    return True


def _fail(export: Export, code: str) -> None:
    files.remove(export.file)
    ours = Export.objects.filter(pk=export.pk, state__in=[State.QUEUED, State.RUNNING], file__in=["", export.file])
    with tenancy.atomic():
        if ours.update(state=State.FAILED, error=code, finished_at=timezone.now(), claimed_until=None, **files.BLANK):
            service = system(export.tenant_id)
            audit.record(service, "export.fail", outcome="failed", reason=code, target="export", target_id=export.pk)
