"""Who asked for work that is done later, and whether they still may when its time comes."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError
from django.db.models import Q
from django.utils.translation import get_language

from accounts import audit, tenancy
from accounts.errors import Conflict, Forbidden
from accounts.models import Agent, AgentKey, Delegation, Errand, Membership, PersonalToken
from accounts.principals import ActorKind, Principal


def asked_by(principal: Principal) -> dict[str, Any]:
    """The columns of an errand that tell who asked for it, and in which language they read."""
    return {
        "actor": principal.actor.value,
        "actor_id": principal.actor_id,
        "subject_id": principal.subject_id,
        "agent_id": principal.agent_id,
        "credential_id": principal.credential_id,
        "scopes": sorted(principal.scopes),
        "language": get_language() or "",
    }


def principal_of(errand: Errand) -> Principal:
    """The one who asked, with the rights they had then and the roles they have now.

    Raises Forbidden when the person or agent is no longer active, no longer belongs together, or the credential was
    revoked. That a short-lived credential has ended since does not matter: it was valid when they asked.
    """
    person = Membership.objects.filter(pk=errand.subject_id, is_active=True).first()
    agent = Agent.objects.filter(pk=errand.agent_id, is_active=True, owner__is_active=True).first()
    gone = bool(errand.subject_id and person is None) or bool(errand.agent_id and agent is None)
    if gone or _is_revoked(errand) or (agent is not None and person is not None and not agent.may_act_for(person)):
        raise Forbidden("Whoever asked for this may no longer have it.", code="no_longer_permitted")
    return Principal(
        tenant_id=errand.tenant_id,
        actor=ActorKind(errand.actor),
        actor_id=errand.actor_id,
        subject_id=errand.subject_id,
        agent_id=errand.agent_id,
        scopes=frozenset(errand.scopes),
        roles=frozenset(person.roles) if person else frozenset(),
        credential_id=errand.credential_id,
    )


def lapsed(now: datetime, lease: timedelta) -> Q:
    """Errands whose worker stopped without a word, or claimed them while the clock was ahead."""
    return Q(claimed_until__lte=now) | Q(claimed_until__gt=now + lease)


@contextlib.contextmanager
def noted(errand: Errand) -> Iterator[None]:
    """Leave in the errand the class of an exception that nobody expected, for whoever asks why it does not end."""
    try:
        yield
    except Exception as error:
        with contextlib.suppress(DatabaseError):
            type(errand).objects.filter(pk=errand.pk).update(error=type(error).__name__[:64])
        raise


def retry(principal: Principal, errand: Errand, ended: Collection[str] = ("failed",)) -> None:
    """Make an errand that ended so due again. Raises Conflict when it did not.

    Whether whoever asked for it still may is asked anew when it is carried out.
    """
    model = type(errand)
    anew = {"attempts": 0, "error": "", "claimed_until": None, "expires_at": None}
    with tenancy.atomic():
        rows = model.objects.filter(pk=errand.pk, state__in=ended)
        if not rows.update(state=model.State.QUEUED, started_at=None, finished_at=None, **anew):  # type: ignore[attr-defined]
            raise Conflict("It is under way or has ended well.", code="not_ended")
        name = str(model._meta.model_name)
        audit.record(principal, f"{name}.retry", target=name, target_id=errand.pk)


def _is_revoked(errand: Errand) -> bool:
    if errand.credential_id is None:
        return False
    minted = Delegation.objects.filter(pk=errand.credential_id).values_list("key_id", flat=True).first()
    ids = [errand.credential_id, *([minted] if minted else [])]
    living = sum(
        model.objects.filter(pk__in=ids, revoked_at=None).count() for model in (AgentKey, Delegation, PersonalToken)
    )
    return living < len(ids)
