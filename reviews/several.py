"""One answer to several proposals of one's own: all of them or none, with one undo. What is sensitive is never among a
yes to many: it is read and answered by itself.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils import timezone

from accounts import audit, secrets, tenancy
from accounts.errors import Conflict
from accounts.principals import Principal
from memories import access, tenant_policy
from memories.actions import ACTIVATING
from memories.models import Candidate
from memories.policy import Policy
from memories.sensitivity import sensitive_trait
from memories.write_gate import Outcome
from reviews import decisions, delays
from reviews.models import DelayedVerdict
from reviews.risk import Risk, with_risk
from reviews.waiting import undecided

Verdict = DelayedVerdict.Verdict
VERDICTS = (Verdict.APPROVE, Verdict.REJECT)
Seen = Mapping[uuid.UUID, str]
"""Candidates with the digest of the content that was shown."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A proposal, and the reason code why this answer cannot be given with others; empty when it can."""

    candidate: Candidate
    obstacle: str = ""


def weigh(principal: Principal, verdict: str, seen: Seen) -> list[Weighed]:
    """To which of these the answer can be given: newest first, without those that wait no longer for the caller."""
    waits = Candidate.objects.waiting(timezone.now()).awaiting_owner(principal.subject_id)
    rows = undecided(access.candidates(principal).filter(pk__in=waits.values("pk")))
    policy = tenant_policy.active()
    named: set[uuid.UUID] = set()
    found = []
    for one in with_risk(rows.filter(pk__in=seen), policy).order_by("-pk"):
        obstacle = "" if secrets.same(one.content_hash, seen[one.pk]) else "content_changed"
        if verdict == Verdict.APPROVE and not obstacle:
            obstacle = _obstacle(principal, one, policy, named)
        if not obstacle:
            named.add(one.slot_id)
        found.append(Weighed(one, obstacle))
    return found


def answer(principal: Principal, verdict: str, seen: Seen) -> None:
    """Give it to all of these. Raises Conflict when it cannot be given to one of them any more: then none has it."""
    with tenancy.atomic():
        weighed = weigh(principal, verdict, seen)
        if len(weighed) != len(seen) or any(one.obstacle for one in weighed):
            raise Conflict("One of them has changed or is decided, so none was answered.", code="already_decided")
        for one in weighed:
            delays.decide(principal, str(one.candidate.pk), one.candidate.content_hash, verdict)
        _note(principal, "candidate.several", [one.candidate.pk for one in weighed], verdict=verdict)


def undo(principal: Principal, candidate_ids: Sequence[uuid.UUID]) -> None:
    """Take one's answers to all of these back. Raises what `delays.undo` raises, and takes none back then."""
    with tenancy.atomic():
        for pk in candidate_ids:
            delays.undo(principal, str(pk))
        _note(principal, "candidate.undo_several", candidate_ids)


def _obstacle(principal: Principal, one: Candidate, policy: Policy, named: set[uuid.UUID]) -> str:
    if one.action == Candidate.Action.FORGET:
        return "asks_to_forget"
    texts = (one.statement or "", one.conditions or "", *one.aliases)
    is_risky = one.risk == Risk.HIGH  # type: ignore[attr-defined] # weighed with its risk
    if is_risky or one.sensitivity == "personal" or any(sensitive_trait(text) for text in texts):
        return "sensitive"
    if one.slot_id in named:
        return "same_name"
    rule = policy.kind(one.kind)
    if rule is not None and rule.expiry_required and one.valid_until is None:
        return "needs_last_day"
    foreseen = decisions.foresee(principal, str(one.pk), one.content_hash)
    if foreseen is not None and foreseen.outcome not in (*ACTIVATING, Outcome.keep):
        return foreseen.reason
    return ""


def _note(principal: Principal, action: str, ids: Sequence[uuid.UUID], **details: object) -> None:
    """One event that names them all, beside the event of each."""
    told = {"items": len(ids), "candidates": [str(pk) for pk in ids], **details}
    audit.record(principal, action, details=told)
