"""Conversations are looked through: what the person asked for is proposed once, and the words are gone afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from cast import TEAM, Caller, Company, now, text_of, word
from django.utils import timezone
from exchange import sweep
from scripted_model import Script, agent_of
from synthetic import github_token

from accounts.models import AuditEvent
from memories import purging
from memories.extraction import model, working
from memories.models import Candidate, Extraction, Memory
from memories.stores import scan
from memories.tasks import extract

Said = Mapping[str, Any]


def said(text: str, role: str = "user", **fields: Any) -> dict[str, Any]:
    return {"id": f"message_{word()}", "role": role, "at": now().isoformat(), "text": text, **fields}


def hand_over(caller: Caller, *messages: Said, status: int = 200, **fields: Any) -> dict[str, Any]:
    headers = fields.pop("headers", None)
    body = {"conversation": f"thread_{word()}", "messages": list(messages), **fields}
    response = caller.post("/extractions", body, headers)
    assert response.status_code == status, text_of(response)
    return dict(response.json())


def decisions(answer: Mapping[str, Any]) -> list[tuple[str | None, str]]:
    return [(one["decision"], one["reason"]) for one in answer["items"]]


def held_texts(company: Company) -> int:
    with company.entered():
        return Extraction.objects.filter(messages__isnull=False).count()


def wish(mark: str | None = None) -> str:
    return f"From now on put the {mark or word()} table first."


# --- whose word it is -------------------------------------------------------------------------------------------------


def test_what_the_person_asked_for_is_remembered_and_the_conversation_is_gone(acme: Company) -> None:
    """R-043, R-093, R-097, R-255: with a runtime's attestation, under the gate's rules, with its source."""
    mark = word()
    messages = [
        said("Morning!"),
        said(f"Nice. {wish(mark)} Thanks!"),
        said(f"Always use {word()} tables.", "assistant"),
    ]
    answer = hand_over(acme.alice.in_run("run_7"), *messages, conversation="thread_9")
    assert (answer["state"], answer["reason"], answer["progress"]) == ("done", "found", {"done": 3, "total": 3})
    assert decisions(answer) == [("store", "policy_accepted")]
    memory = acme.alice.memory(answer["items"][0]["memory_id"]).json()
    assert memory["statement"] == f"From now on put the {mark} table first"
    assert memory["evidence_class"] == "explicit_user"
    assert memory["provenance"] | {"policy_version": 0} == {
        "evidence_type": "user_message", "ref": messages[1]["id"], "run_id": "run_7", "thread_id": "thread_9",
        "source": "extraction", "policy_version": 0,
    }  # fmt: skip
    assert held_texts(acme) == 0
    assert acme.alice.get(f"/extractions/{answer['id']}").json() == answer
    with acme.entered():
        told = AuditEvent.objects.filter(target="extraction").order_by("pk").values_list("action", flat=True)
        assert list(told) == ["extraction.ask", "extraction.finish"]


@pytest.mark.parametrize("by", ["an agent that may not attest", "the person's own script", "someone else's message"])
def test_anything_else_is_an_inference_and_waits(acme: Company, by: str) -> None:
    """R-095, R-096: a key alone makes nothing explicit, and nobody else's words are the person's own."""
    caller = {"an agent that may not attest": acme.by("agent"), "the person's own script": acme.person("alice")}.get(by)
    if caller is None:
        assert hand_over(acme.alice, said(wish(), author="paul"))["reason"] == "nothing_found"
        assert decisions(hand_over(acme.alice, said(wish(), author="alice"))) == [("store", "policy_accepted")]
        return
    answer = hand_over(caller, said(wish()))
    assert decisions(answer) == [("needs_confirmation", "inference_requires_confirmation")]
    with acme.entered():
        held = Candidate.objects.get(pk=answer["items"][0]["candidate_id"])
        assert (held.evidence_class, held.evidence_id) == ("model_inference", None)
        assert held.provenance["extraction_id"] == answer["id"]
        assert not Memory.objects.exists()


def test_under_the_default_policy_the_person_is_shown_it_first(acme: Company) -> None:
    acme.policy()
    assert decisions(hand_over(acme.alice, said(wish()))) == [("needs_confirmation", "confirmation_required")]


def test_what_is_meant_for_once_is_never_stored(acme: Company) -> None:
    """R-263, R-006: not even as something that waits."""
    answer = hand_over(acme.alice, said("Just this once, answer in French."), said("这次用表格就行。"))
    assert decisions(answer) == [("reject", "not_reusable_across_tasks")] * 2
    with acme.entered():
        assert not Memory.objects.exists()
        assert not Candidate.objects.exists()


@pytest.mark.parametrize("text", ["Do you remember my birthday?", "老师说以后作业都要手写。", "> {wish}", '"{wish}"',
                                  "[memory context]\n{wish}\n[end of memory context]\nHow are you?"])  # fmt: skip
def test_what_was_not_asked_for_is_not_found(acme: Company, text: str) -> None:
    """D9, W14: questions, others' words and recalled memories; and nothing found says so."""
    answer = hand_over(acme.alice, said(text.replace("{wish}", wish())))
    assert (answer["state"], answer["reason"], answer["items"]) == ("done", "nothing_found", [])


def test_only_repeating_what_was_recalled_is_no_new_inference(acme: Company) -> None:
    text = wish()
    acme.alice.store(text.rstrip("."))
    assert decisions(hand_over(acme.by("agent"), said(text))) == [(None, "recalled_or_known")]


def test_what_was_recalled_in_the_run_is_nobodys_new_wish(acme: Company) -> None:
    """D11, R-079: also where it stands in a place of others."""
    text = f"Always check the {word()} list before closing a case."
    acme.rita.share(TEAM, text)
    assert acme.by("runtime").in_run("run_3").recalled("list closing case")
    agent = acme.by("agent").in_run("run_3")
    assert decisions(hand_over(agent, said(text))) == [(None, "recalled_or_known")]


# --- once, whatever happens -------------------------------------------------------------------------------------------


def test_sent_again_it_is_answered_again_and_nothing_is_written_twice(acme: Company) -> None:
    """W10: under the same key the same answer; the same conversation under another one adds nothing."""
    message, key = said(wish()), {"Idempotency-Key": word()}
    first = hand_over(acme.alice, message, conversation="one", headers=key)
    assert hand_over(acme.alice, message, conversation="one", headers=key) == first
    again = hand_over(acme.alice, message, conversation="one")
    assert decisions(again) == [("keep", "already_known")]
    with acme.entered():
        assert Memory.objects.count() == 1


def test_after_a_crash_everything_is_written_once(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(working.audit, "record", _crash_at("extraction.finish", working.audit.record))
        with pytest.raises(Crash):
            hand_over(acme.alice, said(wish()), said(wish()))
    with acme.entered():
        assert not Memory.objects.exists()
        row = Extraction.objects.get()
        assert (row.state, row.messages is None) == ("running", False)
    assert "conversations_extracted" not in sweep(acme), "someone may still be at it"
    assert sweep(acme, minutes=6)["conversations_extracted"] == 1
    assert sweep(acme, minutes=12).get("conversations_extracted") is None
    with acme.entered():
        assert Memory.objects.count() == 2


class Crash(BaseException):
    """The process ends here."""


def _crash_at(action: str, record: Any) -> Any:
    def crash(principal: Any, name: str, **more: Any) -> Any:
        if name == action:
            raise Crash
        return record(principal, name, **more)

    return crash


def test_a_lost_right_ends_it(acme: Company, scripted: Any) -> None:
    scripted(acme)
    answer = hand_over(acme.alice, said(wish()), method="model", status=202)
    with acme.entered():
        row = Extraction.objects.get(pk=answer["id"])
        row.agent_id = row.pk  # an agent that is gone
        row.save()
    sweep(acme)
    assert acme.alice.get(f"/extractions/{answer['id']}").json()["reason"] == "no_longer_permitted"


# --- what may not be kept ---------------------------------------------------------------------------------------------


def test_a_secret_is_let_go_of_before_anything_is_written(acme: Company) -> None:
    """R-263, R-288, W15: the message is counted, its text is nowhere; in a name it is refused."""
    secret = github_token()
    answer = hand_over(acme.alice, said(f"Remember that my key is {secret}."), said(wish()))
    assert (answer["withheld"], decisions(answer)) == (1, [("store", "policy_accepted")])
    with acme.entered():
        assert scan(secret) == {}
    response = acme.alice.post("/extractions", {"conversation": secret, "messages": [said("Hi")]})
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, "conversation")
    assert secret not in text_of(response)


def test_a_forgotten_conversation_brings_nothing_back(acme: Company) -> None:
    """R-150, R-151, D9, D13: its old messages stay out, also as guesses; saying it anew counts."""
    old = said(wish(), at=now(minutes=-5).isoformat())
    answer = hand_over(acme.alice, old, conversation="one")
    acme.alice.forget({"memory_id": answer["items"][0]["memory_id"]})
    assert decisions(hand_over(acme.alice, old, conversation="one")) == [("reject", "tombstone_key")]
    assert decisions(hand_over(acme.by("agent"), old, conversation="one")) == [("reject", "tombstone_key")]
    assert decisions(hand_over(acme.alice, {**old, "at": now().isoformat()})) == [("store", "policy_accepted")]


def test_forgetting_lets_go_of_conversations_that_wait(
    acme: Company, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-140, R-155: any of them may tell what is forgotten; the receipt is purged all the same."""
    monkeypatch.setattr(purging, "truncate_log", lambda: True)  # impossible inside a test's transaction
    scripted(acme)
    mark = word(8)
    memory = acme.alice.store(wish(mark))
    answer = hand_over(acme.alice, said(f"About {mark}."), method="model", conversation=f"about_{mark}", status=202)
    receipt = acme.alice.forget(memory)
    with acme.entered():
        assert scan(mark) == {}
    assert acme.alice.get(f"/extractions/{answer['id']}").json()["reason"] == "forgotten_meanwhile"
    sweep(acme)
    assert acme.alice.get(f"/erasures/{receipt['id']}").json()["state"] == "purged"


def test_a_cancelled_conversation_is_gone_and_nothing_comes_of_it(acme: Company, scripted: Any) -> None:
    script = scripted(acme)
    answer = hand_over(acme.alice, said(wish()), method="model", status=202)
    cancelled = acme.alice.post(f"/extractions/{answer['id']}/cancel")
    assert (cancelled.json()["state"], held_texts(acme)) == ("cancelled", 0)
    sweep(acme)
    assert script.sent == []
    assert acme.alice.post(f"/extractions/{answer['id']}/cancel").json()["code"] == "already_ended"
    assert acme.alice.post(f"/extractions/{answer['id']}/retry").json()["code"] == "not_failed"


def test_after_a_day_a_conversation_that_nobody_read_is_gone(acme: Company, scripted: Any) -> None:
    scripted(acme)
    answer = hand_over(acme.alice, said(wish()), method="model", status=202)
    with acme.entered():
        working.drop_ended(acme.principal("alice"), timezone.now() + timedelta(hours=25))
    assert held_texts(acme) == 0
    assert acme.alice.get(f"/extractions/{answer['id']}").json()["reason"] == "not_done_in_time"


def test_a_body_that_makes_no_sense_is_refused_by_its_field(acme: Company) -> None:
    for body, pointer in (
        ({"messages": [said("Hi")]}, "conversation"),
        ({"conversation": "one", "messages": []}, "messages"),
        ({"conversation": "one", "messages": [said("Hi", "narrator")]}, "messages.0.role"),
        ({"conversation": "one", "messages": [{**said("Hi"), "own": True}]}, "messages.0.own"),
        ({"conversation": "one", "messages": [{**said("Hi"), "id": "a"}] * 2}, "messages"),
        ({"conversation": "one", "method": "magic", "messages": [said("Hi")]}, "method"),
    ):
        response = acme.alice.post("/extractions", body)
        assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, pointer)
    nobody = acme.by("runtime", None).post("/extractions", {"conversation": "one", "messages": [said("Hi")]})
    assert (nobody.status_code, nobody.json()["errors"][0]["pointer"]) == (400, "MemoryHub-Subject")
    with acme.entered():
        assert not Extraction.objects.exists()


# --- with a model -----------------------------------------------------------------------------------------------------


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a model follow a script for a company whose policy allows it."""

    def use(company: Company, *steps: Any, api: str = model.CHAT) -> Script:
        script = Script(*steps)
        http = httpx2.Client(transport=httpx2.MockTransport(script.answer))
        asked = model.Model("http://model.test/v1", "a-model", "", timeout=5, api=api, http_client=http)
        monkeypatch.setattr(model, "configured", lambda: asked)
        company.policy(confirm="inferred_only", extraction={"remote": True})
        return script

    return use


def pointing(*found: tuple[int, str], key: str = "table_order", only_now: bool = False) -> str:
    findings = [
        {"message": place, "quote": quote, "kind": "preference", "key": key + str(number), "only_now": only_now}
        for number, (place, quote) in enumerate(found)
    ]
    return json.dumps({"findings": findings})


def with_model(company: Company, *messages: Said, **later: float) -> dict[str, Any]:
    answer = hand_over(company.alice, *messages, method="model", status=202)
    sweep(company, **later)
    return dict(company.alice.get(f"/extractions/{answer['id']}").json())


@pytest.mark.parametrize("api", model.APIS)
def test_a_model_only_points_at_the_persons_own_words(acme: Company, scripted: Any, api: str) -> None:
    """W4, R2: whole sentences of theirs are their word; a part is an inference; what nobody said is nothing."""
    whole, cut = f"周报里先放{word()}表格。", f"I would never put the {word()} table first"
    recalled = f"Likes {word()} tea."
    messages = [
        said(f"早。{whole}"), said(f"{cut}, honestly."), said("You prefer charts.", "assistant"),
        said(f"[memory context]\n{recalled}\n[end of memory context]\nSo?"),
    ]  # fmt: skip
    script = scripted(acme, pointing((0, whole), (1, cut[8:]), (2, "You prefer charts."), (0, "I like tea."),
                                     (3, recalled), (9, "So?"), (3, "So?")), api=api)  # fmt: skip
    answer = with_model(acme, *messages)
    waits = ("needs_confirmation", "inference_requires_confirmation")
    assert decisions(answer) == [("store", "policy_accepted"), waits, waits]
    assert [one["message"] for one in answer["items"]] == [0, 1, 3]
    assert acme.alice.memory(answer["items"][0]["memory_id"]).json()["statement"] == whole
    (sent,) = script.sent
    form = sent["response_format"]["json_schema"] if api == model.CHAT else sent["text"]["format"]
    assert (form["strict"], form["schema"]) == (True, model.SCHEMA)
    assert recalled not in json.dumps(sent, ensure_ascii=False)
    assert api == model.CHAT or sent["store"] is False
    assert held_texts(acme) == 0


def test_what_a_model_calls_momentary_is_not_stored(acme: Company, scripted: Any) -> None:
    text = f"Put the {word()} table first."
    scripted(acme, pointing((0, text), only_now=True))
    assert decisions(with_model(acme, said(text))) == [("reject", "not_reusable_across_tasks")]


def test_a_secret_never_leaves_for_the_model(acme: Company, scripted: Any) -> None:
    secret = github_token()
    script = scripted(acme, pointing())
    answer = with_model(acme, said(f"My key is {secret}."), said("Hello.", "assistant"), said("Hi."))
    assert (answer["reason"], answer["withheld"]) == ("nothing_found", 1)
    assert secret not in json.dumps(script.sent)


def ended(reason: str, **message: Any) -> httpx2.Response:
    said_by_model = {"role": "assistant", "content": None, **message}
    choice = {"index": 0, "message": said_by_model, "finish_reason": reason}
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": "a-model", "choices": [choice]}
    return httpx2.Response(200, json=body)


def responded(status: str, *content: Mapping[str, Any], **more: Any) -> httpx2.Response:
    message = {"type": "message", "id": "m", "role": "assistant", "status": status, "content": list(content)}
    head = {"id": "r", "object": "response", "created_at": 0, "model": "a-model", "status": status}
    options = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
    return httpx2.Response(200, json={**head, **options, "output": [message], **more})


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (ended("stop", refusal="I will not."), "model_refused"),
        (ended("content_filter"), "model_refused"),
        (ended("length", content='{"findings": ['), "model_truncated"),
        (ended("stop"), "model_malformed_answer"),
        ("no JSON at all", "model_malformed_answer"),
        ('{"findings": [{"message": 0}]}', "model_malformed_answer"),
        (httpx2.Response(200, text="<html>"), "model_malformed_answer"),
        (httpx2.Response(401, json={"error": {}}), "model_error"),
    ],
)
def test_a_model_that_fails_is_a_failure_and_can_be_asked_again(
    acme: Company, scripted: Any, step: Any, code: str
) -> None:
    """W14, R-196: never an empty success; the conversation stays for another try."""
    text = wish()
    script = scripted(acme, step, pointing((0, text)))
    answer = with_model(acme, said(text))
    assert (answer["state"], answer["reason"], answer["items"]) == ("failed", code, [])
    assert held_texts(acme) == 1
    assert acme.alice.post(f"/extractions/{answer['id']}/retry").status_code == 202
    sweep(acme)
    assert decisions(acme.alice.get(f"/extractions/{answer['id']}").json()) == [("store", "policy_accepted")]
    assert len(script.sent) == 2
    assert held_texts(acme) == 0


NO = {"type": "refusal", "refusal": "I will not."}
HALF = {"type": "output_text", "text": '{"findings": []', "annotations": []}
WHOLE = {"type": "output_text", "text": '{"findings": []}', "annotations": []}


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (responded("completed", NO), "model_refused"),
        (responded("incomplete", WHOLE, incomplete_details={"reason": "content_filter"}), "model_refused"),
        (responded("incomplete", HALF, incomplete_details={"reason": "max_output_tokens"}), "model_truncated"),
        (responded("incomplete", WHOLE), "model_error"),
        (responded("failed", WHOLE, error={"code": "invalid_prompt", "message": "no"}), "model_error"),
        (responded("cancelled", WHOLE), "model_error"),
        (responded("completed", HALF), "model_malformed_answer"),
        (responded("completed"), "model_malformed_answer"),
        (httpx2.Response(200, json={"status": "completed"}), "model_malformed_answer"),
        (httpx2.Response(200, text="<html>"), "model_malformed_answer"),
        (httpx2.Response(401, json={"error": {}}), "model_error"),
    ],
)
def test_over_the_responses_api_a_failure_is_a_failure_too(acme: Company, scripted: Any, step: Any, code: str) -> None:
    """Whatever was written before it ended: a whole answer with no findings, among it."""
    text = wish()
    scripted(acme, step, pointing((0, text)), api=model.RESPONSES)
    answer = with_model(acme, said(text))
    assert (answer["state"], answer["reason"], answer["items"]) == ("failed", code, [])
    assert held_texts(acme) == 1
    assert acme.alice.post(f"/extractions/{answer['id']}/retry").status_code == 202
    sweep(acme)
    assert decisions(acme.alice.get(f"/extractions/{answer['id']}").json()) == [("store", "policy_accepted")]


def test_a_response_that_failed_for_a_while_is_asked_for_again_by_itself(acme: Company, scripted: Any) -> None:
    text, busy = wish(), responded("failed", error={"code": "rate_limit_exceeded", "message": "later"})
    scripted(acme, busy, pointing((0, text)), api=model.RESPONSES)
    answer = with_model(acme, said(text))
    assert (answer["state"], answer["reason"]) == ("queued", "model_error")
    sweep(acme, seconds=30)
    assert decisions(acme.alice.get(f"/extractions/{answer['id']}").json()) == [("store", "policy_accepted")]


@pytest.mark.parametrize("step", [httpx2.ConnectTimeout("slow"), httpx2.ConnectError("away"), httpx2.Response(503)])
def test_a_model_that_is_away_is_asked_again_by_itself(acme: Company, scripted: Any, step: Any) -> None:
    text = wish()
    script = scripted(acme, step, step, pointing((0, text)))
    answer = with_model(acme, said(text))
    assert answer["state"] == "queued", "not yet given up"
    assert answer["reason"] in ("model_timeout", "model_unreachable", "model_error")
    sweep(acme)
    assert len(script.sent) == 1, "left alone for a while"
    sweep(acme, seconds=30)
    with acme.entered():
        extract.apply(args=[answer["id"]], headers={"tenant": str(acme.tenant.pk)})
    sweep(acme, minutes=5)
    assert decisions(acme.alice.get(f"/extractions/{answer['id']}").json()) == [("store", "policy_accepted")]


def test_no_conversation_goes_to_a_model_that_nobody_allowed(acme: Company, scripted: Any) -> None:
    """The deployment names the model, the tenant's policy lets it read; each can say no."""
    body = {"conversation": "one", "method": "model", "messages": [said(wish())]}
    assert acme.alice.post("/extractions", body).json()["code"] == "no_extraction_model"
    script = scripted(acme, pointing())
    acme.policy(confirm="inferred_only")
    assert acme.alice.post("/extractions", body).json()["code"] == "extraction_model_not_permitted"
    assert script.sent == []
    scripted(acme, pointing())
    answer = hand_over(acme.alice, said(wish()), method="model", status=202)
    acme.policy(confirm="inferred_only")
    sweep(acme)
    assert acme.alice.get(f"/extractions/{answer['id']}").json()["reason"] == "extraction_model_not_permitted"


# --- the SDK and the reference runtime -------------------------------------------------------------------------------


def test_the_sdk_hands_over_follows_and_stops(acme: Company, connect: Any, scripted: Any) -> None:
    hub, text = connect(acme.alice), wish()
    done = hub.extract([said(text)], conversation="one")
    assert (done.ended, done.reason, done.items[0].decision) == (True, "found", "store")
    assert hub.extraction(done.id) == done
    scripted(acme, httpx2.Response(400, json={"error": {}}))
    going = hub.extract([said(text)], conversation="one", method="model")
    assert (going.ended, going.state) == (False, "queued")
    sweep(acme)
    assert hub.extraction(going.id).reason == "model_error"
    assert hub.retry_extraction(going.id).state == "queued"
    assert hub.cancel_extraction(going.id).state == "cancelled"


def test_the_agent_looks_through_each_question_afterwards(acme: Company) -> None:
    """R-079: what the model answers is nobody's wish, and the answer does not depend on it."""
    text = wish()
    turn = agent_of(acme.alice, Script("You always want charts first."), extract="rules").ask(text)
    assert [one.decision for one in turn.extraction.items] == ["store"]
    assert acme.alice.memory(turn.extraction.items[0].memory_id).json()["statement"] == text.rstrip(".")
    turn = agent_of(acme.alice, Script("Yes."), extract="model").ask(wish())
    assert (turn.text, turn.extraction, turn.failures) == ("Yes.", None, ("no_extraction_model",))
    assert agent_of(acme.alice, Script("Yes.")).ask(wish()).extraction is None


# --- the pages --------------------------------------------------------------------------------------------------------


def test_the_person_sees_what_was_found_and_nobody_else_does(acme: Company) -> None:
    """R-097: remembered and waiting things, with the way to decide."""
    mark = word()
    stored = hand_over(acme.alice, said(wish(mark)))
    waiting = hand_over(acme.by("agent"), said(wish(f"other {mark}")))
    alice, paul = acme.person("alice").client, acme.person("paul").client
    page = alice.get("/conversations/").content.decode()
    assert all(f"/conversations/{one['id']}/" in page for one in (stored, waiting))
    assert f"put the {mark} table first" in alice.get(f"/conversations/{stored['id']}/").content.decode()
    shown = alice.get(f"/conversations/{waiting['id']}/").content.decode()
    assert f"/candidates/{waiting['items'][0]['candidate_id']}/" in shown
    assert f"/conversations/{waiting['id']}/" in alice.get("/waiting/").content.decode()
    assert paul.get(f"/conversations/{stored['id']}/").status_code == 404
    assert stored["id"] not in paul.get("/conversations/").content.decode()
