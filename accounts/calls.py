"""What the owner of a key may see of its calls: the newest ones, and counts by day of each agent.

A call is noted when it was answered and written after its answer has been sent, by one thread at a time: at once when
it is the first for a second, else together with all of that second, so that looking on slows nobody down. Told are
method, address template, status, time and scope: never a body, a query or an id of an address. This is for looking at,
not a record: that is the audit. A crash may lose the last ones.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections, connection
from django.db.models import F, QuerySet

from accounts import tenancy
from accounts.ids import first_uuid7, uuid7
from accounts.models import AgentDay, AgentKey, ApiCall, AuditEvent, Membership, PersonalToken
from accounts.principals import Principal, Scope

SHOWN = 200
LIVES = timedelta(days=7)
COUNTS_LIVE = timedelta(days=400)
LOOKED_AT = timedelta(hours=1)
BATCH = 100
AROUND = timedelta(minutes=2)  # a call's events were made shortly before it was answered
WAITING = 1000
PAUSE_SECONDS = 1.0
READING = frozenset({Scope.RECALL, Scope.READ, Scope.AUDIT})
REFUSED = frozenset({401, 403})

log = structlog.get_logger("accounts.calls")


@dataclass(frozen=True, slots=True)
class UsedCredential:
    """The key that a call came with, live or not; an agent's or a person's own."""

    tenant_id: uuid.UUID
    key_id: uuid.UUID
    agent_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One answered call that is yet to be written."""

    used: UsedCredential
    at: datetime
    method: str
    route: str
    status: int
    ms: float
    request_id: str
    scope: str
    code: str

    @property
    def counts_as(self) -> str:
        if self.status in REFUSED:
            return "refused"
        return "reads" if self.scope in READING else "writes"


_waiting: deque[Call] = deque(maxlen=WAITING)
_writing = threading.Lock()
_alarm: threading.Timer | None = None
_written = float("-inf")


def note(call: Call) -> None:
    """Keep a call until `write_waiting`; when far too many wait, the oldest is let go."""
    _waiting.append(call)


def write_soon(**_signal: object) -> None:
    """Write what waits, or see to it that it is written soon. Called when an answer has been sent; raises nothing."""
    global _alarm
    rest = min(_written + PAUSE_SECONDS - time.monotonic(), PAUSE_SECONDS)
    if rest <= 0:
        write_waiting()
    elif _waiting and (_alarm is None or not _alarm.is_alive()):
        _alarm = threading.Timer(rest, _ring)
        _alarm.daemon = True
        _alarm.start()


def _ring() -> None:
    global _alarm
    _alarm = None  # what comes from now on rings for itself
    try:
        write_waiting()
    finally:
        connection.close()  # this thread's own


def write_waiting() -> None:
    """Write what waits, unless another thread is at it; raises nothing."""
    global _written
    while _waiting and _writing.acquire(blocking=False):
        try:
            _written = time.monotonic()
            _write([_waiting.popleft() for _ in range(min(len(_waiting), BATCH))])
        except (DatabaseError, InterfaceError) as error:
            log.error("calls_unwritten", code=type(error).__name__)
            return
        finally:
            _writing.release()
            if not connection.in_atomic_block:
                close_old_connections()


def of(principal: Principal) -> QuerySet[ApiCall]:
    """The calls of a person's tokens and of their agents' keys, or of an agent's own keys; newest first."""
    return ApiCall.objects.filter(key_id__in=_keys_of(principal)).order_by("-pk")


def first_of(key_id: uuid.UUID) -> ApiCall | None:
    """The first call of a key that is still kept: for who has just made the key."""
    return ApiCall.objects.filter(key_id=key_id).order_by("pk").first()


def names(principal: Principal) -> dict[uuid.UUID, str]:
    """What the person calls each of these keys and tokens."""
    agents = AgentKey.objects.filter(agent__owner_id=principal.subject_id).select_related("agent")
    own = PersonalToken.objects.filter(membership_id=principal.subject_id)
    return {key.pk: key.agent.name or key.agent.slug for key in agents} | {token.pk: token.name for token in own}


def events_of(call: ApiCall) -> QuerySet[AuditEvent]:
    """What the audit holds of a call, in order."""
    since, until = first_uuid7(call.created_at - AROUND), first_uuid7(call.created_at + AROUND)
    return AuditEvent.objects.filter(request_id=call.request_id, pk__gte=since, pk__lt=until).order_by("pk")


def days_of(agent_ids: Iterable[uuid.UUID], since: datetime) -> QuerySet[AgentDay]:
    """The daily counts of agents from a day on."""
    return AgentDay.objects.filter(agent_id__in=agent_ids, day__gte=since.date()).order_by("day")


def drop_old(_principal: Principal, now: datetime) -> Mapping[str, int]:
    """Remove the calls of more than a week ago, of each key all but its newest ones, and counts of long ago.

    Only keys that were used since a while ago can have too many: the others were looked at before.
    """
    with tenancy.atomic():
        gone, _ = ApiCall.objects.filter(pk__lt=first_uuid7(now - LIVES)).delete()
        AgentDay.objects.filter(pk__lt=first_uuid7(now - COUNTS_LIVE)).delete()
    used = ApiCall.objects.filter(pk__gte=first_uuid7(now - LOOKED_AT)).order_by()
    for key_id in list(used.values_list("key_id", flat=True).distinct()):
        rows = ApiCall.objects.filter(key_id=key_id).order_by("-pk")
        oldest_kept = rows.values_list("pk", flat=True)[SHOWN - 1 : SHOWN].first()
        if oldest_kept is not None:
            with tenancy.atomic():
                gone += rows.filter(pk__lt=oldest_kept).delete()[0]
    return {"calls_dropped": gone}


def forget_of(person: Membership) -> None:
    """Remove the calls of a person's own tokens and of their agents' keys."""
    keys = _keys(person.pk)
    for call in [call for call in tuple(_waiting) if call.used.key_id in keys]:
        with contextlib.suppress(ValueError):  # written meanwhile, before the rows are removed
            _waiting.remove(call)
    ApiCall.objects.filter(key_id__in=keys).delete()


def _keys_of(principal: Principal) -> list[uuid.UUID]:
    if principal.is_person:
        return _keys(principal.subject_id)
    return list(AgentKey.objects.filter(agent_id=principal.agent_id).values_list("pk", flat=True))


def _keys(membership_id: uuid.UUID | None) -> list[uuid.UUID]:
    agents = AgentKey.objects.filter(agent__owner_id=membership_id).values_list("pk", flat=True)
    return [*agents, *PersonalToken.objects.filter(membership_id=membership_id).values_list("pk", flat=True)]


def _write(batch: list[Call]) -> None:
    for tenant_id in {call.used.tenant_id for call in batch}:
        mine = [call for call in batch if call.used.tenant_id == tenant_id]
        with tenancy.entered(tenant_id), tenancy.atomic():
            ApiCall.objects.bulk_create([_row(call) for call in mine])
            counts = Counter((call.used.agent_id, call.at.date(), call.counts_as) for call in mine)
            for (agent_id, day, what), more in counts.items():
                if agent_id is not None and not _add(agent_id, day, what, more):
                    AgentDay.objects.get_or_create(agent_id=agent_id, day=day)
                    _add(agent_id, day, what, more)


def _add(agent_id: uuid.UUID, day: object, what: str, more: int) -> int:
    return AgentDay.objects.filter(agent_id=agent_id, day=day).update(**{what: F(what) + more})


def _row(call: Call) -> ApiCall:
    return ApiCall(
        id=uuid7(),
        created_at=call.at,
        key_id=call.used.key_id,
        method=call.method,
        route=call.route[:128],
        status=call.status,
        ms=call.ms,
        request_id=call.request_id,
        scope=call.scope,
        code=call.code,
    )
