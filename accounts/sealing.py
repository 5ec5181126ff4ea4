"""Sealing, off the hot path: events take their places in the chain, and the oldest leave it when the policy says so."""

from __future__ import annotations

import uuid
from datetime import datetime
from itertools import takewhile

from django.db import transaction

from accounts import audit, tenancy
from accounts.chain import (
    START,
    Chain,
    Head,
    Written,
    checkpoint_digest,
    first_false_checkpoint,
    head,
    hold,
    newest_checkpoint,
    unsealed,
)
from accounts.models import AuditCheckpoint, AuditEvent, AuditSeal, Tenant
from accounts.principals import Principal

SEAL_BATCH = 1000
EXPIRE_BATCH = 5000


class BrokenChain(RuntimeError):
    """A part of a chain that was about to be removed does not hold."""


def seal(tenant_id: uuid.UUID) -> int:
    """Chain the tenant's unsealed events in the order of their ids; returns how many were sealed.

    The tenant's row is the lock, so that two workers never fork the chain.
    """
    chain = Chain.of(tenant_id)
    with transaction.atomic():
        Tenant.objects.select_for_update().get(pk=tenant_id)
        newest = head() or START
        last, before = newest.sequence, newest.digest
        events = unsealed().order_by("pk").values_list("pk", Written())[:SEAL_BATCH]
        seals = []
        for sequence, (event_id, event) in enumerate(events, start=last + 1):
            before = chain.digest(before, sequence, event)
            seals.append(AuditSeal(sequence=sequence, event_id=event_id, digest=before))
        AuditSeal.objects.bulk_create(seals)
    return len(seals)


def seal_all(tenant_id: uuid.UUID) -> int:
    """Seal until nothing waits, a batch in each transaction."""
    total = 0
    while True:
        with tenancy.atomic():
            sealed = seal(tenant_id)
        total += sealed
        if sealed < SEAL_BATCH:
            return total


def expire(principal: Principal, until: datetime) -> int:
    """Remove the oldest events that lie before `until`, a batch at most; returns how many.

    The checkpoint that stays says where the chain goes on; the database lets go of exactly what a checkpoint covers,
    and of nothing younger than thirty days. Raises BrokenChain when that part does not hold: what was tampered with
    does not leave unseen.
    """
    chain = Chain.of(principal.tenant_id)
    with tenancy.atomic():
        Tenant.objects.select_for_update().get(pk=principal.tenant_id)
        oldest = AuditSeal.objects.order_by("sequence").values_list("event__at", "sequence", "digest")[:EXPIRE_BATCH]
        due = list(takewhile(lambda row: row[0] < until, oldest))
        if not due:
            return 0
        last = Head(*due[-1][1:])
        previous = newest_checkpoint()
        start = Head(previous.sequence, previous.seal) if previous else START
        if first_false_checkpoint(chain) or hold(chain, start, len(due)) != last:
            raise BrokenChain(f"the audit chain does not hold before {last.sequence}: nothing of it is removed")
        checkpoint = AuditCheckpoint(sequence=last.sequence, seal=last.digest, until=until)
        checkpoint.digest = checkpoint_digest(chain, checkpoint, previous.digest if previous else "")
        checkpoint.save(force_insert=True)
        gone = AuditSeal.objects.filter(sequence__lte=last.sequence)
        AuditEvent.objects.filter(pk__in=gone.values("event_id"))._raw_delete("default")
        gone._raw_delete("default")
        counts = {"events": len(due), "last": last.sequence, "until": until.date().isoformat()}
        audit.record(principal, "audit.expire", target="checkpoint", details=counts)
    return len(due)
