"""What a wish to forget takes: which memories, what waits for a person, and which sources may bring nothing back."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.errors import Forbidden, InvalidInput
from accounts.models import Membership
from accounts.principals import Principal
from memories import access, tenant_policy
from memories.access import NamespaceRef
from memories.actions.attest import CLASS_OF, thread_digest
from memories.lifecycle import Part
from memories.models import Candidate, Erasure, Evidence, EvidenceLink, Memory, Namespace, told_in
from memories.write_gate import EvidenceClass


@dataclass(frozen=True, slots=True)
class ForgetFilter:
    """What to forget: a place (namespace, kind, key), one source, what an agent proposed, a person, or the tenant."""

    namespace: NamespaceRef | None = None
    kind: str | None = None
    key: str | None = None
    thread: str | None = None
    evidence_id: str | None = None
    agent: str | None = None
    person: str | None = None
    tenant: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A wish that its caller may have, as queries: they are asked again under the locks.

    `memories` go, unless `evidence` is set and they rest on something else too. `typed` is what the person has to type.
    """

    scope: str
    namespaces: Sequence[Namespace]
    memories: QuerySet[Memory]
    candidates: QuerySet[Candidate]
    evidence: QuerySet[Evidence] | None = None
    sources: Collection[str] = ()
    target_id: uuid.UUID | None = None
    person: Membership | None = None
    typed: str | None = None


@dataclass(slots=True)
class _Found:
    slots: dict[uuid.UUID, None] = field(default_factory=dict)
    versions: list[uuid.UUID] = field(default_factory=list)
    candidates: list[uuid.UUID] = field(default_factory=list)
    moved: dict[uuid.UUID, Evidence] = field(default_factory=dict)


def choose(principal: Principal, wish: ForgetFilter) -> Choice:
    """What a wish means for this caller.

    Raises InvalidInput for an empty or mixed wish, NotVisible for what the caller may not see, Forbidden for what they
    may see and not forget.
    """
    wide = {
        name: value
        for name in ("thread", "evidence_id", "agent", "person", "tenant")
        if (value := getattr(wish, name)) is not None
    }
    narrow = [value for value in (wish.namespace, wish.kind, wish.key) if value is not None]
    if not wide and not narrow:
        raise InvalidInput.field("filter", "Say what to forget: a namespace, a kind or a key.", "empty_filter")
    if len(wide) > 1 or (wide and narrow):
        raise InvalidInput.field("filter", "Name one thing to forget at a time.", "mixed_filter")
    match wide:
        case {"thread": thread}:
            return _conversation(principal, thread)
        case {"evidence_id": evidence_id}:
            return _event(principal, access.evidence(principal, evidence_id))
        case {"agent": slug}:
            return _proposed_by(principal, slug)
        case {"person": external_id}:
            return _person(principal, external_id)
        case {"tenant": slug}:
            return _tenant(principal, slug)
    return _place(principal, wish)


def parts_of(choice: Choice) -> list[Part]:
    """What the choice takes now, by namespace.

    A key goes whole when the version that stands for it is taken; else only its earlier versions that are.
    """
    found: dict[uuid.UUID, _Found] = {namespace.pk: _Found() for namespace in choice.namespaces}
    support = _other_support(choice)
    taken = choice.memories.order_by("pk").values_list("pk", "slot_id", "namespace_id", "status")
    rows = list(taken)
    for pk, slot_id, namespace_id, status in rows:
        if pk in support:
            found[namespace_id].moved[pk] = support[pk]
        elif status in Memory.CURRENT:
            found[namespace_id].slots[slot_id] = None
    for pk, slot_id, namespace_id, _status in rows:
        if pk not in support and slot_id not in found[namespace_id].slots:
            found[namespace_id].versions.append(pk)
    for pk, namespace_id in choice.candidates.order_by("pk").values_list("pk", "namespace_id"):
        found[namespace_id].candidates.append(pk)
    return [
        Part(
            namespace=namespace,
            slot_ids=list(one.slots),
            memory_ids=one.versions,
            candidate_ids=one.candidates,
            sources=sorted(choice.sources),
            moved=one.moved,
            closed=_closes(choice, namespace),
        )
        for namespace in choice.namespaces
        if (one := found[namespace.pk])
        and (one.slots or one.versions or one.candidates or one.moved or choice.sources or _is_whole(choice, namespace))
    ]


def memory_ids_of(parts: Sequence[Part]) -> list[uuid.UUID]:
    """Every version that goes."""
    slots = [slot for part in parts for slot in part.slot_ids]
    singles = {pk for part in parts for pk in part.memory_ids}
    whole = Memory.objects.kept().filter(slot_id__among=slots).values_list("pk", flat=True)
    return sorted(singles.union(whole))


def _place(principal: Principal, wish: ForgetFilter) -> Choice:
    """What stands in one namespace under this kind, key and area; without any of these all of it."""
    ref = wish.namespace or NamespaceRef("user" if principal.subject_id else "agent")
    whole = wish.kind is None and wish.key is None and not ref.path
    namespace = access.governed(principal, ref) if whole else None
    if namespace is None:
        namespace = access.area(principal, ref).namespace
        access.require_change(principal, namespace)
    rows = Memory.objects.kept().filter(namespace=namespace).within(ref.path)
    if wish.kind is not None:
        rule = tenant_policy.active().kind(wish.kind)
        rows = rows.filter(kind=rule.name if rule else wish.kind)
    if wish.key is not None:
        rows = rows.filter(key=wish.key)
    held = Candidate.objects.filter(namespace=namespace, statement__isnull=False)
    scope = Erasure.Scope.NAMESPACE if whole else Erasure.Scope.FILTER
    return Choice(scope, [namespace], rows, held if whole else held.none(), target_id=namespace.pk)


def _event(principal: Principal, evidence: Evidence) -> Choice:
    """Everything that rests on one event, however often it was attested."""
    places = access.changeable(principal)
    rows = Evidence.objects.filter(
        source_digest=evidence.source_digest, subject_id=evidence.subject_id, agent_id=evidence.agent_id
    )
    return Choice(
        Erasure.Scope.SOURCE,
        places,
        Memory.objects.kept().filter(namespace__in=places, evidence__in=rows),
        Candidate.objects.filter(namespace__in=places, statement__isnull=False, evidence__in=rows),
        evidence=rows,
        sources={evidence.source_digest},
        target_id=evidence.pk,
    )


def _conversation(principal: Principal, thread: str) -> Choice:
    """Everything from one conversation of the caller's subject (or, without one, of the agent)."""
    places = access.changeable(principal)
    about = {"subject_id": principal.subject_id}
    if principal.subject_id is None:
        about["agent_id"] = principal.agent_id
    rows = Evidence.objects.filter(thread=thread, **about)
    told = told_in(thread)
    mine = Q(namespace__membership_id=principal.subject_id) if principal.subject_id else Q(namespace__in=places)
    digests = set(rows.values_list("source_digest", flat=True))
    return Choice(
        Erasure.Scope.SOURCE,
        places,
        Memory.objects.kept().filter(Q(evidence__in=rows) | (told & mine), namespace__in=places),
        Candidate.objects.filter(Q(evidence__in=rows) | (told & mine), namespace__in=places, statement__isnull=False),
        evidence=rows,
        sources=digests | {thread_digest(principal.subject_id or principal.agent_id, thread)},
    )


def _proposed_by(principal: Principal, slug: str) -> Choice:
    """Everything an agent proposed in the places that the caller may change, and what it proposed for the caller."""
    agent = access.agent(principal, slug=slug)
    places = access.changeable(principal)
    mine = Q(subject_id=principal.subject_id) if principal.subject_id else Q(pk=None)
    held = Candidate.objects.filter(Q(namespace__in=places) | mine, agent=agent, statement__isnull=False)
    touched = Q(pk__in=[place.pk for place in places]) | Q(pk__in=held.values("namespace_id"))
    return Choice(
        Erasure.Scope.AGENT,
        access.namespaces(touched),
        Memory.objects.kept().filter(namespace__in=places, proposed_by=agent.pk),
        held,
        target_id=agent.pk,
    )


def _person(principal: Principal, external_id: str) -> Choice:
    """A person: what is remembered about them, what rests on their word alone, what waits for them or of them."""
    _require_person(principal)
    person = access.person(principal, external_id)
    rows = Evidence.objects.filter(subject=person)
    memories = Memory.objects.kept().filter(Q(namespace__membership=person) | Q(evidence__in=rows))
    held = Candidate.objects.filter(statement__isnull=False)
    held = held.filter(Q(namespace__membership=person) | Q(subject=person) | Q(evidence__in=rows))
    touched = Q(membership=person) | Q(pk__in=memories.values("namespace_id")) | Q(pk__in=held.values("namespace_id"))
    return Choice(
        Erasure.Scope.PERSON,
        access.namespaces(touched),
        memories,
        held,
        evidence=rows,
        target_id=person.pk,
        person=person,
        typed=person.external_id,
    )


def _tenant(principal: Principal, slug: str) -> Choice:
    """Everything of the caller's tenant."""
    _require_person(principal)
    tenant = access.tenant(principal, slug)
    return Choice(
        Erasure.Scope.TENANT,
        access.namespaces(Q()),
        Memory.objects.kept(),
        Candidate.objects.filter(statement__isnull=False),
        evidence=None,
        target_id=tenant.pk,
        typed=tenant.slug,
    )


def _require_person(principal: Principal) -> None:
    if not principal.is_person and not principal.is_system:
        raise Forbidden("Only a person may ask for that, not an agent.", code="person_required")


def _is_whole(choice: Choice, namespace: Namespace) -> bool:
    """Whether nothing of it is to be left, also of what was handed over and is no memory yet."""
    return choice.scope == Erasure.Scope.NAMESPACE or _closes(choice, namespace)


def _closes(choice: Choice, namespace: Namespace) -> bool:
    """Whether nobody is left who could propose to it."""
    mine = choice.person is not None and namespace.membership_id == choice.person.pk
    return mine or choice.scope == Erasure.Scope.TENANT


def _other_support(choice: Choice) -> Mapping[uuid.UUID, Evidence]:
    """The memories that stand without the chosen evidence, and what they stand on then.

    Only evidence of the class that activated a memory supports it. What a reviewer stood by is the reviewers' and not
    the word of the person who is forgotten; their own namespace goes whatever it rests on.
    """
    if choice.evidence is None:
        return {}
    support: dict[uuid.UUID, Evidence] = {}
    resting = choice.memories.filter(evidence__in=choice.evidence)
    if choice.person is not None:
        resting = resting.exclude(namespace__membership=choice.person)
        reviewed = resting.filter(evidence_class=EvidenceClass.verified_reviewer).select_related("evidence")
        support |= {memory.pk: memory.evidence for memory in reviewed}
    others = EvidenceLink.objects.exclude(evidence__in=choice.evidence)
    classes = dict(resting.filter(Exists(others.filter(memory=OuterRef("pk")))).values_list("pk", "evidence_class"))
    links = others.filter(memory_id__among=classes).select_related("evidence")
    for link in links.order_by("pk"):
        if CLASS_OF[Evidence.Type(link.evidence.type)] == classes[link.memory_id]:
            support.setdefault(link.memory_id, link.evidence)
    return support
