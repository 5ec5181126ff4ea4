"""Who is acting, for which tenant, what they may do and what they did."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models import Q
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
    says), and which notices do not reach them by which way (see `reviews.notices`).
    """

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    external_id = models.CharField(max_length=128)
    name = models.CharField(max_length=200, blank=True)
    roles = models.JSONField(default=list)
    time_zone = models.CharField(max_length=64, blank=True)
    is_active = models.BooleanField(default=True)
    memory_off_at = models.DateTimeField(null=True, blank=True)
    confirm = models.CharField(max_length=16, blank=True)
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
        return self.acts_for_everyone or self.acts_for.filter(pk=person.pk).exists()


class AgentSubject(TenantRow):
    """A person whom an agent may act for."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["agent", "membership"], name="one_subject_per_agent")]


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


class Errand(TenantRow):
    """Work that is done later for someone: who asked and with what rights. Whether they still may is asked anew then.

    `attempts` counts how often someone began in vain; until `claimed_until` one worker is at it. `error` is a code, or
    the class of the last exception. Each kind has a State with QUEUED, RUNNING and FAILED.
    """

    actor = models.CharField(max_length=16)
    actor_id = models.UUIDField(null=True)
    subject_id = models.UUIDField(null=True)
    agent_id = models.UUIDField(null=True)
    credential_id = models.UUIDField(null=True)
    scopes = models.JSONField(default=list)
    language = models.CharField(max_length=16, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    claimed_until = models.DateTimeField(null=True)
    error = models.CharField(max_length=64, blank=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class AuditEvent(TenantModel):
    """What was done, by whom, to what and with what result: ids and codes only. Rows are only ever added."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    at = models.DateTimeField(default=timezone.now)
    actor = models.CharField(max_length=16)
    actor_id = models.UUIDField(null=True)
    subject_id = models.UUIDField(null=True)
    action = models.CharField(max_length=48)
    outcome = models.CharField(max_length=32)
    reason = models.CharField(max_length=64, blank=True)
    target = models.CharField(max_length=24, blank=True)
    target_id = models.UUIDField(null=True)
    request_id = models.CharField(max_length=64, blank=True)
    details = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "id"], name="audit_by_time"),
            models.Index(fields=["tenant", "target_id"], name="audit_by_target"),
            models.Index(fields=["tenant", "action", "id"], name="audit_by_action"),
            models.Index(fields=["tenant", "subject_id", "id"], name="audit_by_subject"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class AuditSeal(TenantModel):
    """An event's place in its tenant's chain: each seal's digest covers the event and the seal before it."""

    id = models.BigAutoField(primary_key=True)
    sequence = models.BigIntegerField()
    event = models.OneToOneField(AuditEvent, on_delete=models.PROTECT, related_name="seal")
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "sequence"], name="one_seal_per_sequence")]

    def __str__(self) -> str:
        return str(self.sequence)


class AuditCheckpoint(TenantModel):
    """Where a chain goes on after its oldest events left by the policy's retention: all up to `sequence` are gone.

    `seal` is the last removed event's; `digest` is keyed and covers this row and the checkpoint before it.
    """

    id = models.BigAutoField(primary_key=True)
    made_at = models.DateTimeField(default=timezone.now)
    sequence = models.BigIntegerField()
    seal = models.CharField(max_length=64)
    until = models.DateTimeField()
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "sequence"], name="one_checkpoint_per_sequence")]

    def __str__(self) -> str:
        return str(self.sequence)


class IdempotencyKey(TenantRow):
    """That a request was carried out, and what came of it: keyed digests and references, never text."""

    digest = models.CharField(max_length=64)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    references = models.JSONField(default=dict)
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "digest"], name="one_request_per_idempotency_key")]
        indexes = [models.Index(fields=["expires_at"], name="idempotency_by_expiry")]


class Webhook(TenantRow):
    """An address that is told what happens in one team or project, or, without one, in the whole tenant.

    What signs the messages is derived from `salt` with the deployment's pepper: a stolen database signs nothing.
    `failing_since`: no message has come through since; `switched_off_at`: nothing is sent any more.
    """

    group = models.ForeignKey(Group, null=True, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    events = models.JSONField(default=list)
    salt = models.CharField(max_length=64)
    made_by = models.UUIDField(null=True)
    failing_since = models.DateTimeField(null=True)
    switched_off_at = models.DateTimeField(null=True)
    expiry_told_until = models.DateTimeField(default=timezone.now)


class Delivery(TenantRow):
    """One message to one address: codes and ids. It is due from `next_at` on while it waits.

    `answer` is the HTTP status that came back, if any; `error` a code.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        SENT = "sent", _("delivered")
        FAILED = "failed", _("failed")

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=32)
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=16, choices=State, default=State.WAITING)
    next_at = models.DateTimeField(default=timezone.now)
    claimed_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    answer = models.PositiveSmallIntegerField(null=True)
    error = models.CharField(max_length=32, blank=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "next_at"], name="delivery_by_due", condition=Q(state="waiting")),
            models.Index(fields=["webhook", "id"], name="delivery_by_webhook"),
        ]
