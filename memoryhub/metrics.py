"""Counts of requests and their times, kept in this process and shown as Prometheus text."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, defaultdict

from accounts import tally

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class RequestCounts:
    """Requests by method, route and status, seconds by method and route. Routes are templates, never paths."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: defaultdict[tuple[str, str], float] = defaultdict(float)

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        with self._lock:
            self._requests[method, route, status] += 1
            self._buckets[method, route][bisect_left(BUCKETS, seconds)] += 1
            self._seconds[method, route] += seconds

    def lines(self) -> list[str]:
        """Prometheus text format, version 0.0.4."""
        with self._lock:
            requests, seconds = dict(self._requests), dict(self._seconds)
            buckets = {call: list(counts) for call, counts in self._buckets.items()}
        out = ["# TYPE memoryhub_requests_total counter"]
        for (method, route, status), count in sorted(requests.items()):
            labels = f'method="{method}",route="{_escape(route)}",status="{status}"'
            out.append(f"memoryhub_requests_total{{{labels}}} {count}")
        out.append("# TYPE memoryhub_request_seconds histogram")
        for (method, route), counts in sorted(buckets.items()):
            labels = f'method="{method}",route="{_escape(route)}"'
            running = 0
            for bound, count in zip([*map(str, BUCKETS), "+Inf"], counts, strict=True):
                running += count
                out.append(f'memoryhub_request_seconds_bucket{{{labels},le="{bound}"}} {running}')
            out.append(f"memoryhub_request_seconds_sum{{{labels}}} {seconds[method, route]:.6f}")
            out.append(f"memoryhub_request_seconds_count{{{labels}}} {running}")
        return out


def event_lines() -> list[str]:
    """What was decided and done: writes, refusals, conflicts and corrections, by action, outcome and reason."""
    out = ["# TYPE memoryhub_events_total counter"]
    for (action, outcome, reason), count in sorted(tally.noted().items()):
        labels = f'action="{_escape(action)}",outcome="{_escape(outcome)}",reason="{_escape(reason)}"'
        out.append(f"memoryhub_events_total{{{labels}}} {count}")
    return out


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


requests = RequestCounts()
