"""How well memory is governed, in counts: what was written and why not, what proved wrong, what recall gave.

Everything is counted from records of codes and ids, over whole weeks of UTC; no text is read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import TruncWeek

from accounts import audit_trail
from accounts.ids import first_uuid7
from accounts.models import AuditEvent
from accounts.principals import Principal
from memories.models import Candidate, Feedback, Operation, Recall
from memories.recall_gate import Status
from memories.write_gate import Outcome

WEEKS = 8
CONFLICTS = ("newer_equal_or_higher_authority", "lower_authority_conflict", "tombstone_key", "tombstone_source")
"""The reasons of decisions in which something that stands, or stood and was forgotten, spoke against a proposal."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Rows of plain values, ready for a chart, a table or a file.

    `decisions`: (first day of the week, stored, superseded, kept, waiting, routed, refused). `reasons`: (decision,
    reason, count), the most frequent first. `conflicts`: (reason, count). `wrong`: (week, written, corrected by the
    person, rejected by a person, share): what agents wrote or asked for, and how much of it people took back.
    `recalls`: (week, recalls, of them nothing relevant, of them after a forgetting). `feedback`: (verdict, count).
    """

    since: date
    decisions: Sequence[tuple[date, int, int, int, int, int, int]]
    reasons: Sequence[tuple[str, str, int]]
    conflicts: Sequence[tuple[str, int]]
    wrong: Sequence[tuple[date, int, int, int, float]]
    recalls: Sequence[tuple[date, int, int, int]]
    feedback: Sequence[tuple[str, int]]


COLUMNS: Mapping[str, tuple[str, ...]] = {
    "decisions": ("week", "stored", "superseded", "kept", "waiting", "routed", "refused"),
    "reasons": ("decision", "reason", "count"),
    "conflicts": ("reason", "count"),
    "wrong": ("week", "written", "corrected", "rejected", "share"),
    "recalls": ("week", "recalls", "nothing_relevant", "after_forgetting"),
    "feedback": ("verdict", "count"),
}
_PARTS = (
    (Outcome.store,),
    (Outcome.supersede,),
    (Outcome.keep,),
    (Outcome.needs_confirmation, Outcome.needs_review),
    (Outcome.route_to_source,),
    (Outcome.reject,),
)


def measure(principal: Principal, now: datetime) -> Figures:
    """The present week and the seven before it. Raises Forbidden for who is no auditor."""
    audit_trail.require_auditor(principal)
    monday = (now.astimezone(UTC) - timedelta(days=now.astimezone(UTC).weekday())).date()
    weeks = [monday - timedelta(weeks=back) for back in range(WEEKS - 1, -1, -1)]
    start = datetime.combine(weeks[0], datetime.min.time(), UTC)
    decided = _since(Operation.objects.all(), start)
    counts: Counter[tuple[str, str]] = Counter()
    by_week: defaultdict[date, Counter[str]] = defaultdict(Counter)
    for week, decision, reason, count in _by_week(decided, "created_at", "decision", "reason"):
        counts[decision, reason] += count
        by_week[week][decision] += count
    told = _since(Feedback.objects.all(), start).order_by().values_list("verdict").annotate(n=Count("pk"))
    return Figures(
        since=weeks[0],
        decisions=[(week, *(sum(by_week[week][one] for one in part) for part in _PARTS)) for week in weeks],  # type: ignore[misc]
        reasons=[(decision, reason, count) for (decision, reason), count in counts.most_common()],
        conflicts=[
            (reason, sum(count for (_decision, why), count in counts.items() if why == reason)) for reason in CONFLICTS
        ],
        wrong=_wrong(decided, start, weeks),
        recalls=_recalls(start, weeks),
        feedback=sorted(((verdict, count) for verdict, count in told), key=lambda row: -row[1]),
    )


def _wrong(
    decided: QuerySet[Operation], start: datetime, weeks: Sequence[date]
) -> list[tuple[date, int, int, int, float]]:
    """A person's own words over what stood are corrections, their answer to what waited may be a rejection."""
    own = Q(actor_id=F("subject_id"))
    asked = (Outcome.store, Outcome.supersede, Outcome.needs_confirmation, Outcome.needs_review)
    written = _weekly(decided.filter(decision__in=asked).exclude(own), "created_at")
    corrected = _weekly(decided.filter(own, verb="propose", decision=Outcome.supersede), "created_at")
    refused = Candidate.objects.filter(status=Candidate.Status.REJECTED, decided_at__gte=start)
    rejected = _weekly(refused, "decided_at")
    rows = []
    for week in weeks:
        wrong = corrected[week] + rejected[week]
        share = round(wrong / written[week], 3) if written[week] else 0.0
        rows.append((week, written[week], corrected[week], rejected[week], share))
    return rows


def _recalls(start: datetime, weeks: Sequence[date]) -> list[tuple[date, int, int, int]]:
    traces = _since(Recall.objects.all(), start)
    asked = _weekly(traces, "created_at")
    empty = _weekly(traces.filter(status=Status.NOTHING_RELEVANT), "created_at")
    late = _weekly(_since(AuditEvent.objects.filter(action="memory.recalled_after_forgetting"), start), "at")
    return [(week, asked[week], empty[week], late[week]) for week in weeks]


def _since(rows: Any, start: datetime) -> Any:
    """Rows written from then on, found by their ids."""
    return rows.filter(pk__gte=first_uuid7(start))


def _weekly(rows: QuerySet[Any], column: str) -> Counter[date]:
    return Counter(dict(_by_week(rows, column)))


def _by_week(rows: QuerySet[Any], column: str, *more: str) -> list[tuple[Any, ...]]:
    """Counts by week and by further columns."""
    grouped = rows.order_by().annotate(week=TruncWeek(column, tzinfo=UTC)).values_list("week", *more)
    return [(week.date(), *rest) for week, *rest in grouped.annotate(n=Count("pk"))]
