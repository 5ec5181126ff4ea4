"""What callers are shown of exports and imports. One place, so that every door shows the same."""

from __future__ import annotations

import base64
from typing import Any

from django.core.files.base import File
from django.http import FileResponse
from django.utils import timezone

from memories.exchange.exporting import has_ended
from memories.exchange.formats import FORMATS
from memories.exchange.importing import counts, staged
from memories.models import Export, Import, ImportLine
from memoryhub.fields import stamp

EXAMPLES = 5


def state_of(row: Export) -> str:
    """The state; one whose link has run out is expired, also before the sweep comes by."""
    ended = row.state == Export.State.READY and has_ended(row)
    return str(Export.State.EXPIRED if ended else row.state)


def has_lapsed(row: Import) -> bool:
    """Whether nobody gave the word in time, even if no sweep came by since."""
    return row.expires_at is not None and row.expires_at <= timezone.now()


def file_headers(row: Export) -> dict[str, str]:
    """What is told of a finished file before its bytes: it is an attachment of this size and digest."""
    form = FORMATS[row.format]
    return {
        "Content-Type": form.media_type,
        "Content-Length": str(row.size),
        "Content-Disposition": f'attachment; filename="memoryhub-{row.created_at:%Y-%m-%d}.{form.suffix}"',
        "Content-Digest": f"sha-256=:{base64.b64encode(bytes.fromhex(row.sha256)).decode()}:",
    }


def sent(row: Export, file: File) -> FileResponse:
    """The file of an export."""
    headers = file_headers(row)
    response = FileResponse(file, content_type=headers["Content-Type"])
    for name, value in headers.items():
        response[name] = value
    return response


def export(row: Export) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "state": state_of(row),
        "scope": row.scope,
        "format": row.format,
        "progress": {"done": row.written, "total": row.total},
        "size": row.size if row.sha256 else None,
        "sha256": row.sha256 or None,
        "error": row.error or None,
        "created_at": stamp(row.created_at),
        "finished_at": stamp(row.finished_at),
        "expires_at": stamp(row.expires_at),
    }


def line(row: ImportLine) -> dict[str, Any]:
    content = row.content or {}
    return {
        "line": row.number,
        "result": row.result,
        "reason": row.reason,
        "field": row.field or None,
        "key": content.get("key"),
        "statement": content.get("statement"),
    }


def import_(row: Import) -> dict[str, Any]:
    found = counts(row)
    total = sum(found.values())
    return {
        "id": str(row.pk),
        "state": row.state,
        "format": row.format,
        "replace": row.replaces,
        "counts": found,
        "progress": {"done": total - staged(row).count(), "total": total},
        "examples": [line(one) for one in examples(row)],
        "error": row.error or None,
        "created_at": stamp(row.created_at),
        "finished_at": stamp(row.finished_at),
        "expires_at": stamp(row.expires_at),
    }


def examples(row: Import, most: int = EXAMPLES) -> list[ImportLine]:
    """The first lines of each result, in the order of the file."""
    found = [one for result in ImportLine.Result for one in row.lines.filter(result=result).order_by("number")[:most]]
    return sorted(found, key=lambda one: one.number)
