"""What a reviewer asks themselves before a yes, kind by kind; each entry is one question with a code of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

Questions = Mapping[str, Any]

EVERY: Questions = {
    "reusable": _("Would a next, independent task go wrong or ask again without it?"),
    "evidence": _("Does the evidence show it, and not only suggest it?"),
}
KINDS: Mapping[str, Questions] = {
    "procedure": {
        "steps": _("Can each step be done as it is written, by somebody new?"),
        "stops": _("Does it say when to stop or to ask a person?"),
        "rights": _("Does it grant no permission and skip no approval?"),
    },
    "convention": {
        "agreed": _("Does the project really work this way?"),
        "rights": _("Does it grant no permission and skip no approval?"),
    },
    "lesson": {"cause": _("Is it the cause, and not one unlucky run?")},
    "episode": {"outcome": _("Is the outcome told as it happened?")},
}


def questions(kind: str) -> Questions:
    return {**EVERY, **KINDS.get(kind, {})}
