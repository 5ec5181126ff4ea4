"""Later work of reviews."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from accounts.principals import Principal
from reviews import decisions


def lapse_candidates(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Let go of what waited too long for a person."""
    return {"candidates_lapsed": decisions.lapse(principal, now)}
