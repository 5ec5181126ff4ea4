"""What a handed-over file says: from its bytes to one entry for each line. Plain Python; nothing is judged here.

Our own export is read by its published schema. Whatever a file says of tenants, people, authority, versions and times
of writing is not read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from memories.inputs import MAX_STATEMENT, MAX_VALUE_BYTES, NamespaceRef, texts_in

SCHEMA = "memoryhub.memory/1"
MAX_LINE_BYTES = 64 * 1024
MAX_DEPTH = 32
MEM0_KIND = "profile"
YEARS = range(1900, 9001)
DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})", re.ASCII)
BULLET = re.compile(r"^(?:[-*•·]\s+|\d{1,4}[.)、]\s*)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory as a file tells it, and where it says it belongs.

    `inferred`: the words are a model's. `reusable`: it was remembered before.
    """

    kind: str
    key: str
    statement: str
    place: NamespaceRef | None = None
    value: Any = None
    conditions: str | None = None
    aliases: tuple[str, ...] = ()
    valid_until: datetime | date | None = None
    sensitivity: str | None = None
    said: Mapping[str, Any] = field(default_factory=dict)
    paused: bool = False
    inferred: bool = False
    reusable: bool | None = None


class BadLine(Exception):
    """A line that is no memory: a stable code and the field it is about, if it is one of ours."""

    def __init__(self, code: str, field: str = "") -> None:
        super().__init__(code)
        self.code, self.field = code, field


Line = tuple[int, Entry | BadLine]
Importer = Callable[[bytes], Iterator[Line]]


def from_jsonl(content: bytes) -> Iterator[Line]:
    """Our own export: a memory a line. Blank lines count and say nothing."""
    for number, raw in enumerate(content.split(b"\n"), start=1):
        if raw.strip():
            yield number, _read(_memory, raw)


def from_text(content: bytes) -> Iterator[Line]:
    """A plain list: each line that says something is a preference. Bullets and numbers before it are dropped.

    The key is made from the words, so that the same line is the same memory whenever it comes.
    """
    for number, raw in enumerate(content.split(b"\n"), start=1):
        if raw.strip():
            yield number, _read(_note, raw)


def from_mem0(content: bytes) -> Iterator[Line]:
    """What mem0 exports: a list of memories, or an object that holds it as `results` or `memories`.

    A model worded them, so each waits for its person. The number of an entry is its place in the list.
    """
    try:
        found = _json(content)
    except BadLine as bad:
        yield 1, bad
        return
    if isinstance(found, dict):
        found = next((found[name] for name in ("results", "memories") if isinstance(found.get(name), list)), None)
    if not isinstance(found, list):
        yield 1, BadLine("not_a_list")
        return
    for number, item in enumerate(found, start=1):
        yield number, _mended(_from_mem0, item)


IMPORTERS: Mapping[str, Importer] = {"jsonl": from_jsonl, "mem0": from_mem0, "text": from_text}


def mem0_key(name: str) -> str:
    """The key of a memory of mem0: the same id or words are the same memory whenever they come."""
    return f"mem0_{_mark(name)}"


@cache
def schema() -> Mapping[str, Any]:
    """The published schema of a line."""
    text = files("memories.exchange").joinpath("memory-1.schema.json").read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def _read(reader: Callable[[bytes], Entry], raw: bytes) -> Entry | BadLine:
    if len(raw) > MAX_LINE_BYTES:
        return BadLine("line_too_long")
    return _mended(reader, raw)


def _mended(reader: Callable[[Any], Entry], raw: Any) -> Entry | BadLine:
    try:
        return reader(raw)
    except BadLine as bad:
        return bad


def _memory(raw: bytes) -> Entry:
    found = _json(raw)
    if not isinstance(found, dict):
        raise BadLine("not_an_object")
    if (wrong := next(iter(_validator().iter_errors(found)), None)) is not None:
        raise BadLine(*_fault(wrong))
    value = found.get("value")
    if len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) > MAX_VALUE_BYTES:
        raise BadLine("too_large", "value")
    if _is_deeper(value, MAX_DEPTH):
        raise BadLine("too_deep", "value")
    place, said = found.get("namespace"), dict(found.get("said") or {})
    if "at" in said:
        said["at"] = _instant(said["at"], "said").isoformat()
    return Entry(
        kind=found["kind"],
        key=found["key"],
        statement=found["statement"],
        place=NamespaceRef(place["type"], place.get("id"), tuple(place.get("path", ()))) if place else None,
        value=value,
        conditions=found.get("conditions"),
        aliases=tuple(found.get("aliases", ())),
        valid_until=_end(found.get("valid_until")),
        sensitivity=found.get("sensitivity"),
        said=said,
        paused=found.get("status") == "paused",
        reusable=True,
    )


def _note(raw: bytes) -> Entry:
    statement = BULLET.sub("", _text(raw).strip())
    return Entry("preference", f"note_{_mark(statement)}", _sentence(statement))


def _from_mem0(item: Any) -> Entry:
    if not isinstance(item, dict):
        raise BadLine("not_an_object")
    words = next((item[name] for name in ("memory", "data", "text") if isinstance(item.get(name), str)), None)
    if words is None:
        raise BadLine("required", "statement")
    ends = item.get("expiration_date")
    end = _end(ends) if isinstance(ends, str) else None
    known = item.get("id")
    name = known if isinstance(known, str) and known.strip() else words
    return Entry(MEM0_KIND, mem0_key(name), _sentence(words.strip()), valid_until=end, inferred=True)


def _sentence(text: str) -> str:
    if not text:
        raise BadLine("blank", "statement")
    if len(text) > MAX_STATEMENT:
        raise BadLine("max_length", "statement")
    return text


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _text(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadLine("not_utf8") from None
    if "\x00" in text:
        raise BadLine("broken_characters")
    return text


def _json(raw: bytes) -> Any:
    try:
        found = json.loads(_text(raw), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        raise BadLine("not_json") from None
    if any("\x00" in text or _has_half_pair(text) for text in texts_in("line", found).values()):
        raise BadLine("broken_characters")
    return found


def _refuse(_name: str) -> None:
    raise ValueError("not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("out of range")
    return number


def _has_half_pair(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def _is_deeper(value: Any, limit: int) -> bool:
    level = [value]
    while level and limit >= 0:
        limit -= 1
        parts = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list)]
        level = [inner for part in parts for inner in part]
    return bool(level)


def _end(text: str | None) -> datetime | date | None:
    if text is None or not DAY.fullmatch(text):
        return None if text is None else _instant(text, "valid_until")
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise BadLine("not_a_day", "valid_until") from None
    if day.year not in YEARS:
        raise BadLine("out_of_range", "valid_until")
    return day


def _instant(text: str, where: str) -> datetime:
    try:
        if not INSTANT.fullmatch(text):
            raise ValueError
        moment = datetime.fromisoformat(text.upper().replace(" ", "T"))
        if moment.astimezone(tz=None).year not in YEARS:
            raise BadLine("out_of_range", where)
    except (ValueError, OverflowError):
        raise BadLine("not_a_time", where) from None
    return moment


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema())


def _fault(error: ValidationError) -> tuple[str, str]:
    """The code of a broken rule of the schema and the field it is about; a field of the file's own is not named."""
    while error.context:  # of several forms a field may have, the last is the one with something in it
        error = error.context[-1]
    codes = {
        "additionalProperties": "unknown_field", "required": "required", "maxLength": "max_length",
        "maxItems": "max_length", "minLength": "blank", "pattern": "blank", "const": "unknown_schema",
        "enum": "invalid_choice",
    }  # fmt: skip
    rule = str(error.validator)
    if error.absolute_path:
        return codes.get(rule, "invalid"), str(error.absolute_path[0])
    missing = [name for name in schema()["required"] if isinstance(error.instance, dict) and name not in error.instance]
    return codes.get(rule, "invalid"), missing[0] if rule == "required" and missing else ""
