"""A person's own agents: connected, paused, given new keys and ended by the person who answers for them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Prefetch, QuerySet
from django.utils.text import slugify

from accounts import audit, calls, keys, secrets, tenancy
from accounts.errors import Conflict, Forbidden, InvalidInput, NotVisible
from accounts.models import Agent, AgentKey, AgentSubject
from accounts.principals import Principal, Scope

GIVEN = (Scope.RECALL, Scope.READ, Scope.PROPOSE, Scope.ATTEST, Scope.FORGET)
"""What a person may let an agent do that acts for that person alone."""
FIRST_KEY = "key"
MOST = 50
USE_DAYS = 30


@dataclass(frozen=True, slots=True)
class Connected:
    """An agent with its living keys and how much it did on each of the last days."""

    agent: Agent
    keys: Sequence[AgentKey]
    reads: Sequence[int] = ()
    writes: Sequence[int] = ()
    refused: int = 0
    first_day: date | None = None
    scopes: Sequence[str] = ()

    @property
    def state(self) -> str:
        if not self.agent.is_active:
            return "paused" if self.keys else "ended"
        return "active" if self.keys else "keyless"

    @property
    def last_seen(self) -> datetime | None:
        return max((key.last_used_at for key in self.keys if key.last_used_at), default=None)


def mine(principal: Principal, now: datetime) -> list[Connected]:
    """The person's agents, newest first, with their last thirty days; those that have ended come last."""
    living = AgentKey.objects.filter(revoked_at=None).exclude(expires_at__lte=now).order_by("pk")
    rows = list(_owned(principal).prefetch_related(Prefetch("keys", living, to_attr="living")).order_by("-pk"))
    first = now - timedelta(days=USE_DAYS - 1)
    use: dict[uuid.UUID, dict[date, tuple[int, int, int]]] = {}
    for day in calls.days_of([agent.pk for agent in rows], first):
        use.setdefault(day.agent_id, {})[day.day] = (day.reads, day.writes, day.refused)
    days = [first.date() + timedelta(days=n) for n in range(USE_DAYS)]
    shown = [_connected(agent, days, use.get(agent.pk, {})) for agent in rows]
    return sorted(shown, key=lambda one: one.state == "ended")


def get(principal: Principal, agent_id: uuid.UUID) -> Agent:
    """One of the person's agents."""
    found = _owned(principal).filter(pk=agent_id).first()
    if found is None:
        raise NotVisible
    return found


def connect(principal: Principal, name: str, scopes: Sequence[str]) -> tuple[AgentKey, secrets.Token]:
    """A new agent that acts for this person alone, and its first key. The token is shown this once."""
    _require_presence(principal)
    if not scopes or not set(scopes) <= set(GIVEN):
        raise InvalidInput.field("scopes", "Choose at least one of these rights.", "unknown_scope")
    with tenancy.atomic():
        if _owned(principal).filter(is_active=True).count() >= MOST:
            raise Conflict("You have as many agents as one may have; end one first.", code="too_many_agents")
        agent = Agent.objects.create(slug=_free_slug(name), name=name, owner_id=principal.subject_id)
        AgentSubject.objects.create(agent=agent, membership_id=principal.subject_id)
        audit.record(principal, "agent.create", target="agent", target_id=agent.pk, details={"scopes": sorted(scopes)})
        return _with_key(keys.create(principal, agent, FIRST_KEY, scopes))


def set_paused(principal: Principal, agent_id: uuid.UUID, is_paused: bool) -> None:
    """Refuse the agent's next call, or let it call again. Its keys stay as they are."""
    with tenancy.atomic():
        agent = _changeable(principal, agent_id)
        agent.is_active = not is_paused
        agent.save(update_fields=["is_active"])
        audit.record(principal, "agent.pause" if is_paused else "agent.resume", target="agent", target_id=agent.pk)


def rotate(principal: Principal, agent_id: uuid.UUID, *, at_once: bool = False) -> tuple[AgentKey, secrets.Token]:
    """A new key in place of the agent's newest. The old one stays valid for a day, so that nothing stops meanwhile, or
    ends `at_once`."""
    with tenancy.atomic():
        agent = _changeable(principal, agent_id)
        newest = AgentKey.objects.filter(agent=agent, revoked_at=None).order_by("-pk").first()
        if newest is None:
            raise NotVisible
        overlap = timedelta(0) if at_once else keys.OVERLAP
        return _with_key(keys.rotate(principal, agent, newest.name, overlap))


def end(principal: Principal, agent_id: uuid.UUID) -> None:
    """Revoke every key of an agent for good: it can never call again. What it proposed stays."""
    with tenancy.atomic():
        agent = _changeable(principal, agent_id)
        for name in set(AgentKey.objects.filter(agent=agent, revoked_at=None).values_list("name", flat=True)):
            keys.revoke(principal, agent, name)
        agent.is_active = False
        agent.save(update_fields=["is_active"])
        audit.record(principal, "agent.end", target="agent", target_id=agent.pk)


def key_of(principal: Principal, key_id: uuid.UUID) -> AgentKey:
    """A key of one of the person's agents."""
    found = AgentKey.objects.select_related("agent").filter(pk=key_id, agent__owner_id=principal.subject_id).first()
    if found is None or not principal.is_person:
        raise NotVisible
    return found


def all_of(principal: Principal) -> QuerySet[Agent]:
    """Every agent of the tenant, newest first, for who sets it up."""
    principal.require_provisioning()
    return Agent.objects.select_related("owner").order_by("-pk")


def _owned(principal: Principal) -> QuerySet[Agent]:
    owner = principal.subject_id if principal.is_person else None
    return Agent.objects.filter(owner_id=owner).select_related("owner")


def _changeable(principal: Principal, agent_id: uuid.UUID) -> Agent:
    """An agent that has not ended, locked: a signed-in person's own; any, for a credential that sets the tenant up."""
    if principal.is_person and principal.credential_id is None:
        get(principal, agent_id)
    else:
        try:
            known = all_of(principal).filter(pk=agent_id).exists()
        except Forbidden:
            known = False
        if not known:
            raise NotVisible
    agent = Agent.objects.select_for_update().get(pk=agent_id)
    if not agent.is_active and not AgentKey.objects.filter(agent=agent, revoked_at=None).exists():
        raise Conflict("This agent was ended for good; connect a new one.", code="agent_ended")
    return agent


def _connected(agent: Agent, days: Sequence[date], use: dict[date, tuple[int, int, int]]) -> Connected:
    living = agent.living  # type: ignore[attr-defined]
    counted = [use.get(day, (0, 0, 0)) for day in days]
    return Connected(
        agent,
        living,
        reads=[reads for reads, _, _ in counted],
        writes=[writes for _, writes, _ in counted],
        refused=sum(refused for _, _, refused in counted),
        first_day=days[0],
        scopes=[scope.value for scope in Scope if any(scope in key.scopes for key in living)],
    )


def _with_key(token: secrets.Token) -> tuple[AgentKey, secrets.Token]:
    return AgentKey.objects.select_related("agent").get(prefix=token.prefix), token


def _free_slug(name: str) -> str:
    """A slug no agent of the tenant has."""
    stem = slugify(name)[:100] or "agent"
    taken = set(Agent.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    return next(slug for slug in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3))) if slug not in taken)


def _require_presence(principal: Principal) -> None:
    """A token must not make or end agents: only the signed-in person does."""
    if not principal.is_person or principal.credential_id is not None:
        raise Forbidden("Only the signed-in person may do that.", code="sign_in_required")
