"""How an export is written: JSON Lines for programs, CSV and Markdown for people. Rows in, bytes out."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from memories import rendering
from memories.exchange.importers import SCHEMA
from memories.models import Export, Memory

COLUMNS = (
    "memory_id", "namespace", "kind", "key", "statement", "value", "conditions", "aliases", "status", "valid_until",
    "version", "evidence_class", "updated_at",
)  # fmt: skip
FORMULA = re.compile(r"^\s*[=+\-@＝＋－＠]|^[\t\r]")
MARKUP = re.compile(r"([\\`*_\[\]<>])")
LINE_MARKUP = re.compile(r"^(\s*\d*)([#+\-|~=.)])")


@dataclass(frozen=True, slots=True)
class Format:
    """`head` opens the file, `rows` writes some memories of it."""

    name: str
    suffix: str
    media_type: str
    head: Callable[[], bytes]
    rows: Callable[[Iterable[Memory]], bytes]


def shown(row: Memory) -> dict[str, Any]:
    """A memory as a line of an export has it: as the API shows it, with the name of the schema before it."""
    return {"schema": SCHEMA, **rendering.memory(row)}


def _jsonl(rows: Iterable[Memory]) -> bytes:
    return b"".join(json.dumps(shown(row), ensure_ascii=False).encode() + b"\n" for row in rows)


def _csv_head() -> bytes:
    return ("\ufeff" + _cells([COLUMNS])).encode()


def _csv(rows: Iterable[Memory]) -> bytes:
    return _cells([cell(found[name]) for name in COLUMNS] for found in map(shown, rows)).encode()


def _cells(lines: Iterable[Iterable[str]]) -> str:
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(lines)
    return written.getvalue()


def cell(value: Any) -> str:
    """A cell that no spreadsheet takes for a formula."""
    text = _words(value)
    return f"'{text}" if FORMULA.match(text) else text


def _words(value: Any) -> str:
    if isinstance(value, Mapping) and set(value) == {"type", "id", "path"}:
        value = "/".join([f"{value['type']}:{value['id']}", *value["path"]])
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _markdown_head() -> bytes:
    return f"# {_('What MemoryHub remembers')}\n".encode()


def _markdown(rows: Iterable[Memory]) -> bytes:
    return "".join(map(_section, rows)).encode()


def _section(row: Memory) -> str:
    found = shown(row)
    labels = {
        "kind": _("Kind"), "namespace": _("Belongs to"), "conditions": _("When it applies"), "value": _("Value"),
        "status": _("Status"), "valid_until": _("Valid until"), "updated_at": _("Changed"),
    }  # fmt: skip
    facts = [(label, _words(found[name])) for name, label in labels.items() if found[name] is not None]
    quoted = "\n".join(f"> {_plain(line)}" for line in (row.statement or "").splitlines())
    told = "\n".join(f"- {label}: {_plain(' '.join(value.split()))}" for label, value in facts)
    return f"\n## {_plain(row.key or '')}\n\n{quoted}\n\n{told}\n"


def _plain(text: str) -> str:
    """Text that no reader of Markdown takes for markup."""
    return LINE_MARKUP.sub(r"\1\\\2", MARKUP.sub(r"\\\1", text))


def _nothing() -> bytes:
    return b""


FORMATS: Mapping[str, Format] = {
    one.name: one
    for one in (
        Format(Export.Format.JSONL, "jsonl", "application/x-ndjson", _nothing, _jsonl),
        Format(Export.Format.CSV, "csv", "text/csv; charset=utf-8", _csv_head, _csv),
        Format(Export.Format.MARKDOWN, "md", "text/markdown; charset=utf-8", _markdown_head, _markdown),
    )
}
