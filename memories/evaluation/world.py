"""A scratch world: tenants, people, agents and groups of one run, with the verbs as a door would call them.

Everything happens inside one transaction that is rolled back at the end, also after a crash, so nothing stays and no
other tenant's rows are touched. On SQLite that transaction is the only writer for as long as it lasts.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection, transaction

from accounts import tenancy
from accounts.errors import InvalidInput, MemoryHubError, NotVisible
from accounts.models import Agent, Membership, Tenant
from accounts.principals import ActorKind, Principal, Scope
from accounts.provisioning import provision_tenant
from memories import access, actions, recalling, tenant_policy, write_gate
from memories.access import NamespaceRef
from memories.evaluation.cast import REVIEWER, RUNTIME, Cast
from memories.evaluation.names import Name
from memories.inputs import EvidenceInput, ProposalInput
from memories.models import Evidence, Namespace, PolicyVersion
from memories.policy import Policy, default_document, load, merge
from memories.recalling import Recalled, RecallInput
from memories.search import rows
from memories.write_gate import EvidenceClass, Outcome

ALL_SCOPES = frozenset(scope.value for scope in Scope)
ACTIVE = frozenset({Outcome.store, Outcome.supersede, Outcome.keep})
ATTESTED_AS = {
    EvidenceClass.explicit_user: Evidence.Type.USER_MESSAGE,
    EvidenceClass.verified_reviewer: Evidence.Type.REVIEW,
    EvidenceClass.business_record: Evidence.Type.BUSINESS_RECEIPT,
    EvidenceClass.tool_output: Evidence.Type.TOOL_OUTPUT,
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Whom a trusted runtime says it works for, as which agent, with which scopes."""

    tenant: str
    person: str | None = None
    agent: str = RUNTIME
    scopes: frozenset[str] = ALL_SCOPES


@dataclass(frozen=True, slots=True)
class Source:
    """The event behind a proposal; the same source cited twice is the same event."""

    evidence_class: EvidenceClass
    ref: str
    run_id: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a case asks to remember."""

    name: Name | None
    kind: str
    key: str
    statement: str
    valid_until: Any = None
    reusable: bool | None = None
    sensitivity: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """The gate's answer in codes, and the memory that came of it."""

    outcome: str
    reason: str
    memory_id: uuid.UUID | None = None
    superseded: Sequence[uuid.UUID] = ()

    @property
    def is_active(self) -> bool:
        return self.outcome in ACTIVE


@contextmanager
def scratch(cast: Cast, policy: Mapping[str, str]) -> Iterator[World]:
    """A world with this cast under the default policy with these fields replaced; nothing of it outlives the block."""
    world = World()
    try:
        with transaction.atomic():
            for tenant in cast.owners:
                world.settle(tenant, cast, policy)
            yield world
            transaction.set_rollback(True)
    finally:
        for namespace_id in world.searched:
            rows.index().forget(namespace_id)


class World:
    """The tenants of one run by the labels of the cases."""

    def __init__(self) -> None:
        self.searched: set[uuid.UUID] = set()
        self._tenants: dict[str, uuid.UUID] = {}
        self._principals: dict[Caller, Principal] = {}
        self._events: dict[tuple[Caller, Source], str] = {}

    def settle(self, label: str, cast: Cast, overrides: Mapping[str, str]) -> None:
        """Make one tenant with its people, groups, agents and policy."""
        slug = f"evaluation-{uuid.uuid4().hex}"
        tenant = Tenant.objects.create(slug=slug, name="evaluation", encrypts=False)  # its keys would outlive it
        self._tenants[label] = tenant.pk
        with self.entered(label):
            provision_tenant(cast.document(label, slug), "tenants")
            document = merge(_default(), overrides)
            pk = _policy_id(tuple(overrides.items()), len(self._tenants))
            PolicyVersion.objects.create(pk=pk, version=1, document=document, is_active=True)

    @contextmanager
    def entered(self, tenant: str) -> Iterator[None]:
        """Make a tenant active. Inside the run's own transaction PostgreSQL must be told of every change of tenant."""
        tenant_id = self._tenants[tenant]
        with tenancy.entered(tenant_id):
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("SELECT set_config('memoryhub.tenant', %s, true)", [str(tenant_id)])
            yield

    @property
    def tenants(self) -> list[str]:
        return list(self._tenants)

    def keeper(self, name: Name) -> Caller:
        """Who may do anything in a namespace: the person, the agent, or for a group its reviewer."""
        if name.type == "agent":
            return Caller(name.tenant, agent=name.owner)
        return Caller(name.tenant, person=name.owner if name.type == "user" else REVIEWER)

    def namespace(self, name: Name) -> Namespace:
        with self.entered(name.tenant):
            return access.area(self.principal(self.keeper(name)), ref_of(name.tenant, name)).namespace

    def principal(self, caller: Caller, run_id: str = "") -> Principal:
        """The caller as a door makes one; its tenant is active."""
        if caller not in self._principals:
            self._principals[caller] = self._identified(caller)
        return replace(self._principals[caller], run_id=run_id)

    def propose(self, caller: Caller, wish: Wish, source: Source, now: datetime) -> Judged:
        """Attest what happened and ask to remember. A namespace that the caller cannot name is the gate's to refuse."""
        with self.entered(caller.tenant):
            principal = self.principal(caller, source.run_id)
            try:
                item = ProposalInput(
                    namespace=ref_of(caller.tenant, wish.name),
                    kind=wish.kind,
                    key=wish.key,
                    statement=wish.statement,
                    aliases=wish.aliases,
                    evidence_id=self._attested(caller, principal, source, now),
                    reusable=wish.reusable,
                    valid_until=wish.valid_until,
                    sensitivity=wish.sensitivity,
                )
                proposed = actions.propose(principal, item, now=now)
            except NotVisible:
                return _without_namespace(wish, source, now)
            except InvalidInput as error:
                return Judged(Outcome.reject.value, error.errors[0].code if error.errors else error.code)
            except MemoryHubError as error:
                return Judged(Outcome.reject.value, error.code)
        memory_id = proposed.memory.pk if proposed.memory else None
        decision = proposed.decision
        return Judged(decision.outcome.value, decision.reason, memory_id, tuple(proposed.superseded))

    def recall(self, caller: Caller, asked: RecallInput, now: datetime) -> Recalled | None:
        """The answer to a question, or None when the call is refused."""
        with self.entered(caller.tenant):
            try:
                recalled = recalling.recall(self.principal(caller), asked, now=now)
            except MemoryHubError:
                return None
        self.searched.update(area.namespace.pk for area in recalled.areas)
        return recalled

    def _identified(self, caller: Caller) -> Principal:
        agent = Agent.objects.get(slug=caller.agent)
        person = Membership.objects.get(external_id=caller.person) if caller.person is not None else None
        return Principal(
            tenant_id=self._tenants[caller.tenant],
            actor=ActorKind.AGENT,
            actor_id=agent.pk,
            subject_id=person.pk if person else None,
            agent_id=agent.pk,
            scopes=caller.scopes,
            roles=frozenset(person.roles) if person else frozenset(),
        )

    def _attested(self, caller: Caller, principal: Principal, source: Source, now: datetime) -> str | None:
        """The evidence of a source. What no runtime attests is an inference."""
        type_ = ATTESTED_AS.get(source.evidence_class)
        if type_ is None:
            return None
        if (caller, source) not in self._events:
            reviewer = REVIEWER if type_ == Evidence.Type.REVIEW else None
            event = EvidenceInput(type=type_.value, ref=source.ref, occurred_at=now, reviewer=reviewer)
            self._events[caller, source] = str(actions.attest(principal, event).pk)
        return self._events[caller, source]


def ref_of(tenant: str, name: Name | None) -> NamespaceRef:
    """How a caller of a tenant names a namespace. Another tenant's has no name there, nor has a malformed one."""
    if name is None:
        return NamespaceRef("", "")
    if name.tenant != tenant:
        return NamespaceRef(name.type, "/".join(name.parts))
    return NamespaceRef(name.type, name.owner, name.path)


def policy_of(overrides: Mapping[str, str]) -> Policy:
    """The default policy with these fields replaced."""
    return _policy(tuple(overrides.items()))


@cache
def _policy(overrides: tuple[tuple[str, str], ...]) -> Policy:
    return load(merge(_default(), dict(overrides)))


@cache
def _policy_id(overrides: tuple[tuple[str, str], ...], place: int) -> uuid.UUID:
    """One id for the same document at the same place in every world of this process, so that it is parsed once."""
    return uuid.uuid4()


@cache
def _default() -> dict[str, Any]:
    return default_document()


def _without_namespace(wish: Wish, source: Source, now: datetime) -> Judged:
    """What the gate says where there is no namespace to write to; no row can hold the text."""
    decision = write_gate.decide(
        write_gate.Proposal(
            namespace_type=None,
            kind=wish.kind,
            key=wish.key,
            statement=wish.statement,
            reusable=wish.reusable,
            sensitivity=wish.sensitivity,
            free_texts={"statement": wish.statement, "key": wish.key, "ref": source.ref, "run": source.run_id},
        ),
        write_gate.Evidence(evidence_class=source.evidence_class, occurred_at=now),
        tenant_policy.active(),
        write_gate.Slot(),
        now,
    )
    return Judged(decision.outcome.value, decision.reason)
