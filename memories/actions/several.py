"""Do one thing to several memories: all of them or none, in one transaction, under one event that names them all."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import Conflict, NotVisible, StaleVersion
from accounts.principals import Principal, Scope
from memories import access, announcing, lifecycle
from memories.access import Area
from memories.actions.change import changed, is_entry
from memories.actions.forget import erase
from memories.actions.sitting import ACTIVATING, Case, Sitting
from memories.lifecycle import Part
from memories.models import Erasure, Memory

NEEDS = {"pause": Scope.FORGET, "resume": Scope.FORGET, "forget": Scope.FORGET, "renew": Scope.PROPOSE}


@dataclass(frozen=True, slots=True)
class Weighed:
    """A memory, and the reason code why the action cannot be done to it; empty when it can."""

    memory: Memory
    obstacle: str = ""


def weigh(
    principal: Principal, action: str, memory_ids: Sequence[uuid.UUID], valid_until: date | None = None
) -> list[Weighed]:
    """What an action would do to each of these: newest first, without those that the caller may not see."""
    principal.require(NEEDS[action])
    rows = visible(principal, memory_ids)
    changeable = {one.pk for one in {row.namespace for row in rows} if access.may_change(principal, one)}
    obstacles = {row.pk: _obstacle(action, row, row.namespace_id in changeable) for row in rows}
    if action == "renew" and valid_until is not None:
        free = [row for row in rows if not obstacles[row.pk]]
        obstacles |= _refusals(principal, free, valid_until)
    return [Weighed(row, obstacles[row.pk]) for row in rows]


def change_several(
    principal: Principal, action: str, seen: Mapping[uuid.UUID, int], valid_until: date | None = None
) -> Erasure | None:
    """Pause, resume, renew or forget all of these; the receipt when they were forgotten.

    Raises StaleVersion when one of them changed since it was `seen`, NotVisible when one is gone, Conflict when the
    gate does not let one be renewed; then nothing was done to any.
    """
    principal.require(NEEDS[action])
    rows = visible(principal, list(seen))
    if len(rows) != len(seen):
        raise NotVisible
    places = {row.namespace_id: row.namespace for row in rows}
    for namespace in places.values() if action != "renew" else ():
        access.require_change(principal, namespace)
    receipt = None
    with tenancy.atomic():
        access.lock(places.values())
        standing = _standing(rows, seen)
        now = timezone.now()
        if action == "forget":
            receipt = _forget(principal, standing, now)
        elif action == "renew":
            _renew(principal, standing, valid_until)
        else:
            for memory in standing:
                _switch(principal, memory, action, now)
            audit.write([audit.event(principal, f"memory.{action}", target="memory", target_id=m.pk) for m in standing])
        details = {"action": action, "items": len(standing), "memories": [str(memory.pk) for memory in standing]}
        audit.record(principal, "memory.several", details=details)
    return receipt


def _switch(principal: Principal, memory: Memory, action: str, now: datetime) -> None:
    entry = is_entry(memory)
    if action == "pause":
        lifecycle.pause(memory, now)
        if entry:
            announcing.suspended(memory, "")
        return
    if entry:
        access.require_switch(principal, memory.namespace)
    lifecycle.resume(memory, now)
    if entry:
        announcing.resumed(memory)


def visible(principal: Principal, memory_ids: Sequence[uuid.UUID]) -> list[Memory]:
    """Those of these that the caller may see and that are kept, newest first; one object for each namespace."""
    places = {one.pk: one for one in access.readable(principal)}
    rows = list(Memory.objects.kept().filter(pk__in=memory_ids, namespace__in=places).order_by("-pk"))
    for row in rows:
        row.namespace = places[row.namespace_id]
    return rows


def _standing(rows: Sequence[Memory], seen: Mapping[uuid.UUID, int]) -> list[Memory]:
    """The versions that stand now, which must be those that were seen."""
    slots = {row.slot_id: row for row in rows}
    found = list(Memory.objects.current().filter(slot__in=slots).order_by("pk"))
    if len(found) != len(slots):
        raise NotVisible
    for memory in found:
        row = slots[memory.slot_id]
        if memory.version != seen[row.pk]:
            raise StaleVersion(current_version=memory.version)
        memory.namespace = row.namespace
    return found


def _obstacle(action: str, memory: Memory, may_change: bool) -> str:
    if memory.status not in Memory.CURRENT:
        return "earlier_version"
    if action != "renew" and not may_change:
        return "not_a_maintainer"
    if action == "pause" and memory.status == Memory.Status.PAUSED:
        return "paused_already"
    if action == "resume" and memory.status == Memory.Status.ACTIVE:
        return "active_already"
    if action == "renew" and memory.valid_until is None:
        return "without_end"
    return ""


def _refusals(principal: Principal, rows: Sequence[Memory], valid_until: date) -> dict[uuid.UUID, str]:
    """Which of these the gate would not let end then, and why."""
    sitting = Sitting(principal)
    decided = zip(rows, _cases(sitting, rows, valid_until), strict=True)
    judged = ((row, sitting.judge(case)) for row, case in decided)
    return {row.pk: decision.reason for row, decision in judged if decision.outcome not in ACTIVATING}


def _renew(principal: Principal, standing: Sequence[Memory], valid_until: date | None) -> None:
    sitting = Sitting(principal)
    for case in _cases(sitting, standing, valid_until):
        decision = sitting.judge(case)
        if decision.outcome not in ACTIVATING:
            raise Conflict("One of them cannot be kept until then, so none was changed.", code=decision.reason)
        sitting.carry_out(case, decision)
    sitting.write()


def _cases(sitting: Sitting, rows: Sequence[Memory], valid_until: date | None) -> list[Case]:
    """What would be decided about each of these with another end."""
    items = [(Area(row.namespace, tuple(row.path)), changed(row, valid_until=valid_until)) for row in rows]
    drafts = [sitting.draft(area, item) for area, item in items]
    sitting.read(drafts)
    return [sitting.case(draft) for draft in drafts]


def _forget(principal: Principal, standing: Sequence[Memory], now: datetime) -> Erasure:
    slots: dict[uuid.UUID, list[uuid.UUID]] = defaultdict(list)
    for memory in standing:
        slots[memory.namespace_id].append(memory.slot_id)
    places = {memory.namespace_id: memory.namespace for memory in standing}
    parts = [Part(places[pk], slot_ids) for pk, slot_ids in slots.items()]
    erasure = Erasure(actor_id=principal.actor_id, subject_id=principal.subject_id, scope=Erasure.Scope.FILTER)
    return erase(principal, erasure, parts, now)
