"""A sitting of the write gate: what is proposed, what stands there, what is decided, and what is written of it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from accounts import audit
from accounts.errors import Conflict, InvalidInput, NotVisible
from accounts.models import AuditEvent
from accounts.principals import Principal, Scope
from memories import access, announcing, indexing, lifecycle, procedures, tenant_policy, write_gate
from memories.access import Area
from memories.actions.attest import CLASS_OF, handed_over, sources_of, unsaved_evidence, web_form
from memories.actions.hold import hold
from memories.actions.standing import Standing
from memories.inputs import ProposalInput, day_after, end_of, texts_in
from memories.models import Candidate, Evidence, Memory, Namespace, Operation, Slot
from memories.policy import HOW_TO, KindRule
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


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposal as it would be kept, before anything that stands was looked at."""

    namespace: Namespace
    item: ProposalInput
    content: lifecycle.Content
    origin: lifecycle.Origin
    digest: str
    sources: Sequence[str]
    entered: bool
    end_by_wish: bool


@dataclass(frozen=True, slots=True)
class Case:
    """A draft, and what stands where it would go."""

    draft: Draft
    slot: Slot | None
    standing: Memory | None


class Sitting:
    """Decides proposals one after the other, at one moment and under one policy, and writes what follows together.

    A later proposal sees what an earlier one did. Nothing is written before `write`, which the caller must call.
    """

    def __init__(self, principal: Principal, *, approval: Approval | None = None, now: datetime | None = None) -> None:
        self.now = now or timezone.now()
        self.principal = principal
        self._approval = approval
        self._policy = tenant_policy.active()
        self._standing = Standing(principal, None if approval else principal.agent_id)
        self._pending = lifecycle.Pending()
        self._operations: list[Operation] = []
        self._events: list[AuditEvent] = []

    def draft(self, area: Area, item: ProposalInput) -> Draft:
        """What would be kept, found out without any statement that carries the proposed text.

        Raises InvalidInput when it means to be a procedure in steps and is not well formed.
        """
        principal, approval = self.principal, self._approval
        if area.namespace.membership is not None and not area.namespace.membership.is_active:
            raise NotVisible  # forgotten since the caller was let in
        entered = principal.is_person and approval is None and item.evidence is None and item.evidence_id is None
        entered = entered and not (item.handed_over and item.handed_over.inferred)
        evidence = approval.evidence if approval else self._evidence_of(item, entered)
        rule = self._policy.kind(item.kind)
        if rule is not None and rule.style == HOW_TO:
            procedures.check(item.value)
        days = None if rule is None else self._days_wished(area.namespace, item, rule)
        until = item.valid_until if days is None else day_after(self.now, days, area.namespace.time_zone)
        content = lifecycle.Content(
            kind=rule.name if rule else item.kind,
            key=item.key,
            statement=item.statement,
            path=area.path,
            value=item.value,
            conditions=item.conditions,
            aliases=item.aliases,
            valid_until=end_of(until, area.namespace.time_zone),
            sensitivity=item.sensitivity or "",
        )
        origin = lifecycle.Origin(
            evidence_class=approval.evidence_class if approval else _class_of(evidence),
            policy_version=self._policy.version,
            evidence=evidence,
            said=dict(item.said) or _said(evidence),
            provenance=_provenance(principal, evidence, approval) | _found_by(item),
            proposed_by=_proposer(principal, approval),
            approved_by=approval.approver_id if approval else None,
        )
        digest = lifecycle.slot_digest(area.namespace, area.path, content.kind, item.key)
        sources = sources_of(principal, evidence)
        return Draft(area.namespace, item, content, origin, digest, sources, entered, days is not None)

    def _days_wished(self, namespace: Namespace, item: ProposalInput, rule: KindRule) -> int | None:
        """After how many days this ends because its owner wants that of the kind; None where an end was named."""
        if item.valid_until is not None or item.end_is_settled or namespace.membership is None:
            return None
        return self._standing.wishes(namespace, self._about()).days_of(rule)

    def _evidence_of(self, item: ProposalInput, entered: bool) -> Evidence | None:
        """The event that a proposal rests on: handed in with it, attested before, or the caller's own act."""
        principal = self.principal
        if item.handed_over is not None:
            vouched = entered or (principal.may(Scope.ATTEST) and not item.handed_over.inferred)
            return handed_over(principal) if vouched else None
        if entered:
            return web_form(principal, self.now)
        if item.evidence is not None:
            try:
                return unsaved_evidence(principal, item.evidence, self._policy, self._standing.wishes_of_subject())
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

    def read(self, drafts: Sequence[Draft]) -> None:
        """Read at once what stands where these would go."""
        sources = [(draft.namespace, source) for draft in drafts for source in draft.sources]
        self._standing.read([(draft.namespace, draft.digest) for draft in drafts], sources)

    def case(self, draft: Draft) -> Case:
        slot = self._standing.slot(draft.namespace, draft.digest)
        standing = self._standing.current(slot)
        _check_version(draft.item.expected_version, standing)
        return Case(draft, slot, standing)

    def decide(self, draft: Draft) -> Proposed:
        """Gate one draft, and do what the gate decides."""
        case = self.case(draft)
        return self.carry_out(case, self.judge(case))

    def carry_out(self, case: Case, decision: Decision) -> Proposed:
        """Do what was decided, with its operation and event: `write` writes it, what waits for a person at once."""
        proposed = self._kept(case, decision)
        operation, target = proposed.operation, proposed.memory or proposed.candidate
        operation.memory, operation.candidate = proposed.memory, proposed.candidate
        operation.superseded_ids = [str(pk) for pk in proposed.superseded]
        # What a key's refused proposals rested on goes with the key, so the record of them leads to it.
        operation.slot = case.slot or (target.slot if target else None)
        evidence = case.draft.origin.evidence
        operation.evidence = evidence if evidence is not None and self._pending.keeps(evidence) else None
        self._operations.append(operation)
        self._events.append(
            audit.event(
                self.principal,
                f"memory.{operation.verb}",
                outcome=operation.decision,
                reason=operation.reason,
                target=target._meta.model_name or "" if target else "",
                target_id=target.pk if target else None,
                details={"operation": str(operation.pk), "policy_version": operation.policy_version},
            )
        )
        return proposed

    def judge(self, case: Case) -> Decision:
        draft = case.draft
        evidence = draft.origin.evidence
        markers = self._standing.forgotten_sources(draft.namespace, draft.sources)
        return write_gate.decide(
            _gate_proposal(self.principal, draft),
            write_gate.Evidence(
                evidence_class=EvidenceClass(draft.origin.evidence_class),
                occurred_at=evidence.occurred_at if evidence else None,
                by_maintainer=self._standing.maintains(draft.namespace),
                source_forgotten_at=max((one.forgotten_at for one in markers), default=None),
                source_closed=any(one.whole for one in markers),
                cleared=self._approval is not None and self._approval.candidate.awaiting == Candidate.Awaiting.REVIEWER,
                from_file=draft.item.handed_over is not None,
            ),
            self._policy,
            _gate_slot(case.slot, case.standing),
            self.now,
            approving=self._approval is not None,
            wishes=self._standing.wishes(draft.namespace, self._about()),
        )

    def _about(self) -> uuid.UUID | None:
        """The person for whom an agent proposes this, or proposed it. People know what they propose."""
        if self._approval is not None:
            held = self._approval.candidate
            return held.subject_id if held.agent_id else None
        return self.principal.subject_id if self.principal.agent_id else None

    def write(self) -> None:
        """Write what was decided since the last time, and the events of it."""
        self._pending.write()
        Operation.objects.bulk_create(self._operations)
        audit.write(self._events)
        if self._pending.has_versions:
            indexing.soon()
        self._pending, self._operations, self._events = lifecycle.Pending(), [], []

    def _kept(self, case: Case, decision: Decision) -> Proposed:
        """Store, keep or hold. What is refused or routed reaches no table: not the text, not its evidence."""
        proposed = Proposed(decision, self.operation(case, decision))
        content, origin = case.draft.content, case.draft.origin
        if decision.outcome == Outcome.keep and case.standing is not None:
            self._pending.keep(origin.evidence)
            self._pending.confirm(case.standing, origin.evidence)
            return replace(proposed, memory=case.standing)
        slot = case.slot or lifecycle.make_slot(case.draft.namespace, content)
        if decision.outcome in ACTIVATING:
            self._pending.keep(origin.evidence)
            memory = self._pending.store(slot, case.standing, content, origin, self.now)
            if case.draft.item.handed_over and case.draft.item.handed_over.paused:
                self._pending.pause(memory, self.now)
            self._standing.take(slot, memory)
            announcing.published(memory, self._policy)
            return replace(proposed, memory=memory, superseded=[case.standing.pk] if case.standing else [])
        if decision.outcome not in HOLDING:
            return proposed
        self.write()  # the same may wait already, and may rest on what was decided before
        held = hold(
            self.principal,
            slot,
            content,
            origin,
            awaiting=decision.awaiting or Candidate.Awaiting.OWNER,
            reason=decision.reason,
            base_version=case.standing.version if case.standing else None,
            lapses_at=self.now + timedelta(days=self._policy.retention.candidate_days),
        )
        self._standing.take(slot, case.standing)
        return replace(proposed, candidate=held)

    def operation(self, case: Case, decision: Decision) -> Operation:
        """The unsaved record of what became of this write: codes and ids."""
        return Operation(
            actor_id=self.principal.actor_id,
            subject_id=self.principal.subject_id,
            verb="approve" if self._approval else "propose",
            decision=decision.outcome,
            reason=decision.reason,
            checks=[{"rule": check.rule, "passed": check.passed, "code": check.code} for check in decision.checks],
            topic=decision.topic.name if decision.topic else "",
            policy_version=self._policy.version,
            created_at=self.now,
        )


def _class_of(evidence: Evidence | None) -> EvidenceClass:
    return CLASS_OF[Evidence.Type(evidence.type)] if evidence else EvidenceClass.model_inference


def _proposer(principal: Principal, approval: Approval | None) -> uuid.UUID | None:
    if approval is None:
        return principal.actor_id
    return approval.candidate.agent_id or approval.candidate.subject_id


def _gate_proposal(principal: Principal, draft: Draft) -> write_gate.Proposal:
    """The proposal as the gate reads it, with every free text that would be kept."""
    item = draft.item
    texts = {
        "statement": item.statement,
        "key": item.key,
        "kind": item.kind,
        "conditions": item.conditions or "",
        "MemoryHub-Run": principal.run_id,
        "MemoryHub-Thread": principal.thread_id,
        **texts_in("value", item.value),
        **texts_in("aliases", item.aliases),
        **texts_in("namespace.path", draft.content.path),
        **texts_in("said", dict(draft.origin.said)),
    }
    return write_gate.Proposal(
        namespace_type=draft.namespace.type,
        kind=draft.content.kind,
        key=item.key,
        statement=item.statement,
        value=item.value,
        conditions=item.conditions,
        aliases=item.aliases,
        valid_until=draft.content.valid_until,
        reusable=item.reusable,
        sensitivity=item.sensitivity,
        entered_by_person=draft.entered,
        end_by_wish=draft.end_by_wish,
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


def _found_by(item: ProposalInput) -> dict[str, str]:
    return {"source": "extraction", "extraction_id": item.extraction_id} if item.extraction_id else {}
