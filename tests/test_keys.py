"""Keys are rotated without a gap and revoked at once; a person's own token speaks with the person's own word."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from cast import USER, Caller, Company, new_key, sentence
from django.core.management import CommandError, call_command

from accounts import tokens
from accounts.models import AgentKey, AuditEvent

NAME = "acme/helper/runtime"


def run(*args: str) -> str:
    out = StringIO()
    call_command("agent_key", *args, stdout=out)
    return out.getvalue()


def test_a_rotated_key_and_the_old_one_are_both_valid_until_the_overlap_ends(acme: Company) -> None:
    old = acme.alice
    new = Caller(json.loads(run("rotate", NAME))["keys"][NAME], "alice")
    assert old.get("/memories").status_code == new.get("/memories").status_code == 200
    run("rotate", NAME, "--overlap-hours", "0")
    assert old.get("/memories").status_code == new.get("/memories").status_code == 401


def test_a_revoked_key_is_refused_at_the_next_call(acme: Company) -> None:
    assert acme.alice.get("/memories").status_code == 200
    assert run("revoke", NAME).strip() == "revoked 1"
    assert acme.alice.get("/memories").status_code == 401
    with acme.entered():
        assert AgentKey.objects.get(name="runtime", agent__slug="helper").revoked_at is not None
        assert AuditEvent.objects.filter(action="key.revoke").count() == 1


@pytest.mark.parametrize("name", ["acme/helper/absent", "acme/absent/runtime", "absent/helper/runtime", "runtime"])
def test_a_name_that_means_no_key_changes_nothing(acme: Company, name: str) -> None:
    with pytest.raises(CommandError):
        run("revoke", name)
    assert acme.alice.get("/memories").status_code == 200


def personal(acme: Company, external_id: str) -> Caller:
    with acme.entered():
        scopes = ["memory:recall", "memory:read", "memory:propose"]
        return Caller(str(tokens.create(acme.principal(external_id), "laptop", scopes, None)))


def test_what_a_person_asks_by_a_token_of_their_own_is_their_word(acme: Company) -> None:
    acme.policy(confirm="agent_writes")
    body = {"namespace": USER, "kind": "preference", "key": new_key(), "statement": sentence()}
    mine = personal(acme, "alice").post("/proposals", body)
    assert (mine.status_code, mine.json()["memory"]["evidence_class"]) == (201, "explicit_user")
    agents = acme.alice.post("/proposals", body | {"key": new_key()})
    assert (agents.status_code, agents.json()["reason"]) == (202, "inference_requires_confirmation")


def test_a_token_of_a_person_acts_for_nobody_else(acme: Company) -> None:
    alice = personal(acme, "alice")
    assert alice.acting_for("alice").get("/memories").status_code == 200
    assert alice.acting_for("paul").get("/memories").status_code == 404
