"""The bodies and query strings of the memory API, field by field. Whatever is not here is refused by name."""

from __future__ import annotations

import json
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as drf

from memories import context, tenant_policy, tools
from memories.access import NamespaceRef
from memories.actions import ForgetFilter
from memories.inputs import (
    MAX_ALIASES,
    MAX_BATCH,
    MAX_LABELS,
    MAX_NAME,
    MAX_QUERY,
    MAX_STATEMENT,
    MAX_TOKENS,
    MAX_VALUE_BYTES,
    EvidenceInput,
    ProposalInput,
)
from memories.models import Evidence, Feedback, Memory, Namespace
from memories.reading import ListFilter
from memories.recall_gate import Anchors, Instruction, Mode
from memories.recalling import RecallInput
from memoryhub.fields import AnyJSON, Choice, End, Flag, Moment, Number, StrictSerializer, Text, Whole

ATTESTABLE = [value for value in Evidence.Type.values if value not in Evidence.OWN_ACTS]
LISTED = [value for value in Memory.Status.values if value != Memory.Status.DELETED]
SENSITIVITY = ["personal", "internal", "secret"]
MAX_TEXT = 20_000
MAX_NAMES = 100
MAX_INT = 2**53


class NamespaceInput(StrictSerializer):
    type = Choice(choices=Namespace.Type.values)
    id = Text(MAX_NAME, required=False)
    path = drf.ListField(child=Text(MAX_NAME), max_length=MAX_LABELS, required=False)

    def validate(self, attrs: dict[str, Any]) -> NamespaceRef:
        if attrs["type"] in ("team", "project") and "id" not in attrs:
            raise drf.ValidationError({"id": [_("A team or project needs its id.")]}, code="required")
        return NamespaceRef(attrs["type"], attrs.get("id"), tuple(attrs.get("path", ())))


class EvidenceBody(StrictSerializer):
    type = Choice(choices=ATTESTABLE)
    ref = Text(MAX_NAME)
    occurred_at = Moment(required=False, allow_null=True)
    thread = Text(MAX_NAME, required=False)
    sequence = Whole(min_value=0, max_value=MAX_INT, required=False, allow_null=True)
    speaker = Text(MAX_NAME, required=False)
    text = Text(MAX_TEXT, required=False, allow_null=True)
    reviewer = Text(MAX_NAME, required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> EvidenceInput:
        if attrs["type"] == Evidence.Type.REVIEW and not attrs.get("reviewer"):
            raise drf.ValidationError({"reviewer": [_("A review names its reviewer.")]}, code="required")
        return EvidenceInput(**attrs)


class SaidInput(StrictSerializer):
    thread = Text(MAX_NAME, required=False)
    sequence = Whole(min_value=0, max_value=MAX_INT, required=False)
    speaker = Text(MAX_NAME, required=False)
    at = Moment(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return {**attrs, "at": attrs["at"].isoformat()} if "at" in attrs else dict(attrs)


class ProposalBody(StrictSerializer):
    namespace = NamespaceInput()
    kind = Text(32)
    key = Text(MAX_NAME)
    statement = Text(MAX_STATEMENT)
    value = AnyJSON(MAX_VALUE_BYTES, required=False, allow_null=True)
    evidence_id = Text(MAX_NAME, required=False, allow_null=True)
    evidence = EvidenceBody(required=False, allow_null=True)
    reusable = Flag(required=False, allow_null=True)
    conditions = Text(MAX_STATEMENT, required=False, allow_null=True)
    aliases = drf.ListField(child=Text(MAX_NAME), max_length=MAX_ALIASES, required=False)
    said = SaidInput(required=False, allow_null=True)
    valid_until = End(required=False, allow_null=True)
    expected_version = Whole(min_value=0, max_value=2**31 - 1, required=False, allow_null=True)
    sensitivity = Choice(choices=SENSITIVITY, required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> ProposalInput:
        if attrs.get("evidence") and attrs.get("evidence_id"):
            raise drf.ValidationError({"evidence": [_("Send either evidence or evidence_id.")]}, code="ambiguous")
        given = {**attrs, "aliases": tuple(attrs.get("aliases", ())), "said": attrs.get("said") or {}}
        return ProposalInput(**given)


class BatchBody(StrictSerializer):
    items = drf.ListField(child=drf.JSONField(), max_length=MAX_BATCH)
    atomic = Flag(required=False, default=False)


class InstructionInput(StrictSerializer):
    kind = Text(32)
    key = Text(MAX_NAME)
    statement = Text(MAX_STATEMENT, required=False, default="")

    def validate(self, attrs: dict[str, Any]) -> Instruction:
        return Instruction(**attrs)


class SourceInput(StrictSerializer):
    topic = Text(MAX_NAME)


class AnchorsInput(StrictSerializer):
    instructions = drf.ListField(child=InstructionInput(), max_length=MAX_NAMES, required=False)
    sources = drf.ListField(child=SourceInput(), max_length=MAX_NAMES, required=False)

    def validate(self, attrs: dict[str, Any]) -> Anchors:
        sources = tuple(source["topic"] for source in attrs.get("sources", ()))
        return Anchors(tuple(attrs.get("instructions", ())), sources)


class RecallBody(StrictSerializer):
    query = Text(MAX_QUERY, allow_blank=True)
    namespaces = drf.ListField(
        child=NamespaceInput(), min_length=1, max_length=MAX_NAMES, required=False, allow_null=True
    )
    kinds = drf.ListField(child=Text(32), min_length=1, max_length=MAX_NAMES, required=False, allow_null=True)
    keys = drf.ListField(child=Text(MAX_NAME), min_length=1, max_length=MAX_NAMES, required=False, allow_null=True)
    limit = Whole(min_value=1, max_value=100, required=False)
    token_budget = Whole(min_value=0, max_value=MAX_TOKENS, required=False, allow_null=True)
    mode = Choice(choices=[mode.value for mode in Mode], required=False, default=Mode.GENEROUS.value)
    min_score = Number(required=False, allow_null=True)
    as_of = Moment(required=False, allow_null=True)
    anchors = AnchorsInput(required=False, allow_null=True)
    explain = Flag(required=False, default=False)

    def asked(self, attrs: dict[str, Any], **more: Any) -> RecallInput:
        names = ("query", "limit", "token_budget", "mode", "min_score", "as_of", "explain")
        lists = {name: tuple(attrs[name]) for name in ("namespaces", "kinds", "keys") if attrs.get(name) is not None}
        given = {name: attrs[name] for name in names if name in attrs}
        return RecallInput(**given, **lists, anchors=attrs.get("anchors") or Anchors(), **more)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs["query"].strip() and not attrs.get("kinds"):
            raise drf.ValidationError({"query": [_("Without a query, name the kinds.")]}, code="required")
        return {"asked": self.asked(attrs), "explain": attrs["explain"]}


class ContextBody(RecallBody):
    query = Text(MAX_QUERY, allow_blank=True, required=False, default="")
    mode = Choice(choices=[mode.value for mode in Mode], required=False, default=Mode.PRECISE.value)
    preload = drf.ListField(child=Text(MAX_NAME), max_length=MAX_NAMES, required=False)
    format = Choice(choices=context.FORMATS, required=False, default="packet")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs["query"].strip() and not attrs.get("kinds") and not attrs.get("preload"):
            raise drf.ValidationError({"query": [_("Send a query, kinds or preload.")]}, code="required")
        attrs.setdefault("token_budget", tenant_policy.active().recall.token_budget)
        asked = self.asked(attrs, preload=tuple(attrs.get("preload", ())))
        return {"asked": asked, "format": attrs["format"]}


class FeedbackBody(StrictSerializer):
    memory_id = drf.UUIDField()
    verdict = Choice(choices=Feedback.Verdict.values)


@extend_schema_field(OpenApiTypes.STR)
class NamespaceQuery(drf.Field):
    """A namespace as the JSON object of request bodies, inside a query string."""

    def to_internal_value(self, data: str) -> NamespaceRef:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            raise drf.ValidationError(_("A JSON object is expected."), code="not_an_object") from None
        inner = NamespaceInput(data=value)
        inner.is_valid(raise_exception=True)
        return inner.validated_data


class LookupQuery(StrictSerializer):
    namespace = NamespaceQuery()
    kind = Text(32)
    key = Text(MAX_NAME)


class ListQuery(StrictSerializer):
    namespace = NamespaceQuery(required=False)
    kind = Text(32, required=False)
    key = Text(MAX_NAME, required=False)
    status = Choice(choices=LISTED, required=False)
    q = Text(MAX_QUERY, required=False)
    updated_since = Moment(required=False)
    cursor = Text(1024, required=False)
    limit = drf.IntegerField(min_value=1, max_value=200, required=False, default=100)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        cursor, limit = attrs.pop("cursor", None), attrs.pop("limit")
        return {"chosen": ListFilter(**attrs), "cursor": cursor, "limit": limit}


class CorrectionBody(StrictSerializer):
    statement = Text(MAX_STATEMENT, required=False)
    value = AnyJSON(MAX_VALUE_BYTES, required=False, allow_null=True)
    conditions = Text(MAX_STATEMENT, required=False, allow_null=True)
    valid_until = End(required=False, allow_null=True)
    sensitivity = Choice(choices=SENSITIVITY, required=False, allow_null=True)
    evidence_id = Text(MAX_NAME, required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not set(attrs) - {"evidence_id"}:
            raise drf.ValidationError({"statement": [_("Say what to change.")]}, code="required")
        return attrs


class RenewalBody(StrictSerializer):
    valid_until = End()
    evidence_id = Text(MAX_NAME, required=False, allow_null=True)


class NothingBody(StrictSerializer):
    """A body without fields."""


class ForgetFilterInput(StrictSerializer):
    namespace = NamespaceInput(required=False)
    kind = Text(32, required=False)
    key = Text(MAX_NAME, required=False)
    thread = Text(MAX_NAME, required=False)
    evidence_id = Text(MAX_NAME, required=False)
    agent = Text(MAX_NAME, required=False)
    person = Text(MAX_NAME, required=False)
    tenant = Text(MAX_NAME, required=False)

    def validate(self, attrs: dict[str, Any]) -> ForgetFilter:
        return ForgetFilter(**attrs)


class ForgetBody(StrictSerializer):
    filter = ForgetFilterInput(required=False)
    dry_run = Flag(required=False)
    confirm_token = Text(16_384, required=False)
    typed = Text(MAX_NAME, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "typed" in attrs and "confirm_token" not in attrs:
            raise drf.ValidationError({"typed": [_("It belongs to a confirm_token.")]})
        if ("filter" in attrs) == ("confirm_token" in attrs):
            raise drf.ValidationError({"filter": [_("Send a filter with dry_run, or a confirm_token.")]})
        if "filter" in attrs and attrs.get("dry_run") is not True:
            raise drf.ValidationError({"dry_run": [_("A filter is first shown: send true, then the token.")]})
        return attrs


class ToolsQuery(StrictSerializer):
    format = Choice(choices=tools.FORMATS, required=False, default="openai_responses")


class ToolCallBody(StrictSerializer):
    call_id = Text(MAX_NAME)
    name = Text(64)
    arguments = AnyJSON(64 * 1024)
