"""A reviewer at work: twenty decisions by keyboard alone, keys that stay silent while one types, and the undo."""

from __future__ import annotations

from typing import Any

import pytest
from cast import TEAM, Company, in_months, word
from conftest import picture, settled, sign_in, speak
from playwright.sync_api import Page

from accounts.principals import system
from memories.models import Candidate
from reviews import delays
from reviews.models import DelayedVerdict

pytestmark = pytest.mark.e2e
DECISIONS = 20


def lesson(acme: Company, **fields: Any) -> dict[str, Any]:
    given = {"namespace": TEAM, "kind": "lesson", "valid_until": in_months()} | fields
    answer = acme.alice.propose(f"Read the {word()} log before restarting the importer.", **given)
    return acme.alice.candidate(answer.json()["candidate_id"])


def test_twenty_are_decided_by_keyboard_alone(
    acme: Company, live_server: Any, page: Page, complaints: list[str]
) -> None:
    """At most three keys each, and on to the next; the pages say themselves which keys there are."""
    for _ in range(DECISIONS):
        lesson(acme)
    sign_in(page, live_server.url, "rita@acme.example")
    page.goto(f"{live_server.url}/reviews/")
    keys = 0

    def press(*given: str) -> None:
        nonlocal keys
        for key in given[:-1]:
            page.keyboard.press(key)
        with page.expect_navigation():
            page.keyboard.press(given[-1])
        keys += len(given)

    press("j", "Enter")
    for number in range(DECISIONS):
        press(*(("a",), ("r", "5"))[number % 2])
    assert keys <= 3 * DECISIONS
    assert page.url == f"{live_server.url}/reviews/"
    with acme.entered():
        assert DelayedVerdict.objects.count() == DECISIONS
        delays.commit_due(system(acme.tenant.pk), DelayedVerdict.objects.latest("commits_at").commits_at)
        assert Candidate.objects.filter(status="approved").count() == DECISIONS // 2
        assert Candidate.objects.filter(status="rejected").count() == DECISIONS // 2


def test_keys_are_silent_while_one_types_and_composes(acme: Company, live_server: Any, page: Page) -> None:
    lesson(acme)
    sign_in(page, live_server.url, "rita@acme.example")
    page.goto(f"{live_server.url}/reviews/")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/reviews/*/")
    page.keyboard.press("c")
    page.locator("form[action*='request_changes'] textarea").focus()
    page.keyboard.type("a as er")
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', isComposing: true, bubbles: true}))")
    with acme.entered():
        assert DelayedVerdict.objects.count() == 0
    page.select_option("form[action*='request_changes'] select", "unclear")
    page.locator("form[action*='request_changes'] textarea").focus()
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    with page.expect_navigation():
        page.keyboard.press("z")
    with acme.entered():
        assert DelayedVerdict.objects.get().state == "undone"


@pytest.mark.parametrize(("language", "width", "scheme"), [("en", 1440, "light"), ("zh-hans", 320, "dark")])
def test_the_pages_look_right(
    acme: Company, live_server: Any, page: Page, complaints: list[str], language: str, width: int, scheme: Any
) -> None:
    key, steps = f"plan_{word()}", ["Open the log.", "Read its end.", "Restart the importer."]
    value = {"steps": steps, "stop_conditions": ["The log is empty."]}
    acme.alice.share(TEAM, f"Restart the {word()} importer safely.", key=key, kind="procedure", value=value)
    changed = {"steps": [steps[0], "Count its lines.", *steps[1:]], "stop_conditions": ["The log is empty."]}
    held = lesson(acme, key=key, kind="procedure", value=changed)
    for _ in range(3):
        lesson(acme)
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    speak(page.context, language, live_server.url)
    sign_in(page, live_server.url, "rita@acme.example")
    name = f"{language}-{width}-{scheme}"
    page.goto(f"{live_server.url}/reviews/")
    picture(page, f"{name}-reviews")
    page.goto(f"{live_server.url}/reviews/{held['candidate_id']}/")
    picture(page, f"{name}-review")
    page.goto(f"{live_server.url}/reviews/{held['candidate_id']}/reword/")
    picture(page, f"{name}-reword")
    page.goto(f"{live_server.url}/reviews/?risk=low")
    page.locator("a.quote").first.click()
    page.locator("form[action$='/approve/'] button").click()
    settled(page)
    picture(page, f"{name}-after-a-decision")
    page.goto(f"{live_server.url}/reviews/quality/")
    picture(page, f"{name}-quality")
