"""Strict fields: nothing is coerced, trimmed or ignored; every error names its field and never quotes the value."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})", re.ASCII)
EARLIEST, LATEST = 1900, 9000
MAX_DEPTH = 32


class StrictSerializer(serializers.Serializer):
    """Refuses unknown fields by name, together with every other error."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise serializers.ValidationError(
                {"body": [serializers.ErrorDetail(str(_("An object is expected.")), "not_an_object")]}
            )
        unknown = {
            str(name): [serializers.ErrorDetail(str(_("There is no such field.")), "unknown_field")]
            for name in data
            if name not in self.fields
        }
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            raise serializers.ValidationError({**error.detail, **unknown}) from None
        if unknown:
            raise serializers.ValidationError(unknown)
        return value


class Text(serializers.CharField):
    """A string as sent: not trimmed, not made from a number; blank counts as missing."""

    def __init__(self, max_length: int, **options: Any) -> None:
        options.setdefault("trim_whitespace", False)
        super().__init__(max_length=max_length, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError(_("A string is expected."), code="not_a_string")
        if not self.allow_blank and not data.strip():
            raise serializers.ValidationError(_("It must not be blank."), code="blank")
        return data


class Choice(serializers.ChoiceField):
    """One of a closed set of strings."""

    default_error_messages = {"invalid_choice": _("It is none of the allowed values.")}

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid_choice", input="")
        return super().to_internal_value(data)


class Flag(serializers.BooleanField):
    """true or false, and nothing that looks like it."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError(_("true or false is expected."), code="not_a_boolean")
        return data


class Whole(serializers.IntegerField):
    """A whole number, not a boolean, a string or a fraction."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            raise serializers.ValidationError(_("A whole number is expected."), code="not_a_whole_number")
        return data


class Number(serializers.FloatField):
    """A finite number."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise serializers.ValidationError(_("A number is expected."), code="not_a_number")
        if not abs(data) < 1e300:
            raise serializers.ValidationError(_("This number is out of range."), code="out_of_range")
        return float(data)


class Moment(serializers.DateTimeField):
    """An instant with a zone (RFC 3339); a time without one is refused."""

    def to_internal_value(self, value: Any) -> datetime:
        if not isinstance(value, str) or not MOMENT.fullmatch(value):
            raise serializers.ValidationError(_("A time with date and zone is expected (RFC 3339)."), code="not_a_time")
        try:
            moment = datetime.fromisoformat(value.upper().replace(" ", "T")).astimezone(UTC)
        except (ValueError, OverflowError):
            raise serializers.ValidationError(_("There is no such time."), code="not_a_time") from None
        if not EARLIEST <= moment.year <= LATEST:
            raise serializers.ValidationError(_("This year is out of range."), code="out_of_range")
        return moment


@extend_schema_field({"oneOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]})
class End(serializers.Field):
    """When something ends: an instant, or a day that lasts until its end for the owner."""

    def to_internal_value(self, data: Any) -> datetime | date:
        if isinstance(data, str) and DATE.fullmatch(data):
            try:
                day = date.fromisoformat(data)
            except ValueError:
                raise serializers.ValidationError(_("There is no such day."), code="not_a_day") from None
            if not EARLIEST <= day.year <= LATEST:
                raise serializers.ValidationError(_("This year is out of range."), code="out_of_range")
            return day
        return Moment().to_internal_value(data)

    def to_representation(self, value: datetime) -> str:
        return stamp(value) or ""


@extend_schema_field(OpenApiTypes.ANY)
class AnyJSON(serializers.Field):
    """Any JSON value of bounded size and depth."""

    def __init__(self, max_bytes: int, **options: Any) -> None:
        self.max_bytes = max_bytes
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> Any:
        if _depth(data) > MAX_DEPTH:
            raise serializers.ValidationError(_("It is nested too deeply."), code="too_deep")
        if len(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()) > self.max_bytes:
            raise serializers.ValidationError(_("It is too large."), code="max_length")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [
            inner
            for part in level
            if isinstance(part, dict | list)
            for inner in (part.values() if isinstance(part, dict) else part)
        ]
    return depth


def stamp(moment: datetime | None) -> str | None:
    """RFC 3339 in UTC with a Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment is not None else None
