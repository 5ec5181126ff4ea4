"""The back office: one tenant's ids, codes and times, no text, and nothing that can be changed."""

from __future__ import annotations

from typing import Any

import pytest
from cast import Cast, Company, sentence, word
from django.contrib import admin
from django.db.models import ForeignKey
from django.test import Client
from django.urls import include, path

from accounts.admin import ErrandAdmin, MetadataAdmin
from accounts.errands import asked_by
from accounts.models import AuditEvent, Errand, User
from memories import access
from memories.models import Candidate, Memory
from memories.stores import STORES
from memoryhub import urls

handler404, handler500 = urls.handler404, urls.handler500
urlpatterns = [path("back-office/", admin.site.urls), path("", include("memoryhub.urls"))]
pytestmark = pytest.mark.urls("test_pages_admin")
CAN_FAIL = [kind for kind in Errand.__subclasses__() if "failed" in kind.State.values]  # type: ignore[attr-defined]


@pytest.fixture
def office(acme: Company) -> Client:
    """Adam, who may enter the back office of Acme."""
    user = acme.member("adam").user
    user.is_staff = user.is_superuser = True
    user.save()
    return acme.person("adam").client


def lists() -> list[str]:
    return [f"/back-office/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry]


def test_only_our_metadata_is_registered() -> None:
    assert {type(one).__base__ for one in admin.site._registry.values()} == {MetadataAdmin, ErrandAdmin}
    assert all(isinstance(admin.site._registry.get(kind), ErrandAdmin) for kind in CAN_FAIL)
    assert set(Errand.__subclasses__()) <= set(admin.site._registry)


def test_no_column_that_can_hold_a_remembered_text_is_named(rf: object) -> None:
    texts = {store.model: set(store.columns) for store in STORES}
    for model, page in admin.site._registry.items():
        assert isinstance(page, MetadataAdmin)
        named = {*page.shown, *page.list_filter, *page.search_fields, page.date_hierarchy}
        assert named & texts.get(model, set()) == set(), model
        assert page.search_fields == ()


def test_lists_and_rows_are_readable_and_hold_no_text(acme: Company, office: Client) -> None:
    mark = word()
    memory = acme.alice.store(sentence(mark), key=f"key_{mark}", value={"a": mark}, conditions=f"In {mark} reports")
    held = acme.alice.hold(sentence(mark), key=f"held_{mark}")
    assert office.get("/back-office/").status_code == 200
    for address in lists():
        response = office.get(address)
        assert response.status_code == 200, address
        assert mark not in str(response.content, "utf-8"), address
    for model, pk in ((Memory, memory["memory_id"]), (Candidate, held["candidate_id"])):
        response = office.get(f"/back-office/memories/{model._meta.model_name}/{pk}/change/")
        html = str(response.content, "utf-8")
        assert response.status_code == 200
        assert pk in html
        assert mark not in html


def test_nothing_can_be_added_changed_or_deleted(acme: Company, office: Client) -> None:
    memory = acme.alice.store()
    url = f"/back-office/memories/memory/{memory['memory_id']}/"
    assert office.post(f"{url}change/", {"status": "paused"}).status_code == 403
    assert office.post(f"{url}delete/", {"post": "yes"}).status_code == 403
    assert office.post("/back-office/memories/memory/add/", {}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": memory["memory_id"], "post": "yes"}
    office.post("/back-office/memories/memory/", chosen)
    with acme.entered():
        assert Memory.objects.get(pk=memory["memory_id"]).status == "active"


@pytest.mark.parametrize("kind", CAN_FAIL, ids=lambda kind: kind._meta.label)
def test_errands_that_failed_are_shown_with_the_reason_and_tried_again(
    acme: Company, office: Client, kind: Any
) -> None:
    """R-161: only those that failed, only by whom the back office is for, and with an event."""
    with acme.entered():
        asked = {**asked_by(acme.principal("alice")), **needed_by(acme, kind)}
        dead = kind.objects.create(state=kind.State.FAILED, error="OperationalError", attempts=5, **asked)
        done = kind.objects.create(state=kind.State.CANCELLED, **asked)
    address = f"/back-office/{kind._meta.app_label}/{kind._meta.model_name}/"
    shown = str(office.get(address).content, "utf-8")
    assert "OperationalError" in shown
    chosen = {"action": "try_again", "_selected_action": [str(dead.pk), str(done.pk)], "index": 0}
    acme.person("alice").client.post(address, chosen)
    with acme.entered():
        assert kind.objects.get(pk=dead.pk).state == kind.State.FAILED
    assert "1 is tried again" in str(office.post(address, chosen, follow=True).content, "utf-8")
    with acme.entered():
        dead.refresh_from_db()
        assert (dead.state, dead.attempts, dead.error, dead.finished_at) == (kind.State.QUEUED, 0, "", None)
        assert kind.objects.get(pk=done.pk).state == kind.State.CANCELLED
        event = AuditEvent.objects.get(action=f"{kind._meta.model_name}.retry")
        assert (event.target_id, event.actor_id) == (dead.pk, acme.member("adam").pk)
    assert "None of the chosen" in str(office.post(address, chosen, follow=True).content, "utf-8")


def needed_by(company: Company, kind: Any) -> dict[str, Any]:
    """What a row of this kind cannot be without."""
    names = {field.name for field in kind._meta.fields if isinstance(field, ForeignKey) and not field.null}
    needed: dict[str, Any] = {}
    if "namespace" in names:
        needed["namespace"] = access.readable(company.principal("alice"))[0]
    if hasattr(kind, "messages"):  # without its conversation it cannot be tried again
        needed["messages"] = [{"role": "user", "text": "Hello."}]
    return needed


def test_only_ones_own_tenant_is_shown(cast: Cast, office: Client) -> None:
    foreign = cast.beta.bob.store()
    members = str(office.get("/back-office/accounts/user/").content, "utf-8")
    assert "alice@acme.example" in members
    assert "beta.example" not in members
    assert foreign["memory_id"] not in str(office.get("/back-office/memories/memory/").content, "utf-8")
    row = office.get(f"/back-office/memories/memory/{foreign['memory_id']}/change/")
    assert row.status_code == 302  # as for an absent id: back to the index with a message


def test_without_an_organisation_a_page_says_so(db: None) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root@nowhere.example"))
    assert client.get("/back-office/").status_code == 200
    for address in lists():
        for end in ("", "01900000-0000-7000-8000-000000000000/change/"):
            response = client.get(address + end)
            assert response.status_code == 403, address + end
            assert "You belong to no organisation here" in str(response.content, "utf-8")
        assert client.get(f"{address}01900000-0000-7000-8000-000000000000/history/").status_code in (302, 404)


def test_the_back_office_has_no_sign_in_of_its_own(acme: Company, db: None) -> None:
    assert Client().get("/back-office/login/")["Location"].startswith("/account/login/")
    assert acme.person("alice").client.get("/back-office/").status_code in (302, 403)


def test_the_back_office_is_not_there_unless_its_path_is_set() -> None:
    from django.conf import settings

    assert settings.MEMORYHUB_ADMIN_PATH == ""
    assert not any("admin" in str(getattr(one, "app_name", "")) for one in urls.urlpatterns)
