"""The write gate: may this be remembered? A pure function; the first rule that answers wins.

It runs before any SQL carries the text. A decision names rules and codes, never what was proposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any

from memories import reuse, topics, wishes
from memories.policy import KindRule, Policy, Topic
from memories.wishes import Wishes

NAMESPACE_TYPES = frozenset({"user", "agent", "project", "team"})
_LAST_DAY = timedelta(days=1)  # a bare date means the end of that day, so the last day counts in full


class EvidenceClass(StrEnum):
    """What the server derived from what actually happened."""

    explicit_user = "explicit_user"
    verified_reviewer = "verified_reviewer"
    business_record = "business_record"
    tool_output = "tool_output"
    model_inference = "model_inference"


class Outcome(StrEnum):
    """What becomes of a proposal, as on the wire."""

    store = "store"
    supersede = "supersede"
    keep = "keep"
    needs_confirmation = "needs_confirmation"
    needs_review = "needs_review"
    route_to_source = "route_to_source"
    reject = "reject"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A request to remember. `free_texts` holds every free text of it by field name, for the detectors.

    `end_by_wish`: it named no end, and `valid_until` is the one that its owner wants for the kind.
    """

    namespace_type: str | None
    kind: str
    key: str | None
    statement: str
    value: object = None
    conditions: str | None = None
    aliases: tuple[str, ...] = ()
    valid_until: datetime | None = None
    reusable: bool | None = None
    sensitivity: str | None = None
    entered_by_person: bool = False
    end_by_wish: bool = False
    free_texts: Mapping[str, str] = field(default_factory=dict)

    def content(self) -> tuple[str, ...]:
        """The texts that say what is to be remembered."""
        parts = [self.statement, self.conditions or "", *self.aliases, *_leaves(self.value)]
        return tuple(part for part in parts if part.strip())


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the proposal rests on. `cleared`: a reviewer read these exact words and found them harmless.

    `from_file`: the words come with a file, so nobody says them just now. `source_closed`: the source was itself
    forgotten, not only something that rested on it.
    """

    evidence_class: EvidenceClass
    occurred_at: datetime | None = None
    by_maintainer: bool = False
    source_forgotten_at: datetime | None = None
    source_closed: bool = False
    with_receipt: bool = False
    cleared: bool = False
    from_file: bool = False


@dataclass(frozen=True, slots=True)
class Current:
    """The version that holds the slot now."""

    memory_id: str
    version: int
    statement: str
    value: object
    conditions: str | None
    valid_until: datetime | None
    evidence_class: EvidenceClass
    status: str


@dataclass(frozen=True, slots=True)
class Slot:
    """The place a proposal would take: what is there, and when it was last told to be forgotten."""

    current: Current | None = None
    forgotten_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One rule that was asked; `code` is "ok", the reason, or `end_by_own_wish` where the owner's wish set the end."""

    rule: str
    passed: bool
    code: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer, every check made, and who or what is needed next."""

    outcome: Outcome
    reason: str
    checks: tuple[Check, ...]
    topic: Topic | None = None
    awaiting: str | None = None
    supersedes: str | None = None


@dataclass(frozen=True, slots=True)
class Detectors:
    """What looks at texts for secrets, injected instructions and guesses about a person's private traits."""

    scan_fields: Callable[[Mapping[str, str]], Mapping[str, tuple[Any, ...]]]
    screen: Callable[[str], Any]
    sensitive_trait: Callable[[str], bool]


def _installed(name: str) -> Callable[..., Any]:
    def call(argument: Any) -> Any:
        from memories import sensitivity  # loaded at first use: its engines take a moment to build

        return getattr(sensitivity, name)(argument)

    return call


DEFAULT = Detectors(_installed("scan_fields"), _installed("screen"), _installed("sensitive_trait"))


@dataclass(frozen=True, slots=True)
class _Answer:
    outcome: Outcome
    reason: str
    topic: Topic | None = None
    awaiting: str | None = None
    supersedes: str | None = None


@dataclass(frozen=True)
class _Case:
    """Everything a rule may look at."""

    proposal: Proposal
    evidence: Evidence
    policy: Policy
    slot: Slot
    now: datetime
    approving: bool
    detectors: Detectors
    wishes: Wishes

    @cached_property
    def verdict(self) -> str:
        """The worst that the screening says of any text: clean, suspicious or prohibited."""
        found = {self.detectors.screen(text).verdict for text in self.proposal.free_texts.values()}
        return next((verdict for verdict in ("prohibited", "suspicious") if verdict in found), "clean")

    @cached_property
    def wording(self) -> str:
        """Statement and conditions as the content rules read them."""
        return topics.prepare(f"{self.proposal.statement}\n{self.proposal.conditions or ''}")

    @cached_property
    def kind(self) -> KindRule | None:
        return self.policy.kind(self.proposal.kind)

    @property
    def standing(self) -> Current | None:
        """The current version if it still counts: active and not past its end."""
        current = self.slot.current
        if current is None or current.status != "active" or _is_past(current.valid_until, self.now):
            return None
        return current

    def is_evidence(self, *classes: EvidenceClass) -> bool:
        return self.evidence.evidence_class in classes


def decide(
    proposal: Proposal,
    evidence: Evidence,
    policy: Policy,
    slot: Slot,
    now: datetime,
    *,
    approving: bool = False,
    detectors: Detectors = DEFAULT,
    wishes: Wishes = wishes.NONE,
) -> Decision:
    """Judge a proposal. `approving`: a person approved this exact content, so nobody is asked a second time. `wishes`:
    those of the people it is about.

    What can only wait for a person is still refused when that person could never make it active.
    """
    case = _Case(proposal, evidence, policy, slot, now, approving, detectors, wishes)
    checks: list[Check] = []
    held: _Answer | None = None
    for rule in _RULES:
        if held and rule not in _RULES_FOR_HELD:
            continue
        answer = rule(case)
        name = rule.__name__.lstrip("_")
        checks.append(Check(name, _passed(answer), answer.reason if answer else _remark(case, rule)))
        if answer and answer.awaiting:
            held = answer
        elif answer:
            return _decision(answer, checks)
    return _decision(held or _slot(case), checks)


def _sensitivity(case: _Case) -> _Answer | None:
    labelled = (case.proposal.sensitivity or "").casefold() == "secret"
    # the detectors read a field's name as a label, and the key of a slot is no cryptographic key
    fields = {"slot" if name == "key" else name: text for name, text in case.proposal.free_texts.items()}
    if labelled or any(case.detectors.scan_fields(fields).values()):
        return _reject("sensitive_or_prohibited")
    return None


def _injected_instruction(case: _Case) -> _Answer | None:
    return _reject("prohibited_instruction") if case.verdict == "prohibited" else None


def _source_of_truth(case: _Case) -> _Answer | None:
    proposal, policy = case.proposal, case.policy
    guessed = case.is_evidence(EvidenceClass.model_inference) and topics.is_hedged(case.wording)
    topic = policy.topic_of(proposal.kind, proposal.key, () if guessed else proposal.content())
    if case.is_evidence(EvidenceClass.business_record):
        topic = topic or policy.fallback_topic
    elif topic and topic.grants_authority and case.verdict == "suspicious":
        return None  # a claim to power in odd words: a reviewer should see it
    return _Answer(Outcome.route_to_source, "business_source_of_truth", topic=topic) if topic else None


def _reusable(case: _Case) -> _Answer | None:
    proposal = case.proposal
    if proposal.reusable is False:
        return _reject("not_reusable_across_tasks")
    if refused := case.policy.refused_kind(proposal.kind):
        return _reject(refused)
    if proposal.reusable is None and reuse.is_run_state(case.wording):
        return _reject("not_reusable_across_tasks")
    tells_a_wish = case.kind is None or case.kind.style == "statement"
    bounded = proposal.valid_until is not None
    if proposal.reusable is None and tells_a_wish and reuse.is_one_off(case.wording, bounded=bounded):
        return _reject("not_reusable_across_tasks")
    return None


def _own_rules(case: _Case) -> _Answer | None:
    proposal, wishes = case.proposal, case.wishes
    if wishes.off:
        return _reject("memory_off")
    if wishes.agent_off:
        return _reject("agent_off")
    is_private = case.detectors.sensitive_trait
    if wishes.refuse(proposal.kind, proposal.key, proposal.content(), case.policy, is_private):
        return _reject("do_not_remember")
    return None


def _forgotten(case: _Case) -> _Answer | None:
    slot, evidence = case.slot, case.evidence
    if slot.forgotten_at and not _said_after(case, slot.forgotten_at):
        return _reject("tombstone_key")
    source_gone = evidence.source_forgotten_at if slot.current is None or evidence.source_closed else None
    if source_gone and not _said_after(case, source_gone):
        return _reject("tombstone_source")
    return None


def _duplicate(case: _Case) -> _Answer | None:
    proposal, standing = case.proposal, case.standing
    if standing is None:
        return None
    ends_alike = proposal.end_by_wish or standing.valid_until == proposal.valid_until
    there = (standing.statement, standing.value, standing.conditions or None)
    if not ends_alike or there != (proposal.statement, proposal.value, proposal.conditions or None):
        return None
    return _Answer(Outcome.keep, "already_known")


def _inference(case: _Case) -> _Answer | None:
    if not case.is_evidence(EvidenceClass.model_inference):
        return None
    if any(case.detectors.sensitive_trait(text) for text in case.proposal.content()):
        return _reject("sensitive_trait_inference")
    if case.policy.inference == "reject":
        return _reject("inference_requires_confirmation")
    return _Answer(Outcome.needs_confirmation, "inference_requires_confirmation", awaiting="owner")


def _namespace(case: _Case) -> _Answer | None:
    return None if case.proposal.namespace_type in NAMESPACE_TYPES else _reject("invalid_namespace")


def _kind(case: _Case) -> _Answer | None:
    if case.kind is None:
        return _reject("unknown_kind")
    if case.proposal.namespace_type not in case.kind.namespaces:
        return _reject("kind_not_allowed_in_namespace")
    return None


def _evidence(case: _Case) -> _Answer | None:
    kind, evidence = _known(case.kind), case.evidence
    admitted = {
        EvidenceClass.explicit_user: "explicit_user" in kind.evidence
        or (evidence.by_maintainer and "explicit_user_maintainer" in kind.evidence),
        EvidenceClass.verified_reviewer: "verified_reviewer" in kind.evidence,
        EvidenceClass.tool_output: evidence.with_receipt and "run_result_with_receipt" in kind.evidence,
    }
    if admitted.get(evidence.evidence_class, False):
        return None
    shared = case.proposal.namespace_type != "user"
    told = case.is_evidence(EvidenceClass.explicit_user, EvidenceClass.tool_output)
    if shared and told and kind.reviewable:
        return _Answer(Outcome.needs_review, "reviewer_required", awaiting="reviewer")
    return _reject("unsupported_evidence")


def _expired(case: _Case) -> _Answer | None:
    return _reject("already_expired") if _is_past(case.proposal.valid_until, case.now) else None


def _expiry(case: _Case) -> _Answer | None:
    kind, end = _known(case.kind), case.proposal.valid_until
    if end is None:
        return _reject("expiry_required") if kind.expiry_required else None
    if kind.max_days is not None and end - case.now > timedelta(days=kind.max_days) + _LAST_DAY:
        return _reject("expiry_too_far")
    return None


def _authority(case: _Case) -> _Answer | None:
    standing, kind = case.standing, case.proposal.kind
    if standing is None:
        return None
    weight = case.policy.authority
    if weight(kind, case.evidence.evidence_class) < weight(kind, standing.evidence_class):
        return _reject("lower_authority_conflict")
    return None


def _wording(case: _Case) -> _Answer | None:
    reviewed = case.evidence.cleared or case.is_evidence(EvidenceClass.verified_reviewer)
    if case.verdict == "clean" or (case.approving and reviewed):
        return None
    return _Answer(Outcome.needs_review, "suspicious_content", awaiting="reviewer")


def _confirmation(case: _Case) -> _Answer | None:
    proposal, policy = case.proposal, case.policy
    if case.approving or proposal.entered_by_person or not case.is_evidence(EvidenceClass.explicit_user):
        return None
    level = case.wishes.stricter(policy.confirm)
    if level == "inferred_only":
        return None
    known = policy.registered_value(proposal.kind, proposal.key, proposal.statement, proposal.value)
    if level == "agent_writes" and known and not proposal.conditions:
        return None
    return _Answer(Outcome.needs_confirmation, "confirmation_required", awaiting="owner")


def _slot(case: _Case) -> _Answer:
    current = case.slot.current
    if current is None:
        return _Answer(Outcome.store, "policy_accepted")
    return _Answer(Outcome.supersede, "newer_equal_or_higher_authority", supersedes=current.memory_id)


# The order is part of the contract: a proposal that breaks two rules is told of the earlier one.
_RULES: tuple[Callable[[_Case], _Answer | None], ...] = (
    _sensitivity,
    _injected_instruction,
    _source_of_truth,
    _reusable,
    _own_rules,
    _forgotten,
    _duplicate,
    _inference,
    _namespace,
    _kind,
    _evidence,
    _expired,
    _expiry,
    _authority,
    _wording,
    _confirmation,
)
_RULES_FOR_HELD = frozenset({_namespace, _kind, _expired})  # what no approval could mend


def _reject(reason: str) -> _Answer:
    return _Answer(Outcome.reject, reason)


def _remark(case: _Case, rule: Callable[[_Case], _Answer | None]) -> str:
    """What is said of a rule that has no objection: "ok", or whose wish the end is."""
    return "end_by_own_wish" if rule is _expiry and case.proposal.end_by_wish else "ok"


def _passed(answer: _Answer | None) -> bool:
    return answer is None or answer.outcome is Outcome.keep


def _decision(answer: _Answer, checks: list[Check]) -> Decision:
    return Decision(answer.outcome, answer.reason, tuple(checks), answer.topic, answer.awaiting, answer.supersedes)


def _known(kind: KindRule | None) -> KindRule:
    if kind is None:
        raise AssertionError("the kind was checked before")
    return kind


def _is_past(end: datetime | None, now: datetime) -> bool:
    return end is not None and now >= end


def _said_after(case: _Case, moment: datetime) -> bool:
    """A person said it again, or a reviewer stood by it, after the forgetting."""
    if case.proposal.entered_by_person and not case.evidence.from_file:
        return True
    if not case.is_evidence(EvidenceClass.explicit_user, EvidenceClass.verified_reviewer):
        return False
    return case.evidence.occurred_at is not None and case.evidence.occurred_at > moment


def _leaves(value: object, name: str = "") -> Iterator[str]:
    """The texts inside a JSON value, each with the name it stands under."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, str(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, name)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield f"{name.replace('_', ' ')}: {value}" if name else str(value)
