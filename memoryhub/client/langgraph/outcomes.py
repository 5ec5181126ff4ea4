"""A put answers with nothing, so that what is not remembered can only be told by an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from langgraph.store.base import PutOp

from memoryhub.client.errors import HubError
from memoryhub.client.results import BatchProblem, Decision

Outcome = Decision | BatchProblem
Write = tuple[PutOp, Outcome]


class NotStored(HubError):
    """Puts that are not remembered: refused, routed to the system that owns the answer, malformed, or held.

    `writes` pairs each with its decision or problem. Every other operation of the batch was carried out; `outcome` is
    then "partly_done". `code` is the reason for the first of them.
    """

    advice = "Say to nobody that it is saved; `writes` holds the decision on each."

    def __init__(self, writes: Sequence[Write], outcome: str) -> None:
        reasons = [reason_of(one) for _, one in writes]
        super().__init__(reasons[0], f"Not stored: {', '.join(dict.fromkeys(reasons))}.", outcome=outcome)
        self.writes = tuple(writes)

    @classmethod
    def of(cls, writes: Sequence[Write], among: int) -> Self:
        """The error for these writes of a batch with `among` puts and deletes."""
        kind = Held if all(_waits(one) for _, one in writes) else cls
        return kind(writes, "not_done" if among == len(writes) else "partly_done")  # type: ignore[return-value]


class Held(NotStored):
    """Every one of `writes` waits for a person, who may still agree; putting it again asks nobody twice."""

    advice = "Show the candidate of each of `writes` to its person; until they agree it is not remembered."


def reason_of(outcome: Outcome) -> str:
    return outcome.reason if isinstance(outcome, Decision) else outcome.code


def _waits(outcome: Outcome) -> bool:
    return isinstance(outcome, Decision) and outcome.waiting
