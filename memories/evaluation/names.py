"""Namespaces as cases write them: lists of labels, the tenant first, then whose it is. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memories.policy import Policy

TYPES = ("user", "agent", "project", "team")
WILDCARDS = frozenset("*?%")


@dataclass(frozen=True, slots=True)
class Name:
    """One namespace of a case. Labels are taken byte for byte, so odd tenants are tenants of their own."""

    tenant: str
    type: str
    owner: str
    path: tuple[str, ...] = ()

    @property
    def parts(self) -> list[str]:
        return [self.tenant, self.owner, *self.path]


def name_of(parts: Sequence[str]) -> Name | None:
    """The namespace of a list of labels, or None when it names none: too short, a blank label, a pattern."""
    if any(not part.strip() or WILDCARDS & set(part) for part in parts):
        return None
    return literal_name(parts)


def literal_name(parts: Sequence[str]) -> Name | None:
    """The same for what exists under those very labels, however odd they are."""
    if len(parts) < 2:
        return None
    tenant, owner, *path = parts
    return Name(tenant, type_of(owner), owner, tuple(path))


def type_of(owner: str) -> str:
    """The type by the prefix of a label; whatever else an owner is called, it is a subject like a person."""
    prefix, mark, rest = owner.partition("_")
    return prefix if prefix in TYPES and mark and rest else "user"


def natural_type(policy: Policy, kind: str) -> str:
    """Where a kind lives when a case does not say: the narrowest namespace that the policy opens to it."""
    rule = policy.kind(kind)
    return next((one for one in TYPES if rule is None or one in rule.namespaces), "user")


def known_kinds(policy: Policy, names: Iterable[str]) -> tuple[str, ...]:
    """The kinds among these names; under any other name nothing can be remembered, so nothing need be asked."""
    return tuple(dict.fromkeys(rule.name for name in names if (rule := policy.kind(name)) is not None))
