"""Invitations into a tenant: by e-mail, from who administers it or keeps one of its groups.

The link is signed and names the invitation and its present nonce, so that it ends when used, sent anew, taken back or
too old. Only an account with the invited address can accept it: having the link shows that the mailbox is theirs.
"""

from __future__ import annotations

import secrets as random
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import signing
from django.core.mail import send_mail
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from accounts import audit, departing, tenancy
from accounts.errors import Conflict, Forbidden, InvalidInput, NotVisible
from accounts.ids import first_uuid7
from accounts.models import AuditEvent, Group, GroupMember, Invitation, Membership, User
from accounts.principals import ActorKind, Principal, Role, Scope

SALT = "memoryhub.invitation"
LIVES = timedelta(days=7)
MOST_A_DAY = 100


def waiting(principal: Principal, group: Group | None = None) -> QuerySet[Invitation]:
    """The open invitations that the person may see: of a group they keep, or as an administrator all. Newest first."""
    require_inviter(principal, group)
    rows = Invitation.objects.filter(closed_at=None).select_related("invited_by", "group")
    return (rows.filter(group=group) if group is not None else rows).order_by("-pk")


def invite(principal: Principal, email: str, role: str, group: Group | None = None) -> Invitation:
    """Invite an address, and send it the link when this is committed.

    Raises Conflict for an address that is invited already or belongs to a member and after too many in a day,
    InvalidInput for a role that there is not or that this person may not give: only an administrator gives another one
    than `member`.
    """
    require_inviter(principal, group)
    if role not in set(Role) or (role != Role.MEMBER and not principal.has_role(Role.ADMIN)):
        raise InvalidInput.field("role", "You cannot give this role.", "unknown_role")
    address = email.strip().lower()
    if Membership.objects.filter(user__email=address, is_active=True).exists():
        raise Conflict("Someone with this address is a member already.", code="already_member")
    _require_moderation(principal)
    try:
        with tenancy.atomic():
            made = Invitation.objects.create(
                email=address,
                role=role,
                group=group,
                invited_by_id=principal.subject_id,
                nonce=random.token_hex(8),
                expires_at=timezone.now() + LIVES,
            )
            audit.record(principal, "invitation.send", target="invitation", target_id=made.pk, details={"role": role})
            _send_soon(made)
    except IntegrityError:
        raise Conflict("This address is invited already; send that invitation again.", code="already_invited") from None
    return made


def send_again(principal: Principal, invitation_id: uuid.UUID) -> Invitation:
    """A new link with a new time to live; the one sent before opens nothing any more."""
    with tenancy.atomic():
        found = _open(principal, invitation_id)
        _require_moderation(principal)
        found.nonce, found.expires_at = random.token_hex(8), timezone.now() + LIVES
        found.save(update_fields=["nonce", "expires_at"])
        audit.record(principal, "invitation.send", target="invitation", target_id=found.pk, details={"again": True})
        _send_soon(found)
    return found


def revoke(principal: Principal, invitation_id: uuid.UUID) -> Invitation:
    """Take an open invitation back; its link opens nothing any more."""
    with tenancy.atomic():
        found = _open(principal, invitation_id)
        _close(found)
        audit.record(principal, "invitation.revoke", target="invitation", target_id=found.pk)
    return found


def by_token(token: str) -> Invitation:
    """The open invitation of a link, whichever tenant's. Raises NotVisible for every other text."""
    try:
        pk, nonce = signing.loads(token, salt=SALT, max_age=LIVES)
    except (signing.BadSignature, ValueError):
        raise NotVisible from None
    rows = Invitation.everywhere.select_related("tenant", "invited_by")
    found = rows.filter(pk=pk, nonce=nonce, closed_at=None, expires_at__gt=timezone.now()).first()
    if found is None or not found.invited_by.is_active:
        raise NotVisible
    return found


def accept(user: User, token: str, request_id: str) -> Membership:
    """The signed-in person joins: the link is used up. Raises Forbidden for an account with another address."""
    found = by_token(token)
    if user.email.lower() != found.email:
        raise Forbidden("This invitation is for another address.", code="other_address")
    with tenancy.entered(found.tenant_id), tenancy.atomic():
        locked = Invitation.objects.select_for_update().filter(pk=found.pk, closed_at=None, nonce=found.nonce).first()
        if locked is None:
            raise NotVisible
        _require_inviter(locked)
        person = _member(user, locked)
        if locked.group_id is not None:
            GroupMember.objects.get_or_create(group_id=locked.group_id, membership=person)
        EmailAddress.objects.filter(user=user, email=locked.email).update(verified=True)
        _close(locked)
        newcomer = Principal(
            tenant_id=locked.tenant_id,
            actor=ActorKind.PERSON,
            actor_id=person.pk,
            subject_id=person.pk,
            request_id=request_id,
        )
        audit.record(newcomer, "invitation.accept", target="invitation", target_id=locked.pk)
    return person


def _require_inviter(invitation: Invitation) -> None:
    """Raise NotVisible when whoever invites could no longer do so: an administrator, or who maintains the group."""
    inviter = invitation.invited_by
    keeps = GroupMember.objects.filter(group=invitation.group_id, membership=inviter, is_maintainer=True)
    maintains = invitation.role == Role.MEMBER and invitation.group_id is not None and keeps.exists()
    if not inviter.has_role(Role.ADMIN) and not maintains:
        raise NotVisible


def link_of(invitation: Invitation) -> str:
    """The address that accepts it; it goes into the e-mail and nowhere else."""
    token = signing.dumps([str(invitation.pk), invitation.nonce], salt=SALT)
    return settings.MEMORYHUB_BASE_URL + reverse("invitation", args=[token])


def close_expired(_principal: Principal, now: datetime) -> Mapping[str, int]:
    """Let go of the addresses of invitations that nobody accepted in time."""
    with tenancy.atomic():
        due = Invitation.objects.filter(closed_at=None, expires_at__lte=now)
        return {"invitations_expired": due.update(closed_at=now, email="")}


def forget_address(email: str) -> None:
    """Take an address out of the active tenant's invitations."""
    Invitation.objects.filter(email=email.lower(), closed_at=None).update(closed_at=timezone.now(), email="")


def require_inviter(principal: Principal, group: Group | None) -> None:
    """An administrator, in person or by a credential that may set the tenant up; for their own group a maintainer."""
    if principal.has_role(Role.ADMIN) and (principal.is_person or principal.may(Scope.PROVISION)):
        return
    keeps = GroupMember.objects.filter(group=group, membership_id=principal.subject_id, is_maintainer=True)
    if not principal.is_person or group is None or not keeps.exists():
        raise Forbidden("Only an administrator or a maintainer may do that.", code="not_a_maintainer")


def _require_moderation(principal: Principal) -> None:
    """Nobody floods mailboxes in our name."""
    since = first_uuid7(timezone.now() - timedelta(days=1))
    sent = AuditEvent.objects.filter(action="invitation.send", actor_id=principal.actor_id, pk__gte=since)
    if sent.count() >= MOST_A_DAY:
        raise Conflict("As many invitations were sent as one may send in a day.", code="too_many_invitations")


def _open(principal: Principal, invitation_id: uuid.UUID) -> Invitation:
    rows = Invitation.objects.select_for_update().filter(closed_at=None)
    found = rows.filter(pk=invitation_id).first()
    if found is None:
        raise NotVisible
    try:
        require_inviter(principal, found.group)
    except Forbidden:
        raise NotVisible from None
    return found


def _close(invitation: Invitation) -> None:
    invitation.closed_at, invitation.email = timezone.now(), ""
    invitation.save(update_fields=["closed_at", "email"])


def _member(user: User, invitation: Invitation) -> Membership:
    """The person's membership: a new one, or theirs of before with the role they were now invited to."""
    person = Membership.objects.filter(user=user).first()
    if person is None:
        name = _free_name(user.email)
        return Membership.objects.create(user=user, external_id=name, roles=[invitation.role])
    if not person.is_active:
        if person.external_id == departing.nobody(person.pk):
            person.external_id = _free_name(user.email)
        person.is_active, person.roles = True, [invitation.role]
        person.save(update_fields=["is_active", "roles", "external_id"])
    return person


def _free_name(email: str) -> str:
    """An external id that nobody in the tenant has, from what stands before the @."""
    stem = slugify(email.partition("@")[0])[:100] or "person"
    taken = set(Membership.objects.filter(external_id__startswith=stem).values_list("external_id", flat=True))
    return next(name for name in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3))) if name not in taken)


def _send_soon(invitation: Invitation) -> None:
    """Send the mail once the invitation is committed, in the language of who invites."""
    tenant = Membership.objects.select_related("tenant").get(pk=invitation.invited_by_id).tenant
    shown = {"invitation": invitation, "organisation": tenant.name, "link": link_of(invitation), "days": LIVES.days}
    subject = _("%(organisation)s invites you to MemoryHub") % {"organisation": " ".join(tenant.name.split())}
    body = render_to_string("accounts/invitation_mail.txt", shown)
    to = invitation.email
    transaction.on_commit(lambda: send_mail(f"[MemoryHub] {subject}", body, None, [to]))
