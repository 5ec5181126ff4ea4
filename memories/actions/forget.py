"""Forget: one key, a model's wish, or everything a filter shows. Hidden everywhere when the verb returns."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core import signing
from django.utils import timezone

from accounts import audit, secrets, tenancy
from accounts.errors import Conflict, InvalidInput, NotVisible, StaleVersion
from accounts.principals import Principal, Scope
from memories import access, lifecycle, purging, tenant_policy
from memories.access import NamespaceRef
from memories.actions.change import standing_of
from memories.models import Candidate, Erasure, Memory, Namespace, Slot
from memories.write_gate import EvidenceClass

PLAN_LIVES = timedelta(hours=1)
PLAN_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class ForgetFilter:
    """Which memories to forget; at least one field must say something."""

    namespace: NamespaceRef | None = None
    kind: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """Exactly what a confirmed filter would forget."""

    memory_ids: Sequence[uuid.UUID]
    confirm_token: str
    expires_at: datetime


def forget(
    principal: Principal, memory_id: str, *, expected_version: int | None = None, now: datetime | None = None
) -> Erasure:
    """Forget a key: every version of it, everywhere. Hidden when this returns."""
    principal.require(Scope.FORGET)
    seen = access.memory(principal, memory_id)
    access.require_change(principal, seen.namespace)
    with tenancy.atomic():
        access.lock([seen.namespace])
        if not Memory.objects.kept().filter(slot=seen.slot).exists():
            raise NotVisible
        standing = lifecycle.current(seen.slot)
        if expected_version is not None and (standing is None or standing.version != expected_version):
            raise StaleVersion(current_version=standing.version if standing else None)
        erasure = Erasure(actor_id=principal.actor_id, subject_id=principal.subject_id)
        return erase(principal, erasure, {seen.namespace: [seen.slot]}, now)


def ask_to_forget(principal: Principal, memory_id: str) -> Candidate:
    """File a model's wish to forget one of the person's memories; only the person's yes carries it out."""
    principal.require(Scope.FORGET)
    seen = access.memory(principal, memory_id)
    if seen.namespace.membership_id is None or seen.namespace.membership_id != principal.subject_id:
        raise NotVisible
    policy, now = tenant_policy.active(), timezone.now()
    with tenancy.atomic():
        access.lock([seen.namespace])
        standing = standing_of(seen, None)
        shown = {name: getattr(standing, name) for name in ("kind", "key", "path", "statement", "value", "conditions")}
        candidate, _ = Candidate.objects.get_or_create(
            slot=standing.slot,
            action=Candidate.Action.FORGET,
            awaiting=Candidate.Awaiting.OWNER,
            status=Candidate.Status.PENDING,
            content_hash=secrets.fingerprint("candidate", {"forget": str(standing.pk)}),
            defaults={
                **shown,
                "namespace": standing.namespace,
                "subject_id": principal.subject_id,
                "agent_id": principal.agent_id,
                "reason": "forget_requires_confirmation",
                "evidence_class": EvidenceClass.model_inference,
                "base_version": standing.version,
                "policy_version": policy.version,
                "lapses_at": now + timedelta(days=policy.retention.candidate_days),
            },
        )
        audit.record(principal, "memory.ask_to_forget", target="candidate", target_id=candidate.pk)
    return candidate


def forget_approved(principal: Principal, candidate: Candidate) -> Erasure:
    """Forget the key that an approved request names. For `reviews.decisions` only, under its lock."""
    erasure = Erasure(actor_id=principal.actor_id, subject_id=principal.subject_id)
    return erase(principal, erasure, {candidate.namespace: [candidate.slot]})


def plan_forget(principal: Principal, chosen: ForgetFilter) -> ForgetPlan:
    """A dry run: the exact ids, every version, and a token that forgets just those. Forgets nothing."""
    principal.require(Scope.FORGET)
    if chosen == ForgetFilter():
        raise InvalidInput.field("filter", "Say what to forget: a namespace, a kind or a key.", "empty_filter")
    ref = chosen.namespace or NamespaceRef("user" if principal.subject_id else "agent")
    area = access.area(principal, ref)
    access.require_change(principal, area.namespace)
    rows = Memory.objects.kept().filter(namespace=area.namespace).within(area.path)
    if chosen.kind is not None:
        rule = tenant_policy.active().kind(chosen.kind)
        rows = rows.filter(kind=rule.name if rule else chosen.kind)
    if chosen.key is not None:
        rows = rows.filter(key=chosen.key)
    found = list(rows.order_by("pk").values_list("pk", "slot_id")[: PLAN_LIMIT + 1])
    if len(found) > PLAN_LIMIT:
        raise InvalidInput.field("filter", "These are more memories than one call may forget; narrow it.", "too_many")
    expires_at = timezone.now() + PLAN_LIVES
    with tenancy.atomic():
        plan = Erasure.objects.create(
            state=Erasure.State.PLANNED,
            actor_id=principal.actor_id,
            subject_id=principal.subject_id,
            memory_ids=[str(pk) for pk, _ in found],
            slot_ids=[str(pk) for pk in dict.fromkeys(slot for _, slot in found)],
            expires_at=expires_at,
        )
        audit.record(
            principal, "memory.forget_plan", target="erasure", target_id=plan.pk, details={"memories": len(found)}
        )
    token = signing.dumps(str(plan.pk), salt="memoryhub.forget")
    return ForgetPlan([pk for pk, _ in found], token, expires_at)


def confirm_forget(principal: Principal, confirm_token: str) -> Erasure:
    """Forget what a dry run showed. The token works once; used again it answers with the same receipt.

    Raises Conflict when something under those keys changed after the dry run.
    """
    principal.require(Scope.FORGET)
    try:
        plan_id = signing.loads(confirm_token, salt="memoryhub.forget", max_age=PLAN_LIVES)
        plan = access.erasure(principal, plan_id)
    except (signing.BadSignature, NotVisible):
        raise InvalidInput.field("confirm_token", "This token is unknown or has expired.", "unknown_token") from None
    slots = list(Slot.objects.filter(pk__in=plan.slot_ids).select_related("namespace"))
    by_namespace: dict[Namespace, list[Slot]] = {}
    for slot in slots:
        by_namespace.setdefault(slot.namespace, []).append(slot)
    with tenancy.atomic():
        access.lock(by_namespace)
        plan.refresh_from_db()
        if plan.state != Erasure.State.PLANNED:
            return plan
        for namespace in by_namespace:
            access.area(principal, NamespaceRef(namespace.type, namespace.owner_name))
            access.require_change(principal, namespace)
        now_there = Memory.objects.kept().filter(slot__in=slots).values_list("pk", flat=True)
        if not {str(pk) for pk in now_there} <= set(plan.memory_ids):
            raise Conflict("Something changed under these keys since the dry run; look again.", code="plan_changed")
        return erase(principal, plan, by_namespace)


def erase(
    principal: Principal,
    erasure: Erasure,
    doomed: Mapping[Namespace, Sequence[Slot]],
    now: datetime | None = None,
    action: str = "memory.forget",
) -> Erasure:
    """Carry a forgetting out under its receipt. The caller holds the locks and has asked who may."""
    now = now or timezone.now()
    slot_ids = [slot.pk for slots in doomed.values() for slot in slots]
    ids = Memory.objects.kept().filter(slot_id__in=slot_ids).order_by("pk").values_list("pk", flat=True)
    erasure.memory_ids, erasure.slot_ids = [str(pk) for pk in ids], [str(pk) for pk in slot_ids]
    erasure.state, erasure.hidden_at = Erasure.State.HIDDEN, now
    erasure.save()
    counts: dict[str, int] = {}
    for namespace, slots in doomed.items():
        for store, count in lifecycle.erase(namespace, slots, erasure, now).items():
            counts[store] = counts.get(store, 0) + count
    erasure.counts = counts
    erasure.save(update_fields=["counts"])
    purging.soon(erasure.pk)
    audit.record(
        principal,
        action,
        target="erasure",
        target_id=erasure.pk,
        details={"memories": len(erasure.memory_ids)},
    )
    return erasure
