"""What the memory API answers, for the OpenAPI document. Rendering makes the answers; these describe them."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as drf

from memories import context
from memories.models import Candidate, Erasure, Evidence, Feedback, Memory, Namespace
from memories.recall_gate import Loss, Status
from memories.write_gate import EvidenceClass, Outcome

# Named in the settings, so that each set of values has one name in the document.
NAMESPACE_TYPES = Namespace.Type.values
EVIDENCE_TYPES = Evidence.Type.values
FORGET_SCOPES = Erasure.Scope.values
MEMORY_STATUSES = Memory.Status.values
CANDIDATE_STATUSES = Candidate.Status.values
FEEDBACK_VERDICTS = Feedback.Verdict.values
RECALL_STATUSES = [status.value for status in Status]


@extend_schema_field(OpenApiTypes.ANY)
class AnyValue(drf.JSONField):
    """Any JSON value."""


class NamespaceShown(drf.Serializer):
    type = drf.ChoiceField(choices=NAMESPACE_TYPES)
    id = drf.CharField(help_text="External id or slug of the owner.")
    path = drf.ListField(child=drf.CharField())


class ContentShown(drf.Serializer):
    """What a memory says, and how far it may be trusted."""

    memory_id = drf.UUIDField()
    namespace = NamespaceShown()
    kind = drf.CharField()
    key = drf.CharField(allow_null=True)
    statement = drf.CharField(allow_null=True)
    value = AnyValue(allow_null=True)
    conditions = drf.CharField(allow_null=True)
    evidence_class = drf.ChoiceField(choices=list(EvidenceClass))
    version = drf.IntegerField()
    updated_at = drf.DateTimeField()
    valid_until = drf.DateTimeField(allow_null=True)


class ProvenanceShown(drf.Serializer):
    evidence_type = drf.ChoiceField(choices=EVIDENCE_TYPES, allow_null=True)
    ref = drf.CharField(allow_null=True)
    run_id = drf.CharField(allow_null=True)
    thread_id = drf.CharField(allow_null=True)
    source = drf.CharField(allow_null=True, help_text="`deletion_request` on a tombstone.")
    policy_version = drf.IntegerField()


class MemoryShown(ContentShown):
    aliases = drf.ListField(child=drf.CharField())
    status = drf.ChoiceField(choices=MEMORY_STATUSES)
    sensitivity = drf.CharField(allow_null=True)
    said = drf.DictField(allow_null=True)
    provenance = ProvenanceShown()
    created_at = drf.DateTimeField()
    confirmed_at = drf.DateTimeField()


class MemoryPage(drf.Serializer):
    items = MemoryShown(many=True)
    next_cursor = drf.CharField(allow_null=True)
    has_more = drf.BooleanField()


class Versions(drf.Serializer):
    items = MemoryShown(many=True)


class EvidenceShown(drf.Serializer):
    id = drf.UUIDField()
    type = drf.ChoiceField(choices=EVIDENCE_TYPES)
    ref = drf.CharField()
    occurred_at = drf.DateTimeField(allow_null=True)
    text_kept = drf.BooleanField(help_text="False when no text was sent or it held something that may not be kept.")
    expires_at = drf.DateTimeField(allow_null=True)


class CheckShown(drf.Serializer):
    rule = drf.CharField()
    passed = drf.BooleanField()
    code = drf.CharField()


class SourceShown(drf.Serializer):
    topic = drf.CharField()
    system = drf.CharField()
    how_to_query = drf.CharField()


class DecisionShown(drf.Serializer):
    """The gate's answer. A refusal is a value: its status is 200."""

    decision = drf.ChoiceField(choices=list(Outcome))
    reason = drf.CharField()
    checks = CheckShown(many=True)
    memory = MemoryShown(allow_null=True)
    candidate_id = drf.UUIDField(allow_null=True)
    superseded_ids = drf.ListField(child=drf.UUIDField())
    source_of_truth = SourceShown(allow_null=True)
    policy_version = drf.IntegerField()
    operation_id = drf.UUIDField(allow_null=True)
    searchable = drf.BooleanField()


class BatchShown(drf.Serializer):
    items = drf.ListField(child=drf.DictField(), help_text="A decision each, in order, or `{problem}` for a bad item.")


class ItemShown(ContentShown):
    score = drf.FloatField()
    relevance = drf.FloatField(help_text="Calibrated probability that this item answers the query.")
    scores = drf.DictField(child=drf.FloatField())
    tokens = drf.IntegerField()
    advisory = drf.BooleanField(help_text="Always true: memory informs and never authorises.")


class OmittedShown(drf.Serializer):
    over_budget = drf.IntegerField()
    overridden = drf.IntegerField()
    below_threshold = drf.IntegerField()


class GateShown(drf.Serializer):
    namespaces = NamespaceShown(many=True)
    kinds = drf.ListField(child=drf.CharField())
    policy_version = drf.IntegerField()
    tokens_used = drf.IntegerField()
    token_budget = drf.IntegerField(allow_null=True)


class LoserShown(drf.Serializer):
    memory_id = drf.UUIDField()
    reason = drf.ChoiceField(choices=list(Loss))
    score = drf.FloatField()
    relevance = drf.FloatField()
    scores = drf.DictField(child=drf.FloatField(), help_text="What the score is made of.")


class RecallShown(drf.Serializer):
    recall_id = drf.UUIDField()
    status = drf.ChoiceField(choices=RECALL_STATUSES)
    confidence = drf.FloatField()
    warnings = drf.ListField(child=drf.CharField())
    items = ItemShown(many=True)
    omitted = OmittedShown()
    omitted_items = LoserShown(many=True, required=False, help_text="With `explain` only.")
    requery = SourceShown(many=True)
    gate = GateShown()


class CitedShown(drf.Serializer):
    memory_id = drf.UUIDField()
    ref = drf.CharField(allow_null=True)
    tokens = drf.IntegerField()


class ContextShown(drf.Serializer):
    """The packet in the format asked for: one of `packet`, `input`, `messages` or `text`."""

    recall_id = drf.UUIDField()
    status = drf.ChoiceField(choices=RECALL_STATUSES)
    format = drf.ChoiceField(choices=context.FORMATS)
    tokens_used = drf.IntegerField(help_text="Of the memories; the note around them takes about a hundred more.")
    items = CitedShown(many=True, help_text="The memories of the packet, in its order.")
    packet = drf.DictField(required=False)
    input = drf.ListField(child=drf.DictField(), required=False)
    messages = drf.ListField(child=drf.DictField(), required=False)
    text = drf.CharField(required=False)


class FeedbackShown(drf.Serializer):
    recall_id = drf.UUIDField()
    memory_id = drf.UUIDField()
    verdict = drf.ChoiceField(choices=FEEDBACK_VERDICTS)


class ProgressShown(drf.Serializer):
    """How far the checking of the stores is."""

    checked = drf.IntegerField()
    total = drf.IntegerField()


class GoneByShown(drf.Serializer):
    """By when no byte of it is left in the files of the database, and in no backup of it."""

    database = drf.DateTimeField()
    backups = drf.DateTimeField()


class ReceiptShown(drf.Serializer):
    """What was forgotten, in ids and counts."""

    id = drf.UUIDField()
    state = drf.ChoiceField(choices=[Erasure.State.HIDDEN.value, Erasure.State.PURGED.value])
    scope = drf.ChoiceField(choices=FORGET_SCOPES)
    memory_ids = drf.ListField(child=drf.UUIDField())
    counts = drf.DictField(child=drf.IntegerField())
    progress = ProgressShown()
    audit_sequence = drf.IntegerField(allow_null=True)
    hidden_at = drf.DateTimeField()
    purged_at = drf.DateTimeField(allow_null=True)
    gone_by = GoneByShown(allow_null=True)


class ForgetShown(drf.Serializer):
    """A dry run: the exact ids and the token that forgets just those. With a `confirm_token`: the receipt.

    For a person or a tenant `memory_ids` is empty, and `typed` is what must be sent along with the token.
    """

    dry_run = drf.BooleanField()
    scope = drf.ChoiceField(choices=FORGET_SCOPES)
    memory_ids = drf.ListField(child=drf.UUIDField())
    count = drf.IntegerField()
    candidates = drf.IntegerField()
    evidence = drf.IntegerField()
    typed = drf.CharField(allow_null=True)
    confirm_token = drf.CharField()
    expires_at = drf.DateTimeField()


class OperationShown(drf.Serializer):
    operation_id = drf.UUIDField()
    verb = drf.CharField()
    write_state = drf.ChoiceField(choices=["done"])
    decision = drf.ChoiceField(choices=list(Outcome))
    reason = drf.CharField()
    memory_id = drf.UUIDField(allow_null=True)
    candidate_id = drf.UUIDField(allow_null=True)
    superseded_ids = drf.ListField(child=drf.UUIDField())
    policy_version = drf.IntegerField()
    created_at = drf.DateTimeField()


class IndexStatusShown(drf.Serializer):
    pending = drf.IntegerField()
    oldest_seconds = drf.IntegerField()
    embedder = drf.CharField(allow_null=True)
    semantic = drf.BooleanField()
    total = drf.IntegerField(help_text="All memories, so that a change of embedder shows how far it is.")


class TablesShown(drf.Serializer):
    """Tables as lists of rows; the first row names the columns."""

    since = drf.DateField()
    tables = drf.DictField(child=drf.ListField(child=drf.ListField()))


class ToolsShown(drf.Serializer):
    format = drf.CharField()
    tools = drf.ListField(child=drf.DictField())


class ToolOutput(drf.Serializer):
    ok = drf.BooleanField(help_text="Only true means found or saved.")
    error = drf.CharField(required=False)


class ToolCallShown(drf.Serializer):
    call_id = drf.CharField()
    output = ToolOutput()


class CandidateShown(drf.Serializer):
    candidate_id = drf.UUIDField()
    action = drf.ChoiceField(choices=Candidate.Action.values)
    status = drf.ChoiceField(choices=CANDIDATE_STATUSES)
    awaiting = drf.ChoiceField(choices=Candidate.Awaiting.values)
    reason = drf.CharField()
    content_hash = drf.CharField()
    namespace = NamespaceShown()
    kind = drf.CharField()
    key = drf.CharField(allow_null=True)
    statement = drf.CharField(allow_null=True)
    value = AnyValue(allow_null=True)
    conditions = drf.CharField(allow_null=True)
    aliases = drf.ListField(child=drf.CharField())
    valid_until = drf.DateTimeField(allow_null=True)
    evidence_class = drf.ChoiceField(choices=list(EvidenceClass))
    provenance = drf.DictField()
    replaces_version = drf.IntegerField(allow_null=True)
    policy_version = drf.IntegerField()
    created_at = drf.DateTimeField()
    lapses_at = drf.DateTimeField()
    decided_at = drf.DateTimeField(allow_null=True)
    memory_id = drf.UUIDField(allow_null=True)


class CandidatePage(drf.Serializer):
    items = CandidateShown(many=True)
    next_cursor = drf.CharField(allow_null=True)
    has_more = drf.BooleanField()


class DecidedShown(drf.Serializer):
    """The candidate after the answer; an approval adds the gate's decision or the receipt of a forgetting."""

    candidate = CandidateShown()
    decision = drf.ChoiceField(choices=list(Outcome), required=False)
    reason = drf.CharField(required=False)
    memory = MemoryShown(required=False, allow_null=True)
    erasure = ReceiptShown(required=False)
