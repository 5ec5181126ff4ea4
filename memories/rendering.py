"""What a caller is shown of a row. One place, so that every door shows the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language

from accounts.errors import MemoryHubError
from memories import context, gone
from memories.actions import Proposed
from memories.models import Candidate, Erasure, Evidence, Feedback, Memory, Namespace, Operation
from memories.policy import Policy, Topic
from memories.recall_gate import Selected
from memories.recalling import Item, Recalled
from memoryhub.fields import stamp


def namespace(row: Namespace, path: list[str]) -> dict[str, Any]:
    return {"type": row.type, "id": row.owner_name, "path": path}


def memory(row: Memory) -> dict[str, Any]:
    """A version with its status and provenance; a tombstone has no texts."""
    return {
        "memory_id": str(row.pk),
        "namespace": namespace(row.namespace, row.path),
        "kind": row.kind,
        "key": row.key,
        "statement": row.statement,
        "value": row.value,
        "conditions": row.conditions,
        "aliases": row.aliases,
        "evidence_class": row.evidence_class,
        "version": row.version,
        "status": row.status,
        "sensitivity": row.sensitivity or None,
        "said": row.said or None,
        "provenance": {
            "evidence_type": row.provenance.get("evidence_type"),
            "ref": row.provenance.get("ref"),
            "run_id": row.provenance.get("run_id"),
            "thread_id": row.provenance.get("thread_id"),
            "source": row.provenance.get("source"),
            "policy_version": row.policy_version,
        },
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "confirmed_at": stamp(row.confirmed_at),
        "valid_until": stamp(row.valid_until),
    }


def item(one: Item) -> dict[str, Any]:
    """A recalled memory: what a model may read of it, and how it came here."""
    row = one.memory
    return {
        **_content(row),
        "score": one.score,
        "relevance": round(one.relevance, 4),
        "scores": one.scores,
        "tokens": one.tokens,
        "advisory": True,
    }


def _content(row: Memory) -> dict[str, Any]:
    return {
        "memory_id": str(row.pk),
        "namespace": namespace(row.namespace, row.path),
        "kind": row.kind,
        "key": row.key,
        "statement": row.statement,
        "value": row.value,
        "conditions": row.conditions,
        "evidence_class": row.evidence_class,
        "version": row.version,
        "updated_at": stamp(row.updated_at),
        "valid_until": stamp(row.valid_until),
    }


def _weighed(one: Selected) -> dict[str, Any]:
    return {"score": one.score, "relevance": round(one.memory.relevance, 4), "scores": dict(one.scores)}


def topic(row: Topic) -> dict[str, str]:
    language = get_language() or "en"
    return {
        "topic": row.name,
        "system": row.system.get(language),
        "how_to_query": row.how_to_query.get(language),
    }


def recalled(answer: Recalled, *, explain: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "recall_id": str(answer.trace.pk),
        "status": answer.selection.status.value,
        "confidence": round(answer.selection.confidence, 4),
        "warnings": list(answer.warnings),
        "items": [item(one) for one in answer.items],
        "omitted": answer.trace.omitted,
        "requery": [topic(one) for one in answer.requery],
        "gate": {
            "namespaces": [namespace(area.namespace, list(area.path)) for area in answer.areas],
            "kinds": list(answer.kinds),
            "policy_version": answer.policy.version,
            "tokens_used": answer.selection.tokens_used,
            "token_budget": answer.token_budget,
        },
    }
    if explain:
        body["omitted_items"] = [
            {"memory_id": str(one.memory.memory_id), "reason": reason.value, **_weighed(one)}
            for one, reason in answer.selection.losers
        ]
    return body


def packet(answer: Recalled) -> dict[str, Any]:
    """The context packet of a recall: content, provenance, freshness and cost of each memory, nothing else."""
    return {
        "note": context.NOTE,
        "recall_id": str(answer.trace.pk),
        "status": answer.selection.status.value,
        "items": [
            {**_content(one.memory), "ref": one.memory.provenance.get("ref"), "tokens": one.tokens, "advisory": True}
            for one in answer.items
        ],
        "requery": [topic(one) for one in answer.requery],
        "tokens_used": answer.selection.tokens_used,
        "token_budget": answer.token_budget,
    }


def prompt(answer: Recalled, form: str) -> dict[str, Any]:
    """What a recall found, in one of the formats of `context`."""
    if form == "packet":
        return {"packet": packet(answer)}
    lines = [context.line(one.memory, answer.usual) for one in answer.items]
    return context.render(context.Text(answer.usual, lines, [topic(one) for one in answer.requery]), form)


def cited(one: Item) -> dict[str, Any]:
    """What stands beside a packet of a memory in it: where it is from and what it costs."""
    return {"memory_id": str(one.memory.pk), "ref": one.memory.provenance.get("ref"), "tokens": one.tokens}


def feedback(row: Feedback) -> dict[str, Any]:
    return {"recall_id": str(row.recall_id), "memory_id": str(row.memory_id), "verdict": row.verdict}


def evidence(row: Evidence) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "type": row.type,
        "ref": row.ref,
        "occurred_at": stamp(row.occurred_at),
        "text_kept": row.text is not None,
        "expires_at": stamp(row.expires_at),
    }


def decision(operation: Operation, policy: Policy) -> dict[str, Any]:
    """The answer to a write, made from its operation: the same at once and at a later replay."""
    row, held = operation.memory, operation.candidate
    owner = policy.topic(operation.topic) if operation.topic else None
    return {
        "decision": operation.decision,
        "reason": operation.reason,
        "checks": operation.checks,
        "memory": memory(row) if row is not None else None,
        "candidate_id": str(held.pk) if held is not None else None,
        "superseded_ids": operation.superseded_ids,
        "source_of_truth": topic(owner) if owner else None,
        "policy_version": operation.policy_version,
        "operation_id": str(operation.pk),
        "searchable": row is not None and row.status == Memory.Status.ACTIVE,
    }


def preview(result: Proposed, policy: Policy) -> dict[str, Any]:
    """What a write would answer; nothing of it exists, so nothing has an id."""
    shown = decision(result.operation, policy)
    if result.memory is not None:
        shown["memory"] = memory(result.memory)
        if result.memory._state.adding:
            shown["memory"]["memory_id"] = None
    return {**shown, "superseded_ids": [str(pk) for pk in result.superseded], "operation_id": None}


def operation(row: Operation) -> dict[str, Any]:
    """What became of a write, in codes and ids."""
    return {
        "operation_id": str(row.pk),
        "verb": row.verb,
        "write_state": "done",
        "decision": row.decision,
        "reason": row.reason,
        "memory_id": str(row.memory_id) if row.memory_id else None,
        "candidate_id": str(row.candidate_id) if row.candidate_id else None,
        "superseded_ids": row.superseded_ids,
        "policy_version": row.policy_version,
        "created_at": stamp(row.created_at),
    }


def candidate(row: Candidate) -> dict[str, Any]:
    return {
        "candidate_id": str(row.pk),
        "action": row.action,
        "status": row.status,
        "awaiting": row.awaiting,
        "reason": row.reason,
        "content_hash": row.content_hash,
        "namespace": namespace(row.namespace, row.path),
        "kind": row.kind,
        "key": row.key,
        "statement": row.statement,
        "value": row.value,
        "conditions": row.conditions,
        "aliases": row.aliases,
        "valid_until": stamp(row.valid_until),
        "evidence_class": row.evidence_class,
        "provenance": row.provenance,
        "replaces_version": row.base_version,
        "policy_version": row.policy_version,
        "created_at": stamp(row.created_at),
        "lapses_at": stamp(row.lapses_at),
        "decided_at": stamp(row.decided_at),
        "memory_id": str(row.memory_id) if row.memory_id else None,
    }


def receipt(row: Erasure) -> dict[str, Any]:
    """What was forgotten, in counts and ids: no text and no digest of one."""
    last = gone.by(row)
    return {
        "id": str(row.pk),
        "state": row.state,
        "scope": row.scope,
        "memory_ids": row.memory_ids,
        "counts": row.counts,
        "progress": {"checked": row.checked, "total": row.size},
        "audit_sequence": row.audit_sequence,
        "hidden_at": stamp(row.hidden_at),
        "purged_at": stamp(row.purged_at),
        "gone_by": {"database": stamp(last.database), "backups": stamp(last.backups)} if last else None,
    }


def tool_memory(row: Memory) -> dict[str, Any]:
    """What a model is given of a found memory."""
    return {
        "memory_id": str(row.pk),
        "kind": row.kind,
        "key": row.key,
        "statement": row.statement,
        "value": row.value,
        "conditions": row.conditions,
        "source": row.provenance.get("ref"),
        "evidence_class": row.evidence_class,
        "updated_at": stamp(row.updated_at),
        "valid_until": stamp(row.valid_until),
    }


def problem_of(error: MemoryHubError) -> Mapping[str, Any]:
    """A batch item's own error."""
    return {
        "status": error.status,
        "code": error.code,
        "detail": error.detail,
        "errors": [{"pointer": one.pointer, "code": one.code, "detail": one.detail} for one in error.errors],
    }
