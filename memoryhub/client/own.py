"""What people decide about remembering as such. A token of their own may call these; an agent's key may not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from urllib.parse import quote

import httpx

from memoryhub.client import reading
from memoryhub.client.calls import Call, ask, change, endpoint, get, write
from memoryhub.client.results import Check

RuleType = Literal["topic", "kind", "key", "phrase", "agent"]


@dataclass(frozen=True, slots=True)
class OwnRule:
    """One thing that is never remembered. `text` is None where it looks like a secret: only a digest is kept."""

    id: str
    type: str
    created_at: datetime
    text: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Trial:
    """What the write gate would decide about a sentence now. Nothing of it is kept."""

    decision: str
    reason: str
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class OwnExpiry:
    """By kind, after how many days a new memory ends where no end is named."""

    days: Mapping[str, int]


class OwnEndpoints:
    """A person's own rules and ends, as methods that both clients share."""

    @endpoint
    def own_rules(self) -> Call[tuple[OwnRule, ...]]:
        """What the person never wants remembered."""
        return get("/own-rules", lambda response: reading.page(OwnRule)(response).items)

    @endpoint
    def add_own_rule(self, type: RuleType, text: str, *, idempotency_key: str | None = None) -> Call[OwnRule]:
        """Never remember this topic or kind of the policy, key (a star at an end stands for any), phrase, or anything
        from this agent. The same rule stands once."""
        return write("/own-rules", reading.answer(OwnRule), {"type": type, "text": text}, idempotency_key)

    @endpoint
    def remove_own_rule(self, rule_id: str) -> Call[None]:
        """Let it be remembered again from now on. What the rule kept out does not come back."""
        return change("DELETE", f"/own-rules/{quote(rule_id, safe='')}", _nothing)

    @endpoint
    def try_own_rules(
        self,
        statement: str,
        *,
        kind: str = "preference",
        key: str = "",
        evidence: Literal["explicit_user", "model_inference"] = "explicit_user",
    ) -> Call[Trial]:
        """What would become of this sentence under the policy and the person's rules."""
        named = {"key": key} if key else {}
        body = {"statement": statement, "kind": kind, "evidence": evidence, **named}
        return ask("/own-rules/try", reading.answer(Trial), body)

    @endpoint
    def own_expiry(self) -> Call[OwnExpiry]:
        """When what is new ends, by kind."""
        return get("/own-expiry", reading.answer(OwnExpiry))

    @endpoint
    def set_own_expiry(self, days: Mapping[str, int]) -> Call[OwnExpiry]:
        """Have what is new end after so many days, by kind. Replaces what held before."""
        return Call("PUT", "/own-expiry", reading.answer(OwnExpiry), body={"days": dict(days)})


def _nothing(response: httpx.Response) -> None:
    return None
