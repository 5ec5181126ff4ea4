"""Reading the audit: what an auditor may list, take away and learn of the chain. Every read leaves its own event."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet

from accounts import audit, tenancy
from accounts.chain import Head, head, newest_checkpoint, unsealed
from accounts.errors import Forbidden
from accounts.ids import first_uuid7
from accounts.models import Agent, AuditCheckpoint, AuditEvent, Membership
from accounts.principals import Principal, Role, Scope
from accounts.verifying import VERIFIED

EXPORT_BATCH = 1000
SKEW = timedelta(minutes=1)  # an id and the time beside it are made one after the other
COLUMNS = ("sequence", "id", "at", "actor", "actor_id", "subject_id", "action", "outcome", "reason", "target",
           "target_id", "request_id", "details")  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrailFilter:
    """Which events are asked for: those to which all of this applies. `since` is included, `until` is not."""

    since: datetime | None = None
    until: datetime | None = None
    actor: str | None = None
    actor_id: uuid.UUID | None = None
    subject_id: uuid.UUID | None = None
    action: str | None = None
    outcome: str | None = None
    target: str | None = None
    target_id: uuid.UUID | None = None
    request_id: str | None = None
    party_id: uuid.UUID | None = None  # whoever or whatever took part: actor, subject or target


@dataclass(frozen=True, slots=True)
class ChainState:
    """Where the tenant's chain stands, and what its last verification found."""

    head: Head | None
    sealed: int
    waiting: int
    checkpoint: AuditCheckpoint | None
    verified: AuditEvent | None


def events(principal: Principal, chosen: TrailFilter) -> QuerySet[AuditEvent]:
    """The tenant's events with their places in the chain. Raises Forbidden for who is no auditor."""
    require_auditor(principal)
    asked = {name: value for name, value in asdict(chosen).items() if value is not None}
    rows = within(AuditEvent.objects.all(), asked.pop("since", None), asked.pop("until", None))
    if party := asked.pop("party_id", None):
        rows = rows.filter(Q(actor_id=party) | Q(subject_id=party) | Q(target_id=party))
    return rows.filter(**asked).annotate(sequence=F("seal__sequence"))


def within(rows: QuerySet[AuditEvent], since: datetime | None, until: datetime | None) -> QuerySet[AuditEvent]:
    """Those of a span of time: `since` is included, `until` is not."""
    if since is not None:
        rows = rows.filter(at__gte=since, pk__gte=first_uuid7(since - SKEW))
    if until is not None:
        rows = rows.filter(at__lt=until, pk__lt=first_uuid7(until + SKEW))
    return rows


def note_reading(principal: Principal, count: int) -> None:
    """The event of a list that was read: how many it showed."""
    with tenancy.atomic():
        audit.record(principal, "audit.read", details={"items": count})


def export(principal: Principal, chosen: TrailFilter) -> Iterator[list[tuple[Any, ...]]]:
    """All events asked for, oldest first, as tuples of COLUMNS in batches; what comes in meanwhile is left out.

    The event of the export is written before the first batch is read.
    """
    rows = events(principal, chosen).order_by("pk")
    newest = rows.values_list("pk", flat=True).last()
    names = sorted(name for name, value in asdict(chosen).items() if value is not None)
    with tenancy.atomic():
        audit.record(principal, "audit.export", details={"filters": names})
    return _batches(principal.tenant_id, rows.filter(pk__lte=newest) if newest else rows.none())


def names(rows: Iterable[AuditEvent]) -> dict[uuid.UUID, str]:
    """The people and agents of these events by the names that the tenant gave them."""
    ids = {one for row in rows for one in (row.actor_id, row.subject_id) if one is not None}
    people = Membership.objects.filter(pk__in=ids).values_list("pk", "external_id")
    return dict(people) | dict(Agent.objects.filter(pk__in=ids).values_list("pk", "slug"))


def state(principal: Principal) -> ChainState:
    """Raises Forbidden for who is no auditor."""
    require_auditor(principal)
    end, checkpoint = head(), newest_checkpoint()
    return ChainState(
        head=end,
        sealed=(end.sequence if end else 0) - (checkpoint.sequence if checkpoint else 0),
        waiting=unsealed().count(),
        checkpoint=checkpoint,
        verified=AuditEvent.objects.filter(action=VERIFIED).order_by("-pk").first(),
    )


def _batches(tenant_id: uuid.UUID, rows: QuerySet[AuditEvent]) -> Iterator[list[tuple[Any, ...]]]:
    """Each batch is a transaction of its own: nothing is held while a slow reader takes its time."""
    after = uuid.UUID(int=0)
    while True:
        with tenancy.entered(tenant_id), tenancy.atomic():
            batch = list(rows.filter(pk__gt=after).values_list(*COLUMNS)[:EXPORT_BATCH])
        if not batch:
            return
        yield batch
        after = batch[-1][1]


def require_auditor(principal: Principal) -> None:
    """The scope; and where it works for a person, that person's role: an agent lends nobody a right."""
    principal.require(Scope.AUDIT)
    if principal.subject_id is not None and not principal.has_role(Role.AUDITOR, Role.ADMIN):
        raise Forbidden("Only an auditor or an administrator may read the audit.", code="not_an_auditor")
