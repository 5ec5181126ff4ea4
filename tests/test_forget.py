"""Forgetting through the door, then the database: everything goes but ids and times, and nothing brings it back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from cast import ABSENT, AGENT, PROJECT, TEAM, USER, Company, new_key, now, sentence, text_of, word
from django.utils import timezone

from accounts.models import AuditEvent
from memories.models import Candidate, Erasure, Evidence, Feature, Memory, Namespace, Slot, SourceMarker


def test_forgetting_leaves_ids_and_times_and_takes_everything_else(acme: Company) -> None:
    """R-319, R-141, R-144, R-145, R-146, R-155, R-272, D1, D4, D10: every version, its index row and its evidence."""
    evidence = acme.alice.evidence(text="I like it that way.", speaker="Alice", thread="talk")
    first = acme.alice.store(evidence=evidence, value={"a": 1}, conditions="In reports.", aliases=["order"])
    second = acme.alice.store(key=first["key"])
    receipt = acme.alice.forget(first)
    assert sorted(receipt["memory_ids"]) == sorted([first["memory_id"], second["memory_id"]])
    assert receipt["state"] == "hidden"
    assert {"memories": 2, "features": 2, "evidence": 2}.items() <= receipt["counts"].items()
    with acme.entered():
        for row in Memory.objects.all():
            assert row.status == "deleted"
            assert (row.key, row.statement, row.value, row.conditions) == (None, None, None, None)
            assert (row.aliases, row.said, row.path, row.path_key) == ([], {}, [], "")
            assert row.provenance == {"source": "deletion_request", "erasure_id": receipt["id"]}
            assert row.retired_at is not None
        assert Feature.objects.count() == 0
        for event in Evidence.objects.all():
            assert (event.text, event.ref, event.thread, event.speaker, event.run_id) == (None, "", "", "", "")
        assert Slot.objects.get().forgotten_at is not None
        told = AuditEvent.objects.filter(action="memory.forget").get()
        assert (str(told.target_id), told.details) == (receipt["id"], {"memories": 2, "scope": "key"})


def test_what_is_forgotten_is_gone_by_every_door(acme: Company) -> None:
    """R-319, R-156, D2, T23: list, recall, context, lookup, tool, history, any version's id."""
    mark, key = word(), new_key()
    first = acme.alice.store(sentence(mark), key)
    second = acme.alice.store(sentence(mark), key, conditions="Now.")
    kept = acme.alice.store(sentence("zebra"))
    acme.alice.forget(second)
    assert [row["memory_id"] for row in acme.alice.listed()] == [kept["memory_id"]]
    assert acme.alice.recalled(mark) == []
    assert acme.alice.tool("memory_search", {"query": mark})["memories"] == []
    assert acme.alice.post("/context", {"preload": [key]}).json()["packet"]["items"] == []
    for memory in (first, second):
        path = f"/memories/{memory['memory_id']}"
        for response in (acme.alice.get(path), acme.alice.get(f"{path}/history")):
            assert mark not in text_of(response)
            assert key not in text_of(response)
        assert acme.alice.memory(memory["memory_id"]).json()["status"] == "deleted"
    assert acme.alice.recalled("zebra") == [kept["memory_id"]]


def test_forgetting_twice_is_forgetting_once(acme: Company) -> None:
    """R-160: the second call finds nothing, and the receipt is still there."""
    memory = acme.alice.store()
    receipt = acme.alice.forget(memory)
    assert acme.alice.call("DELETE", f"/memories/{memory['memory_id']}").status_code == 404
    assert acme.alice.get(f"/erasures/{receipt['id']}").json() == receipt
    with acme.entered():
        assert Erasure.objects.count() == 1


def test_a_wrong_selector_touches_nothing(acme: Company) -> None:
    """R-154."""
    memory = acme.alice.store()
    assert acme.alice.call("DELETE", f"/memories/{ABSENT}").status_code == 404
    assert acme.alice.call("DELETE", f"/memories/{memory['memory_id']}", None, {"If-Match": '"7"'}).status_code == 412
    plan = acme.alice.post("/forget", {"filter": {"key": "no_such_key"}, "dry_run": True}).json()
    assert (plan["count"], plan["memory_ids"]) == (0, [])
    acme.alice.post("/forget", {"confirm_token": plan["confirm_token"]})
    assert acme.alice.recalled("summary") == [memory["memory_id"]]
    assert acme.alice.call("DELETE", f"/memories/{memory['memory_id']}", None, {"If-Match": '"1"'}).status_code == 200


def test_versions_go_on_counting_after_a_forgetting(acme: Company) -> None:
    """R-036, R-046, R-131, R-151: a fresh request of the person stores again, with a new id and the next version."""
    key = new_key()
    old = acme.alice.store(key=key)
    acme.alice.store(key=key)
    acme.alice.forget(old)
    fresh = acme.alice.store(key=key)
    assert fresh["version"] == 3
    assert fresh["memory_id"] != old["memory_id"]
    history = acme.alice.get(f"/memories/{fresh['memory_id']}/history").json()["items"]
    assert [(row["version"], row["status"]) for row in history] == [(3, "active"), (2, "deleted"), (1, "deleted")]


# --- nothing brings it back -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("evidence", [None, "tool_output", "summary", "run_result"])
def test_a_forgotten_key_stays_closed_to_machines(acme: Company, evidence: str | None) -> None:
    """R-150, R-320, D9, D11, D13: by re-extraction, by a tool, by a summary; a fresh word of the person opens it."""
    key = new_key()
    acme.alice.forget(acme.alice.store(key=key))
    answer = acme.alice.propose(key=key, evidence=evidence).json()
    assert answer["reason"].startswith("tombstone_")
    assert answer["candidate_id"] is None
    assert acme.alice.propose(key=key).json()["decision"] == "store"


def test_an_old_word_of_the_person_does_not_open_it(acme: Company) -> None:
    """R-151: said before the forgetting does not count, said after it does; the moment itself does not either."""
    key = new_key()
    said_before = acme.alice.evidence(occurred_at=now(minutes=-5).isoformat())
    acme.alice.forget(acme.alice.store(key=key))
    assert acme.alice.propose(key=key, evidence=said_before).json()["reason"] == "tombstone_key"
    with acme.entered():
        forgotten_at = Slot.objects.get().forgotten_at
    at_once = acme.alice.evidence(occurred_at=forgotten_at.isoformat())
    assert acme.alice.propose(key=key, evidence=at_once).json()["reason"] == "tombstone_key"
    later = acme.alice.evidence(occurred_at=(forgotten_at + timedelta(microseconds=1)).isoformat())
    assert acme.alice.propose(key=key, evidence=later).json()["decision"] == "store"


def test_a_forgotten_source_brings_nothing_back_under_another_name(acme: Company) -> None:
    """R-150, R-152, D13: the same old message, re-read, is refused for a new key too; a new message is not."""
    event = {"ref": "message_7", "thread": "talk", "occurred_at": now(minutes=-5).isoformat()}
    acme.alice.forget(acme.alice.store(evidence=acme.alice.evidence(**event)))
    replayed = acme.alice.propose(key=new_key(), evidence=acme.alice.evidence(**event)).json()
    assert replayed["reason"] == "tombstone_source"
    fresh = acme.alice.evidence(**event | {"ref": "message_8", "occurred_at": now().isoformat()})
    assert acme.alice.propose(key=new_key(), evidence=fresh).json()["decision"] == "store"
    with acme.entered():
        (marker,) = SourceMarker.objects.all()
        assert len(marker.source_digest) == 64


def test_another_persons_same_message_is_another_source(acme: Company) -> None:
    event = {"ref": "message_7", "thread": "talk", "occurred_at": now(minutes=-5).isoformat()}
    acme.alice.forget(acme.alice.store(evidence=acme.alice.evidence(**event)))
    assert acme.paul.propose(evidence=acme.paul.evidence(**event)).json()["decision"] == "store"


def test_what_waits_for_a_person_cannot_bring_it_back(acme: Company) -> None:
    """R-103, R-153: a candidate of that key is withdrawn, and its approval comes too late."""
    key = new_key()
    memory = acme.alice.store(key=key)
    held = acme.alice.hold(key=key)
    acme.alice.forget(memory)
    late = acme.person("alice").decide(held, "approve")
    assert late.status_code == 409
    with acme.entered():
        candidate = Candidate.objects.get()
        assert (candidate.status, candidate.statement, candidate.key) == ("withdrawn", None, None)
        assert Memory.objects.kept().count() == 0


def test_evidence_that_others_still_need_is_kept(acme: Company) -> None:
    """D8: one message behind two memories loses its words with the second."""
    evidence = acme.alice.evidence(text="I like both.")
    one, two = acme.alice.store(evidence=evidence), acme.alice.store(evidence=evidence)
    acme.alice.forget(one)
    with acme.entered():
        assert Evidence.objects.get().text == "I like both."
    acme.alice.forget(two)
    with acme.entered():
        assert Evidence.objects.get().text is None


def test_further_evidence_goes_with_what_it_supported(acme: Company) -> None:
    memory = acme.alice.store()
    support = acme.alice.evidence(text="As I said.")
    assert acme.alice.propose(memory["statement"], memory["key"], support).json()["decision"] == "keep"
    acme.alice.forget(memory)
    with acme.entered():
        assert not Evidence.objects.exclude(text=None).exists()


# --- by filter --------------------------------------------------------------------------------------------------------


def test_a_dry_run_names_every_version_and_touches_nothing(acme: Company) -> None:
    """The exact ids first; the token then forgets those and only once."""
    first = acme.alice.store()
    second = acme.alice.store(key=first["key"])
    plan = acme.alice.post("/forget", {"filter": {"key": first["key"]}, "dry_run": True}).json()
    assert sorted(plan["memory_ids"]) == sorted([first["memory_id"], second["memory_id"]])
    assert acme.alice.memory(second["memory_id"]).json()["status"] == "active"
    done = acme.alice.post("/forget", {"confirm_token": plan["confirm_token"]})
    assert sorted(done.json()["memory_ids"]) == sorted(plan["memory_ids"])
    assert acme.alice.post("/forget", {"confirm_token": plan["confirm_token"]}).json() == done.json()
    with acme.entered():
        assert Erasure.objects.count() == 1


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        ({"kind": "profile"}, {"plain", "work", "deep"}),
        ({"namespace": {"type": "user", "path": ["work"]}}, {"plain", "profile"}),
        ({"namespace": {"type": "user", "path": ["work", "deep"]}}, {"plain", "profile", "work"}),
        ({"namespace": USER}, set()),
        ({"namespace": USER, "kind": "profile"}, {"plain", "work", "deep"}),
    ],
)
def test_a_filter_forgets_what_it_says(acme: Company, chosen: dict[str, Any], left: set[str]) -> None:
    alice = acme.alice
    alice.store(key="plain")
    alice.store("Works with spreadsheets every day.", "profile", kind="profile", reusable=True)
    alice.store(key="work", namespace={"type": "user", "path": ["work"]})
    alice.store(key="deep", namespace={"type": "user", "path": ["work", "deep"]})
    plan = alice.post("/forget", {"filter": chosen, "dry_run": True}).json()
    assert plan["count"] == 4 - len(left)
    alice.post("/forget", {"confirm_token": plan["confirm_token"]})
    assert {row["key"] for row in alice.listed()} == left


def test_an_empty_filter_is_refused_and_never_everything(acme: Company) -> None:
    """I4, I12."""
    memory = acme.alice.store()
    for body in (
        {},
        {"filter": {}, "dry_run": True},
        {"filter": {"kind": "preference"}},
        {"filter": {"kind": "preference"}, "dry_run": False},
        {"filter": {"key": ""}, "dry_run": True},
        {"filter": {"colour": "red"}, "dry_run": True},
        {"confirm_token": "made up"},
        {"filter": {"kind": "preference"}, "dry_run": True, "confirm_token": "both"},
    ):
        assert acme.alice.post("/forget", body).status_code == 400, body
    assert acme.alice.recalled("summary") == [memory["memory_id"]]


def test_a_plan_is_void_when_something_came_in_between(acme: Company) -> None:
    memory = acme.alice.store()
    plan = acme.alice.post("/forget", {"filter": {"key": memory["key"]}, "dry_run": True}).json()
    newer = acme.alice.store(key=memory["key"])
    answer = acme.alice.post("/forget", {"confirm_token": plan["confirm_token"]})
    assert (answer.status_code, answer.json()["code"]) == (409, "plan_changed")
    assert acme.alice.memory(newer["memory_id"]).json()["status"] == "active"


def test_a_plan_forgets_just_what_was_shown(acme: Company) -> None:
    """A name that came under the selection since the dry run stays."""
    area = {"type": "user", "path": ["work"]}
    shown = [acme.alice.store(namespace=area) for _ in range(2)]
    plan = acme.alice.post("/forget", {"filter": {"namespace": area}, "dry_run": True}).json()
    later = acme.alice.store(namespace=area)
    receipt = acme.alice.post("/forget", {"confirm_token": plan["confirm_token"]}).json()
    assert receipt["counts"]["memories"] == len(shown)
    assert [row["memory_id"] for row in acme.alice.listed()] == [later["memory_id"]]


def test_a_token_belongs_to_who_asked_for_it(acme: Company, beta: Company) -> None:
    memory = acme.alice.store()
    plan = acme.alice.post("/forget", {"filter": {"kind": "preference"}, "dry_run": True}).json()
    token = {"confirm_token": plan["confirm_token"]}
    for caller in (acme.paul, beta.bob, beta.by("runtime", "alice")):
        assert caller.post("/forget", token).status_code == 400
    assert acme.alice.memory(memory["memory_id"]).json()["status"] == "active"
    assert acme.alice.get(f"/erasures/{_plan_id(acme)}").status_code == 404  # a plan is no receipt


def _plan_id(acme: Company) -> str:
    with acme.entered():
        return str(Erasure.objects.get().pk)


def test_an_old_token_forgets_nothing(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    acme.alice.store()
    plan = acme.alice.post("/forget", {"filter": {"kind": "preference"}, "dry_run": True}).json()
    later = time.time() + 3601
    monkeypatch.setattr("django.core.signing.time.time", lambda: later)
    assert acme.alice.post("/forget", {"confirm_token": plan["confirm_token"]}).status_code == 400


# --- who may ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("namespace", [TEAM, PROJECT], ids=lambda namespace: namespace["type"])
def test_what_is_shared_is_forgotten_by_those_who_keep_it(acme: Company, namespace: dict[str, Any]) -> None:
    """R-049, R-058, R-157: a member may not, a reviewer may; whoever may not even read it gets a 404.

    An agent that works for a reviewer has not the reviewer's rights unless it may relay their word.
    """
    memory = acme.rita.share(namespace, "Check the receipt before closing a case.")
    path = f"/memories/{memory['memory_id']}"
    relay = acme.by("relay", "rita")
    assert acme.by("relay", "alice").call("DELETE", path).status_code == 403
    assert acme.rita.call("DELETE", path).status_code == 403
    assert acme.paul.call("DELETE", path).status_code == 404
    chosen = {"filter": {"namespace": namespace}, "dry_run": True}
    assert acme.by("relay", "alice").post("/forget", chosen).status_code == 403
    assert acme.rita.post("/forget", chosen).status_code == 403
    assert relay.post("/forget", chosen).json()["count"] == 1
    assert relay.call("DELETE", path).status_code == 200


def test_a_maintainer_may_change_their_project(acme: Company) -> None:
    memory = acme.rita.share(PROJECT, "Check the receipt before closing a case.")
    path = f"/memories/{memory['memory_id']}"
    assert acme.adam.call("DELETE", path).status_code == 403
    assert acme.by("relay", "adam").call("DELETE", path).status_code == 200


def test_what_refused_proposals_rested_on_goes_with_the_key(acme: Company) -> None:
    """R-153: a message that only led to a refusal is as forgotten as the key it was about."""
    mark, alice = word(8), acme.alice
    memory = alice.store()
    said = alice.evidence(text=f"About the {mark}.")
    refused = alice.propose(key=memory["key"], evidence=said, reusable=False).json()
    assert refused["decision"] == "reject"
    alice.forget(memory)
    with acme.entered():
        assert Evidence.objects.get(pk=said).text is None


def test_any_current_version_matches_a_star(acme: Company) -> None:
    """RFC 9110 §13.1.1."""
    alice = acme.alice
    memory = alice.store()
    path, body = f"/memories/{memory['memory_id']}", {"statement": sentence(), "evidence_id": alice.evidence()}
    assert alice.call("PATCH", path, body, {"If-Match": '"9"'}).status_code == 412
    assert alice.call("PATCH", path, body, {"If-Match": "*"}).status_code == 200


def test_an_agents_own_memories_are_its_own_and_its_owners(acme: Company) -> None:
    memory = acme.rita.share(AGENT, "Check the receipt before closing a case.")
    assert acme.by("runtime", "alice", agent="outsider").memory(memory["memory_id"]).status_code == 404
    assert acme.person("alice").get(f"/memories/{memory['memory_id']}").status_code == 404
    assert acme.person("adam").get(f"/memories/{memory['memory_id']}").status_code == 200


# --- failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("store", ["features", "memories", "candidates"])
def test_a_store_that_fails_fails_the_forgetting(acme: Company, monkeypatch: pytest.MonkeyPatch, store: str) -> None:
    """D4, R-161, R-238: no success without every store; nothing is half gone, and the next attempt works."""
    from dataclasses import replace

    from memories import stores

    def fails(_: Any) -> int:
        raise RuntimeError

    memory = acme.alice.store()
    broken = tuple(replace(one, purge=fails) if one.name == store else one for one in stores.STORES)
    with monkeypatch.context() as patch:
        patch.setattr(stores, "STORES", broken)
        with pytest.raises(AssertionError, match="500"):
            acme.alice.call("DELETE", f"/memories/{memory['memory_id']}")
    with acme.entered():
        assert (Erasure.objects.count(), Memory.objects.current().count(), Feature.objects.count()) == (0, 1, 1)
    assert acme.alice.recalled("summary") == [memory["memory_id"]]
    assert acme.alice.forget(memory)["counts"]["memories"] == 1


def test_pausing_is_not_forgetting(acme: Company) -> None:
    """R-018, R-159: out of recall and back, with its words."""
    memory = acme.alice.store()
    path = f"/memories/{memory['memory_id']}"
    for action, status in (("pause", "paused"), ("pause", "paused"), ("resume", "active"), ("resume", "active")):
        answer = acme.alice.post(f"{path}/{action}")
        assert (answer.status_code, answer.json()["status"]) == (200, status)
    assert acme.alice.memory(memory["memory_id"]).json()["statement"] == memory["statement"]
    with acme.entered():
        assert AuditEvent.objects.filter(action="memory.pause").count() == 2
    newer = acme.alice.store(key=memory["key"])
    late = acme.alice.call("POST", f"{path}/pause", {}, {"If-Match": '"1"'})
    assert late.status_code == 412
    assert acme.alice.memory(newer["memory_id"]).json()["status"] == "active"


def test_forgetting_counts_as_a_change_of_the_place(acme: Company) -> None:
    """T17: every process with an index of this place sees that it is old."""
    memory = acme.alice.store()

    def revision() -> int:
        with acme.entered():
            return int(Namespace.objects.get(membership__external_id="alice").revision)

    before = revision()
    acme.alice.forget(memory)
    assert revision() > before


def test_evidence_keeps_its_words_for_its_time_only(acme: Company) -> None:
    acme.alice.evidence(text="I like it.")
    with acme.entered():
        event = Evidence.objects.get()
        assert timedelta(days=29) < event.expires_at - timezone.now() <= timedelta(days=30)


def test_a_message_without_a_moment_does_not_bring_it_back(acme: Company) -> None:
    """A runtime may leave the moment out; then nobody knows that it came after the forgetting."""
    alice = acme.alice
    undated = {"type": "user_message", "ref": f"message_{word()}"}
    memory = alice.post("/proposals", alice.proposal(evidence=None) | {"evidence": undated}).json()["memory"]
    alice.forget(memory)
    again = alice.proposal(key=memory["key"], evidence=None)
    assert alice.post("/proposals", again | {"evidence": undated}).json()["reason"] == "tombstone_key"
    dated = undated | {"occurred_at": now().isoformat()}
    assert alice.post("/proposals", again | {"evidence": dated}).status_code == 201
