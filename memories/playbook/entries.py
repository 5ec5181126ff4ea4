"""What stands in the playbook: the approved ways of working of the teams, projects and agents that a caller may see."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import NotVisible
from accounts.models import AuditEvent, Membership
from accounts.principals import Principal, Scope
from memories import access, tenant_policy
from memories.models import Candidate, Memory, MemoryQuerySet, Namespace
from memories.policy import Policy
from memories.reading import ListFilter, enumerate_memories

PROCEDURE = "procedure"
ENDS_SOON = timedelta(days=30)
"""How long before its end an entry is shown as one to renew."""


def procedures(principal: Principal) -> MemoryQuerySet:
    """Every active and unexpired procedure that the caller may read; whoever shows a page of it notes the reading."""
    return enumerate_memories(principal, ListFilter(kind=PROCEDURE)).recallable(timezone.now())


def procedure(principal: Principal, memory_id: str) -> Memory:
    """One of them by its id, or NotVisible; the reading is noted."""
    return _read(principal, procedures(principal), memory_id)


def recallable(principal: Principal, chosen: ListFilter) -> MemoryQuerySet:
    """The entries that a recall could give the caller now; whoever shows a page of it notes the reading."""
    return enumerate_memories(principal, chosen).filter(of_playbook()).recallable(timezone.now())


def recallable_entry(principal: Principal, memory_id: str) -> Memory:
    """One of them by the id of its current version, or NotVisible; the reading is noted."""
    return _read(principal, recallable(principal, ListFilter()), memory_id)


def of_playbook(policy: Policy | None = None) -> Q:
    """What belongs to a team, project or agent and tells how something is done. `policy` saves asking for it again."""
    kinds = (policy or tenant_policy.active()).how_to_kinds
    return Q(kind__in=kinds) & ~Q(namespace__type=Namespace.Type.USER)


def standing(
    principal: Principal, policy: Policy | None = None, among: Sequence[Namespace] | None = None
) -> MemoryQuerySet:
    """The version that stands of each entry the caller may see: active, expired or suspended.

    `policy` and `among`, what `access.playbook` gave, save asking for these again inside one call.
    """
    principal.require(Scope.READ)
    places = access.playbook(principal) if among is None else among
    rows = Memory.objects.current().filter(of_playbook(policy), namespace__in=places)
    return rows.select_related("namespace__agent", "namespace__group")


def in_state(rows: MemoryQuerySet, state: str, now: datetime) -> MemoryQuerySet:
    """Those of one of the states of `counts`; any other name is all of them."""
    if state == "suspended":
        return rows.filter(status=Memory.Status.PAUSED)
    if state == "active":
        return rows.recallable(now)
    if state == "ending":
        return rows.recallable(now).filter(valid_until__lte=now + ENDS_SOON)
    if state == "expired":
        return rows.filter(status=Memory.Status.ACTIVE, valid_until__lte=now)
    return rows


def counts(rows: MemoryQuerySet, now: datetime) -> dict[str, int]:
    """How many are active, end soon, have expired and are suspended."""
    active, ends = Q(status=Memory.Status.ACTIVE), Q(valid_until__gt=now) | Q(valid_until=None)
    found = rows.aggregate(
        active=Count("pk", filter=active & ends),
        ending=Count("pk", filter=active & Q(valid_until__gt=now, valid_until__lte=now + ENDS_SOON)),
        expired=Count("pk", filter=active & Q(valid_until__lte=now)),
        suspended=Count("pk", filter=Q(status=Memory.Status.PAUSED)),
    )
    return dict(found)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry with all its versions, newest first, and what waits for a decision about it.

    `standing` is None once everything of it was forgotten.
    """

    versions: Sequence[Memory]
    standing: Memory | None
    waiting: Sequence[Candidate]
    may_switch: bool
    may_change: bool

    def version(self, memory_id: uuid.UUID) -> Memory:
        """A version that still has its text, or NotVisible."""
        for one in self.versions:
            if one.pk == memory_id and one.status != Memory.Status.DELETED:
                return one
        raise NotVisible


def entry(principal: Principal, memory_id: uuid.UUID | str) -> Entry:
    """The entry that a version belongs to, or NotVisible; the reading is noted."""
    principal.require(Scope.READ)
    seen = access.playbook_memory(principal, memory_id)
    rows = Memory.objects.filter(of_playbook(), slot=seen.slot).select_related("namespace__agent", "namespace__group")
    versions = list(rows.order_by("-version"))
    if not versions:
        raise NotVisible
    waiting = access.candidates(principal).filter(pk__in=Candidate.objects.waiting(timezone.now()), slot=seen.slot)
    with tenancy.atomic():
        audit.record(principal, "memory.history", target="memory", target_id=seen.pk)
    return Entry(
        versions=versions,
        standing=next((one for one in versions if one.status in Memory.CURRENT), None),
        waiting=list(waiting),
        may_switch=access.may_switch(principal, seen.namespace),
        may_change=any(one.pk == seen.namespace_id for one in access.readable(principal)),
    )


@dataclass(frozen=True, slots=True)
class Suspension:
    """When an entry was suspended, by whom and why; the reason is empty for one that was merely paused."""

    at: datetime
    by: str
    reason: str


def suspension(memory: Memory) -> Suspension | None:
    """How a suspended entry was stopped, as the audit tells it; None when it is not, or the audit no longer knows."""
    if memory.status != Memory.Status.PAUSED:
        return None
    events = AuditEvent.objects.filter(target_id=memory.pk, action__in=("memory.pause", "playbook.suspend"))
    event = events.order_by("-pk").first()
    if event is None:
        return None
    person = Membership.objects.filter(pk=event.subject_id or event.actor_id).first()
    return Suspension(event.at, person.external_id if person else "", event.reason)


def _read(principal: Principal, rows: MemoryQuerySet, memory_id: str) -> Memory:
    principal.require(Scope.READ)
    found = rows.filter(pk=access.memory(principal, memory_id).pk).first()
    if found is None:
        raise NotVisible
    with tenancy.atomic():
        audit.record(principal, "memory.read", target="memory", target_id=found.pk)
    return found
