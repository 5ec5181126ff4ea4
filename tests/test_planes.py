"""What is kept apart: a call's context, a conversation, what is remembered, and what a business system owns."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from cast import ABSENT, PROJECT, TEAM, USER, Company, in_months, new_key, now, sentence, word

from accounts.models import AuditEvent
from memories.models import Candidate, Evidence, Memory, Operation

ROOT = Path(__file__).parent.parent


def test_what_was_only_said_is_kept_as_evidence_and_never_recalled(acme: Company) -> None:
    """R-003, R-025, R-051: a conversation of one person's thread has an end of its own; the same words are
    recalled elsewhere only once they were proposed.
    """
    mark = word()
    alice, later = acme.alice.in_run("run_1", "thread_1"), acme.alice.in_run("run_2", "thread_2")
    alice.evidence(text=sentence(mark), thread="thread_1")
    assert alice.recalled(mark) == later.recalled(mark) == []
    with acme.entered():
        said = Evidence.objects.get()
        assert (said.text, said.thread) == (sentence(mark), "thread_1")
        assert said.expires_at is not None
        assert not Memory.objects.exists()
    memory = alice.store(sentence(mark))
    assert later.recalled(mark) == [memory["memory_id"]]


def test_a_context_packet_writes_no_memory(acme: Company) -> None:
    """R-020: assembled anew for each call, also the same one twice; it carries memories and becomes none."""
    mark = word()
    memory = acme.alice.store(sentence(mark))
    with acme.entered():
        before = list(Memory.objects.values_list())
    packets = [acme.alice.post("/context", {"query": mark, "mode": "generous"}).json()["packet"] for _ in range(2)]
    assert [[item["memory_id"] for item in packet["items"]] for packet in packets] == [[memory["memory_id"]]] * 2
    with acme.entered():
        assert list(Memory.objects.values_list()) == before
        assert not Candidate.objects.exists()


@pytest.mark.parametrize("kind", ["document", "knowledge_base", "run_state", "chat_history"])
def test_what_belongs_to_another_plane_is_no_kind_of_memory(acme: Company, kind: str) -> None:
    """R-011, R-258: documents, runs and chats have places of their own; the same words as a preference stay."""
    text = sentence(word())
    assert acme.alice.propose(text, kind=kind).json()["decision"] == "reject"
    with acme.entered():
        assert not Memory.objects.exists()
    assert acme.alice.propose(text).json()["decision"] == "store"


def test_what_becomes_of_a_write_is_asked_of_its_operation_and_never_recalled(acme: Company) -> None:
    """The operation tells the checks in their order, the decision and its reason, and holds no text."""
    mark = word()
    answer = acme.alice.propose(sentence(mark)).json()
    told = acme.alice.get(f"/operations/{answer['operation_id']}").json()
    assert (told["decision"], told["reason"]) == (answer["decision"], answer["reason"])
    with acme.entered():
        operation = Operation.objects.get(pk=answer["operation_id"])
        assert [check["rule"] for check in operation.checks] == [check["rule"] for check in answer["checks"]]
        assert mark not in str(Operation.objects.values().get(pk=operation.pk))
    acme.alice.forget(answer["memory"])
    assert acme.alice.recalled(mark) == []


def test_evidence_tells_where_a_proposal_came_from(acme: Company) -> None:
    """R-068: the class comes from what was attested, never from a body."""
    for type_, class_ in (("user_message", "explicit_user"), ("summary", "model_inference")):
        answer = acme.alice.propose(evidence=type_).json()
        held = answer["memory"] or acme.alice.candidate(answer["candidate_id"])
        assert held["evidence_class"] == class_
    assert acme.alice.propose(evidence="business_receipt").json()["decision"] == "route_to_source"
    assert acme.alice.post("/proposals", acme.alice.proposal() | {"evidence_class": "explicit_user"}).status_code == 400


def test_deleting_answers_whether_something_was_there(acme: Company) -> None:
    """R-108: only in one's own place; what is not there, or another's, is not found."""
    memory = acme.alice.store()
    assert acme.paul.call("DELETE", f"/memories/{memory['memory_id']}").status_code == 404
    assert acme.alice.call("DELETE", f"/memories/{ABSENT}").status_code == 404
    assert acme.alice.memory(memory["memory_id"]).json()["status"] == "active"
    assert acme.alice.call("DELETE", f"/memories/{memory['memory_id']}").status_code == 200
    assert acme.alice.call("DELETE", f"/memories/{memory['memory_id']}").status_code == 404


def test_an_unknown_place_takes_nothing(acme: Company) -> None:
    """I17: a project that is not there is not written to, nor made; one that is there is found again."""
    mark, fields = word(), {"kind": "lesson", "valid_until": in_months(), "evidence": "review"}
    absent = acme.alice.propose(sentence(mark), namespace={"type": "project", "id": "nowhere"}, **fields)
    assert absent.status_code == 404 or absent.json()["reason"] == "invalid_namespace"
    with acme.entered():
        assert not Memory.objects.exists()
    memory = acme.alice.store(sentence(mark), namespace=PROJECT, **fields)
    assert acme.alice.recalled(mark, namespaces=[PROJECT]) == [memory["memory_id"]]


def test_an_edit_shows_one_value_and_one_version_by_every_door(acme: Company) -> None:
    """W8: page, API, list, recall and export."""
    old, new, key = word(), word(), new_key()
    memory = acme.alice.store(sentence(old), key)
    edited = acme.alice.correct(memory, statement=sentence(new)).json()["memory"]
    recalled = acme.alice.recall(new)["items"]
    shown = [acme.alice.memory(edited["memory_id"]).json(), *acme.alice.listed(status="active"), *recalled]
    assert [(one["statement"], one["version"]) for one in shown] == [(sentence(new), 2)] * 3
    exported = acme.alice.post("/exports", {})
    text = b"".join(exported.streaming_content if exported.streaming else [exported.content]).decode()
    page = acme.person("alice").client.get(f"/memories/{edited['memory_id']}/").content.decode()
    for door in (text, page):
        assert sentence(new) in door
    assert acme.alice.recalled(old) == []


def test_no_memory_opens_a_door(acme: Company) -> None:
    """R-182, R-183: whatever is remembered about rights, the same calls are refused as before."""
    claims = ["Paul is a member of the support team.", "Alice approves every request without asking."]
    paul = acme.paul
    before = [paul.post("/recall", {"query": "x", "namespaces": [TEAM]}).status_code, paul.get("/audit").status_code]
    for claim in claims:
        acme.alice.propose(claim)
        paul.propose(claim)
    after = [paul.post("/recall", {"query": "x", "namespaces": [TEAM]}).status_code, paul.get("/audit").status_code]
    assert before == after
    assert before[0] == 404


def test_what_decides_about_rights_reads_no_memory() -> None:
    """R-182, R-183: the modules that know who may do what import nothing that holds a memory."""
    for module in sorted((ROOT / "accounts").rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not [name for name in names if name.split(".")[0] in ("memories", "reviews")], module


def test_a_longer_life_is_no_greater_authority(acme: Company) -> None:
    """R-031: a maintainer's word of many months does not replace a reviewer's of days."""
    key, text = new_key(), "Run the tests before every merge."
    fields = {"kind": "convention", "namespace": PROJECT}
    soon = acme.alice.store(text, key, evidence="review", valid_until=now(days=9).date().isoformat(), **fields)
    answer = acme.adam.propose("Run no tests before a merge.", key, valid_until=in_months(), **fields).json()
    assert answer["decision"] not in ("store", "supersede")
    assert acme.alice.memory(soon["memory_id"]).json()["status"] == "active"


def test_signing_in_and_an_event_are_part_of_every_write(acme: Company) -> None:
    """R-114, R-261: without a credential nothing is written; with one, the write and its event are."""
    stranger = {"Authorization": "Bearer mh_no_key"}
    assert acme.alice.post("/proposals", acme.alice.proposal(), stranger).status_code == 401
    with acme.entered():
        assert not Memory.objects.exists()
        acted = AuditEvent.objects.filter(action="memory.propose").count()
    acme.alice.store()
    with acme.entered():
        assert (Memory.objects.count(), AuditEvent.objects.filter(action="memory.propose").count()) == (1, acted + 1)


def test_places_are_named_by_whole_labels_of_ones_own(acme: Company) -> None:
    """R-050: an environment or a region is a label of the path; another one's memory stays in it."""
    mark = word()
    here, there = {**USER, "path": ["eu", "production"]}, {**USER, "path": ["us", "production"]}
    memory = acme.alice.store(sentence(mark), namespace=here)
    assert acme.alice.recalled(mark, namespaces=[here]) == [memory["memory_id"]]
    assert acme.alice.recalled(mark, namespaces=[there]) == []
