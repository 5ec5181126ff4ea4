"""Forgetting a conversation, an agent's proposals, a place, a person, a company: what goes, what stays, who may."""

from __future__ import annotations

import io
from typing import Any

import pytest
from cast import PROJECT, TEAM, USER, Caller, Company, new_key, now, sentence, text_of, word
from django.core.management import CommandError, call_command
from django.utils import timezone
from test_canary import rows_with

from accounts.models import AuditEvent, Membership, PersonalToken
from accounts.principals import system
from memories import purging
from memories.encryption.fields import Plain
from memories.models import Candidate, Erasure, Evidence, Feature, Memory, Operation, Recall


def plan(caller: Caller, **chosen: Any) -> dict[str, Any]:
    answer = caller.post("/forget", {"filter": chosen, "dry_run": True})
    assert answer.status_code == 200, text_of(answer)
    return dict(answer.json())


def forget(caller: Caller, **chosen: Any) -> dict[str, Any]:
    """Show, then confirm with what has to be typed: the receipt."""
    shown = plan(caller, **chosen)
    typed = {"typed": shown["typed"]} if shown["typed"] else {}
    answer = caller.post("/forget", {"confirm_token": shown["confirm_token"], **typed})
    assert answer.status_code == 200, text_of(answer)
    return dict(answer.json())


def standing(company: Company) -> set[str]:
    """The ids of all that is kept."""
    with company.entered():
        return {str(pk) for pk in Memory.objects.kept().values_list("pk", flat=True)}


def purge(company: Company, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    monkeypatch.setattr(purging, "truncate_log", lambda: True)
    with company.entered():
        return dict(purging.purge_due(system(company.tenant.pk), timezone.now()))


# --- a source ---------------------------------------------------------------------------------------------------------


def test_a_conversation_goes_with_everything_that_rests_on_it_alone(acme: Company) -> None:
    """R-150, R-152, R-153: what it said, what waits from it, and its own words; what came from elsewhere stays."""
    alice, mark = acme.alice, word(7)
    talk = {"thread": f"talk {mark}"}
    gone = alice.store(sentence(mark), evidence=alice.evidence(text=f"I like {mark}.", **talk))
    alice.evidence(text=f"Only said: {mark}.", **talk)
    alice.in_run("r", talk["thread"]).hold(f"Probably likes {mark} charts.")
    kept = alice.store(evidence=alice.evidence(thread="another"))
    shown = plan(alice, **talk)
    assert (shown["memory_ids"], shown["candidates"], shown["scope"]) == ([gone["memory_id"]], 1, "source")
    receipt = forget(alice, **talk)
    assert (receipt["scope"], receipt["state"]) == ("source", "hidden")
    assert standing(acme) == {kept["memory_id"]}
    assert rows_with(mark) == set()


def test_a_conversation_brings_nothing_back(acme: Company) -> None:
    """R-150, R-151: not under another name, not by an old message never seen before, not as a guess, not over what
    stands; what the person says anew in it is another matter."""
    alice = acme.alice
    old = {"thread": "talk", "occurred_at": now(minutes=-5).isoformat()}
    alice.store(evidence=alice.evidence(ref="message_1", **old))
    kept = alice.store(evidence=alice.evidence(thread="another"))
    forget(alice, thread="talk")
    for key, ref in ((new_key(), "message_1"), (new_key(), "message_2"), (kept["key"], "message_1")):
        answer = alice.propose(key=key, evidence=alice.evidence(ref=ref, **old)).json()
        assert (answer["decision"], answer["reason"]) == ("reject", "tombstone_source"), (key, ref)
    assert alice.in_run("r", "talk").propose(evidence=None).json()["reason"] == "tombstone_source"
    assert alice.in_run("r", "another").propose(evidence=None).json()["decision"] == "needs_confirmation"
    fresh = alice.evidence(thread="talk", occurred_at=now(seconds=1).isoformat())
    assert alice.propose(evidence=fresh).json()["decision"] == "store"


def test_what_another_conversation_supports_stays_and_tells_nothing_of_the_first(acme: Company) -> None:
    alice, mark = acme.alice, word(7)
    memory = alice.store(evidence=alice.evidence(thread=f"talk {mark}", speaker=f"Speaker {mark}", ref=f"ref {mark}"))
    again = alice.evidence(thread="another", ref="message_9")
    assert alice.propose(memory["statement"], memory["key"], again).json()["decision"] == "keep"
    assert plan(alice, thread=f"talk {mark}")["count"] == 0
    forget(alice, thread=f"talk {mark}")
    assert alice.recalled("summary") == [memory["memory_id"]]
    assert alice.memory(memory["memory_id"]).json()["provenance"]["ref"] == "message_9"
    assert rows_with(mark) == set()
    with acme.entered():
        assert str(Memory.objects.get().evidence_id) == again
        assert Feature.objects.get().speaker == b""


def test_an_earlier_version_goes_alone_and_a_current_one_with_all(acme: Company) -> None:
    alice, mark = acme.alice, word(7)
    key, other = new_key(), new_key()
    first = alice.store(sentence(mark), key, alice.evidence(thread="talk"))
    second = alice.store(key=key, evidence=alice.evidence(thread="another"))
    third = alice.store(sentence(mark), other, alice.evidence(thread="another"))
    fourth = alice.store(f"Put the {mark} details first.", other, alice.evidence(thread="talk"))
    receipt = forget(alice, thread="talk")
    assert set(receipt["memory_ids"]) == {first["memory_id"], third["memory_id"], fourth["memory_id"]}
    assert standing(acme) == {second["memory_id"]}
    assert [row["status"] for row in alice.get(f"/memories/{second['memory_id']}/history").json()["items"]] == [
        "active",
        "deleted",
    ]
    assert rows_with(mark) == set()


def test_one_message_goes_without_the_rest_of_its_conversation(acme: Company) -> None:
    alice = acme.alice
    one, two = alice.evidence(thread="talk"), alice.evidence(thread="talk")
    alice.store(evidence=one)
    kept = alice.store(evidence=two)
    forget(alice, evidence_id=one)
    assert standing(acme) == {kept["memory_id"]}
    assert alice.propose(evidence=one).json()["reason"] == "tombstone_source"
    assert alice.propose(evidence=two).json()["decision"] == "store"


def test_a_conversation_of_someone_else_is_another_one(acme: Company, beta: Company) -> None:
    """R-059, R-157: the same name of a thread, the same id of evidence; nothing of Alice's moves."""
    evidence = acme.alice.evidence(thread="talk")
    memory = acme.alice.store(evidence=evidence)
    for caller in (acme.paul, beta.bob, beta.by("runtime", "alice")):
        assert plan(caller, thread="talk")["count"] == 0
        forget(caller, thread="talk")
        answer = caller.post("/forget", {"filter": {"evidence_id": evidence}, "dry_run": True})
        assert answer.status_code == 404
    assert standing(acme) == {memory["memory_id"]}


def test_what_a_team_keeps_from_a_conversation_is_forgotten_by_those_who_keep_it(acme: Company) -> None:
    """A member's own part goes; the team's lesson, which a reviewer stood by, stays with its source's name."""
    shared = acme.rita.share(
        TEAM,
        "Check the receipt before closing a case.",
        evidence=None,
        evidence_id=acme.rita.evidence("review", reviewer="rita", thread="talk"),
    )
    mine = acme.rita.store(evidence=acme.rita.evidence(thread="talk"))
    forget(acme.rita, thread="talk")
    assert standing(acme) == {shared["memory_id"]}
    assert mine["memory_id"] not in standing(acme)
    assert forget(acme.by("relay", "rita"), thread="talk")["counts"]["memories"] == 1
    assert standing(acme) == set()


def test_a_plan_of_a_conversation_is_void_when_it_goes_on(acme: Company) -> None:
    alice = acme.alice
    alice.store(evidence=alice.evidence(thread="talk"))
    shown = plan(alice, thread="talk")
    alice.store(evidence=alice.evidence(thread="talk"))
    answer = alice.post("/forget", {"confirm_token": shown["confirm_token"]})
    assert (answer.status_code, answer.json()["code"]) == (409, "plan_changed")
    assert len(standing(acme)) == 2


# --- an agent ---------------------------------------------------------------------------------------------------------


def test_what_an_agent_proposed_for_a_person_goes_and_their_own_word_stays(acme: Company) -> None:
    alice, solo = acme.alice, acme.by("runtime", "alice", agent="solo")
    by_helper = alice.store()
    alice.hold()
    by_solo = solo.store()
    own = acme.person("alice").store(evidence=None)
    of_paul = acme.paul.store()
    receipt = forget(acme.person("alice"), agent="helper")
    assert (receipt["memory_ids"], receipt["scope"]) == ([by_helper["memory_id"]], "agent")
    assert standing(acme) == {by_solo["memory_id"], own["memory_id"], of_paul["memory_id"]}
    with acme.entered():
        assert Candidate.objects.get().status == "withdrawn"
    assert alice.propose(key=by_helper["key"], evidence=None).json()["reason"] == "tombstone_key"


def test_the_owner_of_an_agent_forgets_what_it_proposed_where_they_may(acme: Company) -> None:
    """Adam owns the agent: its own lessons go, and what it proposed to his project; what it told Alice is hers."""
    own = acme.rita.share({"type": "agent"}, "Check the receipt before closing a case.")
    project = acme.rita.share(PROJECT, "Run the tests before a merge.")
    team = acme.rita.share(TEAM, "Call back within the day.")
    hers = acme.alice.store()
    receipt = forget(acme.person("adam"), agent="helper")
    assert set(receipt["memory_ids"]) == {own["memory_id"], project["memory_id"]}
    assert standing(acme) == {team["memory_id"], hers["memory_id"]}


def test_an_agent_that_does_not_work_for_one_is_as_one_that_does_not_exist(acme: Company, beta: Company) -> None:
    for caller, slug in (
        (acme.paul, "solo"),
        (acme.person("paul"), "solo"),
        (beta.bob, "solo"),
        (acme.alice, "nobody"),
    ):
        assert caller.post("/forget", {"filter": {"agent": slug}, "dry_run": True}).status_code == 404
    assert plan(acme.alice, agent="solo")["count"] == 0


# --- a place ----------------------------------------------------------------------------------------------------------


def test_an_admin_empties_a_team_they_do_not_read(acme: Company) -> None:
    """With what waits there. A member may not; an agent of the admin may not either."""
    shared = acme.rita.share(TEAM, "Check the receipt before closing a case.")
    acme.alice.propose(
        f"Tell a {word()} colleague first.", kind="lesson", namespace=TEAM, valid_until=now(days=9).date().isoformat()
    )
    mine = acme.alice.store()
    assert acme.adam.post("/forget", {"filter": {"namespace": TEAM}, "dry_run": True}).status_code == 404
    assert acme.person("alice").post("/forget", {"filter": {"namespace": TEAM}, "dry_run": True}).status_code == 403
    receipt = forget(acme.person("adam"), namespace=TEAM)
    assert (receipt["scope"], receipt["memory_ids"]) == ("namespace", [shared["memory_id"]])
    assert standing(acme) == {mine["memory_id"]}
    with acme.entered():
        assert not Candidate.objects.exclude(statement=None).exists()


def test_an_admin_does_not_reach_into_a_person_by_the_name_of_a_place(acme: Company) -> None:
    acme.paul.store()
    answer = acme.person("adam").post(
        "/forget", {"filter": {"namespace": {"type": "user", "id": "paul"}}, "dry_run": True}
    )
    assert answer.status_code == 404


# --- a person ---------------------------------------------------------------------------------------------------------


def checksums(company: Company, but: Any) -> dict[str, list[Any]]:
    """All that is kept of everyone but the person of this id, row by row."""
    with company.entered():
        return {
            "memories": list(Memory.objects.exclude(namespace__membership=but).order_by("pk").values()),
            "recalls": list(Recall.objects.exclude(subject_id=but).order_by("pk").values()),
            "operations": list(Operation.objects.exclude(subject_id=but).order_by("pk").values()),
            "evidence": list(Evidence.objects.exclude(subject=but).order_by("pk").values()),
            "people": list(Membership.objects.exclude(pk=but).order_by("pk").values()),
        }


def lived(company: Company, mark: str) -> None:
    """Alice used everything: her own, the team's, waiting ones, recalls, feedback, a token."""
    alice = company.alice
    evidence = alice.evidence(text=f"I like {mark}.", speaker=f"Alice {mark}", thread=f"talk {mark}")
    memory = alice.store(sentence(mark), evidence=evidence)
    alice.store(sentence(mark), memory["key"], conditions=f"In {mark} reports.")
    alice.hold(f"Probably likes {mark} charts.")
    alice.evidence(text=f"Only said: {mark}.")
    alice.propose(
        f"Tell a {mark} colleague first.", kind="lesson", namespace=TEAM, valid_until=now(days=9).date().isoformat()
    )
    found = alice.in_run(f"run {mark}").recall(mark)
    alice.post(
        f"/recalls/{found['recall_id']}/feedback", {"memory_id": found["items"][0]["memory_id"], "verdict": "used"}
    )


def test_a_person_goes_entirely_and_everybody_else_is_as_before(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-139, R-153, R-265, R-266: every row that is about them or only rests on their word; ids alone stay."""
    mark = word(7)
    with acme.entered():
        Membership.objects.filter(external_id="alice").update(name=f"Alice {mark}")
    lived(acme, mark)
    acme.paul.store()
    acme.paul.recall("summary")
    acme.rita.share(TEAM, "Check the receipt before closing a case.")
    alice_id, user_id = acme.member("alice").pk, acme.member("alice").user_id
    before = checksums(acme, alice_id)
    receipt = forget(acme.person("alice"), person="alice")
    assert (receipt["scope"], receipt["memory_ids"] != []) == ("person", True)
    with acme.entered():
        assert checksums(acme, alice_id) == before
        gone = Membership.objects.select_related("user").get(pk=alice_id)
        assert (gone.external_id, gone.name, gone.roles, gone.is_active) == (f"forgotten-{alice_id}", "", [], False)
        assert (gone.user.email, gone.user.is_active) == (f"{user_id}@forgotten.invalid", False)
        assert gone.group_memberships.count() == 0
    assert purge(acme, monkeypatch) == {"erasures_purged": 1, "erasures_waiting": 0}
    assert rows_with(mark) == set()
    assert rows_with("alice@acme") == set()
    with acme.entered():
        assert Recall.objects.filter(subject_id=alice_id).count() == 0
        assert Operation.objects.filter(subject_id=alice_id).count() == 0
        row = Erasure.objects.get()
        assert (row.state, row.counts["recalls"], row.counts["feedback"]) == ("purged", 1, 1)
        assert row.counts["operations"] >= 4
        told = AuditEvent.objects.filter(action="memory.forget").get()
        assert set(told.details) == {"memories", "scope"}


def test_nobody_acts_for_a_forgotten_person_any_more(acme: Company) -> None:
    key = acme.alice.store()["key"]
    person = acme.person("alice")
    forget(person, person="alice")
    assert acme.alice.propose(key=key, evidence=None).status_code == 404
    assert acme.alice.post("/recall", {"query": "summary"}).status_code == 404
    assert person.get("/memories").status_code == 401
    with acme.entered():
        assert PersonalToken.objects.count() == 0


def test_someone_of_two_companies_leaves_one_of_them(acme: Company, beta: Company) -> None:
    with beta.entered():
        Membership.objects.filter(external_id="bob").update(user=acme.member("paul").user)
    there = beta.bob.store()
    forget(acme.person("paul"), person="paul")
    user = beta.member("bob").user
    assert (user.email, user.is_active) == ("paul@acme.example", True)
    assert beta.bob.recalled("summary") == [there["memory_id"]]


def test_what_a_reviewer_stood_by_stays_when_they_leave(acme: Company) -> None:
    """It is the team's; only the name and the words of the reviewer go."""
    mark = word(7)
    said = acme.rita.evidence("review", reviewer="rita", speaker=f"Rita {mark}", text=f"I, {mark}, agree.")
    lesson = acme.rita.share(TEAM, "Check the receipt before closing a case.", evidence=said)
    forget(acme.person("rita"), person="rita")
    assert standing(acme) == {lesson["memory_id"]}
    assert acme.alice.recalled("receipt case") == [lesson["memory_id"]]
    assert rows_with(mark) == set()


def test_what_a_maintainer_alone_said_to_a_project_goes_with_them(acme: Company) -> None:
    word_of_adam = acme.person("adam").store(
        "Run the tests before every merge.",
        namespace=PROJECT,
        kind="convention",
        evidence=None,
        valid_until=now(days=9).date().isoformat(),
    )
    forget(acme.person("adam"), person="adam")
    assert word_of_adam["memory_id"] not in standing(acme)


def test_a_person_is_forgotten_only_by_themselves_or_an_admin(acme: Company, beta: Company) -> None:
    """R-157, R-158, D15: never by an agent, whoever it works for; a stranger does not even learn that they exist."""
    memory = acme.alice.store()
    wish = {"filter": {"person": "alice"}, "dry_run": True}
    for agent in (acme.alice, acme.by("relay", "alice"), acme.by("relay", "adam")):
        answer = agent.post("/forget", wish)
        assert (answer.status_code, answer.json()["code"]) == (403, "person_required")
    for person in (acme.person("paul"), acme.person("rita"), beta.person("bob")):
        assert person.post("/forget", wish).status_code == 404
    assert standing(acme) == {memory["memory_id"]}
    shown = plan(acme.person("adam"), person="alice")
    assert (shown["count"], shown["memory_ids"], shown["typed"]) == (1, [], "alice")
    token = {"confirm_token": shown["confirm_token"]}
    for typed in ({}, {"typed": "Alice"}, {"typed": "alice "}, {"typed": "adam"}):
        answer = acme.person("adam").post("/forget", token | typed)
        assert answer.status_code == 400, typed
    assert standing(acme) == {memory["memory_id"]}
    receipt = forget(acme.person("adam"), person="alice")
    assert standing(acme) == set()
    assert acme.person("adam").get(f"/erasures/{receipt['id']}").json()["scope"] == "person"


# --- a company --------------------------------------------------------------------------------------------------------


def test_a_company_goes_and_its_neighbour_stays(acme: Company, beta: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = word(7)
    lived(acme, mark)
    acme.rita.share(TEAM, f"Check the {mark} list before closing a case.")
    there = beta.bob.store(sentence(mark))
    assert acme.person("alice").post("/forget", {"filter": {"tenant": "acme"}, "dry_run": True}).status_code == 404
    assert acme.person("adam").post("/forget", {"filter": {"tenant": "beta"}, "dry_run": True}).status_code == 404
    shown = plan(acme.person("adam"), tenant="acme")
    refused = acme.person("adam").post("/forget", {"confirm_token": shown["confirm_token"], "typed": "beta"})
    assert refused.status_code == 400
    forget(acme.person("adam"), tenant="acme")
    assert acme.alice.post("/recall", {"query": mark}).status_code == 401
    assert purge(acme, monkeypatch)["erasures_purged"] == 1
    assert standing(acme) == set()
    assert rows_with("alice@acme") == set()
    assert standing(beta) == {there["memory_id"]}
    assert beta.bob.recalled(mark) == [there["memory_id"]]
    beta.bob.forget(there)
    assert rows_with(mark) == set()


# --- one wish at a time -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "chosen",
    [
        {"thread": "talk", "agent": "helper"},
        {"thread": "talk", "namespace": USER},
        {"person": "alice", "kind": "preference"},
        {"thread": ""},
        {"tenant": None},
    ],
)
def test_a_mixed_wish_is_refused_and_never_the_wider_one(acme: Company, chosen: dict[str, Any]) -> None:
    memory = acme.alice.store(evidence=acme.alice.evidence(thread="talk"))
    assert acme.person("alice").post("/forget", {"filter": chosen, "dry_run": True}).status_code == 400
    assert standing(acme) == {memory["memory_id"]}


def test_a_large_forgetting_is_checked_in_pieces_and_tells_how_far_it_is(
    acme: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-161: after a failure it goes on where it was."""
    monkeypatch.setattr(purging, "PIECE", 2)
    alice = acme.alice
    memories = [alice.store(evidence=alice.evidence(thread="talk")) for _ in range(5)]
    receipt = forget(alice, thread="talk")
    assert receipt["progress"] == {"checked": 0, "total": 5}
    last = sorted(one["memory_id"] for one in memories)[4]
    with acme.entered():
        Memory.objects.filter(pk=last).update(said=Plain({"speaker": "kept"}))
    assert purge(acme, monkeypatch)["erasures_waiting"] == 1
    assert alice.get(f"/erasures/{receipt['id']}").json()["progress"] == {"checked": 4, "total": 5}
    with acme.entered():
        Memory.objects.filter(pk=last).update(said={})
        Erasure.objects.update(attempts=0)
    assert purge(acme, monkeypatch)["erasures_purged"] == 1
    assert alice.get(f"/erasures/{receipt['id']}").json()["progress"] == {"checked": 5, "total": 5}


def test_an_operator_forgets_by_command_what_they_typed_twice(acme: Company) -> None:
    memory = acme.alice.store()
    told = io.StringIO()
    call_command("forget", tenant="acme", person="alice", stdout=told)
    assert "1 versions, 0 waiting proposals" in told.getvalue()
    for wrong in (
        {"tenant": "nobody"},
        {"tenant": "acme", "person": "nobody"},
        {"tenant": "acme", "person": "alice", "typed": "bob"},
        {"tenant": "acme", "typed": "beta"},
    ):
        with pytest.raises(CommandError):
            call_command("forget", **wrong)
    assert standing(acme) == {memory["memory_id"]}
    call_command("forget", tenant="acme", person="alice", typed="alice", stdout=told)
    assert standing(acme) == set()
