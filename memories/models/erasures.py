"""The ledger of what was forgotten."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import TenantRow


class Erasure(TenantRow):
    """A forgetting: first perhaps a plan, then hidden at once, then purged from every store. Ids and counts only.

    `target_id` is the person, agent, namespace or tenant that a wide one was about, or the evidence it began with.
    `checked` tells how far in its lists of ids everything has been found clean. `key_generations`: whose encryption
    keys go with it, up to which number.
    """

    class Scope(models.TextChoices):
        KEY = "key", _("one name")
        FILTER = "filter", _("a selection")
        SOURCE = "source", _("a conversation or message")
        AGENT = "agent", _("everything an agent proposed")
        NAMESPACE = "namespace", _("everything of a person, agent, team or project")
        PERSON = "person", _("a person and their account")
        TENANT = "tenant", _("a whole organisation")
        EXPIRY = "expiry", _("what had ended long ago")

    WHOLE = (Scope.NAMESPACE, Scope.PERSON, Scope.TENANT)
    """Those that leave nothing of a namespace."""

    class State(models.TextChoices):
        PLANNED = "planned", _("planned")
        HIDDEN = "hidden", _("hidden")
        PURGED = "purged", _("purged")

    state = models.CharField(max_length=16, choices=State)
    scope = models.CharField(max_length=16, choices=Scope, default=Scope.KEY)
    target_id = models.UUIDField(null=True)
    actor_id = models.UUIDField(null=True)
    subject_id = models.UUIDField(null=True)
    slot_ids = models.JSONField(default=list)
    memory_ids = models.JSONField(default=list)
    candidate_ids = models.JSONField(default=list)
    evidence_ids = models.JSONField(default=list)
    checked = models.PositiveIntegerField(default=0)
    key_generations = models.JSONField(default=dict)
    counts = models.JSONField(default=dict)
    attempts = models.PositiveIntegerField(default=0)
    audit_sequence = models.BigIntegerField(null=True)
    expires_at = models.DateTimeField(null=True)
    hidden_at = models.DateTimeField(null=True)
    purged_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["state"], name="erasure_by_state")]

    @property
    def size(self) -> int:
        """How many steps of checking it takes."""
        return max(map(len, (self.memory_ids, self.slot_ids, self.candidate_ids, self.evidence_ids)))

    def piece(self, start: int, count: int) -> Erasure:
        """A part of it, to be checked by itself; never saved."""
        part = slice(start, start + count)
        return Erasure(
            pk=self.pk,
            scope=self.scope,
            hidden_at=self.hidden_at,
            memory_ids=self.memory_ids[part],
            slot_ids=self.slot_ids[part],
            candidate_ids=self.candidate_ids[part],
            evidence_ids=self.evidence_ids[part],
        )
