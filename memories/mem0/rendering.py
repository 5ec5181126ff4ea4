"""What mem0's clients read, made from ours."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from memories.actions import ACTIVATING
from memories.models import Candidate, Memory, Operation
from memories.write_gate import Outcome
from memoryhub.fields import stamp

PENDING, SUCCEEDED, FAILED = "PENDING", "SUCCEEDED", "FAILED"


def memory(row: Memory, **more: Any) -> dict[str, Any]:
    """A memory; its metadata is our value, its one category our kind. A tombstone has no texts."""
    return {
        "id": str(row.pk),
        "memory": row.statement,
        "user_id": row.namespace.owner_name if row.namespace.membership_id else None,
        "metadata": row.value if isinstance(row.value, dict | None) else {"value": row.value},
        "categories": [row.kind],
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "expiration_date": stamp(row.valid_until),
        **more,
    }


def status(operation: Operation) -> str:
    """What became of a write. What waits for a person is pending until they answer."""
    held = operation.candidate
    if held is not None:
        if held.status == Candidate.Status.PENDING:
            return PENDING
        return SUCCEEDED if held.status == Candidate.Status.APPROVED and held.memory_id else FAILED
    done = operation.memory_id and operation.decision in (*ACTIVATING, Outcome.keep)
    return SUCCEEDED if done else FAILED


def event(operation: Operation) -> dict[str, Any]:
    """A write as mem0's event. Only SUCCEEDED is remembered; `detail` says why not."""
    held = operation.candidate
    row = held.memory if held is not None else operation.memory
    state = status(operation)
    kept = [memory(row, event="ADD")] if state == SUCCEEDED and row is not None else []
    refused = _("It is not remembered: %(reason)s.") % {"reason": operation.reason}
    message = {PENDING: _("It waits for its person."), SUCCEEDED: _("It is remembered.")}.get(state, refused)
    return {
        "event_id": str(operation.pk),
        "event_type": "ADD",
        "status": state,
        "message": message,
        "detail": message,
        "results": kept,
        "created_at": stamp(operation.created_at),
    }


def version(row: Memory, before: Memory | None) -> dict[str, Any]:
    """One step of a history."""
    return {
        "id": str(row.pk),
        "memory_id": str(row.pk),
        "old_memory": before.statement if before else None,
        "new_memory": row.statement,
        "event": "DELETE" if row.status == Memory.Status.DELETED else "UPDATE" if before else "ADD",
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
    }
