"""When a call is sent again: only when that cannot do anything twice, and not for ever."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Generic, TypeVar

import httpx

from memoryhub.client.calls import Call, Effect
from memoryhub.client.errors import NEVER_SENT, HubError, NoMemoryHub, problem_of, unanswered

T = TypeVar("T")
GATEWAYS = (502, 503, 504)


@dataclass(frozen=True, slots=True)
class Retries:
    """At most `limit` repetitions. Before each it waits as long as the server asks; unasked about `first` seconds,
    each time twice as long, with jitter. A wait longer than `longest` is not waited: the error comes at once."""

    limit: int = 3
    first: float = 0.2
    longest: float = 10.0


class Attempts(Generic[T]):
    """The attempts at one call, without sending or waiting: that is done by whoever asks."""

    def __init__(self, call: Call[T], retries: Retries) -> None:
        self.call = call
        self.retries = retries
        self.made = 0
        self.outcome = "not_done"

    def wait(self, got: httpx.Response | httpx.HTTPError) -> float | None:
        """The seconds after which to send it again; None when this is the answer. Raises HubError when it is over."""
        if isinstance(got, httpx.Response) and got.is_success:
            return None
        error = self._error(got)
        if error.outcome == "unknown":
            self.outcome = "unknown"
        pause = self.retries.first * 2**self.made if error.retry_after is None else error.retry_after
        self.made += 1
        if self.made > self.retries.limit or pause > self.retries.longest or not self._again(got, error):
            error.outcome = self.outcome
            raise error
        # Callers that were turned away together shall not come back together; none comes earlier than it was asked to.
        return pause + random.uniform(0, max(pause, self.retries.first) / 2)  # noqa: S311

    def _error(self, got: httpx.Response | httpx.HTTPError) -> HubError:
        write, key = self.call.effect is not Effect.NONE, self.call.idempotency_key
        if isinstance(got, httpx.HTTPError):
            return unanswered(got, write=write, idempotency_key=key)
        return problem_of(got, write=write, idempotency_key=key)

    def _again(self, got: httpx.Response | httpx.HTTPError, error: HubError) -> bool:
        if isinstance(got, NEVER_SENT):
            return not isinstance(got, httpx.UnsupportedProtocol)
        if isinstance(got, httpx.Response) and got.status_code == 429:
            return True
        if self.call.effect is Effect.EACH_TIME:
            return False
        if isinstance(got, httpx.Response):
            return got.status_code in GATEWAYS or error.code == "still_running"
        return isinstance(got, httpx.TransportError)

    def read(self, response: httpx.Response) -> T:
        """The result of the answer. One that cannot be read leaves open what a write has done."""
        try:
            return self.call.read(response)
        except NoMemoryHub as error:
            if self.call.effect is not Effect.NONE:
                error.outcome, error.idempotency_key = "unknown", self.call.idempotency_key
            raise
