"""What callers are shown of conversations that are looked through: ids, codes and counts, no words of them."""

from __future__ import annotations

from typing import Any

from memories.models import Extraction, ExtractionItem
from memoryhub.fields import stamp


def items(row: Extraction) -> list[ExtractionItem]:
    return list(row.items.select_related("operation__memory", "operation__candidate").order_by("number"))


def reason(row: Extraction, found: int) -> str | None:
    """Why it ended as it did; null while it goes on."""
    if row.state == Extraction.State.DONE:
        return "found" if found else "nothing_found"
    return row.error or None


def extraction(row: Extraction) -> dict[str, Any]:
    found = items(row)
    return {
        "id": str(row.pk),
        "state": row.state,
        "method": row.method,
        "conversation": row.conversation or None,
        "progress": {"done": row.total if row.state == Extraction.State.DONE else 0, "total": row.total},
        "withheld": row.withheld,
        "reason": reason(row, len(found)),
        "items": [_item(one) for one in found],
        "created_at": stamp(row.created_at),
        "finished_at": stamp(row.finished_at),
    }


def _item(one: ExtractionItem) -> dict[str, Any]:
    made = one.operation
    return {
        "message": one.message,
        "decision": made.decision if made else None,
        "reason": made.reason if made else one.reason,
        "operation_id": str(made.pk) if made else None,
        "memory_id": str(made.memory_id) if made and made.memory_id else None,
        "candidate_id": str(made.candidate_id) if made and made.candidate_id else None,
    }
