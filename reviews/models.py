"""What people decided: verdicts in codes. No text of a candidate or of a reviewer stands here."""

from __future__ import annotations

from django.db import models

from accounts.models import TenantRow
from memories.models import Candidate


class Review(TenantRow):
    """One person's verdict on exactly one content of a candidate."""

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="reviews")
    reviewer_id = models.UUIDField()
    verdict = models.CharField(max_length=24)
    reason = models.CharField(max_length=64, blank=True)
    content_hash = models.CharField(max_length=64)
    policy_version = models.PositiveIntegerField()
