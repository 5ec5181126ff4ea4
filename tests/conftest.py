"""Plumbing for every test: no network, no tenant left behind, a database file of this process's own."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cast import acme, beta, cast, crowd, erasable_audit, shared_cast  # noqa: F401 - fixtures of every test
from client_door import connect, in_this_thread, pauses  # noqa: F401 - fixtures of the SDK
from django.conf import settings
from django.core.cache import cache
from embedders import use  # noqa: F401 - the fixture with which a test chooses its embedder

from accounts import calls, tenancy
from memories.encryption.keystore import Folder

REDIS_URL = os.environ.get("MEMORYHUB_TEST_REDIS_URL", "")
LOOPBACK = ("127.", "::1", "localhost")


def missing_needs(marker_expression: str) -> dict[str, str]:
    """Markers whose service this run has not, with what would bring it."""
    needs = {}
    if "postgresql" not in settings.DATABASES["default"]["ENGINE"]:
        needs["pg"] = "set DATABASE_URL to a PostgreSQL"
    else:
        needs["sqlite"] = "unset DATABASE_URL"
    if not REDIS_URL:
        needs["redis"] = "set MEMORYHUB_TEST_REDIS_URL"
    if os.environ.get("MEMORYHUB_TEST_ENCRYPTED"):
        needs["in_clear"] = "unset MEMORYHUB_TEST_ENCRYPTED"
    if "e2e" not in marker_expression.split():
        needs["e2e"] = "run pytest -m e2e with chromium installed"
    return needs


def pytest_configure(config: pytest.Config) -> None:
    # WhiteNoise would look at every static file for each new test client.
    settings.WHITENOISE_AUTOREFRESH = True
    calls.PAUSE_SECONDS = 0  # a test looks at what was noted right after its call
    if "e2e" not in missing_needs(config.option.markexpr):
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright keeps an event loop in the test's thread


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, and say so, what needs a service that is not here. `.ci/run` brings each and runs them all."""
    left_out: dict[str, list[pytest.Item]] = {}
    for item in items:
        for marker in missing_needs(config.option.markexpr):
            if item.get_closest_marker(marker):
                left_out.setdefault(marker, []).append(item)
                break
    deselected = {id(item) for group in left_out.values() for item in group}
    items[:] = [item for item in items if id(item) not in deselected]
    config.hook.pytest_deselected(items=[item for group in left_out.values() for item in group])
    config.stash[LEFT_OUT] = {marker: len(group) for marker, group in left_out.items()}


LEFT_OUT = pytest.StashKey[dict[str, int]]()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):  # one of several processes: only the first one prints
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[LEFT_OUT] = node.workeroutput.get("left_out", {})


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    needs = missing_needs(config.option.markexpr)
    for marker, count in config.stash.get(LEFT_OUT, {}).items():
        terminalreporter.write_line(f"left out: {count} tests marked {marker} ({needs[marker]})")


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """Connections leave this process only for this machine's loopback and its local sockets."""
    patch = pytest.MonkeyPatch()
    for name in ("connect", "connect_ex"):
        patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
    yield
    patch.undo()


def _guarded(real: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        inside = self.family == socket.AF_UNIX or str(address[0]).startswith(LOOPBACK)
        if not inside:
            raise RuntimeError("a test tried to reach the network")
        return real(self, address)

    return guarded


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> Iterator[None]:
    """SQLite in a file, so that threads and processes of a test meet real locks; one file for each test process."""
    database = settings.DATABASES["default"]
    if database["ENGINE"] != "memoryhub.sqlite":
        yield
        return
    file = Path(settings.VAR_DIR) / "tests" / f"{os.getpid()}.sqlite3"
    file.parent.mkdir(parents=True, exist_ok=True)
    database.setdefault("TEST", {})["NAME"] = str(file)
    # A test's database needs to outlive no power cut.
    database["OPTIONS"]["init_command"] += " PRAGMA synchronous=OFF;"
    yield
    for rest in file.parent.glob(f"{file.name}*"):
        rest.unlink(missing_ok=True)


@pytest.fixture(autouse=True, scope="session")
def exports_folder() -> Iterator[Path]:
    """Where exports of this process's tests lie: beside its database."""
    folder = Path(settings.VAR_DIR) / "tests" / f"exports-{os.getpid()}"
    settings.STORAGES["exports"]["OPTIONS"]["location"] = folder
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def _words_alone() -> None:
    """No embedder, so that tests are quick; those about meaning choose one."""
    settings.MEMORYHUB_EMBEDDER = "none"


@pytest.fixture(autouse=True, scope="session")
def _own_ledger(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What tests forget is written down for this process alone."""
    settings.MEMORYHUB_LEDGER = tmp_path_factory.mktemp("ledger") / "erasures.jsonl"


@pytest.fixture(autouse=True, scope="session")
def key_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place for keys. With MEMORYHUB_TEST_ENCRYPTED every tenant of every test encrypts."""
    root = tmp_path_factory.mktemp("keys") / "store"
    Folder(root).set_up()
    settings.MEMORYHUB_KEY_STORE = str(root) if os.environ.get("MEMORYHUB_TEST_ENCRYPTED") else ""
    return root


@pytest.fixture(autouse=True)
def _clean_frame() -> Iterator[None]:
    """No tenant is active when a test begins, and this process's cache is empty."""
    if "locmem" in settings.CACHES["default"]["BACKEND"]:
        cache.clear()
    with tenancy.entered(None):
        yield


@pytest.fixture
def redis_url() -> str:
    """A Redis of this run's own; for tests marked `redis`."""
    return REDIS_URL
