"""The keys of agents: made, rotated and revoked. A secret is shown once and never stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import models
from django.utils import timezone

from accounts import audit, secrets, tenancy
from accounts.authentication import AGENT_KEY
from accounts.errors import NotVisible
from accounts.models import Agent, AgentKey
from accounts.principals import Principal

OVERLAP = timedelta(hours=24)


def create(principal: Principal, agent: Agent, name: str, scopes: Sequence[str]) -> secrets.Token:
    """A new key of an agent, valid at once. The token is shown this once."""
    token = secrets.new_token(AGENT_KEY)
    with tenancy.atomic():
        key = AgentKey.objects.create(
            agent=agent, name=name, scopes=sorted(scopes), prefix=token.prefix, digest=token.digest
        )
        audit.record(principal, "key.create", target="agent_key", target_id=key.pk, details={"scopes": key.scopes})
    return token


def rotate(principal: Principal, agent: Agent, name: str, overlap: timedelta = OVERLAP) -> secrets.Token:
    """A second key with the scopes of the first, which stays valid for `overlap`, so that nothing stops meanwhile."""
    now = timezone.now()
    with tenancy.atomic():
        living = _living(agent, name)
        newest = living.order_by("-pk").first()
        if newest is None:
            raise NotVisible("This agent has no such key.", code="unknown_key")
        for key in living:
            key.expires_at = min(filter(None, (key.expires_at, now + overlap)))
            key.save(update_fields=["expires_at"])
        audit.record(principal, "key.rotate", target="agent_key", target_id=newest.pk)
        return create(principal, agent, name, newest.scopes)


def revoke(principal: Principal, agent: Agent, name: str) -> int:
    """End every key of this name now, and with them their delegations; returns how many. The next call is refused."""
    with tenancy.atomic():
        keys = list(_living(agent, name))
        for key in keys:
            key.revoked_at = timezone.now()
            key.save(update_fields=["revoked_at"])
            audit.record(principal, "key.revoke", target="agent_key", target_id=key.pk)
    if not keys:
        raise NotVisible("This agent has no such key.", code="unknown_key")
    return len(keys)


def _living(agent: Agent, name: str) -> models.QuerySet[AgentKey]:
    return AgentKey.objects.filter(agent=agent, name=name, revoked_at=None)
