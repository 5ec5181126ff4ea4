"""Addresses that are told what happens, and what they were told."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models.people import Group, TenantRow


class Webhook(TenantRow):
    """An address that is told what happens in one team or project, or, without one, in the whole tenant.

    What signs the messages is derived from `salt` with the deployment's pepper: a stolen database signs nothing.
    `failing_since`: no message has come through since; `switched_off_at`: nothing is sent any more.
    """

    group = models.ForeignKey(Group, null=True, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    events = models.JSONField(default=list)
    salt = models.CharField(max_length=64)
    made_by = models.UUIDField(null=True)
    failing_since = models.DateTimeField(null=True)
    switched_off_at = models.DateTimeField(null=True)
    expiry_told_until = models.DateTimeField(default=timezone.now)


class Delivery(TenantRow):
    """One message to one address: codes and ids. It is due from `next_at` on while it waits.

    `answer` is the HTTP status that came back, if any; `error` a code.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        SENT = "sent", _("delivered")
        FAILED = "failed", _("failed")

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=32)
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=16, choices=State, default=State.WAITING)
    next_at = models.DateTimeField(default=timezone.now)
    claimed_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    answer = models.PositiveSmallIntegerField(null=True)
    error = models.CharField(max_length=32, blank=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "next_at"], name="delivery_by_due", condition=Q(state="waiting")),
            models.Index(fields=["webhook", "id"], name="delivery_by_webhook"),
        ]
