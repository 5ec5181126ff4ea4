"""The append-only record of what was done: one event per verb, in the verb's own transaction."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping

from django.db import connection, transaction

from accounts import tally
from accounts.models import AuditEvent
from accounts.principals import Principal


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
        details=_as_stored({**(details or {}), **({"door": principal.door} if principal.door else {})}),
    )


def write(events: Collection[AuditEvent]) -> None:
    """Add events in their order, in the transaction of what they tell of; what is rolled back is not counted."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("an audit event belongs to the transaction of its verb")
    AuditEvent.objects.bulk_create(events)
    codes = [(event.action, event.outcome, event.reason) for event in events]
    transaction.on_commit(lambda: tally.note(codes))


def _as_stored(details: Mapping[str, object]) -> dict[str, object]:
    """In the order in which PostgreSQL gives the names back, whichever database it is."""
    return dict(sorted(details.items(), key=lambda item: (len(item[0]), item[0])))
