"""What a newcomer does unaided, each from the home page, with every click counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cast import Company, sentence, word
from conftest import settled, sign_in
from exchange import sweep
from playwright.sync_api import Page, expect

from memories.models import Erasure, Export, Memory

pytestmark = pytest.mark.e2e
MOST_CLICKS = 4
Press = Callable[[str], None]


@pytest.fixture
def press(acme: Company, live_server: Any, page: Page, complaints: list[str]) -> Iterator[Press]:
    """Presses the first link, button or box of a name, from the home page on; at most four times."""
    pressed = []

    def press(name: str) -> None:
        roles = [page.get_by_role(role, name=name) for role in ("button", "link", "checkbox")]
        roles[0].or_(roles[1]).or_(roles[2]).first.click()
        settled(page)
        pressed.append(name)

    sign_in(page, live_server.url, "alice@acme.example")
    yield press
    assert 0 < len(pressed) <= MOST_CLICKS, pressed


@pytest.fixture
def mark(acme: Company) -> str:
    """Of a memory that was recalled a moment ago."""
    mark = word()
    acme.policy(confirm="inferred_only")
    acme.alice.store(sentence(mark))
    assert acme.alice.recalled(mark)
    return mark


@pytest.fixture
def held(acme: Company) -> dict[str, Any]:
    return acme.alice.hold()


def test_confirm_one(acme: Company, held: dict[str, Any], press: Press, page: Page) -> None:
    press("Yes, remember it")
    expect(page.locator("main")).not_to_contain_text(held["statement"])


def test_correct_one(acme: Company, mark: str, press: Press, page: Page) -> None:
    press(mark)
    press("Correct")
    page.fill("[name=statement]", better := sentence())
    press("Save the correction")
    with acme.entered():
        assert Memory.objects.current().get().statement == better


def test_find_why_one_was_recalled(mark: str, press: Press, page: Page) -> None:
    press(mark)
    expect(page.get_by_role("heading", name="Why it came back")).to_be_visible()
    expect(page.locator("main")).to_contain_text("helper")


def test_delete_one_and_read_the_receipt(acme: Company, mark: str, press: Press, page: Page) -> None:
    press(mark)
    press("Forget…")
    press("I understand")
    press("Forget it for good")
    page.wait_for_url(re.compile("/erasures/"))
    with acme.entered():
        assert Erasure.objects.count() == 1
        assert not Memory.objects.kept().exists()


def test_export_everything(acme: Company, mark: str, press: Press, page: Page) -> None:
    press("Export and import")
    press("Make the file")
    sweep(acme)
    press("Look again")
    with page.expect_download() as kept:
        press("Fetch the file")
    assert mark in kept.value.path().read_text()
    with acme.entered():
        assert Export.objects.count() == 1
