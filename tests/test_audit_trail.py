"""Auditors read what was done: a list, a file and a page, of their own tenant alone; each read leaves its event."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from cast import Caller, Cast, Company, now, sentence, text_of, word
from django.utils import timezone
from test_pages import LANGUAGES, page

from accounts import audit_trail, chain, sealing, verifying
from accounts.models import AuditEvent, Membership
from accounts.principals import system

EXPORT = "/audit/export"


def auditor(company: Company) -> Caller:
    """A key that reads the audit and works for nobody."""
    return company.by("audit:read", None)


def items(caller: Caller, **filters: Any) -> list[dict[str, Any]]:
    response = caller.get("/audit", **filters)
    assert response.status_code == 200, text_of(response)
    return list(response.json()["items"])


def lines(caller: Caller, **filters: Any) -> list[dict[str, str]]:
    response = caller.get(EXPORT, **filters)
    assert (response.status_code, response["Content-Type"]) == (200, "text/csv; charset=utf-8")
    return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))


def actions(company: Company) -> list[str]:
    with company.entered():
        return list(AuditEvent.objects.order_by("pk").values_list("action", flat=True))


# --- who may ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/audit", EXPORT, "/audit/chain"])
def test_auditors_and_administrators_read_it(cast: Cast, path: str) -> None:
    """R-271: the right of the key, and of the person it works for; an agent lends nobody a right."""
    acme = cast.acme
    with acme.entered():
        Membership.objects.filter(external_id="paul").update(roles=["auditor"])
    for caller in (auditor(acme), acme.person("adam"), acme.person("paul"), acme.by("audit:read", "adam")):
        assert caller.get(path).status_code == 200
    for caller in (acme.by("audit:read", "alice"), acme.by("audit:read", "rita")):
        assert (caller.get(path).status_code, caller.get(path).json()["code"]) == (403, "not_an_auditor")
    for caller in (acme.person("alice"), acme.person("rita"), acme.adam):
        assert caller.get(path).json()["code"] == "missing_scope"


def test_nobody_reads_another_companys(cast: Cast) -> None:
    """The same event ids, asked for by an auditor of each company."""
    with cast.beta.entered():
        Membership.objects.filter(external_id="bob").update(roles=["auditor"])
    bob = cast.beta.person("bob")
    cast.acme.alice.store()
    cast.beta.bob.store()
    theirs = {item["id"] for item in items(auditor(cast.acme), limit=200)}
    ours = {item["id"] for item in items(bob, limit=200)}
    assert theirs
    assert ours
    assert theirs & ours == set()
    assert {line["id"] for line in lines(bob)} & theirs == set()
    assert not any(one in page(bob.client, "/audit/") for one in theirs)
    cursor = auditor(cast.acme).get("/audit", limit=1).json()["next_cursor"]
    assert bob.get("/audit", limit=1, cursor=cursor).status_code == 400


# --- what they get ---------------------------------------------------------------------------------------------------


def test_an_event_tells_who_what_and_how_it_ended(acme: Company) -> None:
    """R-265, R-266: in ids and codes, with its place in the chain once it has one; and in no text."""
    mark = word(7)
    response = acme.alice.propose(sentence(mark))
    with acme.entered():
        sealing.seal_all(acme.tenant.pk)
    (event,) = items(auditor(acme), action="memory.propose")
    assert event["sequence"] >= 1
    assert (event["actor"], event["outcome"], event["target"]) == ("agent", "store", "memory")
    assert event["target_id"] == response.json()["memory"]["memory_id"]
    assert event["subject_id"] == str(acme.member("alice").pk)
    assert event["request_id"] == response.headers["X-Request-Id"]
    assert event["details"]["policy_version"] >= 1
    (line,) = lines(auditor(acme), action="memory.propose")
    assert {**line, "details": json.loads(line["details"]), "sequence": int(line["sequence"])} == event
    adam = acme.person("adam").client
    for told in (
        text_of(auditor(acme).get("/audit", limit=200)),
        json.dumps(lines(auditor(acme))),
        page(adam, "/audit/"),
    ):
        assert mark not in told


FILTERS: dict[str, Callable[[Company, dict[str, Any]], dict[str, Any]]] = {
    "action": lambda acme, event: {"action": "memory.forget"},
    "outcome": lambda acme, event: {"outcome": "refused", "actor": "agent"},
    "person": lambda acme, event: {"actor": "person"},
    "actor_id": lambda acme, event: {"actor_id": event["actor_id"], "action": "memory.recall"},
    "subject_id": lambda acme, event: {"subject_id": str(acme.member("rita").pk)},
    "target": lambda acme, event: {"target": "erasure"},
    "target_id": lambda acme, event: {"target_id": event["target_id"]},
    "request_id": lambda acme, event: {"request_id": event["request_id"]},
    "party_id": lambda acme, event: {"party_id": str(acme.member("rita").pk)},
    "since": lambda acme, event: {"since": event["at"]},
    "until": lambda acme, event: {"until": event["at"]},
    "nothing": lambda acme, event: {"since": event["at"], "until": event["at"]},
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_all_apply(acme: Company, name: str) -> None:
    """Each finds just what it names, in the list and in the file alike."""
    memory = acme.alice.store()
    acme.rita.recall("summary")
    acme.by("readonly").get("/memories")
    acme.person("alice").call("DELETE", f"/memories/{memory['memory_id']}")
    caller = auditor(acme)
    everything = [json.loads(json.dumps(item)) for item in items(caller, limit=200)]
    event = next(item for item in everything if item["action"] == "memory.propose")
    given = FILTERS[name](acme, event)
    expected = [item for item in everything if fits(item, given)]
    assert bool(expected) == (name != "nothing")
    assert len(expected) < len(everything)
    found = [item for item in items(caller, limit=200, **given) if item["action"] not in ("audit.read", "audit.export")]
    assert [item["id"] for item in found] == [item["id"] for item in expected]
    told = [line["id"] for line in lines(caller, **given) if line["action"] not in ("audit.read", "audit.export")]
    assert told == [item["id"] for item in reversed(expected)]


def fits(item: dict[str, Any], given: dict[str, Any]) -> bool:
    """What the filters mean, said once more."""
    rules: dict[str, Callable[[Any], bool]] = {
        "since": lambda at: item["at"] >= at,
        "until": lambda at: item["at"] < at,
        "party_id": lambda one: one in (item["actor_id"], item["subject_id"], item["target_id"]),
    }
    return all(rules[name](value) if name in rules else item[name] == value for name, value in given.items())


@pytest.mark.parametrize("path", ["/audit", EXPORT])
@pytest.mark.parametrize(
    ("filters", "pointer"),
    [
        ({"actor": "root"}, "actor"),
        ({"since": "yesterday"}, "since"),
        ({"target_id": "1"}, "target_id"),
        ({"action": "x" * 49}, "action"),
        ({"tenant": "acme"}, "tenant"),
    ],
)
def test_a_filter_that_cannot_be_meant_is_named(acme: Company, path: str, filters: Any, pointer: str) -> None:
    before = len(actions(acme))
    response = auditor(acme).get(path, **filters)
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, pointer)
    assert len(actions(acme)) == before


def test_pages_of_the_list_lead_through_all_of_it(acme: Company) -> None:
    for _ in range(3):
        acme.alice.store()
    caller, seen, cursor = auditor(acme), [], {}
    until = (timezone.now() + timedelta(seconds=1)).isoformat()
    whole = [item["id"] for item in items(caller, action="memory.propose")]
    while True:
        answer = caller.get("/audit", limit=2, action="memory.propose", until=until, **cursor).json()
        seen += [item["id"] for item in answer["items"]]
        if not answer["has_more"]:
            break
        cursor = {"cursor": answer["next_cursor"]}
    assert seen == whole
    assert len(seen) == 3


def test_a_file_longer_than_a_batch_is_complete(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_trail, "EXPORT_BATCH", 2)
    for _ in range(3):
        acme.alice.store()
    before = actions(acme)
    assert [line["action"] for line in lines(auditor(acme))] == before


def test_every_read_leaves_its_own_event(acme: Company) -> None:
    """Also one that shows nothing; a file says by which filters it was chosen, never their values."""
    before = len(actions(acme))
    items(auditor(acme), action="no.such")
    lines(auditor(acme), action="no.such", until=now().isoformat())
    auditor(acme).get("/audit/chain")
    page(acme.person("adam").client, "/audit/")
    assert actions(acme)[before:] == ["audit.read", "audit.export", "audit.read", "audit.read"]
    with acme.entered():
        assert AuditEvent.objects.get(action="audit.export").details == {"filters": ["action", "until"]}


# --- the chain and the page ------------------------------------------------------------------------------------------


def test_the_state_of_the_chain(acme: Company) -> None:
    caller = auditor(acme)
    empty = caller.get("/audit/chain").json()
    assert (empty["head"], empty["verified"], empty["checkpoint"], empty["sealed"]) == (None, None, None, 0)
    with acme.entered():
        count = sealing.seal_all(acme.tenant.pk)
        verifying.note(system(acme.tenant.pk), verifying.verify(acme.tenant.pk))
    told = caller.get("/audit/chain").json()
    assert (told["sealed"], told["head"]["sequence"], told["waiting"]) == (count, count, 1)
    assert len(told["head"]["digest"]) == 64
    assert (told["verified"]["outcome"], told["verified"]["reason"]) == ("holds", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_shows_events_and_the_chain(acme: Company, language: str) -> None:
    adam = acme.person("adam").client
    acme.alice.store()
    assert "<code>memory.propose</code>" in page(adam, "/audit/", language)
    with acme.entered():
        sealing.seal_all(acme.tenant.pk)
        verdict = verifying.verify(acme.tenant.pk)
        verifying.note(system(acme.tenant.pk), verdict)
        end = str(chain.head())
    html = page(adam, "/audit/", language)
    assert end in html
    assert 'class="state active"' in html
    for name in ("alice", "helper"):
        assert name in html
    broken = verifying.Verdict(1, 3, verifying.Fault(4, "changed"))
    with acme.entered():
        verifying.note(system(acme.tenant.pk), broken)
    assert 'class="state deleted"' in page(adam, "/audit/", language)


def test_the_page_is_filtered_by_its_address_and_says_when_nothing_fits(acme: Company) -> None:
    adam = acme.person("adam").client
    acme.alice.store()
    today = timezone.now().date()
    full = page(adam, f"/audit/?action=memory.propose&since={today}&until={today}&party_id={acme.member('alice').pk}")
    assert full.count("<code>memory.propose</code>") == 1
    assert "action=memory.propose" in full.split("/api/v1/audit/export?")[1].split('"')[0]
    tomorrow = today + timedelta(days=2)
    assert "No event fits these filters" in page(adam, f"/audit/?since={tomorrow}")
    assert 'aria-invalid="true"' in page(adam, "/audit/?party_id=1")
    assert "No event fits these filters" in page(adam, "/audit/?since=yesterday")


def test_the_page_leads_on_to_older_events(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.views.AUDIT_PAGE", 3)
    adam = acme.person("adam").client
    first = page(adam, "/audit/?actor=system")
    address = first.split('rel="next"')[1].split('href="')[1].split('"')[0].replace("&amp;", "&")
    assert "actor=system" in address
    second = page(adam, f"/audit/{address}")
    assert "Newest" in second
    assert first.split("<code>0")[1][:36] not in second


def test_only_those_who_may_find_the_link(acme: Company) -> None:
    assert 'href="/audit/"' in page(acme.person("adam").client, "/")
    assert 'href="/audit/"' not in page(acme.person("alice").client, "/")
    refused = page(acme.person("rita").client, "/audit/", status=403)
    assert "missing_scope" in refused
