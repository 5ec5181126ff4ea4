"""A tenant's policy: parsed from a document, checked in full, and asked by the gates. Pure data and look-ups.

A document that does not fit raises `PolicyError` naming the place; no half-read policy ever reaches a gate.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from memories import topics

# What the code does, in this order. A policy may repeat these lists, not change them.
RECALL_ORDER = (
    "namespace_and_permission",
    "kind",
    "active_and_unexpired",
    "relevance",
    "authority_freshness_version",
    "token_budget",
)
PRECEDENCE = (
    "current_explicit_instruction",
    "current_source_of_truth",
    "explicit_user_memory",
    "verified_procedure_memory",
)
PROHIBITED = frozenset(
    {
        "secret",
        "access_token",
        "personal_identifier",
        "raw_email",
        "raw_phone",
        "unconfirmed_model_inference",
        "run_state",
        "checkpoint",
        "transcript",
    }
)
# Evidence that a policy may admit for a kind, and the evidence class each is a case of.
ADMITTABLE = {
    "explicit_user": "explicit_user",
    "explicit_user_maintainer": "explicit_user",
    "verified_reviewer": "verified_reviewer",
    "run_result_with_receipt": "tool_output",
}
FALLBACK_TOPIC = "business_record"
# The style of kinds that tell how something is done.
HOW_TO = "how_to"


class PolicyError(ValueError):
    """The document is no valid policy; `place` is where, as a path of its fields."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"policy is not valid at {place or 'the top'}: {problem}")
        self.place = place


@dataclass(frozen=True, slots=True)
class Bilingual:
    """One text in the languages of the product."""

    en: str
    zh: str

    def get(self, language: str) -> str:
        return self.zh if language.lower().startswith("zh") else self.en


@dataclass(frozen=True, slots=True)
class KindRule:
    """What may activate a memory of this kind, where it may live, and for how long."""

    name: str
    label: Bilingual
    namespaces: frozenset[str]
    evidence: frozenset[str]
    authority: tuple[str, ...]
    expiry_required: bool
    max_days: int | None
    default_days: int | None
    recall_by_default: bool
    style: str
    also_called: tuple[str, ...]

    @property
    def reviewable(self) -> bool:
        """A reviewer's word may activate it, so others' words may be held for one."""
        return "verified_reviewer" in self.evidence


@dataclass(frozen=True, slots=True)
class Topic:
    """Something a business system owns: never stored, only pointed to."""

    name: str
    label: Bilingual
    system: Bilingual
    how_to_query: Bilingual
    also_called: frozenset[str]
    keys: tuple[str, ...]
    rules: tuple[str, ...]
    grants_authority: bool


@dataclass(frozen=True, slots=True)
class RegisteredValue:
    value: str
    label: Bilingual


@dataclass(frozen=True, slots=True)
class RegisteredKey:
    """A known slot with its allowed values, or open to free text."""

    name: str
    kind: str
    label: Bilingual
    free_text: bool
    values: tuple[RegisteredValue, ...]


@dataclass(frozen=True, slots=True)
class Tools:
    memory_save_free_text: bool
    memory_forget: bool


@dataclass(frozen=True, slots=True)
class Weights:
    authority: float
    freshness: float
    version: float


@dataclass(frozen=True, slots=True)
class Cutoff:
    """The least relevance of an item: `floor`, and `share` of the most relevant one's."""

    floor: float
    share: float


@dataclass(frozen=True, slots=True)
class RecallRules:
    weights: Weights
    cutoffs: tuple[tuple[str, Cutoff], ...]
    token_budget: int
    limit: int


@dataclass(frozen=True, slots=True)
class Retention:
    candidate_days: int
    evidence_text_days: int
    expired_purge_days: int
    audit_days: int | None = None  # a policy that does not say keeps every event


@dataclass(frozen=True, slots=True)
class ReviewRules:
    """What reviewers must take care of: kinds by the least risk they carry, and the risks that take two approvers."""

    risk: tuple[tuple[str, str], ...] = ()
    two_approvers: frozenset[str] = frozenset()

    def kinds_of(self, risk: str) -> tuple[str, ...]:
        return tuple(kind for kind, carried in self.risk if carried == risk)


@dataclass(frozen=True, slots=True)
class EmbeddingRules:
    """`remote`: whether an embedder behind a network may see this tenant's texts."""

    remote: bool


@dataclass(frozen=True, slots=True)
class ExtractionRules:
    """`remote`: whether a language model behind a network may see this tenant's conversations."""

    remote: bool


@dataclass(frozen=True)
class Policy:
    """One version of a tenant's policy. Immutable and hashable, so it can be cached and compared."""

    version: int
    kinds: tuple[KindRule, ...]
    confirm: str
    inference: str
    refused_kinds: tuple[tuple[str, str], ...]
    topics: tuple[Topic, ...]
    keys: tuple[RegisteredKey, ...]
    tools: Tools
    recall: RecallRules
    retention: Retention
    embedding: EmbeddingRules
    review: ReviewRules
    extraction: ExtractionRules

    @cached_property
    def _kinds(self) -> dict[str, KindRule]:
        return {name: rule for rule in self.kinds for name in (rule.name, *rule.also_called)}

    @cached_property
    def _labels(self) -> dict[str, Topic]:
        return {label: topic for topic in self.topics for label in (topic.name, *topic.also_called)}

    @cached_property
    def _refused(self) -> dict[str, str]:
        return dict(self.refused_kinds)

    def kinds_in(self, namespace_type: str) -> list[KindRule]:
        """The kinds that may be remembered for namespaces of this type."""
        return [rule for rule in self.kinds if namespace_type in rule.namespaces]

    @cached_property
    def default_kinds(self) -> frozenset[str]:
        """The kinds a recall searches when it names none."""
        return frozenset(rule.name for rule in self.kinds if rule.recall_by_default)

    @cached_property
    def how_to_kinds(self) -> frozenset[str]:
        """The kinds that tell how something is done: what the playbook is made of."""
        return frozenset(rule.name for rule in self.kinds if rule.style == HOW_TO)

    def kind(self, name: str) -> KindRule | None:
        """The rule of a kind, also under its other names."""
        return self._kinds.get(name)

    def refused_kind(self, name: str) -> str | None:
        """The reason code for a label that is never a memory, such as a transcript."""
        return self._refused.get(name)

    def authority(self, kind: str, evidence_class: str) -> int:
        """How much this evidence weighs for this kind: higher wins, 0 is none."""
        rule = self.kind(kind)
        order = rule.authority if rule else ("explicit_user", "verified_reviewer")
        return len(order) - order.index(evidence_class) if evidence_class in order else 0

    def topic(self, label: str) -> Topic | None:
        """The routed topic of this name or label."""
        return self._labels.get(label)

    @property
    def fallback_topic(self) -> Topic:
        """Where a business record is pointed to when nothing more exact is known."""
        return self._labels[FALLBACK_TOPIC]

    def topic_of(self, kind: str, key: str | None, texts: Iterable[str]) -> Topic | None:
        """The topic a proposal belongs to by its kind label, its key, or a live state told in its texts."""
        told_in = tuple(topics.prepare(text) for text in texts)
        labelled = self.topic(kind)
        if labelled and labelled.name != FALLBACK_TOPIC:
            return labelled
        told = self._topic_by_key(kind, key, told_in) or self._topic_by_content(kind, told_in)
        return told or labelled

    def topics_about(self, query: str) -> tuple[Topic, ...]:
        """Every routed topic whose live state this question asks for."""
        asked = topics.prepare(query)
        return tuple(topic for topic in self.topics if any(topics.asks_about(asked, rule) for rule in topic.rules))

    def registered(self, name: str) -> RegisteredKey | None:
        return next((key for key in self.keys if key.name == name), None)

    def registered_value(self, kind: str, key: str | None, statement: str, value: object) -> bool:
        """The proposal says nothing but an allowed value of a registered key, in the policy's own words."""
        known = self.registered(key or "")
        rule = self.kind(kind)
        if known is None or rule is None or known.kind != rule.name:
            return False
        said = statement.strip()
        return any(
            said in (allowed.value, allowed.label.en, allowed.label.zh) and value in (None, allowed.value)
            for allowed in known.values
        )

    def _topic_by_key(self, kind: str, key: str | None, texts: tuple[str, ...]) -> Topic | None:
        rule = self.kind(kind)
        if not key or (rule and rule.style == HOW_TO):
            return None
        if all(topics.is_instruction(text) for text in texts):
            return None
        name = topics.normalise_key(key)
        return next((topic for topic in self.topics if any(topics.key_matches(name, k) for k in topic.keys)), None)

    def _topic_by_content(self, kind: str, texts: tuple[str, ...]) -> Topic | None:
        rule = self.kind(kind)
        exact = rule is not None and rule.style != "statement"
        said = [sentence for text in texts for sentence in topics.sentences(text)]
        told = (topic for topic in self.topics if any(topics.tells_state(said, r, exact=exact) for r in topic.rules))
        return next(told, None)


def load(document: Mapping[str, Any], version: int = 1) -> Policy:
    """Parse and check a whole document; raises `PolicyError` naming the first wrong place."""
    _check_schema(document)
    _check_against_code(document)
    recall = document["recall"]
    return Policy(
        version=version,
        kinds=tuple(_kind(name, body) for name, body in document["kinds"].items()),
        confirm=document["confirm"],
        inference=document["inference"],
        refused_kinds=tuple(document["refused_kinds"].items()),
        topics=tuple(_topic(body) for body in document["topics"]),
        keys=tuple(_key(body) for body in document["keys"]),
        tools=Tools(**document["tools"]),
        recall=RecallRules(
            Weights(**recall["weights"]),
            tuple((mode, Cutoff(**body)) for mode, body in recall["cutoffs"].items()),
            recall["token_budget"],
            recall["limit"],
        ),
        retention=Retention(**document["retention"]),
        embedding=EmbeddingRules(**document["embedding"]),
        review=_review(document.get("review", {})),
        extraction=ExtractionRules(**document["extraction"]),
    )


def default_document() -> dict[str, Any]:
    """A fresh copy of the default policy's document."""
    return deepcopy(_default_document())


@lru_cache(maxsize=1)
def _default_document() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(files("memories").joinpath("policies/default.yaml").read_text("utf-8"))
    return document


def merge(default: Mapping[str, Any], overrides: Mapping[str, Any] | None) -> dict[str, Any]:
    """The default with the named top-level fields replaced whole; an unknown field fails in `load`."""
    return {**default, **(overrides or {})}


@cache
def default_policy() -> Policy:
    """The default policy, parsed once."""
    return load(default_document())


@cache
def _validator() -> Draft202012Validator:
    schema = json.loads(files("memories").joinpath("policies/policy.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def _check_schema(document: Mapping[str, Any]) -> None:
    if not isinstance(document, dict):
        raise PolicyError("", "it is not an object")
    errors = sorted(_validator().iter_errors(document), key=lambda error: list(map(str, error.absolute_path)))
    if errors:
        place = "/".join(str(part) for part in errors[0].absolute_path)
        raise PolicyError(place, f"breaks the rule {errors[0].validator!r} of the schema")


def _check_against_code(document: Mapping[str, Any]) -> None:
    """What the schema cannot say: lists equal to the code's, names that exist and mean one thing."""
    _require(tuple(document["recall"]["order"]) == RECALL_ORDER, "recall/order", "differs from what the code does")
    _require(tuple(document["precedence"]) == PRECEDENCE, "precedence", "differs from what the code does")
    _require(frozenset(document["prohibited"]) == PROHIBITED, "prohibited", "differs from what the code enforces")
    kinds = document["kinds"]
    for name, body in kinds.items():
        days = body["expiry"]["max_days"], body["expiry"]["default_days"]
        _require(None in days or days[1] <= days[0], f"kinds/{name}/expiry", "default_days is above max_days")
        classes = {ADMITTABLE[evidence] for evidence in body["evidence"]}
        _require(classes <= set(body["authority"]), f"kinds/{name}/authority", "lacks a class that may activate it")
        shared = set(body["namespaces"]) - {"user"}
        _require(not shared or "verified_reviewer" in classes, f"kinds/{name}/evidence", "shared, but not reviewable")
        _require(
            not shared or body["expiry"]["rule"] == "required", f"kinds/{name}/expiry", "shared, but needs no expiry"
        )
    for index, topic in enumerate(document["topics"]):
        _require(set(topic["rules"]) <= topics.RULES, f"topics/{index}/rules", "names a content rule that is unknown")
    _require(any(topic["name"] == FALLBACK_TOPIC for topic in document["topics"]), "topics", f"lacks {FALLBACK_TOPIC}")
    for index, key in enumerate(document["keys"]):
        _require(key["kind"] in kinds, f"keys/{index}/kind", "is no kind of this policy")
        _require(key["free_text"] or bool(key["values"]), f"keys/{index}/values", "is empty and free text is off")
    labels = [label for topic in document["topics"] for label in (topic["name"], *topic["also_called"])]
    _unique("keys", (key["name"] for key in document["keys"]))
    _unique("topics", labels)
    names = [label for name, body in kinds.items() for label in (name, *body["also_called"])]
    _unique("kinds", [*names, *labels, *document["refused_kinds"]])


def _require(holds: bool, place: str, problem: str) -> None:
    if not holds:
        raise PolicyError(place, problem)


def _unique(place: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        _require(name not in seen, place, f"the name {name} has two meanings")
        seen.add(name)


def _kind(name: str, body: Mapping[str, Any]) -> KindRule:
    expiry = body["expiry"]
    return KindRule(
        name=name,
        label=Bilingual(**body["label"]),
        namespaces=frozenset(body["namespaces"]),
        evidence=frozenset(body["evidence"]),
        authority=tuple(body["authority"]),
        expiry_required=expiry["rule"] == "required",
        max_days=expiry["max_days"],
        default_days=expiry["default_days"],
        recall_by_default=body["recall_by_default"],
        style=body["style"],
        also_called=tuple(body["also_called"]),
    )


def _review(body: Mapping[str, Any]) -> ReviewRules:
    """A policy from before reviews had rules names none."""
    return ReviewRules(tuple(body.get("risk", {}).items()), frozenset(body.get("two_approvers", ())))


def _topic(body: Mapping[str, Any]) -> Topic:
    text: Callable[[str], Bilingual] = lambda field: Bilingual(**body[field])  # noqa: E731
    return Topic(
        name=body["name"],
        label=text("label"),
        system=text("system"),
        how_to_query=text("how_to_query"),
        also_called=frozenset(body["also_called"]),
        keys=tuple(body["keys"]),
        rules=tuple(body["rules"]),
        grants_authority=body["grants_authority"],
    )


def _key(body: Mapping[str, Any]) -> RegisteredKey:
    values = tuple(RegisteredValue(value["value"], Bilingual(value["en"], value["zh"])) for value in body["values"])
    return RegisteredKey(body["name"], body["kind"], Bilingual(**body["label"]), body["free_text"], values)
