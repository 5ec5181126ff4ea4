"""The shape of the tree: rules that hold for every file, so that a new one cannot forget them."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

ROOT = Path(__file__).resolve().parent.parent
APPS = ("accounts", "memories", "reviews", "memoryhub")
TOP_LEVEL = {
    "manage.py", "pyproject.toml", "requirements.lock", "requirements-dev.lock", "Makefile", "README.md",
    "CHANGELOG.md", "LICENSE", "compose.yaml", ".ci", ".github", ".env.example", ".gitignore", "templates",
    "static", "tests", *APPS,
}  # fmt: skip
PURE = (
    "accounts/errors.py", "accounts/principals.py", "memories/policy.py", "memories/topics.py",
    "memories/write_gate.py", "memories/recall_gate.py", "memories/budget.py", "memories/sensitivity",
    "memories/search/tokens.py", "memories/search/rank.py", "memories/exchange/importers.py",
)  # fmt: skip
CLOCKS = {"now", "utcnow", "today", "localtime", "gmtime", "time_ns"}
INLINE = re.compile(r"""<script(?![^>]*\bsrc=)|<style\b|\sstyle=|\son[a-z]+=["']|javascript:""", re.IGNORECASE)
TARGETS = ("setup", "run", "demo", "test", "e2e", "lint", "type", "i18n", "lock", "bench", "schema")


def python_files(*places: str) -> Iterator[Path]:
    for place in places:
        path = ROOT / place
        found = [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))
        yield from (one for one in found if "migrations" not in one.parts)


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    return listed.stdout.splitlines()


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_nothing_new_stands_at_the_top() -> None:
    assert {path.split("/", 1)[0] for path in tracked()} <= TOP_LEVEL


def test_no_file_of_an_installation_is_tracked() -> None:
    kept_out = re.compile(r"(^|/)(var|\.venv|staticfiles|__pycache__)/|\.(mo|pyc|sqlite3)$|(^|/)\.env$|secret_key$")
    assert [path for path in tracked() if kept_out.search(path)] == []


def test_pure_modules_ask_no_clock_and_no_chance() -> None:
    """R-257."""
    asked = []
    for path in python_files(*PURE):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in CLOCKS:
                asked.append(f"{name(path)}:{node.lineno}")
            if isinstance(node, ast.Import | ast.ImportFrom):
                modules = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
                asked += [f"{name(path)}:{node.lineno}" for one in modules if one in {"random", "secrets", "socket"}]
    assert asked == []


def test_the_environment_is_read_in_one_place() -> None:
    allowed = {"memoryhub/environment.py", "memoryhub/wsgi.py", "memoryhub/celery.py", "memoryhub/serve.py"}
    allowed |= {"memoryhub/translations.py", "accounts/ids.py"}
    readers = {
        name(path)
        for path in python_files(
            "accounts", "memories", "reviews", *(f"memoryhub/{one.name}" for one in ROOT.glob("memoryhub/*.py"))
        )
        if re.search(r"os\.(environ|getenv)|from os import", path.read_text())
    }
    assert readers <= allowed


@pytest.mark.parametrize("folder", ["templates", "accounts", "memories", "reviews"])
def test_templates_hold_nothing_inline_and_nothing_marked_safe(folder: str) -> None:
    faults = [
        name(path)
        for path in sorted((ROOT / folder).rglob("*.html"))
        if INLINE.search(path.read_text()) or re.search(r"\|\s*safe\b|autoescape off", path.read_text())
    ]
    assert faults == []


def test_no_code_marks_text_as_safe_for_pages() -> None:
    assert [
        name(path) for path in python_files(*APPS) if re.search(r"\bmark_safe\b|\bSafeString\b", path.read_text())
    ] == []


def test_locks_are_pinned_by_hash_and_hold_no_address() -> None:
    """R-330, R-259."""
    for lock in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / lock).read_text()
        pins = re.findall(r"^[A-Za-z0-9_.\[\]-]+==.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
        assert len(pins) > 50
        assert [pin.splitlines()[0] for pin in pins if "--hash=sha256:" not in pin] == []
        assert "://" not in text


def test_what_runs_in_production_is_the_same_in_development() -> None:
    pins = [set(re.findall(r"^\S+==[^\s;]+", (ROOT / lock).read_text(), re.MULTILINE)) for lock in
            ("requirements.lock", "requirements-dev.lock")]  # fmt: skip
    assert pins[0] - pins[1] == set()


def test_every_make_target_exists() -> None:
    targets = set(re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(TARGETS) <= targets


def api_views(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[tuple[str, object]]:
    for pattern in patterns:
        route = f"{prefix}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from api_views(pattern.url_patterns, route)
        elif route.startswith(("api/v1/", "api/mem0/", "mcp")):
            yield route, getattr(pattern.callback, "cls", None)


def test_every_api_view_limits_its_callers() -> None:
    from memoryhub.api.throttle import CallerRateThrottle

    views = list(api_views(get_resolver().url_patterns))
    assert [route for route, view in views if CallerRateThrottle not in getattr(view, "throttle_classes", ())] == []
