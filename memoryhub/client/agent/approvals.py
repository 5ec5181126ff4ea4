"""What a person agrees to: one write of the model, shown exactly as it will be sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Approval:
    """A yes to one write. `ref`, when given, names the message in which the person said it."""

    digest: str
    ref: str | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """A write that the model asks for. Show `name` and `arguments`; nothing else is sent."""

    call_id: str
    name: str
    arguments: Mapping[str, Any] = field(repr=False)
    digest: str

    def approved(self, ref: str | None = None) -> Approval:
        """The person's yes to exactly this. It counts once, for this call and this content.

        With a `ref` the runtime attests that message as the person's own and relays the yes to what waits for it,
        where its key has the scopes `evidence:attest` and `candidate:relay_confirmation`.
        """
        return Approval(self.digest, ref)


Approve = Callable[[Write], Approval | None]
"""Asks the person. None is no; so is an error, and so is the approval of anything else."""
