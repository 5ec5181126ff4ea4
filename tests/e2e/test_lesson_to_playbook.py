"""From what an agent learned to what every agent of the team goes by: over REST, through the pages, and back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cast import TEAM, Company, in_months, new_key, text_of, word
from conftest import picture, settled, sign_in, speak
from django.utils import timezone, translation
from playwright.sync_api import Page
from reader import other_process

from memories.models import Candidate
from reviews.models import DelayedVerdict

pytestmark = pytest.mark.e2e

LESSONS = {
    "en": (
        "Check the {mark} receipt before a refund.",
        "A customer asks for money back.",
        ["Open the order.", "Compare the receipt with it."],
    ),
    "zh-hans": ("退款之前先核对{mark}收据。", "客户要求退款。", ["打开订单。", "把收据与订单核对。"]),
}


@pytest.mark.parametrize(("language", "width"), [("en", 1280), ("zh-hans", 320)])
def test_a_lesson_becomes_a_procedure_and_can_be_stopped(
    acme: Company, live_server: Any, page: Page, complaints: list[str], language: str, width: int
) -> None:
    """R-054, R-168: proposed by an agent, decided by a reviewer who is not its person, recalled, stopped at once."""
    mark = word()
    title, when, steps = LESSONS[language]
    title = title.format(mark=mark)
    value = {"steps": steps, "stop_conditions": [f"{mark}?"]}
    proposed = acme.alice.propose(
        title, key=new_key(), kind="procedure", namespace=TEAM, conditions=when, value=value, valid_until=in_months()
    )
    assert proposed.status_code == 202, text_of(proposed)
    candidate_id = proposed.json()["candidate_id"]
    page.set_viewport_size({"width": width, "height": 800})
    speak(page.context, language, live_server.url)

    def press(text: str) -> None:
        with translation.override(language):
            words = translation.gettext(text)
        page.get_by_role("button", name=words, exact=True).first.click()
        settled(page)

    with other_process("alice", "acme") as recalled:
        assert recalled(f"{mark} {title}") == []
        sign_in(page, live_server.url, "rita@acme.example")
        page.goto(f"{live_server.url}/reviews/")
        page.get_by_role("link", name=title).click()
        page.wait_for_url(re.compile(candidate_id))
        picture(page, f"lesson-{language}-1-review")
        assert all(step in page.inner_text("main") for step in steps)
        for question in page.locator(".decision form").first.get_by_role("checkbox").all():
            question.check()
        press("Approve")
        page.wait_for_selector(".undoable")
        with acme.entered():
            assert Candidate.objects.get().status == "pending", "it takes effect in a moment"
            DelayedVerdict.objects.update(commits_at=timezone.now())
        page.goto(f"{live_server.url}/reviews/")
        (entry,) = acme.alice.get("/playbook").json()["items"]
        assert entry["procedure"]["steps"] == steps
        assert recalled(f"{mark} {title}") == [entry["memory_id"]]
        packet = acme.alice.post("/context", {"query": f"{mark} {title}", "format": "markdown"}).json()
        assert steps[0] in packet["text"]
        page.goto(f"{live_server.url}/playbook/{entry['memory_id']}/")
        picture(page, f"lesson-{language}-2-entry")
        page.select_option("[name=reason]", "harmful")
        press("Suspend now")
        page.wait_for_selector(".notice.warning")
        picture(page, f"lesson-{language}-3-suspended")
        assert recalled(f"{mark} {title}") == []
        press("Use again")
        page.wait_for_selector("[name=reason]")
        assert recalled(f"{mark} {title}") == [entry["memory_id"]]
