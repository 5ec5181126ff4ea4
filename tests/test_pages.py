"""The pages as a browser gets them: each answers in both languages, and what people do there reaches the rows."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cast import Company
from django.test import Client

LANGUAGES = ("en", "zh-hans")
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style\b|\sstyle=|\son[a-z]+=[\"']|javascript:", re.IGNORECASE)
OPEN_PAGES = ("/", "/help/", "/problems/stale_version/", "/problems/no_such_code/", "/account/login/")
OPEN_PAGES += ("/account/password/reset/", "/account/signup/")
OWN_PAGES = ("/", "/memories/", "/memories/new/", "/waiting/", "/settings/", "/help/", "/account/logout/")
OWN_PAGES += ("/account/password/change/", "/account/2fa/", "/account/email/")


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


@pytest.fixture
def rita(acme: Company) -> Client:
    return acme.person("rita").client


def page(client: Client, path: str, language: str = "en", status: int = 200) -> str:
    client.cookies["django_language"] = language
    response = client.get(path)
    assert response.status_code == status, path
    return checked(response, language)


def checked(response: Any, language: str = "en") -> str:
    """The page's HTML, after what holds for every page was looked at."""
    html = str(response.content, "utf-8")
    assert "default-src 'self'" in response["Content-Security-Policy"]
    assert "no-store" in response["Cache-Control"]
    assert not INLINE.search(html)
    assert f'<html lang="{"zh-Hans" if language == "zh-hans" else "en"}"' in html
    assert html.count("<h1") == html.count("<main") == 1
    return html


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", OPEN_PAGES)
def test_open_pages_answer(db: None, path: str, language: str) -> None:
    page(Client(), path, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_persons_pages_answer_whether_empty_or_full(acme: Company, alice: Client, language: str) -> None:
    for path in OWN_PAGES:
        page(alice, path, language)
    memory, held = acme.alice.store(), acme.alice.hold()
    url = f"/memories/{memory['memory_id']}/"
    for path in (*OWN_PAGES, url, f"{url}correct/", f"{url}forget/", f"/candidates/{held['candidate_id']}/"):
        page(alice, path, language)
