"""The playbook: what stands, its switch, its versions and how it is used."""

from __future__ import annotations

from typing import Any

import pytest
from cast import AGENT, TEAM, Caller, Company, in_months, new_key, now, text_of, word

from accounts.models import AuditEvent, Group, GroupMember, Membership
from accounts.principals import system
from memories.models import Candidate, Memory
from memories.uses import count_due

STEPS = {"steps": ["Open the receipt.", "Compare the amounts."], "stop_conditions": ["The receipt is missing."]}


def teach(caller: Caller, mark: str, **fields: Any) -> dict[str, Any]:
    """A reviewed procedure of the team."""
    given = {"kind": "procedure", "namespace": TEAM, "valid_until": in_months(), "evidence": "review", "value": STEPS}
    return caller.store(f"Check the {mark} receipt before a refund.", **{**given, **fields})


def second_reviewer(acme: Company) -> Caller:
    """Adam, for this test a reviewer in the team too."""
    with acme.entered():
        adam = Membership.objects.get(external_id="adam")
        adam.roles = ["admin", "reviewer"]
        adam.save()
        GroupMember.objects.create(group=Group.objects.get(slug="support"), membership=adam)
    return acme.person("adam")


def suspended(caller: Caller, entry: dict[str, Any], reason: str = "harmful") -> Any:
    body = {"reason": reason, "expected_version": entry["version"]}
    return caller.client.post(f"/playbook/{entry['memory_id']}/suspend/", body)


def test_agents_read_what_a_recall_could_give_and_no_more(acme: Company) -> None:
    """R-054, R-168: one gate for both; no entry of another place, none that ended or was taken out of use."""
    mark = word()
    stands, gone = teach(acme.alice, mark), teach(acme.alice, mark)
    own = teach(acme.alice, mark, namespace=AGENT)
    acme.alice.store(f"Likes the {mark} receipt first.")
    with acme.entered():
        ended = teach(acme.alice, mark)
        Memory.objects.filter(pk=ended["memory_id"]).update(valid_until=now(days=-1))
    assert suspended(acme.person("rita"), gone).status_code == 302
    listed = acme.alice.get("/playbook").json()["items"]
    assert {one["memory_id"] for one in listed} == {stands["memory_id"], own["memory_id"]}
    assert set(acme.alice.recalled(f"{mark} receipt refund", kinds=["procedure"])) == {
        one["memory_id"] for one in listed
    }
    assert listed[0]["procedure"] == {**STEPS, "applies_to": None, "owner": None}
    assert [acme.alice.get(f"/playbook/{one['memory_id']}").status_code for one in (stands, gone, ended)] == [
        200, 404, 404,
    ]  # fmt: skip
    assert acme.alice.get(f"/playbook/{gone['memory_id']}/versions").status_code == 404
    assert acme.alice.get("/playbook", kind="lesson").json()["items"] == []


def test_suspending_stops_it_at_the_next_recall_and_says_why(acme: Company) -> None:
    """R-168: the switch needs a reason, acts at once, stands in the audit, and is undone by those who may."""
    mark = word()
    entry = teach(acme.alice, mark)
    assert acme.alice.recalled(f"{mark} receipt") == [entry["memory_id"]]
    rita = acme.person("rita")
    assert suspended(rita, entry, reason="").status_code == 400
    assert acme.alice.recalled(f"{mark} receipt") == [entry["memory_id"]]
    assert suspended(rita, entry).status_code == 302
    assert acme.alice.recalled(f"{mark} receipt") == []
    page = text_of(rita.client.get(f"/playbook/{entry['memory_id']}/"))
    assert "it does harm" in page
    assert "rita" in page
    with acme.entered():
        event = AuditEvent.objects.get(action="playbook.suspend")
        assert (event.reason, str(event.target_id)) == ("harmful", entry["memory_id"])
    back = {"expected_version": entry["version"]}
    assert rita.client.post(f"/playbook/{entry['memory_id']}/resume/", back).status_code == 302
    assert acme.alice.recalled(f"{mark} receipt") == [entry["memory_id"]]


@pytest.mark.parametrize("who", ["alice", "runtime"])
def test_who_goes_by_it_may_not_bring_it_back(acme: Company, who: str) -> None:
    """R-250: not a member, and not the agent whose own procedure it is."""
    entry = teach(acme.alice, word(), namespace=AGENT)
    owner = acme.person("adam")
    assert suspended(owner, entry).status_code == 302
    caller = acme.alice if who == "runtime" else acme.by("relay", "alice")
    for path in (f"/memories/{entry['memory_id']}/resume", f"/playbook/{entry['memory_id']}/resume"):
        assert caller.post(path).status_code == 403
    assert owner.client.post(f"/playbook/{entry['memory_id']}/resume/", {"expected_version": 1}).status_code == 302


def test_a_reviewer_stops_what_any_agent_goes_by(acme: Company, beta: Company) -> None:
    entry = teach(acme.alice, word(), namespace=AGENT)
    for stranger in (acme.person("paul"), beta.person("rita"), beta.person("bob")):
        assert suspended(stranger, entry).status_code == 404
    assert suspended(acme.person("rita"), entry).status_code == 302
    assert acme.alice.memory(entry["memory_id"]).json()["status"] == "paused"


def test_an_earlier_version_comes_back_as_a_new_one_by_another_reviewer(acme: Company) -> None:
    """R-135: history is never rewritten, and nobody approves what they asked for."""
    first = teach(acme.alice, word())
    changed = acme.alice.correct(first, evidence="review", value={"steps": ["Refund at once."]}).json()["memory"]
    rita, adam = acme.person("rita"), second_reviewer(acme)
    address = f"/playbook/{first['memory_id']}/roll-back/"
    shown = text_of(rita.client.get(address))
    assert "Refund at once." in shown
    assert STEPS["steps"][0] in shown
    asked = rita.client.post(address, {"valid_until": in_months(), "expected_version": 2})
    assert asked.status_code == 302
    assert acme.alice.memory(changed["memory_id"]).json()["status"] == "active"
    with acme.entered():
        waiting = str(Candidate.objects.get().pk)
    own = rita.decide(rita.candidate(waiting), "approve")
    assert (own.status_code, own.json()["code"]) == (403, "own_proposal")
    assert adam.decide(adam.candidate(waiting), "approve").status_code == 200
    versions = acme.alice.get(f"/memories/{first['memory_id']}/history").json()["items"]
    assert [(one["version"], one["status"]) for one in versions] == [
        (3, "active"),
        (2, "superseded"),
        (1, "superseded"),
    ]
    assert versions[0]["value"] == STEPS
    assert versions[0]["statement"] == first["statement"]


def test_any_two_versions_are_compared_step_by_step(acme: Company) -> None:
    first = teach(acme.alice, word(), key=new_key())
    steps = ["Compare the amounts.", "Open the receipt.", "Tell the customer."]
    acme.alice.correct(first, evidence="review", value={**STEPS, "steps": steps})
    alice = acme.person("alice").client
    page = text_of(alice.get(f"/playbook/{first['memory_id']}/compare/", {"older": 1, "newer": 2}))
    assert "Tell the customer." in page
    assert "moved" in page
    assert "added" in page
    assert alice.get(f"/playbook/{first['memory_id']}/compare/", {"older": 1, "newer": 7}).status_code == 404


def test_the_entry_tells_how_it_is_used_and_what_speaks_against_it(acme: Company) -> None:
    mark = word()
    entry = teach(acme.alice, mark)
    for verdict in ("used", "wrong", "wrong"):
        recalled = acme.alice.recall(f"{mark} receipt")
        body = {"memory_id": entry["memory_id"], "verdict": verdict}
        assert acme.alice.post(f"/recalls/{recalled['recall_id']}/feedback", body).status_code == 201
    with acme.entered():
        count_due(system(acme.tenant.pk), now())
    page = acme.person("alice").client.get(f"/playbook/{entry['memory_id']}/")
    assert sum(page.context["usage"].recalled) == page.context["usage"].recalled[-1] == 3
    assert {name: sum(days) for name, days in page.context["usage"].outcomes} == {
        "used": 1, "irrelevant": 0, "wrong": 2, "stale": 0,
    }  # fmt: skip
    assert "in the last 30 days: 3. It was used in 1 of them." in text_of(page)
    assert [one.agent for one in page.context["against"]] == ["helper", "helper"]


def test_a_person_proposes_in_parts_and_another_decides(acme: Company) -> None:
    alice = acme.person("alice").client
    form = {
        "namespace": "team:support", "kind": "procedure", "key": new_key(), "statement": "Check the receipt.",
        "conditions": "Before a refund", "steps": "Open it.\n\n Compare it. ", "stop_conditions": "It is missing.",
        "applies_to": "", "owner": "Support", "valid_until": in_months(),
    }  # fmt: skip
    too_long = alice.post("/playbook/new/", {**form, "steps": "x" * 501})
    assert too_long.status_code == 400
    assert "steps" in too_long.context["form"].errors
    assert alice.post("/playbook/new/", form).status_code == 302
    with acme.entered():
        waiting = Candidate.objects.get()
        assert waiting.value == {
            "steps": ["Open it.", "Compare it."], "stop_conditions": ["It is missing."], "owner": "Support"
        }  # fmt: skip
    rita = acme.person("rita")
    assert "Compare it." in text_of(rita.client.get(f"/reviews/{waiting.pk}/"))
    assert rita.decide(rita.candidate(str(waiting.pk)), "approve").status_code == 200
    (entry,) = acme.alice.get("/playbook").json()["items"]
    listed = text_of(alice.get("/playbook/", {"state": "active"}))
    assert f"/playbook/{entry['memory_id']}/" in listed
    changed = {**form, "steps": "Open it.\nCompare it twice.", "expected_version": entry["version"]}
    assert alice.post(f"/playbook/{entry['memory_id']}/change/", changed).status_code == 302
    with acme.entered():
        again = Candidate.objects.filter(status="pending").get()
        assert again.value["steps"] == ["Open it.", "Compare it twice."]
        assert again.base_version == 1


def test_what_ends_soon_is_shown_and_renewed_by_a_reviewer(acme: Company) -> None:
    """R-135: a later end is a new version with its own confirmation."""
    entry = teach(acme.alice, word(), valid_until=now(days=9).date().isoformat())
    teach(acme.alice, word())
    alice = acme.person("alice").client
    page = alice.get("/playbook/", {"state": "ending"})
    assert [str(one.pk) for one in page.context["page"].object_list] == [entry["memory_id"]]
    assert page.context["counts"] == {"active": 2, "ending": 1, "expired": 0, "suspended": 0}
    body = {"valid_until": in_months(), "expected_version": 1}
    assert alice.post(f"/playbook/{entry['memory_id']}/renew/", body).status_code == 302
    with acme.entered():
        assert Candidate.objects.get().base_version == 1
