"""What became of a write, for interfaces that have no word of their own for it.

Where an answer holds nothing, what is not remembered is told by an error; where it is a text for a model, by a sentence
that quotes nothing of what was proposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, TypeGuard

from memoryhub.client.errors import HubError, NotAllowed, NotFound, Unavailable
from memoryhub.client.results import BatchProblem, Decision

Outcome = Decision | BatchProblem
Write = tuple[Any, Outcome]


class NotStored(HubError):
    """Writes that are not remembered: refused, routed to the system that owns the answer, malformed, or held.

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
        """The error for these writes of a batch with `among` writes and deletes."""
        kind = Held if all(is_held(one) for _, one in writes) else cls
        return kind(writes, "not_done" if among == len(writes) else "partly_done")  # type: ignore[return-value]


class Held(NotStored):
    """Every one of `writes` waits for a person, who may still agree; sending it again asks nobody twice."""

    advice = "Show the candidate of each of `writes` to its person; until they agree it is not remembered."


def reason_of(outcome: Outcome) -> str:
    return outcome.reason if isinstance(outcome, Decision) else outcome.code


def is_stored(outcome: Outcome) -> bool:
    return isinstance(outcome, Decision) and outcome.stored


def is_held(outcome: Outcome) -> TypeGuard[Decision]:
    return isinstance(outcome, Decision) and outcome.waiting


def told(outcome: Outcome) -> str:
    """A sentence for the model about a write that is not remembered."""
    if isinstance(outcome, BatchProblem):
        wrong = "; ".join(f"{one.get('pointer')}: {one.get('detail')}" for one in outcome.errors)
        return f"Not saved ({outcome.code}): {wrong or outcome.detail or 'it is not valid'}."
    if outcome.waiting:
        return (
            f"Not saved yet: it waits for a person's decision (candidate {outcome.candidate_id}) and cannot be read "
            "before they agree. Do not send it again, and do not say that it is saved."
        )
    if outcome.source_of_truth is not None:
        source = outcome.source_of_truth
        return f"Not saved: memory does not keep {source.topic}. {source.how_to_query}"
    return f"Not saved: refused by policy ({outcome.reason}). Do not send it again, and do not say that it is saved."


def told_of(error: HubError) -> str:
    """A sentence for the model about a call that failed; only an unknown outcome may have been carried out."""
    if isinstance(error, NotStored):
        return told(error.writes[0][1])
    if error.outcome == "unknown":
        return "Nobody can tell whether this was carried out: memory did not answer. Look before you do it again."
    if isinstance(error, Unavailable):
        return "Memory cannot be reached now. This is not the same as remembering nothing; nothing was changed."
    if isinstance(error, NotAllowed | NotFound):
        return f"Not possible here ({error.code}); nothing was changed."
    wrong = "; ".join(f"{one.pointer}: {one.detail}" for one in error.fields)
    return f"Not done ({error.code}): {wrong or error.advice}"
