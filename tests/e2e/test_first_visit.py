"""One person's way through the pages, on a phone in Chinese and at a desk in English, without a line of JavaScript."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cast import TEAM, Company, in_months, new_key, sentence, word
from conftest import picture, settled, sign_in, speak
from django.utils import translation
from playwright.sync_api import Page, expect
from verdicts import take_effect

from memories.models import Erasure, Memory

pytestmark = pytest.mark.e2e
VISITS = [("en", 1280, "light"), ("zh-hans", 320, "dark"), ("en", 320, "light"), ("zh-hans", 1280, "dark")]


@pytest.mark.parametrize(("language", "width", "scheme"), VISITS)
def test_sign_in_approve_correct_forget(
    acme: Company, live_server: Any, page: Page, complaints: list[str], language: str, width: int, scheme: Any
) -> None:
    key, better = new_key(), sentence()
    held = acme.alice.hold(key=key, conditions="In reports")
    page.set_viewport_size({"width": width, "height": 740})
    page.emulate_media(color_scheme=scheme)
    speak(page.context, language, live_server.url)
    name = f"{language}-{width}-{scheme}"

    def press(text: str) -> None:
        with translation.override(language):
            words = translation.gettext(text)
        page.get_by_role("button", name=words).or_(page.get_by_role("link", name=words)).first.click()
        settled(page)

    sign_in(page, live_server.url, "alice@acme.example")
    picture(page, f"{name}-1-home")
    assert held["statement"] in page.inner_text("main")
    press("Yes, remember it")
    picture(page, f"{name}-2-said-yes")
    take_effect(acme)
    page.goto(f"{live_server.url}/memories/?q={key}")
    picture(page, f"{name}-3-memories")
    page.get_by_role("link", name=held["statement"]).click()
    picture(page, f"{name}-4-memory")
    press("Correct")
    page.fill("[name=statement]", better)
    picture(page, f"{name}-5-correct")
    press("Save the correction")
    assert better in page.inner_text("article")
    with acme.entered():
        assert Memory.objects.current().get(key=key).statement == better
    press("Forget…")
    page.check("[name=understood]")
    picture(page, f"{name}-6-forget")
    press("Forget it for good")
    page.wait_for_url(re.compile("/erasures/"))
    picture(page, f"{name}-7-receipt")
    assert better not in page.content()
    with acme.entered():
        assert Erasure.objects.count() == 1
        assert not Memory.objects.kept().filter(key=key).exists()


def test_everything_can_be_reached_and_pressed_by_keyboard(acme: Company, live_server: Any, page: Page) -> None:
    acme.alice.hold()
    sign_in(page, live_server.url, "alice@acme.example")
    page.goto(f"{live_server.url}/waiting/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    while page.evaluate("document.activeElement.tagName") != "BUTTON":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#toasts")).to_contain_text("You said yes")


def test_a_reviewer_decides_on_a_phone(acme: Company, live_server: Any, page: Page, complaints: list[str]) -> None:
    given = {"namespace": TEAM, "kind": "lesson", "valid_until": in_months()}
    response = acme.alice.propose(f"Read the {word()} log before restarting the importer.", **given)
    assert response.status_code == 202
    page.set_viewport_size({"width": 320, "height": 740})
    speak(page.context, "zh-hans", live_server.url)
    sign_in(page, live_server.url, "rita@acme.example")
    page.goto(f"{live_server.url}/reviews/")
    picture(page, "zh-hans-320-reviews")
    page.locator("a.quote").click()
    page.locator("form[action$='/approve/'] button").click()
    expect(page.locator(".notice.success")).to_have_count(1)
