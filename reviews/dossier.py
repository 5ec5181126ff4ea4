"""Everything a reviewer has before them when they decide on one candidate. Nothing here writes; call it in no
transaction, since an embedder may be asked for entries that say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.errors import Conflict
from accounts.models import Membership
from accounts.principals import Principal
from memories import access
from memories.models import Candidate, Comment, Feedback, Memory, Operation, Recall
from memories.playbook import duplicates
from memories.playbook.duplicates import Twin
from memories.policy import Policy
from memories.write_gate import Decision
from reviews import claims, decisions, queue, risk, threads
from reviews.models import Claim
from reviews.risk import Risk
from reviews.waiting import approvers

PERIOD = timedelta(days=30)
TRACES = 2000
MARKS = 60
FEW = 2
"""Below so many proposals or runs the evidence is called thin."""
LOOKS = {Feedback.Verdict.USED: "good", Feedback.Verdict.IRRELEVANT: "none"}


@dataclass(frozen=True, slots=True)
class Reach:
    """What recent recall traces tell of how far it would reach: they hold ids and no questions, so this counts the
    recalls that looked where it would stand (`looked`), and those that got what it would replace (`got`). `all_read`
    is false where there were more traces than were read."""

    days: int
    looked: int
    got: int
    all_read: bool


@dataclass(frozen=True, slots=True)
class Dossier:
    """One candidate with what stands, what speaks for and against it, what the gate says today and who is at it.

    `replaces` is None where the reader may not read it, though `entry_version` stands.
    `marks` are what runs made of the entry that stands: (good | bad | none, words). `closed` is the reason in a code
    why the reader may not decide it. `twins` are entries of the playbook that seem to say the same.
    """

    candidate: Candidate
    risk: Risk
    replaces: Memory | None
    entry_version: int | None
    gate: Decision | None
    rivals: Sequence[Candidate]
    twins: Sequence[Twin]
    times: int
    marks: Sequence[tuple[str, str]]
    reach: Reach
    thread: Sequence[Comment]
    claim: Claim | None
    colleagues: Sequence[Membership]
    second_needed: bool
    approved_by_reader: bool
    closed: str
    base_moved: bool

    @property
    def is_thin(self) -> bool:
        return self.times < FEW and not any(look == "good" for look, _words in self.marks)


def open_on(principal: Principal, candidate: Candidate, policy: Policy, now: datetime) -> Dossier:
    """What the caller, a reviewer of its namespace, sees of a candidate."""
    entry = standing(candidate)
    readable = entry is not None and entry.namespace in access.readable(principal)
    waits = candidate.status == Candidate.Status.PENDING
    return Dossier(
        candidate=candidate,
        risk=risk.risk_of(candidate, policy),
        replaces=entry if readable else None,
        entry_version=entry.version if entry else None,
        gate=decisions.foresee(principal, str(candidate.pk), candidate.content_hash) if waits else None,
        rivals=list(_rivals(candidate, now)) if waits else [],
        times=Operation.objects.filter(candidate=candidate, verb="propose").count(),
        marks=_marks(entry) if entry and readable else [],
        reach=reach(candidate, now),
        thread=list(threads.comments(principal, str(candidate.pk))),
        claim=claims.current(candidate, now),
        colleagues=claims.colleagues(principal, candidate) if waits else [],
        second_needed=risk.approvers_needed(candidate, policy) > 1,
        approved_by_reader=principal.subject_id in approvers(candidate),
        closed=closed(principal, candidate, now),
        base_moved=waits and (entry.version if entry else None) != candidate.base_version,
        twins=duplicates.of_candidate(principal, candidate) if waits and candidate.namespace.type != "user" else [],
    )


def standing(candidate: Candidate) -> Memory | None:
    """The entry that it would replace."""
    return Memory.objects.current().filter(slot=candidate.slot_id).select_related("namespace").first()


def reach(candidate: Candidate, now: datetime) -> Reach:
    traces = Recall.objects.filter(created_at__gt=now - PERIOD).order_by("-pk").values_list("gate", "items")
    read = list(traces[: TRACES + 1])
    place, versions = str(candidate.namespace_id), _versions(candidate)
    looked = got = 0
    for gate, items in read[:TRACES]:
        looked += place in gate.get("namespaces", ()) and candidate.kind in gate.get("kinds", ())
        got += any(item["memory_id"] in versions for item in items)
    return Reach(PERIOD.days, looked, got, len(read) <= TRACES)


def shown_words(candidate: Candidate) -> dict[str, object]:
    """What a page posts back with a verdict, so that other words can be compared with what was read."""
    return {"statement": candidate.statement, "conditions": candidate.conditions, "value": candidate.value}


def _versions(candidate: Candidate) -> set[str]:
    return {str(pk) for pk in Memory.objects.filter(slot=candidate.slot_id).values_list("pk", flat=True)}


def _rivals(candidate: Candidate, now: datetime) -> Sequence[Candidate]:
    others = Candidate.objects.waiting(now).filter(slot=candidate.slot_id, awaiting=Candidate.Awaiting.REVIEWER)
    return others.exclude(pk=candidate.pk).select_related("agent", "subject").order_by("pk")[:MARKS]


def _marks(standing: Memory) -> list[tuple[str, str]]:
    told = Feedback.objects.filter(memory_id=standing.pk).select_related("recall").order_by("-pk")[:MARKS]
    return [
        (LOOKS.get(Feedback.Verdict(one.verdict), "bad"), f"{one.get_verdict_display()} {one.recall.run_id}".strip())
        for one in reversed(told)
    ]


def closed(principal: Principal, candidate: Candidate, now: datetime) -> str:
    """Why the caller may not decide it now, in a code; empty when they may."""
    if candidate.subject_id == principal.subject_id:
        return "own_proposal"
    if candidate.status != Candidate.Status.PENDING or not queue.open_now(candidate, now):
        return "already_decided"
    if principal.subject_id in approvers(candidate):
        return "second_approver_required"
    try:
        claims.require_free(principal, candidate, now)
    except Conflict as error:
        return error.code
    return ""
