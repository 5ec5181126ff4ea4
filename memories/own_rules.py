"""The rules that people made for themselves, as the write gate reads them, and what the gate would say now."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from accounts.models import Membership
from accounts.principals import Principal
from memories import access, tenant_policy, write_gate
from memories.models import OwnRule
from memories.policy import Policy
from memories.sensitivity import sensitive_trait
from memories.wishes import LEVELS, NONE, Phrase, Wishes
from memories.write_gate import Decision, EvidenceClass

TRIED_KEY = "tried_out"


def wishes_of(
    owner: Membership | None, about: Iterable[uuid.UUID | None] = (), agent_id: uuid.UUID | None = None
) -> Wishes:
    """The wishes of the owner of a namespace, and of whoever else a proposal is about. Only the owner says when to ask.

    The others are the people for whom an agent works while it proposes for a team, a project or itself. `agent_id`: the
    agent that proposes by itself.
    """
    others = {one for one in about if one is not None} - ({owner.pk} if owner else set())
    people = [*([owner] if owner else []), *(Membership.objects.filter(pk__in=others) if others else [])]
    if not people:
        return NONE
    rules = list(OwnRule.objects.filter(namespace__membership__in=[one.pk for one in people]))
    texts = {
        type_: {rule.text for rule in rules if rule.type == type_ and rule.text is not None} for type_ in OwnRule.Type
    }
    return Wishes(
        off=any(one.memory_off_at is not None for one in people),
        agent_off=agent_id is not None and any(is_about(rule, agent_id) for rule in rules),
        confirm=(owner.confirm if owner else "") or LEVELS[0],
        expiry_days=owner.expiry_days if owner else {},
        kinds=frozenset(texts[OwnRule.Type.KIND]),
        topics=frozenset(texts[OwnRule.Type.TOPIC]),
        keys=tuple(sorted(texts[OwnRule.Type.KEY])),
        phrases=frozenset(Phrase(rule.words, rule.digest) for rule in rules if rule.type == OwnRule.Type.PHRASE),
        digest=OwnRule.digest_of,
    )


def is_unwanted(text: str | None, policy: Policy, wishes: Wishes) -> bool:
    """Whether the person whom it is about does not want these words kept, be it as evidence or until they are read."""
    if not text:
        return False
    return wishes.off or wishes.agent_off or wishes.refuse("", None, [text], policy, sensitive_trait)


def is_about(rule: OwnRule, agent_id: uuid.UUID) -> bool:
    """Whether a rule shuts this agent out."""
    return rule.type == OwnRule.Type.AGENT and rule.digest == OwnRule.digest_of(str(agent_id))


def mine(principal: Principal) -> list[OwnRule]:
    """The caller's own rules, newest first."""
    return list(access.own_rules(principal).order_by("-pk"))


def try_out(
    principal: Principal, statement: str, kind: str, key: str, evidence_class: EvidenceClass, now: datetime
) -> Decision:
    """What the gate would say if an agent proposed this to the caller's own memory now. Nothing of it is kept, and no
    statement to the database carries it."""
    texts = {"statement": statement, "key": key, "kind": kind}
    policy, wishes = tenant_policy.active(), wishes_of(access.self_of(principal))
    rule = policy.kind(kind)
    days = None if rule is None else wishes.days_of(rule)
    return write_gate.decide(
        write_gate.Proposal(
            namespace_type="user",
            kind=kind,
            key=key or TRIED_KEY,
            statement=statement,
            valid_until=None if days is None else now + timedelta(days=days),
            end_by_wish=days is not None,
            free_texts={name: text for name, text in texts.items() if text},
        ),
        write_gate.Evidence(evidence_class, occurred_at=now),
        policy,
        write_gate.Slot(),
        now,
        wishes=wishes,
    )
