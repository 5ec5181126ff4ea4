"""Taking memories along and bringing them in, as a person does it in a browser, with plain forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cast import TEAM, Company, in_months, new_key, sentence
from conftest import faults, picture, settled, sign_in, speak
from django.utils import translation
from exchange import entry, sweep
from playwright.sync_api import Page

pytestmark = pytest.mark.e2e
VISITS = [("en", 1280, "light"), ("zh-hans", 320, "dark"), ("en", 320, "light"), ("zh-hans", 1280, "dark")]


@pytest.mark.parametrize(("language", "width", "scheme"), VISITS)
def test_take_along_and_bring_in(
    acme: Company,
    live_server: Any,
    page: Page,
    complaints: list[str],
    tmp_path: Path,
    language: str,
    width: int,
    scheme: Any,
) -> None:
    known = [acme.alice.share(TEAM), *(acme.rita.share(TEAM) for _ in range(2))]
    alice = acme.person("alice")
    stored, other = (alice.post("/proposals", alice.proposal(evidence=None)).json()["memory"] for _ in range(2))
    lines = [
        entry(sentence(), new_key()),
        entry("先给结论，再给依据；表格放在最后。", new_key()),
        entry(sentence(), other["key"]),
        entry(stored["statement"], stored["key"]),
        entry(sentence(), "rule", kind="lesson", namespace=TEAM, valid_until=in_months()),
        entry("My password is hunter-" + "seven-times-2024", new_key()),
        {"kind": "preference"},
        entry("w" * 300, new_key()),
    ]
    file = tmp_path / "memories.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    page.set_viewport_size({"width": width, "height": 740})
    page.emulate_media(color_scheme=scheme)
    speak(page.context, language, live_server.url)
    name = f"data-{language}-{width}-{scheme}"

    def press(text: str) -> None:
        with translation.override(language):
            words = translation.gettext(text)
        page.get_by_role("button", name=words).or_(page.get_by_role("link", name=words)).first.click()
        settled(page)

    def look(step: str) -> None:
        picture(page, f"{name}-{step}")
        assert faults(page) == []

    sign_in(page, live_server.url, "alice@acme.example")
    if width < 640:
        press("More")
    press("Export and import")
    look("1-empty")
    page.select_option("[name=place] >> nth=0", "readable")
    press("Make the file")
    look("2-waiting")
    sweep(acme)
    press("Look again")
    look("3-ready")
    with page.expect_download() as download:
        press("Fetch the file")
    content = Path(download.value.path()).read_text()
    assert content.count("\n") == len(known) + 2
    page.goto(f"{live_server.url}/data/")
    page.set_input_files("[name=file]", file)
    press("Look through it")
    look("4-checked")
    page.check("[name=replace]")
    press("Carry it out")
    look("5-queued")
    sweep(acme)
    press("Look again")
    look("6-done")
    page.goto(f"{live_server.url}/data/")
    look("7-lists")
    page.set_input_files("[name=file]", {"name": "x.jsonl", "mimeType": "text/plain", "buffer": b" "})
    complaints.clear()
    press("Look through it")
    look("8-error")
    assert page.locator("[aria-invalid=true]").count() == 1
    complaints.clear()
