"""What the API takes and answers for conversations that are looked through."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers as drf

from memories.extraction.messages import MAX_MESSAGES, ExtractionInput, Message
from memories.inputs import MAX_NAME
from memories.models import Extraction
from memories.serializers import MAX_TEXT
from memoryhub.fields import Choice, Moment, StrictSerializer, Text

ROLES = ["user", "assistant", "tool", "system"]
EXTRACTION_METHODS = Extraction.Method.values
EXTRACTION_STATES = Extraction.State.values


class MessageInput(StrictSerializer):
    id = Text(MAX_NAME)
    role = Choice(choices=ROLES)
    author = Text(MAX_NAME, required=False, help_text="External id of who wrote it; the subject where it is left out.")
    at = Moment(required=False, allow_null=True)
    text = Text(MAX_TEXT, allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> Message:
        return Message(attrs["id"], attrs["role"], attrs.get("author", ""), attrs.get("at"), attrs["text"])


class ExtractionBody(StrictSerializer):
    conversation = Text(MAX_NAME)
    method = Choice(choices=EXTRACTION_METHODS, required=False, default=Extraction.Method.RULES.value)
    messages = drf.ListField(child=MessageInput(), min_length=1, max_length=MAX_MESSAGES)

    def validate(self, attrs: dict[str, Any]) -> ExtractionInput:
        ids = [message.id for message in attrs["messages"]]
        if len(set(ids)) < len(ids):
            raise drf.ValidationError({"messages": [_("Each message has an id of its own.")]}, code="repeated")
        return ExtractionInput(**attrs)


class ExtractionProgressShown(drf.Serializer):
    done = drf.IntegerField()
    total = drf.IntegerField()


class FindingShown(drf.Serializer):
    """One thing that was found: the place of its message in the conversation, and what the write gate made of it.

    `decision` and `operation_id` are null where nothing was proposed; `reason` says why.
    """

    message = drf.IntegerField()
    decision = drf.CharField(allow_null=True)
    reason = drf.CharField()
    operation_id = drf.UUIDField(allow_null=True)
    memory_id = drf.UUIDField(allow_null=True)
    candidate_id = drf.UUIDField(allow_null=True)


class ExtractionShown(drf.Serializer):
    """A conversation that is looked through. `withheld` counts messages that the gate would refuse to keep.

    `reason` is null while it goes on; then `found`, `nothing_found` or the code of the failure.
    """

    id = drf.UUIDField()
    state = drf.ChoiceField(choices=EXTRACTION_STATES)
    method = drf.ChoiceField(choices=EXTRACTION_METHODS)
    conversation = drf.CharField(allow_null=True)
    progress = ExtractionProgressShown(help_text="Messages looked through and messages there are.")
    withheld = drf.IntegerField()
    reason = drf.CharField(allow_null=True)
    items = FindingShown(many=True)
    created_at = drf.DateTimeField()
    finished_at = drf.DateTimeField(allow_null=True)
