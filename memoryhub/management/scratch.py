"""An installation of its own for a while: a folder, a database and settings that nobody else has."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = {"DATABASE_URL", "CACHE_URL", "CELERY_BROKER_URL", "OPENAI_API_KEY", "PORT", "DJANGO_SETTINGS_MODULE"}
Environment = Mapping[str, str]


@contextlib.contextmanager
def installation(**settings: str) -> Iterator[Environment]:
    """The environment of a new, migrated installation that is gone afterwards. `settings` add to the defaults."""
    own = {name: value for name, value in os.environ.items() if not _is_foreign(name)}
    with tempfile.TemporaryDirectory(prefix="memoryhub-") as folder:
        place = {"MEMORYHUB_VAR_DIR": folder, "MEMORYHUB_ENV_FILE": os.devnull, "MEMORYHUB_LOG_LEVEL": "warning"}
        environment = own | place | settings
        manage(environment, "migrate", "--verbosity", "0")
        yield environment


@contextlib.contextmanager
def database(url: str) -> Iterator[dict[str, str]]:
    """Settings of a new database beside the one of this URL, gone afterwards; none for SQLite, a file of the folder."""
    if not url.startswith(("postgres", "psql", "pgsql")):
        yield {}
        return
    from django.db import connection

    name = f"memoryhub_scratch_{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    try:
        yield {"DATABASE_URL": named(url, name)}
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def named(url: str, name: str) -> str:
    """The URL of another database of the same server."""
    parts = urlsplit(url)
    return parts._replace(path=f"{parts.path.rpartition('/')[0]}/{name}").geturl()


@contextlib.contextmanager
def process(environment: Environment) -> Iterator[ProcessPoolExecutor]:
    """One other process, set up for this installation, that carries out what is submitted, in order."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=_move_in, initargs=(dict(environment),)) as pool:
        yield pool


def manage(environment: Environment, *arguments: str) -> None:
    """Run a command of manage.py there; raises CalledProcessError when it fails."""
    subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, check=True)  # noqa: S603


def output(environment: Environment, *arguments: str) -> Any:
    """The JSON that a command of manage.py prints there; raises CalledProcessError when it fails."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE)  # noqa: S603
    return json.loads(done.stdout)


def _move_in(environment: Environment) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    import django

    django.setup()


def _is_foreign(name: str) -> bool:
    return name in FOREIGN or name.startswith("MEMORYHUB_")
