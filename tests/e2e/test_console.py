"""The list and one memory in a browser: by keyboard, in place, and with texts that try to break a page."""

from __future__ import annotations

from typing import Any

import pytest
from cast import Company, sentence
from conftest import faults, picture, sign_in, speak
from playwright.sync_api import Browser, Page, expect

from memories.models import Memory

pytestmark = pytest.mark.e2e
ODD = (
    "<script>alert(1)</script> <b>bold</b> {{ 1|add:1 }}",
    "w" * 2000,
    "ابدأ بالخلاصة ثم اذكر الأسباب \u202e txet desrever",
    "👩‍💻🏳️‍🌈 先给结论，then the reasons; e\u0301\u0301\u0301",
)


def test_several_are_chosen_and_paused_by_keyboard_and_taken_back(
    acme: Company, live_server: Any, page: Page, complaints: list[str]
) -> None:
    acme.policy(confirm="inferred_only")
    for _ in range(3):
        acme.alice.store()
    sign_in(page, live_server.url, "alice@acme.example")
    page.goto(f"{live_server.url}/memories/")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    assert faults(page) == []
    page.keyboard.press("Escape")
    for key in ("j", "x", "j", "x"):
        page.keyboard.press(key)
    expect(page.locator(".bulk")).to_be_visible()
    picture(page, "console-chosen")
    page.locator(".bulk [value=pause]").click()
    page.wait_for_url("**/memories/several/**")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".notice.success")).to_contain_text("2 memories were changed.")
    expect(page.locator(".row .state.paused")).to_have_count(2)
    page.keyboard.press("z")
    expect(page.locator(".row .state.paused")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("jx?")
    assert page.locator(":focus").input_value() == "jx?"


def test_a_difference_appears_while_one_types_and_pausing_answers_in_place(
    acme: Company, live_server: Any, page: Page, complaints: list[str]
) -> None:
    acme.policy(confirm="inferred_only")
    memory = acme.alice.store("Put the table first in reports.")
    sign_in(page, live_server.url, "alice@acme.example")
    address = f"{live_server.url}/memories/{memory['memory_id']}/"
    page.goto(f"{address}correct/")
    page.fill("[name=statement]", "Put the table last in reports.")
    expect(page.locator("#preview ins")).to_have_text("last")
    page.fill("[name=statement]", "")
    expect(page.locator("#preview ins")).to_have_count(0)
    page.goto(address)
    page.evaluate("window.stayed = true")
    page.keyboard.press("p")
    expect(page.locator(".hero .state.paused")).to_be_visible()
    assert page.evaluate("window.stayed") is True
    page.keyboard.press("z")
    expect(page.locator(".hero .state.active")).to_be_visible()
    assert faults(page) == []


def test_all_of_it_works_without_javascript(acme: Company, live_server: Any, browser: Browser) -> None:
    acme.policy(confirm="inferred_only")
    memory = acme.alice.store("Put the table first in reports.")
    page = browser.new_context(java_script_enabled=False).new_page()
    sign_in(page, live_server.url, "alice@acme.example")
    page.goto(f"{live_server.url}/memories/")
    page.check("[name=id]")
    page.locator(".bulk [value=pause]").click()
    page.locator("main form button.main").click()
    expect(page.locator(".row .state.paused")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".row .state.active")).to_have_count(1)
    page.goto(f"{live_server.url}/memories/{memory['memory_id']}/correct/")
    page.fill("[name=statement]", "Put the table last in reports.")
    page.locator("[name=preview]").click()
    expect(page.locator("#preview ins")).to_have_text("last")
    page.get_by_role("button", name="Save the correction").click()
    page.get_by_role("button", name="Put version 1 back").click()
    expect(page.locator(".hero .quote")).to_have_text("Put the table first in reports.")


@pytest.mark.parametrize(("width", "scheme", "language"), [(320, "dark", "zh-hans"), (768, "light", "en")])
def test_odd_texts_break_no_page(
    acme: Company, live_server: Any, page: Page, complaints: list[str], width: int, scheme: Any, language: str
) -> None:
    acme.policy(confirm="inferred_only")
    memories = [acme.alice.store() for _ in ODD]
    last = acme.alice.correct(memories[-1], statement=sentence()).json()["memory"]
    with acme.entered():  # the gate refuses some of these; the pages must not depend on it
        for memory, text in zip(memories, ODD, strict=True):
            Memory.objects.filter(pk=memory["memory_id"]).update(statement=text, conditions=text, key=text[:128])
    page.set_viewport_size({"width": width, "height": 740})
    page.emulate_media(color_scheme=scheme)
    speak(page.context, language, live_server.url)
    sign_in(page, live_server.url, "alice@acme.example")
    chosen = "&".join(f"id={one['memory_id']}" for one in memories)
    long = f"/memories/{memories[1]['memory_id']}/"
    paths = ["/memories/?status=", "/memories/?q=" + "w" * 300, f"/memories/several/?action=pause&{chosen}", "/style/"]
    paths += [long, f"{long}correct/", f"{long}forget/", f"/memories/{last['memory_id']}/compare/"]
    paths += [f"/memories/{memories[0]['memory_id']}/", f"/memories/{memories[2]['memory_id']}/"]
    for number, path in enumerate(paths):
        page.goto(f"{live_server.url}{path}")
        picture(page, f"odd-{language}-{width}-{number}")
