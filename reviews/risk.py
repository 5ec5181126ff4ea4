"""How much harm a wrong approval could do: by the policy and by what is known of a candidate without reading it."""

from __future__ import annotations

from django.db.models import Case, Q, QuerySet, TextChoices, Value, When
from django.utils.translation import gettext_lazy as _

from memories.models import Candidate
from memories.policy import Policy
from memories.write_gate import EvidenceClass

UNPROVEN = (EvidenceClass.model_inference, EvidenceClass.tool_output)


class Risk(TextChoices):
    LOW = "low", _("low risk")
    MEDIUM = "medium", _("medium risk")
    HIGH = "high", _("high risk")


def with_risk(rows: QuerySet[Candidate], policy: Policy) -> QuerySet[Candidate]:
    """The candidates with their `risk`: in the query, so that a queue can be filtered and counted by it."""
    high = Q(reason="suspicious_content") | Q(kind__in=policy.review.kinds_of(Risk.HIGH))
    medium = Q(base_version__isnull=False) | Q(evidence_class__in=UNPROVEN)
    medium |= Q(kind__in=policy.review.kinds_of(Risk.MEDIUM))
    return rows.annotate(
        risk=Case(When(high, then=Value(Risk.HIGH)), When(medium, then=Value(Risk.MEDIUM)), default=Value(Risk.LOW))
    )


def risk_of(candidate: Candidate, policy: Policy) -> Risk:
    """The risk of one of them."""
    return Risk(with_risk(Candidate.objects.filter(pk=candidate.pk), policy).values_list("risk", flat=True).get())


def approvers_needed(candidate: Candidate, policy: Policy) -> int:
    """How many reviewers must approve it independently of each other. What its owner decides takes one."""
    if candidate.awaiting == Candidate.Awaiting.OWNER or not policy.review.two_approvers:
        return 1
    return 2 if risk_of(candidate, policy) in policy.review.two_approvers else 1
