"""Logging. Only keys on a list, with values that cannot be prose, reach a log: a remembered text never does."""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Mapping, MutableMapping
from types import TracebackType
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

ALLOWED_KEYS = frozenset(
    {"timestamp", "level", "logger", "event", "code", "method", "path", "status", "ms", "where", "error", "task"}
)
ALLOWED_SUFFIXES = ("_id", "_ids", "_count", "_ms", "_version")
# Loggers of processes that say only where they listen and which worker ended.
LIFECYCLE_LOGGERS = frozenset({"gunicorn.error", "celery.beat", "memoryhub.serve"})
SLUG = re.compile(r"[A-Za-z0-9_.:/<>\[\]{}()|*^$?+\\ -]{1,200}")
EVENT = re.compile(r"[a-z0-9_.]{1,64}")


def _is_plain(value: object) -> bool:
    """Numbers, truth values, ids and short machine words; not sentences."""
    if value is None or isinstance(value, bool | int | float):
        return True
    if isinstance(value, list | tuple):
        return len(value) <= 50 and all(_is_plain(one) for one in value)
    text = str(value)
    return len(text) <= 200 and SLUG.fullmatch(text) is not None and text.count(" ") <= 1


def keep_allowed(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Drop every key that is not on the list, and every value that could be prose."""
    kept: EventDict = {}
    for key, value in event.items():
        if key.startswith("_") or key == "exc_info":
            kept[key] = value
        elif key == "event":
            kept[key] = value if _is_event(value, event) else "unnamed_event"
        elif (key in ALLOWED_KEYS or key.endswith(ALLOWED_SUFFIXES)) and (key == "where" or _is_plain(value)):
            kept[key] = str(value) if hasattr(value, "hex") and not isinstance(value, float) else value
    return kept


def _is_event(value: object, event: Mapping[str, Any]) -> bool:
    return "_lifecycle" in event or (isinstance(value, str) and EVENT.fullmatch(value) is not None)


def describe_exception(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Replace an exception by its type, its code and the places it passed; its message may quote a text."""
    info = event.pop("exc_info", None)
    if info is True:
        info = sys.exc_info()
    if isinstance(info, BaseException):
        info = (type(info), info, info.__traceback__)
    if isinstance(info, tuple) and info[1] is not None:
        kind, error, trace = info
        event["error"] = f"{kind.__module__}.{kind.__qualname__}"
        event["where"] = _places(trace)
        code = getattr(error, "code", None)
        if isinstance(code, str) and EVENT.fullmatch(code):
            event["code"] = code
    return event


def _places(trace: TracebackType | None) -> list[str]:
    """The last places of a traceback as `folder/file.py:line`, without the import machinery."""
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(trace)]
    return [f"{'/'.join(name.split('/')[-2:])}:{line}" for name, line in frames if not name.startswith("<frozen")][-8:]


class _Foreign(logging.Filter):
    """What a library logs keeps its logger and place, not its words: they may hold anything."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.msg, Mapping):  # one of ours, already a dictionary
            return True
        lifecycle = record.name in LIFECYCLE_LOGGERS and not record.exc_info
        vars(record)["memoryhub_lifecycle"] = lifecycle
        if not lifecycle:
            record.msg, record.args = "library_message", ()
        return True


def _name_foreign(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    record: logging.LogRecord = event["_record"]
    event["logger"] = record.name
    if getattr(record, "memoryhub_lifecycle", False):
        event["_lifecycle"] = True
    else:
        event.setdefault("where", [f"{record.filename}:{record.lineno}"])
    return event


def _drop_marks(_logger: object, _method: str, event: EventDict) -> EventDict:
    return {key: value for key, value in event.items() if not key.startswith("_")}


def _line(_logger: object, _method: str, event: EventDict) -> str:
    head = f"{event.pop('timestamp', '')[11:19]} {event.pop('level', ''):<7} {event.pop('event', '')}"
    return " ".join([head, *(f"{key}={value}" for key, value in event.items())])


def configure(*, level: str, form: str) -> None:
    """Send everything to standard error as one JSON object, or one console line, per event."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    render: Processor = structlog.processors.JSONRenderer() if form == "json" else _line
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_Foreign())
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, _name_foreign],
            processors=[describe_exception, keep_allowed, _drop_marks, render],
        )
    )
    root = logging.getLogger()
    for old in [one for one in root.handlers if getattr(one, "memoryhub", False)]:
        root.removeHandler(old)
    handler.memoryhub = True  # type: ignore[attr-defined]
    root.addHandler(handler)
    root.setLevel(level)
    logging.getLogger("django.request").setLevel(logging.CRITICAL)  # memoryhub.failures and .middleware say it
    for chatty in ("django.security", "django.server", "asyncio", "httpx2", "httpx", "openai"):
        logging.getLogger(chatty).setLevel(logging.ERROR)
    structlog.configure(
        processors=[*shared, structlog.stdlib.add_logger_name, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
