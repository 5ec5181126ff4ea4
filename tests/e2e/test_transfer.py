"""How much a first visit brings over the network: files as they stand in the source tree, not even compressed."""

from __future__ import annotations

from typing import Any

import pytest
from cast import Company
from conftest import sign_in
from playwright.sync_api import Browser, Page

from memoryhub.management.benches.first_visit import BYTES_BAR, transfers

pytestmark = pytest.mark.e2e


def test_a_first_visit_stays_small(acme: Company, live_server: Any, page: Page, browser: Browser) -> None:
    acme.policy(confirm="inferred_only")
    memory = [acme.alice.store() for _ in range(5)][-1]
    sign_in(page, live_server.url, "alice@acme.example")
    known = page.context.storage_state()
    for path in ("/account/login/", "/", "/memories/", f"/memories/{memory['memory_id']}/"):
        context = browser.new_context(storage_state=None if "login" in path else known)
        visitor = context.new_page()
        sizes = transfers(visitor)
        visitor.goto(f"{live_server.url}{path}", wait_until="networkidle")
        assert 3 <= len(sizes) <= 12, path
        assert sum(sizes) <= BYTES_BAR, path
        context.close()
