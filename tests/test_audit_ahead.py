"""PostgreSQL reads a chain ahead on connections of its own: what is found is what one connection alone finds."""

from __future__ import annotations

import random
from typing import Any

import pytest
from cast import Cast, Company
from django.db import connection, transaction
from test_audit_chain import LENGTH, NEEDS_ANOTHER, TAMPERINGS, delete_event, grow

from accounts import ahead, verifying
from accounts.chain import head
from accounts.models import AuditEvent, AuditSeal

POSITIONS = 6  # of each kind
COMMITTED = [tamper for tamper in TAMPERINGS if tamper != delete_event]  # which leaves a reference to nothing


def put_back(events: list[AuditEvent], seals: list[AuditSeal]) -> None:
    AuditSeal.objects.all()._raw_delete("default")
    AuditEvent.objects.all()._raw_delete("default")
    AuditEvent.objects.bulk_create(events)
    AuditSeal.objects.bulk_create(seals)


def verified_alone(company: Company, noted: Any) -> verifying.Verdict:
    """In a transaction nothing is read ahead."""
    with transaction.atomic():
        return verifying.verify(company.tenant.pk, noted)


def test_read_ahead_or_alone_the_same_fault_is_named(crowd: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """T25: every kind of tampering, wherever a batch ends."""
    read: list[int] = []
    places = ahead.places
    monkeypatch.setattr(verifying, "VERIFY_BATCH", 5)
    monkeypatch.setattr(ahead, "places", lambda after, wanted: read.append(after) or places(after, wanted))
    with crowd.acme.entered(), connection.cursor() as cursor:
        grow(crowd.acme, LENGTH)
        noted, events, seals = head(), list(AuditEvent.objects.all()), list(AuditSeal.objects.order_by("sequence"))
        assert verifying.verify(crowd.acme.tenant.pk, noted) == verifying.Verdict(1, len(seals))
        assert sorted(read) == (list(range(0, len(seals), 5)) if connection.vendor == "postgresql" else [])
        for tamper in COMMITTED:
            for _ in range(POSITIONS):
                at = random.randrange(len(seals) - (tamper in NEEDS_ANOTHER))
                with transaction.atomic():
                    kinds = tamper(cursor, seals, at)
                verdict = verifying.verify(crowd.acme.tenant.pk, noted)
                assert verdict.fault is not None, (tamper, at)
                assert (verdict.fault.sequence, verdict.held) == (at + 1, at)
                assert verdict.fault.kind in kinds
                assert verdict == verified_alone(crowd.acme, noted)
                with transaction.atomic():
                    put_back(events, seals)


@pytest.mark.pg
def test_where_no_connection_is_free_the_chain_is_read_alone(crowd: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "_read", lambda _step: None)
    with crowd.acme.entered():
        grow(crowd.acme, LENGTH)
        assert verifying.verify(crowd.acme.tenant.pk).held == AuditSeal.objects.count()
