"""Tenants and the people in them."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.ids import uuid7
from accounts.principals import Role
from accounts.tenancy import TenantModel


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """A person who can sign in. What they are in a tenant is a Membership."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = models.EmailField(_("e-mail"), unique=True)
    language = models.CharField(max_length=16, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField(auto_now_add=True)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    objects = UserManager()

    def __str__(self) -> str:
        return str(self.id)


def encrypts_by_default() -> bool:
    """A new tenant's texts are encrypted where there is a place for the keys."""
    return bool(settings.MEMORYHUB_KEY_STORE)


class Tenant(models.Model):
    """The isolation boundary: one organisation and everything it holds.

    `encrypts`: whether what it remembers from now on is encrypted; `manage.py encryption` changes what is there.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    time_zone = models.CharField(max_length=64, default="UTC")
    encrypts = models.BooleanField(default=encrypts_by_default)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug


class TenantRow(TenantModel):
    """A tenant's row with a UUIDv7 of its own."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(self.id)


class Membership(TenantRow):
    """A person in a tenant: the subject whom agents act for, known to runtimes by an external id.

    What they set for themselves: since when nothing is remembered for them, when they are asked (blank: as the policy
    says), after how many days what is remembered of a kind ends (`{kind: days}`), and which notices do not reach them
    by which way (see `reviews.notices`).
    """

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    external_id = models.CharField(max_length=128)
    name = models.CharField(max_length=200, blank=True)
    roles = models.JSONField(default=list)
    time_zone = models.CharField(max_length=64, blank=True)
    is_active = models.BooleanField(default=True)
    memory_off_at = models.DateTimeField(null=True, blank=True)
    confirm = models.CharField(max_length=16, blank=True)
    expiry_days = models.JSONField(default=dict, blank=True)
    notices_off = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "external_id"], name="one_person_per_external_id"),
            models.UniqueConstraint(fields=["tenant", "user"], name="one_membership_per_user_and_tenant"),
        ]

    def has_role(self, *roles: Role) -> bool:
        return any(role in self.roles for role in roles)


class Group(TenantRow):
    """A team or a project: people and agents who share a namespace."""

    class Type(models.TextChoices):
        TEAM = "team", _("team")
        PROJECT = "project", _("project")

    type = models.CharField(max_length=16, choices=Type)
    slug = models.CharField(max_length=128)
    name = models.CharField(max_length=200, blank=True)
    members = models.ManyToManyField(Membership, through="GroupMember", related_name="groups")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "type", "slug"], name="one_group_per_type_and_slug")]


class GroupMember(TenantRow):
    """A person in a team or project; maintainers may change what it remembers."""

    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="memberships")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="group_memberships")
    is_maintainer = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["group", "membership"], name="one_place_per_group_and_person")]


class Invitation(TenantRow):
    """An invitation by e-mail into the tenant, perhaps into one of its groups. Only its link accepts it, and only once.

    The address is kept as long as the invitation is open. `nonce` is part of the link: a new one ends the old link.
    """

    email = models.EmailField()
    role = models.CharField(max_length=16)
    group = models.ForeignKey(Group, null=True, on_delete=models.CASCADE, related_name="invitations")
    invited_by = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="+")
    nonce = models.CharField(max_length=32)
    expires_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "email"], condition=models.Q(closed_at=None), name="one_open_invitation_per_address"
            )
        ]
