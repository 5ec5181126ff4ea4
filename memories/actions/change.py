"""Change what is remembered: correct, renew, pause, resume, suspend and reinstate what stands in the playbook."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import InvalidInput, NotVisible, StaleVersion
from accounts.principals import Principal, Scope
from memories import access, announcing, lifecycle, tenant_policy
from memories.access import Area, NamespaceRef
from memories.actions.propose import decide
from memories.actions.sitting import Proposed
from memories.inputs import ProposalInput
from memories.models import Memory, Namespace

SUSPENSIONS = ("harmful", "wrong", "outdated", "contradicted", "under_review")
"""Why an entry of the playbook may be suspended; codes, since a reason in words could repeat what was remembered."""


def correct(
    principal: Principal,
    memory_id: str,
    changes: Mapping[str, Any],
    *,
    expected_version: int | None,
    evidence_id: str | None = None,
) -> Proposed:
    """Replace what a memory says; unmentioned fields stay. Passes the gate like any proposal.

    Raises StaleVersion when `expected_version` is not the key's current version, Conflict for a forgotten one.
    """
    principal.require(Scope.PROPOSE)
    seen = access.memory(principal, memory_id)
    with tenancy.atomic():
        access.lock([seen.namespace])
        standing = standing_of(seen, expected_version)
        item = changed(standing, evidence_id=evidence_id, **changes)
        return decide(principal, Area(standing.namespace, tuple(standing.path)), item)


def changed(memory: Memory, *, evidence_id: str | None = None, **changes: Any) -> ProposalInput:
    """A proposal to put these changes over a memory; what they do not name stays."""
    return ProposalInput(
        namespace=NamespaceRef(memory.namespace.type, memory.namespace.owner_name, tuple(memory.path)),
        kind=memory.kind,
        key=memory.key or "",
        statement=changes.get("statement", memory.statement) or "",
        value=changes.get("value", memory.value),
        conditions=changes.get("conditions", memory.conditions),
        aliases=tuple(memory.aliases),
        evidence_id=evidence_id,
        reusable=True,
        end_is_settled=True,
        valid_until=changes.get("valid_until", memory.valid_until),
        sensitivity=changes.get("sensitivity", memory.sensitivity or None),
    )


def renew(
    principal: Principal,
    memory_id: str,
    valid_until: datetime | date,
    *,
    expected_version: int | None = None,
    evidence_id: str | None = None,
) -> Proposed:
    """Confirm a memory anew until a later end: a correction of nothing but the end, with fresh evidence."""
    version = (
        expected_version if expected_version is not None else _current_version(access.memory(principal, memory_id))
    )
    return correct(
        principal,
        memory_id,
        {"valid_until": valid_until},
        expected_version=version,
        evidence_id=evidence_id,
    )


def roll_back(
    principal: Principal,
    version_id: str,
    *,
    expected_version: int | None,
    valid_until: datetime | date | None = None,
    evidence_id: str | None = None,
) -> Proposed:
    """Propose what an earlier version said as a new version. History stays as it was.

    It passes the gate like any correction: where only a reviewer's word counts it waits for a reviewer who is not the
    one asking. Whoever cannot wait suspends. Raises NotVisible for a version that was forgotten, Forbidden for whoever
    may not switch it.
    """
    earlier = access.memory(principal, version_id)
    access.require_switch(principal, earlier.namespace)
    if earlier.status == Memory.Status.DELETED:
        raise NotVisible
    changes = {"statement": earlier.statement, "value": earlier.value, "conditions": earlier.conditions}
    if valid_until is not None:
        changes["valid_until"] = valid_until
    with tenancy.atomic():
        proposed = correct(principal, version_id, changes, expected_version=expected_version, evidence_id=evidence_id)
        details = {"to_version": earlier.version, "decision": proposed.decision.outcome}
        audit.record(principal, "playbook.roll_back", target="memory", target_id=earlier.pk, details=details)
    return proposed


def pause(principal: Principal, memory_id: str, *, expected_version: int | None = None) -> Memory:
    """Take a memory out of recall without forgetting it."""
    return _switch(principal, _changeable(principal, memory_id), expected_version, "memory.pause")


def resume(principal: Principal, memory_id: str, *, expected_version: int | None = None) -> Memory:
    """Bring a paused memory back into recall; an entry of the playbook only by who may switch it."""
    seen = _changeable(principal, memory_id)
    if is_entry(seen):
        access.require_switch(principal, seen.namespace)
    return _switch(principal, seen, expected_version, "memory.resume")


def _changeable(principal: Principal, memory_id: str) -> Memory:
    principal.require(Scope.FORGET)
    seen = access.memory(principal, memory_id)
    access.require_change(principal, seen.namespace)
    return seen


def suspend(principal: Principal, memory_id: str, reason: str, *, expected_version: int | None = None) -> Memory:
    """Stop an entry of the playbook: no recall that begins after this returns gives it, in whatever process.

    `reason` is one of `SUSPENSIONS`. Raises Forbidden for whoever may not switch it, StaleVersion for a seen version
    that is not the current one.
    """
    if reason not in SUSPENSIONS:
        raise InvalidInput.field("reason", "Say why, with one of the known reasons.", "invalid_choice")
    return _switch_entry(principal, memory_id, expected_version, "playbook.suspend", reason)


def reinstate(principal: Principal, memory_id: str, *, expected_version: int | None = None) -> Memory:
    """Bring a suspended entry of the playbook back."""
    return _switch_entry(principal, memory_id, expected_version, "playbook.resume", "")


def _switch_entry(
    principal: Principal, memory_id: str, expected_version: int | None, action: str, reason: str
) -> Memory:
    principal.require(Scope.FORGET)
    seen = access.playbook_memory(principal, memory_id)
    if not is_entry(seen):
        raise NotVisible
    access.require_switch(principal, seen.namespace)
    return _switch(principal, seen, expected_version, action, reason)


def _switch(principal: Principal, seen: Memory, expected_version: int | None, action: str, reason: str = "") -> Memory:
    with tenancy.atomic():
        access.lock([seen.namespace])
        standing = standing_of(seen, expected_version)
        (lifecycle.resume if action.endswith(".resume") else lifecycle.pause)(standing, timezone.now())
        audit.record(principal, action, reason=reason, target="memory", target_id=standing.pk)
        if is_entry(standing) and action.endswith(".resume"):
            announcing.resumed(standing)
        elif is_entry(standing):
            announcing.suspended(standing, reason)
    return standing


def is_entry(memory: Memory) -> bool:
    """Whether it stands in the playbook."""
    shared = memory.namespace.type != Namespace.Type.USER
    return shared and memory.kind in tenant_policy.active().how_to_kinds


def standing_of(seen: Memory, expected_version: int | None) -> Memory:
    """The version that now stands for the key of a memory seen before the lock."""
    standing = lifecycle.current(seen.slot)
    if standing is None:
        raise NotVisible
    if expected_version is not None and expected_version != standing.version:
        raise StaleVersion(current_version=standing.version)
    standing.namespace = seen.namespace
    return standing


def _current_version(memory: Memory) -> int:
    standing = lifecycle.current(memory.slot)
    if standing is None:
        raise NotVisible
    return standing.version
