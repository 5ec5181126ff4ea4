"""What the policy keeps only for a time: expired memories, texts of evidence, plans nobody confirmed, the audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from django.db.models import QuerySet

from accounts import audit, sealing, tenancy
from accounts.principals import Principal
from memories import access, tenant_policy
from memories.actions import Part
from memories.actions.forget import erase
from memories.models import Candidate, Erasure, Evidence, Memory, Namespace, Reveal
from memories.purging import rested_on, unneeded

BATCH = 200
LOOK_AHEAD = 10_000
PLAN_GRACE = timedelta(minutes=5)  # a confirmation that began in time may still be at work
LOOK_AGAIN = timedelta(days=1)


def forget_long_expired(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Forget what has been past its end for longer than the policy keeps it, with a receipt to its owner.

    A key for which something waits for a person is left until that is settled.
    """
    cutoff = now - timedelta(days=tenant_policy.active().retention.expired_purge_days)
    with tenancy.atomic():
        ids = set(_long_expired(cutoff).values_list("namespace_id", flat=True)[:LOOK_AHEAD])
        namespaces = list(Namespace.objects.filter(pk__in=ids)) if ids else []
    return {"memories_expired": sum(_forget_in(principal, namespace, cutoff) for namespace in namespaces)}


def drop_expired_evidence(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Let go of original texts and speakers after their time; references stay while a memory rests on them.

    `expires_at` is the due state: empty once nothing more is to be dropped, a day later while something that waits for
    a person still cites the reference.
    """
    total = 0
    while True:
        with tenancy.atomic():
            due = list(Evidence.objects.filter(expires_at__lte=now).values_list("pk", flat=True)[:BATCH])
            if not due:
                return {"evidence_expired": total}
            batch = Evidence.objects.filter(pk__in=due)
            free = list(unneeded(batch).values_list("pk", flat=True))
            settled = [*free, *rested_on(batch).values_list("pk", flat=True)]
            batch.update(text=None, speaker="", expires_at=now + LOOK_AGAIN)
            Evidence.objects.filter(pk__in=settled).update(expires_at=None)
            Evidence.objects.filter(pk__in=free).update(ref="", thread="", run_id="")
            audit.record(principal, "evidence.expire", details={"evidence": len(due), "references": len(free)})
        total += len(due)


def drop_expired_plans(_principal: Principal, now: datetime) -> Mapping[str, int]:
    """Remove the dry runs that nobody confirmed in time."""
    with tenancy.atomic():
        stale = Erasure.objects.filter(state=Erasure.State.PLANNED, expires_at__lte=now - PLAN_GRACE)
        gone, _ = stale.delete()
    return {"plans_dropped": gone}


def drop_old_audit(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Remove the events of whole days that are older than the policy keeps them; what stays goes on to be verifiable.

    Each removal leaves a checkpoint and an event that says how many went. Raises BrokenChain when they do not hold.
    """
    days = tenant_policy.active().retention.audit_days
    if days is None:
        return {}
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    total = 0
    while left := sealing.expire(principal, today - timedelta(days=days)):
        total += left
    with tenancy.atomic():
        Reveal.objects.filter(created_at__lt=today - timedelta(days=days)).delete()
    return {"audit_events_removed": total}


def _long_expired(cutoff: datetime) -> QuerySet[Memory]:
    """What stood for its key and has been past its end since before the cutoff."""
    asked = Candidate.objects.filter(status=Candidate.Status.PENDING).values("slot_id")
    return Memory.objects.current().filter(valid_until__lte=cutoff).exclude(slot_id__in=asked)


def _forget_in(principal: Principal, namespace: Namespace, cutoff: datetime) -> int:
    total = 0
    while True:
        with tenancy.atomic():
            access.lock([namespace])
            due = _long_expired(cutoff).filter(namespace=namespace)
            slots = list(due.values_list("slot_id", flat=True)[:BATCH])
            if not slots:
                return total
            owner = replace(principal, subject_id=namespace.membership_id)
            receipt = Erasure(subject_id=namespace.membership_id, scope=Erasure.Scope.EXPIRY)
            erasure = erase(owner, receipt, [Part(namespace, slots)], action="memory.expire")
        total += len(erasure.memory_ids)
