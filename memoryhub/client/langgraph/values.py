"""Between the dict of an item and the statement and value of a memory: no text is kept twice.

A text under "content" is the statement and the rest the value; a dict without one is its own statement, as JSON. What a
person corrects in the statement so reaches the reader, under "content".
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from langgraph.store.base import Item, SearchItem

from memoryhub.client import results

CONTENT, VALUE = "content", "value"


class Told(TypedDict):
    """The two fields of a proposal that an item becomes."""

    statement: str
    value: Any


def told(value: Mapping[str, Any]) -> Told:
    """What to propose for the dict of an item."""
    content = value.get(CONTENT)
    rest = {name: one for name, one in value.items() if name != CONTENT}
    if isinstance(content, str) and content.strip() and not _is_json_of(content, rest):
        return {"statement": content, "value": rest or None}
    return {"statement": json.dumps(value, ensure_ascii=False), "value": dict(value)}


def value_of(memory: results.Content) -> dict[str, Any]:
    """The dict of an item. What other doors stored has its statement under "content", a plain value under "value"."""
    statement = memory.statement or ""
    if not isinstance(memory.value, dict):
        return {CONTENT: statement} | ({} if memory.value is None else {VALUE: memory.value})
    return memory.value if _is_json_of(statement, memory.value) else {**memory.value, CONTENT: statement}


def item_of(memory: results.Memory, root: Sequence[str]) -> Item:
    """A memory as an item; `root` is stripped from its path."""
    moments = {"created_at": _moment(memory.created_at), "updated_at": _moment(memory.updated_at)}
    return Item(value=value_of(memory), key=memory.key or "", namespace=memory.namespace.path[len(root) :], **moments)


def found_item_of(memory: results.Memory | results.Item, root: Sequence[str]) -> SearchItem:
    """The same as found by a search. A recall tells of one moment, that of the version: it stands for both."""
    namespace, updated = memory.namespace.path[len(root) :], _moment(memory.updated_at)
    created, score = (updated, memory.score) if isinstance(memory, results.Item) else (_moment(memory.created_at), None)
    return SearchItem(namespace, memory.key or "", value_of(memory), created, updated, score)


def _moment(given: datetime | None) -> datetime:
    if given is None:
        raise ValueError("A memory that can be read has its moments.")
    return given


def _is_json_of(text: str, value: Any) -> bool:
    try:
        return bool(json.loads(text) == value)
    except (ValueError, RecursionError):
        return False
