"""Propose: ask the write gate, and carry its decision out. One transaction, one event."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import Conflict, InvalidInput, MemoryHubError, NotVisible
from accounts.principals import Principal, Scope
from memories import access, indexing, lifecycle, tenant_policy, write_gate
from memories.access import Area, NamespaceRef
from memories.actions.attest import CLASS_OF, handed_over, unsaved_evidence, web_form
from memories.actions.hold import hold
from memories.inputs import ProposalInput, end_of, texts_in
from memories.models import Candidate, Evidence, Memory, Namespace, Operation, Slot, SourceMarker
from memories.policy import Policy
from memories.write_gate import Decision, EvidenceClass, Outcome

ACTIVATING = (Outcome.store, Outcome.supersede)
HOLDING = (Outcome.needs_confirmation, Outcome.needs_review)


@dataclass(frozen=True, slots=True)
class Proposed:
    """What became of one proposal."""

    decision: Decision
    operation: Operation
    memory: Memory | None = None
    candidate: Candidate | None = None
    superseded: Sequence[uuid.UUID] = ()


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's yes to the exact content of a candidate: whose it is, and the event that shows it."""

    candidate: Candidate
    evidence_class: EvidenceClass
    approver_id: uuid.UUID
    evidence: Evidence


def propose(principal: Principal, item: ProposalInput, *, now: datetime | None = None) -> Proposed:
    """Ask to remember. The gate decides; a refusal is a value. What a person asks by themselves is their own word.

    Raises NotVisible for a namespace the caller may not use, Conflict for a stale `expected_version`. `now` is for
    evaluations, which judge cases at a moment of their own.
    """
    principal.require(Scope.PROPOSE)
    area = access.area(principal, item.namespace)
    with tenancy.atomic():
        access.lock([area.namespace])
        return decide(principal, area, item, now=now)


def preview(principal: Principal, item: ProposalInput) -> Proposed:
    """What the gate would say now. No row is written, not even one that is rolled back, and no event."""
    principal.require(Scope.PROPOSE)
    area = access.area(principal, item.namespace)
    case = case_of(principal, area, item)
    decision = judge(case)
    memory = case.standing if decision.outcome == Outcome.keep else None
    if decision.outcome in ACTIVATING:
        memory = lifecycle.draft(area.namespace, case.slot, case.content, case.origin, case.now)
    replaced = [case.standing.pk] if case.standing and decision.outcome in ACTIVATING else []
    return Proposed(decision, _operation(case, decision), memory=memory, superseded=replaced)


def propose_batch(
    principal: Principal, items: Sequence[ProposalInput | MemoryHubError], *, atomic: bool
) -> list[Proposed | MemoryHubError]:
    """Decide items in order. Malformed ones come in as their error; in an atomic batch one of them stops everything."""
    principal.require(Scope.PROPOSE)
    if atomic and (wrong := next((item for item in items if isinstance(item, MemoryHubError)), None)):
        raise wrong
    usable = access.readable(principal)
    with tenancy.atomic():
        access.lock(usable)
        return [
            item if isinstance(item, MemoryHubError) else _batch_item(principal, item, usable, atomic) for item in items
        ]


def _batch_item(
    principal: Principal, item: ProposalInput, usable: Sequence[Namespace], atomic: bool
) -> Proposed | MemoryHubError:
    try:
        with transaction.atomic():
            return decide(principal, access.area(principal, item.namespace, among=usable), item)
    except MemoryHubError as error:
        if atomic:
            raise
        return error


def approve(principal: Principal, approval: Approval, valid_until: datetime | date | None) -> Proposed:
    """Store what a person approved, after asking the gate again under today's policy. For `reviews.decisions` only."""
    held = approval.candidate
    ref = NamespaceRef(held.namespace.type, held.namespace.owner_name, tuple(held.path))
    item = ProposalInput(
        namespace=ref,
        kind=held.kind,
        key=held.key or "",
        statement=held.statement or "",
        value=held.value,
        conditions=held.conditions,
        aliases=tuple(held.aliases),
        reusable=True,
        said=held.said,
        valid_until=valid_until if valid_until is not None else held.valid_until,
        sensitivity=held.sensitivity or None,
    )
    return decide(principal, Area(held.namespace, ref.path), item, approval=approval)


@dataclass(frozen=True, slots=True)
class Case:
    """One proposal with everything the gate needs to know about it."""

    principal: Principal
    namespace: Namespace
    item: ProposalInput
    content: lifecycle.Content
    origin: lifecycle.Origin
    slot: Slot | None
    standing: Memory | None
    policy: Policy
    now: datetime
    entered: bool
    approval: Approval | None


def decide(
    principal: Principal,
    area: Area,
    item: ProposalInput,
    *,
    approval: Approval | None = None,
    now: datetime | None = None,
) -> Proposed:
    """Gate one proposal and carry the decision out. The caller holds the lock of the namespace."""
    case = case_of(principal, area, item, approval=approval, now=now)
    return carry_out(case, judge(case))


def carry_out(case: Case, decision: Decision) -> Proposed:
    """Do what the gate decided, and leave the operation and the event of it."""
    proposed = _kept(case, decision)
    operation, target = proposed.operation, proposed.memory or proposed.candidate
    operation.memory, operation.candidate = proposed.memory, proposed.candidate
    operation.superseded_ids = [str(pk) for pk in proposed.superseded]
    # What a key's refused proposals rested on goes with the key, so the record of them leads to it.
    operation.slot = case.slot or (target.slot if target else None)
    evidence = case.origin.evidence
    operation.evidence = evidence if evidence is not None and not evidence._state.adding else None
    operation.save()
    audit.record(
        case.principal,
        f"memory.{operation.verb}",
        outcome=operation.decision,
        reason=operation.reason,
        target=target._meta.model_name or "" if target else "",
        target_id=target.pk if target else None,
        details={"operation": str(operation.pk), "policy_version": operation.policy_version},
    )
    return proposed


def case_of(
    principal: Principal,
    area: Area,
    item: ProposalInput,
    *,
    approval: Approval | None = None,
    now: datetime | None = None,
) -> Case:
    """Read what stands, without any statement that carries the proposed text."""
    now, policy = now or timezone.now(), tenant_policy.active()
    entered = (
        principal.is_person
        and approval is None
        and item.evidence is None
        and item.evidence_id is None
        and not (item.handed_over and item.handed_over.inferred)
    )
    evidence = _evidence_of(principal, item, policy, entered, approval, now)
    rule = policy.kind(item.kind)
    content = lifecycle.Content(
        kind=rule.name if rule else item.kind,
        key=item.key,
        statement=item.statement,
        path=area.path,
        value=item.value,
        conditions=item.conditions,
        aliases=item.aliases,
        valid_until=end_of(item.valid_until, _time_zone(area.namespace)),
        sensitivity=item.sensitivity or "",
    )
    slot = lifecycle.find_slot(area.namespace, area.path, content.kind, item.key)
    standing = lifecycle.current(slot) if slot else None
    _check_version(item.expected_version, standing)
    origin = lifecycle.Origin(
        evidence_class=approval.evidence_class if approval else _class_of(evidence),
        policy_version=policy.version,
        evidence=evidence,
        said=dict(item.said) or _said(evidence),
        provenance=_provenance(principal, evidence, approval),
        proposed_by=_proposer(principal, approval),
        approved_by=approval.approver_id if approval else None,
    )
    return Case(principal, area.namespace, item, content, origin, slot, standing, policy, now, entered, approval)


def judge(case: Case) -> Decision:
    evidence = case.origin.evidence
    return write_gate.decide(
        _gate_proposal(case),
        write_gate.Evidence(
            evidence_class=EvidenceClass(case.origin.evidence_class),
            occurred_at=evidence.occurred_at if evidence else None,
            by_maintainer=access.maintains(case.principal, case.namespace),
            source_forgotten_at=_forgotten_source(case.namespace, evidence),
            cleared=case.approval is not None and case.approval.candidate.awaiting == Candidate.Awaiting.REVIEWER,
            from_file=case.item.handed_over is not None,
        ),
        case.policy,
        _gate_slot(case.slot, case.standing),
        case.now,
        approving=case.approval is not None,
    )


def _kept(case: Case, decision: Decision) -> Proposed:
    """Store, keep or hold. What is refused or routed reaches no table: not the text, not its evidence."""
    proposed = Proposed(decision, _operation(case, decision))
    if decision.outcome not in (*ACTIVATING, *HOLDING, Outcome.keep):
        return proposed
    evidence = case.origin.evidence
    if decision.outcome not in HOLDING and evidence is not None and evidence._state.adding:
        evidence.save()
    if decision.outcome == Outcome.keep and case.standing is not None:
        lifecycle.confirm(case.standing, evidence)
        return replace(proposed, memory=case.standing)
    slot = case.slot or lifecycle.make_slot(case.namespace, case.content)
    if decision.outcome in ACTIVATING:
        memory = lifecycle.store(slot, case.standing, case.content, case.origin, case.now)
        if case.item.handed_over and case.item.handed_over.paused:
            lifecycle.pause(memory, case.now)
        indexing.soon()
        return replace(proposed, memory=memory, superseded=[case.standing.pk] if case.standing else [])
    held = hold(
        case.principal,
        slot,
        case.content,
        case.origin,
        awaiting=decision.awaiting or Candidate.Awaiting.OWNER,
        reason=decision.reason,
        base_version=case.standing.version if case.standing else None,
        lapses_at=case.now + timedelta(days=case.policy.retention.candidate_days),
    )
    return replace(proposed, candidate=held)


def _operation(case: Case, decision: Decision) -> Operation:
    """The unsaved record of what became of this write: codes and ids."""
    return Operation(
        actor_id=case.principal.actor_id,
        subject_id=case.principal.subject_id,
        verb="approve" if case.approval else "propose",
        decision=decision.outcome,
        reason=decision.reason,
        checks=[{"rule": check.rule, "passed": check.passed, "code": check.code} for check in decision.checks],
        topic=decision.topic.name if decision.topic else "",
        policy_version=case.policy.version,
        created_at=case.now,
    )


def _class_of(evidence: Evidence | None) -> EvidenceClass:
    return CLASS_OF[Evidence.Type(evidence.type)] if evidence else EvidenceClass.model_inference


def _proposer(principal: Principal, approval: Approval | None) -> uuid.UUID | None:
    if approval is None:
        return principal.actor_id
    return approval.candidate.agent_id or approval.candidate.subject_id


def _evidence_of(
    principal: Principal, item: ProposalInput, policy: Policy, entered: bool, approval: Approval | None, now: datetime
) -> Evidence | None:
    if approval is not None:
        return approval.evidence
    if item.handed_over is not None:
        vouched = entered or (principal.may(Scope.ATTEST) and not item.handed_over.inferred)
        return handed_over(principal) if vouched else None
    if entered:
        return web_form(principal, now)
    if item.evidence is not None:
        try:
            return unsaved_evidence(principal, item.evidence, policy)
        except InvalidInput as error:
            raise InvalidInput(
                error.detail,
                code=error.code,
                errors=[replace(one, pointer=f"evidence.{one.pointer}") for one in error.errors],
            ) from None
    if item.evidence_id is None:
        return None
    try:
        return access.evidence(principal, item.evidence_id)
    except NotVisible:
        raise InvalidInput.field(
            "evidence_id", "There is no such evidence for this caller.", "unknown_evidence"
        ) from None


def _gate_proposal(case: Case) -> write_gate.Proposal:
    """The proposal as the gate reads it, with every free text that would be kept."""
    item, principal = case.item, case.principal
    texts = {
        "statement": item.statement,
        "key": item.key,
        "kind": item.kind,
        "conditions": item.conditions or "",
        "MemoryHub-Run": principal.run_id,
        "MemoryHub-Thread": principal.thread_id,
        **texts_in("value", item.value),
        **texts_in("aliases", item.aliases),
        **texts_in("namespace.path", case.content.path),
        **texts_in("said", dict(case.origin.said)),
    }
    return write_gate.Proposal(
        namespace_type=case.namespace.type,
        kind=case.content.kind,
        key=item.key,
        statement=item.statement,
        value=item.value,
        conditions=item.conditions,
        aliases=item.aliases,
        valid_until=case.content.valid_until,
        reusable=item.reusable,
        sensitivity=item.sensitivity,
        entered_by_person=case.entered,
        free_texts={name: text for name, text in texts.items() if text},
    )


def _gate_slot(slot: Slot | None, standing: Memory | None) -> write_gate.Slot:
    current = None
    if standing is not None:
        current = write_gate.Current(
            memory_id=str(standing.pk),
            version=standing.version,
            statement=standing.statement or "",
            value=standing.value,
            conditions=standing.conditions,
            valid_until=standing.valid_until,
            evidence_class=EvidenceClass(standing.evidence_class),
            status=standing.status,
        )
    return write_gate.Slot(current=current, forgotten_at=slot.forgotten_at if slot else None)


def _forgotten_source(namespace: Namespace, evidence: Evidence | None) -> datetime | None:
    if evidence is None or evidence.type in Evidence.OWN_ACTS:
        return None
    markers = SourceMarker.objects.filter(namespace=namespace, source_digest=evidence.source_digest)
    return markers.values_list("forgotten_at", flat=True).first()


def _check_version(expected: int | None, standing: Memory | None) -> None:
    if expected is None:
        return
    version = standing.version if standing else 0
    if expected != version:
        raise Conflict("Another version is current.", code="version_conflict", current_version=version)


def _said(evidence: Evidence | None) -> dict[str, Any]:
    """When and by whom it was said, as the evidence tells it."""
    if evidence is None or evidence.type in Evidence.OWN_ACTS:
        return {}
    said = {"thread": evidence.thread, "sequence": evidence.sequence, "speaker": evidence.speaker}
    if evidence.occurred_at is not None:
        said["at"] = evidence.occurred_at.astimezone(UTC).isoformat()
    return {name: value for name, value in said.items() if value not in ("", None)}


def _provenance(principal: Principal, evidence: Evidence | None, approval: Approval | None) -> dict[str, Any]:
    """Where it comes from, as the memory will tell it."""
    held = approval.candidate.provenance if approval else {}
    found = {
        "evidence_type": evidence.type if evidence else None,
        "ref": evidence.ref if evidence else None,
        "run_id": principal.run_id,
        "thread_id": principal.thread_id or (evidence.thread if evidence else ""),
    }
    return {**held, **{name: value for name, value in found.items() if value}}


def _time_zone(namespace: Namespace) -> str:
    owner = namespace.membership.time_zone if namespace.membership else ""
    return owner or namespace.tenant.time_zone
