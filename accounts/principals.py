"""Who is acting, for whom and with what rights. Plain values: only a door builds them, from credentials."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from enum import StrEnum

from accounts.errors import Forbidden


class Scope(StrEnum):
    """What a credential may be used for."""

    RECALL = "memory:recall"
    READ = "memory:read"
    PROPOSE = "memory:propose"
    FORGET = "memory:forget"
    ATTEST = "evidence:attest"
    ATTEST_REVIEW = "evidence:attest_review"
    RELAY = "candidate:relay_confirmation"
    MINT = "delegation:mint"
    AUDIT = "audit:read"
    PROVISION = "provision:write"


class Role(StrEnum):
    """What a person may do in a tenant."""

    MEMBER = "member"
    REVIEWER = "reviewer"
    AUDITOR = "auditor"
    ADMIN = "admin"


class ActorKind(StrEnum):
    PERSON = "person"
    AGENT = "agent"
    SYSTEM = "system"


PERSON_SCOPES = frozenset({Scope.RECALL, Scope.READ, Scope.PROPOSE, Scope.FORGET, Scope.PROVISION})


@dataclass(frozen=True, slots=True)
class Principal:
    """One caller: the actor (a person, an agent, the system), the subject it works for, and its rights.

    For a person `subject_id` is the person; for an agent it is the membership of the person it acts for, or None.
    `roles` are the subject's roles in the tenant; an agent never gains rights from them by itself. `door` names the way
    in where it is none of the usual ones, which are REST for agents and the pages for people; the audit keeps it.
    """

    tenant_id: uuid.UUID
    actor: ActorKind
    actor_id: uuid.UUID | None
    subject_id: uuid.UUID | None = None
    agent_id: uuid.UUID | None = None
    scopes: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    credential_id: uuid.UUID | None = None
    run_id: str = ""
    thread_id: str = ""
    request_id: str = ""
    door: str = ""

    @property
    def is_person(self) -> bool:
        return self.actor is ActorKind.PERSON

    @property
    def is_system(self) -> bool:
        return self.actor is ActorKind.SYSTEM

    def may(self, scope: Scope) -> bool:
        return self.is_system or scope in self.scopes

    def require(self, scope: Scope) -> None:
        """Raise Forbidden unless the credential carries the scope."""
        if not self.may(scope):
            raise Forbidden("This credential lacks the scope that it takes.", code="missing_scope", scope=scope.value)

    def has_role(self, *roles: Role) -> bool:
        return any(role in self.roles for role in roles)


def system(tenant_id: uuid.UUID) -> Principal:
    """The service itself, for sweeps and commands inside one tenant."""
    return Principal(tenant_id=tenant_id, actor=ActorKind.SYSTEM, actor_id=None)
