"""How well the reviews work: queue, waits, reasons, agreement, what became of approvals, and each agent's acceptance.

Everything is counted among the candidates of the places that the caller reviews; no text of any is read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations
from typing import Any

from django.db.models import Count, F, Q

from accounts.models import Membership
from accounts.principals import Principal
from memories.models import Candidate, Memory
from reviews import queue
from reviews.models import Review

WEEKS = 8
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)
Status = Candidate.Status
DECIDED = (Status.APPROVED, Status.REJECTED, Status.CHANGES_REQUESTED)
VERDICTS = ("approve", "reject", "request_changes")


@dataclass(frozen=True, slots=True)
class Quality:
    """Rows of plain values, ready for a chart, a table or a file; hours are decimal.

    `queue`: (day, waiting at its end). `waits`: (first day of the week, decided, median hours, 90th percentile hours).
    `reasons`: (verdict, reason, count), the most frequent first. `agreement`: (reviewer, reviewer, judged by both,
    agreed). `afterwards`: what became of approved entries by status, with counts. `agents`: (agent, proposed, approved,
    rejected, changes wanted).
    """

    since: date
    queue: Sequence[tuple[date, int]]
    waits: Sequence[tuple[date, int, float, float]]
    reasons: Sequence[tuple[str, str, int]]
    agreement: Sequence[tuple[str, str, int, int]]
    afterwards: Sequence[tuple[str, int]]
    agents: Sequence[tuple[str, int, int, int, int]]


COLUMNS: Mapping[str, tuple[str, ...]] = {
    "queue": ("day", "waiting"),
    "waits": ("week", "decided", "median_hours", "p90_hours"),
    "reasons": ("verdict", "reason", "count"),
    "agreement": ("reviewer", "other_reviewer", "both", "agreed"),
    "afterwards": ("status", "count"),
    "agents": ("agent", "proposed", "approved", "rejected", "changes_requested"),
}


def measure(principal: Principal, now: datetime) -> Quality:
    """The last eight weeks. Raises Forbidden for who is no reviewer."""
    start = now - WEEKS * WEEK
    rows = queue.reviewed(principal).select_related(None).order_by()
    spans = list(
        rows.filter(Q(decided_at=None) | Q(decided_at__gt=start)).values_list(
            "created_at", "decided_at", "lapses_at", "status"
        )
    )
    return Quality(
        since=start.date(),
        queue=[(day.date(), _open_at(spans, day)) for day in (start + n * DAY for n in range(1, WEEKS * 7 + 1))],
        waits=_waits(spans, start),
        reasons=_reasons(rows, start),
        agreement=_agreement(rows, start),
        afterwards=_afterwards(rows, start),
        agents=_agents(rows, start),
    )


def _open_at(spans: Sequence[tuple[Any, ...]], moment: datetime) -> int:
    return sum(created <= moment < min(lapses, decided or lapses) for created, decided, lapses, _status in spans)


def _waits(spans: Sequence[tuple[Any, ...]], start: datetime) -> list[tuple[date, int, float, float]]:
    weeks: dict[int, list[float]] = defaultdict(list)
    for created, decided, _lapses, status in spans:
        if status in DECIDED and decided is not None:
            weeks[(decided - start) // WEEK].append((decided - created).total_seconds() / 3600)
    found = []
    for week in range(WEEKS):
        hours = sorted(weeks[week])
        found.append(((start + week * WEEK).date(), len(hours), _share(hours, 0.5), _share(hours, 0.9)))
    return found


def _share(hours: Sequence[float], share: float) -> float:
    """The least of them that at least this share does not exceed; 0 where there is none."""
    return round(hours[min(len(hours) - 1, int(share * len(hours)))], 2) if hours else 0.0


def _reasons(rows: Any, start: datetime) -> list[tuple[str, str, int]]:
    told = Review.objects.filter(candidate__in=rows, created_at__gt=start, verdict__in=VERDICTS)
    counted: Counter[tuple[str, str]] = Counter()
    for verdict, reason, count in told.order_by().values_list("verdict", "reason").annotate(n=Count("pk")):
        counted[(verdict, "" if verdict == "approve" else reason)] += count
    return [(verdict, reason, count) for (verdict, reason), count in counted.most_common()]


def _agreement(rows: Any, start: datetime) -> list[tuple[str, str, int, int]]:
    """Of contents that two or more people judged, by pairs of them."""
    verdicts: dict[Any, dict[Any, str]] = defaultdict(dict)
    told = Review.objects.filter(candidate__in=rows, created_at__gt=start, verdict__in=VERDICTS).order_by("pk")
    for candidate, content, reviewer, verdict in told.values_list(
        "candidate", "content_hash", "reviewer_id", "verdict"
    ):
        verdicts[(candidate, content)][reviewer] = verdict
    both: Counter[Any] = Counter()
    agreed: Counter[Any] = Counter()
    for given in verdicts.values():
        for pair in combinations(sorted(given, key=str), 2):
            both[pair] += 1
            agreed[pair] += given[pair[0]] == given[pair[1]]
    people = Membership.objects.filter(pk__in={one for pair in both for one in pair})
    names = dict(people.values_list("pk", "external_id"))
    return [(names.get(a, "—"), names.get(b, "—"), count, agreed[(a, b)]) for (a, b), count in both.most_common()]


def _afterwards(rows: Any, start: datetime) -> list[tuple[str, int]]:
    approved = rows.filter(status=Status.APPROVED, decided_at__gt=start, memory__isnull=False)
    counted = dict(approved.values_list("memory__status").annotate(n=Count("pk")))
    return [(status, counted.get(status, 0)) for status in Memory.Status.values]


def _agents(rows: Any, start: datetime) -> list[tuple[str, int, int, int, int]]:
    counted = (
        rows.filter(created_at__gt=start, agent__isnull=False)
        .values(name=F("agent__slug"))
        .annotate(
            proposed=Count("pk"),
            approved=Count("pk", filter=Q(status=Status.APPROVED)),
            rejected=Count("pk", filter=Q(status=Status.REJECTED)),
            changes=Count("pk", filter=Q(status=Status.CHANGES_REQUESTED)),
        )
        .order_by("-proposed", "name")
    )
    return [(one["name"], one["proposed"], one["approved"], one["rejected"], one["changes"]) for one in counted]
