"""Hold: keep a proposal for the person who must decide, with a hash of exactly what that person is shown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from accounts import secrets
from accounts.errors import Conflict
from accounts.principals import Principal
from memories import announcing, lifecycle
from memories.models import Candidate, Namespace, Slot
from memories.paths import path_key


def hold(
    principal: Principal,
    slot: Slot,
    content: lifecycle.Content,
    origin: lifecycle.Origin,
    *,
    awaiting: str,
    reason: str,
    base_version: int | None,
    lapses_at: datetime,
) -> Candidate:
    """Make it wait. The same content waits only once: asked again it waits longer, and new evidence is not kept, since
    no row would lead to it when the key is forgotten."""
    content_hash = content_hash_of(slot.namespace, content)
    waiting = Candidate.objects.filter(
        slot=slot,
        action=Candidate.Action.REMEMBER,
        content_hash=content_hash,
        awaiting=awaiting,
        status=Candidate.Status.PENDING,
    ).first()
    if waiting is not None:
        Candidate.objects.filter(pk=waiting.pk).update(lapses_at=lapses_at)
        return waiting
    for row in (slot, origin.evidence):
        if row is not None and row._state.adding:
            row.save()
    held = Candidate.objects.create(
        namespace=slot.namespace,
        slot=slot,
        subject_id=principal.subject_id,
        agent_id=principal.agent_id,
        awaiting=awaiting,
        reason=reason,
        content_hash=content_hash,
        kind=content.kind,
        key=content.key,
        path=list(content.path),
        statement=content.statement,
        value=content.value,
        conditions=content.conditions,
        aliases=list(content.aliases),
        evidence=origin.evidence,
        evidence_class=origin.evidence_class,
        said=dict(origin.said),
        provenance=dict(origin.provenance),
        sensitivity=content.sensitivity,
        valid_until=content.valid_until,
        base_version=base_version,
        policy_version=origin.policy_version,
        lapses_at=lapses_at,
    )
    announcing.waiting(held)
    return held


def reword_held(candidate: Candidate, changes: Mapping[str, Any]) -> None:
    """Let it wait with other words, which the gate has agreed to: other content, so another hash to bind a yes to."""
    for name, words in changes.items():
        setattr(candidate, name, words)
    content = lifecycle.Content(
        kind=candidate.kind,
        key=candidate.key or "",
        statement=candidate.statement or "",
        path=tuple(candidate.path),
        value=candidate.value,
        conditions=candidate.conditions,
        aliases=tuple(candidate.aliases),
        valid_until=candidate.valid_until,
    )
    candidate.content_hash = content_hash_of(candidate.namespace, content)
    same = Candidate.objects.filter(
        slot=candidate.slot,
        action=candidate.action,
        content_hash=candidate.content_hash,
        awaiting=candidate.awaiting,
        status=Candidate.Status.PENDING,
    )
    if same.exclude(pk=candidate.pk).exists():
        raise Conflict("Exactly this waits already.", code="waits_already")
    candidate.save(update_fields=[*changes, "content_hash"])


def content_hash_of(namespace: Namespace, content: lifecycle.Content) -> str:
    """A keyed digest of exactly what a person is shown; approval is bound to it."""
    shown = {
        "namespace": str(namespace.pk),
        "path": path_key(content.path),
        "kind": content.kind,
        "key": content.key,
        "statement": content.statement,
        "value": content.value,
        "conditions": content.conditions,
        "aliases": list(content.aliases),
        "valid_until": content.valid_until.timestamp() if content.valid_until else None,
    }
    return secrets.fingerprint("candidate", shown)
