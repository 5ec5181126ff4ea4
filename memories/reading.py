"""The verbs that read what is kept, without asking a question: one by its id or key, its history, lists. Each leaves
an event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import NotVisible
from accounts.principals import Principal, Scope
from memories import access, tenant_policy
from memories.access import NamespaceRef
from memories.models import Memory, MemoryQuerySet, Namespace
from memories.paths import path_key


def read(principal: Principal, memory_id: str) -> Memory:
    """One version by its id; a tombstone tells no text."""
    principal.require(Scope.READ)
    memory = access.memory(principal, memory_id)
    _note_read(principal, "memory.read", memory)
    return memory


def lookup(principal: Principal, ref: NamespaceRef, kind: str, key: str) -> Memory:
    """The valid memory of an exact key, or NotVisible."""
    principal.require(Scope.READ)
    area = access.area(principal, ref)
    rule = tenant_policy.active().kind(kind)
    found = (
        with_owner(Memory.objects.recallable(timezone.now()))
        .filter(namespace=area.namespace, path_key=path_key(area.path), kind=rule.name if rule else kind, key=key)
        .first()
    )
    if found is None:
        raise NotVisible
    _note_read(principal, "memory.lookup", found)
    return found


def history(principal: Principal, memory_id: str) -> list[Memory]:
    """Every version of the key of a memory, newest first; forgotten ones without text."""
    principal.require(Scope.READ)
    memory = access.memory(principal, memory_id)
    versions = list(with_owner(Memory.objects.filter(slot=memory.slot)).order_by("-version"))
    _note_read(principal, "memory.history", memory)
    return versions


@dataclass(frozen=True, slots=True)
class ListFilter:
    """Which memories to enumerate; fields narrow each other."""

    namespace: NamespaceRef | None = None
    kind: str | None = None
    key: str | None = None
    status: str | None = None
    q: str | None = None
    updated_since: datetime | None = None


def enumerate_memories(
    principal: Principal, chosen: ListFilter, among: Sequence[Namespace] | None = None
) -> MemoryQuerySet:
    """Everything the filter selects, unranked and complete; logged as a read by the caller's page.

    `among`: the namespaces that the caller may read, where that was asked before.
    """
    principal.require(Scope.READ)
    areas = access.areas(principal, (chosen.namespace,) if chosen.namespace else None, among)
    found = with_owner(Memory.objects.kept()).filter(namespace__in=[area.namespace for area in areas])
    if chosen.namespace:
        found = found.within(chosen.namespace.path)
    if chosen.kind is not None:
        rule = tenant_policy.active().kind(chosen.kind)
        found = found.filter(kind=rule.name if rule else chosen.kind)
    if chosen.key is not None:
        found = found.filter(key=chosen.key)
    if chosen.status is not None:
        found = found.filter(status=chosen.status)
    if chosen.updated_since is not None:
        found = found.filter(updated_at__gte=chosen.updated_since)
    if chosen.q is not None:
        found = found.saying(chosen.q)
    return found


def note_listing(principal: Principal, count: int) -> None:
    """The event of an enumeration: who read how many."""
    with tenancy.atomic():
        audit.record(principal, "memory.list", details={"items": count})


def with_owner(rows_: MemoryQuerySet) -> MemoryQuerySet:
    return rows_.select_related("namespace__membership", "namespace__agent", "namespace__group", "evidence")


def _note_read(principal: Principal, action: str, memory: Memory) -> None:
    with tenancy.atomic():
        audit.record(principal, action, target="memory", target_id=memory.pk)
