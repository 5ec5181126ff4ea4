"""Claims: a reviewer keeps a candidate for themselves for a while, so that two people do not do the same work."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import Conflict, Forbidden, InvalidInput
from accounts.models import Membership
from accounts.principals import Principal
from memories import access
from memories.models import Candidate
from reviews.models import Claim
from reviews.waiting import undecided

LASTS = timedelta(minutes=15)
HANDED_OVER_LASTS = timedelta(days=2)


def current(candidate: Candidate, now: datetime) -> Claim | None:
    """Who works on it at this moment; a claim that has run out is none."""
    return Claim.objects.select_related("reviewer").filter(candidate=candidate, until__gt=now).first()


def claim(principal: Principal, candidate_id: str) -> Claim:
    """Take it for 15 minutes, or for 15 more. Raises Conflict while another reviewer has it."""
    with tenancy.atomic():
        candidate = _reviewed(principal, candidate_id)
        return _give(principal, candidate, principal.subject_id, LASTS, "candidate.claim")


def transfer(principal: Principal, candidate_id: str, external_id: str) -> Claim:
    """Hand it to another reviewer who may decide it, for two days. Raises InvalidInput for anybody else."""
    with tenancy.atomic():
        candidate = _reviewed(principal, candidate_id)
        other = next((one for one in colleagues(principal, candidate) if one.external_id == external_id), None)
        if other is None:
            raise InvalidInput.field("reviewer", "Only another reviewer who may decide it.", "unknown_reviewer")
        return _give(principal, candidate, other.pk, HANDED_OVER_LASTS, "candidate.transfer")


def release(principal: Principal, candidate_id: str) -> None:
    """Give one's claim back; nothing happens where one has none."""
    seen = access.candidate(principal, candidate_id)
    with tenancy.atomic():
        gone, _rows = Claim.objects.filter(candidate=seen, reviewer_id=principal.subject_id).delete()
        if gone:
            audit.record(principal, "candidate.release", target="candidate", target_id=seen.pk)


def require_free(principal: Principal, candidate: Candidate, now: datetime) -> None:
    """Raise Conflict while another reviewer works on it."""
    if Claim.objects.filter(candidate=candidate, until__gt=now).exclude(reviewer_id=principal.subject_id).exists():
        raise Conflict("Another reviewer is working on it.", code="claimed")


def colleagues(principal: Principal, candidate: Candidate) -> list[Membership]:
    """The other reviewers who may decide it, by name."""
    return [
        one
        for one in access.reviewers(candidate.namespace)
        if one.pk not in (principal.subject_id, candidate.subject_id)
    ]


def _reviewed(principal: Principal, candidate_id: str) -> Candidate:
    """The waiting candidate, locked, when the caller reviews it themselves and nobody else works on it."""
    candidate = access.candidate(principal, candidate_id)
    access.lock([candidate.namespace])
    reviewed = candidate.awaiting == Candidate.Awaiting.REVIEWER and access.reviews(principal, candidate.namespace)
    if not (principal.is_person and reviewed):
        raise Forbidden("Only a reviewer of this namespace may decide it.", code="not_a_reviewer")
    if candidate.subject_id == principal.subject_id:
        raise Forbidden("Nobody reviews what they proposed themselves.", code="own_proposal")
    if not undecided(Candidate.objects.waiting(timezone.now()).filter(pk=candidate.pk)).exists():
        raise Conflict("It has been decided already.", code="already_decided")
    require_free(principal, candidate, timezone.now())
    return candidate


def _give(principal: Principal, candidate: Candidate, reviewer_id: object, lasts: timedelta, action: str) -> Claim:
    given = {"reviewer_id": reviewer_id, "until": timezone.now() + lasts}
    claim, _made = Claim.objects.update_or_create(candidate=candidate, defaults=given)
    audit.record(principal, action, target="candidate", target_id=candidate.pk, details={"reviewer": str(reviewer_id)})
    return claim
