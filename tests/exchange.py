"""What the tests of exports and imports share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from cast import Caller, Company, text_of
from django.utils import timezone

from memoryhub import sweeping


def sweep(company: Company, **later: float) -> Mapping[str, int]:
    """What a sweep at this moment did in one tenant."""
    (swept,) = sweeping.sweep(timezone.now() + timedelta(**later), slug=company.tenant.slug)
    assert not swept.failed
    return swept.counts


def lines_of(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


def own(caller: Caller) -> bytes:
    """One's own memories, as they come at once."""
    response = caller.post("/exports", {})
    assert response.status_code == 200, text_of(response)
    return bytes(response.content)


def asked(caller: Caller, **body: Any) -> dict[str, Any]:
    """An export that is made in the background."""
    response = caller.post("/exports", {"namespaces": [{"type": "user"}], **body})
    assert response.status_code == 202, text_of(response)
    return dict(response.json())


def export_of(caller: Caller, export: Mapping[str, Any]) -> dict[str, Any]:
    return dict(caller.get(f"/exports/{export['id']}").json())


def file_of(caller: Caller, export: Mapping[str, Any]) -> bytes:
    response = caller.get(f"/exports/{export['id']}/file")
    assert response.status_code == 200, text_of(response)
    return b"".join(response.streaming_content)


def hand_over(caller: Caller, content: bytes | str | list[Any], status: int = 200, **query: Any) -> dict[str, Any]:
    """A handed-over file; a list is written as JSON Lines."""
    if isinstance(content, list):
        content = "\n".join(json.dumps(line) for line in content)
    params = {name: json.dumps(value) if isinstance(value, dict | bool) else value for name, value in query.items()}
    response = caller.call("POST", "/imports", content if isinstance(content, bytes) else content.encode(), **params)
    assert response.status_code == status, text_of(response)
    return dict(response.json())


def results(answer: Mapping[str, Any]) -> dict[str, int]:
    """The results that any line has."""
    return {result: count for result, count in answer["counts"].items() if count}


def entry(statement: str, key: str, **fields: Any) -> dict[str, Any]:
    return {"schema": "memoryhub.memory/1", "kind": "preference", "key": key, "statement": statement, **fields}
