"""The bodies of mem0's calls, as far as they can be mapped. Every other field is refused by name."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers as drf

from memories.inputs import MAX_NAME, MAX_QUERY, MAX_STATEMENT, MAX_VALUE_BYTES
from memoryhub.fields import AnyJSON, Choice, End, Flag, Number, StrictSerializer, Text, Whole

MAX_PAGE = 200


class Filters(drf.Field):
    """`{"user_id": …}`, alone or as the one condition of an AND: the id, or None for no filter at all."""

    def to_internal_value(self, data: Any) -> str | None:
        if isinstance(data, dict) and list(data) == ["AND"] and isinstance(data["AND"], list) and len(data["AND"]) == 1:
            data = data["AND"][0]
        if data == {}:
            return None
        if not isinstance(data, dict) or list(data) != ["user_id"]:
            raise drf.ValidationError(_("Only user_id can be mapped."), code="not_mapped")
        return Text(MAX_NAME).run_validation(data["user_id"])


class Message(StrictSerializer):
    role = Choice(choices=["user"])
    content = Text(MAX_STATEMENT)


class AddBody(StrictSerializer):
    messages = drf.ListField(child=Message(), min_length=1, max_length=1)
    user_id = Text(MAX_NAME, required=False)
    filters = Filters(required=False)
    infer = Flag(required=False, default=True)
    metadata = AnyJSON(MAX_VALUE_BYTES, required=False)
    expiration_date = End(required=False)

    def validate_infer(self, infer: bool) -> bool:
        if infer:
            text = _("Nothing is inferred here: send infer=false and the sentence that is to be remembered.")
            raise drf.ValidationError(text, code="not_mapped")
        return infer


class SearchBody(StrictSerializer):
    query = Text(MAX_QUERY)
    filters = Filters(required=False)
    top_k = Whole(min_value=1, max_value=100, required=False, default=10)
    threshold = Number(required=False)


class ListBody(StrictSerializer):
    filters = Filters(required=False)


class PageQuery(StrictSerializer):
    page = drf.IntegerField(min_value=1, max_value=1_000_000, required=False, default=1)
    page_size = drf.IntegerField(min_value=1, max_value=MAX_PAGE, required=False, default=100)


class UpdateBody(StrictSerializer):
    text = Text(MAX_STATEMENT, required=False)
    metadata = AnyJSON(MAX_VALUE_BYTES, required=False, allow_null=True)
    expiration_date = End(required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        names = {"text": "statement", "metadata": "value", "expiration_date": "valid_until"}
        return {names[name]: value for name, value in attrs.items()}


class DeleteQuery(StrictSerializer):
    delete_linked = Choice(choices=["true", "false", "True", "False"], required=False)
