"""Agents, developer pages, people and invitations as a person sees them: no rule of axe broken, no sideways scroll."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cast import Caller, Cast, Company, now, sentence
from conftest import faults, picture, sign_in, speak
from playwright.sync_api import Page

from accounts import agents, invitations
from accounts.models import Agent, Group, GroupMember, Invitation, Membership

UUID = re.compile(r"[0-9a-f-]{36}")
pytestmark = pytest.mark.e2e


@pytest.fixture
def rita(acme: Company, crowd: Cast) -> dict[str, str]:
    """Rita administers, keeps the team support, has an agent that has been at work, and belongs to Beta too.

    What comes back are the addresses of her pages.
    """
    with crowd.beta.entered():
        Membership.objects.create(user=acme.member("rita").user, external_id="rita-too", roles=["member"])
    with acme.entered():
        Membership.objects.filter(external_id="rita").update(roles=["admin", "reviewer"])
        GroupMember.objects.filter(group__slug="support", membership__external_id="rita").update(is_maintainer=True)
        person, team = Membership.objects.get(external_id="paul"), Group.objects.get(slug="support")
        _, token = agents.connect(acme.principal("rita"), "Writing assistant", ["memory:recall", "memory:propose"])
        invitation = Invitation.objects.create(
            email="new@acme.example",
            role="member",
            invited_by=Membership.objects.get(external_id="rita"),
            nonce="n",
            expires_at=now(days=7),
        )
        agent = Agent.objects.get(name="Writing assistant")
    caller = Caller(str(token))
    caller.propose(sentence(), evidence=None)
    caller.recall("summary")
    caller.get("/memories")
    link = invitations.link_of(invitation)
    return {
        "agent": f"/agents/{agent.pk}/",
        "group": f"/groups/{team.pk}/",
        "person": f"/members/{person.pk}/",
        "invitation": link[link.index("/invitations/") :],
    }


@pytest.mark.parametrize(
    ("language", "width", "scheme"), [("en", 1280, "light"), ("zh-hans", 320, "dark"), ("zh-hans", 1280, "light")]
)
def test_no_page_breaks_a_rule(
    acme: Company,
    rita: dict[str, str],
    live_server: Any,
    page: Page,
    complaints: list[str],
    language: str,
    width: int,
    scheme: Any,
) -> None:
    url = live_server.url
    acme.policy(confirm="inferred_only")
    acme.rita.store(sentence("harbour"))
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    speak(page.context, language, url)
    found: dict[str, list[str]] = {}

    def look(path: str, name: str = "") -> None:
        if wrong := faults(page):
            found[path] = wrong
        plain = UUID.sub("one", path).strip("/").replace("/", "-")
        picture(page, f"people-{language}-{width}-{scheme}-{name or plain}")

    page.goto(url + rita["invitation"])
    look("invitation", "invitation")
    sign_in(page, url, "rita@acme.example")
    for path in ("/agents/", "/agents/new/", f"{rita['agent']}key/", f"{rita['agent']}end/", "/developers/",
                 "/developers/calls/", "/developers/recall/", "/members/", rita["person"], f"{rita['person']}remove/",
                 "/groups/", rita["group"], "/groups/new/"):  # fmt: skip
        page.goto(url + path)
        look(path)
    page.goto(f"{url}/agents/")
    page.locator(".menu summary").click()
    look("/agents/", "organisations")
    page.goto(f"{url}/developers/recall/")
    page.fill("[name=query]", "harbour")
    page.locator("main form button.main").click()
    page.wait_for_selector("#returned")
    look("/developers/recall/", "recalled")
    assert found == {}
