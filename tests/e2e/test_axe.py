"""No page breaks a rule that axe can find: every page, both languages, both themes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from cast import TEAM, Company, in_months, now, word
from conftest import PASSWORD, picture, sign_in, speak
from playwright.sync_api import Page

from accounts.models import Membership
from accounts.principals import system
from memories import actions
from reviews import notices

pytestmark = pytest.mark.e2e
UUID = re.compile(r"[0-9a-f-]{36}")
NO_NAME = re.compile(r"[^a-z0-9]+")


def faults(page: Page) -> list[str]:
    results = Axe().run(page)
    return [f"{one['id']}: {node['html'][:120]}" for one in results.response["violations"] for node in one["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_no_page_breaks_an_accessibility_rule(
    acme: Company, live_server: Any, page: Page, language: str, scheme: Any
) -> None:
    caller = acme.alice
    with acme.entered():
        Membership.objects.filter(external_id="rita").update(roles=["reviewer", "auditor"])
    memory = acme.rita.share(TEAM)
    held = acme.rita.hold(conditions="In reports", value={"a": 1})
    assert caller.propose(f"Read the {word()} log first.", namespace=TEAM, kind="lesson", valid_until=in_months())
    with acme.entered():
        actions.add_rule(acme.principal("rita"), "key", "spouse_*")
        notices.gather(system(acme.tenant.pk), now())
    url = live_server.url
    speak(page.context, language, url)
    page.emulate_media(color_scheme=scheme)
    found: dict[str, list[str]] = {}

    def look(path: str) -> None:
        page.goto(f"{url}{path}")
        if wrong := faults(page):
            found[path] = wrong
        picture(page, f"axe-{language}-{scheme}-{NO_NAME.sub('-', UUID.sub('one', path)).strip('-') or 'start'}")

    for path in ("/", "/account/login/", "/account/password/reset/", "/help/", "/problems/stale_version/", "/nowhere/"):
        look(path)
    sign_in(page, url, "rita@acme.example")
    page.goto(f"{url}/account/2fa/totp/activate/")
    page.fill("[name=password]", PASSWORD)
    with page.expect_navigation():
        page.press("[name=password]", "Enter")
    assert page.evaluate("document.querySelector('img.code-image').naturalWidth") > 0
    if wrong := faults(page):
        found["second factor"] = wrong
    picture(page, f"axe-{language}-{scheme}-second-factor")
    one = f"/memories/{memory['memory_id']}/"
    several = f"/memories/several/?action=pause&id={memory['memory_id']}"
    for path in ("/", "/style/", "/memories/", "/memories/?kind=lesson&sort=used", several, f"{one}compare/",
                 "/memories/new/", "/waiting/", "/reviews/", "/audit/", "/settings/", one,
                 f"{one}correct/", f"{one}forget/", f"/candidates/{held['candidate_id']}/", "/account/2fa/",
                 f"/candidates/{held['candidate_id']}/edit/", "/settings/memory/", "/settings/notices/", "/notices/",
                 "/activity/", "/account/password/change/", "/account/2fa/totp/activate/", "/account/email/",
                 "/account/logout/"):  # fmt: skip
        look(path)
    page.goto(f"{url}/memories/new/")
    page.evaluate("document.querySelector('main form').noValidate = true")
    page.locator("main form button").first.click()
    page.wait_for_load_state()
    assert page.locator("[aria-invalid=true]").count() >= 1
    if wrong := faults(page):
        found["a form with errors"] = wrong
    assert found == {}
