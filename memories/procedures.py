"""Procedures in parts. The title is the memory's statement, when to use it are its conditions, its end is its expiry;
the steps and what belongs to them are the JSON value:

    {"steps": ["…", …], "stop_conditions": ["…", …], "applies_to": "…", "owner": "…"}

Only `steps` is required. A procedure that is a plain sentence has no such value. Plain Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.errors import InvalidInput

STEPS, STOPS, APPLIES, OWNER = "steps", "stop_conditions", "applies_to", "owner"
LISTS = {STEPS: 30, STOPS: 20}
"""The lists and how many entries each may have."""
TEXTS = {APPLIES: 500, OWNER: 128}
"""The single texts and how many characters each may have."""
MAX_STEP = 500


@dataclass(frozen=True, slots=True)
class Procedure:
    """The parts of a procedure that stand in its value. `owner` names who keeps it up to date, in words."""

    steps: tuple[str, ...]
    stop_conditions: tuple[str, ...] = ()
    applies_to: str = ""
    owner: str = ""

    def value(self) -> dict[str, Any]:
        """As it is stored: what is empty is left out."""
        parts = {
            STEPS: list(self.steps), STOPS: list(self.stop_conditions), APPLIES: self.applies_to, OWNER: self.owner
        }  # fmt: skip
        return {name: part for name, part in parts.items() if part}


def is_structured(value: object) -> bool:
    """Whether a value means to be a procedure in parts, rightly formed or not."""
    return isinstance(value, Mapping) and STEPS in value


def check(value: object) -> None:
    """Raise InvalidInput naming the first wrong part of a procedure in parts. Every other value passes."""
    if not (isinstance(value, Mapping) and STEPS in value):
        return
    for name in value:
        if name not in (*LISTS, *TEXTS):
            raise InvalidInput.field("value", "A procedure in steps has no such part.", "unknown_part")
    for name, most in LISTS.items():
        _check_list(f"value.{name}", value.get(name, []), most)
    if not value[STEPS]:
        raise InvalidInput.field(f"value.{STEPS}", "A procedure has at least one step.", "required")
    for name, longest in TEXTS.items():
        if name in value:
            _check_text(f"value.{name}", value[name], longest)


def read(value: object) -> Procedure | None:
    """A stored procedure's parts, or None when it is a plain sentence."""
    try:
        check(value)
    except InvalidInput:
        return None
    if not (isinstance(value, Mapping) and STEPS in value):
        return None
    return Procedure(tuple(value[STEPS]), tuple(value.get(STOPS, ())), value.get(APPLIES, ""), value.get(OWNER, ""))


def compact(value: Any) -> Any:
    """The value as a model's context carries it: what one acts by, without who keeps it. Other values stay."""
    procedure = read(value)
    return value if procedure is None else {name: part for name, part in procedure.value().items() if name != OWNER}


def _check_list(place: str, given: object, most: int) -> None:
    if not isinstance(given, list | tuple):
        raise InvalidInput.field(place, "A list of texts is expected.", "not_a_list")
    if len(given) > most:
        raise InvalidInput.field(place, "These are too many entries.", "too_many")
    for index, text in enumerate(given):
        _check_text(f"{place}.{index}", text, MAX_STEP)


def _check_text(place: str, given: object, longest: int) -> None:
    if not isinstance(given, str):
        raise InvalidInput.field(place, "A text is expected.", "not_a_text")
    if not given.strip():
        raise InvalidInput.field(place, "This text is empty.", "blank")
    if len(given) > longest:
        raise InvalidInput.field(place, "This text is too long.", "max_length")
