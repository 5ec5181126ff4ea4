"""Files that are made or taken in, and conversations that are looked through, later."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Errand, TenantRow
from memories.encryption.fields import SealedJSON, SealedText
from memories.models.places import InNamespace, Namespace
from memories.models.traces import Operation


class Export(Errand):
    """A file of what someone may read. It holds remembered text, so it goes when something in it is forgotten.

    `namespace_ids`: whose memories it holds; of the whole tenant when the scope says so. `slot_ids`: which of them,
    when some were chosen. `file` is the name in the storage, told before the first byte is written and emptied only
    when the file is gone.
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
        TENANT = "tenant", _("all teams, projects and agents")
        CHOSEN = "chosen", _("chosen memories")

    class Format(models.TextChoices):
        JSONL = "jsonl", _("JSON Lines, which can be imported again")
        CSV = "csv", _("table (CSV)")
        MARKDOWN = "markdown", _("text to read (Markdown)")

    state = models.CharField(max_length=16, choices=State, default=State.QUEUED)
    scope = models.CharField(max_length=16, choices=Scope, default=Scope.NAMESPACES)
    format = models.CharField(max_length=16, choices=Format, default=Format.JSONL)
    namespace_ids = models.JSONField(default=list)
    slot_ids = models.JSONField(default=list)
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
