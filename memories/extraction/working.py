"""Looking through the conversations that are due.

What is found, what becomes of it and the end of the conversation's text are one transaction: whoever goes on after a
crash finds everything written, or nothing.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from accounts import audit, tenancy
from accounts.errands import principal_of
from accounts.errors import Forbidden, MemoryHubError, NotVisible, Unavailable
from accounts.models import Membership
from accounts.principals import Principal, Scope, system
from memories import access, own_rules, tenant_policy
from memories.access import Area, NamespaceRef
from memories.actions import Proposed, Sitting
from memories.extraction import model, requests
from memories.extraction.messages import Finding, Message
from memories.inputs import MAX_STATEMENT, EvidenceInput, HandOver, ProposalInput
from memories.models import Evidence, Extraction, ExtractionItem, Memory, Recall

log = structlog.get_logger("memories.extraction")

LEASE = timedelta(minutes=5)
WAITS = (timedelta(seconds=5), timedelta(minutes=1))
"""How long a model that cannot be asked now is left alone before the next attempt; then the extraction has failed."""
KEPT_FOR = timedelta(days=30)
DUE_BATCH = 20
MOST_FINDINGS = 50
MOST_RECALLS = 50
State = Extraction.State


def extract_due(_principal: Principal, now: datetime, *, seconds: float) -> Mapping[str, int]:
    """Look through what waits, for as long as `seconds` last; the rest goes on with the next call."""
    until, done = time.monotonic() + seconds, 0
    for errand in _due(now).order_by("pk")[:DUE_BATCH]:
        done += extract(errand, now)
        if time.monotonic() >= until:
            break
    return {"conversations_extracted": done}


def extract(errand: Extraction, now: datetime | None = None) -> bool:
    """Look through one if it is due; tells whether that is done. A failure stands in the row, with its code."""
    now = now or timezone.now()
    claim = _claim(errand, now)
    if claim is None:
        return False
    try:
        asker = replace(principal_of(errand), run_id=errand.run_id, thread_id=errand.conversation)
        asker.require(Scope.PROPOSE)
        if Membership.objects.filter(pk=errand.subject_id, memory_off_at__isnull=False).exists():
            raise Forbidden("The person has turned memory off.", code="memory_off")
        messages = _still_wanted(asker, [Message.of(one) for one in errand.messages or ()])
        return _carry_out(errand, asker, claim, messages, _findings(errand, messages))
    except model.ModelFailed as failure:
        if failure.may_pass and errand.attempts < len(WAITS):
            pause = {"state": State.QUEUED, "error": failure.code, "claimed_until": now + WAITS[errand.attempts]}
            _mine(errand, claim).update(**pause)
        else:
            _fail(errand, claim, failure.code)
    except (Forbidden, NotVisible) as error:
        _fail(errand, claim, error.code)
    return False


def drop_ended(_principal: Principal, now: datetime) -> Mapping[str, int]:
    """Let go of conversations whose day is over, and later of what is known about ended ones."""
    over = Extraction.objects.filter(messages__isnull=False, expires_at__lte=now)
    dropped = over.filter(state=State.FAILED).update(messages=None)
    dropped += over.exclude(state=State.FAILED).update(
        state=State.FAILED, error="not_done_in_time", messages=None, finished_at=now, claimed_until=None
    )
    Extraction.objects.filter(finished_at__lte=now - KEPT_FOR).delete()
    return {"conversations_dropped": dropped}


def _due(now: datetime) -> QuerySet[Extraction]:
    return Extraction.objects.filter(
        Q(state=State.QUEUED) & (Q(claimed_until=None) | Q(claimed_until__lte=now))
        | Q(state=State.RUNNING, claimed_until__lte=now)
    )


def _mine(errand: Extraction, claim: datetime) -> QuerySet[Extraction]:
    return Extraction.objects.filter(pk=errand.pk, state=State.RUNNING, claimed_until=claim)


def _claim(errand: Extraction, now: datetime) -> datetime | None:
    claim = now + LEASE
    taken = {"state": State.RUNNING, "claimed_until": claim, "started_at": errand.started_at or now}
    return claim if _due(now).filter(pk=errand.pk).update(**taken, attempts=F("attempts") + 1) else None


def _still_wanted(asker: Principal, messages: Sequence[Message]) -> list[Message]:
    """Without what a rule that the person made meanwhile speaks of. Raises Forbidden where they shut the agent out."""
    namespace = access.area(asker, NamespaceRef("user"), access.usable(asker)).namespace
    if namespace.is_closed:
        raise Forbidden("The person has shut this agent out.", code="agent_off")
    policy, wishes = tenant_policy.active(), own_rules.wishes_of(namespace.membership)
    return [replace(one, text=None) if own_rules.is_unwanted(one.text, policy, wishes) else one for one in messages]


def _findings(errand: Extraction, messages: Sequence[Message]) -> list[Finding]:
    """What the method finds in the person's own messages. Asks a model outside of any transaction."""
    if errand.method == Extraction.Method.MODEL:
        asked = model.permitted()
        if asked is None:
            raise model.ModelFailed("extraction_model_not_permitted")
        return asked.find(messages)
    return [
        Finding(place, one.words, one.kind, one.key, one.one_off, stated=True)
        for place, message in enumerate(messages)
        if message.own and message.text
        for one in requests.find(message.text)
    ]


def _carry_out(
    errand: Extraction, asker: Principal, claim: datetime, messages: Sequence[Message], found: Sequence[Finding]
) -> bool:
    area = access.area(asker, NamespaceRef("user"), access.usable(asker))
    with tenancy.atomic():
        access.lock([area.namespace])
        ended = {"state": State.DONE, "messages": None, "finished_at": timezone.now(), "claimed_until": None}
        if not _mine(errand, claim).update(**ended):
            return False
        known = _known(errand, area) if found else set()
        sitting, items = Sitting(asker), []
        for number, finding in enumerate(found[:MOST_FINDINGS]):
            item = ExtractionItem(extraction=errand, number=number, message=finding.message)
            item.reason, proposed = _take(errand, sitting, area, messages[finding.message], finding, known)
            item.operation = proposed.operation if proposed else None
            items.append(item)
        sitting.write()
        ExtractionItem.objects.bulk_create(items)
        details = {"method": errand.method, "found": len(items), "over_limit": max(0, len(found) - MOST_FINDINGS)}
        audit.record(asker, "extraction.finish", target="extraction", target_id=errand.pk, details=details)
    return True


def _take(
    errand: Extraction, sitting: Sitting, area: Area, message: Message, finding: Finding, known: set[str]
) -> tuple[str, Proposed | None]:
    """Propose one finding. The person's own statement needs a runtime that may attest; all else is an inference."""
    if len(finding.words) > MAX_STATEMENT:
        return "too_long", None
    principal = sitting.principal
    attested = finding.stated and message.own and not principal.is_person and principal.may(Scope.ATTEST)
    if not attested and requests.bare(finding.words) in known:
        return "recalled_or_known", None
    item = ProposalInput(
        NamespaceRef("user"),
        kind=finding.kind,
        key=finding.key,
        statement=finding.words,
        evidence=_event(errand, message, finding.message) if attested else None,
        handed_over=None if attested else HandOver(inferred=True),
        reusable=False if finding.one_off else None,
        extraction_id=str(errand.pk),
    )
    try:
        return "", sitting.decide(sitting.draft(area, item))
    except Unavailable:  # nothing is known of it yet: the whole conversation is looked through again
        raise
    except MemoryHubError as error:
        return error.code, None


def _event(errand: Extraction, message: Message, place: int) -> EvidenceInput:
    return EvidenceInput(
        type=Evidence.Type.USER_MESSAGE,
        ref=message.id,
        occurred_at=message.at,
        thread=errand.conversation,
        sequence=place,
        speaker=message.author,
    )


def _known(errand: Extraction, area: Area) -> set[str]:
    """What stands in the place, and what was recalled in this run: words a conversation may only repeat."""
    shown: set[str] = set()
    if errand.run_id:
        recalls = Recall.objects.filter(run_id=errand.run_id, subject_id=errand.subject_id).order_by("-pk")
        for items in recalls.values_list("items", flat=True)[:MOST_RECALLS]:
            shown |= {one["memory_id"] for one in items}
    rows = Memory.objects.current().filter(Q(namespace=area.namespace) | Q(pk__in=shown))
    told = rows.only("pk", "tenant", "namespace", "statement").iterator()  # rows: only these open what is encrypted
    return {requests.bare(row.statement) for row in told if row.statement}


def _fail(errand: Extraction, claim: datetime, code: str) -> None:
    """It ends here. The conversation stays until its day is over, so that it can be tried again."""
    log.warning("extraction_failed", extraction_id=errand.pk, code=code)
    ended = {"state": State.FAILED, "error": code, "finished_at": timezone.now(), "claimed_until": None}
    with tenancy.atomic():
        if _mine(errand, claim).update(**ended):
            service = system(errand.tenant_id)
            audit.record(
                service, "extraction.fail", outcome="failed", reason=code, target="extraction", target_id=errand.pk
            )
