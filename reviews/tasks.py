"""Later work of reviews."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from accounts.principals import Principal
from reviews import decisions, mailing, notices


def lapse_candidates(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Let go of what waited too long for a person."""
    return {"candidates_lapsed": decisions.lapse(principal, now)}


def gather_notices(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Tell people in the pages what came up since the last time."""
    return notices.gather(principal, now)


def mail_notices(principal: Principal, now: datetime) -> Mapping[str, int]:
    """Tell them by mail what they have not seen."""
    return {"notices_mailed": mailing.mail_due(principal, now)}
