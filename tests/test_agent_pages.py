"""A person's own agents and the developer's first steps: what the pages do, and what a key then opens."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cast import USER, Caller, Cast, Company, now, sentence, word
from django.test import Client
from test_pages import checked, page

from accounts import calls, departing
from accounts.models import Agent, AgentDay, AgentKey, ApiCall, AuditEvent, Membership
from memoryhub import sweeping

SCOPES = ["memory:recall", "memory:read", "memory:propose", "evidence:attest"]


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


def connect(client: Client, path: str = "/agents/new/", **fields: Any) -> str:
    """The secret of a new agent's key, from the one page that shows it."""
    response = client.post(path, {"name": f"Helper {word()}", "scopes": SCOPES} | fields)
    assert response.status_code == 201
    return re.findall(r"mh_k[0-9a-f]{12}_[0-9a-f]{64}", checked(response))[0]


def newest(acme: Company) -> Agent:
    with acme.entered():
        return Agent.objects.order_by("-pk")[0]


def events(acme: Company, agent: Agent) -> list[str]:
    with acme.entered():
        return list(AuditEvent.objects.filter(target_id=agent.pk).order_by("pk").values_list("action", flat=True))


def test_a_new_agent_acts_for_its_owner_alone_and_its_key_is_shown_once(acme: Company, alice: Client) -> None:
    secret = connect(alice)
    agent = newest(acme)
    listed = page(alice, "/agents/")
    assert secret not in listed
    assert agent.name in listed
    memory = Caller(secret).store(sentence())
    assert Caller(secret, "alice").memory(memory["memory_id"]).status_code == 200
    assert Caller(secret, "paul").get("/memories").status_code == 404
    forbidden = Caller(secret).call("DELETE", f"/memories/{memory['memory_id']}")
    assert forbidden.json()["code"] == "missing_scope"
    with acme.entered():
        assert AgentKey.objects.get(agent=agent).scopes == sorted(SCOPES)
    assert events(acme, agent) == ["agent.create"]


@pytest.mark.parametrize("scopes", [[], ["audit:read"], ["evidence:attest_review"], ["no:such"]])
def test_nobody_gives_an_agent_what_is_not_theirs_to_give(acme: Company, alice: Client, scopes: list[str]) -> None:
    with acme.entered():
        before = Agent.objects.count()
    for path in ("/agents/new/", "/developers/"):
        refused = alice.post(path, {"name": "Helper", "scopes": scopes})
        assert refused.status_code == 400
        assert 'id="id_scopes_error"' in checked(refused)
    with acme.entered():
        assert Agent.objects.count() == before


def test_a_paused_agent_is_refused_at_its_next_call_until_it_is_resumed(acme: Company, alice: Client) -> None:
    caller, agent = Caller(connect(alice)), newest(acme)
    assert caller.get("/memories").status_code == 200
    alice.post(f"/agents/{agent.pk}/pause/")
    assert caller.get("/memories").status_code == 401
    assert "1 time in 30 days" in page(alice, "/agents/")
    alice.post(f"/agents/{agent.pk}/resume/")
    assert caller.get("/memories").status_code == 200
    assert events(acme, agent) == ["agent.create", "agent.pause", "agent.resume"]


@pytest.mark.parametrize(("at_once", "old_status"), [({}, 200), ({"at_once": "on"}, 401)])
def test_a_new_key_has_the_rights_of_the_old_one(
    acme: Company, alice: Client, at_once: dict[str, str], old_status: int
) -> None:
    old, agent = Caller(connect(alice)), newest(acme)
    page(alice, f"/agents/{agent.pk}/key/")
    new = Caller(connect(alice, f"/agents/{agent.pk}/key/", **at_once))
    assert new.get("/memories").status_code == 200
    assert old.get("/memories").status_code == old_status


def test_an_ended_agent_never_calls_again(acme: Company, alice: Client) -> None:
    caller, agent = Caller(connect(alice)), newest(acme)
    memory = caller.store()
    assert "for good" in page(alice, f"/agents/{agent.pk}/end/")
    assert caller.get("/memories").status_code == 200
    alice.post(f"/agents/{agent.pk}/end/")
    assert caller.get("/memories").status_code == 401
    assert alice.post(f"/agents/{agent.pk}/resume/").status_code == 409
    assert alice.post(f"/agents/{agent.pk}/key/").status_code == 409
    assert acme.alice.memory(memory["memory_id"]).status_code == 200
    assert "ended for good" in page(alice, "/agents/")


def test_nobody_touches_the_agent_of_another(cast: Cast) -> None:
    connect(cast.acme.person("alice").client)
    agent = newest(cast.acme)
    with cast.acme.entered():
        key = AgentKey.objects.get(agent=agent)
    for company, name in ((cast.acme, "paul"), (cast.acme, "adam"), (cast.beta, "alice")):
        client = company.person(name).client
        for what in ("pause", "resume", "key", "end"):
            assert client.post(f"/agents/{agent.pk}/{what}/").status_code == 404
        assert client.get(f"/agents/keys/{key.pk}/").status_code == 404
        assert agent.name not in page(client, "/agents/")
    assert newest(cast.acme).is_active


def test_the_agents_of_someone_who_left_or_was_forgotten_stop(acme: Company, alice: Client) -> None:
    """An agent has someone who answers for it, or it does not run."""
    own = Caller(connect(alice))
    shared, key = acme.by("runtime", "paul"), {"namespace": USER, "kind": "preference"}
    assert own.get("/memories").status_code == shared.get("/memories").status_code == 200
    with acme.entered():
        Membership.objects.filter(external_id="adam").update(is_active=False)
    assert shared.get("/memories").status_code == 401
    delegated = acme.by("runtime", "alice", agent="solo")
    minted = delegated.post("/delegations", {"subject": "alice", "scopes": ["memory:read"]}).json()["token"]
    assert Caller(minted).get("/memories").status_code == 200
    with acme.entered():
        departing.forget_person(Membership.objects.get(external_id="alice"))
    for caller in (own, delegated, Caller(minted)):
        assert caller.post("/proposals", key).status_code == 401
    with acme.entered():
        assert not Agent.objects.filter(owner__external_id__startswith="forgotten", is_active=True).exists()
        assert not AgentKey.objects.filter(agent__name__startswith="Helper ", revoked_at=None).exists()
        assert not Agent.objects.filter(name__startswith="Helper ").exists()


# --- the first call, and the log of calls ----------------------------------------------------------------------------


def test_the_page_turns_green_when_the_first_call_arrives(acme: Company, alice: Client) -> None:
    response = alice.post("/developers/", {"name": "First", "scopes": SCOPES})
    html = checked(response)
    secret = re.findall(r"mh_k[0-9a-f]{12}_[0-9a-f]{64}", html)[0]
    assert html.count(secret) == 1
    assert "http://testserver/mcp" in html
    assert "Client.from_environment" in html
    waiting = re.findall(r'href="(/agents/keys/[0-9a-f-]{36}/)"', html)[0]
    assert "Waiting for the first call" in page(alice, waiting)
    memory = Caller(secret).store()
    green = page(alice, waiting)
    assert "The first call has arrived" in green
    assert "hx-get" not in green.split("<main")[1].split('id="first-call"')[1].split(">")[0]
    Caller(secret).post("/proposals", {})
    with acme.entered():
        called = list(ApiCall.objects.order_by("pk").values_list("method", "route", "status", "scope", "code"))
    assert called[-2:] == [
        ("POST", "api/v1/proposals", 201, "memory:propose", ""),
        ("POST", "api/v1/proposals", 400, "memory:propose", "invalid_input"),
    ]
    log = page(alice, "/developers/calls/")
    assert "invalid_input" in log
    assert memory["statement"] not in log
    assert "invalid_input" not in page(acme.person("paul").client, "/developers/calls/")


def test_a_first_memory_made_by_one_call_is_one_click_away(acme: Company, alice: Client) -> None:
    secret = connect(alice)
    body = Caller(secret).proposal(evidence=None)
    body["evidence"] = {"type": "user_message", "ref": "message_1", "occurred_at": "2026-01-01T00:00:00Z"}
    memory = Caller(secret).post("/proposals", body).json()["memory"]
    with acme.entered():
        key = AgentKey.objects.order_by("-pk")[0]
    assert f"/memories/{memory['memory_id']}/" in page(alice, f"/agents/keys/{key.pk}/")


def test_calls_are_few_and_old_ones_leave(acme: Company, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "SHOWN", 3)
    caller, agent = Caller(connect(alice)), newest(acme)
    for _ in range(5):
        caller.get("/memories")
    caller.recall("summary")
    with acme.entered():
        key = AgentKey.objects.get(agent=agent)
        newest_three = list(ApiCall.objects.filter(key_id=key.pk).order_by("-pk").values_list("pk", flat=True)[:3])
    swept = sweeping.sweep_tenant(acme.tenant, now(), ("accounts.calls.drop_old",))
    assert not swept.failed
    with acme.entered():
        assert list(ApiCall.objects.filter(key_id=key.pk).order_by("-pk").values_list("pk", flat=True)) == newest_three
        day = AgentDay.objects.get(agent=agent)
        assert (day.reads, day.writes, day.refused) == (6, 0, 0)
    sweeping.sweep_tenant(acme.tenant, now(days=8), ("accounts.calls.drop_old",))
    with acme.entered():
        assert not ApiCall.objects.filter(key_id=key.pk).exists()


def test_a_log_that_cannot_be_written_stops_no_call(
    acme: Company, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = Caller(connect(alice))

    def broken(batch: object) -> None:
        raise calls.DatabaseError

    monkeypatch.setattr(calls, "_write", broken)
    assert caller.get("/memories").status_code == 200


# --- trying a recall -------------------------------------------------------------------------------------------------


def test_the_playground_shows_what_comes_back_and_what_does_not(acme: Company, alice: Client) -> None:
    """R-164: the page asks the same verb as an agent, so it shows no more than the person may see."""
    mark = word()
    memory = acme.alice.store(sentence(mark))
    foreign = acme.paul.store(sentence(mark))
    page(alice, "/developers/recall/")
    asked = {"query": f"{mark} summary", "mode": "generous", "namespace": "user:alice", "token_budget": "500"}
    html = checked(alice.post("/developers/recall/", asked))
    assert memory["statement"] in html
    assert memory["memory_id"] in html
    assert "[memory context]" in html or "### Memory context" in html
    assert f'"query": "{mark} summary"' in html.replace("&quot;", '"')
    assert foreign["memory_id"] not in html
    cheap = checked(alice.post("/developers/recall/", asked | {"token_budget": "1"}))
    assert "no room left" in cheap
    past = checked(alice.post("/developers/recall/", asked | {"as_of": "2001-01-01"}))
    assert "Nothing relevant was found" in past
    for wrong in ({"query": ""}, {"namespace": "team:nobody"}, {"token_budget": "-1"}, {"mode": "odd"}):
        assert alice.post("/developers/recall/", asked | wrong).status_code == 400


def test_a_problem_page_exists_for_every_code_in_both_languages(db: None) -> None:
    assert "agent_ended" in page(Client(), "/problems/agent_ended/")
    assert "智能体" in page(Client(), "/problems/agent_ended/", "zh-hans")
