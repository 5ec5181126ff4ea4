"""What memory offers over MCP: the same tools as over REST, and the playbook as resources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from accounts.errors import NotVisible
from accounts.principals import Principal
from accounts.problems import GENERAL, PROBLEMS
from memories import playbook, reading, reasons, rendering, tenant_policy, tools
from memories.context import NOTE
from memories.models import Memory
from memories.recall_gate import Status
from memories.tool_calls import WAITS
from memoryhub.api import Page

PROCEDURES = "memoryhub://procedures/"
PAGE_SIZE = 100
TEXT, MAYBE = {"type": "string"}, {"type": ["string", "null"]}
FAILED = {"ok": {"type": "boolean"}, "error": TEXT}
DECIDED = {"decision": TEXT, "reason": TEXT, "memory_id": MAYBE, "candidate_id": MAYBE}
FOUND = {
    "memory_id": TEXT,
    "kind": TEXT,
    "key": TEXT,
    "statement": MAYBE,
    "value": {},
    "conditions": MAYBE,
    "source": MAYBE,
    "evidence_class": TEXT,
    "updated_at": TEXT,
    "valid_until": MAYBE,
}
SHAPES: Mapping[str, dict[str, Any]] = {
    tools.SEARCH: {
        "status": {"type": "string", "enum": [status.value for status in Status]},
        "memories": {"type": "array", "items": {"type": "object", "properties": FOUND}},
    },
    tools.SAVE: DECIDED,
    tools.FORGET: {"candidate_id": TEXT, "erasure_id": TEXT, "memory_ids": {"type": "array", "items": TEXT}},
}
TITLES = {tools.SEARCH: "Search memory", tools.SAVE: "Save to memory", tools.FORGET: "Ask to forget"}


def offered(principal: Principal) -> list[dict[str, Any]]:
    """The tools that this credential may use, with what each does and answers."""
    return [
        {
            "name": name,
            "title": gettext(TITLES[name]),
            "description": text,
            "inputSchema": schema,
            "outputSchema": {"type": "object", "properties": {**FAILED, **SHAPES[name]}, "required": ["ok"]},
            "annotations": {
                "title": gettext(TITLES[name]),
                "readOnlyHint": name == tools.SEARCH,
                "destructiveHint": name == tools.FORGET,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }
        for name, text, schema in tools.offered(tenant_policy.active())
        if principal.may(tools.SCOPES[name])
    ]


def tool_result(output: Mapping[str, Any], inbox: str) -> dict[str, Any]:
    """An output as the result of a tool: what was not done says in words why, and what to do.

    What waits for a person is no error, and names the page where it waits.
    """
    shown = [json.dumps(output, ensure_ascii=False)]
    if not output["ok"]:
        words = [*_words(output), *([inbox] if output["error"] == WAITS else [])]
        shown.insert(0, " ".join(map(str, words)))
    return {
        "content": [{"type": "text", "text": text} for text in shown],
        "structuredContent": output,
        "isError": not output["ok"] and output["error"] != WAITS,
    }


def resources(principal: Principal, cursor: str | None) -> dict[str, Any]:
    """One page of the playbook: names and when each applies, not yet their words."""
    page, more = Page(principal, {"of": PROCEDURES}, cursor, PAGE_SIZE).take(playbook.procedures(principal))
    reading.note_listing(principal, len(page))
    listed: dict[str, Any] = {"resources": [_resource(row) for row in page]}
    return listed | ({"nextCursor": more["next_cursor"]} if more["has_more"] else {})


def templates() -> dict[str, Any]:
    return {
        "resourceTemplates": [
            {
                "uriTemplate": f"{PROCEDURES}{{memory_id}}",
                "name": playbook.PROCEDURE,
                "title": gettext("Procedure of the playbook"),
                "mimeType": "application/json",
            }
        ]
    }


def contents(principal: Principal, uri: str) -> dict[str, Any]:
    """A procedure as labelled data. Raises NotVisible for every other address."""
    if not uri.startswith(PROCEDURES):
        raise NotVisible
    row = playbook.procedure(principal, uri.removeprefix(PROCEDURES))
    told = {"note": NOTE, **rendering.tool_memory(row)}
    return {
        "contents": [{"uri": uri, "mimeType": "application/json", "text": json.dumps(told, ensure_ascii=False)}],
    }


def _resource(row: Memory) -> dict[str, Any]:
    shown = rendering.tool_memory(row)
    described = {"description": shown["conditions"]} if shown["conditions"] else {}
    return {
        "uri": f"{PROCEDURES}{row.pk}",
        "name": shown["key"],
        "mimeType": "application/json",
        "annotations": {"audience": ["assistant"], "lastModified": shown["updated_at"]},
        **described,
    }


def _words(output: Mapping[str, Any]) -> tuple[Any, ...]:
    if output["error"] == "not_saved":
        return (reasons.sentence(output["reason"]),)
    return PROBLEMS.get(output["error"], GENERAL)
