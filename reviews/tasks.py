"""Later work of reviews."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from celery import shared_task
from django.utils import timezone

from accounts.principals import Principal
from accounts.tasks import TENANT_HEADER, TenantTask
from reviews import decisions, delays, mailing, notices
from reviews.delays import commit_due as commit_verdicts
from reviews.models import DelayedVerdict

__all__ = ["commit_verdict", "commit_verdicts", "gather_notices", "lapse_candidates", "mail_notices"]


def lapse_candidates(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Let go of what waited too long for a person."""
    return {"candidates_lapsed": decisions.lapse(principal, now)}


def gather_notices(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Tell people in the pages what came up since the last time."""
    return notices.gather(principal, now)


def mail_notices(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Tell them by mail what they have not seen."""
    return {"notices_mailed": mailing.mail_due(principal, now)}


class MomentTask(TenantTask):
    abstract = True

    def send(self, tenant_id: uuid.UUID, verdict_id: uuid.UUID, delay: timedelta) -> None:
        """Ask a worker to be there when the moment comes. When the broker is away the sweep is."""
        headers = {TENANT_HEADER: str(tenant_id)}
        self.apply_async(args=[str(verdict_id)], headers=headers, countdown=delay.total_seconds(), retry=False)


@shared_task(bind=True, base=MomentTask, name="reviews.tasks.commit_verdict")
def commit_verdict(_task: Any, verdict_id: str) -> None:
    """Let one delayed verdict take effect, unless it was taken back."""
    row = DelayedVerdict.objects.select_related("candidate").filter(pk=verdict_id).first()
    if row is not None:
        delays.commit(row, timezone.now())
