"""Every page as people get it: both languages, both themes, three widths. Axe finds no fault, nothing scrolls
sideways, the browser complains of nothing, and a picture of each is left in `artefacts`.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from cast import TEAM, Company, in_months
from conftest import PASSWORD, faults, picture, sign_in, speak
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from exchange import entry, hand_over, sweep
from playwright.sync_api import Page

from accounts.models import Agent, AgentKey, Group, GroupMember, Membership, Webhook
from memories import actions
from memories.models import Evidence, Export, Import, Namespace

pytestmark = pytest.mark.e2e

WIDTHS = (320, 768, 1280)
HAN = re.compile(r"[\u4e00-\u9fff]")
Scene = SimpleNamespace

# Each page by its name in the URLs, with what addresses it.
BEFORE_SIGNING_IN: Mapping[str, Callable[[Scene], dict[str, Any]]] = {
    "home": lambda scene: {},
    "account_login": lambda scene: {},
    "account_signup": lambda scene: {},
    "account_reset_password": lambda scene: {},
    "help": lambda scene: {},
    "forgetting": lambda scene: {},
    "problem": lambda scene: {"code": "stale_version"},
}
SIGNED_IN: Mapping[str, Callable[[Scene], dict[str, Any]]] = {
    "home": lambda scene: {},
    "style": lambda scene: {},
    "memories": lambda scene: {},
    "several-memories": lambda scene: {},
    "export-memories": lambda scene: {},
    "enter-memory": lambda scene: {},
    "memory": lambda scene: {"memory_id": scene.memory},
    "correct-memory": lambda scene: {"memory_id": scene.memory},
    "forget-memory": lambda scene: {"memory_id": scene.memory},
    "compare-versions": lambda scene: {"memory_id": scene.memory},
    "erasure": lambda scene: {"erasure_id": scene.erasure},
    "waiting": lambda scene: {},
    "reviews": lambda scene: {},
    "review": lambda scene: {"candidate_id": scene.reviewed},
    "reword": lambda scene: {"candidate_id": scene.reviewed},
    "review-quality": lambda scene: {},
    "figures": lambda scene: {},
    "candidate": lambda scene: {"candidate_id": scene.candidate},
    "edit-candidate": lambda scene: {"candidate_id": scene.candidate},
    "playbook": lambda scene: {},
    "playbook-duplicates": lambda scene: {},
    "following": lambda scene: {},
    "propose-procedure": lambda scene: {},
    "playbook-entry": lambda scene: {"memory_id": scene.entry},
    "compare-entry": lambda scene: {"memory_id": scene.entry},
    "change-entry": lambda scene: {"memory_id": scene.entry},
    "roll-back-entry": lambda scene: {"memory_id": scene.earlier},
    "extractions": lambda scene: {},
    "extraction": lambda scene: {"extraction_id": scene.extraction},
    "notices": lambda scene: {},
    "notice-settings": lambda scene: {},
    "activity": lambda scene: {},
    "wishes": lambda scene: {},
    "agents": lambda scene: {},
    "connect-agent": lambda scene: {},
    "rotate-key": lambda scene: {"agent_id": scene.agent},
    "end-agent": lambda scene: {"agent_id": scene.agent},
    "first-call": lambda scene: {"key_id": scene.key},
    "developers": lambda scene: {},
    "calls": lambda scene: {},
    "playground": lambda scene: {},
    "members": lambda scene: {},
    "member": lambda scene: {"person_id": scene.person},
    "dismiss-member": lambda scene: {"person_id": scene.person},
    "groups": lambda scene: {},
    "create-group": lambda scene: {},
    "group": lambda scene: {"group_id": scene.group},
    "webhooks": lambda scene: {},
    "webhook": lambda scene: {"webhook_id": scene.webhook},
    "data": lambda scene: {},
    "export": lambda scene: {"export_id": scene.export},
    "import": lambda scene: {"import_id": scene.imported},
    "forget-conversation": lambda scene: {"evidence_id": scene.evidence},
    "forget-agent": lambda scene: {"agent_id": scene.agent},
    "forget-place": lambda scene: {"namespace_id": scene.place},
    "forget-me": lambda scene: {},
    "audit": lambda scene: {},
    "reveals": lambda scene: {},
    "break-glass": lambda scene: {},
    "reveal": lambda scene: {"reveal_id": scene.reveal},
    "settings": lambda scene: {},
    "account_email": lambda scene: {},
    "account_change_password": lambda scene: {},
    "account_logout": lambda scene: {},
    "mfa_index": lambda scene: {},
    "mfa_activate_totp": lambda scene: {},
}
NO_PAGES = {
    "livez", "readyz", "metrics", "schema", "mcp", "memory-schema", "export-file", "set_language",  # for programs
    "api-docs",  # has a test of its own
    "review-quality-csv", "figures-csv", "activity-file", "own-rules-file",  # files
    "answer-several",  # begins with what was chosen; looked at below
    "invitation",  # comes with its token by mail; looked at in test_agents_and_people
    "farewell",  # of somebody who is no longer there; looked at in test_data
    # Steps of allauth on the way to something else, in its own templates and ours of their elements:
    "account_inactive", "account_reauthenticate", "account_request_reauthentication_code",
    "account_confirm_reauthentication_code", "account_email_verification_sent", "account_set_password",
    "account_confirm_login_code", "account_confirm_email", "account_reset_password_from_key_done",
    "account_reset_password_from_key", "account_reset_password_done", "mfa_authenticate", "mfa_reauthenticate",
    "mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes", "mfa_download_recovery_codes",
}  # fmt: skip


@pytest.fixture
def scene(acme: Company) -> Scene:
    """Rita, who may everything, with one of each thing that has a page."""
    with acme.entered():
        Membership.objects.filter(external_id="rita").update(roles=["reviewer", "auditor", "admin"])
        GroupMember.objects.filter(membership__external_id="rita").update(is_maintainer=True)
        Agent.objects.filter(slug="helper").update(owner=Membership.objects.get(external_id="rita"))
    acme.policy(confirm="inferred_only")
    rita = acme.by("relay", "rita")
    memory = rita.store(
        "先给结论，再说理由。", conditions="In reports", value={"a": 1}, evidence=rita.evidence(text="x")
    )
    rita.store("Read the harbour log first, then the weather; both before seven in the morning. " * 3)
    acme.rita.share(TEAM)
    receipt = rita.forget(rita.store("Soon gone."))
    held = acme.rita.hold("Guesses wait for a word of hers. 猜测要等她点头。", conditions="In reports", value={"a": 1})
    acme.alice.store("Wants short mails. 邮件要短。", conditions="On workdays")
    acme.rita.hold("Perhaps likes tables. 也许喜欢表格。")
    lesson = {"namespace": TEAM, "kind": "lesson", "valid_until": in_months()}
    proposed = acme.alice.propose("Read the log first.", **lesson)
    assert proposed.status_code == 202
    steps = {"steps": ["Open the receipt.", "比较金额。"], "stop_conditions": ["The receipt is missing."]}
    taught = {"kind": "procedure", "namespace": TEAM, "valid_until": in_months(), "evidence": "review", "value": steps}
    earlier = acme.rita.store("Check the receipt before a refund.", **taught)
    taught |= {"key": earlier["key"], "value": {**steps, "steps": ["Open the receipt.", "Ask for it."]}}
    procedure = acme.rita.store("Check the receipt before any refund.", **taught)
    talk = [{"id": "m1", "role": "user", "text": "From now on, please keep the notes short. 以后请用中文。"}]
    asked = rita.post("/extractions", {"messages": talk, "conversation": "talk"})
    assert asked.status_code in (200, 201, 202), asked.content
    person = acme.person("rita")
    hand_over(person, [entry("Import me.", "imported")], dry_run=True)
    assert person.post("/exports", {"format": "csv"}).status_code == 202
    sweep(acme)
    recalled = rita.recall("结论 first log")
    rita.post(f"/recalls/{recalled['recall_id']}/feedback", {"memory_id": memory["memory_id"], "verdict": "used"})
    with acme.entered():
        seen = actions.reveal(acme.principal("rita"), "alice", "law", "A court asked for it under file 17.")
        actions.reveal(acme.principal("adam"), "rita", "incident", "有人冒用了她的账号，必须查清他写了什么。")
    sweep(acme)
    with acme.entered():
        return SimpleNamespace(
            reveal=seen.pk,
            memory=memory["memory_id"],
            erasure=receipt["id"],
            candidate=held["candidate_id"],
            reviewed=proposed.json()["candidate_id"],
            entry=procedure["memory_id"],
            earlier=earlier["memory_id"],
            extraction=asked.json()["id"],
            key=AgentKey.objects.filter(agent__slug="helper").first().pk,
            person=Membership.objects.get(external_id="alice").pk,
            group=Group.objects.get(type="team", slug=TEAM["id"]).pk,
            webhook=Webhook.objects.create(
                url="https://example.com/hook", events=["entry.published"], salt="0" * 64
            ).pk,
            export=Export.objects.get().pk,
            imported=Import.objects.get().pk,
            evidence=Evidence.objects.filter(subject__external_id="rita", type="user_message").first().pk,
            agent=Agent.objects.get(slug="helper").pk,
            place=Namespace.objects.get(group__slug=TEAM["id"]).pk,
            company=acme,
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_page_is_sound_to_look_at(scene: Scene, live_server: Any, page: Page, language: str, scheme: Any) -> None:
    """And to listen to, and to handle."""
    url, found, complaints = live_server.url, {}, []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    speak(page.context, language, url)
    page.emulate_media(color_scheme=scheme)

    def look(name: str, path: str | None = None) -> None:
        if path is not None:
            answer = page.goto(f"{url}{path}")
            assert getattr(answer, "status", None) == (404 if name == "not-found" else 200), name
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            picture(page, f"{name}-{language}-{scheme}-{width}")
        said = f"{page.title()} {page.locator('h1').first.inner_text()}"
        unsaid = [f"no Chinese heading: {said}"] if language == "zh-hans" and not HAN.search(said) else []
        if wrong := faults(page) + unsaid:
            found[name] = wrong

    for name, address in BEFORE_SIGNING_IN.items():
        look(f"signed-out-{name}", reverse(name, kwargs=address(scene)))
    assert complaints == []
    look("not-found", "/nowhere/")
    complaints.clear()  # a browser says of a 404 that it was one
    sign_in(page, url, "rita@acme.example")
    page.goto(f"{url}{reverse('mfa_activate_totp')}")
    page.fill("[name=password]", PASSWORD)
    with page.expect_navigation():
        page.press("[name=password]", "Enter")
    assert page.evaluate("document.querySelector('img.code-image').naturalWidth") > 0
    for name, address in SIGNED_IN.items():
        look(name, reverse(name, kwargs=address(scene)))
    look("waiting-chosen", f"{reverse('waiting')}?choose=all")
    with page.expect_navigation():
        page.locator("#several button").first.click()
    look("several-chosen")
    assert complaints == []
    page.goto(f"{url}{reverse('enter-memory')}")
    page.evaluate("document.querySelector('main form').noValidate = true")
    with page.expect_navigation():
        page.locator("main form button").first.click()
    assert page.locator("[aria-invalid=true]").count() >= 1
    look("a-form-with-errors")
    assert not found, "\n".join(f"{name}: {one}" for name, faults_ in found.items() for one in faults_)


def test_no_page_is_left_out(scene: Scene) -> None:
    """What answers a reader has a place above."""
    client = Client()
    client.force_login(scene.company.member("rita").user)
    known = NO_PAGES | set(BEFORE_SIGNING_IN) | set(SIGNED_IN)
    missing = {
        name: path
        for name, path in _addresses(get_resolver())
        if name not in known and client.get(path).status_code != 405
    }
    assert missing == {}


def _addresses(resolver: URLResolver, within: str = "/") -> Iterator[tuple[str, str]]:
    """Each page's name and an address of it, of something that is not there."""
    for one in resolver.url_patterns:
        path = within + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from _addresses(one, path)
        elif isinstance(one, URLPattern) and not path.startswith(("/api/", "/management/")) and one.name:
            yield one.name, re.sub(r"<str:\w+>", "x", re.sub(r"<uuid:\w+>", str(uuid.UUID(int=0)), path))
