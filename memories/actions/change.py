"""Change what is remembered: correct, renew, pause, resume."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import NotVisible, StaleVersion
from accounts.principals import Principal, Scope
from memories import access, lifecycle
from memories.access import Area, NamespaceRef
from memories.actions.propose import decide
from memories.actions.sitting import Proposed
from memories.inputs import ProposalInput
from memories.models import Memory


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
        statement=changes.get("statement", memory.statement),
        value=changes.get("value", memory.value),
        conditions=changes.get("conditions", memory.conditions),
        aliases=tuple(memory.aliases),
        evidence_id=evidence_id,
        reusable=True,
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


def pause(principal: Principal, memory_id: str, *, expected_version: int | None = None) -> Memory:
    """Take a memory out of recall without forgetting it."""
    return _switch(principal, memory_id, expected_version, "memory.pause")


def resume(principal: Principal, memory_id: str, *, expected_version: int | None = None) -> Memory:
    """Bring a paused memory back into recall."""
    return _switch(principal, memory_id, expected_version, "memory.resume")


def _switch(principal: Principal, memory_id: str, expected_version: int | None, action: str) -> Memory:
    principal.require(Scope.FORGET)
    seen = access.memory(principal, memory_id)
    access.require_change(principal, seen.namespace)
    with tenancy.atomic():
        access.lock([seen.namespace])
        standing = standing_of(seen, expected_version)
        (lifecycle.pause if action == "memory.pause" else lifecycle.resume)(standing, timezone.now())
        audit.record(principal, action, target="memory", target_id=standing.pk)
    return standing


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
