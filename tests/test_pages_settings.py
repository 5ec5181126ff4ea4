"""A person's own settings: language, colours, time zone, personal tokens and the organisation they work in."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from cast import Caller, Cast, Company, sentence, word
from django.test import Client
from django.test.client import RequestFactory
from test_pages import checked, page

from accounts import tokens
from accounts.errors import Forbidden
from accounts.models import AuditEvent, Membership, PersonalToken
from accounts.pages import problem_page
from memories.models import Memory

READ = ["memory:read", "memory:recall"]


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


def new_token(client: Client, **fields: Any) -> Any:
    return client.post("/settings/tokens/", {"name": "backup script", "scopes": READ, "days": "30"} | fields)


def secret_in(html: str) -> str:
    return re.findall(r"mh_p[0-9a-f]{12}_[0-9a-f]{64}", html)[0]


def made(acme: Company) -> list[PersonalToken]:
    with acme.entered():
        return list(PersonalToken.objects.order_by("pk"))


# --- language and colours --------------------------------------------------------------------------------------------


def test_a_chosen_language_stays_with_the_person(acme: Company, alice: Client) -> None:
    response = alice.post("/settings/language/", {"language": "zh-hans", "next": "/help/"})
    assert (response.status_code, response["Location"]) == (302, "/help/")
    assert acme.member("alice").user.language == "zh-hans"
    assert "你的记忆一览" in checked(alice.get("/"), "zh-hans")
    elsewhere = acme.person("alice").client
    assert "你的记忆一览" in checked(elsewhere.get("/"), "zh-hans")
    assert "Your memory at a glance" in page(elsewhere, "/", "en")


def test_a_visitor_may_choose_a_language_too_but_no_unknown_one(db: None) -> None:
    visitor = Client()
    visitor.post("/settings/language/", {"language": "zh-hans"})
    assert "智能体的记忆" in checked(visitor.get("/"), "zh-hans")
    visitor.post("/settings/language/", {"language": "xx"})
    assert "智能体的记忆" in checked(visitor.get("/"), "zh-hans")


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
@pytest.mark.parametrize("switch", ["language", "theme", "keys"])
def test_a_switch_leads_to_no_other_site(db: None, switch: str, address: str) -> None:
    given = {"language": "en", "theme": "dark", "keys": "off", "next": address}
    response = Client().post(f"/settings/{switch}/", given)
    assert (response.status_code, response["Location"]) == (302, "/")


def test_colours_are_kept_and_only_known_ones(db: None) -> None:
    visitor = Client()
    assert "data-theme" not in page(visitor, "/")
    visitor.post("/settings/theme/", {"theme": "dark", "next": "/help/"})
    assert ' data-theme="dark"' in page(visitor, "/")
    visitor.cookies["memoryhub_theme"] = '"><b>'
    assert "data-theme" not in page(visitor, "/")


def test_single_keys_can_be_turned_off(acme: Company, alice: Client) -> None:
    assert "data-keys" not in page(alice, "/settings/")
    alice.post("/settings/keys/", {"keys": "maybe"})
    assert "data-keys" not in page(alice, "/settings/")
    alice.post("/settings/keys/", {"keys": "off", "next": "/settings/"})
    assert ' data-keys="off"' in page(alice, "/settings/")


# --- time ------------------------------------------------------------------------------------------------------------


def test_the_time_zone_is_kept_and_times_are_shown_in_it(acme: Company, alice: Client) -> None:
    memory = acme.alice.store()
    assert alice.post("/settings/time-zone/", {"time_zone": "Asia/Shanghai"}).status_code == 302
    assert acme.member("alice").time_zone == "Asia/Shanghai"
    with acme.entered():
        Memory.objects.filter(pk=memory["memory_id"]).update(updated_at=datetime(2031, 1, 1, 20, 30, tzinfo=UTC))
        assert AuditEvent.objects.filter(action="person.time_zone").count() == 1
    html = page(alice, f"/memories/{memory['memory_id']}/")
    assert "Jan. 2, 2031, 4:30 a.m.</time>" in html
    assert 'datetime="2031-01-01T20:30:00+00:00"' in html
    refused = alice.post("/settings/time-zone/", {"time_zone": "Mars/Olympus"})
    assert refused.status_code == 400
    assert 'id="id_time_zone_error"' in checked(refused)
    assert acme.member("alice").time_zone == "Asia/Shanghai"


# --- tokens ----------------------------------------------------------------------------------------------------------


def test_a_token_is_shown_once_and_carries_only_its_scopes(acme: Company, alice: Client) -> None:
    memory = acme.alice.store()
    response = new_token(alice)
    assert response.status_code == 201
    secret = secret_in(checked(response))
    listed = page(alice, "/settings/")
    assert secret not in listed
    assert made(acme)[0].prefix in listed
    script = Caller(secret)
    assert script.memory(memory["memory_id"]).status_code == 200
    assert script.call("DELETE", f"/memories/{memory['memory_id']}").json()["code"] == "missing_scope"


def test_a_token_names_its_scopes_and_cannot_exceed_its_person(acme: Company, alice: Client) -> None:
    for scopes in ([], ["evidence:attest"], ["audit:read"], ["no:such"]):
        refused = new_token(alice, scopes=scopes)
        assert refused.status_code == 400
        assert 'id="id_scopes_error"' in checked(refused)
    assert new_token(alice, name="", days="9999").status_code == 400
    assert made(acme) == []
    assert "audit:read" in page(acme.person("adam").client, "/settings/")
    assert new_token(acme.person("adam").client, scopes=["audit:read"]).status_code == 201


def test_a_revoked_token_opens_nothing(acme: Company, alice: Client) -> None:
    secret = secret_in(checked(new_token(alice)))
    token = made(acme)[0]
    assert Caller(secret).get("/memories").status_code == 200
    response = alice.post(f"/settings/tokens/{token.pk}/revoke/", follow=True)
    assert "The token is revoked" in checked(response)
    assert Caller(secret).get("/memories").status_code == 401
    assert alice.post(f"/settings/tokens/{token.pk}/revoke/").status_code == 404


def test_nobody_revokes_the_token_of_another(cast: Cast) -> None:
    new_token(cast.acme.person("alice").client)
    token = made(cast.acme)[0]
    for company, name in ((cast.acme, "paul"), (cast.acme, "adam"), (cast.beta, "alice")):
        assert company.person(name).client.post(f"/settings/tokens/{token.pk}/revoke/").status_code == 404
    assert made(cast.acme)[0].revoked_at is None


def test_a_token_makes_no_tokens(acme: Company, alice: Client) -> None:
    new_token(alice)
    by_token = replace(acme.principal("alice"), credential_id=made(acme)[0].pk)
    with acme.entered(), pytest.raises(Forbidden):
        tokens.create(by_token, "another", READ, None)
    assert len(made(acme)) == 1


# --- organisations ---------------------------------------------------------------------------------------------------


def test_a_person_of_two_organisations_chooses_one(cast: Cast) -> None:
    user = cast.acme.member("alice").user
    with cast.beta.entered():
        second = Membership.objects.create(user=user, external_id="alice-too", roles=["member"])
    mark = word()
    cast.beta.by("runtime", "alice-too").store(sentence(mark))
    client = cast.acme.person("alice").client
    assert str(second.pk) in page(client, "/settings/")
    assert mark not in page(client, "/memories/")
    assert client.post("/settings/organisation/", {"membership": second.pk}).status_code == 302
    assert mark in page(client, "/memories/")


def test_nobody_chooses_an_organisation_they_are_not_in(cast: Cast) -> None:
    client = cast.acme.person("alice").client
    other = cast.beta.member("alice")
    for chosen in (other.pk, "nonsense", ""):
        assert client.post("/settings/organisation/", {"membership": chosen}).status_code == 404
    assert "Organisation" not in re.findall(r"<h2[^>]*>([^<]*)</h2>", page(client, "/settings/"))


def test_an_error_page_tells_code_and_request_but_no_input(db: None) -> None:
    request = RequestFactory().get("/")
    request.request_id = "0123456789abcdef"
    response = problem_page(request, Forbidden("Only a reviewer may open this page.", code="not_a_reviewer"))
    html = str(response.content, "utf-8")
    assert response.status_code == 403
    for words in ("Only a reviewer may open this page.", "not_a_reviewer", "0123456789abcdef"):
        assert words in html
