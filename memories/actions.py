"""The verbs that write: attest, propose, correct, pause, resume, forget. One transaction and one audit event each."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.core import signing
from django.db import transaction
from django.utils import timezone

from accounts import audit, secrets, tenancy
from accounts.errors import Conflict, FieldError, Forbidden, InvalidInput, MemoryHubError, NotVisible, StaleVersion
from accounts.principals import Principal, Scope
from memories import access, lifecycle, tenant_policy, write_gate
from memories.access import Area, NamespaceRef
from memories.inputs import EvidenceInput, ProposalInput, end_of, texts_in
from memories.models import Candidate, Erasure, Evidence, Memory, Namespace, Operation, Slot, SourceMarker, path_key
from memories.policy import Policy
from memories.sensitivity import scan_fields
from memories.write_gate import Decision, EvidenceClass, Outcome

CLASS_OF = {
    Evidence.Type.USER_MESSAGE: EvidenceClass.explicit_user,
    Evidence.Type.WEB_FORM: EvidenceClass.explicit_user,
    Evidence.Type.REVIEW: EvidenceClass.verified_reviewer,
    Evidence.Type.BUSINESS_RECEIPT: EvidenceClass.business_record,
    Evidence.Type.TOOL_OUTPUT: EvidenceClass.tool_output,
    Evidence.Type.RUN_RESULT: EvidenceClass.tool_output,
    Evidence.Type.SUMMARY: EvidenceClass.model_inference,
}
ACTIVATING = (Outcome.store, Outcome.supersede)
HOLDING = (Outcome.needs_confirmation, Outcome.needs_review)
PLAN_LIVES = timedelta(hours=1)
PLAN_LIMIT = 10_000


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


# --- evidence ----------------------------------------------------------------------------------------------------


def attest(principal: Principal, event: EvidenceInput) -> Evidence:
    """Record what actually happened. Needs `evidence:attest`, for a review also `evidence:attest_review`.

    Raises InvalidInput when a name in it is sensitive or the reviewer is not one. A sensitive text is not kept: the
    evidence then stands with its reference alone.
    """
    evidence = _evidence(principal, event, tenant_policy.active())
    with tenancy.atomic():
        evidence.save()
        audit.record(
            principal, "evidence.attest", target="evidence", target_id=evidence.pk, details={"type": event.type}
        )
    return evidence


def _evidence(principal: Principal, event: EvidenceInput, policy: Policy) -> Evidence:
    """The unsaved evidence of an event; nothing of it has reached the database yet."""
    principal.require(Scope.ATTEST)
    reviewer = None
    if event.type == Evidence.Type.REVIEW:
        principal.require(Scope.ATTEST_REVIEW)
        reviewer = access.reviewer(event.reviewer) if event.reviewer else None
        if reviewer is None:
            raise InvalidInput.field("reviewer", "A review names a person with the reviewer role.", "not_a_reviewer")
    names = {"ref": event.ref, "thread": event.thread, "speaker": event.speaker}
    names |= {"MemoryHub-Run": principal.run_id, "MemoryHub-Thread": principal.thread_id}
    found = scan_fields({**names, "text": event.text or ""})
    if wrong := [name for name in names if name in found]:
        raise InvalidInput(
            "A reference or name holds something that may not be kept.",
            code="sensitive_or_prohibited",
            errors=[
                FieldError(name, "sensitive_or_prohibited", "It looks like a secret or an identifier.")
                for name in wrong
            ],
        )
    now = timezone.now()
    return Evidence(
        type=event.type,
        subject_id=principal.subject_id,
        agent_id=principal.agent_id,
        reviewer=reviewer,
        occurred_at=event.occurred_at,
        source_digest=secrets.digest(
            "source", event.type, str(principal.subject_id or principal.agent_id), event.thread, event.ref
        ),
        sequence=event.sequence,
        run_id=principal.run_id,
        ref=event.ref,
        thread=event.thread or principal.thread_id,
        speaker=event.speaker,
        text=None if "text" in found else event.text,
        expires_at=now + timedelta(days=policy.retention.evidence_text_days),
    )


def web_form(principal: Principal, now: datetime) -> Evidence:
    """The event behind what a person enters or approves on the page."""
    return Evidence(
        type=Evidence.Type.WEB_FORM,
        subject_id=principal.subject_id,
        occurred_at=now,
        source_digest=secrets.digest("source", "web_form", str(principal.subject_id), str(uuid.uuid4())),
        ref="web_form",
    )


# --- propose -----------------------------------------------------------------------------------------------------


def propose(
    principal: Principal, item: ProposalInput, *, preview: bool = False, now: datetime | None = None
) -> Proposed:
    """Ask to remember. The gate decides; a refusal is a value. With `preview` nothing is written, not even an event.

    Raises NotVisible for a namespace the caller may not use, Conflict for a stale `expected_version`. `now` is for
    evaluations, which judge cases at a moment of their own.
    """
    principal.require(Scope.PROPOSE)
    area = access.area(principal, item.namespace)
    with tenancy.atomic():
        access.lock([area.namespace])
        proposed = _decide(principal, area, item, preview=preview, now=now)
        if preview:
            transaction.set_rollback(True)
    return proposed


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
            return _decide(principal, access.area(principal, item.namespace, among=usable), item)
    except MemoryHubError as error:
        if atomic:
            raise
        return error


def enter(principal: Principal, item: ProposalInput) -> Proposed:
    """What a person enters on the page: explicit, and saved at once if the gate agrees."""
    if not principal.is_person:
        raise Forbidden
    area = access.area(principal, item.namespace)
    with tenancy.atomic():
        access.lock([area.namespace])
        return _decide(principal, area, item, entered=True)


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
    return _decide(principal, Area(held.namespace, ref.path), item, approval=approval)


def _decide(
    principal: Principal,
    area: Area,
    item: ProposalInput,
    *,
    preview: bool = False,
    entered: bool = False,
    approval: Approval | None = None,
    now: datetime | None = None,
) -> Proposed:
    """Gate one proposal and carry the decision out. The caller holds the lock of the namespace."""
    now, policy, namespace = now or timezone.now(), tenant_policy.active(), area.namespace
    evidence = _evidence_of(principal, item, policy, entered, approval, now)
    evidence_class = (
        approval.evidence_class
        if approval
        else CLASS_OF[Evidence.Type(evidence.type)]
        if evidence
        else EvidenceClass.model_inference
    )
    rule = policy.kind(item.kind)
    kind = rule.name if rule else item.kind
    content = lifecycle.Content(
        kind=kind,
        key=item.key,
        statement=item.statement,
        path=area.path,
        value=item.value,
        conditions=item.conditions,
        aliases=item.aliases,
        valid_until=end_of(item.valid_until, _time_zone(namespace)),
        sensitivity=item.sensitivity or "",
    )
    slot = lifecycle.find_slot(namespace, area.path, kind, item.key)
    standing = lifecycle.current(slot) if slot else None
    _check_version(item.expected_version, standing)
    said = dict(item.said) or _said(evidence)
    decision = write_gate.decide(
        _gate_proposal(principal, namespace, item, content, said, entered),
        write_gate.Evidence(
            evidence_class=evidence_class,
            occurred_at=evidence.occurred_at if evidence else None,
            by_maintainer=access.maintains(principal, namespace),
            source_forgotten_at=_forgotten_source(namespace, evidence),
            cleared=approval is not None and approval.candidate.awaiting == Candidate.Awaiting.REVIEWER,
        ),
        policy,
        _gate_slot(slot, standing),
        now,
        approving=approval is not None,
    )
    operation = Operation(
        actor_id=principal.actor_id,
        subject_id=principal.subject_id,
        verb="approve" if approval else "propose",
        decision=decision.outcome,
        reason=decision.reason,
        checks=[{"rule": check.rule, "passed": check.passed, "code": check.code} for check in decision.checks],
        topic=decision.topic.name if decision.topic else "",
        policy_version=policy.version,
        created_at=now,
    )
    proposed = Proposed(decision, operation)
    if decision.outcome in ACTIVATING + HOLDING or decision.outcome == Outcome.keep:
        if evidence is not None and evidence._state.adding:
            evidence.save()
        origin = lifecycle.Origin(
            evidence_class=evidence_class,
            policy_version=policy.version,
            evidence=evidence,
            said=said,
            provenance=_provenance(principal, evidence, approval),
            proposed_by=approval.candidate.agent_id or approval.candidate.subject_id
            if approval
            else principal.actor_id,
            approved_by=approval.approver_id if approval else None,
        )
        slot = slot or lifecycle.make_slot(namespace, area.path, kind, item.key)
        if decision.outcome == Outcome.keep and standing is not None:
            lifecycle.confirm(standing, evidence)
            proposed = replace(proposed, memory=standing)
        elif decision.outcome in ACTIVATING:
            memory, superseded = lifecycle.store(namespace, slot, content, origin, now)
            proposed = replace(proposed, memory=memory, superseded=superseded)
        else:
            proposed = replace(
                proposed, candidate=_hold(principal, namespace, slot, content, origin, decision, policy, standing, now)
            )
    _finish(principal, proposed, preview)
    return proposed


def _finish(principal: Principal, proposed: Proposed, preview: bool) -> None:
    operation = proposed.operation
    operation.memory, operation.candidate = proposed.memory, proposed.candidate
    operation.superseded_ids = [str(pk) for pk in proposed.superseded]
    if preview:
        return
    operation.save()
    target = proposed.memory or proposed.candidate
    audit.record(
        principal,
        f"memory.{operation.verb}",
        outcome=operation.decision,
        reason=operation.reason,
        target=target._meta.model_name or "" if target else "",
        target_id=target.pk if target else None,
        details={"operation": str(operation.pk), "policy_version": operation.policy_version},
    )


def _evidence_of(
    principal: Principal, item: ProposalInput, policy: Policy, entered: bool, approval: Approval | None, now: datetime
) -> Evidence | None:
    if approval is not None:
        return approval.evidence
    if entered:
        return web_form(principal, now)
    if item.evidence is not None:
        try:
            return _evidence(principal, item.evidence, policy)
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


def _gate_proposal(
    principal: Principal,
    namespace: Namespace,
    item: ProposalInput,
    content: lifecycle.Content,
    said: Mapping[str, Any],
    entered: bool,
) -> write_gate.Proposal:
    texts = {"statement": item.statement, "key": item.key, "kind": item.kind, "conditions": item.conditions or ""}
    texts |= (
        texts_in("value", item.value) | texts_in("aliases", item.aliases) | texts_in("namespace.path", content.path)
    )
    texts |= texts_in("said", dict(said)) | {"MemoryHub-Run": principal.run_id, "MemoryHub-Thread": principal.thread_id}
    return write_gate.Proposal(
        namespace_type=namespace.type,
        kind=content.kind,
        key=item.key,
        statement=item.statement,
        value=item.value,
        conditions=item.conditions,
        aliases=item.aliases,
        valid_until=content.valid_until,
        reusable=item.reusable,
        sensitivity=item.sensitivity,
        entered_by_person=entered,
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
    if evidence is None or evidence.type == Evidence.Type.WEB_FORM:
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
    if evidence is None or evidence.type == Evidence.Type.WEB_FORM:
        return {}
    said = {"thread": evidence.thread, "sequence": evidence.sequence, "speaker": evidence.speaker}
    return {name: value for name, value in said.items() if value not in ("", None)} | {
        "at": evidence.occurred_at.astimezone(UTC).isoformat()
    }


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


# --- what waits for a person -------------------------------------------------------------------------------------


def _hold(
    principal: Principal,
    namespace: Namespace,
    slot: Slot,
    content: lifecycle.Content,
    origin: lifecycle.Origin,
    decision: Decision,
    policy: Policy,
    standing: Memory | None,
    now: datetime,
) -> Candidate:
    """Keep a proposal for the person who must decide; the same content waits only once."""
    content_hash = content_hash_of(namespace, content)
    awaiting = decision.awaiting or Candidate.Awaiting.OWNER
    waiting = Candidate.objects.filter(
        slot=slot,
        action=Candidate.Action.REMEMBER,
        content_hash=content_hash,
        awaiting=awaiting,
        status=Candidate.Status.PENDING,
    ).first()
    if waiting is not None:
        Candidate.objects.filter(pk=waiting.pk).update(lapses_at=now + timedelta(days=policy.retention.candidate_days))
        return waiting
    return Candidate.objects.create(
        namespace=namespace,
        slot=slot,
        subject_id=principal.subject_id,
        agent_id=principal.agent_id,
        awaiting=awaiting,
        reason=decision.reason,
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
        base_version=standing.version if standing else None,
        policy_version=policy.version,
        lapses_at=now + timedelta(days=policy.retention.candidate_days),
    )


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


# --- change ------------------------------------------------------------------------------------------------------


def correct(
    principal: Principal,
    memory_id: str,
    changes: Mapping[str, Any],
    *,
    expected_version: int,
    evidence_id: str | None = None,
    entered: bool = False,
) -> Proposed:
    """Replace what a memory says; unmentioned fields stay. Passes the gate like any proposal.

    Raises StaleVersion when `expected_version` is not the key's current version, Conflict for a forgotten one.
    """
    principal.require(Scope.PROPOSE)
    seen = access.memory(principal, memory_id)
    with tenancy.atomic():
        access.lock([seen.namespace])
        standing = _standing(seen, expected_version)
        item = ProposalInput(
            namespace=NamespaceRef(standing.namespace.type, standing.namespace.owner_name, tuple(standing.path)),
            kind=standing.kind,
            key=standing.key or "",
            statement=changes.get("statement", standing.statement),
            value=changes.get("value", standing.value),
            conditions=changes.get("conditions", standing.conditions),
            aliases=tuple(standing.aliases),
            evidence_id=evidence_id,
            reusable=True,
            valid_until=changes.get("valid_until", standing.valid_until),
            sensitivity=changes.get("sensitivity", standing.sensitivity or None),
        )
        return _decide(
            principal, Area(standing.namespace, tuple(standing.path)), item, entered=entered and principal.is_person
        )


def renew(
    principal: Principal,
    memory_id: str,
    valid_until: datetime | date,
    *,
    expected_version: int | None = None,
    evidence_id: str | None = None,
    entered: bool = False,
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
        entered=entered,
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
        standing = _standing(seen, expected_version)
        (lifecycle.pause if action == "memory.pause" else lifecycle.resume)(standing, timezone.now())
        audit.record(principal, action, target="memory", target_id=standing.pk)
    return standing


def _standing(seen: Memory, expected_version: int | None) -> Memory:
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


# --- forget ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ForgetFilter:
    """Which memories to forget; at least one field must say something."""

    namespace: NamespaceRef | None = None
    kind: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """Exactly what a confirmed filter would forget."""

    memory_ids: Sequence[uuid.UUID]
    confirm_token: str
    expires_at: datetime


def forget(
    principal: Principal, memory_id: str, *, expected_version: int | None = None, now: datetime | None = None
) -> Erasure:
    """Forget a key: every version of it, everywhere. Hidden when this returns."""
    principal.require(Scope.FORGET)
    seen = access.memory(principal, memory_id)
    access.require_change(principal, seen.namespace)
    with tenancy.atomic():
        access.lock([seen.namespace])
        if not Memory.objects.kept().filter(slot=seen.slot).exists():
            raise NotVisible
        standing = lifecycle.current(seen.slot)
        if expected_version is not None and (standing is None or standing.version != expected_version):
            raise StaleVersion(current_version=standing.version if standing else None)
        erasure = Erasure(actor_id=principal.actor_id, subject_id=principal.subject_id)
        return _erase(principal, erasure, {seen.namespace: [seen.slot]}, now)


def ask_to_forget(principal: Principal, memory_id: str) -> Candidate:
    """File a model's wish to forget one of the person's memories; only the person's yes carries it out."""
    principal.require(Scope.FORGET)
    seen = access.memory(principal, memory_id)
    if seen.namespace.membership_id is None or seen.namespace.membership_id != principal.subject_id:
        raise NotVisible
    policy, now = tenant_policy.active(), timezone.now()
    with tenancy.atomic():
        access.lock([seen.namespace])
        standing = _standing(seen, None)
        shown = {name: getattr(standing, name) for name in ("kind", "key", "path", "statement", "value", "conditions")}
        candidate, _ = Candidate.objects.get_or_create(
            slot=standing.slot,
            action=Candidate.Action.FORGET,
            awaiting=Candidate.Awaiting.OWNER,
            status=Candidate.Status.PENDING,
            content_hash=secrets.fingerprint("candidate", {"forget": str(standing.pk)}),
            defaults={
                **shown,
                "namespace": standing.namespace,
                "subject_id": principal.subject_id,
                "agent_id": principal.agent_id,
                "reason": "forget_requires_confirmation",
                "evidence_class": EvidenceClass.model_inference,
                "base_version": standing.version,
                "policy_version": policy.version,
                "lapses_at": now + timedelta(days=policy.retention.candidate_days),
            },
        )
        audit.record(principal, "memory.ask_to_forget", target="candidate", target_id=candidate.pk)
    return candidate


def forget_approved(principal: Principal, candidate: Candidate) -> Erasure:
    """Forget the key that an approved request names. For `reviews.decisions` only, under its lock."""
    erasure = Erasure(actor_id=principal.actor_id, subject_id=principal.subject_id)
    return _erase(principal, erasure, {candidate.namespace: [candidate.slot]})


def plan_forget(principal: Principal, chosen: ForgetFilter) -> ForgetPlan:
    """A dry run: the exact ids, every version, and a token that forgets just those. Forgets nothing."""
    principal.require(Scope.FORGET)
    if chosen == ForgetFilter():
        raise InvalidInput.field("filter", "Say what to forget: a namespace, a kind or a key.", "empty_filter")
    ref = chosen.namespace or NamespaceRef("user" if principal.subject_id else "agent")
    area = access.area(principal, ref)
    access.require_change(principal, area.namespace)
    rows = Memory.objects.kept().filter(namespace=area.namespace).within(area.path)
    if chosen.kind is not None:
        rows = rows.filter(kind=chosen.kind)
    if chosen.key is not None:
        rows = rows.filter(key=chosen.key)
    found = list(rows.order_by("pk").values_list("pk", "slot_id")[: PLAN_LIMIT + 1])
    if len(found) > PLAN_LIMIT:
        raise InvalidInput.field("filter", f"This is more than {PLAN_LIMIT} memories; narrow it.", "too_many")
    expires_at = timezone.now() + PLAN_LIVES
    with tenancy.atomic():
        plan = Erasure.objects.create(
            state=Erasure.State.PLANNED,
            actor_id=principal.actor_id,
            subject_id=principal.subject_id,
            memory_ids=[str(pk) for pk, _ in found],
            slot_ids=[str(pk) for pk in dict.fromkeys(slot for _, slot in found)],
            expires_at=expires_at,
        )
        audit.record(
            principal, "memory.forget_plan", target="erasure", target_id=plan.pk, details={"memories": len(found)}
        )
    token = signing.dumps(str(plan.pk), salt="memoryhub.forget")
    return ForgetPlan([pk for pk, _ in found], token, expires_at)


def confirm_forget(principal: Principal, confirm_token: str) -> Erasure:
    """Forget what a dry run showed. The token works once; used again it answers with the same receipt.

    Raises Conflict when something under those keys changed after the dry run.
    """
    principal.require(Scope.FORGET)
    try:
        plan_id = signing.loads(confirm_token, salt="memoryhub.forget", max_age=PLAN_LIVES)
        plan = access.erasure(principal, plan_id)
    except (signing.BadSignature, NotVisible):
        raise InvalidInput.field("confirm_token", "This token is unknown or has expired.", "unknown_token") from None
    slots = list(Slot.objects.filter(pk__in=plan.slot_ids).select_related("namespace"))
    by_namespace: dict[Namespace, list[Slot]] = {}
    for slot in slots:
        by_namespace.setdefault(slot.namespace, []).append(slot)
    with tenancy.atomic():
        access.lock(by_namespace)
        plan.refresh_from_db()
        if plan.state != Erasure.State.PLANNED:
            return plan
        for namespace in by_namespace:
            access.area(principal, NamespaceRef(namespace.type, namespace.owner_name))
            access.require_change(principal, namespace)
        now_there = Memory.objects.kept().filter(slot__in=slots).values_list("pk", flat=True)
        if not {str(pk) for pk in now_there} <= set(plan.memory_ids):
            raise Conflict("Something changed under these keys since the dry run; look again.", code="plan_changed")
        return _erase(principal, plan, by_namespace)


def _erase(
    principal: Principal,
    erasure: Erasure,
    doomed: Mapping[Namespace, Sequence[Slot]],
    now: datetime | None = None,
) -> Erasure:
    now = now or timezone.now()
    slot_ids = [slot.pk for slots in doomed.values() for slot in slots]
    ids = Memory.objects.kept().filter(slot_id__in=slot_ids).order_by("pk").values_list("pk", flat=True)
    erasure.memory_ids, erasure.slot_ids = [str(pk) for pk in ids], [str(pk) for pk in slot_ids]
    erasure.state, erasure.hidden_at = Erasure.State.HIDDEN, now
    erasure.save()
    counts: dict[str, int] = {}
    for namespace, slots in doomed.items():
        for store, count in lifecycle.erase(namespace, slots, erasure, now).items():
            counts[store] = counts.get(store, 0) + count
    erasure.counts = counts
    erasure.save(update_fields=["counts"])
    audit.record(
        principal,
        "memory.forget",
        target="erasure",
        target_id=erasure.pk,
        details={"memories": len(erasure.memory_ids)},
    )
    return erasure
