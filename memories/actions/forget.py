"""Forget: one key, a model's wish, or all that a wider wish takes. Hidden everywhere when the verb returns."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.core import signing
from django.utils import timezone

from accounts import audit, departing, secrets, tenancy
from accounts.errors import Conflict, InvalidInput, NotVisible, StaleVersion
from accounts.principals import Principal, Scope
from memories import access, ledger, lifecycle, purging, tenant_policy
from memories.access import NamespaceRef
from memories.actions import scopes
from memories.actions.change import standing_of
from memories.actions.scopes import Choice, ForgetFilter
from memories.encryption import shredding
from memories.lifecycle import Part
from memories.models import Candidate, Erasure, Evidence, Memory
from memories.stores import NO_SOURCE
from memories.write_gate import EvidenceClass

PLAN_LIVES = timedelta(hours=1)
PLAN_LIMIT = 100_000
SALT = "memoryhub.forget"


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """Exactly what a confirmed wish would forget. `typed`: what the person must type to confirm it."""

    memory_ids: Sequence[uuid.UUID]
    count: int
    candidates: int
    evidence: int
    scope: str
    typed: str | None
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
        return erase(principal, erasure, [Part(seen.namespace, [seen.slot_id])], now)


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
    return erase(principal, erasure, [Part(candidate.namespace, [candidate.slot_id])])


def plan_forget(principal: Principal, wish: ForgetFilter) -> ForgetPlan:
    """A dry run: the exact ids, every version, and a token that forgets just those. Forgets nothing.

    The ids of a person or a tenant are told to nobody: they are many and may be others'.
    """
    principal.require(Scope.FORGET)
    choice = scopes.choose(principal, wish)
    parts = scopes.parts_of(choice)
    found = scopes.memory_ids_of(parts)
    if choice.typed is None and len(found) > PLAN_LIMIT:
        raise InvalidInput.field("filter", "These are more memories than one call may forget; narrow it.", "too_many")
    expires_at = timezone.now() + PLAN_LIVES
    ids = found if choice.typed is None else []
    with tenancy.atomic():
        plan = Erasure.objects.create(
            state=Erasure.State.PLANNED,
            scope=choice.scope,
            target_id=choice.target_id,
            actor_id=principal.actor_id,
            subject_id=principal.subject_id,
            memory_ids=[str(pk) for pk in ids],
            candidate_ids=[str(pk) for part in parts for pk in part.candidate_ids] if choice.typed is None else [],
            expires_at=expires_at,
        )
        details = {"memories": len(found), "scope": choice.scope}
        audit.record(principal, "memory.forget_plan", target="erasure", target_id=plan.pk, details=details)
    return ForgetPlan(
        memory_ids=ids,
        count=len(found),
        candidates=sum(len(part.candidate_ids) for part in parts),
        evidence=choice.evidence.count() if choice.evidence is not None else 0,
        scope=choice.scope,
        typed=choice.typed,
        confirm_token=signing.dumps({"plan": str(plan.pk), "wish": asdict(wish)}, salt=SALT, compress=True),
        expires_at=expires_at,
    )


def confirm_forget(principal: Principal, confirm_token: str, typed: str | None = None) -> Erasure:
    """Forget what a dry run showed. The token works once; used again it answers with the same receipt.

    Raises Conflict when more would go now than was shown, InvalidInput when what the plan asks for was not typed.
    """
    principal.require(Scope.FORGET)
    try:
        signed = signing.loads(confirm_token, salt=SALT, max_age=PLAN_LIVES)
        plan = access.erasure(principal, signed["plan"])
    except (signing.BadSignature, NotVisible):
        raise InvalidInput.field("confirm_token", "This token is unknown or has expired.", "unknown_token") from None
    if plan.state != Erasure.State.PLANNED:
        return plan
    choice = scopes.choose(principal, _wish_of(signed["wish"]))
    if choice.typed is not None and typed != choice.typed:
        raise InvalidInput.field("typed", "Type the name exactly as it is shown.", "not_typed")
    with tenancy.atomic():
        access.lock(choice.namespaces)
        plan = Erasure.objects.select_for_update().get(pk=plan.pk)
        if plan.state != Erasure.State.PLANNED:
            return plan
        parts = scopes.parts_of(choice)
        if choice.scope == Erasure.Scope.FILTER:
            parts = _planned(plan, parts)
        if choice.typed is None and not _shown(plan, parts):
            raise Conflict("Something changed under these keys since the dry run; look again.", code="plan_changed")
        return erase(principal, plan, parts, choice=choice)


def _wish_of(signed: Mapping[str, Any]) -> ForgetFilter:
    """The wish that a token carries."""
    place = signed["namespace"]
    ref = NamespaceRef(place["type"], place["id"], tuple(place["path"])) if place else None
    return ForgetFilter(**{**signed, "namespace": ref})


def _planned(plan: Erasure, parts: Sequence[Part]) -> list[Part]:
    """Without the keys that came under a selection since its dry run: just those that were shown are forgotten."""
    slots = set(Memory.objects.filter(pk__among=plan.memory_ids).values_list("slot_id", flat=True))
    return [replace(part, slot_ids=[pk for pk in part.slot_ids if pk in slots]) for part in parts]


def _shown(plan: Erasure, parts: Sequence[Part]) -> bool:
    """Whether nothing goes that the dry run did not show."""
    waiting = {str(pk) for part in parts for pk in part.candidate_ids}
    going = {str(pk) for pk in scopes.memory_ids_of(parts)}
    return going <= set(plan.memory_ids) and waiting <= set(plan.candidate_ids)


def erase(
    principal: Principal,
    erasure: Erasure,
    parts: Sequence[Part],
    now: datetime | None = None,
    *,
    action: str = "memory.forget",
    choice: Choice | None = None,
) -> Erasure:
    """Carry a forgetting out under its receipt. The caller holds the locks and has asked who may."""
    now = now or timezone.now()
    erasure.memory_ids = [str(pk) for pk in scopes.memory_ids_of(parts)]
    erasure.slot_ids = [str(pk) for part in parts for pk in part.slot_ids]
    erasure.candidate_ids = [str(pk) for part in parts for pk in part.candidate_ids]
    if choice is not None and choice.evidence is not None and choice.person is None:
        erasure.evidence_ids = [str(pk) for pk in choice.evidence.values_list("pk", flat=True)]
    erasure.state, erasure.hidden_at = Erasure.State.HIDDEN, now
    erasure.save()
    if choice is not None and choice.evidence is not None:
        lifecycle.unlink(choice.evidence, choice.namespaces)
    counts: Counter[str] = Counter()
    for part in parts:
        counts.update(lifecycle.erase(part, erasure, now))
    if choice is not None:
        counts.update(_beyond_memories(choice))
    erasure.counts = dict(counts)
    shredding.retire(erasure)
    erasure.save(update_fields=["counts", "key_generations"])
    ledger.soon(erasure)
    purging.soon(erasure.pk)
    details = {"memories": len(erasure.memory_ids), "scope": erasure.scope}
    audit.record(principal, action, target="erasure", target_id=erasure.pk, details=details)
    return erasure


def _beyond_memories(choice: Choice) -> dict[str, int]:
    """What goes besides memories: evidence that served none, and what tells who a forgotten person was."""
    counts = {}
    if choice.evidence is not None:
        counts["evidence"] = purging.let_go(choice.evidence)
    if choice.person is not None:
        Evidence.objects.filter(subject=choice.person).update(text=None, speaker="")
        departing.forget_person(choice.person)
    if choice.scope == Erasure.Scope.TENANT:
        counts["evidence"] = Evidence.objects.update(**NO_SOURCE)
        departing.forget_tenant()
    return counts
