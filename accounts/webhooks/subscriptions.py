"""Who may have what told where: maintainers for their teams and projects, admins for the whole tenant."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import TypeVar

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts import audit, secrets, tenancy
from accounts.errors import Conflict, Forbidden, InvalidInput, NotVisible
from accounts.models import Delivery, Group, GroupMember, Webhook
from accounts.principals import Principal, Role, Scope
from accounts.webhooks.addresses import Refused, check_url
from accounts.webhooks.outbox import EVENTS

MOST = 20
Row = TypeVar("Row", Webhook, Delivery)
State = Delivery.State


def groups(principal: Principal) -> QuerySet[Group]:
    """The teams and projects for which the caller may set webhooks up."""
    if principal.subject_id is None:
        return Group.objects.none()
    if principal.has_role(Role.ADMIN):
        return Group.objects.order_by("type", "slug")
    mine = GroupMember.objects.filter(membership_id=principal.subject_id, is_maintainer=True)
    return Group.objects.filter(pk__in=mine.values("group_id")).order_by("type", "slug")


def may_set_up(principal: Principal) -> bool:
    return principal.has_role(Role.ADMIN) or groups(principal).exists()


def require_set_up(principal: Principal) -> None:
    """Raise Forbidden for whoever maintains nothing and is no admin."""
    principal.require(Scope.PROVISION)
    if not may_set_up(principal):
        raise Forbidden("Only a maintainer or an admin may set webhooks up.", code="not_a_maintainer")


def visible(principal: Principal) -> QuerySet[Webhook]:
    """The webhooks the caller may see and change, newest first; Forbidden for whoever could have none."""
    require_set_up(principal)
    return _visible(principal)


def _visible(principal: Principal) -> QuerySet[Webhook]:
    mine = Q(group__in=groups(principal))
    if principal.has_role(Role.ADMIN):
        mine |= Q(group=None)
    return Webhook.objects.filter(mine).select_related("group").order_by("-pk")


def one(principal: Principal, webhook_id: uuid.UUID | str) -> Webhook:
    """One of them, or NotVisible."""
    principal.require(Scope.PROVISION)
    return _one(_visible(principal), webhook_id)


def create(principal: Principal, url: str, events: Collection[str], group: Group | None) -> Webhook:
    """A new webhook; what signs its messages is `sending.secret_of`, to be shown this once.

    Raises InvalidInput for an address that may not be spoken to and for unknown events, NotVisible for a group that is
    not the caller's, Conflict when there are too many.
    """
    require_set_up(principal)
    if group is None and not principal.has_role(Role.ADMIN):
        raise Forbidden("Only an admin may have the whole organisation told.", code="not_an_admin")
    if group is not None and not groups(principal).filter(pk=group.pk).exists():
        raise NotVisible
    try:
        check_url(url, allow_local=settings.MEMORYHUB_WEBHOOKS_LOCAL)
    except Refused as refused:
        raise InvalidInput.field(
            "url", "Messages go to a public https address without a password in it.", refused.code
        ) from None
    if not events or not set(events) <= set(EVENTS):
        raise InvalidInput.field("events", "Choose among the known events.", "invalid_choice")
    with tenancy.atomic():
        if Webhook.objects.filter(group=group).count() >= MOST:
            raise Conflict("There are as many webhooks here as there may be.", code="too_many_webhooks")
        made = Webhook.objects.create(
            group=group,
            url=url,
            events=sorted(set(events)),
            salt=secrets.new_token("w").secret,
            made_by=principal.subject_id,
        )
        _note(principal, "webhook.create", made)
    return made


def switch_on(principal: Principal, webhook_id: uuid.UUID | str) -> Webhook:
    """Send again what happens from now on, after it was switched off."""
    return _switch(principal, webhook_id, None)


def switch_off(principal: Principal, webhook_id: uuid.UUID | str) -> Webhook:
    """Send nothing any more; what waits is given up."""
    return _switch(principal, webhook_id, timezone.now())


def remove(principal: Principal, webhook_id: uuid.UUID | str) -> None:
    """Take it away, with the record of its messages."""
    found = one(principal, webhook_id)
    with tenancy.atomic():
        _note(principal, "webhook.remove", found)
        found.delete()


def deliveries(principal: Principal, webhook_id: uuid.UUID | str) -> QuerySet[Delivery]:
    """The messages of one webhook."""
    return Delivery.objects.filter(webhook=one(principal, webhook_id))


def retry(principal: Principal, webhook_id: uuid.UUID | str, delivery_id: uuid.UUID | str) -> Delivery:
    """Send a message that was given up, or waits for its next attempt, as soon as may be.

    Raises Conflict for one that came through and while the webhook is switched off.
    """
    found = one(principal, webhook_id)
    delivery = _one(Delivery.objects.filter(webhook=found), delivery_id)
    if found.switched_off_at is not None:
        raise Conflict("It is switched off; switch it on first.", code="switched_off")
    with tenancy.atomic():
        again = Delivery.objects.filter(pk=delivery.pk).exclude(state=State.SENT)
        if not again.update(state=State.WAITING, next_at=timezone.now(), attempts=0, finished_at=None):
            raise Conflict("It came through already.", code="already_sent")
        _note(principal, "webhook.retry", found)
    delivery.refresh_from_db()
    return delivery


def _switch(principal: Principal, webhook_id: uuid.UUID | str, off_at: datetime | None) -> Webhook:
    found = one(principal, webhook_id)
    found.switched_off_at, found.failing_since = off_at, None
    found.expiry_told_until = timezone.now()
    with tenancy.atomic():
        found.save(update_fields=["switched_off_at", "failing_since", "expiry_told_until"])
        if off_at is not None:
            given_up = {"state": State.FAILED, "error": "switched_off", "finished_at": off_at}
            Delivery.objects.filter(webhook=found, state=State.WAITING).update(**given_up)
        _note(principal, "webhook.switch_off" if off_at else "webhook.switch_on", found)
    return found


def _one(rows: QuerySet[Row], row_id: uuid.UUID | str) -> Row:
    try:
        wanted = row_id if isinstance(row_id, uuid.UUID) else uuid.UUID(row_id)
    except ValueError:
        raise NotVisible from None
    found = rows.filter(pk=wanted).first()
    if found is None:
        raise NotVisible
    return found


def _note(principal: Principal, action: str, hook: Webhook) -> None:
    details = {"events": hook.events, "group": str(hook.group_id) if hook.group_id else None}
    audit.record(principal, action, target="webhook", target_id=hook.pk, details=details)
