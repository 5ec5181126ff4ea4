"""The only way from a principal to a row. Absent and not-permitted are one answer: NotVisible."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import models
from django.db.models import Exists, OuterRef, Q

from accounts.errors import Forbidden, NotVisible
from accounts.models import Agent, AgentGroup, Group, GroupMember, Membership, Tenant
from accounts.prepared import Prepared, any_of
from accounts.principals import Principal, Role, Scope
from memories.inputs import NamespaceRef as NamespaceRef
from memories.models import (
    Candidate,
    Erasure,
    Evidence,
    Export,
    Extraction,
    Import,
    Memory,
    Namespace,
    Operation,
    OwnRule,
    Recall,
    Reveal,
    SavedView,
)

Row = TypeVar("Row", bound=models.Model)


@dataclass(frozen=True, slots=True)
class Area:
    """A namespace the caller may use, and the part of it that is meant."""

    namespace: Namespace
    path: tuple[str, ...] = ()


def readable(principal: Principal, known: Sequence[Agent] | None = None) -> list[Namespace]:
    """All namespaces the caller may read: the subject's own, the agent's own, and the groups both belong to.

    `known`: what `agents` gave for a person, where that was asked before.
    """
    return [namespace for namespace in usable(principal, known) if not namespace.is_closed]


def usable(principal: Principal, known: Sequence[Agent] | None = None) -> list[Namespace]:
    """Those and the one of a person who shut the agent out, where the write gate tells so (`is_closed`)."""
    agents = _agents(principal) if known is None else [one.pk for one in known if one.owner_id == principal.subject_id]
    groups = _groups(principal)
    subject = [principal.subject_id] if principal.subject_id else []
    caller = OwnRule.digest_of(str(principal.agent_id)) if principal.agent_id else ""
    owners = {"subject": subject, "agents": agents, "groups": list(groups), "caller": caller}
    found = _OWNED(**owners)
    return _OWNED(**owners) if _make_missing(principal, agents, groups, found) else found


def area(principal: Principal, ref: NamespaceRef, among: Sequence[Namespace] | None = None) -> Area:
    """The namespace a reference means, or NotVisible. `among` saves asking again inside one call."""
    for namespace in readable(principal) if among is None else among:
        meant = _is_own(principal, namespace) if ref.id is None else namespace.owner_name == ref.id
        if namespace.type == ref.type and meant:
            return Area(namespace, ref.path)
    raise NotVisible("There is no such namespace for this credential.", code="unknown_namespace")


def areas(
    principal: Principal, refs: Iterable[NamespaceRef] | None, among: Sequence[Namespace] | None = None
) -> list[Area]:
    """The namespaces of a reading call: the ones named, or all readable ones. `among` saves asking for these again."""
    usable = readable(principal) if among is None else among
    if refs is None:
        return [Area(namespace) for namespace in usable]
    return [area(principal, ref, among=usable) for ref in refs]


def lock(namespaces: Iterable[Namespace]) -> None:
    """Serialise writers of these namespaces until the transaction ends; always in the order of the ids.

    Brings their revisions up to date, so that the holder of the lock may count on from them, and whether the people
    they belong to are still there.
    """
    wanted = {namespace.pk: namespace for namespace in namespaces}
    rows = Namespace.objects.select_for_update(of=("self",)).filter(pk__in=wanted).order_by("pk")
    for pk, revision, there in rows.values_list("pk", "revision", "membership__is_active"):
        wanted[pk].revision = revision
        if (person := wanted[pk].membership) is not None:
            person.is_active = there


def lock_tenant() -> None:
    """Serialise with the writers of every namespace of the active tenant until the transaction ends."""
    for _pk in Namespace.objects.select_for_update().order_by("pk").values_list("pk", flat=True).iterator():
        pass


def memory(principal: Principal, memory_id: str | uuid.UUID) -> Memory:
    """One version by its id, in a namespace the caller may read."""
    rows = Memory.objects.select_related("namespace__membership", "namespace__agent", "namespace__group", "evidence")
    return _one(rows.filter(namespace__in=readable(principal)), memory_id)


def evidence(principal: Principal, evidence_id: str | uuid.UUID) -> Evidence:
    """Evidence about the caller's own subject (or, without one, of the caller's agent)."""
    own = Q(agent_id=principal.agent_id, agent_id__isnull=False)
    rows = Evidence.objects.filter(own | ~_shut_out(principal), subject_id=principal.subject_id)
    if principal.subject_id is None:
        rows = rows.filter(agent_id=principal.agent_id)
    return _one(rows, evidence_id)


def candidates(principal: Principal) -> models.QuerySet[Candidate]:
    """What the caller may see of what waits: their own, what they proposed, and what they may review."""
    mine = Q(subject_id=principal.subject_id) if principal.subject_id else Q(agent_id=principal.agent_id, subject=None)
    rows = Candidate.objects.select_related("namespace__membership", "namespace__agent", "namespace__group", "evidence")
    return rows.filter(mine | reviewable(principal), ~_shut_out(principal))


def _shut_out(principal: Principal) -> Exists:
    """Whether the person whom the calling agent works for shut it out: then it sees and answers nothing of theirs."""
    caller = OwnRule.digest_of(str(principal.agent_id)) if principal.agent_id else ""
    rules = OwnRule.objects.filter(type=OwnRule.Type.AGENT, digest=caller)
    return Exists(rules.filter(namespace__membership_id=principal.subject_id))


def candidate(principal: Principal, candidate_id: str | uuid.UUID) -> Candidate:
    return _one(candidates(principal), candidate_id)


def reviewable(principal: Principal) -> Q:
    """The reviewer candidates whose namespace the subject reviews: their groups, and the tenant's agents and people."""
    if not principal.has_role(Role.REVIEWER) or principal.subject_id is None:
        return Q(pk=None)
    return Q(awaiting=Candidate.Awaiting.REVIEWER) & (
        Q(namespace__group__in=_person_groups(principal.subject_id)) | Q(namespace__type__in=["agent", "user"])
    )


def reviews(principal: Principal, namespace: Namespace) -> bool:
    """Whether the subject is a reviewer of the namespace."""
    if not principal.has_role(Role.REVIEWER) or principal.subject_id is None:
        return False
    return namespace.group_id is None or namespace.group_id in _person_groups(principal.subject_id)


def reviewers(namespace: Namespace) -> list[Membership]:
    """Everybody who reviews the namespace, by name."""
    people = Membership.objects.filter(is_active=True)
    if namespace.group_id is not None:
        people = people.filter(groups=namespace.group_id)
    return [one for one in people.order_by("external_id") if one.has_role(Role.REVIEWER)]


def maintains(principal: Principal, namespace: Namespace) -> bool:
    """Whether the subject maintains the team or project."""
    if namespace.group_id is None or principal.subject_id is None:
        return False
    return GroupMember.objects.filter(
        group_id=namespace.group_id, membership_id=principal.subject_id, is_maintainer=True
    ).exists()


def require_change(principal: Principal, namespace: Namespace) -> None:
    """Forgetting, pausing and resuming: one's own namespace, or a shared one that one maintains or reviews.

    An agent does not gain the rights of the person it works for: for a shared one it needs the scope to relay them.
    """
    if namespace.group_id is None:
        return
    if not principal.is_person:
        principal.require(Scope.RELAY)
    if maintains(principal, namespace) or reviews(principal, namespace):
        return
    raise Forbidden(
        "Only a maintainer or a reviewer may change what this team or project remembers.", code="not_a_maintainer"
    )


def playbook(principal: Principal) -> list[Namespace]:
    """Where the playbook that the caller may see stands: the agents, teams and projects they may read, and for a
    reviewer every agent of the tenant, since reviewers decide what those hold."""
    found = {one.pk: one for one in readable(principal) if one.type != Namespace.Type.USER}
    if principal.is_person and principal.has_role(Role.REVIEWER):
        found |= {one.pk: one for one in _namespaces().filter(type=Namespace.Type.AGENT)}
    return list(found.values())


def playbook_memory(principal: Principal, memory_id: str | uuid.UUID) -> Memory:
    """One version by its id, where the caller sees the playbook."""
    rows = Memory.objects.select_related("slot", "namespace__agent", "namespace__group")
    return _one(rows.filter(namespace__in=playbook(principal)), memory_id)


def may_switch(principal: Principal, namespace: Namespace) -> bool:
    """Whether the caller may suspend, resume and roll back what a team, project or agent goes by: a person who reviews
    or maintains it or owns the agent, or who relays their word. By itself no agent brings back what was suspended."""
    if not (principal.is_person or principal.may(Scope.RELAY)):
        return False
    owner = namespace.agent is not None and namespace.agent.owner_id == principal.subject_id
    return owner or maintains(principal, namespace) or reviews(principal, namespace)


def require_switch(principal: Principal, namespace: Namespace) -> None:
    if not may_switch(principal, namespace):
        raise Forbidden("Only a person who reviews or maintains it may suspend and resume it.", code="not_a_maintainer")


def may_change(principal: Principal, namespace: Namespace) -> bool:
    """Whether the caller may forget, pause and resume there; the verbs ask again."""
    try:
        require_change(principal, namespace)
    except Forbidden:
        return False
    return True


def operation(principal: Principal, operation_id: str | uuid.UUID) -> Operation:
    return _one(Operation.objects.filter(actor_id=principal.actor_id, subject_id=principal.subject_id), operation_id)


def recall(principal: Principal, recall_id: str | uuid.UUID) -> Recall:
    return _one(Recall.objects.filter(actor_id=principal.actor_id, subject_id=principal.subject_id), recall_id)


def erasure(principal: Principal, erasure_id: str | uuid.UUID) -> Erasure:
    """A receipt of the caller's subject; an agent without one sees its own."""
    rows = Erasure.objects.filter(subject_id=principal.subject_id)
    if principal.subject_id is None:
        rows = rows.filter(actor_id=principal.actor_id)
    return _one(rows, erasure_id)


def exports(principal: Principal) -> models.QuerySet[Export]:
    """The caller's own exports for the subject it works for."""
    return Export.objects.filter(actor_id=principal.actor_id, subject_id=principal.subject_id)


def export(principal: Principal, export_id: str | uuid.UUID) -> Export:
    return _one(exports(principal), export_id)


def imports(principal: Principal) -> models.QuerySet[Import]:
    """The files the caller handed over for the subject it works for."""
    return Import.objects.filter(actor_id=principal.actor_id, subject_id=principal.subject_id)


def import_(principal: Principal, import_id: str | uuid.UUID) -> Import:
    return _one(imports(principal), import_id)


def own_rules(principal: Principal) -> models.QuerySet[OwnRule]:
    """The rules that the person made for themselves."""
    return OwnRule.objects.filter(namespace__membership_id=principal.subject_id, namespace__membership__isnull=False)


def own_rule(principal: Principal, rule_id: str | uuid.UUID) -> OwnRule:
    return _one(own_rules(principal), rule_id)


def self_of(principal: Principal) -> Membership | None:
    """The person whom the caller is or works for, as they are now."""
    return Membership.objects.filter(pk=principal.subject_id).first() if principal.subject_id else None


def extractions(principal: Principal) -> models.QuerySet[Extraction]:
    """The conversations that the caller handed over for its subject; a person sees all that are about them."""
    rows = Extraction.objects.filter(subject_id=principal.subject_id)
    return rows if principal.is_person else rows.filter(actor_id=principal.actor_id)


def extraction(principal: Principal, extraction_id: str | uuid.UUID) -> Extraction:
    return _one(extractions(principal), extraction_id)


def reviewer(external_id: str) -> Membership | None:
    """The person of this name when they hold the reviewer role."""
    person = Membership.objects.filter(external_id=external_id, is_active=True).first()
    return person if person is not None and person.has_role(Role.REVIEWER) else None


def changeable(principal: Principal) -> list[Namespace]:
    """The namespaces in which the caller may forget, pause and resume."""
    return [namespace for namespace in readable(principal) if may_change(principal, namespace)]


def governed(principal: Principal, ref: NamespaceRef) -> Namespace | None:
    """The agent's, team's or project's namespace that an admin may empty without reading it."""
    if not (principal.is_person and principal.has_role(Role.ADMIN)) or ref.id is None or ref.type == "user":
        return None
    owner = Q(agent__slug=ref.id) if ref.type == "agent" else Q(group__slug=ref.id)
    return _namespaces().filter(owner, type=ref.type).first()


def namespaces(chosen: Q) -> list[Namespace]:
    """Namespaces of the whole tenant, for a forgetting that crosses them."""
    return list(_namespaces().filter(chosen))


def place(principal: Principal, namespace_id: uuid.UUID) -> Namespace:
    """A namespace in which the caller may forget; an admin also those of agents, teams and projects."""
    found = {namespace.pk: namespace for namespace in changeable(principal)}.get(namespace_id)
    if found is None and principal.is_person and principal.has_role(Role.ADMIN):
        found = _namespaces().exclude(type="user").filter(pk=namespace_id).first()
    if found is None:
        raise NotVisible
    return found


def agent(principal: Principal, **named: object) -> Agent:
    """An agent that works for the caller's subject or belongs to them; an agent without a subject knows itself."""
    mine = Q(pk=principal.agent_id)
    if principal.subject_id is not None:
        mine |= Q(acts_for_everyone=True) | Q(acts_for=principal.subject_id) | Q(owner_id=principal.subject_id)
    found = Agent.objects.filter(mine, **named).first()
    if found is None:
        raise NotVisible
    return found


def agents(principal: Principal) -> list[Agent]:
    """The agents that work for the caller's subject or belong to them, by name."""
    mine = Q(acts_for=principal.subject_id) | Q(owner_id=principal.subject_id) | Q(acts_for_everyone=True)
    return list(Agent.objects.filter(mine).distinct().order_by("slug")) if principal.subject_id else []


def saved_views(principal: Principal) -> models.QuerySet[SavedView]:
    """The views that the person keeps."""
    return SavedView.objects.filter(namespace__membership_id=principal.subject_id, namespace__membership__isnull=False)


def saved_view(principal: Principal, view_id: str | uuid.UUID) -> SavedView:
    return _one(saved_views(principal), view_id)


def reveal(principal: Principal, reveal_id: str | uuid.UUID) -> Reveal:
    """One of the caller's own, about a person who is still there."""
    rows = Reveal.objects.select_related("namespace__membership").filter(namespace__membership__is_active=True)
    return _one(rows.filter(reader_id=principal.subject_id), reveal_id)


def place_of(person: Membership) -> Namespace:
    """Where what is remembered about a person stands."""
    return Namespace.objects.get_or_create(membership=person, defaults={"type": Namespace.Type.USER})[0]


def person(principal: Principal, external_id: str) -> Membership:
    """The caller themself; for an admin and for the service anyone who was not forgotten yet."""
    known = Membership.objects.filter(external_id=external_id, is_active=True)
    if not principal.is_system and not (principal.is_person and principal.has_role(Role.ADMIN)):
        known = known.filter(pk=principal.subject_id)
    found = known.first()
    if found is None:
        raise NotVisible
    return found


def tenant(principal: Principal, slug: str) -> Tenant:
    """The caller's own tenant, for an admin or for the service."""
    found = Tenant.objects.filter(pk=principal.tenant_id, slug=slug).first()
    if found is None or not (principal.is_system or (principal.is_person and principal.has_role(Role.ADMIN))):
        raise NotVisible
    return found


def _one(rows: models.QuerySet[Row], row_id: str | uuid.UUID) -> Row:
    """The row of this id; a malformed id answers as an absent one."""
    try:
        wanted = row_id if isinstance(row_id, uuid.UUID) else uuid.UUID(row_id)
    except ValueError:
        raise NotVisible from None
    row = rows.filter(pk=wanted).first()
    if row is None:
        raise NotVisible
    return row


def _namespaces() -> models.QuerySet[Namespace]:
    return Namespace.objects.select_related("tenant", "membership", "agent", "group").order_by("created_at")


# Each is a few ids, so that an index finds them: a condition on the owner of an agent would read every namespace.
_OWNED: Prepared[Any] = Prepared(
    lambda subject, agents, groups, caller: (
        _namespaces()
        .filter(any_of("membership_id", subject) | any_of("agent_id", agents) | any_of("group_id", groups))
        .annotate(
            shut_out=Exists(OwnRule.objects.filter(namespace=OuterRef("pk"), type=OwnRule.Type.AGENT, digest=caller))
        )
    )
)
_GROUPS_OF_PERSON = Prepared(
    lambda person: GroupMember.objects.filter(membership_id=person).values_list("group_id", flat=True)
)
_GROUPS_OF_AGENT = Prepared(lambda agent: AgentGroup.objects.filter(agent_id=agent).values_list("group_id", flat=True))


def _person_groups(membership_id: uuid.UUID) -> set[uuid.UUID]:
    return set(_GROUPS_OF_PERSON(person=membership_id))


def _groups(principal: Principal) -> set[uuid.UUID]:
    """Groups of the subject; for an agent only those it works in too. Nobody's past right counts: it is asked anew."""
    if principal.subject_id is None:
        return set()
    groups = _person_groups(principal.subject_id)
    if principal.agent_id and groups:
        groups &= set(_GROUPS_OF_AGENT(agent=principal.agent_id))
    return groups


def _is_own(principal: Principal, namespace: Namespace) -> bool:
    return (
        namespace.membership_id == principal.subject_id
        if namespace.type == "user"
        else (namespace.agent_id is not None and namespace.agent_id == principal.agent_id)
    )


def _agents(principal: Principal) -> list[uuid.UUID]:
    """The agent itself, or those that the person owns."""
    if principal.agent_id:
        return [principal.agent_id]
    if not principal.is_person:
        return []
    return list(Agent.objects.filter(owner_id=principal.subject_id).values_list("pk", flat=True))


def _make_missing(
    principal: Principal, agents: list[uuid.UUID], groups: set[uuid.UUID], found: list[Namespace]
) -> bool:
    """Make the namespaces that nobody has used yet; tells whether there were any."""
    wanted = [("user", "membership_id", principal.subject_id)] if principal.subject_id else []
    wanted += [("agent", "agent_id", agent) for agent in agents]
    absent = groups - {namespace.group_id for namespace in found}
    if absent:
        wanted += [(group.type, "group_id", group.pk) for group in Group.objects.filter(pk__in=absent)]
    have = {owner for row in found for owner in (row.membership_id, row.agent_id, row.group_id) if owner}
    made = [Namespace(type=type_, **{column: owner}) for type_, column, owner in wanted if owner not in have]
    Namespace.objects.bulk_create(made, ignore_conflicts=True)
    return bool(made)
