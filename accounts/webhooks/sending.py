"""Send what is due: signed, to addresses that may be spoken to, again after a while when it did not come through."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import ssl
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

import httpcore
import httpx
from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from accounts import audit, secrets, tenancy
from accounts.models import Delivery, Webhook
from accounts.principals import Principal
from accounts.webhooks.addresses import Pinned, Refused, check_url

BRAND = "whsec_"
SECONDS = 10.0
CONNECT_SECONDS = 5.0
CLAIM = timedelta(seconds=60)
WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720, 1440))
"""How long to wait after each failed attempt; after one more it is given up."""
SWITCHED_OFF_AFTER = timedelta(days=3)
KEPT = timedelta(days=30)
AT_ONCE = 50
SLICE_SECONDS = 20.0
ANSWERS_OK = range(200, 300)

State = Delivery.State


def secret_of(hook: Webhook) -> str:
    """What the receiver checks signatures with: `whsec_` and 32 bytes in Base64, as Standard Webhooks has it."""
    return BRAND + base64.b64encode(_key(hook)).decode()


def signed(hook: Webhook, delivery: Delivery, at: datetime) -> tuple[Sequence[tuple[str, str]], bytes]:
    """The headers and the body of one attempt. The signature covers id, time and body."""
    told = {
        "type": delivery.event,
        "timestamp": delivery.created_at.astimezone(UTC).isoformat(),
        "data": delivery.payload,
    }
    body = json.dumps(told, ensure_ascii=True, separators=(",", ":")).encode()
    seconds = str(int(at.timestamp()))
    covered = b".".join((str(delivery.pk).encode(), seconds.encode(), body))
    signature = base64.b64encode(hmac.new(_key(hook), covered, hashlib.sha256).digest()).decode()
    headers = [
        ("Content-Type", "application/json"),
        ("User-Agent", "MemoryHub-Webhooks"),
        ("webhook-id", str(delivery.pk)),
        ("webhook-timestamp", seconds),
        ("webhook-signature", f"v1,{signature}"),
    ]
    return headers, body


def send_due(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Send what is due in this tenant, for a while; counts what came through and what did not."""
    counts = {"webhooks_sent": 0, "webhooks_failed": 0}
    began = time.monotonic()
    due = Delivery.objects.filter(_due(now)).order_by("next_at", "pk").values_list("pk", flat=True)[:AT_ONCE]
    for pk in list(due):
        if time.monotonic() - began > SLICE_SECONDS:
            break
        if (delivery := _claim(pk, now)) is not None:
            counts["webhooks_sent" if _attempt(principal, delivery) else "webhooks_failed"] += 1
    return counts


def drop_old(now: datetime) -> int:
    """Forget messages that are done with after a time."""
    gone, _ = Delivery.objects.exclude(state=State.WAITING).filter(finished_at__lte=now - KEPT).delete()
    return gone


def _due(now: datetime) -> Q:
    free = Q(claimed_until=None) | Q(claimed_until__lte=now)
    return Q(state=State.WAITING, next_at__lte=now, webhook__switched_off_at=None) & free


def _claim(pk: object, now: datetime) -> Delivery | None:
    """Take one for this process; whoever took it and died gives it back by the time."""
    taken = Delivery.objects.filter(_due(now), pk=pk).update(claimed_until=now + CLAIM, attempts=F("attempts") + 1)
    return Delivery.objects.select_related("webhook").get(pk=pk) if taken else None


def _attempt(principal: Principal, delivery: Delivery) -> bool:
    """One attempt, outside of any transaction, and what came of it."""
    answer, error = _post(delivery)
    now = timezone.now()
    came_through = answer in ANSWERS_OK if answer is not None else False
    delivery.answer, delivery.error, delivery.claimed_until = answer, "" if came_through else error, None
    if came_through:
        delivery.state, delivery.finished_at = State.SENT, now
    elif delivery.attempts > len(WAITS):
        delivery.state, delivery.finished_at = State.FAILED, now
    else:
        delivery.next_at = now + WAITS[delivery.attempts - 1]
    with tenancy.atomic():
        delivery.save(update_fields=["answer", "error", "claimed_until", "state", "finished_at", "next_at"])
        _note(principal, delivery.webhook, came_through, now)
    return came_through


def _note(principal: Principal, hook: Webhook, came_through: bool, now: datetime) -> None:
    """Since when nothing came through; after long enough nothing is sent any more."""
    if came_through:
        Webhook.objects.filter(pk=hook.pk).exclude(failing_since=None).update(failing_since=None)
        return
    Webhook.objects.filter(pk=hook.pk, failing_since=None).update(failing_since=now)
    late = Webhook.objects.filter(pk=hook.pk, failing_since__lte=now - SWITCHED_OFF_AFTER, switched_off_at=None)
    if late.update(switched_off_at=now):
        Delivery.objects.filter(webhook=hook, state=State.WAITING).update(
            state=State.FAILED, error="switched_off", finished_at=now
        )
        audit.record(principal, "webhook.switch_off", reason="failed_long", target="webhook", target_id=hook.pk)


def _post(delivery: Delivery) -> tuple[int | None, str]:
    """The status that came back, or None, and a code. The answer's body is not read and no redirect is followed."""
    hook, allow_local = delivery.webhook, settings.MEMORYHUB_WEBHOOKS_LOCAL
    headers, body = signed(hook, delivery, timezone.now())
    timeout = {"connect": CONNECT_SECONDS, "read": SECONDS, "write": SECONDS, "pool": SECONDS}
    backend = Pinned(allow_local=allow_local, seconds=SECONDS)
    try:
        check_url(hook.url, allow_local=allow_local)
        with (
            httpcore.ConnectionPool(ssl_context=_tls(), network_backend=backend, http2=False, retries=0) as pool,
            pool.stream("POST", hook.url, headers=headers, content=body, extensions={"timeout": timeout}) as answer,
        ):
            return answer.status, "refused_by_receiver"
    except Refused as refused:
        return None, refused.code
    except httpcore.TimeoutException:
        return None, "timed_out"
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, OSError):
        return None, "no_connection"


@cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


def _key(hook: Webhook) -> bytes:
    return bytes.fromhex(secrets.digest("webhook", str(hook.pk), hook.salt))
