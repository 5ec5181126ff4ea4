"""Reads settings from environment variables and reports every bad value at once, without quoting any."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any, TypeVar

import environ
from django.core.exceptions import ImproperlyConfigured

# Before anything loads numpy: its threads gain nothing on arrays of a namespace's size, and while they wait for each
# other they keep the processors from everybody else.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

T = TypeVar("T")
SCHEMES = {
    "DATABASE_URL": ("sqlite", "postgres", "postgresql", "psql", "pgsql"),
    "CACHE_URL": ("locmemcache", "rediscache", "redis", "rediss", "dummycache"),
    "CELERY_BROKER_URL": ("redis", "rediss", "amqp", "amqps"),
    "MEMORYHUB_EMAIL_URL": ("consolemail", "smtp", "smtp+tls", "smtp+ssl", "dummymail", "memorymail"),
}


class Environment:
    """A typed reader over a mapping. A bad value is noted and the default used, until `finish` raises them all."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self.keys: list[str] = []
        self.errors: list[str] = []

    def _read(self, name: str, default: T, parse: Callable[[str], T]) -> T:
        self.keys.append(name)
        raw = self._values.get(name, "").strip()
        if not raw:
            return default
        try:
            return parse(raw)
        except ValueError as error:
            self.refuse(name, str(error))
            return default

    def refuse(self, name: str, problem: str) -> None:
        """Note that `name` cannot be used; `problem` must not quote the value."""
        self.errors.append(f"{name}: {problem}")

    def text(self, name: str, default: str = "", *, minimum: int = 0) -> str:
        def parse(raw: str) -> str:
            if len(raw) < minimum:
                raise ValueError(f"needs at least {minimum} characters")
            return raw

        return self._read(name, default, parse)

    def flag(self, name: str, default: bool) -> bool:
        def parse(raw: str) -> bool:
            if raw.lower() not in {"true", "false", "1", "0", "yes", "no", "on", "off"}:
                raise ValueError("must be true or false")
            return raw.lower() in {"true", "1", "yes", "on"}

        return self._read(name, default, parse)

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        def parse(raw: str) -> int:
            if not re.fullmatch(r"[0-9]{1,12}", raw) or not least <= int(raw) <= most:
                raise ValueError(f"must be a whole number from {least} to {most}")
            return int(raw)

        return self._read(name, default, parse)

    def choice(self, name: str, default: str, allowed: Collection[str]) -> str:
        def parse(raw: str) -> str:
            if raw.lower() not in allowed:
                raise ValueError(f"must be one of {', '.join(allowed)}")
            return raw.lower()

        return self._read(name, default, parse)

    def words(self, name: str, default: Collection[str]) -> list[str]:
        """A list of comma-separated words."""
        return self._read(name, list(default), lambda raw: [word.strip() for word in raw.split(",") if word.strip()])

    def pattern(self, name: str, default: str, regex: str, meaning: str) -> str:
        def parse(raw: str) -> str:
            if not re.fullmatch(regex, raw):
                raise ValueError(f"must be {meaning}")
            return raw

        return self._read(name, default, parse)

    def url(self, name: str, default: str) -> str:
        """A URL whose scheme this program knows how to serve."""

        def parse(raw: str) -> str:
            if raw.split("://", 1)[0] not in SCHEMES[name] or "://" not in raw:
                raise ValueError(f"must be a URL starting with {', '.join(f'{scheme}://' for scheme in SCHEMES[name])}")
            _config(name, raw)
            return raw

        return self._read(name, default, parse)

    def config(self, name: str, default: str) -> dict[str, Any]:
        """Django's settings dictionary for the URL in `name`."""
        return _config(name, self.url(name, default))

    def finish(self) -> None:
        """Raise one ImproperlyConfigured that lists every refused value."""
        if self.errors:
            raise ImproperlyConfigured("These settings cannot be used:\n  " + "\n  ".join(self.errors))


def _config(name: str, url: str) -> dict[str, Any]:
    readers: dict[str, Callable[[str], dict[str, Any]]] = {
        "DATABASE_URL": environ.Env.db_url_config,
        "CACHE_URL": environ.Env.cache_url_config,
        "MEMORYHUB_EMAIL_URL": environ.Env.email_url_config,
    }
    if name not in readers:
        return {}
    try:
        return dict(readers[name](url))
    except Exception:  # noqa: BLE001 - whatever a URL parser raises may quote a password
        raise ValueError("is not a URL that can be read") from None


def load(default_file: Path) -> Environment:
    """The process environment, with lines of the env file (if it exists) for what the process does not set."""

    class Values(environ.Env):
        ENVIRON = dict(os.environ)  # read_env adds to this, else to os.environ

    env = Environment(Values.ENVIRON)
    env_file = Path(env.text("MEMORYHUB_ENV_FILE", str(default_file)))
    if env_file.is_file():
        Values.read_env(str(env_file))
    return env


def is_near(host: str) -> bool:
    """Of this machine or its own network: a private address, or a name without a domain."""
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".internal", ".local", ".localhost"))


def stored_secret(path: Path) -> str:
    """The secret kept in `path`; made on first use, readable by the owner alone, the same for racing processes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    if not path.exists():
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()


def derived(secret: str, purpose: str) -> str:
    """A separate secret for one purpose, the same as long as `secret` is."""
    return hashlib.blake2b(purpose.encode(), key=secret.encode()[:64], digest_size=32).hexdigest()
