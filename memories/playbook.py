"""The playbook: the procedures that stand now, for the agents and teams they were approved for."""

from __future__ import annotations

from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import NotVisible
from accounts.principals import Principal, Scope
from memories import access
from memories.models import Memory, MemoryQuerySet
from memories.recalling import ListFilter, enumerate_memories

PROCEDURE = "procedure"


def procedures(principal: Principal) -> MemoryQuerySet:
    """Every active and unexpired procedure that the caller may read; whoever shows a page of it notes the reading."""
    return enumerate_memories(principal, ListFilter(kind=PROCEDURE)).recallable(timezone.now())


def procedure(principal: Principal, memory_id: str) -> Memory:
    """One of them by its id, or NotVisible; the reading is noted."""
    principal.require(Scope.READ)
    found = procedures(principal).filter(pk=access.memory(principal, memory_id).pk).first()
    if found is None:
        raise NotVisible
    with tenancy.atomic():
        audit.record(principal, "memory.read", target="memory", target_id=found.pk)
    return found
