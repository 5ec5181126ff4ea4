"""Who is acting, for which tenant, what they may do and what they did."""

from accounts.models.agents import (
    Agent,
    AgentDay,
    AgentGroup,
    AgentKey,
    AgentSubject,
    ApiCall,
    Credential,
    Delegation,
    PersonalToken,
)
from accounts.models.audit import AuditCheckpoint, AuditEvent, AuditSeal
from accounts.models.errands import Errand, IdempotencyKey
from accounts.models.people import (
    Group,
    GroupMember,
    Invitation,
    Membership,
    Tenant,
    TenantRow,
    User,
    UserManager,
    encrypts_by_default,
)
from accounts.models.webhooks import Delivery, Webhook

__all__ = [
    "Agent",
    "AgentDay",
    "AgentGroup",
    "AgentKey",
    "AgentSubject",
    "ApiCall",
    "AuditCheckpoint",
    "AuditEvent",
    "AuditSeal",
    "Credential",
    "Delegation",
    "Delivery",
    "Errand",
    "Group",
    "GroupMember",
    "IdempotencyKey",
    "Invitation",
    "Membership",
    "PersonalToken",
    "Tenant",
    "TenantRow",
    "User",
    "UserManager",
    "Webhook",
    "encrypts_by_default",
]
