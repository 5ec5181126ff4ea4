"""Reading what callers send: JSON of bounded size, whole characters, and no secrets in names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rest_framework import exceptions, parsers

from accounts.errors import FieldError, InvalidInput
from memories.sensitivity import scan_fields

MAX_BODY = 1024 * 1024
MAX_BATCH_BODY = 16 * 1024 * 1024


class StrictJSONParser(parsers.JSONParser):
    """JSON of bounded size and depth; numbers must be finite."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        view = (parser_context or {}).get("view")
        limit = getattr(view, "max_body", MAX_BODY)
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise TooLarge
        if not data.strip():
            return {}
        try:
            return json.loads(data.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite)
        except (ValueError, RecursionError):
            raise exceptions.ParseError from None


class TooLarge(exceptions.APIException):
    status_code = 413
    default_code = "too_large"
    default_detail = "The body is too large."


def _no_constant(name: str) -> None:
    raise ValueError("not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("out of range")
    return number


def broken_characters(value: Any, place: str = "") -> list[FieldError]:
    """Where NUL or half a surrogate pair stands: no database can hold them."""
    found: list[FieldError] = []
    waiting: list[tuple[str, Any]] = [(place, value)]
    while waiting:
        where, part = waiting.pop()
        if isinstance(part, str):
            if "\x00" in part or any("\ud800" <= char <= "\udfff" for char in part):
                found.append(FieldError(where or "body", "broken_characters", "It holds a character that no text has."))
        elif isinstance(part, Mapping):
            for name, inner in part.items():
                here = f"{where}.{name}" if where else str(name)
                if "\x00" in str(name) or any("\ud800" <= char <= "\udfff" for char in str(name)):
                    found.append(
                        FieldError(where or "body", "broken_characters", "A name in it holds a broken character.")
                    )
                else:
                    waiting.append((here, inner))
        elif isinstance(part, list):
            waiting += [(f"{where}.{index}" if where else str(index), inner) for index, inner in enumerate(part)]
    return found


def refuse_secrets(names: Mapping[str, str]) -> None:
    """Names that a runtime makes up are kept with what it did, so none of them may be a secret."""
    found = scan_fields({name: text for name, text in names.items() if text})
    if wrong := [name for name in names if found.get(name)]:
        raise InvalidInput(
            "A reference or name holds something that may not be kept.",
            code="sensitive_or_prohibited",
            errors=[
                FieldError(name, "sensitive_or_prohibited", "It looks like a secret or an identifier.")
                for name in wrong
            ],
        )
