"""Hand over: a line of a file takes the way of any other proposal. First it is foreseen, then it is taken."""

from __future__ import annotations

from dataclasses import dataclass

from memories.access import Area
from memories.actions.sitting import ACTIVATING, HOLDING, Case, Sitting
from memories.inputs import ProposalInput
from memories.models import ImportLine
from memories.write_gate import Decision, Outcome

Result = ImportLine.Result


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a line: the result, the gate's reason, and the digest of the slot it is for."""

    result: Result
    reason: str
    slot_digest: str = ""


def foresee(sitting: Sitting, area: Area, item: ProposalInput) -> Fate:
    """What would become of it now. Writes nothing, not even to a statement sent to the database."""
    case = sitting.case(sitting.draft(area, item))
    return _fate(case, None if _says_the_same(case) else sitting.judge(case))


def take(sitting: Sitting, area: Area, item: ProposalInput, *, replaces: bool) -> Fate:
    """Do it, when the sitting is written. Without `replaces` what stands stays where the file says something else.

    The caller holds the lock of the namespace.
    """
    case = sitting.case(sitting.draft(area, item))
    if _says_the_same(case):
        return _fate(case, None)
    decision = sitting.judge(case)
    fate = _fate(case, decision)
    if fate.result == Result.CONFLICT and not replaces:
        return fate
    sitting.carry_out(case, decision)
    if fate.result == Result.CONFLICT:
        return Fate(Result.REPLACED, decision.reason, fate.slot_digest)
    return fate


def _says_the_same(case: Case) -> bool:
    """Whether exactly this is there already, also where it is paused or has ended: no file brings it back to life."""
    there, content = case.standing, case.draft.content
    return there is not None and (there.statement, there.value, there.conditions or None, there.valid_until) == (
        content.statement,
        content.value,
        content.conditions or None,
        content.valid_until,
    )


def _fate(case: Case, decision: Decision | None) -> Fate:
    digest = case.draft.digest
    if decision is None or decision.outcome == Outcome.keep:
        return Fate(Result.SAME, "already_known", digest)
    if decision.outcome in ACTIVATING:
        if case.standing is not None:
            return Fate(Result.CONFLICT, "another_stands", digest)
        return Fate(Result.NEW, decision.reason, digest)
    return Fate(Result.WAITS if decision.outcome in HOLDING else Result.REFUSED, decision.reason, digest)
