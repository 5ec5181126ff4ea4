"""What is done later, and what must not be done twice."""

from __future__ import annotations

from django.db import models

from accounts.models.people import TenantRow


class Errand(TenantRow):
    """Work that is done later for someone: who asked and with what rights. Whether they still may is asked anew then.

    `attempts` counts how often someone began in vain; until `claimed_until` one worker is at it. `error` is a code, or
    the class of the last exception. Each kind has a State with QUEUED, RUNNING and FAILED.
    """

    actor = models.CharField(max_length=16)
    actor_id = models.UUIDField(null=True)
    subject_id = models.UUIDField(null=True)
    agent_id = models.UUIDField(null=True)
    credential_id = models.UUIDField(null=True)
    scopes = models.JSONField(default=list)
    language = models.CharField(max_length=16, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    claimed_until = models.DateTimeField(null=True)
    error = models.CharField(max_length=64, blank=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class IdempotencyKey(TenantRow):
    """That a request was carried out, and what came of it: keyed digests and references, never text."""

    digest = models.CharField(max_length=64)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    references = models.JSONField(default=dict)
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "digest"], name="one_request_per_idempotency_key")]
        indexes = [models.Index(fields=["expires_at"], name="idempotency_by_expiry")]
