"""Handing a file over: each line is judged as any proposal, told before it is done, done once and never widened."""

from __future__ import annotations

import itertools
import json
import random
import string
from datetime import timedelta
from typing import Any

import pytest
from cast import PROJECT, TEAM, USER, Cast, Company, in_months, new_key, now, sentence, text_of, word
from exchange import entry, hand_over, lines_of, own, results, sweep
from test_canary import LookOut, look_out, stands_in  # noqa: F401 - the fixture that looks everywhere

from accounts.models import AuditEvent, GroupMember
from memories.exchange import api, applying, importers, importing
from memories.exchange.importers import schema
from memories.models import Candidate, Import, ImportLine, Memory
from memories.tasks import apply_import


def imports_of(company: Company) -> list[Import]:
    with company.entered():
        return list(Import.objects.order_by("pk"))


def staged(company: Company) -> int:
    with company.entered():
        return ImportLine.objects.filter(content__isnull=False).count()


def statements(company: Company, person: str = "alice") -> list[str]:
    return [row["statement"] for row in reversed(company.by("runtime", person).listed()) if row["status"] == "active"]


# --- there and back ---------------------------------------------------------------------------------------------------


def test_out_in_and_out_again_is_the_same(cast: Cast) -> None:
    """R-260: into an empty tenant; every field that the schema does not leave to the writer is equal."""
    here, there = cast.acme.alice, cast.beta.person("alice")
    full = {
        "value": {"a": [1, None, "ü"]}, "conditions": "In reports", "aliases": ["order", "顺序"],
        "valid_until": now(days=90).isoformat(), "sensitivity": "personal",
        "namespace": {"type": "user", "path": ["work", "a/b"]},
        "said": {"thread": "t1", "sequence": 4, "speaker": "Alice", "at": "2026-01-01T08:00:00+08:00"},
    }  # fmt: skip
    here.store(**full)
    here.store("先给结论再给依据 🙂", evidence="user_message")
    here.store(kind="profile", key="role", statement="Works as an accountant in the finance team.")
    paused = here.store("<b>bold</b> first, then the rest of the summary.", value="")
    here.post(f"/memories/{paused['memory_id']}/pause")
    corrected = here.store()
    here.correct(corrected, statement=sentence())
    first = own(here)
    assert results(hand_over(there, first)) == {"new": 5}
    second = own(there)
    writers = {name for name, rule in schema()["properties"].items() if rule.get("readOnly")}

    def taken(content: bytes) -> list[dict[str, Any]]:
        return [{name: value for name, value in line.items() if name not in writers} for line in lines_of(content)]

    assert taken(second) == taken(first)
    assert {line["memory_id"] for line in lines_of(first)}.isdisjoint(line["memory_id"] for line in lines_of(second))
    assert results(hand_over(there, first)) == results(hand_over(there, second)) == {"same": 5}, "also when repeated"
    assert own(there) == second


def test_an_ended_memory_is_known_and_not_brought_back(acme: Company) -> None:
    memory = acme.alice.store(valid_until=now(days=2).isoformat())
    content = own(acme.alice)
    with acme.entered():
        Memory.objects.filter(pk=memory["memory_id"]).update(valid_until=now(days=-1))
    ended = own(acme.alice)
    assert results(hand_over(acme.alice, ended)) == {"same": 1}
    assert results(hand_over(acme.paul, ended, namespace=USER)) == {"refused": 1}
    assert results(hand_over(acme.alice, content, replace=True)) == {"replaced": 1}


def test_a_paused_memory_is_not_woken_by_its_own_export(acme: Company) -> None:
    memory = acme.alice.store()
    content = own(acme.alice)
    acme.alice.post(f"/memories/{memory['memory_id']}/pause")
    assert results(hand_over(acme.alice, content)) == {"same": 1}
    assert acme.alice.memory(memory["memory_id"]).json()["status"] == "paused"


# --- first look, then do ----------------------------------------------------------------------------------------------


def test_a_dry_run_tells_of_each_line_and_remembers_nothing(acme: Company) -> None:
    alice = acme.person("alice")
    known, other = acme.alice.store(), acme.alice.store()
    lines = [
        entry(sentence(), "fresh"),
        entry(known["statement"], known["key"]),
        entry(sentence(), other["key"]),
        entry(sentence(), "plan", kind="horoscope"),
        {"kind": "preference"},
        entry(sentence(), "rule", kind="lesson", namespace=TEAM, valid_until=in_months()),
    ]
    with acme.entered():
        before = list(Memory.objects.values_list("pk", "status"))
    answer = hand_over(alice, lines, dry_run=True)
    assert (answer["state"], answer["progress"]) == ("checked", {"done": 3, "total": 6})
    assert [(one["line"], one["result"], one["reason"], one["field"]) for one in answer["examples"]] == [
        (1, "new", "policy_accepted", None),
        (2, "same", "already_known", None),
        (3, "conflict", "another_stands", None),
        (4, "refused", "unknown_kind", None),
        (5, "refused", "required", "schema"),
        (6, "waits", "reviewer_required", None),
    ]
    texts = {one["line"]: one["statement"] for one in answer["examples"]}
    assert texts == {1: lines[0]["statement"], 2: None, 3: lines[2]["statement"], 4: None, 5: None,
                     6: lines[5]["statement"]}  # fmt: skip
    with acme.entered():
        assert list(Memory.objects.values_list("pk", "status")) == before
        assert not Candidate.objects.exists()
    refused = alice.get(f"/imports/{answer['id']}/lines", result="refused").json()
    assert [one["line"] for one in refused["items"]] == [5, 4]
    started = alice.post(f"/imports/{answer['id']}/start", {})
    assert (started.status_code, started.json()["state"]) == (202, "queued")
    assert sweep(acme)["lines_imported"] == 3
    done = alice.get(f"/imports/{answer['id']}").json()
    assert (done["state"], done["progress"]) == ("done", {"done": 6, "total": 6})
    assert results(done) == {"new": 1, "same": 1, "conflict": 1, "waits": 1, "refused": 2}
    assert staged(acme) == 0
    assert lines[0]["statement"] in statements(acme)
    assert other["statement"] in statements(acme), "what stands stays unless the person says otherwise"
    with acme.entered():
        assert Candidate.objects.get().awaiting == "reviewer"
        told = AuditEvent.objects.filter(target="import").order_by("pk").values_list("action", flat=True)
        assert list(told) == ["import.check", "import.start", "import.finish"]
    assert alice.post(f"/imports/{answer['id']}/start", {}).json()["code"] == "not_waiting"


def test_the_files_words_replace_what_stands_only_when_asked(acme: Company) -> None:
    known = acme.alice.store()
    newer = [entry(sentence(), known["key"])]
    alice = acme.person("alice")
    assert results(hand_over(alice, newer)) == {"conflict": 1}
    assert statements(acme) == [known["statement"]]
    assert results(hand_over(alice, newer, replace=True)) == {"replaced": 1}
    assert statements(acme) == [newer[0]["statement"]]
    versions = acme.alice.get(f"/memories/{known['memory_id']}/history").json()["items"]
    assert [one["version"] for one in versions] == [2, 1]


def test_what_changes_between_look_and_word_is_looked_at_again(acme: Company) -> None:
    alice, key, other = acme.person("alice"), new_key(), new_key()
    lines = [entry(sentence(), key), entry(sentence(), other)]
    answer = hand_over(alice, lines, dry_run=True)
    assert results(answer) == {"new": 2}
    meanwhile = acme.alice.store(key=key)
    acme.alice.store(lines[1]["statement"], key=other)
    alice.post(f"/imports/{answer['id']}/start", {})
    sweep(acme)
    assert results(alice.get(f"/imports/{answer['id']}").json()) == {"conflict": 1, "same": 1}
    assert meanwhile["statement"] in statements(acme)


def test_a_key_counts_once_in_a_file(acme: Company) -> None:
    first, key = sentence(), new_key()
    lines = [entry(first, key), entry(first, key), entry(sentence(), key)]
    answer = hand_over(acme.person("alice"), lines)
    assert [(one["result"], one["reason"]) for one in answer["examples"]] == [
        ("new", "policy_accepted"), ("same", "repeated_line"), ("refused", "repeated_key"),
    ]  # fmt: skip
    assert statements(acme) == [first]


def test_a_plain_list_is_remembered_once(acme: Company) -> None:
    alice, content = acme.person("alice"), f"- {sentence()}\n- {sentence()}\n"
    assert results(hand_over(alice, content, format="text")) == {"new": 2}
    assert results(hand_over(alice, content, format="text")) == {"same": 2}
    assert len(statements(acme)) == 2


# --- never wider than any other write ---------------------------------------------------------------------------------


def test_nobody_writes_by_file_what_they_may_not_write(acme: Company) -> None:
    """The class of evidence comes from who hands it over, never from the file."""
    line = [entry(sentence(), new_key(), evidence_class="verified_reviewer", provenance={"evidence_type": "review"})]
    assert results(hand_over(acme.by("agent"), line)) == {"waits": 1}
    with acme.entered():
        assert Candidate.objects.get().evidence_class == "model_inference"
    assert acme.by("readonly").call("POST", "/imports", json.dumps(line[0]).encode()).status_code == 403
    assert results(hand_over(acme.alice, line)) == {"new": 1}, "a runtime vouches for what its person handed over"
    acme.policy(confirm="always")
    assert results(hand_over(acme.alice, [entry(sentence(), new_key())])) == {"waits": 1}
    assert results(hand_over(acme.person("alice"), [entry(sentence(), new_key())])) == {"new": 1}


def test_what_a_model_worded_waits_whoever_brings_it(acme: Company) -> None:
    """R-328: an export of mem0 holds a model's words, so each waits for the person they are about."""
    content = json.dumps({"results": [{"id": "1", "memory": "Works in the Berlin office"}]})
    for caller in (acme.person("alice"), acme.alice):
        assert results(hand_over(caller, content, format="mem0")) == {"waits": 1}
    with acme.entered():
        held = Candidate.objects.get()
        assert (held.kind, held.awaiting, held.reason) == ("profile", "owner", "inference_requires_confirmation")
    acme.policy(inference="reject")
    assert results(hand_over(acme.person("paul"), content, format="mem0")) == {"refused": 1}


def test_a_file_names_no_place_that_is_not_its_bearers(cast: Cast) -> None:
    """Whose memory it is comes from the credential: a foreign, an absent and a forbidden place are one answer."""
    acme = cast.acme
    places = [{"type": "user", "id": "paul"}, {"type": "user", "id": "bob"}, {"type": "team", "id": "night"},
              {"type": "project", "id": "nowhere"}, {"type": "agent", "id": "outsider"}]  # fmt: skip
    lines = [entry(sentence(), new_key(), namespace=place) for place in places]
    answer = hand_over(acme.alice, lines)
    assert {(one["result"], one["reason"], one["field"]) for one in answer["examples"]} == {
        ("refused", "unknown_namespace", "namespace")
    }
    paths = [{**line, "namespace": {**line["namespace"], "path": ["work"]}} for line in lines]
    assert results(hand_over(acme.alice, paths, namespace=USER)) == {"new": 5}, "a chosen place takes them all"
    with acme.entered():
        assert {(row.namespace.owner_name, tuple(row.path)) for row in Memory.objects.all()} == {("alice", ("work",))}
    for place in ({"type": "user", "id": "paul"}, {"type": "team", "id": "night"}):
        line = json.dumps(lines[0]).encode()
        assert acme.alice.call("POST", "/imports", line, namespace=json.dumps(place)).status_code == 404
    assert imports_of(cast.beta) == []


def test_others_agree_to_what_they_share_before_it_stands(acme: Company) -> None:
    lines = [
        entry(sentence(), "rule", kind="lesson", namespace=TEAM, valid_until=in_months()),
        entry(
            "Run the tests before every merge.", "merge", kind="convention", namespace=PROJECT, valid_until=in_months()
        ),
    ]
    assert results(hand_over(acme.person("alice"), lines)) == {"waits": 2}
    assert results(hand_over(acme.person("adam"), lines[1:])) == {"new": 1}, "a maintainer's word is enough there"


def test_who_leaves_a_team_brings_nothing_into_it_any_more(acme: Company) -> None:
    alice = acme.person("alice")
    answer = hand_over(
        alice, [entry(sentence(), "rule", kind="lesson", namespace=TEAM, valid_until=in_months())], dry_run=True
    )
    alice.post(f"/imports/{answer['id']}/start", {})
    with acme.entered():
        GroupMember.objects.filter(membership__external_id="alice").delete()
    sweep(acme)
    assert alice.get(f"/imports/{answer['id']}").json()["examples"][0]["reason"] == "unknown_namespace"
    with acme.entered():
        assert not Candidate.objects.exists()


# --- what was forgotten stays forgotten -------------------------------------------------------------------------------


def test_an_old_export_brings_nothing_forgotten_back(acme: Company) -> None:
    """D11, R-150: whoever hands it over, by whatever step; only a fresh word of the person counts."""
    memory, kept = acme.alice.store(), acme.alice.store()
    old = own(acme.alice)
    waiting = hand_over(
        acme.person("alice"), [{**line, "statement": sentence()} for line in lines_of(old)], dry_run=True
    )
    assert results(waiting) == {"conflict": 2}
    acme.alice.forget(memory)
    for caller in (acme.alice, acme.person("alice"), acme.by("agent")):
        answer = hand_over(caller, old)
        assert results(answer) == {"same": 1, "refused": 1}
        assert [one["reason"] for one in answer["examples"]] == ["tombstone_key", "already_known"]
    acme.person("alice").post(f"/imports/{waiting['id']}/start", {"replace": True})
    sweep(acme)
    assert len(statements(acme)) == 1
    assert kept["key"] in text_of(acme.alice.get("/memories"))
    fresh = acme.person("alice").post("/proposals", {**acme.alice.proposal(key=memory["key"], evidence=None)})
    assert (fresh.json()["decision"], fresh.json()["memory"]["version"]) == ("store", 2)


def test_what_waits_in_a_file_is_forgotten_with_its_key(acme: Company, look_out: LookOut) -> None:  # noqa: F811
    """R-140, R-153: staging is a store like any other."""
    mark, key = word(8), new_key()
    memory = acme.alice.store(key=key)
    answer = hand_over(acme.person("alice"), [entry(sentence(mark), key), entry(sentence(), new_key())], dry_run=True)
    assert stands_in(mark, text_of(acme.person("alice").get(f"/imports/{answer['id']}")).encode())
    receipt = acme.alice.forget(memory)
    assert receipt["counts"]["import_lines"] == 1
    assert look_out.places(mark, sql=False) == set()
    assert results(acme.person("alice").get(f"/imports/{answer['id']}").json()) == {"new": 1, "refused": 1}


# --- what is refused is nowhere ---------------------------------------------------------------------------------------


def secret() -> str:
    letters = string.ascii_uppercase + "234567"
    return "AKIA" + "".join(random.choices(letters, k=14) + random.sample("234567", 2))


PLACES: dict[str, Any] = {
    "statement": lambda mark: entry(f"My key is {mark}.", "k"),
    "key": lambda mark: entry(sentence(), mark),
    "value": lambda mark: entry(sentence(), "k", value={"a": mark}),
    "conditions": lambda mark: entry(sentence(), "k", conditions=f"When {mark}."),
    "alias": lambda mark: entry(sentence(), "k", aliases=[mark]),
    "path": lambda mark: entry(sentence(), "k", namespace={"type": "user", "path": [mark]}),
    "said": lambda mark: entry(sentence(), "k", said={"speaker": mark}),
    "an unknown field": lambda mark: entry(sentence(), "k", **{mark: mark}),
    "a bad field": lambda mark: entry(sentence(), "k", valid_until=mark),
    "an unknown kind": lambda mark: entry(f"Something {mark}.", "k", kind="horoscope"),
    "a routed topic": lambda mark: entry(f"The refund status of order {mark} is approved.", "refund_status"),
}


@pytest.mark.parametrize("place", PLACES)
def test_what_is_refused_reaches_nothing(acme: Company, look_out: LookOut, place: str) -> None:  # noqa: F811
    """R-092, T11: not a row, not a statement sent to the database, not a file; in a dry run, at once, or later."""
    mark = secret()
    good = entry(sentence(), new_key())
    for caller, dry_run in ((acme.alice, True), (acme.person("alice"), False)):
        answer = hand_over(caller, [PLACES[place](mark), good], dry_run=dry_run)
        assert answer["examples"][0]["result"] == "refused", answer["examples"][0]
        assert not stands_in(mark, json.dumps(answer).encode())
    assert look_out.places(mark) == set()


def test_a_list_and_a_mem0_export_are_screened_alike(acme: Company, look_out: LookOut) -> None:  # noqa: F811
    mark = secret()
    for form, content in (("text", f"My key is {mark}\n"), ("mem0", json.dumps([{"memory": f"The key is {mark}"}]))):
        answer = hand_over(acme.person("alice"), content, format=form)
        assert answer["examples"][0]["reason"] == "sensitive_or_prohibited"
    assert look_out.places(mark) == set()


# --- limits, errors, ends ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "code"), [(b"", "empty_file"), (b" \n\n", "empty_file"), (b"x\n" * 4, "too_many_lines")]
)
def test_a_file_of_no_use_is_refused_as_a_whole(
    acme: Company, monkeypatch: pytest.MonkeyPatch, content: bytes, code: str
) -> None:
    monkeypatch.setattr(importing, "MAX_LINES", 3)
    answer = acme.alice.call("POST", "/imports", content)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, code)
    assert answer.json()["errors"][0]["pointer"] == "file"
    assert imports_of(acme) == []


def test_a_file_that_is_too_large_is_refused_before_it_is_read(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MAX_BYTES", 10)
    assert acme.alice.call("POST", "/imports", b"x" * 10).status_code == 200
    assert acme.alice.call("POST", "/imports", b"x" * 11).status_code == 413
    assert len(imports_of(acme)) == 1


@pytest.mark.parametrize(
    ("query", "field"),
    [("dry_run=1", "dry_run"), ("format=xml", "format"), ("namespace=x", "namespace"), ("tenant=acme", "tenant"),
     ("subject=paul", "subject"), ("replace=yes", "replace")],
)  # fmt: skip
def test_a_wrong_parameter_is_named(acme: Company, query: str, field: str) -> None:
    line = json.dumps(entry(sentence(), "k")).encode()
    answer = acme.alice.call("POST", f"/imports?{query}", line)
    assert answer.status_code == 400
    assert field in json.dumps(answer.json()["errors"])
    assert imports_of(acme) == []


def test_a_bad_line_holds_up_no_other(acme: Company) -> None:
    good = [json.dumps(entry(sentence(), new_key())).encode() for _ in range(2)]
    answer = hand_over(acme.alice, b"\n".join([good[0], b"{", b"\xff", b"", good[1]]))
    assert [(one["line"], one["reason"]) for one in answer["examples"]] == [
        (1, "policy_accepted"), (2, "not_json"), (3, "not_utf8"), (5, "policy_accepted"),
    ]  # fmt: skip
    assert len(statements(acme)) == 2


def test_a_repeated_request_is_answered_from_the_first(acme: Company) -> None:
    once, content = {"Idempotency-Key": word()}, json.dumps(entry(sentence(), new_key())).encode()
    first, again = (acme.alice.call("POST", "/imports", content, once) for _ in range(2))
    assert (first.json(), again.headers["Idempotency-Replayed"]) == (again.json(), "true")
    assert len(imports_of(acme)) == 1
    other = json.dumps(entry(sentence(), new_key())).encode()
    assert acme.alice.call("POST", "/imports", other, once).status_code == 422
    assert len(imports_of(acme)) == 1
    assert len(statements(acme)) == 1


def many(count: int) -> list[dict[str, Any]]:
    return [entry(sentence(), new_key()) for _ in range(count)]


def test_a_large_file_is_carried_out_in_slices(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is seen, other work goes on between, and the order of the file is kept."""
    monkeypatch.setattr(api, "AT_ONCE", 2)
    monkeypatch.setattr(applying, "BATCH", 2)
    monkeypatch.setattr("memories.tasks.SLICE_SECONDS", 0.6)
    ticks = itertools.count(step=0.25)
    monkeypatch.setattr(applying.time, "monotonic", lambda: next(ticks))
    alice, lines = acme.person("alice"), many(5)
    answer = hand_over(alice, lines, status=202)
    assert answer["state"] == "queued"
    seen = []
    while (now_ := alice.get(f"/imports/{answer['id']}").json())["state"] != "done":
        seen.append(now_["progress"]["done"])
        sweep(acme)
    assert seen[0] == 0
    assert len(seen) > 1
    assert seen == sorted(seen)
    assert statements(acme) == [line["statement"] for line in lines]


def test_a_crash_at_any_line_makes_no_double_and_loses_none(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applying, "BATCH", 2)
    alice, lines = acme.person("alice"), many(5)
    answer = hand_over(alice, lines, dry_run=True)
    alice.post(f"/imports/{answer['id']}/start", {})
    take = applying._take
    for crash_at in (1, 2, 1):
        calls = iter(range(1, 100))

        def crashing(*given: Any, calls: Any = calls, crash_at: int = crash_at) -> None:
            take(*given)
            if next(calls) == crash_at:
                raise KeyboardInterrupt

        monkeypatch.setattr(applying, "_take", crashing)
        with acme.entered(), pytest.raises(KeyboardInterrupt):
            applying.apply(Import.objects.get())
        with acme.entered():
            Import.objects.update(claimed_until=now(minutes=-1))
    monkeypatch.setattr(applying, "_take", take)
    sweep(acme)
    assert results(alice.get(f"/imports/{answer['id']}").json()) == {"new": 5}
    assert statements(acme) == [line["statement"] for line in lines]
    with acme.entered():
        assert Memory.objects.count() == 5


def test_one_of_two_workers_carries_it_out(acme: Company) -> None:
    alice = acme.person("alice")
    answer = hand_over(alice, many(2), dry_run=True)
    alice.post(f"/imports/{answer['id']}/start", {})
    with acme.entered():
        one, other = Import.objects.get(), Import.objects.get()
        claim = applying._claim(one)
        assert applying.apply(other) == 0
        assert claim is not None
        assert applying._batch(one, acme.principal("alice"), claim - timedelta(seconds=1)) == (None, 0)
    assert statements(acme) == []


def test_a_file_can_be_cancelled(acme: Company) -> None:
    alice = acme.person("alice")
    for start in (False, True):
        answer = hand_over(alice, many(2), dry_run=True)
        if start:
            alice.post(f"/imports/{answer['id']}/start", {})
        assert alice.post(f"/imports/{answer['id']}/cancel").json()["state"] == "cancelled"
        assert staged(acme) == 0
        assert alice.post(f"/imports/{answer['id']}/cancel").json()["code"] == "already_ended"
        assert alice.post(f"/imports/{answer['id']}/start", {}).json()["code"] == "not_waiting"
    assert "lines_imported" not in sweep(acme)
    assert statements(acme) == []


def test_a_file_nobody_gave_the_word_for_goes_after_a_day(acme: Company) -> None:
    alice = acme.person("alice")
    answer = hand_over(alice, many(2), dry_run=True)
    sweep(acme, hours=23)
    assert staged(acme) == 2
    assert sweep(acme, hours=25)["imports_expired"] == 1
    assert staged(acme) == 0
    assert alice.get(f"/imports/{answer['id']}").json()["state"] == "expired"
    sweep(acme, days=32)
    assert imports_of(acme) == []
    with acme.entered():
        assert not ImportLine.objects.exists()


def test_one_person_cannot_leave_files_lying_about(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MOST_OPEN", 1)
    answer = hand_over(acme.alice, many(1), dry_run=True)
    assert acme.alice.call("POST", "/imports", json.dumps(many(1)[0]).encode()).json()["code"] == "too_many_imports"
    acme.alice.post(f"/imports/{answer['id']}/cancel")
    assert hand_over(acme.alice, many(1), dry_run=True)


def test_nothing_is_carried_out_for_who_is_gone(acme: Company) -> None:
    answer = hand_over(acme.alice, many(1), dry_run=True)
    acme.alice.post(f"/imports/{answer['id']}/start", {})
    with acme.entered():
        member = acme.member("alice")
        member.is_active = False
        member.save()
    sweep(acme)
    (row,) = imports_of(acme)
    assert (row.state, row.error) == ("failed", "no_longer_permitted")
    assert staged(acme) == 0


def test_a_broker_is_handed_the_id_alone(
    acme: Company, monkeypatch: pytest.MonkeyPatch, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(apply_import, "apply_async", lambda **message: sent.append(message))
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    answer = hand_over(acme.alice, many(1), dry_run=True)
    with django_capture_on_commit_callbacks(execute=True):
        acme.alice.post(f"/imports/{answer['id']}/start", {})
    headers = {"memoryhub_tenant": str(acme.tenant.pk)}
    assert sent == [{"args": [answer["id"]], "headers": headers, "retry": False}]
    apply_import.apply(args=[answer["id"]], headers=headers, throw=True)
    assert acme.alice.get(f"/imports/{answer['id']}").json()["state"] == "done"


def test_every_reader_of_a_form_is_offered(acme: Company) -> None:
    assert set(importers.IMPORTERS) == set(Import.Format.values)
