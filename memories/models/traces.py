"""What became of writes and recalls, in codes and ids."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import TenantRow
from accounts.tenancy import TenantModel
from memories.encryption.fields import SealedText
from memories.models.content import Evidence, Memory
from memories.models.places import InNamespace, Namespace, Slot
from memories.models.waiting import Candidate


class Operation(TenantRow):
    """What became of one write, in codes and ids, so that a caller can ask instead of writing twice."""

    actor_id = models.UUIDField(null=True)
    subject_id = models.UUIDField(null=True)
    verb = models.CharField(max_length=24)
    decision = models.CharField(max_length=24)
    reason = models.CharField(max_length=64)
    checks = models.JSONField(default=list)
    topic = models.CharField(max_length=64, blank=True)
    slot = models.ForeignKey(Slot, null=True, on_delete=models.PROTECT, related_name="operations")
    evidence = models.ForeignKey(Evidence, null=True, on_delete=models.PROTECT, related_name="+")
    memory = models.ForeignKey(Memory, null=True, on_delete=models.PROTECT, related_name="+")
    candidate = models.ForeignKey(Candidate, null=True, on_delete=models.PROTECT, related_name="+")
    superseded_ids = models.JSONField(default=list)
    policy_version = models.PositiveIntegerField()


class Recall(TenantRow):
    """The trace of one recall: which ids came back and how they scored. The query itself is not kept."""

    actor_id = models.UUIDField(null=True)
    subject_id = models.UUIDField(null=True)
    agent_id = models.UUIDField(null=True)
    run_id = models.CharField(max_length=128, blank=True)
    status = models.CharField(max_length=24)
    items = models.JSONField(default=list)
    omitted = models.JSONField(default=dict)
    gate = models.JSONField(default=dict)
    latency = models.JSONField(default=dict)
    is_counted = models.BooleanField(default=False)

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "id"], name="recall_to_count", condition=Q(is_counted=False)),
            models.Index(fields=["subject_id", "id"], name="recall_by_subject"),
        ]


class Use(TenantModel):
    """How often what stands under a slot came back: in all, and in each of its last weeks ("2031-07" and a count); of
    what teams, projects and agents go by also on each of its last days ("2031-02-14", of UTC).

    Counted from the traces by the sweep, so that reading changes nothing and waits for nothing.
    """

    slot = models.OneToOneField(Slot, primary_key=True, on_delete=models.CASCADE, related_name="use")
    total = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField()
    weeks = models.JSONField(default=dict)
    days = models.JSONField(default=dict)


class SavedView(InNamespace, TenantRow):
    """A person's filters of their list under a name. Words they searched for are never part of it."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="saved_views")
    name = models.CharField(max_length=64)
    query = SealedText()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["namespace", "name"], name="one_saved_view_per_name")]


class Feedback(TenantRow):
    """What a runtime made of a recalled memory."""

    class Verdict(models.TextChoices):
        USED = "used", _("used")
        IRRELEVANT = "irrelevant", _("irrelevant")
        WRONG = "wrong", _("wrong")
        STALE = "stale", _("stale")

    recall = models.ForeignKey(Recall, on_delete=models.CASCADE, related_name="feedback")
    memory_id = models.UUIDField()
    verdict = models.CharField(max_length=16, choices=Verdict)
