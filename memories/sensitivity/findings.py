"""What the package answers with: category and rule, never anything of the text."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["clean", "suspicious", "prohibited"]


class EngineUnavailable(Exception):
    """A detector could not be loaded; callers must refuse to store anything."""


@dataclass(frozen=True, order=True)
class Finding:
    """One reason a text may not be remembered: a category and a stable rule id."""

    category: str
    rule: str


@dataclass(frozen=True)
class Screening:
    """How a text fares as an instruction: the verdict and the rule that decided it ("" when clean)."""

    verdict: Verdict
    rule: str


CLEAN = Screening("clean", "")
