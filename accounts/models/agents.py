"""Agents, whom they act for, and the keys by which they and people's scripts are known."""

from __future__ import annotations

from django.db import models

from accounts.models.people import Group, Membership, TenantRow
from accounts.prepared import Prepared


class Agent(TenantRow):
    """A program that remembers on behalf of people. The owner answers for it."""

    slug = models.CharField(max_length=128)
    name = models.CharField(max_length=200, blank=True)
    owner = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="owned_agents")
    acts_for_everyone = models.BooleanField(default=False)
    acts_for = models.ManyToManyField(Membership, through="AgentSubject", related_name="agents")
    groups = models.ManyToManyField(Group, through="AgentGroup", related_name="agents")
    is_active = models.BooleanField(default=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "slug"], name="one_agent_per_slug")]

    def may_act_for(self, person: Membership) -> bool:
        return self.acts_for_everyone or bool(_ACTS_FOR(agent=self.pk, person=person.pk))


class AgentSubject(TenantRow):
    """A person whom an agent may act for."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["agent", "membership"], name="one_subject_per_agent")]


_ACTS_FOR = Prepared(
    lambda agent, person: AgentSubject.objects.filter(agent=agent, membership=person).values_list("pk")
)


class AgentGroup(TenantRow):
    """A team or project that an agent works in."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE)
    group = models.ForeignKey(Group, on_delete=models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["agent", "group"], name="one_place_per_agent_and_group")]


class Credential(TenantRow):
    """A bearer token of which only the public prefix and a keyed digest are kept."""

    prefix = models.CharField(max_length=32, unique=True)
    digest = models.CharField(max_length=64)
    name = models.CharField(max_length=64)
    scopes = models.JSONField(default=list)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class AgentKey(Credential):
    """A static key of an agent. During a rotation two keys of one name are valid."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="keys")


class PersonalToken(Credential):
    """A token with which a person's own scripts have the person's rights, or fewer."""

    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="tokens")


class Delegation(Credential):
    """A short-lived token minted by a runtime: one subject, fewer scopes; ends with the key that minted it."""

    key = models.ForeignKey(AgentKey, on_delete=models.CASCADE, related_name="delegations")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE)
    run_id = models.CharField(max_length=128, blank=True)


class ApiCall(TenantRow):
    """One call with a key, for its owner to look at; only the newest are kept. No body, no query, no ids."""

    key_id = models.UUIDField()
    method = models.CharField(max_length=8)
    route = models.CharField(max_length=128)
    status = models.PositiveSmallIntegerField()
    ms = models.FloatField()
    request_id = models.CharField(max_length=64)
    scope = models.CharField(max_length=32, blank=True)
    code = models.CharField(max_length=64, blank=True)

    class Meta:
        indexes = [models.Index(fields=["key_id", "id"], name="calls_by_key")]


class AgentDay(TenantRow):
    """How much an agent read and wrote on one day (UTC), and how often it was refused."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="days")
    day = models.DateField()
    reads = models.PositiveIntegerField(default=0)
    writes = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["agent", "day"], name="one_count_per_agent_and_day")]
