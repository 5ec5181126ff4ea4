"""The first wall by itself: no query and no write without a company, none that leaves it."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from cast import TEAM, Cast, Company, word
from django.apps import apps
from django.db import DatabaseError, connections, transaction

from accounts import tenancy
from accounts.models import Agent, AuditEvent, Group, Membership
from accounts.tenancy import NoActiveTenant, TenantModel, WrongTenant
from memories.models import Memory, Namespace

TENANT_MODELS = [model for model in apps.get_models() if issubclass(model, TenantModel)]


@pytest.mark.parametrize("model", TENANT_MODELS, ids=lambda model: model.__name__)
def test_no_row_is_read_while_no_company_is_entered(cast: Cast, model: Any) -> None:
    """R-060, T2: the default manager raises as soon as a query is built, whatever the query."""
    for ask in (
        lambda: model.objects.all(),
        lambda: model.objects.filter(pk=1),
        lambda: model.objects.count(),
        lambda: model.objects.exists(),
        lambda: model.objects.create(),
        lambda: model.objects.bulk_create([model()]),
        lambda: model.objects.update(tenant=None),
    ):
        with pytest.raises(NoActiveTenant):
            ask()
    with cast.acme.entered():
        model.objects.count()


@pytest.mark.parametrize("model", TENANT_MODELS, ids=lambda model: model.__name__)
def test_every_tenant_model_reads_its_own_company_by_default(model: Any) -> None:
    """A manager added to a model is one that knows the wall; the other one says in its name that it does not."""
    assert isinstance(model._default_manager, tenancy.TenantManager)
    assert {manager.name for manager in model._meta.managers if not isinstance(manager, tenancy.TenantManager)} <= {
        "everywhere"
    }


def test_a_row_takes_the_company_that_is_entered(cast: Cast) -> None:
    with cast.acme.entered():
        made = Group.objects.create(type="team", slug=word())
        many = Group.objects.bulk_create([Group(type="team", slug=word())])
    assert {made.tenant_id, many[0].tenant_id} == {cast.acme.tenant.pk}


def test_a_row_of_another_company_is_not_written(cast: Cast) -> None:
    """T2: by create, by bulk_create and by saving a row that was read elsewhere."""
    with cast.beta.entered():
        theirs = Group.objects.get(type="team", slug="support")
    with cast.acme.entered():
        for write in (
            lambda: Group.objects.create(tenant=cast.beta.tenant, type="team", slug=word()),
            lambda: Group.objects.bulk_create([Group(tenant=cast.beta.tenant, type="team", slug=word())]),
            lambda: theirs.save(),
        ):
            with pytest.raises(WrongTenant), transaction.atomic():
                write()
        assert Group.objects.filter(pk=theirs.pk).update(name="ours now") == 0
        assert Group.objects.filter(pk=theirs.pk).delete()[0] == 0
    with cast.beta.entered():
        assert Group.objects.get(pk=theirs.pk).name == ""


def test_a_part_of_a_row_of_another_company_is_not_written_either(cast: Cast) -> None:
    with cast.beta.entered():
        theirs = Group.objects.get(type="team", slug="support")
    theirs.name = "ours now"
    with cast.acme.entered(), pytest.raises((WrongTenant, DatabaseError)):
        theirs.save(update_fields=["name"])


def test_entering_ends_with_its_block(cast: Cast) -> None:
    with cast.acme.entered():
        with cast.beta.entered():
            assert tenancy.current_id() == cast.beta.tenant.pk
        assert tenancy.current_id() == cast.acme.tenant.pk
    assert tenancy.active_id() is None


def test_a_new_thread_has_no_company(cast: Cast) -> None:
    """T16: what one worker entered is not there in another."""
    seen: list[Any] = []

    def look() -> None:
        seen.append(tenancy.active_id())
        connections.close_all()

    with cast.acme.entered():
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert seen == [None]


def test_a_request_leaves_no_company_behind(cast: Cast) -> None:
    """T4: neither a good answer nor a refusal nor a page leaves one entered."""
    for response in (
        cast.acme.alice.get("/memories"),
        cast.acme.alice.get("/memories/nonsense"),
        cast.acme.by("readonly").get("/memories"),
        cast.acme.person("alice").get("//account/2fa/"),
    ):
        assert response.status_code < 500
        assert tenancy.active_id() is None


def test_names_are_unique_in_a_company_and_free_in_the_next(cast: Cast) -> None:
    """T5: no constraint reaches over the wall, so none can tell what stands behind it."""
    for model in TENANT_MODELS:
        for constraint in model._meta.constraints:
            fields = getattr(constraint, "fields", ())
            if not fields:
                continue
            bound = {"tenant"} | {
                field.name
                for field in model._meta.concrete_fields
                if field.is_relation and issubclass(field.related_model, TenantModel)
            }
            assert bound & set(fields), constraint.name


def test_namespaces_belong_to_the_company_of_their_owner(cast: Cast) -> None:
    cast.acme.alice.recall("summary")
    cast.beta.bob.recall("summary")
    for row in Namespace.everywhere.select_related("membership", "agent", "group"):
        owner = row.membership or row.agent or row.group
        assert row.tenant_id == owner.tenant_id


def test_a_right_that_is_gone_is_gone_at_the_next_call(acme: Company) -> None:
    """R-062, R-251: past reads do not carry forward; membership is asked anew by every call."""
    mark = word()
    memory = acme.rita.share(TEAM, f"Check the {mark} list before closing a case.")
    assert acme.alice.recalled(mark) == [memory["memory_id"]]
    with acme.entered():
        Group.objects.get(type="team", slug="support").memberships.filter(membership__external_id="alice").delete()
    assert acme.alice.recalled(mark) == []
    assert acme.alice.memory(memory["memory_id"]).status_code == 404
    assert acme.rita.recalled(mark) == [memory["memory_id"]]


def test_an_agent_that_leaves_a_group_reads_it_no_more(acme: Company) -> None:
    """R-236: what a person may read, their agent may read only where it works itself."""
    mark = word()
    memory = acme.rita.share(TEAM, f"Check the {mark} list before closing a case.")
    with acme.entered():
        Agent.objects.get(slug="helper").groups.clear()
    assert acme.rita.recalled(mark) == []
    assert acme.person("rita").get(f"/memories/{memory['memory_id']}").status_code == 200


def test_a_person_who_has_left_is_nobody(acme: Company) -> None:
    acme.alice.store()
    session = acme.person("alice")
    with acme.entered():
        Membership.objects.filter(external_id="alice").update(is_active=False)
    assert acme.alice.get("/memories").status_code == 404
    assert session.get("/memories").status_code == 401
    with acme.entered():
        assert Memory.objects.current().count() == 1
        assert AuditEvent.objects.filter(action="memory.list").count() == 0
