"""The documentation of the API works without any other host, under every page's content policy, and in a sandbox."""

from __future__ import annotations

from typing import Any

import pytest
from cast import Company, now, sentence
from conftest import sign_in
from playwright.sync_api import Locator, Page, expect

from memories.models import Memory

pytestmark = pytest.mark.e2e
TRIED = """async ([url, method, body]) => {
    const request = {url, method, body: body && JSON.stringify(body), credentials: "same-origin", headers: {}};
    const {url: address, ...sent} = await ui.getConfigs().requestInterceptor(request);
    const answer = await fetch(address, {...sent, headers: {...sent.headers, "Content-Type": "application/json"}});
    return [answer.status, answer.status === 204 ? null : await answer.json()];
}"""


@pytest.mark.django_db(transaction=True)
def test_the_documentation_lists_the_operations_and_asks_no_other_host(live_server: Any, page: Page) -> None:
    complaints: list[str] = []
    elsewhere: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: elsewhere.append(request.url))
    page.goto(f"{live_server.url}/api/docs/")
    page.wait_for_selector(".opblock", timeout=15_000)
    assert complaints == []
    assert [url for url in elsewhere if not url.startswith((live_server.url, "data:"))] == []


def opened(page: Page, operation: str) -> Locator:
    """An operation of the documentation, ready to be tried."""
    block = page.locator(f"[id$='-{operation}']").first
    block.locator(".opblock-summary-control").click()
    block.get_by_role("button", name="Try it out").click()
    return block


def tried(page: Page, block: Locator, body: str) -> None:
    block.locator("textarea.body-param__text").fill(body)
    block.get_by_role("button", name="Execute").click()


def test_what_is_tried_stays_in_the_sandbox_until_the_person_leaves_it(
    acme: Company, live_server: Any, page: Page
) -> None:
    kept, text = acme.person("alice").store(sentence("kept"), evidence=None), sentence("tried")
    sign_in(page, live_server.url, "alice@acme.example")
    page.goto(f"{live_server.url}/api/docs/")
    page.wait_for_selector(".opblock", timeout=15_000)
    body = f'{{"namespace": {{"type": "user"}}, "kind": "preference", "key": "style", "statement": "{text}"}}'
    block = opened(page, "propose")
    tried(page, block, body)
    status = block.locator(".live-responses-table tbody .response-col_status").first
    expect(status).to_contain_text("201", timeout=15_000)
    with acme.entered():
        made = Memory.objects.get(statement=text)
        assert (made.path, made.kind) == (["sandbox"], "episode")
        assert made.valid_until < now(days=1, minutes=5)
    everyday = acme.person("alice").post("/recall", {"query": text}).json()["items"]
    assert text not in [one["statement"] for one in everyday], "everyday recall leaves it out"

    def call(method: str, path: str, given: Any = None) -> Any:
        return page.evaluate(TRIED, [f"/api/v1{path}", method, given])

    assert [one["statement"] for one in call("POST", "/recall", {"query": text})[1]["items"]] == [text]
    assert [one["memory_id"] for one in call("GET", "/memories")[1]["items"]] == [str(made.pk)]
    for method, path, given in (
        ("DELETE", f"/memories/{kept['memory_id']}", None),
        ("POST", "/forget", {"filter": {}, "dry_run": True}),
        ("POST", "/exports", {}),
    ):
        with pytest.raises(Exception, match="Not sent"):
            call(method, path, given)
    expect(page.locator("#sandbox [role=status]")).to_contain_text("Not sent")
    assert call("DELETE", f"/memories/{made.pk}")[0] == 200
    page.get_by_role("button", name="Use real data").click()
    assert call("DELETE", f"/memories/{kept['memory_id']}")[0] == 200
    page.get_by_role("button", name="Back to the sandbox").click()
    expect(page.get_by_role("button", name="Use real data")).to_be_visible()
