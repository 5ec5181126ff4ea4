"""Following the playbook: who follows an entry or a team's part of it is told what becomes of it, while they see it."""

from __future__ import annotations

import pytest
from cast import AGENT, TEAM, Company, now, text_of, word
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from test_notices import bell, sweep
from test_playbook import STEPS, suspended, teach

from accounts.models import GroupMember, Membership
from memories.models import Namespace
from reviews.models import Follow, Notice


@pytest.fixture
def alice(acme: Company) -> Client:
    return acme.person("alice").client


def kinds(acme: Company) -> list[str]:
    with acme.entered():
        return sorted(Notice.objects.values_list("kind", flat=True))


def test_a_new_version_a_suspension_and_an_end_are_told_until_one_stops_following(acme: Company, alice: Client) -> None:
    """R-135: by the bell and by mail, which holds no word of it."""
    mark = word()
    entry, other = teach(acme.alice, mark), teach(acme.alice, mark)
    address = f"/playbook/{entry['memory_id']}/"
    assert alice.post(f"{address}follow/").status_code == 302
    assert alice.post(f"{address}follow/").status_code == 302, "again is no second time"
    sweep()
    assert bell(alice) == 0, "what stood before is no news"
    for one in (entry, other):
        acme.alice.correct(one, evidence="review", value={"steps": ["Refund at once."]})
    sweep()
    told = text_of(alice.get("/notices/"))
    assert (bell(alice), told.count(f"Check the {mark} receipt")) == (1, 1)
    (letter,) = mail.outbox
    assert "1 new version holds" in letter.body
    assert mark not in letter.body
    current = acme.alice.correct(entry, version=2, evidence="review", value=STEPS).json()["memory"]
    sweep()
    assert "rolled back to what version 1 said" in text_of(alice.get("/notices/"))
    acme.alice.correct(current, evidence="review", valid_until=now(days=20).isoformat())
    sweep()
    assert kinds(acme) == ["changed", "ending"], "only of what holds"
    with acme.entered():
        standing = Notice.objects.filter(kind="ending").get().target_id
    assert suspended(acme.person("rita"), {"memory_id": standing, "version": 4}).status_code == 302
    sweep()
    assert kinds(acme) == ["changed", "suspended"]
    with acme.entered():
        follow = Follow.objects.get().pk
    assert acme.person("rita").client.post(f"/playbook/following/{follow}/stop/").status_code == 404
    assert f"Check the {mark} receipt" in text_of(alice.get("/playbook/following/"))
    assert alice.post(f"/playbook/following/{follow}/stop/").status_code == 302
    assert bell(alice) == 0
    sweep()
    assert kinds(acme) == []


def test_a_teams_playbook_is_followed_with_what_is_new_in_it(acme: Company, alice: Client) -> None:
    teach(acme.alice, word())
    with acme.entered():
        place = Namespace.objects.get(group__slug=TEAM["id"]).pk
    assert alice.post(f"/playbook/places/{place}/follow/").status_code == 302
    mark = word()
    teach(acme.alice, mark)
    sweep()
    assert (bell(alice), mark in text_of(alice.get("/notices/"))) == (1, True)
    alice.post("/settings/notices/", {"changed": ["mail"]})
    assert bell(alice) == 0, "by preference"
    alice.post("/settings/notices/", {"changed": ["app", "mail"]})
    assert bell(alice) == 1
    with acme.entered():
        GroupMember.objects.filter(membership__external_id="alice").delete()
    assert bell(alice) == 0, "who left the team learns nothing more of it"
    assert mark not in text_of(alice.get("/notices/"))


def test_only_what_one_sees_can_be_followed(acme: Company, beta: Company, alice: Client) -> None:
    entry = teach(acme.alice, word())
    with acme.entered():
        place = Namespace.objects.get(group__slug=TEAM["id"]).pk
    for path in (f"/playbook/{entry['memory_id']}/follow/", f"/playbook/places/{place}/follow/"):
        for stranger in (acme.person("paul"), beta.person("rita"), beta.person("bob")):
            assert stranger.client.post(path).status_code == 404
        assert alice.post(path).status_code == 302
    with acme.entered():
        assert Follow.objects.count() == 2


def test_a_reviewer_follows_what_any_agent_goes_by_until_they_review_no_more(acme: Company) -> None:
    entry = teach(acme.alice, word(), namespace=AGENT)
    rita = acme.person("rita").client
    assert rita.post(f"/playbook/{entry['memory_id']}/follow/").status_code == 302
    acme.alice.correct(entry, evidence="review", value=STEPS | {"steps": ["Refund at once."]})
    sweep()
    assert bell(rita) == 1
    with acme.entered():
        Membership.objects.filter(external_id="rita").update(roles=["member"])
    assert bell(rita) == 0


def test_following_over_rest_is_what_the_page_shows_and_ends_with_the_sight_of_it(acme: Company, beta: Company) -> None:
    alice = acme.person("alice")
    entry = teach(acme.alice, word())
    made = alice.post("/following", {"memory_id": entry["memory_id"]})
    assert (made.status_code, made.json()["whole"]) == (201, False)
    assert alice.post("/following", {"memory_id": entry["memory_id"]}).json() == made.json(), "again is no second time"
    assert (made.json()["memory_id"], made.json()["whole"]) == (entry["memory_id"], False)
    assert (
        alice.post("/following", {"namespace": TEAM | {"path": ["till"]}}).json()["errors"][0]["pointer"]
        == "namespace.path"
    )
    whole = alice.post("/following", {"namespace": TEAM})
    assert (whole.status_code, whole.json()["whole"], whole.json()["namespace"]["id"]) == (201, True, TEAM["id"])
    assert alice.post("/following", {"namespace": TEAM, "memory_id": entry["memory_id"]}).status_code == 400
    assert [one["id"] for one in alice.get("/following").json()["items"]] == [whole.json()["id"], made.json()["id"]]
    stranger = beta.person("rita")
    assert stranger.post("/following", {"memory_id": entry["memory_id"]}).status_code == 404
    assert stranger.call("DELETE", f"/following/{made.json()['id']}").status_code == 404
    assert alice.call("DELETE", f"/following/{made.json()['id']}").status_code == 204
    with acme.entered():
        assert Follow.objects.count() == 1
    sweep()
    with acme.entered():
        assert Follow.objects.count() == 1
        GroupMember.objects.filter(membership__external_id="alice").delete()
    sweep()
    with acme.entered():
        assert not Follow.objects.exists(), "who may see it no longer follows it no longer"


def test_the_buttons_of_a_page_ask_the_database_once(acme: Company, alice: Client) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert alice.get("/playbook/").status_code == 200
        return sum(one["sql"].startswith('SELECT "reviews_follow"') for one in queries)

    teach(acme.alice, word())
    assert asked() == 1
    teach(acme.alice, word(), namespace=AGENT)
    assert asked() == 1
