"""What is remembered, what it rests on and what ranking needs of it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.db.models.functions import Substr
from django.utils.translation import gettext_lazy as _

from accounts.models import Agent, Membership, TenantRow
from accounts.tenancy import TenantManager, TenantModel
from memories.encryption import fields
from memories.encryption.fields import SealedBinary, SealedJSON, SealedText
from memories.models.places import InNamespace, Namespace, Slot
from memories.paths import areas_of, path_key


def _itself(text: str) -> list[str]:
    return [text]


def _thread_in(name: str) -> fields.Finds:
    """What a document of where something comes from is looked up by: the conversation under this name."""
    return lambda document: [str(document[name])] if isinstance(document, dict) and document.get(name) else []


class Evidence(TenantRow):
    """What actually happened, as a runtime attested it. The original text is kept only for the retention time."""

    class Type(models.TextChoices):
        USER_MESSAGE = "user_message", _("message of the person")
        TOOL_OUTPUT = "tool_output", _("output of a tool")
        BUSINESS_RECEIPT = "business_receipt", _("receipt of a business system")
        REVIEW = "review", _("review")
        RUN_RESULT = "run_result", _("result of a run")
        SUMMARY = "summary", _("summary by a model")
        WEB_FORM = "web_form", _("entered on the web page")
        IMPORT = "import", _("handed over in a file")

    # What people do here themselves: not attested by a runtime, and each such event happens once.
    OWN_ACTS = (Type.WEB_FORM, Type.IMPORT)

    type = models.CharField(max_length=24, choices=Type)
    subject = models.ForeignKey(Membership, null=True, on_delete=models.PROTECT, related_name="+")
    agent = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT, related_name="+")
    reviewer = models.ForeignKey(Membership, null=True, on_delete=models.PROTECT, related_name="+")
    occurred_at = models.DateTimeField(null=True)
    source_digest = models.CharField(max_length=64)
    sequence = models.BigIntegerField(null=True)
    run_id = SealedText(blank=True)
    ref = SealedText(blank=True)
    thread = SealedText(blank=True, finds=_itself)
    speaker = SealedText(blank=True)
    text = SealedText(null=True)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["expires_at"], name="evidence_by_expiry")]

    @property
    def key_owner_id(self) -> UUID | None:
        """Whose key its texts are encrypted with: the person's, or the agent's who works for nobody in particular."""
        return self.subject_id or self.agent_id


class Content(InNamespace, TenantRow):
    """What is remembered or would be, with where it comes from. The words are null once they are gone."""

    kind = models.CharField(max_length=32)
    key = SealedText(null=True, finds=_itself)
    path = SealedJSON(default=list)
    statement = SealedText(null=True)
    value = SealedJSON(null=True)
    conditions = SealedText(null=True)
    aliases = SealedJSON(default=list)
    valid_until = models.DateTimeField(null=True)
    evidence = models.ForeignKey(Evidence, null=True, on_delete=models.PROTECT, related_name="+")
    evidence_class = models.CharField(max_length=24)
    said = SealedJSON(default=dict, finds=_thread_in("thread"))
    provenance = SealedJSON(default=dict, finds=_thread_in("thread_id"))
    sensitivity = models.CharField(max_length=16, blank=True)
    policy_version = models.PositiveIntegerField()

    class Meta:
        abstract = True


def told_in(thread: str) -> Q:
    """Content that was told in a conversation."""
    plain = Q(provenance__thread_id=thread) | Q(said__thread=thread)
    return plain | Q(provenance__about=thread) | Q(said__about=thread)


class MemoryQuerySet(models.QuerySet["Memory"]):
    """Reading verbs; each is a WHERE clause, so nothing is filtered after a limit."""

    def recallable(self, now: datetime) -> MemoryQuerySet:
        """What may come back at this moment: active and unexpired, decided inside the query."""
        return self.filter(status=Memory.Status.ACTIVE).filter(Q(valid_until=None) | Q(valid_until__gt=now))

    def recallable_at(self, moment: datetime) -> MemoryQuerySet:
        """What was recallable at an earlier moment and has not been forgotten since."""
        return self.filter(
            Q(retired_at=None) | Q(retired_at__gt=moment),
            Q(valid_until=None) | Q(valid_until__gt=moment),
            created_at__lte=moment,
            status__in=[Memory.Status.ACTIVE, Memory.Status.SUPERSEDED],
        )

    def current(self) -> MemoryQuerySet:
        """The version that stands for its slot: active or paused."""
        return self.filter(status__in=Memory.CURRENT)

    def kept(self) -> MemoryQuerySet:
        """Everything but tombstones."""
        return self.exclude(status=Memory.Status.DELETED)

    def within(self, path: list[str] | tuple[str, ...]) -> MemoryQuerySet:
        """Of an area and below. Whole labels, byte for byte: no pattern, so `_`, `%` and case mean themselves."""
        if not path:
            return self
        area = path_key(path)
        sealed = fields.beginning(areas_of(area))
        found = self.alias(area=Substr("path_key", 1, len(area)), sealed=Substr("path_key", 1, len(sealed)))
        return found.filter(Q(area=area) | Q(sealed=sealed))

    def saying(self, text: str) -> MemoryQuerySet:
        """With this text, in whatever case, in the statement, key or conditions.

        What is encrypted is opened and looked at here: that takes some microseconds for each memory among these.
        """
        plain = Q(statement__icontains=text) | Q(key__icontains=text) | Q(conditions__icontains=text)
        sealed = Q(statement__startswith=fields.MARK)
        wanted = text.casefold()
        found = [
            row.pk
            for row in self.filter(sealed)
            .select_related(None)
            .only("pk", "tenant", "namespace", "statement", "key", "conditions")
            if any(wanted in (told or "").casefold() for told in (row.statement, row.key, row.conditions))
        ]
        return self.filter((plain & ~sealed) | Q(pk__among=found))


class MemoryManager(TenantManager.from_queryset(MemoryQuerySet)):  # type: ignore[misc]
    pass


class Memory(Content):
    """One version of one remembered thing. A tombstone keeps ids and times and has lost every text."""

    class Status(models.TextChoices):
        ACTIVE = "active", _("active")
        PAUSED = "paused", _("paused")
        SUPERSEDED = "superseded", _("superseded")
        DELETED = "deleted", _("deleted")

    CURRENT = (Status.ACTIVE, Status.PAUSED)

    # Without an index of their own: constraints and indexes below begin with them.
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="memories", db_index=False)
    slot = models.ForeignKey(Slot, on_delete=models.PROTECT, related_name="versions", db_index=False)
    version = models.PositiveIntegerField()
    rev = models.BigIntegerField()
    status = models.CharField(max_length=16, choices=Status, default=Status.ACTIVE)
    path_key = SealedText(default="", blank=True, finds=areas_of)
    proposed_by = models.UUIDField(null=True)
    approved_by = models.UUIDField(null=True)
    confirmed_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField()

    objects = MemoryManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["slot", "version"], name="one_memory_per_version"),
            models.UniqueConstraint(
                fields=["slot"], condition=Q(status__in=["active", "paused"]), name="one_current_memory_per_slot"
            ),
            models.CheckConstraint(
                condition=Q(
                    status="deleted",
                    statement__isnull=True,
                    value__isnull=True,
                    conditions__isnull=True,
                    key__isnull=True,
                )
                | (~Q(status="deleted") & Q(statement__isnull=False, key__isnull=False)),
                name="deleted_exactly_when_without_text",
            ),
        ]
        indexes = [
            models.Index(fields=["namespace", "rev"], name="memory_by_revision"),
            models.Index(fields=["namespace", "id"], name="memory_by_namespace"),
            # A page of a person's list and the counts beside it read nothing else.
            models.Index(fields=["namespace", "status", "id", "valid_until"], name="memory_by_status"),
            # Partial, so that no planner without statistics takes it for a way to a tenant's every memory.
            models.Index(
                fields=["tenant", "valid_until"], name="memory_by_expiry", condition=Q(valid_until__isnull=False)
            ),
        ]


class EvidenceLink(TenantRow):
    """Further evidence for a memory that was already known when it arrived."""

    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="further_evidence")
    evidence = models.ForeignKey(Evidence, on_delete=models.CASCADE, related_name="links")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["memory", "evidence"], name="one_link_per_memory_and_evidence")]


class Feature(InNamespace, TenantModel):
    """What ranking needs of one memory: hashes and numbers. No word stands in it; an erased memory has none.

    `thread`, `speaker` and `names` are keyed hashes like the terms. `vector` is a direction, packed as `vectors` does,
    made by the model that `embedder` names, null until there is one. While `embedder` is not the one in use
    the row is due for a vector, not before `embed_after`.
    """

    memory = models.OneToOneField(Memory, primary_key=True, on_delete=models.CASCADE, related_name="feature")
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="+", db_index=False)
    terms = SealedBinary()
    length = models.PositiveIntegerField()
    names = SealedBinary(default=bytes)
    thread = models.BigIntegerField(null=True)
    sequence = models.BigIntegerField(null=True)
    speaker = SealedBinary(default=bytes)
    said_on = models.DateField(null=True)
    traits = models.PositiveSmallIntegerField(default=0)
    vector = SealedBinary(null=True)
    embedder = models.CharField(max_length=64, blank=True)
    embed_after = models.DateTimeField(null=True)
    embed_attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["tenant", "embedder"], name="feature_by_embedder")]
