"""Whose memories there are, under which names and by which policy."""

from __future__ import annotations

from uuid import UUID

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Agent, Group, Membership, TenantRow
from memories.encryption import keys


class PolicyVersion(TenantRow):
    """One version of a tenant's policy; the newest active one decides."""

    version = models.PositiveIntegerField()
    document = models.JSONField()
    is_active = models.BooleanField(default=False)
    created_by = models.UUIDField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "version"], name="one_policy_per_version"),
            models.UniqueConstraint(fields=["tenant"], condition=Q(is_active=True), name="one_active_policy"),
        ]


class Namespace(TenantRow):
    """Who or what memories belong to: one person, agent, team or project.

    `revision` counts every change inside, so that an index in any process knows whether it is current.
    """

    class Type(models.TextChoices):
        USER = "user", _("person")
        AGENT = "agent", _("agent")
        TEAM = "team", _("team")
        PROJECT = "project", _("project")

    type = models.CharField(max_length=16, choices=Type)
    membership = models.OneToOneField(Membership, null=True, on_delete=models.PROTECT, related_name="namespace")
    agent = models.OneToOneField(Agent, null=True, on_delete=models.PROTECT, related_name="namespace")
    group = models.OneToOneField(Group, null=True, on_delete=models.PROTECT, related_name="namespace")
    revision = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(type="user", membership__isnull=False, agent__isnull=True, group__isnull=True)
                | Q(type="agent", membership__isnull=True, agent__isnull=False, group__isnull=True)
                | Q(type__in=["team", "project"], membership__isnull=True, agent__isnull=True, group__isnull=False),
                name="namespace_has_the_owner_of_its_type",
            ),
            models.UniqueConstraint(fields=["tenant", "id"], name="namespace_with_its_tenant"),
        ]

    @property
    def is_closed(self) -> bool:
        """Whether its person shut the caller out, as `access` found when it read this for the caller."""
        return bool(getattr(self, "shut_out", False))

    @property
    def owner_name(self) -> str:
        """The external id or slug under which the API knows the owner."""
        if self.membership is not None:
            return self.membership.external_id
        return self.agent.slug if self.agent is not None else self.group.slug  # type: ignore[union-attr]

    @property
    def time_zone(self) -> str:
        """The name of the zone in which a bare day of this namespace ends."""
        return (self.membership.time_zone if self.membership else "") or self.tenant.time_zone


class InNamespace:
    """A row whose texts are encrypted with the key of its namespace's owner."""

    @property
    def key_owner_id(self) -> UUID | None:
        """None for a row that belongs to no namespace."""
        namespace_id: UUID | None = self.namespace_id  # type: ignore[attr-defined]
        return keys.owner_of(namespace_id) if namespace_id else None


class Slot(TenantRow):
    """The place of one (namespace, area, kind, key), known by a keyed digest: what writers lock.

    It outlives its memories: versions go on counting and a forgotten slot knows since when. It holds no text.
    """

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="slots")
    digest = models.CharField(max_length=64)
    last_version = models.PositiveIntegerField(default=0)
    forgotten_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["namespace", "digest"], name="one_slot_per_namespace_and_key")]
