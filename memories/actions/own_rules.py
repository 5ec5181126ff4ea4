"""What people decide about remembering as such: their own rules, when they are asked, and whether anything is kept."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from django.utils import timezone

from accounts import audit, tenancy
from accounts.errors import FieldError, Forbidden, InvalidInput
from accounts.models import Membership
from accounts.principals import Principal
from memories import access, tenant_policy, topics
from memories.access import NamespaceRef
from memories.inputs import MAX_NAME
from memories.models import OwnRule
from memories.sensitivity import scan
from memories.wishes import LEVELS, MAX_PHRASE_WORDS, PRIVATE_LIFE, longest, words

MAX_RULES = 200


def add_rule(principal: Principal, type_: str, text: str) -> OwnRule:
    """From now on nothing is remembered that this speaks of. The same rule stands once.

    Raises InvalidInput where the text is no rule of its type. A phrase that looks like a secret or an identifier is
    known by its keyed digest alone; a name may not look like one.
    """
    _require_person(principal)
    rule = _draft(principal, OwnRule.Type(type_), text.strip())
    rule.namespace = access.area(principal, NamespaceRef("user")).namespace
    with tenancy.atomic():
        access.lock([rule.namespace])
        standing = access.own_rules(principal)
        if (same := standing.filter(type=rule.type, digest=rule.digest).first()) is not None:
            return same
        if standing.count() >= MAX_RULES:
            raise InvalidInput.field("text", "There are too many rules; remove some first.", "too_many_rules")
        rule.save(force_insert=True)
        audit.record(principal, "rule.add", target="own_rule", target_id=rule.pk, details={"type": rule.type})
    return rule


def remove_rule(principal: Principal, rule_id: uuid.UUID) -> None:
    """Let a rule no longer stand. What it kept out does not come back by itself."""
    _require_person(principal)
    rule = access.own_rule(principal, rule_id)
    with tenancy.atomic():
        OwnRule.objects.filter(pk=rule.pk).delete()
        audit.record(principal, "rule.remove", target="own_rule", target_id=rule.pk, details={"type": rule.type})


def ask_me(principal: Principal, level: str) -> None:
    """Have oneself asked more often than the policy wants; blank for as often. The policy's own level always holds."""
    _require_person(principal)
    if level and level not in LEVELS:
        raise InvalidInput.field("confirm", "This is none of the levels.", "invalid_choice")
    with tenancy.atomic():
        Membership.objects.filter(pk=principal.subject_id).update(confirm=level)
        details = {"level": level or "as_policy"}
        audit.record(principal, "person.confirm", target="membership", target_id=principal.subject_id, details=details)


def expire_after(principal: Principal, days: Mapping[str, int]) -> None:
    """Let what is remembered about oneself from now on end after so many days, by kind, where no end is named.

    Replaces what held before; what is remembered already keeps its end. Raises InvalidInput for a kind that the policy
    does not have for people, and for more days than it allows.
    """
    _require_person(principal)
    rules = {one.name: one for one in tenant_policy.active().kinds_in("user")}
    if days.keys() - rules.keys():
        raise InvalidInput.field("days", "The policy has no such kind for people.", "unknown_kind")
    too_far = [
        FieldError(f"days.{name}", "expiry_too_far", f"Between 1 and {longest(rules[name])} days.")
        for name, n in days.items()
        if not 1 <= n <= longest(rules[name])
    ]
    if too_far:
        raise InvalidInput(errors=too_far)
    with tenancy.atomic():
        Membership.objects.filter(pk=principal.subject_id).update(expiry_days=dict(days))
        details = {"kinds": sorted(days)}
        audit.record(principal, "person.expiry", target="membership", target_id=principal.subject_id, details=details)


def switch_memory(principal: Principal, *, on: bool) -> None:
    """Turn remembering off for oneself, or on again: meanwhile nothing new is kept and agents get nothing back."""
    _require_person(principal)
    with tenancy.atomic():
        mine = Membership.objects.filter(pk=principal.subject_id, memory_off_at__isnull=not on)
        if mine.update(memory_off_at=None if on else timezone.now()):
            action = "person.memory_on" if on else "person.memory_off"
            audit.record(principal, action, target="membership", target_id=principal.subject_id)


def _draft(principal: Principal, type_: OwnRule.Type, text: str) -> OwnRule:
    rule = OwnRule(type=type_, text=text)
    match type_:
        case OwnRule.Type.TOPIC:
            policy = tenant_policy.active()
            if text != PRIVATE_LIFE and text not in {topic.name for topic in policy.topics}:
                raise InvalidInput.field("text", "The policy knows no such topic.", "unknown_topic")
        case OwnRule.Type.KIND:
            kind = tenant_policy.active().kind(text)
            if kind is None:
                raise InvalidInput.field("text", "The policy knows no such kind.", "unknown_kind")
            rule.text = kind.name
        case OwnRule.Type.KEY:
            rule.text = _pattern(text)
        case OwnRule.Type.AGENT:
            agent = next((one for one in access.agents(principal) if one.slug == text), None)
            if agent is None:
                raise InvalidInput.field("text", "No such agent works for you.", "unknown_agent")
            rule.digest = OwnRule.digest_of(str(agent.pk))
            return rule
        case OwnRule.Type.PHRASE:
            found = words(text)
            if not found or len(found) > MAX_PHRASE_WORDS or len("".join(found)) < 2:
                raise InvalidInput.field("text", "A rule names one to eight words.", "not_a_phrase")
            rule.words, rule.digest = len(found), OwnRule.digest_of(" ".join(found))
            rule.text = None if scan(text) else text
            return rule
    rule.digest = OwnRule.digest_of(rule.text or "")
    return rule


def _pattern(text: str) -> str:
    """A name in one spelling, with a star where anything may stand."""
    body = text.strip("*")
    name = topics.normalise_key(body)
    if not name or len(name) > MAX_NAME - 4:
        raise InvalidInput.field("text", "A name has at least one letter or digit.", "not_a_name")
    if scan(name) or scan(body):
        raise InvalidInput.field("text", "It looks like a secret or an identifier.", "sensitive_or_prohibited")
    if text.startswith("*"):
        name = f"*{_edge(body[0])}{name}"
    return f"{name}{_edge(body[-1])}*" if text.endswith("*") else name


def _edge(character: str) -> str:
    """What stands between a name and its star: a separator counts, so that spouse_* is not spouses*."""
    return "" if character.isalnum() else "_"


def _require_person(principal: Principal) -> None:
    if not principal.is_person:
        raise Forbidden("Only a person may ask for that, not an agent.", code="person_required")
