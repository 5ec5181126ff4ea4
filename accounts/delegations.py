"""Short-lived tokens that a runtime hands to a tool process: one person, fewer scopes."""

from __future__ import annotations

import secrets as random
from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from accounts import audit, secrets, tenancy
from accounts.errors import Forbidden, InvalidInput, NotVisible
from accounts.models import Agent, AgentKey, Delegation, Membership
from accounts.principals import Principal, Scope

MARK = "d"
NEVER_DELEGATED = frozenset({Scope.MINT})


def mint(principal: Principal, subject: str, scopes: Sequence[str], run_id: str, ttl_seconds: int) -> Delegation:
    """A new delegation of the calling key. `token_of` gives its token.

    Raises InvalidInput for an unknown scope, Forbidden for one the key lacks, NotVisible for a person that it may not
    act for.
    """
    principal.require(Scope.MINT)
    if not set(scopes) <= set(Scope):
        raise InvalidInput.field("scopes", "There is no such scope.", "unknown_scope")
    if not set(scopes) <= principal.scopes - NEVER_DELEGATED:
        raise Forbidden("A delegation has no scope that its key lacks.", code="missing_scope")
    key = AgentKey.objects.select_related("agent").filter(pk=principal.credential_id).first()
    if key is None:
        raise Forbidden("Only an agent key mints delegations.", code="not_an_agent_key")
    person = _person(key.agent, subject)
    now = timezone.now()
    with tenancy.atomic():
        prefix = MARK + random.token_hex(6)
        made = Delegation(
            prefix=prefix,
            name="delegation",
            scopes=sorted(set(scopes)),
            expires_at=now + timedelta(seconds=ttl_seconds),
            key=key,
            membership=person,
            run_id=run_id,
        )
        made.digest = _token(prefix).digest
        made.save()
        audit.record(
            principal,
            "delegation.mint",
            target="delegation",
            target_id=made.pk,
            details={"subject": str(person.pk), "scopes": made.scopes},
        )
    return made


def token_of(delegation: Delegation) -> secrets.Token:
    """The token, made again from the deployment's pepper, so that a repeated request needs no stored secret."""
    return _token(delegation.prefix)


def _token(prefix: str) -> secrets.Token:
    return secrets.Token(prefix, secrets.digest("delegation", prefix))


def _person(agent: Agent, external_id: str) -> Membership:
    person = Membership.objects.filter(external_id=external_id, is_active=True).first()
    if person is None or not agent.may_act_for(person):
        raise NotVisible("There is no such person for this credential.", code="unknown_subject")
    return person
