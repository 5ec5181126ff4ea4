"""The inbox in a browser: cleared by keyboard from home, taken back, and whole without JavaScript."""

from __future__ import annotations

from typing import Any

import pytest
from cast import Company
from conftest import picture, sign_in
from playwright.sync_api import Browser, Page, expect

from memories.models import Candidate

pytestmark = pytest.mark.e2e


def decided(acme: Company) -> int:
    with acme.entered():
        return Candidate.objects.filter(delayed_verdicts__state="waiting").count()


def test_two_keys_from_home_confirm_and_one_takes_it_back(
    acme: Company, live_server: Any, page: Page, complaints: list[str]
) -> None:
    """A newcomer confirms with two keystrokes; the next one has the focus, so another key decides that one."""
    for _ in range(3):
        acme.alice.hold()
    sign_in(page, live_server.url, "alice@acme.example")
    rows = page.locator("[data-item]")
    expect(rows).to_have_count(3)
    page.keyboard.press("j")
    page.keyboard.press("y")
    expect(rows).to_have_count(2)
    expect(page.locator("#toasts")).to_contain_text("You said yes")
    page.keyboard.press("n")
    expect(rows).to_have_count(1)
    assert decided(acme) == 2
    page.keyboard.press("z")
    expect(rows).to_have_count(2)
    assert decided(acme) == 1
    picture(page, "inbox-toast")
    page.reload()
    expect(rows).to_have_count(2)
    assert decided(acme) == 1


def test_everything_works_without_javascript(acme: Company, live_server: Any, browser: Browser) -> None:
    held = acme.alice.hold(key="shoe_size")
    page = browser.new_context(java_script_enabled=False).new_page()
    sign_in(page, live_server.url, "alice@acme.example")
    page.goto(f"{live_server.url}/waiting/")
    page.get_by_role("button", name="Yes, remember it").click()
    expect(page.get_by_text("Nothing waits for you.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text(held["statement"], exact=True)).to_be_visible()
    page.get_by_text("Never ask again", exact=True).click()
    page.get_by_role("button", name="No, and never ask again").click()
    expect(page.get_by_text("The rule stands, and 1 proposal is rejected.")).to_be_visible()
    page.context.close()
