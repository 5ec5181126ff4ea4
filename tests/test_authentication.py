"""Keys, people, delegations: who is calling, for whom, with which rights, and how each right ends at once."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from cast import ABSENT, USER, Caller, Company, new_key, now, sentence, word
from django.utils import timezone

from accounts import keys
from accounts.authentication import LAST_USE_RESOLUTION
from accounts.models import Agent, AgentKey, AgentSubject, Delegation, Membership, PersonalToken
from accounts.principals import PERSON_SCOPES, Scope, system
from accounts.secrets import new_token, parse_token
from memories.models import Memory


def works(caller: Caller) -> bool:
    """Whether the credential opens anything; a credential that does not answers 401."""
    status = caller.post("/recall", {"query": "summary"}).status_code
    assert status in (200, 401)
    return bool(status == 200)


def key_row(acme: Company, name: str = "runtime") -> Any:
    return AgentKey.objects.filter(agent__slug="helper", name=name)


# --- agent keys ------------------------------------------------------------------------------------------------------


def test_only_a_digest_of_a_key_is_stored(acme: Company) -> None:
    """R-228, T9: what the database holds opens nothing."""
    token = parse_token(acme.keys["acme/helper/runtime"])
    assert token is not None
    with acme.entered():
        row = key_row(acme).get()
    stored = json.dumps({field.name: str(getattr(row, field.attname)) for field in row._meta.concrete_fields})
    assert token.secret not in stored
    assert not works(Caller(f"mh_{row.prefix}_{row.digest}", "alice"))
    assert token.secret not in repr(token)


@pytest.mark.parametrize(
    "mangle",
    [
        lambda token: token[:-1] + ("0" if token[-1] != "0" else "1"),
        lambda token: token + "0",
        lambda token: token[:-1],
        lambda token: token.upper(),
        lambda token: token.replace("mh_", "", 1),
        lambda token: token.replace("_", "-"),
        lambda token: f" {token} x",
        lambda token: token.replace("mh_k", "mh_d", 1),
        lambda token: token.replace("mh_k", "mh_p", 1),
        lambda token: "",
        lambda token: "ä" * 20,
        lambda token: "mh_k_" + "0" * 5000,
    ],
)
def test_a_key_is_taken_whole_and_by_the_letter(acme: Company, mangle: Any) -> None:
    token = acme.keys["acme/helper/runtime"]
    assert works(Caller(token, "alice"))
    assert not works(Caller(None, "alice", client=acme.alice.client))
    response = acme.alice.call("POST", "/recall", {"query": "x"}, {"Authorization": f"Bearer {mangle(token)}"})
    assert response.status_code == 401


def test_a_key_in_another_place_is_no_key(acme: Company) -> None:
    token = acme.keys["acme/helper/runtime"]
    nobody = Caller()
    nobody.client.cookies["Authorization"] = f"Bearer {token}"
    assert not works(nobody)
    for header in (f"Basic {token}", f"Token {token}", token, "Bearer"):
        response = nobody.call("POST", "/recall", {"query": "x"}, {"Authorization": header})
        assert response.status_code == 401
    assert nobody.get("/memories", token=token, access_token=token).status_code == 401


def test_a_revoked_an_expired_and_a_retired_agents_key_open_nothing(acme: Company) -> None:
    """Each way in which a key ends, at once, and back again when the change is taken back."""
    moment = timezone.now()
    for model, good, bad in (
        (AgentKey, {"revoked_at": None}, {"revoked_at": moment}),
        (AgentKey, {"expires_at": moment + timedelta(minutes=1)}, {"expires_at": moment}),
        (Agent, {"is_active": True}, {"is_active": False}),
    ):
        with acme.entered():
            rows = key_row(acme) if model is AgentKey else Agent.objects.filter(slug="helper")
            rows.update(**bad)
        assert not works(acme.alice), bad
        with acme.entered():
            rows.update(**good)
        assert works(acme.alice), good


def test_during_a_rotation_two_keys_are_valid_and_then_one(acme: Company) -> None:
    with acme.entered():
        agent = Agent.objects.get(slug="helper")
        scopes = key_row(acme).get().scopes
        fresh = Caller(str(keys.create(system(acme.tenant.pk), agent, "runtime", scopes)), "alice")
    assert works(acme.alice)
    assert works(fresh)
    old = parse_token(acme.keys["acme/helper/runtime"])
    assert old is not None
    with acme.entered():
        AgentKey.objects.filter(prefix=old.prefix).update(revoked_at=timezone.now())
    assert not works(acme.alice)
    assert works(fresh)


def test_last_use_is_noted_at_most_once_a_minute(acme: Company) -> None:
    def noted() -> Any:
        with acme.entered():
            return key_row(acme).get().last_used_at

    assert works(acme.alice)
    first = noted()
    assert works(acme.alice)
    assert noted() == first
    with acme.entered():
        key_row(acme).update(last_used_at=first - LAST_USE_RESOLUTION)
    assert works(acme.alice)
    assert noted() > first


# --- people whom an agent works for -----------------------------------------------------------------------------------


def test_an_unknown_and_a_forbidden_person_are_one_answer(acme: Company) -> None:
    """R-061, R-227: the key decides whom it may work for; a stranger's name tells nothing."""
    solo = acme.by("runtime", agent="solo")
    assert works(solo)
    answers = [solo.acting_for(name).post("/recall", {"query": "x"}) for name in ("rita", "nobody_at_all", "bob")]
    assert [answer.status_code for answer in answers] == [404] * 3
    bodies = [{**answer.json(), "instance": ""} for answer in answers]
    assert bodies[0] == bodies[1] == bodies[2]


def test_a_key_of_one_person_needs_no_header_and_a_key_of_many_does(acme: Company) -> None:
    mark = word()
    memory = acme.alice.store(sentence(mark))
    assert acme.by("runtime", None, agent="solo").recalled(mark) == [memory["memory_id"]]
    unnamed = acme.by("runtime", None)
    assert unnamed.recalled(mark) == []
    assert unnamed.post("/recall", {"query": "x", "namespaces": [USER]}).status_code == 404


@pytest.mark.parametrize("blank", ["", " ", "   "])
def test_a_blank_person_is_an_error_and_never_everyone(acme: Company, blank: str) -> None:
    """I12: neither all nor silently none."""
    response = acme.alice.call("POST", "/recall", {"query": "x"}, {"MemoryHub-Subject": blank})
    assert response.status_code == 400
    assert response.json()["errors"][0]["pointer"] == "MemoryHub-Subject"


def test_a_right_to_work_for_someone_ends_at_once(acme: Company) -> None:
    solo = acme.by("runtime", "alice", agent="solo")
    assert works(solo)
    with acme.entered():
        AgentSubject.objects.filter(agent__slug="solo").delete()
    assert solo.post("/recall", {"query": "x"}).status_code == 404


def test_an_agent_writes_for_a_person_and_another_agent_of_theirs_finds_it(acme: Company) -> None:
    """I11, R-056: remembered about the person, not about the agent; who did it is told apart."""
    mark = word()
    memory = acme.alice.in_run("run_1", "thread_1").store(sentence(mark))
    assert acme.by("runtime", agent="outsider").in_run("run_2", "thread_2").recalled(mark) == [memory["memory_id"]]
    with acme.entered():
        row = Memory.objects.get()
        assert row.proposed_by == Agent.objects.get(slug="helper").pk
        assert row.namespace.membership == Membership.objects.get(external_id="alice")
        assert (row.provenance["run_id"], row.provenance["thread_id"]) == ("run_1", "thread_1")


@pytest.mark.parametrize("name", ["tenant", "tenant_id", "subject", "user_id", "agent", "author", "evidence_type"])
def test_identity_in_a_body_is_refused_and_not_ignored(acme: Company, name: str) -> None:
    """I10, R-093, R-209, R-227."""
    response = acme.alice.post("/proposals", {**acme.alice.proposal(), name: "paul"})
    assert response.status_code == 400
    assert [error["pointer"] for error in response.json()["errors"]] == [name]


# --- delegations -----------------------------------------------------------------------------------------------------


def minted(caller: Caller, **fields: Any) -> Any:
    return caller.post("/delegations", {"subject": "alice", "scopes": ["memory:recall", "memory:propose"], **fields})


def test_a_delegation_has_one_person_and_fewer_rights(acme: Company) -> None:
    """R-236: for its person only, with its own scopes only, in its own run."""
    token = minted(acme.alice, run_id="run_7").json()["token"]
    tool = Caller(token)
    assert tool.post("/recall", {"query": "x"}).status_code == 200
    assert tool.acting_for("alice").post("/recall", {"query": "x"}).status_code == 200
    assert tool.acting_for("paul").post("/recall", {"query": "x"}).status_code == 404
    assert tool.get("/memories").status_code == 403
    assert tool.attest().status_code == 403
    held = tool.in_run("another_run").propose(evidence=None)
    assert held.json()["decision"] == "needs_confirmation"
    assert acme.alice.candidate(held.json()["candidate_id"])["provenance"]["run_id"] == "run_7"


def test_a_delegation_cannot_be_widened(acme: Company) -> None:
    for scopes, status in (
        (["memory:recall"], 201),
        (["candidate:relay_confirmation"], 403),
        (["delegation:mint"], 403),
        (["everything"], 400),
        ([], 400),
    ):
        assert minted(acme.alice, scopes=scopes).status_code == status, scopes
    token = minted(acme.alice).json()["token"]
    assert minted(Caller(token)).status_code == 403


def test_a_delegation_is_minted_only_for_those_the_agent_may_work_for(acme: Company) -> None:
    solo = acme.by("runtime", agent="solo")
    assert minted(solo).status_code == 201
    assert minted(solo, subject="rita").status_code == minted(solo, subject="nobody_at_all").status_code == 404


def test_a_delegation_ends_with_its_time_its_key_its_agent_and_its_person(acme: Company) -> None:
    tool = Caller(minted(acme.alice).json()["token"])
    moment = timezone.now()
    with acme.entered():
        delegation, key = Delegation.objects.all(), key_row(acme)
    for rows, good, bad in (
        (delegation, {"expires_at": moment + timedelta(minutes=5)}, {"expires_at": moment}),
        (delegation, {"revoked_at": None}, {"revoked_at": moment}),
        (key, {"revoked_at": None}, {"revoked_at": moment}),
        (key, {"expires_at": None}, {"expires_at": moment}),
    ):
        with acme.entered():
            rows.update(**bad)
        assert not works(tool), bad
        with acme.entered():
            rows.update(**good)
        assert works(tool), good
    with acme.entered():
        Membership.objects.filter(external_id="alice").update(is_active=False)
    assert not works(tool)


def test_a_delegation_loses_what_its_key_loses(acme: Company) -> None:
    tool = Caller(minted(acme.alice).json()["token"])
    assert works(tool)
    with acme.entered():
        key_row(acme).update(scopes=["memory:propose"])
    assert tool.post("/recall", {"query": "x"}).status_code == 403


def test_a_repeated_minting_answers_with_the_same_token(acme: Company) -> None:
    headers = {"Idempotency-Key": word()}
    body = {"subject": "alice", "scopes": ["memory:recall"]}
    first, again = (acme.alice.post("/delegations", body, headers) for _ in range(2))
    assert first.json() == again.json()
    with acme.entered():
        assert Delegation.objects.count() == 1
        assert first.json()["token"].split("_")[2] not in json.dumps(list(Delegation.objects.values()), default=str)


# --- people ----------------------------------------------------------------------------------------------------------


def test_a_person_has_the_rights_of_people_and_no_more(acme: Company) -> None:
    """People say, confirm, correct and forget; they do not attest, mint or relay."""
    alice = acme.person("alice")
    assert alice.get("/memories").status_code == 200
    assert alice.attest().status_code == 403
    assert minted(alice).status_code == 403
    assert alice.propose(evidence=None).json()["memory"]["evidence_class"] == "explicit_user"


def test_a_personal_token_has_its_persons_rights_or_fewer(acme: Company) -> None:
    token = new_token("p")
    with acme.entered():
        person = Membership.objects.get(external_id="alice")
        row = PersonalToken.objects.create(
            membership=person, prefix=token.prefix, digest=token.digest, name="script", scopes=["memory:read"]
        )
    script = Caller(str(token))
    acme.alice.store()
    assert len(script.listed()) == 1
    assert script.post("/recall", {"query": "x"}).status_code == 403
    assert script.get(f"/candidates/{ABSENT}").status_code == 404
    with acme.entered():
        row.scopes = [scope.value for scope in Scope]
        row.save()
    assert script.attest().status_code == 403
    assert {Scope.ATTEST, Scope.RELAY, Scope.MINT}.isdisjoint(PERSON_SCOPES)
    with acme.entered():
        PersonalToken.objects.update(revoked_at=timezone.now())
    assert script.get("/memories").status_code == 401


def test_a_person_of_two_companies_works_in_one_at_a_time(acme: Company, beta: Company) -> None:
    from accounts.middleware import SESSION_MEMBERSHIP

    acme.alice.store()
    user = acme.member("alice").user
    with beta.entered():
        Membership.objects.filter(external_id="bob").update(user=user)
        bob = Membership.objects.get(external_id="bob")
    alice = acme.person("alice")
    assert len(alice.listed()) == 1
    session = alice.client.session
    session[SESSION_MEMBERSHIP] = str(bob.pk)
    session.save()
    assert alice.listed() == []
    session[SESSION_MEMBERSHIP] = str(acme.member("rita").pk)  # not hers: falls back to her own
    session.save()
    assert len(alice.listed()) == 1


def test_run_and_thread_are_short(acme: Company) -> None:
    assert acme.alice.in_run("r" * 128, "t" * 128).propose(key=new_key()).status_code == 201
    for caller in (acme.alice.in_run("r" * 129), acme.alice.in_run("r", "t" * 129)):
        assert caller.post("/recall", {"query": "x"}).status_code == 400


def test_times_of_a_delegation_are_told_in_utc(acme: Company) -> None:
    answer = minted(acme.alice, ttl_seconds=60).json()
    assert answer["expires_at"].endswith("Z")
    assert now().isoformat() < answer["expires_at"] < now(seconds=90).isoformat()


def test_wrong_credentials_count_against_the_address_they_come_from(acme: Company, settings: Any) -> None:
    settings.MEMORYHUB_THROTTLE_RATE = "3/hour"
    guesses = [Caller(str(new_token("k")), "alice").get("/memories").status_code for _ in range(5)]
    assert guesses == [401, 401, 401, 429, 429]
    assert acme.alice.get("/memories").status_code == 200
