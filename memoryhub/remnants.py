"""Where remembered text can still be: rows, files, cache, broker, and the database's own files. Counts, never text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

from accounts import tenancy
from accounts.errors import Unavailable
from accounts.models import Tenant
from memories.encryption import keys, recrypting
from memories.encryption.fields import columns
from memoryhub.canaries import Canaries

ROWS_AT_ONCE = 500
SQLITE_FILES = ("", "-wal", "-journal", "-shm")


@dataclass(frozen=True, slots=True)
class Place:
    """One place that was looked into: how often a canary stands there, or why it could not be looked into."""

    name: str
    hits: int = 0
    unread: str = ""


def look(canaries: Canaries, *, also: Iterable[Path] = (), leave_out: Path, data_directory: Path | None) -> list[Place]:
    """Look everywhere. `also`: more files and folders, such as those of logs; `leave_out`: the file of the canaries."""
    own, files = database_files(data_directory)
    places = [*_rows(canaries), *_opened(canaries)]
    skip = {leave_out.resolve(), *(path.resolve() for path in files)}
    for folder in (settings.VAR_DIR, *also):
        places.append(_files(canaries, f"files under {folder}", _walk(Path(folder)), skip))
    places += [_cache(canaries), _message_store(canaries, "broker", settings.CELERY_BROKER_URL)]
    places.append(_message_store(canaries, "result backend", getattr(settings, "CELERY_RESULT_BACKEND", "") or ""))
    if own:
        places.append(Place("database files", unread=own))
    else:
        places.append(_files(canaries, "database files", files, {leave_out.resolve()}))
    return places


def database_files(data_directory: Path | None) -> tuple[str, list[Path]]:
    """The files in which the database keeps rows and logs; or why they are not known."""
    if connection.vendor == "sqlite":
        main = str(connection.settings_dict["NAME"])
        return "", [path for end in SQLITE_FILES if (path := Path(main + end)).is_file()]
    if data_directory is None:
        with connection.cursor() as cursor:  # a role that may not know it finds no row
            cursor.execute("SELECT setting FROM pg_settings WHERE name = 'data_directory'")
            told = cursor.fetchone()
        if told is None:
            return "the server does not tell this role where they are: name them with --data-directory", []
        data_directory = Path(told[0])
    try:
        found = list(_walk(data_directory))
    except OSError:
        found = []
    return ("", found) if found else ("this machine or user cannot read them", [])


def _rows(canaries: Canaries) -> Iterator[Place]:
    """Every column of every table, in whatever tenant."""
    with connection.cursor() as cursor:
        tables = sorted(connection.introspection.table_names(cursor))
    for table in tables:
        total = 0
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a name of a table
            while rows := cursor.fetchmany(ROWS_AT_ONCE):
                total += canaries.count(b"\0".join(_bytes(cell) for row in rows for cell in row if cell is not None))
        yield Place(f"rows of {table}", total)


def _opened(canaries: Canaries) -> Iterator[Place]:
    """What stands in encrypted columns, opened: to everybody who has the keys it is still there."""
    if not keys.configured():
        return
    total = unread = 0
    for tenant in Tenant.objects.order_by("pk"):
        with tenancy.entered(tenant.pk):
            for rows in recrypting.rows_with_text():
                names = [field.attname for field in columns(rows.model)]
                for row in rows.iterator():
                    try:
                        total += canaries.count(b"\0".join(_bytes(getattr(row, name)) for name in names))
                    except Unavailable:
                        unread += 1
    yield Place("texts under their keys", total, f"{unread} rows cannot be opened" if unread else "")


def _bytes(cell: Any) -> bytes:
    if isinstance(cell, bytes | memoryview):
        return bytes(cell)
    if isinstance(cell, dict | list):
        return json.dumps(cell, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return str(cell).encode("utf-8", "surrogatepass")


def _walk(folder: Path) -> Iterator[Path]:
    """The file itself, or every file below a folder."""
    if folder.is_file():
        yield folder
    else:
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())


def _files(canaries: Canaries, name: str, paths: Iterable[Path], skip: set[Path]) -> Place:
    total, unread = 0, 0
    for path in paths:
        if path.resolve() in skip:
            continue
        try:
            with path.open("rb") as stream:
                total += canaries.count_stream(stream)
        except FileNotFoundError:
            continue  # a database makes and removes files all the time
        except OSError:
            unread += 1
    return Place(name, total, f"{unread} files cannot be read" if unread else "")


def _cache(canaries: Canaries) -> Place:
    options = settings.CACHES["default"]
    if "redis" in options["BACKEND"].lower():
        return _message_store(canaries, "cache", str(options["LOCATION"]))
    return Place("cache", unread="it lives in the memory of each process and ends with it")


def _message_store(canaries: Canaries, name: str, url: str) -> Place:
    """What a Redis holds under every key."""
    if not url:
        return Place(name, unread="not configured")
    if urlsplit(url).scheme not in {"redis", "rediss"}:
        return Place(name, unread="only a Redis can be looked into")
    import redis

    try:
        client = redis.Redis.from_url(url)
        return Place(name, sum(canaries.count(b"\0".join(_value(client, key))) for key in client.scan_iter()))
    except redis.RedisError:
        return Place(name, unread="it does not answer")


def _value(client: Any, key: bytes) -> Iterator[bytes]:
    readers: dict[bytes, Callable[[], Any]] = {
        b"string": lambda: [client.get(key)],
        b"list": lambda: client.lrange(key, 0, -1),
        b"set": lambda: client.smembers(key),
        b"zset": lambda: client.zrange(key, 0, -1),
        b"hash": lambda: [part for pair in client.hgetall(key).items() for part in pair],
        b"stream": lambda: [part for _, fields in client.xrange(key) for pair in fields.items() for part in pair],
    }
    yield key
    read = readers.get(client.type(key))
    yield from (part for part in read() if part) if read else ()
