"""The back office of reviews: who decided what, in codes."""

from __future__ import annotations

from django.contrib import admin

from accounts.admin import MetadataAdmin
from reviews.models import DelayedVerdict, Review


@admin.register(Review)
class ReviewAdmin(MetadataAdmin):
    shown = ("candidate", "reviewer_id", "verdict", "reason", "policy_version", "created_at")
    list_filter = ("verdict", "reason")


@admin.register(DelayedVerdict)
class DelayedVerdictAdmin(MetadataAdmin):
    """None fails for good: one that cannot take effect is refused with a code, and the candidate waits on."""

    shown = ("candidate", "verdict", "state", "error", "attempts", "subject_id", "commits_at", "created_at")
    list_filter = ("state", "verdict")
