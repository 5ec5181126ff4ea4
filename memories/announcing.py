"""What happens to shared memory, for whoever asked to be told: ids, codes and the names of places. No word of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Q

from accounts import tenancy
from accounts.models import Webhook
from accounts.webhooks import outbox
from memories import tenant_policy
from memories.models import Candidate, Memory, Namespace
from memories.policy import Policy


def waiting(candidate: Candidate) -> None:
    """A candidate waits for a reviewer."""
    if candidate.awaiting == Candidate.Awaiting.REVIEWER:
        _tell("candidate.waiting", candidate.namespace, {**_of_candidate(candidate), "reason": candidate.reason})


def decided(candidate: Candidate, verdict: str) -> None:
    """What waited for a reviewer no longer does. The first approval of two is nobody's business yet."""
    if candidate.awaiting == Candidate.Awaiting.REVIEWER and candidate.status != Candidate.Status.PENDING:
        memory = str(candidate.memory_id) if candidate.memory_id else None
        about = {**_of_candidate(candidate), "verdict": verdict, "status": candidate.status, "memory_id": memory}
        _tell("candidate.decided", candidate.namespace, about)


def published(memory: Memory, policy: Policy) -> None:
    """A version of an entry of the playbook holds from now on."""
    if memory.kind in policy.how_to_kinds:
        _tell("entry.published", memory.namespace, _of_memory(memory))


def suspended(memory: Memory, reason: str) -> None:
    _tell("entry.suspended", memory.namespace, {**_of_memory(memory), "reason": reason})


def resumed(memory: Memory) -> None:
    _tell("entry.resumed", memory.namespace, _of_memory(memory))


def expired(now: datetime) -> int:
    """Tell of the entries whose end has come since the last time; returns how many messages that made."""
    kinds = tenant_policy.active().how_to_kinds
    made = 0
    for hook in Webhook.objects.filter(switched_off_at=None, expiry_told_until__lt=now):
        if "entry.expired" not in hook.events:
            continue
        place = Q(namespace__group_id=hook.group_id) if hook.group_id else ~Q(namespace__type=Namespace.Type.USER)
        ended = Memory.objects.filter(
            place,
            status=Memory.Status.ACTIVE,
            kind__in=kinds,
            valid_until__gt=hook.expiry_told_until,
            valid_until__lte=now,
        )
        with tenancy.atomic():
            mine = Webhook.objects.filter(pk=hook.pk, expiry_told_until=hook.expiry_told_until)
            if mine.update(expiry_told_until=now):
                for memory in ended.select_related("namespace__agent", "namespace__group"):
                    outbox.put([hook], "entry.expired", {**_place(memory.namespace), **_of_memory(memory)})
                    made += 1
    return made


def _tell(event: str, namespace: Namespace, about: Mapping[str, Any]) -> None:
    """What belongs to one person is nobody else's business."""
    if namespace.type != Namespace.Type.USER:
        outbox.tell(event, namespace.group_id, {**_place(namespace), **about})


def _place(namespace: Namespace) -> dict[str, Any]:
    return {"namespace": {"type": namespace.type, "id": namespace.owner_name}}


def _of_candidate(candidate: Candidate) -> dict[str, Any]:
    return {"candidate_id": str(candidate.pk), "kind": candidate.kind}


def _of_memory(memory: Memory) -> dict[str, Any]:
    return {"memory_id": str(memory.pk), "kind": memory.kind, "version": memory.version}
