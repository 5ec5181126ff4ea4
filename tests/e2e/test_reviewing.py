"""A reviewer at work: twenty decisions by keyboard alone, keys that stay silent while one types, and the undo."""

from __future__ import annotations

from typing import Any

import pytest
from cast import TEAM, Company, in_months, word
from conftest import ARTEFACTS, picture, settled, sign_in, speak
from playwright.sync_api import Page
from test_notices import sweep

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


def test_a_phone_has_every_verdict_at_hand_without_hiding_anything(
    acme: Company, live_server: Any, page: Page, complaints: list[str]
) -> None:
    """At 320 px the three verdicts stay in view while one reads; what is read last lies above them, not beneath."""
    held = lesson(acme)
    page.set_viewport_size({"width": 320, "height": 640})
    sign_in(page, live_server.url, "rita@acme.example")
    page.goto(f"{live_server.url}/reviews/{held['candidate_id']}/")
    bar = page.locator(".verdicts")
    for share in (0, 0.5, 1):
        page.evaluate(f"window.scrollTo(0, document.body.scrollHeight * {share})")
        for one in bar.locator(".button").all():
            assert one.is_visible()
            reached = one.evaluate(
                "one => { const box = one.getBoundingClientRect();"
                " return one.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)); }"
            )
            assert reached, (share, one.inner_text())
    page.evaluate("window.scrollTo(0, 300)")
    page.screenshot(path=ARTEFACTS / "phone-verdicts.png")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    last = page.locator(".decision a").last.bounding_box()
    top = bar.bounding_box()
    assert last is not None
    assert top is not None
    assert last["y"] + last["height"] <= top["y"]
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.locator(".verdicts a[href='#refusal']").click()
    page.locator("#refusal button").first.wait_for(state="visible")
    page.locator(".verdicts a[href='#wish']").click()
    page.locator("#wish textarea").wait_for(state="visible")
    page.locator("#wish textarea").focus()
    assert bar.evaluate("bar => getComputedStyle(bar).position") == "static", "room for the keyboard on the screen"
    page.locator("h1").click()
    with page.expect_navigation():
        bar.locator("button").click()
    with acme.entered():
        assert DelayedVerdict.objects.get().verdict == "approve"


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


@pytest.mark.parametrize(("language", "width", "scheme"), [("en", 1280, "dark"), ("zh-hans", 320, "light")])
def test_the_proposers_and_followers_pages_look_right(
    acme: Company, live_server: Any, page: Page, complaints: list[str], language: str, width: int, scheme: Any
) -> None:
    """What came back is reached from the bell, worded anew and sent again; what one follows from the playbook."""
    held = lesson(acme)
    rita = acme.person("rita").client
    wish = {"content_hash": held["content_hash"], "reason": "unclear", "comment": "Which log? 哪一份日志？"}
    rita.post(f"/reviews/{held['candidate_id']}/request_changes/", wish)
    with acme.entered():
        delays.commit_due(system(acme.tenant.pk), DelayedVerdict.objects.get().commits_at)
    entry = acme.alice.share(TEAM, f"Restart the {word()} importer safely.", key=f"plan_{word()}", kind="procedure")
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    speak(page.context, language, live_server.url)
    sign_in(page, live_server.url, "alice@acme.example")
    page.goto(f"{live_server.url}/playbook/{entry['memory_id']}/")
    page.locator("form[action$='/follow/'] button").click()
    page.wait_for_selector("form[action$='/stop/']")
    picture(page, f"{language}-{width}-{scheme}-entry")
    acme.alice.correct(entry, evidence="review", statement=f"Restart the {word()} importer with care.")
    sweep()
    for path in ("playbook/", "playbook/following/", "notices/", "waiting/"):
        page.goto(f"{live_server.url}/{path}")
        picture(page, f"{language}-{width}-{scheme}-{path.strip('/').replace('/', '-')}")
    page.locator(f"a[href='/candidates/{held['candidate_id']}/']").click()
    picture(page, f"{language}-{width}-{scheme}-returned")
    page.locator("form[action$='/resubmit/'] textarea").first.fill(f"Read the newest {word()} log first.")
    with page.expect_navigation():
        page.locator("form[action$='/resubmit/'] button").click()
    with acme.entered():
        assert Candidate.objects.get(pk=held["candidate_id"]).status == "pending"
