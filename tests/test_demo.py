"""The demo can be run again and again beside anybody's data, prints what works, and its story is really checked."""

from __future__ import annotations

import io
import os
import re
import shlex
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cast import Cast
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts import tenancy
from accounts.models import Tenant, User
from accounts.provisioning import provision_tenant
from memories.models import Candidate, Memory
from memoryhub import sweeping
from memoryhub.demo import company, page, seeding, story

README = Path(__file__).resolve().parent.parent / "README.md"


@pytest.fixture
def file(tmp_path: Path, crowd: Cast, settings: Any) -> Path:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # Argon2 is slow on purpose
    return tmp_path / "demo.json"


def rows_of(*slugs: str) -> Mapping[str, list[tuple[Any, ...]]]:
    """Every row of these tenants, and every user."""
    ids = Tenant.objects.filter(slug__in=slugs).values("pk")
    models = [model for model in apps.get_models() if hasattr(model, "everywhere")]
    found = {
        model._meta.label: sorted(model.everywhere.filter(tenant_id__in=ids).values_list(), key=str) for model in models
    }
    return found | {"users": sorted(User.objects.values_list("pk", "email", "password"), key=str)}


def states() -> dict[str, int]:
    with tenancy.entered(Tenant.objects.get(slug=company.SLUG).pk):
        memories = Memory.objects.values_list("status", flat=True)
        waiting = Candidate.objects.filter(status="pending").values_list("awaiting", flat=True)
        found = [*memories, *(f"waits for {one}" for one in waiting)]
    return {name: found.count(name) for name in sorted(set(found))}


EXPECTED = {"active": 8, "deleted": 1, "superseded": 1, "waits for owner": 2, "waits for reviewer": 1}


# --- the company ------------------------------------------------------------------------------------------------------


def test_the_demo_is_made_once_and_printed_every_time(file: Path) -> None:
    """R-119: what is there stays as it is."""
    before = rows_of("acme", "beta")
    first = seeding.prepare(file)
    assert states() == EXPECTED
    made = rows_of(company.SLUG)
    assert seeding.prepare(file) == first
    assert rows_of(company.SLUG) == made
    after = rows_of("acme", "beta")
    assert {name: rows for name, rows in after.items() if name != "users"} == {
        name: rows for name, rows in before.items() if name != "users"
    }
    assert set(before["users"]) <= set(after["users"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, "only this user may read the sign-ins"
    person = company.PEOPLE[0]
    assert User.objects.get(email=person.email).check_password(first.passwords[person.name])


def test_invented_people_are_told_in_the_pages_and_get_no_mail(file: Path, mailoutbox: list[Any]) -> None:
    """Where mails are printed, they would bury the sign-ins."""
    seeding.prepare(file)
    steps = ("reviews.tasks.gather_notices", "reviews.tasks.mail_notices")
    (swept,) = sweeping.sweep(timezone.now(), slug=company.SLUG, steps=steps)
    assert swept.counts["notices_made"] > 0
    assert mailoutbox == []


def test_a_demo_that_was_interrupted_is_finished(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(seeding, "_agree", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            seeding.prepare(file)
    assert seeding.prepare(file).complete
    assert states() == EXPECTED


def test_a_tenant_of_that_name_that_is_not_ours_is_left_alone(file: Path) -> None:
    provision_tenant({"slug": company.SLUG, "people": [{"external_id": "zoe", "email": "zoe@zoe.example"}]}, "")
    before = rows_of(company.SLUG)
    out = io.StringIO()
    page.show(seeding.prepare(file), timezone.now(), out)
    assert rows_of(company.SLUG) == before
    assert not file.exists()
    assert "Nothing was changed" in " ".join(out.getvalue().split())


def test_the_printed_calls_and_pages_work_as_they_stand(file: Path) -> None:
    out = io.StringIO()
    page.show(seeding.prepare(file), timezone.now(), out)
    printed = [line for line in out.getvalue().splitlines() if line.startswith("curl ")]
    answers = [carried_out(shlex.split(line)) for line in printed]
    assert [answer.status_code for answer in answers] == [201, 200, 200]
    proposed, recalled, listed = (answer.json() for answer in answers)
    assert proposed["decision"] == "store"
    assert "picking_list" in [item["key"] for item in recalled["items"]]
    assert {"tone", "picking_list", "units"} <= {item["key"] for item in listed["items"]}
    reviewer = Client()
    reviewer.force_login(User.objects.get(email=company.PEOPLE[2].email))
    pages = [line.split()[0] for line in out.getvalue().splitlines() if line.startswith("http")]
    paths = [address.removeprefix(settings.MEMORYHUB_BASE_URL) for address in pages]
    assert {path: reviewer.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)
    assert len(paths) == len(page.PAGES)


def test_the_calls_of_readme_work_as_they_stand_there(file: Path) -> None:
    block = re.search(r"^```\n(curl .*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert block
    # A shell tells with which words it would start curl.
    script = "curl() { printf '%s\\0' \"$@\"; printf '\\1\\0'; }\n" + block[1]
    surroundings = os.environ | {"KEY": seeding.prepare(file).key}
    told = subprocess.run(["bash", "-c", script], env=surroundings, capture_output=True, check=True)  # noqa: S603, S607
    calls = [call.split("\0")[:-1] for call in told.stdout.decode().split("\1\0")[:-1]]
    proposed, recalled, listed = (carried_out(words).json() for words in calls)
    assert proposed["decision"] == "store"
    assert "picking_list" in [item["key"] for item in recalled["items"]]
    assert "friendly" in [item["value"] for item in listed["items"]]


def carried_out(words: list[str]) -> Any:
    """What curl would do with these words, inside this process."""
    headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
    body = words[words.index("-d") + 1] if "-d" in words else ""
    address = next(word for word in words if word.startswith(settings.MEMORYHUB_BASE_URL))
    path = address.removeprefix(settings.MEMORYHUB_BASE_URL)
    method = words[words.index("-X") + 1] if "-X" in words else "POST" if body else "GET"
    return Client().generic(method, path, body, "application/json", headers=headers)


# --- the story --------------------------------------------------------------------------------------------------------


def test_the_story_plays_beside_other_data(crowd: Cast) -> None:
    """R-118: save, search, update, reopen, another user sees nothing, delete, then none."""
    before = rows_of("acme", "beta")
    out = io.StringIO()
    call_command("demo", play=True, here=True, stdout=out)
    assert f"all {len(story.STEPS)} steps are right" in out.getvalue()
    after = rows_of("acme", "beta")
    assert {name: rows for name, rows in after.items() if name != "users"} == {
        name: rows for name, rows in before.items() if name != "users"
    }


def test_every_expectation_of_every_step_is_checked(crowd: Cast) -> None:
    assert all(step.expect for step in story.STEPS)
    wrong = [replace(step, expect=dict.fromkeys(step.expect, "another answer")) for step in story.STEPS]
    out = io.StringIO()
    assert story.play(out, wrong) == len(story.STEPS)
    for step in story.STEPS:
        for name in step.expect:
            assert f"'{name}': 'another answer'" in out.getvalue()


def test_one_wrong_expectation_fails_the_command(crowd: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    steps, at = list(story.STEPS), 18
    name = next(iter(steps[at].expect))
    steps[at] = replace(steps[at], expect={**steps[at].expect, name: "another answer"})
    monkeypatch.setattr(story.play, "__defaults__", (tuple(steps),))
    with pytest.raises(CommandError, match="1 steps"):
        call_command("demo", play=True, here=True, stdout=io.StringIO())


def test_a_gate_that_lets_a_secret_through_fails_the_story(crowd: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-296: what fails is the service, not only the script."""
    from memories import write_gate

    rules = tuple(rule for rule in write_gate._RULES if rule is not write_gate._sensitivity)
    monkeypatch.setattr(write_gate, "_RULES", rules)
    out = io.StringIO()
    assert story.play(out) >= 1
    assert "✗ 11" in out.getvalue()
