"""The documentation of the API works without any other host, and under the content policy of every page."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


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
