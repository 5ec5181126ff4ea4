"""What waits for a decision, and what shall never come to that."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts import secrets, tenancy
from accounts.models import Agent, Membership, TenantRow
from accounts.tenancy import TenantManager
from memories.encryption.fields import SealedText
from memories.models.content import Content, Memory
from memories.models.places import InNamespace, Namespace, Slot


class SourceMarker(TenantRow):
    """A source that may not bring back what was forgotten: a keyed digest of where it is, not of what it said.

    A source that was itself forgotten (`whole`) changes nothing that stands either.
    """

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="+")
    source_digest = models.CharField(max_length=64)
    forgotten_at = models.DateTimeField()
    whole = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["namespace", "source_digest"], name="one_marker_per_namespace_and_source")
        ]


class OwnRule(InNamespace, TenantRow):
    """What a person does not want remembered, in their own words: it stands until they remove it or leave.

    `text` is a topic, a kind, a pattern of names, a phrase, or the name of an agent that neither writes nor reads here.
    A phrase is matched by its keyed `digest` alone, so one that looks like a secret or an identifier is kept without
    its text.
    """

    class Type(models.TextChoices):
        TOPIC = "topic", _("a topic")
        KIND = "kind", _("a kind of memory")
        KEY = "key", _("a name")
        PHRASE = "phrase", _("words")
        AGENT = "agent", _("an agent")

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="own_rules")
    type = models.CharField(max_length=16, choices=Type)
    text = SealedText(null=True)
    words = models.PositiveSmallIntegerField(default=0)
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["namespace", "type", "digest"], name="one_own_rule_per_content")]

    @staticmethod
    def digest_of(text: str) -> str:
        """The keyed digest by which a rule is known; another tenant's is another one."""
        return secrets.digest("own_rule", str(tenancy.current_id()), text)


class CandidateQuerySet(models.QuerySet["Candidate"]):
    def waiting(self, now: datetime) -> CandidateQuerySet:
        """What a person can still decide."""
        return self.filter(status=Candidate.Status.PENDING, lapses_at__gt=now)

    def returned(self, now: datetime) -> CandidateQuerySet:
        """What a reviewer gave back to the person who proposed it, who may still send another version."""
        return self.filter(
            status=Candidate.Status.CHANGES_REQUESTED, awaiting=Candidate.Awaiting.REVIEWER, lapses_at__gt=now
        )

    def awaiting_owner(self, owner_id: object) -> CandidateQuerySet:
        return self.filter(awaiting=Candidate.Awaiting.OWNER, subject_id=owner_id)


class CandidateManager(TenantManager.from_queryset(CandidateQuerySet)):  # type: ignore[misc]
    pass


class Candidate(Content):
    """A proposal held for a person. Its content goes when it is rejected, withdrawn, lapsed or forgotten."""

    class Status(models.TextChoices):
        PENDING = "pending", _("waiting")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")
        CHANGES_REQUESTED = "changes_requested", _("changes requested")
        WITHDRAWN = "withdrawn", _("withdrawn")
        LAPSED = "lapsed", _("lapsed")

    class Awaiting(models.TextChoices):
        OWNER = "owner", _("the person")
        REVIEWER = "reviewer", _("a reviewer")

    class Action(models.TextChoices):
        REMEMBER = "remember", _("remember")
        FORGET = "forget", _("forget")

    MOVES = {
        Status.PENDING: {
            Status.APPROVED,
            Status.REJECTED,
            Status.CHANGES_REQUESTED,
            Status.WITHDRAWN,
            Status.LAPSED,
        },
        Status.CHANGES_REQUESTED: {Status.PENDING, Status.WITHDRAWN, Status.LAPSED},
    }

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="candidates")
    slot = models.ForeignKey(Slot, on_delete=models.PROTECT, related_name="candidates")
    subject = models.ForeignKey(Membership, null=True, on_delete=models.PROTECT, related_name="+")
    agent = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT, related_name="+")
    action = models.CharField(max_length=16, choices=Action, default=Action.REMEMBER)
    status = models.CharField(max_length=24, choices=Status, default=Status.PENDING)
    awaiting = models.CharField(max_length=16, choices=Awaiting)
    reason = models.CharField(max_length=64)
    content_hash = models.CharField(max_length=64)
    base_version = models.PositiveIntegerField(null=True)
    lapses_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    memory = models.ForeignKey(Memory, null=True, on_delete=models.PROTECT, related_name="+")

    objects = CandidateManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["slot", "action", "content_hash", "awaiting"],
                condition=Q(status="pending"),
                name="one_waiting_candidate_per_content",
            ),
            models.CheckConstraint(
                condition=~Q(status="pending") | Q(statement__isnull=False, key__isnull=False),
                name="a_waiting_candidate_shows_its_content",
            ),
        ]
        indexes = [models.Index(fields=["tenant", "status", "awaiting"], name="candidate_by_queue")]


class Comment(TenantRow):
    """What a reviewer asked or a proposer answered about a candidate. The words go when the candidate's do."""

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="comments")
    author = models.ForeignKey(Membership, null=True, on_delete=models.PROTECT, related_name="+")
    text = SealedText(null=True)

    @property
    def key_owner_id(self) -> UUID | None:
        """The key of what it is about."""
        return self.candidate.key_owner_id
