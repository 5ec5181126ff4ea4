"""Attest: what actually happened, as a trusted runtime or a person's own page tells it."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from accounts import audit, secrets, tenancy
from accounts.errors import FieldError, InvalidInput
from accounts.principals import Principal, Scope
from memories import access, own_rules, tenant_policy
from memories.inputs import EvidenceInput
from memories.models import Evidence
from memories.policy import Policy
from memories.sensitivity import scan_fields
from memories.wishes import Wishes
from memories.write_gate import EvidenceClass

CLASS_OF = {
    Evidence.Type.USER_MESSAGE: EvidenceClass.explicit_user,
    Evidence.Type.WEB_FORM: EvidenceClass.explicit_user,
    Evidence.Type.IMPORT: EvidenceClass.explicit_user,
    Evidence.Type.REVIEW: EvidenceClass.verified_reviewer,
    Evidence.Type.BUSINESS_RECEIPT: EvidenceClass.business_record,
    Evidence.Type.TOOL_OUTPUT: EvidenceClass.tool_output,
    Evidence.Type.RUN_RESULT: EvidenceClass.tool_output,
    Evidence.Type.SUMMARY: EvidenceClass.model_inference,
}


def attest(principal: Principal, event: EvidenceInput) -> Evidence:
    """Record what actually happened. Needs `evidence:attest`, for a review also `evidence:attest_review`.

    Raises InvalidInput when a name in it is sensitive or the reviewer is not one. A text that is sensitive, or
    that the person's own rules refuse, is not kept: the evidence then stands with its reference alone.
    """
    wishes = own_rules.wishes_of(access.self_of(principal), agent_id=principal.agent_id)
    evidence = unsaved_evidence(principal, event, tenant_policy.active(), wishes)
    with tenancy.atomic():
        evidence.save()
        audit.record(
            principal, "evidence.attest", target="evidence", target_id=evidence.pk, details={"type": event.type}
        )
    return evidence


def unsaved_evidence(principal: Principal, event: EvidenceInput, policy: Policy, wishes: Wishes) -> Evidence:
    """The unsaved evidence of an event; nothing of it has reached the database yet.

    `wishes`: those of the person whom it is about. Words that they do not want kept are not kept as evidence either.
    """
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
        source_digest=_source_digest(principal, event),
        sequence=event.sequence,
        run_id=principal.run_id,
        ref=event.ref,
        thread=event.thread or principal.thread_id,
        speaker=event.speaker,
        text=None if "text" in found or own_rules.is_unwanted(event.text, policy, wishes) else event.text,
        expires_at=now + timedelta(days=policy.retention.evidence_text_days),
    )


def _source_digest(principal: Principal, event: EvidenceInput) -> str:
    """Which event this is, however often it is attested. Runtimes count refs anew, so the moment belongs to it."""
    about = str(principal.subject_id or principal.agent_id)
    moment = event.occurred_at.astimezone(UTC).isoformat() if event.occurred_at else ""
    return secrets.digest("source", event.type, about, event.thread, event.ref, moment)


def sources_of(principal: Principal, evidence: Evidence | None) -> tuple[str, ...]:
    """Where a proposal comes from, as markers know it: the event, and the conversation that it was part of.

    What a person enters on a page or hands over as a file comes from nowhere else.
    """
    if evidence is None:
        about, thread = principal.subject_id or principal.agent_id, principal.thread_id
        return (thread_digest(about, thread),) if thread else ()
    if evidence.type in Evidence.OWN_ACTS:
        return ()
    conversation = (thread_digest(evidence.subject_id or evidence.agent_id, evidence.thread),)
    return (evidence.source_digest, *(conversation if evidence.thread else ()))


def thread_digest(about: uuid.UUID | None, thread: str) -> str:
    """Which conversation this is: of a person, or of an agent that works for nobody in particular."""
    return secrets.digest("thread", str(about), thread)


def web_form(principal: Principal, now: datetime) -> Evidence:
    """The event behind what a person enters or approves on the page."""
    return _own_act(principal, Evidence.Type.WEB_FORM, now)


def handed_over(principal: Principal) -> Evidence:
    """The event behind a line of a file. When its words were said is not known, so they are never a fresh wish."""
    return _own_act(principal, Evidence.Type.IMPORT, None)


def _own_act(principal: Principal, type_: Evidence.Type, occurred_at: datetime | None) -> Evidence:
    return Evidence(
        type=type_,
        subject_id=principal.subject_id,
        agent_id=principal.agent_id,
        occurred_at=occurred_at,
        source_digest=secrets.digest("source", type_.value, str(principal.subject_id), str(uuid.uuid4())),
        ref=type_.value,
    )
