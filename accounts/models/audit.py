"""What was done, as events in a chain that shows every later change."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.ids import uuid7
from accounts.tenancy import TenantModel


class AuditEvent(TenantModel):
    """What was done, by whom, to what and with what result: ids and codes only. Rows are only ever added."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    at = models.DateTimeField(default=timezone.now)
    actor = models.CharField(max_length=16)
    actor_id = models.UUIDField(null=True)
    subject_id = models.UUIDField(null=True)
    action = models.CharField(max_length=48)
    outcome = models.CharField(max_length=32)
    reason = models.CharField(max_length=64, blank=True)
    target = models.CharField(max_length=24, blank=True)
    target_id = models.UUIDField(null=True)
    request_id = models.CharField(max_length=64, blank=True)
    details = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "id"], name="audit_by_time"),
            models.Index(fields=["tenant", "target_id"], name="audit_by_target"),
            models.Index(fields=["tenant", "action", "id"], name="audit_by_action"),
            models.Index(fields=["tenant", "subject_id", "id"], name="audit_by_subject"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class AuditSeal(TenantModel):
    """An event's place in its tenant's chain: each seal's digest covers the event and the seal before it."""

    id = models.BigAutoField(primary_key=True)
    sequence = models.BigIntegerField()
    event = models.OneToOneField(AuditEvent, on_delete=models.PROTECT, related_name="seal")
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "sequence"], name="one_seal_per_sequence")]

    def __str__(self) -> str:
        return str(self.sequence)


class AuditCheckpoint(TenantModel):
    """Where a chain goes on after its oldest events left by the policy's retention: all up to `sequence` are gone.

    `seal` is the last removed event's; `digest` is keyed and covers this row and the checkpoint before it.
    """

    id = models.BigAutoField(primary_key=True)
    made_at = models.DateTimeField(default=timezone.now)
    sequence = models.BigIntegerField()
    seal = models.CharField(max_length=64)
    until = models.DateTimeField()
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "sequence"], name="one_checkpoint_per_sequence")]

    def __str__(self) -> str:
        return str(self.sequence)
