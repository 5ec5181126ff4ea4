"""The append-only record of what was done: one event per verb, in the verb's own transaction."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from datetime import timedelta

from django.db import connection, transaction

from accounts import secrets
from accounts.ids import first_uuid7
from accounts.models import AuditEvent, AuditSeal, Tenant
from accounts.principals import Principal

SEAL_BATCH = 1000
LATEST_COMMIT = timedelta(hours=1)  # how long a transaction may take to show its event


def record(
    principal: Principal,
    action: str,
    *,
    outcome: str = "ok",
    reason: str = "",
    target: str = "",
    target_id: uuid.UUID | None = None,
    details: Mapping[str, object] | None = None,
) -> None:
    """Add one event. `details` holds ids, codes and counts; no remembered text ever."""
    write(
        [event(principal, action, outcome=outcome, reason=reason, target=target, target_id=target_id, details=details)]
    )


def event(
    principal: Principal,
    action: str,
    *,
    outcome: str = "ok",
    reason: str = "",
    target: str = "",
    target_id: uuid.UUID | None = None,
    details: Mapping[str, object] | None = None,
) -> AuditEvent:
    """An event that is yet to be written."""
    return AuditEvent(
        actor=principal.actor.value,
        actor_id=principal.actor_id,
        subject_id=principal.subject_id,
        action=action,
        outcome=outcome,
        reason=reason,
        target=target,
        target_id=target_id,
        request_id=principal.request_id,
        details=dict(details or {}),
    )


def write(events: Collection[AuditEvent]) -> None:
    """Add events in their order, in the transaction of what they tell of."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("an audit event belongs to the transaction of its verb")
    AuditEvent.objects.bulk_create(events)


def seal(tenant_id: uuid.UUID) -> int:
    """Chain the tenant's unsealed events in the order of their ids; returns how many were sealed.

    The tenant's row is the lock, so that two workers never fork the chain.
    """
    with transaction.atomic():
        Tenant.objects.select_for_update().get(pk=tenant_id)
        newest = AuditSeal.objects.select_related("event").order_by("-sequence").first()
        last, before = (newest.sequence, newest.digest) if newest else (0, "")
        events = AuditEvent.objects.filter(seal=None)
        if newest is not None:  # what was sealed long ago need not be read again to find what is not
            events = events.filter(pk__gte=first_uuid7(newest.event.at - LATEST_COMMIT))
        seals = []
        for sequence, event in enumerate(events.order_by("pk")[:SEAL_BATCH], start=last + 1):
            before = seal_digest(event, sequence, before)
            seals.append(AuditSeal(sequence=sequence, event=event, digest=before))
        AuditSeal.objects.bulk_create(seals)
    return len(seals)


def seal_digest(event: AuditEvent, sequence: int, before: str) -> str:
    """The keyed digest over an event, its place and the seal before it."""
    content = {
        field.attname: getattr(event, field.attname) for field in event._meta.concrete_fields if field.attname != "at"
    }
    content["at"] = event.at.isoformat()
    return secrets.fingerprint("audit-seal", {"sequence": sequence, "before": before, "event": content})


def verify(tenant_id: uuid.UUID) -> tuple[int, int | None]:
    """Check the chain: (seals that hold, sequence of the first that does not or None)."""
    before, held = "", 0
    for seal_row in AuditSeal.objects.select_related("event").order_by("sequence").iterator():
        expected = seal_digest(seal_row.event, held + 1, before)
        if seal_row.sequence != held + 1 or not secrets.same(expected, seal_row.digest):
            return held, held + 1
        before, held = seal_row.digest, held + 1
    return held, None
