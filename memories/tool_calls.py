"""What a language model's tool call does. Every door that takes such calls asks here, and errors are values too: a
model must see that nothing was saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language

from accounts.errors import InvalidInput, MemoryHubError
from accounts.principals import Principal
from memories import access, actions, recalling, rendering, tenant_policy, tools
from memories.actions import ACTIVATING
from memories.inputs import MAX_QUERY, ProposalInput
from memories.models import Memory, Operation, Recall
from memories.write_gate import Outcome
from memoryhub.api import broken_characters

WAITS = "waits_for_confirmation"


@dataclass(frozen=True, slots=True)
class Called:
    """The output for the model, and the references from which it can be given again."""

    output: dict[str, Any]
    references: dict[str, Any]


def call(principal: Principal, name: str, arguments: object) -> Called:
    """Carry a call out. Only ok=true means that it was done; everything else has an error code."""
    try:
        return _carried_out(principal, name, arguments)
    except MemoryHubError as error:
        return Called({"ok": False, "error": error.code}, {"error": error.code})


def again(principal: Principal, references: Mapping[str, Any]) -> dict[str, Any]:
    """The same output as the first time, made from its references: what was forgotten since is not in it."""
    if "recall" in references:
        return _found(principal, Recall.objects.get(pk=references["recall"]))
    if "candidate" in references:
        return _waits(references["candidate"])
    if "operation" in references:
        return saved(Operation.objects.get(pk=references["operation"]))
    return {"ok": False, "error": references["error"]}


def saved(operation: Operation) -> dict[str, Any]:
    """What became of a write: what waits for a person is not saved, and says so."""
    facts = {
        "decision": operation.decision,
        "reason": operation.reason,
        "memory_id": str(operation.memory_id) if operation.memory_id else None,
        "candidate_id": str(operation.candidate_id) if operation.candidate_id else None,
    }
    if operation.memory_id and operation.decision in (*ACTIVATING, Outcome.keep):
        return {"ok": True, **facts}
    return {"ok": False, "error": WAITS if operation.candidate_id else "not_saved", **facts}


def _carried_out(principal: Principal, name: str, raw: object) -> Called:
    policy = tenant_policy.active()
    if broken_characters(raw):
        raise InvalidInput(code="invalid_tool_arguments")
    arguments = tools.arguments_of(policy, name, raw)
    if broken_characters(arguments):
        raise InvalidInput(code="invalid_tool_arguments")
    principal.require(tools.SCOPES[name])
    if name == tools.SEARCH:
        trace = recalling.recall(principal, recalling.RecallInput(query=arguments["query"][:MAX_QUERY])).trace
        return Called(_found(principal, trace), {"recall": str(trace.pk)})
    if name == tools.FORGET:
        asked_for = actions.ask_to_forget(principal, arguments["memory_id"])
        return Called(_waits(str(asked_for.pk)), {"candidate": str(asked_for.pk)})
    content = tools.saved_content(policy, arguments, get_language() or "en")
    operation = actions.propose(principal, ProposalInput(namespace=access.NamespaceRef("user"), **content)).operation
    return Called(saved(operation), {"operation": str(operation.pk)})


def _found(principal: Principal, trace: Recall) -> dict[str, Any]:
    readable = access.readable(principal)
    ids = [item["memory_id"] for item in trace.items]
    known = {str(row.pk): row for row in Memory.objects.kept().filter(pk__in=ids, namespace__in=readable)}
    return {
        "ok": True,
        "status": trace.status,
        "memories": [rendering.tool_memory(known[memory_id]) for memory_id in ids if memory_id in known],
    }


def _waits(candidate_id: str) -> dict[str, Any]:
    return {"ok": False, "error": WAITS, "candidate_id": candidate_id}
