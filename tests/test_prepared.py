"""Queries that are compiled once: they find what the query set would find, in the active tenant and nowhere else."""

from __future__ import annotations

import threading
import uuid
from typing import Any

import pytest
from cast import Cast, Company
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Membership
from accounts.prepared import Prepared, any_of
from accounts.tenancy import NoActiveTenant
from memories.models import Memory, Namespace

NAMED = Prepared(lambda name: Membership.objects.filter(external_id=name))
AMONG = Prepared(lambda ids, now: Memory.objects.recallable(now).filter(pk__in=ids).order_by("pk"))
OWNED = Prepared(lambda owners: Namespace.objects.filter(any_of("membership_id", owners)).select_related("membership"))


def test_the_same_query_asks_the_tenant_that_is_active(cast: Cast) -> None:
    """R-142: compiled while one tenant was active, it answers another one with its own rows, and nobody with none."""
    found = {}
    for company in (cast.acme, cast.beta, cast.acme):
        with company.entered():
            rows = NAMED(name="alice")
            assert rows == list(Membership.objects.filter(external_id="alice"))
            found[company.tenant.pk] = {row.pk for row in rows}
    assert not set.intersection(*found.values())
    with pytest.raises(NoActiveTenant):
        NAMED(name="alice")


def test_rows_are_what_the_query_set_reads(acme: Company) -> None:
    """Every column, of lists of any length, with what belongs to them and no further statement."""
    ids = [uuid.UUID(acme.alice.store()["memory_id"]) for _ in range(3)]
    with acme.entered():
        for wanted in ([], ids[:1], ids):
            now = timezone.now()
            expected = Memory.objects.recallable(now).filter(pk__in=wanted).order_by("pk")
            assert [state(row) for row in AMONG(ids=wanted, now=now)] == [state(row) for row in expected]
        owner = Membership.objects.get(external_id="alice").pk
        with CaptureQueriesContext(connection) as seen:
            assert OWNED(owners=[]) == []
            [namespace] = OWNED(owners=[owner])
            assert str(namespace.membership.external_id if namespace.membership else "") == "alice"
        assert len(seen) == 1
        with pytest.raises(ValueError, match="None"):
            NAMED(name=None)


def test_threads_have_their_own(acme: Company) -> None:
    """What was compiled belongs to a connection, and a connection to its thread."""
    kept: list[object] = []
    thread = threading.Thread(
        target=lambda: kept.append(vars(connections[DEFAULT_DB_ALIAS]).get("_memoryhub_prepared"))
    )
    with acme.entered():
        assert NAMED(name="alice")
        assert vars(connections[DEFAULT_DB_ALIAS])["_memoryhub_prepared"]
    thread.start()
    thread.join()
    assert kept == [None]


def state(row: Memory) -> dict[str, Any]:
    return {name: value for name, value in vars(row).items() if name != "_state"}
