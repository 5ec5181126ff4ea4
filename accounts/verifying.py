"""Verifying a chain: every seal against its event, and the first fault by its name."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.db import OperationalError
from django.utils.translation import gettext_lazy as _

from accounts import audit, tenancy
from accounts.ahead import Step, reading_ahead
from accounts.chain import (
    START,
    Chain,
    Head,
    first_false_checkpoint,
    follow,
    head,
    hold,
    newest_checkpoint,
    sealed,
    settled_before,
    unsealed,
)
from accounts.models import AuditEvent, AuditSeal
from accounts.principals import Principal

VERIFIED = "audit.verify"
VERIFY_BATCH = 5000
FAULTS = {
    "changed": _("the event that stands here, or its seal, was changed"),
    "seal_missing": _("the seal that belongs here is gone"),
    "event_missing": _("the event of this seal is gone"),
    "inserted": _("what stands here was put in; what belongs here stands later"),
    "reordered": _("the order was changed; what belongs here stands later"),
    "removed": _("what belongs here is gone, and later events took its place"),
    "never_sealed": _("an event came in behind the chain and was never sealed"),
    "cut": _("the newest events are gone: the chain once was longer"),
    "head_differs": _("another seal stands here than the head that was noted: the chain was sealed anew"),
    "checkpoint": _("a checkpoint of the retention is not a true one: events before it were removed by someone else"),
}
LOOK_AHEAD = 10_000  # how far the naming of a fault looks; finding it needs no such bound


@dataclass(frozen=True, slots=True)
class Fault:
    """The first place where a chain does not hold: what is wrong (of FAULTS), and the event there, if one stands."""

    sequence: int
    kind: str
    event_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of a chain: its first place still kept, how many seals hold from there, and the first fault."""

    first: int
    held: int
    fault: Fault | None = None

    @property
    def last(self) -> int:
        return self.first + self.held - 1


def verify(
    tenant_id: uuid.UUID, noted: Head | None = None, progress: Callable[[int], None] = lambda held: None
) -> Verdict:
    """Check every seal of the tenant's chain against its event, from the checkpoint to the end.

    `noted` is a head that was exported earlier and must still stand. `progress` is told how many hold so far.
    """
    chain, checkpoint, end = Chain.of(tenant_id), newest_checkpoint(), head() or START
    start = Head(checkpoint.sequence, checkpoint.seal) if checkpoint else START
    first, reached = start.sequence + 1, start
    if false := first_false_checkpoint(chain):
        return Verdict(first, 0, Fault(false, "checkpoint"))
    fault = None
    with reading_ahead(_steps(start.sequence, end.sequence, noted)) as steps:
        for step, rows in steps:
            reached = hold(chain, reached, step.wanted) if rows is None else follow(chain, reached, rows)
            fault = _against(noted, reached)
            progress(reached.sequence + 1 - first)
            if fault is not None or reached.sequence != step.end:
                break
    if fault is None and reached.sequence < end.sequence:
        fault = _diagnosed(chain, reached.sequence + 1, reached.digest)
    if fault is not None and newest_checkpoint() != checkpoint:  # retention took the beginning away meanwhile
        return verify(tenant_id, noted, progress)
    if fault is None and noted is not None and noted.sequence > end.sequence:
        fault = Fault(end.sequence + 1, "cut")
    held = (fault.sequence if fault else reached.sequence + 1) - first
    return Verdict(first, held, fault or _stray(reached.sequence))


def _steps(after: int, end: int, noted: Head | None) -> Iterator[Step]:
    """The chain in batches; the noted head ends one."""
    while after < end:
        stop = min(after + VERIFY_BATCH, end)
        if noted is not None and after < noted.sequence:
            stop = min(stop, noted.sequence)
        yield Step(after, stop - after)
        after = stop


def note(principal: Principal, verdict: Verdict) -> None:
    """Keep what a verification found, as an event: the newest of these says when the chain was verified last."""
    place = {"first": verdict.first, "held": verdict.held}
    outcome, reason = "holds", ""
    if verdict.fault is not None:
        outcome, reason = "broken", verdict.fault.kind
        place["sequence"] = verdict.fault.sequence
    with tenancy.atomic():
        audit.record(principal, VERIFIED, outcome=outcome, reason=reason, details=place)


def _against(noted: Head | None, reached: Head) -> Fault | None:
    """Whether another seal stands where the noted one stood."""
    if noted is None or noted.sequence != reached.sequence or noted == reached:
        return None
    return Fault(reached.sequence, "head_differs")


def _stray(last: int) -> Fault | None:
    """An event behind the chain's end that was never sealed; counting shows at once when there can be none."""
    bound = settled_before()
    if bound is None:
        return None
    first = AuditSeal.objects.order_by("sequence").values_list("sequence", flat=True).first() or last + 1
    if AuditEvent.objects.count() == last + 1 - first + unsealed().count():
        return None
    stray = AuditEvent.objects.filter(seal=None, pk__lt=bound).order_by("pk").first()
    return Fault(last + 1, "never_sealed", stray.pk) if stray else None


def _diagnosed(chain: Chain, sequence: int, before: str) -> Fault:
    """What is wrong at the first place that does not hold."""
    standing = AuditSeal.objects.filter(sequence=sequence).values_list("digest", "event_id").first()
    if standing is None:
        return Fault(sequence, "seal_missing")
    digest, event_id = standing
    if not AuditEvent.objects.filter(pk=event_id).exists():
        return Fault(sequence, "event_missing", event_id)
    try:
        later = list(sealed().filter(sequence__gt=sequence)[:LOOK_AHEAD])
    except OperationalError:
        later = []
    return Fault(sequence, _kind(chain, later, sequence, before, digest), event_id)


def _kind(chain: Chain, later: Sequence[tuple[int, str, str]], sequence: int, before: str, digest: str) -> str:
    """Whether what belongs in this place stands later, and else whether what follows continues a longer chain."""
    for index, (_place, stored, event) in enumerate(later):
        right = chain.digest(before, sequence, event)
        if right in (stored, digest):
            behind = later[index + 1 : index + 2]
            goes_on = any(seal == chain.digest(right, sequence + 1, rest) for _place, seal, rest in behind)
            return "inserted" if goes_on else "reordered"
    if later:
        _place, stored, event = later[0]
        if any(stored == chain.digest(digest, place, event) for place in range(sequence + 2, sequence + LOOK_AHEAD)):
            return "removed"
    return "changed"
