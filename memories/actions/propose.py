"""Propose: ask the write gate, and carry its decision out. One transaction, one event for each proposal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any, TypeVar

from accounts import tenancy
from accounts.errors import MemoryHubError
from accounts.principals import Principal, Scope
from memories import access, lifecycle
from memories.access import Area, NamespaceRef
from memories.actions.sitting import ACTIVATING, Approval, Draft, Proposed, Sitting
from memories.inputs import ProposalInput
from memories.models import Candidate
from memories.write_gate import Decision, Outcome

Given = TypeVar("Given")
Made = TypeVar("Made")


def propose(principal: Principal, item: ProposalInput, *, now: datetime | None = None) -> Proposed:
    """Ask to remember. The gate decides; a refusal is a value. What a person asks by themselves is their own word.

    Raises NotVisible for a namespace the caller may not use, Conflict for a stale `expected_version`. `now` is for
    evaluations, which judge cases at a moment of their own.
    """
    principal.require(Scope.PROPOSE)
    area = access.area(principal, item.namespace, access.usable(principal))
    with tenancy.atomic():
        access.lock([area.namespace])
        return decide(principal, area, item, now=now)


def preview(principal: Principal, item: ProposalInput) -> Proposed:
    """What the gate would say now. No row is written, not even one that is rolled back, and no event."""
    principal.require(Scope.PROPOSE)
    area = access.area(principal, item.namespace, access.usable(principal))
    sitting = Sitting(principal)
    case = sitting.case(sitting.draft(area, item))
    decision = sitting.judge(case)
    memory = case.standing if decision.outcome == Outcome.keep else None
    if decision.outcome in ACTIVATING:
        memory = lifecycle.draft(area.namespace, case.slot, case.draft.content, case.draft.origin, sitting.now)
    replaced = [case.standing.pk] if case.standing and decision.outcome in ACTIVATING else []
    return Proposed(decision, sitting.operation(case, decision), memory=memory, superseded=replaced)


def propose_batch(
    principal: Principal, items: Sequence[ProposalInput | MemoryHubError], *, atomic: bool
) -> list[Proposed | MemoryHubError]:
    """Decide items in order. Malformed ones come in as their error; in an atomic batch one of them stops everything."""
    principal.require(Scope.PROPOSE)
    usable = access.usable(principal)

    def attempt(step: Callable[[Given], Made], given: Given | MemoryHubError) -> Made | MemoryHubError:
        try:
            return given if isinstance(given, MemoryHubError) else step(given)
        except MemoryHubError as error:
            if atomic:
                raise
            return error

    if atomic and (wrong := next((item for item in items if isinstance(item, MemoryHubError)), None)):
        raise wrong
    with tenancy.atomic():
        access.lock(usable)
        sitting = Sitting(principal)
        drafts = [
            attempt(lambda one: sitting.draft(access.area(principal, one.namespace, among=usable), one), item)
            for item in items
        ]
        sitting.read([draft for draft in drafts if isinstance(draft, Draft)])
        proposed = [attempt(sitting.decide, draft) for draft in drafts]
        sitting.write()
    return proposed


def approve(principal: Principal, approval: Approval, valid_until: datetime | date | None) -> Proposed:
    """Store what a person approved, after asking the gate again under today's policy. For `reviews.decisions` only."""
    item = held_item(approval.candidate, valid_until)
    return decide(principal, Area(approval.candidate.namespace, item.namespace.path), item, approval=approval)


def foresee_approval(
    principal: Principal,
    approval: Approval,
    valid_until: datetime | date | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Decision:
    """What the gate would say to that approval now, with other words for some parts. Nothing is written."""
    item = replace(held_item(approval.candidate, valid_until), **(changes or {}))
    sitting = Sitting(principal, approval=approval)
    area = Area(approval.candidate.namespace, item.namespace.path)
    return sitting.judge(sitting.case(sitting.draft(area, item)))


def held_item(held: Candidate, valid_until: datetime | date | None = None) -> ProposalInput:
    """What waits, as the proposal that it was."""
    return ProposalInput(
        namespace=NamespaceRef(held.namespace.type, held.namespace.owner_name, tuple(held.path)),
        kind=held.kind,
        key=held.key or "",
        statement=held.statement or "",
        value=held.value,
        conditions=held.conditions,
        aliases=tuple(held.aliases),
        reusable=True,
        end_is_settled=True,
        said=held.said,
        valid_until=valid_until if valid_until is not None else held.valid_until,
        sensitivity=held.sensitivity or None,
    )


def decide(
    principal: Principal,
    area: Area,
    item: ProposalInput,
    *,
    approval: Approval | None = None,
    now: datetime | None = None,
) -> Proposed:
    """Gate one proposal and carry the decision out. The caller holds the lock of the namespace."""
    sitting = Sitting(principal, approval=approval, now=now)
    proposed = sitting.decide(sitting.draft(area, item))
    sitting.write()
    return proposed
