"""Everything that can hold a remembered text, in one file, so that erasure can be shown complete by reading it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.db.models.functions import Substr
from django.utils.translation import gettext_lazy as _

from accounts.models import Agent, Errand, Group, Membership, TenantRow
from accounts.tenancy import TenantManager, TenantModel
from memories.encryption import fields, keys
from memories.encryption.fields import SealedBinary, SealedJSON, SealedText

PATH_END = "/"


def path_key(path: list[str] | tuple[str, ...]) -> str:
    """One string per list of labels, such that a list is a prefix of another exactly when its string is."""
    return "".join(label.replace("~", "~0").replace("/", "~1") + PATH_END for label in path)


def path_of(key: str) -> tuple[str, ...]:
    """The list of labels that a string of `path_key` stands for."""
    return tuple(label.replace("~1", "/").replace("~0", "~") for label in key.split(PATH_END)[:-1])


def areas_of(key: str) -> list[str]:
    """The area that a string of `path_key` stands for and those above it, from the outermost."""
    labels = path_of(key)
    return [path_key(labels[: depth + 1]) for depth in range(len(labels))]


def _itself(text: str) -> list[str]:
    return [text]


def _thread_in(name: str) -> fields.Finds:
    """What a document of where something comes from is looked up by: the conversation under this name."""
    return lambda document: [str(document[name])] if isinstance(document, dict) and document.get(name) else []


class PolicyVersion(TenantRow):
    """One version of a tenant's policy; the newest active one decides."""

    version = models.PositiveIntegerField()
    document = models.JSONField()
    is_active = models.BooleanField(default=False)
    created_by = models.UUIDField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "version"], name="one_policy_per_version"),
            models.UniqueConstraint(fields=["tenant"], condition=Q(is_active=True), name="one_active_policy"),
        ]


class Namespace(TenantRow):
    """Who or what memories belong to: one person, agent, team or project.

    `revision` counts every change inside, so that an index in any process knows whether it is current.
    """

    class Type(models.TextChoices):
        USER = "user", _("person")
        AGENT = "agent", _("agent")
        TEAM = "team", _("team")
        PROJECT = "project", _("project")

    type = models.CharField(max_length=16, choices=Type)
    membership = models.OneToOneField(Membership, null=True, on_delete=models.PROTECT, related_name="namespace")
    agent = models.OneToOneField(Agent, null=True, on_delete=models.PROTECT, related_name="namespace")
    group = models.OneToOneField(Group, null=True, on_delete=models.PROTECT, related_name="namespace")
    revision = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(type="user", membership__isnull=False, agent__isnull=True, group__isnull=True)
                | Q(type="agent", membership__isnull=True, agent__isnull=False, group__isnull=True)
                | Q(type__in=["team", "project"], membership__isnull=True, agent__isnull=True, group__isnull=False),
                name="namespace_has_the_owner_of_its_type",
            ),
            models.UniqueConstraint(fields=["tenant", "id"], name="namespace_with_its_tenant"),
        ]

    @property
    def owner_name(self) -> str:
        """The external id or slug under which the API knows the owner."""
        if self.membership is not None:
            return self.membership.external_id
        return self.agent.slug if self.agent is not None else self.group.slug  # type: ignore[union-attr]

    @property
    def time_zone(self) -> str:
        """The name of the zone in which a bare day of this namespace ends."""
        return (self.membership.time_zone if self.membership else "") or self.tenant.time_zone


class Slot(TenantRow):
    """The place of one (namespace, area, kind, key), known by a keyed digest: what writers lock.

    It outlives its memories: versions go on counting and a forgotten slot knows since when. It holds no text.
    """

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="slots")
    digest = models.CharField(max_length=64)
    last_version = models.PositiveIntegerField(default=0)
    forgotten_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["namespace", "digest"], name="one_slot_per_namespace_and_key")]


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


class InNamespace:
    """A row whose texts are encrypted with the key of its namespace's owner."""

    @property
    def key_owner_id(self) -> UUID | None:
        """None for a row that belongs to no namespace."""
        namespace_id: UUID | None = self.namespace_id  # type: ignore[attr-defined]
        return keys.owner_of(namespace_id) if namespace_id else None


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

    `thread`, `speaker` and `names` are keyed hashes like the terms. `vector` is a unit vector of little-endian
    float16 made by the model that `embedder` names, null until there is one. While `embedder` is not the one in use
    the row is due for a vector, not before `embed_after`.
    """

    memory = models.OneToOneField(Memory, primary_key=True, on_delete=models.CASCADE, related_name="feature")
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="+")
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
    embedded_at = models.DateTimeField(null=True)
    embed_after = models.DateTimeField(null=True)
    embed_attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["tenant", "embedder", "memory"], name="feature_by_embedder")]


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

    `text` is a topic, a kind, a pattern of names, or a phrase. A phrase is matched by its keyed `digest` alone, so one
    that looks like a secret or an identifier is kept without its text.
    """

    class Type(models.TextChoices):
        TOPIC = "topic", _("a topic")
        KIND = "kind", _("a kind of memory")
        KEY = "key", _("a name")
        PHRASE = "phrase", _("words")

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="own_rules")
    type = models.CharField(max_length=16, choices=Type)
    text = SealedText(null=True)
    words = models.PositiveSmallIntegerField(default=0)
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["namespace", "type", "digest"], name="one_own_rule_per_content")]


class CandidateQuerySet(models.QuerySet["Candidate"]):
    def waiting(self, now: datetime) -> CandidateQuerySet:
        """What a person can still decide."""
        return self.filter(status=Candidate.Status.PENDING, lapses_at__gt=now)

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
        Status.CHANGES_REQUESTED: {Status.WITHDRAWN, Status.LAPSED},
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
    """How often what stands under a slot came back: in all, and in each of its last weeks ("2031-07" and a count).

    Counted from the traces by the sweep, so that reading changes nothing and waits for nothing.
    """

    slot = models.OneToOneField(Slot, primary_key=True, on_delete=models.CASCADE, related_name="use")
    total = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField()
    weeks = models.JSONField(default=dict)


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


class Export(Errand):
    """A file of what someone may read. It holds remembered text, so it goes when something in it is forgotten.

    `namespace_ids`: whose memories it holds; of the whole tenant when the scope says so. `file` is the name in the
    storage, told before the first byte is written and emptied only when the file is gone.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting to be made")
        RUNNING = "running", _("being made")
        READY = "ready", _("ready")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")
        WITHDRAWN = "withdrawn", _("withdrawn")
        EXPIRED = "expired", _("expired")

    class Scope(models.TextChoices):
        NAMESPACES = "namespaces", _("chosen places")
        TENANT = "tenant", _("the whole organisation")

    class Format(models.TextChoices):
        JSONL = "jsonl", _("JSON Lines, which can be imported again")
        CSV = "csv", _("table (CSV)")
        MARKDOWN = "markdown", _("text to read (Markdown)")

    state = models.CharField(max_length=16, choices=State, default=State.QUEUED)
    scope = models.CharField(max_length=16, choices=Scope, default=Scope.NAMESPACES)
    format = models.CharField(max_length=16, choices=Format, default=Format.JSONL)
    namespace_ids = models.JSONField(default=list)
    total = models.PositiveIntegerField(default=0)
    written = models.PositiveIntegerField(default=0)
    file = models.CharField(max_length=160, blank=True)
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        indexes = [models.Index(fields=["state"], name="export_by_state")]


class Import(Errand):
    """A file that someone handed over: first looked through line by line, then, on their word, carried out."""

    class State(models.TextChoices):
        CHECKING = "checking", _("being looked through")
        CHECKED = "checked", _("waits for your word")
        QUEUED = "queued", _("waiting to be carried out")
        RUNNING = "running", _("being carried out")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")
        EXPIRED = "expired", _("expired")

    class Format(models.TextChoices):
        JSONL = "jsonl", _("export of MemoryHub (JSON Lines)")
        MEM0 = "mem0", _("export of mem0 (JSON)")
        TEXT = "text", _("plain text, one memory a line")

    state = models.CharField(max_length=16, choices=State, default=State.CHECKING)
    format = models.CharField(max_length=16, choices=Format, default=Format.JSONL)
    replaces = models.BooleanField(default=False)
    total = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["state"], name="import_by_state")]


class ImportLine(InNamespace, TenantRow):
    """What becomes of one line of a file. `content` is kept only for what may be remembered, until that is done."""

    class Result(models.TextChoices):
        NEW = "new", _("new")
        SAME = "same", _("known already")
        CONFLICT = "conflict", _("differs")
        REPLACED = "replaced", _("replaced")
        WAITS = "waits", _("waits for a person")
        REFUSED = "refused", _("refused")

    errand = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="lines")
    number = models.PositiveIntegerField()
    result = models.CharField(max_length=16, choices=Result)
    reason = models.CharField(max_length=64)
    field = models.CharField(max_length=32, blank=True)
    namespace = models.ForeignKey(Namespace, null=True, on_delete=models.PROTECT, related_name="+")
    slot_digest = models.CharField(max_length=64, blank=True)
    content = SealedJSON(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["errand", "number"], name="one_result_per_line")]
        indexes = [
            models.Index(fields=["namespace", "slot_digest"], name="staged_by_slot", condition=Q(content__isnull=False))
        ]


class Extraction(InNamespace, Errand):
    """A conversation in which to look for what may be remembered about its person, and how far that is.

    `messages` is kept until it has been looked through, cancelled or forgotten, or its day is over. `total` counts
    the messages, `withheld` those whose text was not kept because the write gate would refuse it.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting to be looked through")
        RUNNING = "running", _("being looked through")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    class Method(models.TextChoices):
        RULES = "rules", _("rules for explicit requests")
        MODEL = "model", _("a language model")

    state = models.CharField(max_length=16, choices=State, default=State.QUEUED)
    method = models.CharField(max_length=16, choices=Method, default=Method.RULES)
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="+")
    conversation = SealedText(blank=True)
    run_id = SealedText(blank=True)
    messages = SealedJSON(null=True)
    total = models.PositiveIntegerField(default=0)
    withheld = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["state"], name="extraction_by_state")]


class ExtractionItem(TenantRow):
    """What became of one thing found: the write's operation, or the reason why none was tried."""

    extraction = models.ForeignKey(Extraction, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveIntegerField()
    message = models.PositiveIntegerField()
    reason = models.CharField(max_length=64, blank=True)
    operation = models.ForeignKey(Operation, null=True, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["extraction", "number"], name="one_item_per_finding")]
