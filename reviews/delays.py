"""The undo window: a person's verdict is written down now and takes effect a moment later, unless they take it back.

Until then nothing has happened to the candidate, only nobody else can decide it. The row carries its moment like every
other errand: the sweep finds it, and so does whoever looks at the candidate afterwards. Taking effect is one
transaction under the namespace's lock, so a crash leaves it wholly done or wholly to be done.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.module_loading import import_string

from accounts import audit, tenancy
from accounts.errands import asked_by, principal_of
from accounts.errors import Conflict, Forbidden, MemoryHubError, Unavailable
from accounts.principals import Principal, system
from memories import access
from memories.inputs import end_of
from memories.models import Candidate
from reviews import decisions
from reviews.decisions import Decided
from reviews.models import DelayedVerdict

log = structlog.get_logger("reviews.delays")

COMMIT_TASK = "reviews.tasks.commit_verdict"
DUE_BATCH = 50
KEPT_FOR = timedelta(days=30)
State, Verdict = DelayedVerdict.State, DelayedVerdict.Verdict
VERBS: dict[str, Callable[..., Decided]] = {
    Verdict.APPROVE: decisions.approve,
    Verdict.REJECT: decisions.reject,
    Verdict.REQUEST_CHANGES: decisions.request_changes,
}


def window(candidate: Candidate) -> timedelta:
    """How long an answer to this candidate can be taken back; nothing where the host wants none."""
    review = candidate.awaiting == Candidate.Awaiting.REVIEWER
    return timedelta(seconds=settings.MEMORYHUB_REVIEW_UNDO_SECONDS if review else settings.MEMORYHUB_UNDO_SECONDS)


def decide(
    principal: Principal,
    candidate_id: str,
    content_hash: str,
    verdict: str,
    *,
    reason: str = "",
    valid_until: datetime | date | None = None,
) -> Decided:
    """A person's own verdict, taking effect when the window has passed; at once where there is none.

    Raises what the verdict itself would raise now, and Forbidden for an agent: what it relays takes effect at once.
    """
    if not principal.is_person:
        raise Forbidden("Only a person's own answer can be taken back.", code="not_undoable")
    seen = access.candidate(principal, candidate_id)
    if not (delay := window(seen)):
        given = {"valid_until": valid_until} if verdict == Verdict.APPROVE else {"reason": reason}
        return VERBS[verdict](principal, candidate_id, content_hash, **given)
    with tenancy.atomic():
        candidate = decisions.require_decidable(principal, seen, content_hash)
        now = timezone.now()
        row = DelayedVerdict.objects.create(
            candidate=candidate,
            verdict=verdict,
            reason=reason if reason in decisions.REASONS else "",
            content_hash=content_hash,
            valid_until=end_of(valid_until, seen.namespace.time_zone),
            created_at=now,
            commits_at=now + delay,
            **asked_by(principal),
        )
        _note(principal, row, "candidate.decide", verdict)
        _soon(row.pk, delay)
    return Decided(candidate, delayed=row)


def undo(principal: Principal, candidate_id: str) -> DelayedVerdict:
    """Take back one's own verdict: it never happened to the candidate.

    Raises Conflict: `nothing_to_undo` where there is none of the caller's, `too_late` when it has taken effect.
    """
    seen = access.candidate(principal, candidate_id)
    mine = DelayedVerdict.objects.filter(candidate=seen, subject_id=principal.subject_id)
    if not principal.is_person or not mine.exists():
        raise Conflict("There is no answer of yours to take back.", code="nothing_to_undo")
    with tenancy.atomic():
        access.lock([seen.namespace])
        now = timezone.now()
        row = mine.select_for_update(of=("self",)).filter(state=State.WAITING, commits_at__gt=now).first()
        if row is None:
            raise Conflict("It has taken effect already.", code="too_late")
        _end(row, State.UNDONE, now)
        _note(principal, row, "candidate.undo", row.verdict)
    return row


def commit_due(_principal: Principal, now: datetime) -> Mapping[str, int]:
    """Let every verdict take effect whose moment has come; and no longer keep what is known of old ones."""
    done = settle(Candidate.objects.all(), now)
    DelayedVerdict.objects.exclude(state=State.WAITING).filter(finished_at__lte=now - KEPT_FOR).delete()
    return {"verdicts_committed": done}


def settle(candidates: QuerySet[Candidate], now: datetime) -> int:
    """The same for these candidates alone, called by whoever is about to show them; returns how many took effect."""
    due = DelayedVerdict.objects.filter(state=State.WAITING, commits_at__lte=now, candidate__in=candidates)
    return sum(commit(row, now) for row in due.select_related("candidate").order_by("commits_at")[:DUE_BATCH])


def commit(row: DelayedVerdict, now: datetime) -> bool:
    """Let one verdict take effect, unless it was taken back or has taken effect; tells whether it did.

    What does not allow it any more (other content, a role that was taken) stands in the row as a code. Any other
    failure leaves it due.
    """
    try:
        with tenancy.atomic():
            if (claimed := _claim(row, now)) is None:
                return False
            approves = claimed.verdict == Verdict.APPROVE
            given = {"valid_until": claimed.valid_until} if approves else {"reason": claimed.reason}
            asker = principal_of(claimed)
            VERBS[claimed.verdict](asker, str(claimed.candidate_id), claimed.content_hash, due=claimed, **given)
            _end(claimed, State.DONE, now)
            return True
    except Unavailable:
        DelayedVerdict.objects.filter(pk=row.pk).update(attempts=F("attempts") + 1)
    except MemoryHubError as error:
        _refuse(row, error.code, now)
    except Exception:  # noqa: BLE001 - the others' verdicts do not wait for this one
        log.exception("verdict_failed", verdict_id=row.pk)
        DelayedVerdict.objects.filter(pk=row.pk).update(attempts=F("attempts") + 1)
    return False


def mine(principal: Principal) -> QuerySet[DelayedVerdict]:
    """The caller's own verdicts that can still be taken back, newest first."""
    rows = DelayedVerdict.objects.filter(subject_id=principal.subject_id, state=State.WAITING)
    return rows.select_related("candidate").filter(commits_at__gt=timezone.now()).order_by("-commits_at")


def _claim(row: DelayedVerdict, now: datetime) -> DelayedVerdict | None:
    """The row, locked after its namespace as everywhere, when it is still due."""
    access.lock([row.candidate.namespace])
    waiting = DelayedVerdict.objects.select_for_update(of=("self",)).filter(state=State.WAITING, commits_at__lte=now)
    return waiting.filter(pk=row.pk).first()


def _refuse(row: DelayedVerdict, code: str, now: datetime) -> None:
    with tenancy.atomic():
        if (claimed := _claim(row, now)) is not None:
            claimed.error = code[:64]
            _end(claimed, State.REFUSED, now)
            audit.record(
                system(claimed.tenant_id),
                "candidate.commit",
                outcome="refused",
                reason=claimed.error,
                target="candidate",
                target_id=claimed.candidate_id,
                details={"verdict": claimed.verdict, "verdict_id": str(claimed.pk)},
            )


def _end(row: DelayedVerdict, state: str, now: datetime) -> None:
    row.state, row.finished_at = state, now
    row.save(update_fields=["state", "finished_at", "error"])


def _note(principal: Principal, row: DelayedVerdict, action: str, verdict: str) -> None:
    details = {"verdict": verdict, "verdict_id": str(row.pk)}
    audit.record(principal, action, target="candidate", target_id=row.candidate_id, details=details)


def _soon(verdict_id: uuid.UUID, delay: timedelta) -> None:
    """Have it take effect on the moment, once this is committed. Without a broker the sweep does it alone."""
    if not settings.CELERY_BROKER_URL:
        return
    tenant_id = tenancy.current_id()
    # The task is a door and stands above the verb that calls here, hence by name.
    transaction.on_commit(lambda: import_string(COMMIT_TASK).send(tenant_id, verdict_id, delay), robust=True)
