"""A stand-in for a model, to try the whole chain without one. It follows a script and understands nothing.

`search WORDS` and `save KEY VALUE` make it call a tool; anything else makes it read out what memory gave it.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from memoryhub.client.agent.models import Item, Reply, ResponsesShape

SAID = {
    "waits_for_confirmation": "It is not saved yet: it waits for your confirmation on the web pages.",
    "write_not_approved": "You did not agree, so nothing is saved.",
    "outcome_unknown": "I cannot tell whether it was saved.",
    "memory_unavailable": "Memory is not available; I could not look.",
}
NOTHING = "Nothing was found for now; that does not mean that nothing was ever said."
DECODER = json.JSONDecoder()
BLOCK = re.compile(r"\[memory context\]\n(.*)\n\[end of memory context\]", re.DOTALL)


class Scripted(ResponsesShape):
    """The model of the script."""

    def reply(self, instructions: str, items: Sequence[Item], tools: Sequence[Item]) -> Reply:
        """A call for `search` or `save`, else a text made from the latest output or memory context."""
        latest = items[-1]
        if latest.get("type") == "function_call_output":
            return self._says(_told(json.loads(latest["output"])))
        command, _, rest = (self.said_by_user(latest) or "").strip().partition(" ")
        key, _, value = rest.strip().partition(" ")
        if command == "search" and rest:
            return self._asks("memory_search", {"query": rest})
        if command == "save" and value:
            return self._asks("memory_save", {"key": key, "value": value, **_more(tools)})
        found = BLOCK.fullmatch(self.said_by_user(items[-2]) or "") if len(items) > 1 else None
        return self._says(_told(_read(found.group(1))) if found else NOTHING)

    def _says(self, text: str) -> Reply:
        message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        return Reply((message,), (), text)

    def _asks(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        call = {"type": "function_call", "call_id": f"call_{uuid.uuid4().hex}", "name": name}
        item = {**call, "arguments": json.dumps(arguments, ensure_ascii=False)}
        return Reply((item,), tuple(self.calls(item)), "")


def _more(tools: Sequence[Item]) -> dict[str, None]:
    """The statement that memory_save takes where free text is allowed, left empty."""
    saves = (tool["parameters"]["properties"] for tool in tools if tool["name"] == "memory_save")
    return {"statement": None} if any("statement" in fields for fields in saves) else {}


def _read(block: str) -> dict[str, Any]:
    """What a memory context says: a line for each memory, one for each system to ask, or that memory is away."""
    if block.startswith("{"):
        away: dict[str, Any] = json.loads(block)
        return away
    found: dict[str, Any] = {"memories": [], "requery": []}
    for line in block.splitlines():
        if line.startswith('- "'):
            key, end = DECODER.raw_decode(line, 2)
            statement, _ = DECODER.raw_decode(line, end + 2)
            found["memories"].append({"key": key, "statement": statement})
        elif line.startswith("requery: "):
            found["requery"].append(json.loads(line.removeprefix("requery: ")))
    return found


def _told(output: Mapping[str, Any]) -> str:
    if output.get("status") == "unavailable":
        return SAID["memory_unavailable"]
    if output.get("ok") is False:
        return SAID.get(str(output["error"]), f"It did not work: {output['error']}.")
    if "memory_id" in output:
        return "It is saved."
    found = output.get("memories", output.get("items")) or ()
    lines = [f"- {one['key']}: {one['statement']}" for one in found]
    ask = [f"- {one['topic']}: ask {one['system']}" for one in output.get("requery") or ()]
    return "\n".join(["From memory:", *lines, *ask]) if lines or ask else NOTHING
