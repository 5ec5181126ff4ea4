"""What is sent. No identity is among it: tenant, person, authority and evidence class come from the credential."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal, Required, TypedDict

NamespaceType = Literal["user", "agent", "project", "team"]
EvidenceType = Literal["user_message", "tool_output", "business_receipt", "review", "run_result", "summary"]
End = str | date | datetime | None


class NamespaceRef(TypedDict, total=False):
    """Whose memory; `type` alone is the caller's own."""

    type: Required[NamespaceType]
    id: str
    path: Sequence[str]


class EvidenceBody(TypedDict, total=False):
    """What happened, as the runtime attests it; `reviewer` is for a review."""

    type: Required[EvidenceType]
    ref: Required[str]
    occurred_at: str | datetime | None
    thread: str
    sequence: int | None
    speaker: str
    text: str | None
    reviewer: str | None


class Said(TypedDict, total=False):
    """Where in a conversation it was said."""

    thread: str
    sequence: int
    speaker: str
    at: str | datetime


class Proposal(TypedDict, total=False):
    """A request to remember one thing, with evidence attested before (`evidence_id`) or in the same call."""

    namespace: Required[NamespaceRef]
    kind: Required[str]
    key: Required[str]
    statement: Required[str]
    value: Any
    evidence_id: str | None
    evidence: EvidenceBody | None
    reusable: bool | None
    conditions: str | None
    aliases: Sequence[str]
    said: Said | None
    valid_until: End
    expected_version: int | None
    sensitivity: Literal["personal", "internal", "secret"] | None


class Changes(TypedDict, total=False):
    """What a correction changes; what is not here stays, None clears."""

    statement: str
    value: Any
    conditions: str | None
    valid_until: End
    sensitivity: Literal["personal", "internal", "secret"] | None
    evidence_id: str | None


class Instruction(TypedDict, total=False):
    """What the current request says about one key: it outranks what is remembered there."""

    kind: Required[str]
    key: Required[str]
    statement: str


class SourceRef(TypedDict):
    """A topic that a business system answers now."""

    topic: str


class Anchors(TypedDict, total=False):
    """What outranks memory in this call."""

    instructions: Sequence[Instruction]
    sources: Sequence[SourceRef]


class Question(TypedDict, total=False):
    """How a recall or a context packet is narrowed; what is not here is the server's default."""

    namespaces: Sequence[NamespaceRef] | None
    kinds: Sequence[str] | None
    keys: Sequence[str] | None
    limit: int
    token_budget: int | None
    mode: Literal["generous", "balanced", "precise"]
    min_score: float | None
    as_of: str | datetime | None
    anchors: Anchors | None
