"""Provisioning: a document is carried out whole or not at all, and carried out again it changes nothing."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest
from cast import ACME, BETA, Caller, word
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import models

from accounts import departing, tenancy
from accounts.models import Agent, AgentGroup, AgentKey, AgentSubject, Group, GroupMember, Membership, Tenant, User
from accounts.secrets import parse_token
from memories.models import PolicyVersion

pytestmark = pytest.mark.django_db
COUNTED: tuple[type[models.Model], ...] = (
    Tenant, User, Membership, Group, GroupMember, Agent, AgentSubject, AgentGroup, AgentKey, PolicyVersion,
)  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Run the command on a document; its printed answer."""

    def run(*tenants: Any) -> dict[str, Any]:
        file = tmp_path / "document.json"
        file.write_text(json.dumps({"tenants": list(tenants)}), encoding="utf-8")
        out = io.StringIO()
        call_command("provision", str(file), stdout=out)
        return dict(json.loads(out.getvalue()))

    return run


def counts() -> dict[str, int]:
    return {
        model.__name__: getattr(model, "everywhere", model._default_manager).count()  # type: ignore[attr-defined]
        for model in COUNTED
    }


def test_new_secrets_are_printed_once(run: Any) -> None:
    answer = run(ACME, BETA)
    assert set(answer["keys"]) == {
        f"{tenant['slug']}/{agent['slug']}/{key['name']}"
        for tenant in (ACME, BETA)
        for agent in tenant["agents"]
        for key in agent["keys"]
    }
    assert all(parse_token(secret) for secret in answer["keys"].values())
    assert answer["people"]["acme/alice"] == "alice@acme.example"
    before = counts()
    assert run(ACME, BETA)["keys"] == {}
    assert counts() == before
    caller = Caller(answer["keys"]["acme/helper/runtime"], "alice")
    assert caller.post("/recall", {"query": "x"}).status_code == 200


def test_rights_are_set_to_what_the_document_says(run: Any) -> None:
    """What people may do and where they belong follows the document; what it does not name stays."""
    run(ACME)
    changed = copy.deepcopy(ACME)
    changed["people"][0]["roles"] = ["member", "reviewer"]
    changed["teams"] = [{"slug": "support", "members": ["rita"], "maintainers": ["adam"]}]
    helper = changed["agents"][0]
    helper["acts_for"], helper["teams"], helper["projects"] = ["rita"], [], ["atlas"]
    helper["keys"] = [{"name": "runtime", "scopes": ["memory:recall"]}]
    assert run(changed)["keys"] == {}
    with tenancy.entered(Tenant.objects.get(slug="acme").pk):
        assert Membership.objects.get(external_id="alice").roles == ["member", "reviewer"]
        team = Group.objects.get(slug="support")
        assert set(team.members.values_list("external_id", flat=True)) == {"rita", "adam"}
        assert team.memberships.get(is_maintainer=True).membership.external_id == "adam"
        agent = Agent.objects.get(slug="helper")
        assert agent.acts_for_everyone is False
        assert list(agent.acts_for.values_list("external_id", flat=True)) == ["rita"]
        assert list(agent.groups.values_list("slug", flat=True)) == ["atlas"]
        assert AgentKey.objects.get(agent=agent, name="runtime").scopes == ["memory:recall"]
        assert AgentKey.objects.filter(agent=agent, name="relay", revoked_at=None).exists()
        assert Group.objects.filter(slug="night").exists()


def test_a_revoked_key_is_replaced_by_a_new_one(run: Any) -> None:
    from django.utils import timezone

    first = run(BETA)["keys"]["beta/helper/runtime"]
    with tenancy.entered(Tenant.objects.get(slug="beta").pk):
        AgentKey.objects.filter(name="runtime").update(revoked_at=timezone.now())
    second = run(BETA)["keys"]["beta/helper/runtime"]
    assert second != first
    assert Caller(first, "bob").post("/recall", {"query": "x"}).status_code == 401
    assert Caller(second, "bob").post("/recall", {"query": "x"}).status_code == 200


def _without(document: dict[str, Any], *path: Any) -> dict[str, Any]:
    part: Any = document
    for name in path[:-1]:
        part = part[name]
    del part[path[-1]]
    return document


def _with(document: dict[str, Any], value: Any, *path: Any) -> dict[str, Any]:
    part: Any = document
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("break_it", "place"),
    [
        (lambda one: _without(one, "slug"), "tenants.1"),
        (lambda one: _with(one, "Not A Slug", "slug"), "tenants.1.slug"),
        (lambda one: _with(one, 1, "colour"), "tenants.1"),
        (lambda one: _with(one, ["emperor"], "people", 0, "roles"), "tenants.1.people.0.roles.0"),
        (lambda one: _with(one, "no mail", "people", 0, "email"), "tenants.1.people.0.email"),
        (lambda one: _with(one, ["nobody"], "teams", 0, "members"), "tenants.1.teams.0.members"),
        (lambda one: _with(one, "nobody", "agents", 0, "owner"), "tenants.1.agents.0.owner"),
        (lambda one: _with(one, ["nobody"], "agents", 0, "acts_for"), "tenants.1.agents.0.acts_for"),
        (lambda one: _with(one, ["nowhere"], "agents", 0, "teams"), "tenants.1.agents.0.teams"),
        (lambda one: _with(one, ["everything"], "agents", 0, "keys", 0, "scopes"), "tenants.1.agents.0.keys.0.scopes"),
        (lambda one: _with(one, {"confirm": "whenever"}, "policy"), "tenants.1.policy"),
        (lambda one: _with(one, {"no_such_field": 1}, "policy"), "tenants.1.policy"),
    ],
)
def test_a_mistake_is_named_by_its_place_and_nothing_is_made(run: Any, break_it: Any, place: str) -> None:
    """R-293: not even the good tenant before it."""
    before = counts()
    with pytest.raises(CommandError) as refused:
        run(BETA, break_it(copy.deepcopy(ACME)))
    assert str(refused.value).startswith(place), refused.value
    assert counts() == before
    assert len(run(BETA, ACME)["keys"]) > 0


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"tenants": 1}', '{"tenant": []}'])
def test_a_file_that_is_no_document_is_an_error(tmp_path: Path, content: str) -> None:
    file = tmp_path / "document.json"
    file.write_text(content)
    with pytest.raises(CommandError):
        call_command("provision", str(file), stdout=io.StringIO())
    with pytest.raises(CommandError):
        call_command("provision", str(tmp_path / "absent.json"), stdout=io.StringIO())


def test_a_policy_is_versioned_and_the_same_is_no_new_version(run: Any) -> None:
    def versions() -> list[tuple[int, bool]]:
        with tenancy.entered(Tenant.objects.get(slug="beta").pk):
            return list(PolicyVersion.objects.order_by("version").values_list("version", "is_active"))

    run({**BETA, "policy": {"confirm": "always"}})
    run({**BETA, "policy": {"confirm": "always"}})
    assert versions() == [(1, True)]
    run({**BETA, "policy": None})
    assert versions() == [(1, False), (2, True)]


def test_a_password_is_set_for_those_who_have_none_and_never_changed(run: Any) -> None:
    document = copy.deepcopy(BETA)
    run(document)
    assert not User.objects.get(email="bob@beta.example").has_usable_password()
    first, second = f"first {word()}", f"second {word()}"
    document["people"][0]["password"] = first
    run(document)
    document["people"][0]["password"] = second
    answer = run(document)
    user = User.objects.get(email="bob@beta.example")
    assert user.check_password(first)
    assert not user.check_password(second)
    assert first not in json.dumps(answer)


def test_one_person_in_two_companies_signs_in_once(run: Any) -> None:
    shared = copy.deepcopy(BETA)
    shared["people"][1]["email"] = "ALICE@acme.example"
    run(ACME, shared)
    user = User.objects.get(email="alice@acme.example")
    assert Membership.everywhere.filter(user=user).count() == 2


def test_an_agent_whose_owner_left_runs_again_under_a_new_one(run: Any) -> None:
    key = run(ACME)["keys"]["acme/helper/runtime"]
    with tenancy.entered(Tenant.objects.get(slug="acme").pk):
        departing.forget_person(Membership.objects.get(external_id="adam"))
    assert Caller(key, "alice").get("/memories").status_code == 401
    document = copy.deepcopy(ACME)
    document["people"] = [one for one in document["people"] if one["external_id"] != "adam"]
    document["projects"] = []
    for agent in document["agents"]:
        agent["owner"], agent["projects"] = "rita", []
    made = run(document)["keys"]
    assert Caller(key, "alice").get("/memories").status_code == 401
    assert Caller(made["acme/helper/runtime"], "alice").get("/memories").status_code == 200
