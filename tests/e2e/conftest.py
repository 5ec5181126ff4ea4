"""A real browser against a real server: Debian's Chromium, the cast, and a place for pictures."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from cast import Cast, Company
from playwright.sync_api import BrowserContext, Page, expect

ARTEFACTS = Path(__file__).resolve().parent.parent.parent / "artefacts"
PASSWORD = "a long walk along the harbour"


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    return {**browser_type_launch_args, "executable_path": shutil.which("chromium"), "args": arguments}


@pytest.fixture
def transactional_db(erasable_audit: None, transactional_db: None) -> None:
    """The live server asks for the database first; the audit must be erasable before that, to be emptied after it."""


@pytest.fixture
def acme(crowd: Cast) -> Company:
    """Acme with committed rows, where Alice and Rita can sign in and agents must ask first."""
    for name in ("alice", "rita"):
        user = crowd.acme.member(name).user
        user.set_password(PASSWORD)
        user.save()
    crowd.acme.policy(confirm="agent_writes")
    return crowd.acme


@pytest.fixture
def complaints(page: Page) -> Iterator[list[str]]:
    """What the browser complained about: a broken policy, a missing file, an error in a page."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("response", lambda answer: found.append(answer.url) if answer.status >= 400 else None)
    yield found
    assert found == []


def speak(context: BrowserContext, language: str, address: str) -> None:
    context.add_cookies([{"name": "django_language", "value": language, "url": address}])


def sign_in(page: Page, address: str, email: str) -> None:
    page.goto(f"{address}/account/login/")
    page.fill("[name=login]", email)
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url(f"{address}/")


def settled(page: Page) -> None:
    """Wait until what was pressed has been sent and its answer is there."""
    expect(page.locator("form[aria-busy]")).to_have_count(0, timeout=15_000)
    page.wait_for_load_state()


def picture(page: Page, name: str) -> None:
    """Keep what a person sees, after looking for what no page may have: a sideways scroll or a target too small."""
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=True)
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{name} scrolls sideways by {wide} pixels"
    small = page.evaluate(
        """[...document.querySelectorAll("button, .button, .plain, .nav a, select, input:not([type=hidden])")]
        .filter(one => one.checkVisibility() && !["checkbox", "radio"].includes(one.type))
        .filter(one => one.getBoundingClientRect().height < 39.5)
        .map(one => one.outerHTML.slice(0, 80))"""
    )
    assert small == [], f"{name} has targets below 40 pixels"


def faults(page: Page) -> list[str]:
    """What axe finds wrong with a page as it stands."""
    results = Axe().run(page)
    return [f"{one['id']}: {node['html'][:120]}" for one in results.response["violations"] for node in one["nodes"]]
