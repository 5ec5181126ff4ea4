"""What a MemoryHub answers. Fields that it adds later are ignored; texts stay out of every repr, and so out of logs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

T = TypeVar("T")
ACTIVE = ("store", "supersede", "keep")


@dataclass(frozen=True, slots=True)
class Namespace:
    """Whose a memory is: the type, the owner's external id or slug, the labels of the area."""

    type: str
    id: str
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """What a memory says, and how far it may be trusted. Its texts are None on a tombstone."""

    memory_id: str | None
    namespace: Namespace
    kind: str
    key: str | None
    evidence_class: str
    version: int
    updated_at: datetime | None
    valid_until: datetime | None
    statement: str | None = field(repr=False)
    value: Any = field(repr=False)
    conditions: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a memory rests on."""

    evidence_type: str | None
    ref: str | None
    run_id: str | None
    thread_id: str | None
    policy_version: int


@dataclass(frozen=True, slots=True)
class Memory(Content):
    """One version. `version` is what a correction names as the one it saw."""

    status: str
    sensitivity: str | None
    provenance: Provenance
    created_at: datetime | None
    confirmed_at: datetime | None
    aliases: tuple[str, ...] = field(repr=False)
    said: Mapping[str, Any] | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Item(Content):
    """A recalled memory: `relevance` is the probability that it answers, `tokens` what it costs in a prompt."""

    score: float
    relevance: float
    scores: Mapping[str, float]
    tokens: int


@dataclass(frozen=True, slots=True)
class Source:
    """The system that owns an answer which memory must not give, and how to ask it."""

    topic: str
    system: str
    how_to_query: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """What came back. `status` tells `nothing_relevant` from `degraded`: neither means "never said"."""

    recall_id: str
    status: str
    confidence: float
    warnings: tuple[str, ...]
    items: tuple[Item, ...]
    omitted: Mapping[str, int]
    requery: tuple[Source, ...]
    gate: Mapping[str, Any] = field(repr=False)
    omitted_items: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """Memory for one model call, and which memories it holds, with what each costs. Of the last four the one that the
    format asked for is there."""

    recall_id: str
    status: str
    format: str
    tokens_used: int
    items: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    packet: Mapping[str, Any] | None = field(default=None, repr=False)
    input: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    messages: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Check:
    """One rule of the gate."""

    rule: str
    passed: bool
    code: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a write. A refusal is an answer, not an error: look at `stored` before saying that it is saved."""

    decision: str
    reason: str
    checks: tuple[Check, ...]
    memory: Memory | None
    candidate_id: str | None
    superseded_ids: tuple[str, ...]
    source_of_truth: Source | None
    policy_version: int
    operation_id: str | None
    searchable: bool

    @property
    def stored(self) -> bool:
        """It is remembered now, by this call or before it."""
        return self.decision in ACTIVE and self.memory is not None

    @property
    def waiting(self) -> bool:
        """It is not remembered: a person is asked first."""
        return self.candidate_id is not None


@dataclass(frozen=True, slots=True)
class BatchProblem:
    """Why one item of a batch was not taken; the others were."""

    status: int
    code: str
    detail: str = ""
    errors: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """An event that was attested."""

    id: str
    type: str
    ref: str
    occurred_at: datetime | None
    text_kept: bool
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """What waits for a person. An answer binds to `content_hash`: to exactly this content."""

    candidate_id: str
    action: str
    status: str
    awaiting: str
    reason: str
    content_hash: str
    namespace: Namespace
    kind: str
    key: str | None
    evidence_class: str
    replaces_version: int | None
    created_at: datetime | None
    lapses_at: datetime | None
    memory_id: str | None
    statement: str | None = field(repr=False)
    value: Any = field(repr=False)
    conditions: str | None = field(repr=False)
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class GoneBy:
    """By when no byte of what was forgotten is left in the database's files, and in its backups."""

    database: datetime
    backups: datetime


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was forgotten: ids and counts. `state` is `hidden` at once and `purged` when every store is empty of it;
    `gone_by` is None until then."""

    id: str
    state: str
    memory_ids: tuple[str, ...]
    counts: Mapping[str, int]
    audit_sequence: int | None
    hidden_at: datetime | None
    purged_at: datetime | None
    gone_by: GoneBy | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """A candidate after the answer to it; an approval adds what the gate decided, or the receipt of a forgetting."""

    candidate: Candidate
    decision: str | None = None
    reason: str | None = None
    memory: Memory | None = None
    erasure: Receipt | None = None

    @property
    def stored(self) -> bool:
        """The approval led to an active memory."""
        return self.decision in ACTIVE and self.memory is not None


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """The exact memories that `confirm_forgetting` would forget; nothing is forgotten yet."""

    memory_ids: tuple[str, ...]
    count: int
    expires_at: datetime | None
    confirm_token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """What became of one write, asked later."""

    operation_id: str
    verb: str
    write_state: str
    decision: str
    reason: str
    memory_id: str | None
    candidate_id: str | None
    superseded_ids: tuple[str, ...]
    policy_version: int
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """How many memories are not found by meaning yet."""

    pending: int
    oldest_seconds: int
    embedder: str | None
    semantic: bool
    total: int


@dataclass(frozen=True, slots=True)
class Delegation:
    """A short-lived credential for one person. The token is shown once."""

    expires_at: datetime | None
    scopes: tuple[str, ...]
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What became of a recalled memory."""

    recall_id: str
    memory_id: str
    verdict: str


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a model is told. Only `ok` means found or saved; `error` says why not. A repr shows neither."""

    call_id: str
    output: Mapping[str, Any] = field(repr=False)

    @property
    def ok(self) -> bool:
        return self.output.get("ok") is True

    @property
    def error(self) -> str | None:
        return None if self.ok else str(self.output.get("error", "unknown"))


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a listing; the client follows `next_cursor` by itself."""

    items: tuple[T, ...]
    next_cursor: str | None = None
