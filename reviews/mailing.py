"""Mail about notices: one a person an hour at the most, but at once for what nobody turns off.

It is in their language and says how many there are and where. No word of a memory, and no name, stands in a mail.
"""

from __future__ import annotations

import uuid
from collections import Counter
from datetime import datetime, timedelta
from smtplib import SMTPException

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db.models import Exists, OuterRef, Q
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext

from accounts import audit, tenancy
from accounts.models import Membership
from accounts.principals import Principal
from reviews import notices
from reviews.models import Notice

log = structlog.get_logger("reviews.mail")
EVERY = timedelta(hours=1)
PEOPLE = 100


def mail_due(principal: Principal, now: datetime) -> int:
    """Mail whoever has something new and got no mail lately; returns to how many. A mail that fails is due again."""
    lately = Notice.objects.filter(membership=OuterRef("pk"), mailed_at__gt=now - EVERY)
    new = notices.standing(now).filter(pk__in=notices.to_mail().values("pk"), membership=OuterRef("pk"))
    pressing = Q(Exists(new.filter(kind__in=notices.ALWAYS)))
    people = Membership.objects.filter(~Exists(lately) | pressing, Exists(new), user__is_active=True)
    people = people.select_related("user")
    sent = 0
    for person in people.order_by("pk")[:PEOPLE]:
        told = _claim(person, now)
        if not told:
            continue
        if not _send(person, told):
            Notice.objects.filter(pk__in=told).update(mailed_at=None)
            continue
        sent += 1
        with tenancy.atomic():
            details = {"notices": len(told)}
            audit.record(principal, "notice.mail", target="membership", target_id=person.pk, details=details)
    return sent


def _claim(person: Membership, now: datetime) -> dict[uuid.UUID, str]:
    """What this mail tells of, so that no other worker tells it too: the kinds of notices by their ids.

    What the person wants no mail about counts as told long ago.
    """
    with tenancy.atomic():
        Membership.objects.select_for_update().get(pk=person.pk)
        rows = notices.to_mail().filter(membership=person)
        new = dict(notices.standing(now).filter(pk__in=rows.values("pk")).values_list("pk", "kind"))
        told = {pk: kind for pk, kind in new.items() if notices.wants(person, kind, notices.MAIL)}
        Notice.objects.filter(pk__in=told).update(mailed_at=now)
        Notice.objects.filter(pk__in=set(new) - set(told)).update(mailed_at=now - EVERY)
    return told


def _send(person: Membership, told: dict[uuid.UUID, str]) -> bool:
    language = person.user.language if person.user.language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    with translation.override(language):
        counts = sorted(Counter(told.values()).items())
        text = render_to_string("reviews/notices.txt", {"counts": counts, "base": settings.MEMORYHUB_BASE_URL})
        try:
            subject = settings.ACCOUNT_EMAIL_SUBJECT_PREFIX + gettext("Something is waiting for you")
            send_mail(subject, text, None, [person.user.email])
        except (OSError, SMTPException) as error:
            log.warning("mail_failed", code=type(error).__name__, membership_id=person.pk)
            return False
    return True
