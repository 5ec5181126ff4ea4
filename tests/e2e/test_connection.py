"""A server that is slow, fails or cannot be reached: what a person sees, what they typed, and the way on."""

from __future__ import annotations

from typing import Any

import pytest
from cast import Company, sentence
from conftest import faults, picture, sign_in
from playwright.sync_api import Page, Route, expect

from memories.models import Memory

pytestmark = pytest.mark.e2e


@pytest.fixture
def memory(acme: Company) -> dict[str, Any]:
    acme.policy(confirm="inferred_only")
    return acme.alice.store()


def test_who_is_offline_is_told_and_goes_on_when_back(
    acme: Company, live_server: Any, page: Page, memory: dict[str, Any]
) -> None:
    sign_in(page, live_server.url, "alice@acme.example")
    page.set_viewport_size({"width": 320, "height": 740})
    page.goto(f"{live_server.url}/memories/new/")
    banner = page.locator("#connection .notice")
    expect(banner).to_have_count(0)
    page.fill("[name=statement]", text := sentence())
    page.fill("[name=key]", "name_of_it")
    page.context.set_offline(True)
    expect(banner).to_contain_text("You are offline.")
    assert faults(page) == []
    picture(page, "connection-offline")
    page.locator("main form [type=submit]").last.click()
    expect(banner.get_by_role("button")).to_be_visible()
    assert page.input_value("[name=statement]") == text
    page.context.set_offline(False)
    expect(banner).to_have_count(0)
    page.goto(f"{live_server.url}/memories/{memory['memory_id']}/")
    page.context.set_offline(True)
    page.get_by_role("button", name="Pause").click()
    expect(banner.get_by_role("button")).to_be_visible()
    expect(page.locator(".hero .state.active")).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".hero .state.paused")).to_be_visible()


def test_a_server_that_fails_loses_nothing_that_was_typed(
    acme: Company, live_server: Any, page: Page, memory: dict[str, Any]
) -> None:
    sign_in(page, live_server.url, "alice@acme.example")
    page.goto(f"{live_server.url}/memories/{memory['memory_id']}/correct/")
    page.fill("[name=statement]", text := sentence())
    page.route("**/livez", lambda route: route.abort())
    page.route("**/correct/", lambda route: route.fulfill(status=503, body="busy"))
    page.get_by_role("button", name="Save the correction").click()
    banner = page.locator("#connection .notice")
    expect(banner).to_contain_text("The server did not answer.")
    assert page.input_value("[name=statement]") == text
    banner.get_by_role("button").click()
    expect(banner).to_contain_text("The server did not answer.")
    page.unroute_all()
    banner.get_by_role("button").click()
    expect(page.locator(".hero .quote")).to_have_text(text)
    with acme.entered():
        assert Memory.objects.current().get().statement == text


def test_work_that_takes_long_is_seen_and_a_failure_leaves_the_page_as_it_was(
    acme: Company, live_server: Any, page: Page, memory: dict[str, Any]
) -> None:
    held: list[Route] = []
    sign_in(page, live_server.url, "alice@acme.example")
    page.goto(f"{live_server.url}/memories/{memory['memory_id']}/")
    page.route("**/pause/**", lambda route: held.append(route))  # noqa: PLW0108
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#content")).to_have_attribute("aria-busy", "true")
    held[0].fulfill(status=500, content_type="text/html", body="<main id=content>a page of the fault</main>")
    expect(page.locator("#content")).to_have_attribute("aria-busy", "false")
    expect(page.locator(".hero .state.active")).to_be_visible()
    page.unroute_all()
    page.locator("#connection").get_by_role("button", name="Try again").click()
    expect(page.locator(".hero .state.paused")).to_be_visible()
    expect(page.locator("#connection .notice")).to_have_count(0)
