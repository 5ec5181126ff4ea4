"""Texts that look like markup, run from right to left, never break, or mix scripts, in every place where people and
agents may write one: every page stays as wide as a phone, runs nothing, and shows them as they are.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from cast import Company
from conftest import PASSWORD, sign_in
from django.apps import apps
from django.urls import reverse
from playwright.sync_api import Page
from test_every_page import SIGNED_IN
from test_every_page import scene as scene

from accounts.models import Membership
from memories.models import Candidate, Comment, Memory, Namespace, OwnRule, SavedView

pytestmark = pytest.mark.e2e
NARROW = {"width": 320, "height": 740}
ODD = {
    "markup": '<img src=x onerror="window.ran=1"><script>window.ran=1</script>\'"</p></main>{{ 1|add:1 }}',
    "long": "w" * 2000,
    "mixed": "\u202eابدأ بالخلاصة ثم اذكر الأسباب\u2066 👩‍💻🏳️‍🌈 先给结论，then why; e\u0301\u0301\u0301 " + "说" * 300,
}
WRITTEN = {
    "accounts.Tenant": ("name",),
    "accounts.Membership": ("name",),
    "accounts.Group": ("name",),
    "accounts.Agent": ("name",),
    "accounts.AgentKey": ("name",),
    "accounts.PersonalToken": ("name",),
    "memories.Evidence": ("text", "speaker", "run_id", "ref", "thread"),
    "memories.Memory": ("statement", "conditions", "key"),
    "memories.Candidate": ("statement", "conditions", "key"),
    "memories.Comment": ("text",),
    "memories.OwnRule": ("text",),
    "memories.Recall": ("run_id",),
    "memories.SavedView": ("name",),
    "memories.Extraction": ("conversation", "run_id"),
}
"""What no gate keeps in form: columns that people and agents fill with words of their own."""


def write(company: Company, text: str) -> None:
    """Put the text where words stand, as much as each column takes; the gates would refuse some of it."""
    with company.entered():
        place = Namespace.objects.get(membership__external_id="rita")
        SavedView.objects.create(namespace=place, name="view", query="kind=preference")
        OwnRule.objects.create(namespace=place, type="phrase", text="rule", digest="0" * 64)
        for held in Candidate.objects.all():
            Comment.objects.create(
                candidate=held, text="word", author_id=Membership.objects.get(external_id="alice").pk
            )
        for label, columns in WRITTEN.items():
            model: Any = apps.get_model(label)
            for row in model._default_manager.all() if label != "accounts.Tenant" else [company.tenant]:
                there = [name for name in columns if getattr(row, name) is not None]  # a tombstone has no words
                words = {name: text[: model._meta.get_field(name).max_length] for name in there}
                model._default_manager.filter(pk=row.pk).update(**words)
        for memory in Memory.objects.filter(kind="procedure"):
            steps = {"steps": [text, "then"], "stop_conditions": [text]}
            Memory.objects.filter(pk=memory.pk).update(value=steps)


@pytest.mark.parametrize("name", ODD)
def test_no_page_breaks(scene: SimpleNamespace, live_server: Any, page: Page, complaints: list[str], name: str) -> None:
    write(scene.company, ODD[name])
    page.set_viewport_size(NARROW)
    sign_in(page, live_server.url, "rita@acme.example")
    page.goto(f"{live_server.url}{reverse('mfa_activate_totp')}")
    page.fill("[name=password]", PASSWORD)
    with page.expect_navigation():
        page.press("[name=password]", "Enter")
    wide, seen = {}, 0
    for view, address in SIGNED_IN.items():
        page.goto(f"{live_server.url}{reverse(view, kwargs=address(scene))}")
        too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if too_wide > 0:
            wide[view] = too_wide
        assert page.evaluate("window.ran") is None, view
        assert page.locator("main img[src=x]").count() == 0, view
        seen += ODD[name][:40] in page.locator("body").inner_text()
    assert wide == {}
    assert seen >= 25
