"""The back office of reviews: who decided what, in codes."""

from __future__ import annotations

from django.contrib import admin

from accounts.admin import MetadataAdmin
from reviews.models import Review


@admin.register(Review)
class ReviewAdmin(MetadataAdmin):
    shown = ("candidate", "reviewer_id", "verdict", "reason", "policy_version", "created_at")
    list_filter = ("verdict", "reason")
