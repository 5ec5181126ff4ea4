"""From a fresh sign-in to a first memory by the developer page: two copies, and a page that turns green by itself."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import pytest
from cast import Company
from conftest import picture, sign_in, speak
from playwright.sync_api import Page

from memories.models import Memory

pytestmark = pytest.mark.e2e


def copied(page: Page, name: str) -> str:
    """What lands in the clipboard when the person presses the copy button of this box."""
    page.locator(f"[data-copies={name}]").click()
    page.wait_for_function("name => document.querySelector(`[data-copies=${name}]`).textContent !== ''", arg=name)
    return str(page.evaluate("navigator.clipboard.readText()"))


@pytest.mark.parametrize(("language", "width"), [("en", 1280), ("zh-hans", 320)])
def test_a_first_memory_takes_two_copies(
    acme: Company, live_server: Any, page: Page, complaints: list[str], language: str, width: int
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.set_viewport_size({"width": width, "height": 800})
    speak(page.context, language, live_server.url)
    sign_in(page, live_server.url, "alice@acme.example")
    page.goto(f"{live_server.url}/developers/")
    picture(page, f"{language}-{width}-developers")
    page.locator("main form button.main").click()
    page.wait_for_selector("#first-call")
    lines = [copied(page, "secret"), copied(page, "curl")]
    picture(page, f"{language}-{width}-developers-key")
    shell = {"PATH": os.environ["PATH"], "NO_PROXY": "*"}
    ran = subprocess.run(  # noqa: S603 - what the page told this person to run
        ["/bin/sh", "-c", "\n".join(lines)], capture_output=True, text=True, env=shell, timeout=60
    )
    assert '"decision":"store"' in ran.stdout.replace(" ", ""), ran.stdout + ran.stderr
    page.wait_for_selector("#first-call.good")
    picture(page, f"{language}-{width}-developers-arrived")
    with acme.entered():
        memory = Memory.objects.current().get(key="answer_style")
    page.locator(f"#first-call a[href='/memories/{memory.pk}/']").click()
    page.wait_for_load_state()
    assert memory.statement in page.inner_text("main")


def test_every_action_works_without_javascript(acme: Company, live_server: Any, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, live_server.url, "alice@acme.example")
    page.goto(f"{live_server.url}/agents/new/")
    page.fill("[name=name]", "Laptop")
    page.locator("main form button.main").click()
    page.locator("#first-call a").click()
    assert page.locator("#first-call.good").count() == 0
    page.goto(f"{live_server.url}/agents/")
    page.locator("form[action$='/pause/'] button").first.click()
    assert page.locator(".notice.success").count() == 1
    context.close()
