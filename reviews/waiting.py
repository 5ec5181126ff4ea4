"""What still waits for somebody's answer."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from accounts.principals import Principal
from memories.models import Candidate
from reviews.models import DelayedVerdict, Review


def undecided(candidates: QuerySet[Candidate]) -> QuerySet[Candidate]:
    """Without those that somebody has decided and whose verdict takes effect in a moment."""
    return candidates.exclude(
        pk__in=DelayedVerdict.objects.filter(state=DelayedVerdict.State.WAITING).values("candidate")
    )


def not_mine_yet(candidates: QuerySet[Candidate], principal: Principal) -> QuerySet[Candidate]:
    """Without those that the caller has approved as they are, and that wait for a second reviewer."""
    given = Review.objects.filter(
        candidate=OuterRef("pk"),
        content_hash=OuterRef("content_hash"),
        verdict=DelayedVerdict.Verdict.APPROVE,
        reviewer_id=principal.subject_id,
    )
    return candidates.filter(~Exists(given))


def approvers(candidate: Candidate) -> set[object]:
    """Who has approved exactly what it says now."""
    given = Review.objects.filter(candidate=candidate, verdict=DelayedVerdict.Verdict.APPROVE)
    return set(given.filter(content_hash=candidate.content_hash).values_list("reviewer_id", flat=True))
