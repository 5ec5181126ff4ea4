"""Departing: a person or a whole tenant loses what tells who they were. Ids stay, so that receipts still hold.

The caller holds the transaction and has asked who may.
"""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.utils import timezone

from accounts import calls, invitations, tenancy
from accounts.models import (
    Agent,
    AgentDay,
    AgentGroup,
    AgentKey,
    AgentSubject,
    ApiCall,
    Delegation,
    Group,
    GroupMember,
    IdempotencyKey,
    Invitation,
    Membership,
    PersonalToken,
    Tenant,
    User,
)


def forget_person(person: Membership) -> None:
    """Take a person's name, roles, groups and credentials in this tenant; their sign-in too if it was the last one.

    Their agents stop: nobody answers for them any more. An agent that worked for others too keeps its name.
    """
    calls.forget_of(person)
    invitations.forget_address(person.user.email)
    _stop_agents(person)
    PersonalToken.objects.filter(membership=person).delete()
    Delegation.objects.filter(membership=person).delete()
    AgentSubject.objects.filter(membership=person).delete()
    GroupMember.objects.filter(membership=person).delete()
    person.external_id, person.name, person.roles = nobody(person.pk), "", []
    person.time_zone, person.is_active = "", False
    person.confirm, person.notices_off, person.memory_off_at = "", [], None
    person.expiry_days = {}
    person.save()
    user = person.user
    if not Membership.everywhere.filter(user=user, is_active=True).exists():
        _forget_user(user)


def _stop_agents(owner: Membership) -> None:
    for agent in Agent.objects.filter(owner=owner):
        agent.is_active = False
        if not agent.acts_for_everyone and not AgentSubject.objects.filter(agent=agent).exclude(membership=owner):
            agent.slug, agent.name = nobody(agent.pk), ""
        agent.save()
    AgentKey.objects.filter(agent__owner=owner, revoked_at=None).update(revoked_at=timezone.now())


def forget_tenant() -> None:
    """Take every name and credential of the active tenant. Nobody can sign in to it any more."""
    for person in Membership.objects.select_related("user").filter(is_active=True):
        forget_person(person)
    for model in (AgentKey, AgentGroup, AgentSubject, IdempotencyKey, ApiCall, AgentDay, Invitation):
        model.objects.all().delete()
    for agent in Agent.objects.all():
        agent.slug, agent.name, agent.is_active = nobody(agent.pk), "", False
        agent.save()
    for group in Group.objects.all():
        group.slug, group.name = nobody(group.pk), ""
        group.save()
    tenant_id = tenancy.current_id()
    Tenant.objects.filter(pk=tenant_id).update(slug=nobody(tenant_id), name="")


def _forget_user(user: User) -> None:
    """No address, no password, no second factor, no session: a session is bound to the password."""
    EmailAddress.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    user.email, user.language, user.is_active = f"{user.pk}@forgotten.invalid", "", False
    user.set_unusable_password()
    user.save()


def nobody(pk: object) -> str:
    """The name of someone or something that is forgotten."""
    return f"forgotten-{pk}"
