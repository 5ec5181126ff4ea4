"""Programs that move here from mem0: its own client against our routes, under our gates."""

from __future__ import annotations

import importlib
from typing import Any

import httpx
import pytest
from cast import ABSENT, Caller, Company, now, sentence, word
from client_door import Network
from synthetic import sk_key

from accounts.models import AuditEvent
from memories.models import Candidate, Memory

ADD = "//api/mem0/v3/memories/add/"


@pytest.fixture(scope="module")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The package, without its telemetry and with its settings in no one's home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEM0_TELEMETRY", "False")
        patch.setenv("MEM0_DIR", str(tmp_path_factory.mktemp("mem0")))
        yield importlib.import_module("mem0")


def client(mem0: Any, caller: Caller) -> Any:
    http = httpx.Client(transport=Network(), headers={"MemoryHub-Subject": caller.subject or ""})
    return mem0.MemoryClient(api_key=caller.token, host="http://testserver/api/mem0", client=http)


def add(caller: Caller, text: str, **more: Any) -> Any:
    return caller.post(ADD, {"messages": [{"role": "user", "content": text}], "infer": False, **more})


def test_its_client_moves_here(acme: Company, mem0: Any) -> None:
    """R-321: what it adds waits for the person; then it is listed, found, changed and forgotten."""
    hub, text = client(mem0, acme.alice), sentence("brisk")
    added = hub.add(text, user_id="alice", infer=False, metadata={"from": "mem0"})
    assert (added["status"], hub.get_all(filters={"user_id": "alice"})["count"]) == ("PENDING", 0)
    with acme.entered():
        held = Candidate.objects.get()
        assert (held.kind, held.evidence_class) == ("profile", "model_inference")
    relay = acme.by("relay")
    relay.decide(relay.candidate(str(held.pk)), "approve", evidence_id=relay.evidence())
    event = acme.alice.get(f"//api/mem0/v1/event/{added['event_id']}/").json()
    (kept,) = hub.get_all(filters={"AND": [{"user_id": "alice"}]})["results"]
    assert (event["status"], event["results"][0]["id"]) == ("SUCCEEDED", kept["id"])
    assert (kept["memory"], kept["user_id"], kept["metadata"]) == (text, "alice", {"from": "mem0"})
    (found,) = hub.search("brisk summary", filters={"user_id": "alice"}, top_k=3)["results"]
    assert (found["id"], 0 < found["score"] <= 1) == (kept["id"], True)
    assert hub.search("brisk summary", filters={"user_id": "alice"}, threshold=1.1)["results"] == []
    assert hub.get(kept["id"])["memory"] == text
    assert hub.update(kept["id"], text=sentence())["status"] == "PENDING"
    assert hub.get(kept["id"])["memory"] == text
    assert [step["event"] for step in hub.history(kept["id"])] == ["ADD"]
    assert "deleted" in hub.delete(kept["id"])["message"]
    assert hub.get_all(filters={"user_id": "alice"})["results"] == []
    with acme.entered():
        assert not Memory.objects.exclude(status="deleted").exists()
        assert AuditEvent.objects.filter(action="memory.forget").count() == 1


def test_its_client_is_told_what_went_wrong(acme: Company, mem0: Any) -> None:
    hub = client(mem0, acme.alice)
    problems = importlib.import_module("mem0.exceptions")
    with pytest.raises(problems.MemoryNotFoundError):
        hub.get(ABSENT)
    with pytest.raises(problems.ValidationError):
        hub.add(sentence(), user_id="alice")
    with pytest.raises(problems.ValidationError):
        hub.delete_all(user_id="alice")
    with pytest.raises(problems.MemoryNotFoundError):
        hub.add(sentence(), user_id="paul", infer=False)
    with pytest.raises(ValueError, match="Send a valid credential"):
        client(mem0, Caller("mh_k000000000000_" + "0" * 64, "alice"))
    with pytest.raises(ValueError, match="Say for whom"):
        mem0.MemoryClient(
            api_key=acme.alice.token, host="http://testserver/api/mem0", client=httpx.Client(transport=Network())
        )


def test_the_same_words_are_one_memory(acme: Company) -> None:
    """W1, W2: also when the same file is handed over beside it."""
    text = sentence()
    first, again = (add(acme.alice, text) for _ in range(2))
    assert (first.status_code, again.status_code) == (202, 202)
    once = {"Idempotency-Key": word()}
    body = {"messages": [{"role": "user", "content": text}], "infer": False}
    answers = [acme.alice.post(ADD, body, once) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert answers[1]["Idempotency-Replayed"] == "true"
    with acme.entered():
        assert Candidate.objects.count() == 1


def test_what_is_refused_is_an_error_and_is_kept_nowhere(acme: Company) -> None:
    """R-325, R-238: no client may take a refusal for done."""
    secret = sk_key()
    refused = add(acme.alice, f"The deploy key is {secret}.")
    routed = add(acme.alice, "The refund of order 1182 is approved.")
    assert [(one.status_code, one.json()["status"]) for one in (refused, routed)] == [(422, "FAILED")] * 2
    assert "sensitive_or_prohibited" in refused.json()["detail"]
    assert secret not in refused.content.decode()
    event = acme.alice.get(f"//api/mem0/v1/event/{refused.json()['event_id']}/").json()
    assert (event["status"], event["results"]) == ("FAILED", [])
    with acme.entered():
        assert (Candidate.objects.count(), Memory.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        (ADD, {"infer": True}, "infer"),
        (ADD, {"agent_id": "helper"}, "agent_id"),
        (ADD, {"user_id": " "}, "user_id"),
        (ADD, {"messages": [{"role": "assistant", "content": "x"}]}, "messages.0.role"),
        (ADD, {"messages": [{"role": "user", "content": "x"}] * 2}, "messages"),
        (ADD, {"expiration_date": "soon"}, "expiration_date"),
        ("//api/mem0/v3/memories/search/", {"query": "x", "filters": {"agent_id": "helper"}}, "filters"),
        ("//api/mem0/v3/memories/search/", {"query": "x", "filters": {"OR": [{"user_id": "alice"}]}}, "filters"),
        ("//api/mem0/v3/memories/search/", {"query": "x", "filters": {"user_id": ""}}, "filters"),
        ("//api/mem0/v3/memories/search/", {"query": "x", "rerank": True}, "rerank"),
        ("//api/mem0/v3/memories/", {"filters": {"categories": ["x"]}}, "filters"),
    ],
)
def test_what_cannot_be_mapped_is_refused_by_name(acme: Company, path: str, body: Any, field: str) -> None:
    """R11, I12: never ignored."""
    usual = {"messages": [{"role": "user", "content": "x"}], "infer": False} if path == ADD else {}
    response = acme.alice.post(path, usual | body)
    assert response.status_code == 400
    assert field in [one["pointer"] for one in response.json()["errors"]]


def test_a_named_person_chooses_nobody(acme: Company, beta: Company) -> None:
    """R-305: whoever is not the credential's person answers as somebody who does not exist."""
    acme.alice.store()
    for filters in ({"user_id": "paul"}, {"user_id": "nobody"}, {"user_id": "bob"}):
        for path, body in (("v3/memories/", {}), ("v3/memories/search/", {"query": "summary"})):
            response = acme.alice.post(f"//api/mem0/{path}", body | {"filters": filters})
            assert (response.status_code, response.json()["code"]) == (404, "unknown_subject")
    assert acme.paul.post("//api/mem0/v3/memories/", {}).json()["count"] == 0
    assert beta.by("runtime", "alice").post("//api/mem0/v3/memories/", {}).json()["count"] == 0


def test_pages_are_counted_and_complete(acme: Company) -> None:
    """R7: what is past its end is not among them."""
    kept = {acme.alice.store()["memory_id"] for _ in range(5)}
    ended = acme.alice.store(valid_until=now(days=1).isoformat())
    with acme.entered():
        Memory.objects.filter(pk=ended["memory_id"]).update(valid_until=now(days=-1))
    seen: list[str] = []
    path = "//api/mem0/v3/memories/?page=1&page_size=2"
    while path:
        page = acme.alice.post(path, {}).json()
        assert page["count"] == 5
        seen += [one["id"] for one in page["results"]]
        path = f"/{page['next']}" if page["next"] else ""
    assert (sorted(seen), len(seen)) == (sorted(kept), 5)
    assert acme.alice.post("//api/mem0/v3/memories/?page=0", {}).status_code == 400
