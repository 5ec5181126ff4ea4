"""The filters of a search and the conditions of a listing, as the stores of LangGraph understand them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langgraph.store.base import MatchCondition

NAME = re.compile(r"[\w.-]+")
ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le,
}  # fmt: skip
MISSING = object()


def check_filter(wanted: Mapping[str, Any] | None) -> None:
    """Raises ValueError for the name of a field that is none, and for an unknown operator."""
    for name, one in (wanted or {}).items():
        if not NAME.fullmatch(name):
            raise ValueError("Invalid filter key: it holds letters, digits, '_', '-' and '.' alone.")
        _check_operators(one)


def _check_operators(wanted: Any) -> None:
    if not isinstance(wanted, Mapping):
        return
    for name, one in wanted.items():
        if _has_operators(wanted) and name not in ("$eq", "$ne", *ORDERS):
            raise ValueError(f"A filter knows $eq, $ne, {', '.join(ORDERS)} and no other operator.")
        _check_operators(one)


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether all fields fit. A dotted name leads into nested dicts; values of two types never fit, nor order."""
    return all(_fits(_at(value, name), one) for name, one in (wanted or {}).items())


def _at(value: Mapping[str, Any], name: str) -> Any:
    if name in value:
        return value[name]
    found: Any = value
    for part in name.split("."):
        found = found.get(part, MISSING) if isinstance(found, Mapping) else MISSING
    return found


def _has_operators(wanted: Mapping[str, Any]) -> bool:
    return any(name.startswith("$") for name in wanted)


def _fits(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if _has_operators(wanted):
            return all(_holds(found, name, one) for name, one in wanted.items())
        return isinstance(found, Mapping) and all(_fits(found.get(name, MISSING), one) for name, one in wanted.items())
    return _equal(found, wanted)


def _holds(found: Any, name: str, wanted: Any) -> bool:
    if name == "$eq":
        return _equal(found, wanted)
    if name == "$ne":
        return not _equal(found, wanted)
    both = (_is_number(found) and _is_number(wanted)) or (isinstance(found, str) and isinstance(wanted, str))
    return both and ORDERS[name](found, wanted)


def _equal(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, list | tuple):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(_equal, found, wanted))
    return bool(found == wanted) and isinstance(found, bool) == isinstance(wanted, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_under(namespace: Sequence[str], condition: MatchCondition) -> bool:
    """Whether the first or last labels are those of the condition, in which "*" is any one label."""
    path = condition.path
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
