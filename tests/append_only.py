"""Audit rows refuse to change; a test that tampers with them needs a way round."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from django.db import connection

migration = import_module("accounts.migrations.0003_audit_checkpoint")


def allow() -> None:
    """Take the triggers away."""
    with connection.cursor() as cursor:
        migration.unguard(None, SimpleNamespace(connection=connection, execute=cursor.execute))


def forbid() -> None:
    """Put the triggers back."""
    allow()
    with connection.cursor() as cursor:
        migration.guard(None, SimpleNamespace(connection=connection, execute=cursor.execute))


@contextlib.contextmanager
def tampering() -> Iterator[Any]:
    """A cursor of someone who owns the database."""
    allow()
    try:
        with connection.cursor() as cursor:
            yield cursor
    finally:
        forbid()
