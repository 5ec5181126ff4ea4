"""An installation of its own for a while: a folder, a SQLite database and settings that nobody else has."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

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


def manage(environment: Environment, *arguments: str) -> None:
    """Run a command of manage.py there; raises CalledProcessError when it fails."""
    subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, check=True)  # noqa: S603


def _is_foreign(name: str) -> bool:
    return name in FOREIGN or name.startswith("MEMORYHUB_")
