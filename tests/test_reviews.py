"""The reviewers' queue and what they do with one candidate: through pages and REST, each refusal beside its success."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from cast import PROJECT, TEAM, Caller, Company, in_months, new_key, now, text_of, word
from django.utils import timezone
from test_pages import checked, page
from verdicts import take_effect

from accounts.models import AuditEvent, Group, GroupMember, Membership
from accounts.principals import system
from memories.models import Candidate, Comment, Memory
from reviews import decisions
from reviews.models import Claim, DelayedVerdict, Review

STEPS = {"steps": ["Open the log.", "Read its end."], "stop_conditions": ["The log is empty."]}


def lesson(caller: Caller, statement: str = "", **fields: Any) -> dict[str, Any]:
    """What an agent proposed for the team on its person's behalf: a candidate for a reviewer."""
    given = {"namespace": TEAM, "kind": "lesson", "valid_until": in_months()} | fields
    response = caller.propose(statement or f"Read the {word()} log before restarting the importer.", **given)
    assert response.status_code == 202, text_of(response)
    return caller.candidate(response.json()["candidate_id"])


def status(company: Company, held: dict[str, Any]) -> str:
    with company.entered():
        return Candidate.objects.get(pk=held["candidate_id"]).status


@pytest.fixture
def rita(acme: Company) -> Caller:
    return acme.person("rita")


@pytest.fixture
def paul(acme: Company) -> Caller:
    """A second reviewer of the team."""
    with acme.entered():
        person = Membership.objects.get(external_id="paul")
        Membership.objects.filter(pk=person.pk).update(roles=["reviewer"])
        GroupMember.objects.create(group=Group.objects.get(slug="support"), membership=person)
    return acme.person("paul")


def post(caller: Caller, held: dict[str, Any], verdict: str, **fields: Any) -> Any:
    data = {"content_hash": held["content_hash"], **fields}
    return caller.client.post(f"/reviews/{held['candidate_id']}/{verdict}/", data, follow=True)


def queue(caller: Caller, **query: Any) -> dict[str, Any]:
    response = caller.get("/reviews/queue", **query)
    assert response.status_code == 200, text_of(response)
    return dict(response.json())


def ids(shown: dict[str, Any]) -> list[str]:
    return [item["candidate"]["candidate_id"] for item in shown["items"]]


# --- the queue -------------------------------------------------------------------------------------------------------


def test_the_queue_tells_risk_counts_and_whose_it_is(acme: Company, rita: Caller, paul: Caller) -> None:
    plain, own = lesson(acme.alice), lesson(acme.rita)
    plan = lesson(acme.alice, kind="procedure", value=STEPS)
    again = acme.alice.proposal(plain["statement"], plain["key"], namespace=TEAM, kind="lesson")
    acme.alice.post("/proposals", again | {"valid_until": plain["valid_until"]})
    shown = queue(rita)
    told = {
        item["candidate"]["candidate_id"]: (item["risk"], item["times_proposed"], item["own"])
        for item in shown["items"]
    }
    assert told == {
        plain["candidate_id"]: ("low", 2, False),
        own["candidate_id"]: ("low", 1, True),
        plan["candidate_id"]: ("medium", 1, False),
    }
    assert shown["counts"] == {"waiting": 3, "mine": 0, "changes": 0, "approved": 0, "rejected": 0}
    assert ids(queue(rita, risk="medium")) == ids(queue(rita, kind="procedure")) == [plan["candidate_id"]]
    html = page(rita.client, "/reviews/")
    assert re.search(r'To review <span class="count">3<', html)
    assert "your own, so others decide" in html
    assert plan["statement"] not in page(rita.client, "/reviews/?risk=low&order=newest")
    assert plan["statement"] in page(rita.client, "/reviews/?risk=medium")


def test_the_tabs_follow_what_was_decided(acme: Company, rita: Caller) -> None:
    yes, no, other = lesson(acme.alice), lesson(acme.alice), lesson(acme.alice)
    rita.decide(yes, "approve")
    rita.decide(no, "reject", reason="not_true")
    rita.decide(other, "request_changes", reason="unclear")
    assert queue(rita)["counts"] == {"waiting": 0, "mine": 0, "changes": 1, "approved": 1, "rejected": 1}
    for tab, held in (("approved", yes), ("rejected", no), ("changes", other)):
        assert ids(queue(rita, tab=tab)) == [held["candidate_id"]]
        assert f"/reviews/{held['candidate_id']}/" in page(rita.client, f"/reviews/?tab={tab}") or tab == "rejected"
        page(rita.client, f"/reviews/{held['candidate_id']}/")
    assert no["statement"] not in page(rita.client, "/reviews/?tab=rejected")


def test_a_decision_leads_on_to_the_next_and_can_be_taken_back_there(acme: Company, rita: Caller) -> None:
    first, own, second = lesson(acme.alice), lesson(acme.rita), lesson(acme.alice)
    answer = post(rita, first, "approve")
    assert answer.redirect_chain == [(f"/reviews/{second['candidate_id']}/", 302)]
    assert f"/candidates/{first['candidate_id']}/undo/" in checked(answer)
    assert post(rita, second, "reject", reason="not_useful").redirect_chain == [("/reviews/", 302)]
    assert [status(acme, one) for one in (first, own, second)] == ["pending"] * 3
    take_effect(acme)
    assert [status(acme, one) for one in (first, own, second)] == ["approved", "pending", "rejected"]


def test_duplicates_are_rejected_together_all_or_none(acme: Company, rita: Caller, paul: Caller) -> None:
    """Those that cannot be are told with the reason; nothing is approved in bulk."""
    can, own = [lesson(acme.alice), lesson(acme.alice)], lesson(acme.rita)
    taken = lesson(acme.alice)
    paul.post(f"/candidates/{taken['candidate_id']}/claim")
    chosen = [one["candidate_id"] for one in (*can, own, taken)]
    html = checked(rita.client.post("/reviews/duplicates/", {"candidate": chosen}))
    assert "2 of the chosen ones can be rejected" in html
    assert "so another reviewer decides" in html
    assert "Another reviewer is working on it" in html
    sent = {"candidate": re.findall(r'name="candidate" value="([^"]+)"', html), "confirmed": "yes"}
    hashes = re.findall(r'name="content_hash" value="([^"]+)"', html)
    rita.client.post("/reviews/duplicates/", sent | {"content_hash": [hashes[0], "0" * 64]})
    take_effect(acme)
    assert {status(acme, one) for one in can} == {"pending"}
    rita.client.post("/reviews/duplicates/", sent | {"content_hash": hashes})
    take_effect(acme)
    assert [status(acme, one) for one in (*can, own, taken)] == ["rejected", "rejected", "pending", "pending"]
    with acme.entered():
        assert set(Review.objects.values_list("verdict", "reason")) == {("reject", "duplicate")}


# --- claims ----------------------------------------------------------------------------------------------------------


def test_a_claim_keeps_others_away_until_it_ends(acme: Company, rita: Caller, paul: Caller) -> None:
    held = lesson(acme.alice)
    path = f"/candidates/{held['candidate_id']}"
    assert rita.post(f"{path}/claim").json()["reviewer"] == "rita"
    assert ids(queue(rita, tab="mine")) == [held["candidate_id"]]
    assert paul.post(f"{path}/claim").json()["code"] == "claimed"
    assert paul.decide(held, "approve").json()["code"] == "claimed"
    html = page(paul.client, f"/reviews/{held['candidate_id']}/")
    assert "Another reviewer is working on it" in html
    assert "/approve/" not in html
    assert "You have it until" in page(rita.client, f"/reviews/{held['candidate_id']}/")
    with acme.entered():
        Claim.objects.update(until=timezone.now())
    assert paul.post(f"{path}/claim").json()["reviewer"] == "paul"
    assert paul.post(f"{path}/release").status_code == 204
    assert rita.decide(held, "approve").status_code == 200
    with acme.entered():
        assert not Claim.objects.exists()
        actions = (
            AuditEvent.objects.filter(target_id=held["candidate_id"]).order_by("pk").values_list("action", flat=True)
        )
        assert [one for one in actions if "claim" in one or "release" in one] == [
            "candidate.claim", "candidate.claim", "candidate.release",
        ]  # fmt: skip


def test_a_claim_is_handed_only_to_who_may_decide(acme: Company, rita: Caller, paul: Caller) -> None:
    held = lesson(acme.alice)
    path = f"/candidates/{held['candidate_id']}/transfer"
    for nobody in ("alice", "adam", "rita", "bob"):
        refused = rita.post(path, {"reviewer": nobody})
        assert (refused.status_code, refused.json()["errors"][0]["code"]) == (400, "unknown_reviewer")
    assert rita.client.post(f"/reviews/{held['candidate_id']}/transfer/", {"reviewer": "paul"}).status_code == 302
    assert rita.decide(held, "approve").json()["code"] == "claimed"
    assert ids(queue(paul, tab="mine")) == [held["candidate_id"]]
    assert paul.decide(held, "approve").status_code == 200


# --- who may not -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", ["own", "other_team", "other_tenant", "agent_key", "content", "lapsed", "decided"])
def test_a_refusal_stands_in_page_and_api_with_its_reason(
    acme: Company, beta: Company, rita: Caller, wrong: str
) -> None:
    """R-100, R-213, T8: each set-up is the success below but for one thing."""
    held = lesson(acme.rita if wrong == "own" else acme.alice, namespace=TEAM)
    caller: Caller = rita
    expected = {
        "own": (403, "own_proposal", 403),
        "other_team": (404, "not_found", 404),
        "other_tenant": (404, "not_found", 404),
        "agent_key": (403, "missing_scope", None),
        "content": (412, "content_changed", 412),
        "lapsed": (409, "lapsed", 200),
        "decided": (409, "already_decided", 200),
    }[wrong]
    with acme.entered():
        if wrong == "other_team":
            GroupMember.objects.filter(membership__external_id="rita", group__slug="support").delete()
        if wrong == "lapsed":
            Candidate.objects.update(lapses_at=timezone.now())
    if wrong == "decided":
        rita.decide(held, "request_changes")
    caller = {"other_tenant": beta.person("rita"), "agent_key": acme.rita}.get(wrong, caller)
    sent = held | {"content_hash": "0" * 64} if wrong == "content" else held
    answer = caller.decide(sent, "approve")
    assert (answer.status_code, answer.json()["code"]) == expected[:2]
    if expected[2] is not None:
        shown = post(caller, sent, "approve", standing="")
        assert shown.status_code == expected[2]
        words = {"own": "Nobody reviews what they proposed", "content": "Nothing was decided.",
                 "lapsed": "lapsed", "decided": "decided already"}.get(wrong, "")  # fmt: skip
        assert words in checked(shown)
    with acme.entered():
        assert Memory.objects.count() == DelayedVerdict.objects.count() == 0


def test_the_success_that_the_refusals_mirror(acme: Company, rita: Caller) -> None:
    held = lesson(acme.alice)
    assert post(rita, held, "approve", standing="").redirect_chain == [("/reviews/", 302)]
    take_effect(acme)
    assert status(acme, held) == "approved"


# --- one candidate ---------------------------------------------------------------------------------------------------


def test_the_dossier_shows_what_changes_what_it_rests_on_and_what_the_gate_says(acme: Company, rita: Caller) -> None:
    key = new_key()
    stored = acme.alice.share(TEAM, key=key, kind="procedure", value=STEPS)
    recall = acme.alice.recall("summary", kinds=["procedure"])
    acme.alice.post(f"/recalls/{recall['recall_id']}/feedback", {"memory_id": stored["memory_id"], "verdict": "wrong"})
    changed = {"steps": ["Open the log.", "Count its lines.", "Read its end."]}
    held = lesson(acme.alice, key=key, kind="procedure", value=changed)
    rival = lesson(acme.alice, key=key, kind="procedure", value=STEPS)
    shown = rita.get(f"/candidates/{held['candidate_id']}/dossier").json()
    assert shown["replaces"]["memory_id"] == stored["memory_id"]
    assert (shown["risk"], shown["closed"], shown["approvers_needed"]) == ("medium", "", 1)
    assert shown["gate"]["decision"] == "supersede"
    assert [one["candidate_id"] for one in shown["rivals"]] == [rival["candidate_id"]]
    assert shown["outcomes"] == ["bad"]
    assert shown["twins"] == []
    copy = lesson(acme.alice, stored["statement"], kind="procedure", value=STEPS)
    twins = rita.get(f"/candidates/{copy['candidate_id']}/dossier").json()["twins"]
    assert [(one["memory"]["memory_id"], one["by"]) for one in twins] == [(stored["memory_id"], "words")]
    assert "Entries that seem to say the same" in page(rita.client, f"/reviews/{copy['candidate_id']}/")
    assert (shown["reach"]["looked"], shown["reach"]["got"]) == (1, len(recall["items"]))
    html = page(rita.client, f"/reviews/{held['candidate_id']}/")
    assert "<ins>Count its lines.</ins>" in re.sub(r">\s+|\s+<", lambda found: found[0].strip(), html)
    assert held["statement"] in html
    page(rita.client, f"/reviews/{held['candidate_id']}/", "zh-hans")
    listed = page(rita.client, "/reviews/?only=against")
    assert [f"/reviews/{one['candidate_id']}/" in listed for one in (held, rival, copy)] == [True, True, False]


def test_more_than_a_low_risk_takes_an_answer_to_every_question(acme: Company, rita: Caller) -> None:
    held = lesson(acme.alice, kind="procedure", value=STEPS)
    assert post(rita, held, "approve").status_code == 400
    checks = re.findall(r'name="(check_\w+)"', page(rita.client, f"/reviews/{held['candidate_id']}/"))
    assert len(checks) >= 3
    assert post(rita, held, "approve", **dict.fromkeys(checks[1:], "on")).status_code == 400
    assert post(rita, held, "approve", **dict.fromkeys(checks, "on")).redirect_chain == [("/reviews/", 302)]


def test_a_no_names_its_reason_and_a_wish_its_words(acme: Company, rita: Caller) -> None:
    held = lesson(acme.alice)
    assert post(rita, held, "reject").status_code == 400
    assert post(rita, held, "request_changes", reason="unclear").status_code == 400
    secret = "4111 1111 1111 " + "1111"
    refused = post(rita, held, "request_changes", reason="unclear", comment=f"It is {secret}")
    assert refused.status_code == 400
    with acme.entered():
        assert Comment.objects.count() == DelayedVerdict.objects.count() == 0
    post(rita, held, "request_changes", reason="unclear", comment="Which importer is meant?")
    take_effect(acme)
    assert status(acme, held) == "changes_requested"
    thread = acme.person("alice").get(f"/candidates/{held['candidate_id']}/comments").json()["items"]
    assert [(one["author"], one["text"]) for one in thread] == [("rita", "Which importer is meant?")]


def test_a_thread_goes_with_its_candidate(acme: Company, rita: Caller) -> None:
    """R-153, R-254: rejected, withdrawn, lapsed or forgotten, nothing of what was said about it stays."""
    words = f"The {word()} importer?"
    for end in ("reject", "withdraw", "lapse", "forget"):
        held = lesson(acme.alice)
        assert rita.post(f"/candidates/{held['candidate_id']}/comments", {"comment": words}).status_code == 201
        alice = acme.person("alice")
        assert alice.post(f"/candidates/{held['candidate_id']}/comments", {"comment": words}).status_code == 201
        if end == "lapse":
            with acme.entered():
                decisions.lapse(system(acme.tenant.pk), now(days=40))
        elif end == "forget":
            stored = rita.decide(held, "approve").json()["memory"]
            rita.call("DELETE", f"/memories/{stored['memory_id']}")
        else:
            (rita if end == "reject" else alice).decide(held, end)
        with acme.entered():
            assert not Comment.objects.filter(text__isnull=False).exists(), end
        assert rita.post(f"/candidates/{held['candidate_id']}/comments", {"comment": words}).status_code == 409


def test_better_words_are_other_content(acme: Company, rita: Caller) -> None:
    """R-213, R-253: what was seen before approves nothing; refused words change nothing and are kept nowhere."""
    held = lesson(acme.alice, kind="procedure", value=STEPS)
    path, better = f"/reviews/{held['candidate_id']}/reword/", f"Read the {word()} log first."
    form = {
        "content_hash": held["content_hash"],
        "conditions": "",
        "steps": "Open it.\n\nRead it.",
        "stop_conditions": "",
    }
    secret = "sk-" + "a1B2c3D4" * 6
    assert rita.client.post(path, form | {"statement": f"The key is {secret}"}).status_code == 400
    assert rita.client.post(path, form | {"statement": better, "steps": ""}).status_code == 400
    assert rita.candidate(held["candidate_id"]) == held
    assert rita.client.post(path, form | {"statement": better}).status_code == 302
    new = rita.candidate(held["candidate_id"])
    assert (new["statement"], new["value"]) == (better, {"steps": ["Open it.", "Read it."]})
    assert rita.decide(held, "approve").status_code == 412
    seen = {"statement": held["statement"], "conditions": None, "value": held["value"]}
    checks = re.findall(r'name="(check_\w+)"', page(rita.client, f"/reviews/{held['candidate_id']}/"))
    stale = post(rita, held, "approve", standing="", seen=json.dumps(seen), **dict.fromkeys(checks, "on"))
    assert stale.status_code == 412
    assert held["statement"] in checked(stale)
    answer = rita.decide(new, "approve").json()
    assert (answer["memory"]["statement"], answer["memory"]["evidence_class"]) == (better, "verified_reviewer")
    with acme.entered():
        assert list(Review.objects.order_by("pk").values_list("verdict", flat=True)) == ["reword", "approve"]


def test_an_entry_that_changed_meanwhile_is_looked_at_again(acme: Company, rita: Caller) -> None:
    key = new_key()
    acme.alice.share(TEAM, key=key)
    held = lesson(acme.alice, key=key)
    checks = re.findall(r'name="(check_\w+)"', page(rita.client, f"/reviews/{held['candidate_id']}/"))
    acme.alice.share(TEAM, key=key)
    old = post(rita, held, "approve", standing="1", **dict.fromkeys(checks, "on"))
    assert old.status_code == 412
    assert "has changed meanwhile" in checked(old)
    assert post(rita, held, "approve", standing="2", **dict.fromkeys(checks, "on")).status_code == 200
    take_effect(acme)
    assert status(acme, held) == "approved"


# --- two approvers ---------------------------------------------------------------------------------------------------


def test_a_high_risk_takes_two_who_do_not_see_each_other(acme: Company, rita: Caller, paul: Caller) -> None:
    acme.policy(confirm="inferred_only", review={"risk": {"lesson": "high"}, "two_approvers": ["high"]})
    held = lesson(acme.alice)
    path = f"/reviews/{held['candidate_id']}/"
    before = page(paul.client, path)
    first = rita.decide(held, "approve").json()
    assert (first["candidate"]["status"], "decision" in first) == ("pending", False)
    assert rita.decide(held, "approve").json()["code"] == "second_approver_required"
    assert ids(queue(rita)) == []
    assert ids(queue(paul)) == [held["candidate_id"]]
    plain = lambda html: re.sub(r'value="\w{64}"', "", html)  # noqa: E731 - the form's own token differs each time
    assert plain(page(paul.client, path)) == plain(before)
    assert acme.alice.recalled("importer log", kinds=["lesson"]) == []
    second = paul.decide(held, "approve").json()
    assert (second["candidate"]["status"], second["decision"]) == ("approved", "store")
    assert len(acme.alice.recalled("importer log", kinds=["lesson"])) == 1


def test_other_words_take_two_again(acme: Company, rita: Caller, paul: Caller) -> None:
    acme.policy(confirm="inferred_only", review={"risk": {"lesson": "high"}, "two_approvers": ["high"]})
    held = lesson(acme.alice)
    rita.decide(held, "approve")
    body = {"content_hash": held["content_hash"], "statement": "Read the log first.", "conditions": None, "value": None}
    new = paul.post(f"/candidates/{held['candidate_id']}/reword", body).json()
    assert paul.decide(new, "approve").json()["candidate"]["status"] == "pending"
    assert rita.decide(new, "approve").json()["candidate"]["status"] == "approved"


# --- quality ---------------------------------------------------------------------------------------------------------


def test_the_quality_is_counted(acme: Company, rita: Caller, paul: Caller) -> None:
    rita.decide(lesson(acme.alice), "reject", reason="duplicate")
    stored = rita.decide(lesson(acme.alice), "approve").json()["memory"]
    rita.call("POST", f"/memories/{stored['memory_id']}/pause")
    lesson(acme.alice, namespace=PROJECT)
    tables = rita.get("/reviews/quality").json()["tables"]
    assert tables["queue"][-1][1] == 1
    assert tables["waits"][-1][1] == 2
    assert sorted(tables["reasons"][1:]) == [["approve", "", 1], ["reject", "duplicate", 1]]
    assert ["paused", 1] in tables["afterwards"]
    assert tables["agents"][1:] == [["helper", 3, 1, 1, 0]]
    for language in ("en", "zh-hans"):
        page(rita.client, "/reviews/quality/", language)
    csv = rita.client.get("/reviews/quality/agents.csv")
    assert csv.content.decode().splitlines() == ["agent,proposed,approved,rejected,changes_requested", "helper,3,1,1,0"]
    assert paul.get("/reviews/quality").json()["tables"]["agents"][1:] == [["helper", 2, 1, 1, 0]]
