"""What people decide about what waits. The only module that moves a Candidate."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django.utils import timezone

from accounts import audit, secrets, tenancy
from accounts.errors import Conflict, Forbidden, InvalidInput, NotVisible, StaleVersion
from accounts.principals import ActorKind, Principal, Scope
from memories import access, actions, announcing, purging, tenant_policy
from memories.actions import Approval, Proposed
from memories.models import Candidate, Comment, Erasure, Evidence
from memories.stores import BLANK_CANDIDATE
from memories.write_gate import Decision, EvidenceClass, Outcome
from reviews import claims, risk
from reviews.models import Claim, DelayedVerdict, Review
from reviews.waiting import approvers, undecided

REFUSING = (Outcome.reject, Outcome.route_to_source)
SETTLED_WITHOUT_STORING = (Candidate.Status.REJECTED, Candidate.Status.WITHDRAWN, Candidate.Status.LAPSED)
MOST_AT_ONCE = 200
# The reasons of people that are kept. Anything else they write is not: a single word may be what was refused.
REASONS = frozenset(
    {"not_true", "outdated", "too_broad", "unclear", "private", "duplicate", "not_useful", "wrong_place"}
)


@dataclass(frozen=True, slots=True)
class Decided:
    """A candidate after a person's answer, and what its approval led to.

    A `delayed` answer has led to nothing yet; nor has an approval after which the candidate still waits, for a second.
    """

    candidate: Candidate
    proposed: Proposed | None = None
    erasure: Erasure | None = None
    delayed: DelayedVerdict | None = None


def approve(
    principal: Principal,
    candidate_id: str,
    content_hash: str,
    *,
    evidence_id: str | None = None,
    valid_until: datetime | date | None = None,
    due: DelayedVerdict | None = None,
) -> Decided:
    """Say yes to exactly the content shown. The gate is asked again under today's policy; its answer stands.

    `due`: the delayed verdict that takes effect with this. Raises StaleVersion when the content is not the one shown,
    Forbidden for whoever may not decide, Conflict when it was decided already.
    """
    seen = access.candidate(principal, candidate_id)
    evidence = _word_of(principal, evidence_id, due)
    with tenancy.atomic():
        candidate = _locked(principal, seen, content_hash, due)
        if candidate.action == Candidate.Action.FORGET:
            erasure = actions.forget_approved(principal, candidate)
            candidate.refresh_from_db()
            _move(candidate, Candidate.Status.APPROVED, withdrawn_by_erasure=True)
            _note(principal, candidate, "approve")
            return Decided(candidate, erasure=erasure)
        if not _suffices(principal, candidate):
            _note(principal, candidate, "approve")
            return Decided(candidate)
        approval = Approval(candidate, class_of(candidate), principal.subject_id or uuid.UUID(int=0), evidence)
        proposed = actions.approve(principal, approval, valid_until)
        refused = proposed.decision.outcome in REFUSING
        _move(candidate, Candidate.Status.REJECTED if refused else Candidate.Status.APPROVED, memory=proposed.memory)
        _note(principal, candidate, "approve", reason=proposed.decision.reason)
    return Decided(candidate, proposed=proposed)


def reject(
    principal: Principal,
    candidate_id: str,
    content_hash: str,
    *,
    evidence_id: str | None = None,
    reason: str = "",
    due: DelayedVerdict | None = None,
) -> Decided:
    """Say no: the content goes, and nothing is remembered."""
    return _settle(principal, candidate_id, content_hash, evidence_id, Candidate.Status.REJECTED, reason, due)


def request_changes(
    principal: Principal,
    candidate_id: str,
    content_hash: str,
    *,
    evidence_id: str | None = None,
    reason: str = "",
    due: DelayedVerdict | None = None,
) -> Decided:
    """Ask the proposer for another version; this one can no longer be approved."""
    return _settle(principal, candidate_id, content_hash, evidence_id, Candidate.Status.CHANGES_REQUESTED, reason, due)


def foresee(
    principal: Principal, candidate_id: str, content_hash: str, valid_until: datetime | date | None = None
) -> Decision | None:
    """What the gate would say to a person's yes now; None where it asks to forget, which no gate judges."""
    seen = access.candidate(principal, candidate_id)
    if seen.action == Candidate.Action.FORGET or not secrets.same(seen.content_hash, content_hash):
        return None
    evidence = _word_of(principal, None, None)
    approval = Approval(seen, class_of(seen), principal.subject_id or uuid.UUID(int=0), evidence)
    return actions.foresee_approval(principal, approval, valid_until)


def approve_edited(principal: Principal, candidate_id: str, content_hash: str, changes: Mapping[str, Any]) -> Decided:
    """Remember what the person makes of it: their own words instead of the agent's, at once. It waits no longer.

    What the gate refuses changes nothing: the candidate goes on waiting. Raises what `approve` raises.
    """
    seen = access.candidate(principal, candidate_id)
    with tenancy.atomic():
        candidate = _locked(principal, seen, content_hash, None)
        if candidate.awaiting != Candidate.Awaiting.OWNER or candidate.action != Candidate.Action.REMEMBER:
            raise Conflict("Only what is to be remembered about oneself can be worded anew.", code="not_editable")
        proposed = actions.propose(principal, replace(actions.held_item(candidate), said={}, **changes))
        if proposed.memory is not None and proposed.decision.outcome not in REFUSING:
            _move(candidate, Candidate.Status.APPROVED, memory=proposed.memory)
            _note(principal, candidate, "approve", reason=proposed.decision.reason)
    return Decided(candidate, proposed=proposed)


def never_again(principal: Principal, candidate_id: str, content_hash: str, type_: str, text: str) -> int:
    """Say no for good: a rule of the person's own, and a no to everything that waits for them and falls under it.

    Returns how many were rejected. Raises what `reject` raises, and InvalidInput where it is no rule.
    """
    seen = access.candidate(principal, candidate_id)
    with tenancy.atomic():
        actions.add_rule(principal, type_, text)
        _settle(principal, candidate_id, content_hash, None, Candidate.Status.REJECTED, "", None)
        others = Candidate.objects.waiting(timezone.now()).awaiting_owner(principal.subject_id)
        wishes = others.filter(action=Candidate.Action.REMEMBER).exclude(pk=seen.pk)
        rejected = 1
        for one in undecided(wishes)[:MOST_AT_ONCE]:
            verdict = foresee(principal, str(one.pk), one.content_hash)
            if verdict is not None and verdict.reason == "do_not_remember":
                _settle(principal, str(one.pk), one.content_hash, None, Candidate.Status.REJECTED, "", None)
                rejected += 1
    return rejected


def require_decidable(principal: Principal, seen: Candidate, content_hash: str) -> Candidate:
    """The waiting candidate under its namespace's lock, when this principal may decide it now and saw this content.

    The caller holds the transaction. Raises what `approve` raises.
    """
    return _locked(principal, seen, content_hash, None)


def reword(
    principal: Principal,
    candidate_id: str,
    content_hash: str,
    *,
    statement: str,
    conditions: str | None,
    value: object,
) -> Candidate:
    """Give a candidate that one may decide better words, before approving them: other content with another hash.

    Approvals of the earlier words count no more. Raises InvalidInput where the gate refuses the new words: then
    nothing of them is kept; and what `approve` raises.
    """
    seen = access.candidate(principal, candidate_id)
    if not principal.is_person:
        raise Forbidden("Only a person may do this, with their own token.", code="people_only")
    new = {"statement": statement, "conditions": conditions, "value": value}
    with tenancy.atomic():
        candidate = _locked(principal, seen, content_hash, None)
        _require_admissible(principal, candidate, new)
        _note(principal, candidate, "reword")
        actions.reword_held(candidate, new)
    return candidate


def resubmit(
    principal: Principal,
    candidate_id: str,
    content_hash: str,
    *,
    statement: str,
    conditions: str | None,
    value: object,
) -> Candidate:
    """Send what a reviewer gave back to its proposer again, in other words: it waits as it did before.

    Raises InvalidInput where the words are the same or the gate refuses them, and nothing of them is kept; Forbidden
    for anybody but the person who proposed it; StaleVersion and Conflict as `approve`.
    """
    seen = access.candidate(principal, candidate_id)
    if not principal.is_person:
        raise Forbidden("Only a person may do this, with their own token.", code="people_only")
    _require_proposer(principal, seen)
    new = {"statement": statement, "conditions": conditions, "value": value}
    with tenancy.atomic():
        access.lock([seen.namespace])
        candidate = _waiting(seen, content_hash, None, Candidate.Status.CHANGES_REQUESTED)
        _require_admissible(principal, candidate, new)
        _move(candidate, Candidate.Status.PENDING)
        actions.reword_held(candidate, new)
        if secrets.same(candidate.content_hash, content_hash):
            raise InvalidInput.field("statement", "These are the words that were given back.", "unchanged")
        _note(principal, candidate, "resubmit")
        announcing.waiting(candidate)
    return candidate


def withdraw(principal: Principal, candidate_id: str, content_hash: str) -> Decided:
    """Take back what one proposed, or what was proposed on one's behalf, also when a reviewer gave it back."""
    principal.require(Scope.PROPOSE)
    seen = access.candidate(principal, candidate_id)
    with tenancy.atomic():
        access.lock([seen.namespace])
        candidate = _waiting(seen, content_hash, None, Candidate.Status.PENDING, Candidate.Status.CHANGES_REQUESTED)
        _require_proposer(principal, candidate)
        _move(candidate, Candidate.Status.WITHDRAWN)
        _note(principal, candidate, "withdraw")
    return Decided(candidate)


def lapse(principal: Principal, now: datetime) -> int:
    """Let what waited too long go, with its content; returns how many. Safe to run at any time, by anyone, twice.

    What a person has answered in time is theirs, also while the answer takes effect only in a moment.
    """
    due = undecided(
        Candidate.objects.filter(
            status__in=[Candidate.Status.PENDING, Candidate.Status.CHANGES_REQUESTED], lapses_at__lte=now
        )
    )
    with tenancy.atomic():
        rested_on = list(due.exclude(evidence=None).values_list("evidence", flat=True))
        Comment.objects.filter(candidate__in=due).update(text=None)
        gone = due.update(status=Candidate.Status.LAPSED, decided_at=now, **BLANK_CANDIDATE)
        purging.let_go(Evidence.objects.filter(pk__in=rested_on))
        if gone:
            audit.record(principal, "candidate.lapse", details={"candidates": gone})
    return gone


def _settle(
    principal: Principal,
    candidate_id: str,
    content_hash: str,
    evidence_id: str | None,
    status: str,
    reason: str,
    due: DelayedVerdict | None,
) -> Decided:
    seen = access.candidate(principal, candidate_id)
    evidence = _word_of(principal, evidence_id, due)
    with tenancy.atomic():
        candidate = _locked(principal, seen, content_hash, due)
        if evidence._state.adding:
            evidence.save()
        _move(candidate, status)
        if status in SETTLED_WITHOUT_STORING:  # who says no often says to what
            purging.let_go(Evidence.objects.filter(pk=evidence.pk))
        verdict = "reject" if status == Candidate.Status.REJECTED else "request_changes"
        _note(principal, candidate, verdict, reason=reason if reason in REASONS else "")
    return Decided(candidate)


def _word_of(principal: Principal, evidence_id: str | None, due: DelayedVerdict | None) -> Evidence:
    """The event that shows the person's answer: their own click, or a message of theirs that an agent relays."""
    if principal.is_person:
        return actions.web_form(principal, due.created_at if due else timezone.now())
    principal.require(Scope.RELAY)
    if evidence_id is None:
        raise InvalidInput.field("evidence_id", "A relayed answer cites the person's own message.", "required")
    try:
        evidence = access.evidence(principal, evidence_id)
    except NotVisible:
        raise InvalidInput.field(
            "evidence_id", "There is no such evidence for this caller.", "unknown_evidence"
        ) from None
    if evidence.type != Evidence.Type.USER_MESSAGE or evidence.subject_id is None:
        raise InvalidInput.field(
            "evidence_id", "Only the person's own message answers for them.", "not_the_persons_word"
        )
    return evidence


def _locked(principal: Principal, seen: Candidate, content_hash: str, due: DelayedVerdict | None) -> Candidate:
    access.lock([seen.namespace])
    _require_decider(principal, seen)
    if due is None:  # what was answered before somebody claimed it stays answered
        claims.require_free(principal, seen, timezone.now())
    return _waiting(seen, content_hash, due)


def _require_decider(principal: Principal, candidate: Candidate) -> None:
    if candidate.awaiting == Candidate.Awaiting.OWNER:
        if candidate.subject_id is None or candidate.subject_id != principal.subject_id:
            raise Forbidden("Only the person it is about may decide it.", code="not_the_owner")
        return
    if not access.reviews(principal, candidate.namespace):
        raise Forbidden("Only a reviewer of this namespace may decide it.", code="not_a_reviewer")
    if candidate.subject_id == principal.subject_id:
        raise Forbidden("Nobody reviews what they proposed themselves.", code="own_proposal")


def _require_proposer(principal: Principal, candidate: Candidate) -> None:
    mine = candidate.subject_id == principal.subject_id
    if not (mine if principal.subject_id else candidate.agent_id == principal.agent_id):
        raise Forbidden("Only the one who proposed it may do this.", code="not_the_proposer")


def _require_admissible(principal: Principal, candidate: Candidate, words: Mapping[str, Any]) -> None:
    """Raise where there are no words to change, or InvalidInput where the gate would not approve these."""
    if candidate.action == Candidate.Action.FORGET:
        raise Conflict("There is nothing to reword.", code="nothing_to_reword")
    said = _word_of(principal, None, None)
    approval = Approval(candidate, class_of(candidate), principal.actor_id or uuid.UUID(int=0), said)
    decision = actions.foresee_approval(principal, approval, changes=words)
    if decision.outcome in REFUSING:
        raise InvalidInput.field("statement", "The policy refuses these words.", decision.reason)


def _waiting(seen: Candidate, content_hash: str, due: DelayedVerdict | None, *statuses: Candidate.Status) -> Candidate:
    """The candidate when nobody has decided it, or it is in one of the statuses; of a delayed verdict, when it was
    decided in time."""
    still = statuses or (Candidate.Status.PENDING,)
    candidate = Candidate.objects.select_for_update(of=("self",)).select_related("slot").get(pk=seen.pk)
    candidate.namespace = seen.namespace
    decided_at = due.created_at if due else timezone.now()
    if candidate.status in still and candidate.lapses_at <= decided_at:
        raise Conflict("It waited too long and has lapsed.", code="lapsed")
    answered = due is None and not undecided(Candidate.objects.filter(pk=candidate.pk)).exists()
    if candidate.status not in still or answered:
        raise Conflict("It has been decided already.", code="already_decided")
    if not secrets.same(candidate.content_hash, content_hash):
        raise StaleVersion("This is not the content that waits now.", code="content_changed")
    return candidate


def _suffices(principal: Principal, candidate: Candidate) -> bool:
    """Whether with this approval as many have approved it as its risk takes; each on their own."""
    others = approvers(candidate)
    if principal.subject_id in others:
        raise Conflict("You have approved it; another reviewer must too.", code="second_approver_required")
    return len(others) + 1 >= risk.approvers_needed(candidate, tenant_policy.active())


def class_of(candidate: Candidate) -> EvidenceClass:
    """What an approval proves: the owner's own word, or a reviewer's.

    A reviewer who clears the wording of what somebody said about themselves does not become its source.
    """
    if candidate.awaiting == Candidate.Awaiting.OWNER:
        return EvidenceClass.explicit_user
    if candidate.namespace.membership_id is not None:
        return EvidenceClass(candidate.evidence_class)
    return EvidenceClass.verified_reviewer


def _move(candidate: Candidate, status: str, *, withdrawn_by_erasure: bool = False, memory: object = None) -> None:
    if not withdrawn_by_erasure and status not in Candidate.MOVES.get(Candidate.Status(candidate.status), set()):
        raise Conflict("It has been decided already.", code="already_decided")
    changes = {"status": status, "memory": memory}
    changes["decided_at"] = None if status == Candidate.Status.PENDING else timezone.now()
    if status in SETTLED_WITHOUT_STORING:
        changes |= BLANK_CANDIDATE
    for name, value in changes.items():
        setattr(candidate, name, value)
    candidate.save(update_fields=list(changes))
    Claim.objects.filter(candidate=candidate).delete()
    if status in SETTLED_WITHOUT_STORING:
        Comment.objects.filter(candidate=candidate).update(text=None)
        purging.let_go(Evidence.objects.filter(pk=candidate.evidence_id))


def _note(principal: Principal, candidate: Candidate, verdict: str, reason: str = "") -> None:
    """The verdict and its event: codes only."""
    if principal.actor is not ActorKind.SYSTEM:
        Review.objects.create(
            candidate=candidate,
            reviewer_id=principal.subject_id or principal.actor_id,
            verdict=verdict,
            reason=reason,
            content_hash=candidate.content_hash,
            policy_version=candidate.policy_version,
        )
    audit.record(
        principal,
        f"candidate.{verdict}",
        outcome=candidate.status,
        reason=reason,
        target="candidate",
        target_id=candidate.pk,
    )
    announcing.decided(candidate, verdict)
