"""What the package answers with: category and rule, never anything of the text."""

from dataclasses import dataclass
from typing import Literal

from accounts.errors import Unavailable

Verdict = Literal["clean", "suspicious", "prohibited"]


class EngineUnavailable(Unavailable):
    """A detector could not be loaded: the caller gets 503 and nothing is stored. `engine` names it for operators."""

    code = "detectors_unavailable"

    def __init__(self, engine: str) -> None:
        super().__init__()
        self.engine = engine


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
