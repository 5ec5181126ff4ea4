"""One person of a measured tenant, calling the verbs as a door would: without HTTP, in this process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar
from uuid import UUID

from accounts import tenancy
from accounts.models import Membership, Tenant
from accounts.principals import PERSON_SCOPES, ActorKind, Principal
from memories import actions, recalling
from memories.access import NamespaceRef
from memories.inputs import ProposalInput
from memories.models import Memory, Namespace
from memories.recalling import Recalled, RecallInput
from memories.vectors import Means, Vector
from memories.write_gate import Outcome
from memoryhub.management import many

Answer = TypeVar("Answer")


class Refused(RuntimeError):
    """A write that the gate should have let through; the message holds a code."""


class Person:
    """Whom the tenant knows under this external id."""

    def __init__(self, external_id: str, tenant: str = many.TENANT) -> None:
        self._external_id, self._tenant = external_id, tenant

    @cached_property
    def tenant_id(self) -> UUID:
        return Tenant.objects.get(slug=self._tenant).pk

    @cached_property
    def principal(self) -> Principal:
        person = self.inside(lambda: Membership.objects.get(external_id=self._external_id))
        return Principal(self.tenant_id, ActorKind.PERSON, person.pk, person.pk, scopes=PERSON_SCOPES)

    @cached_property
    def namespace_id(self) -> UUID:
        return self.inside(lambda: Namespace.objects.get(membership_id=self.principal.subject_id).pk)

    def inside(self, call: Callable[[], Answer]) -> Answer:
        with tenancy.entered(self.tenant_id):
            return call()

    def recall(
        self,
        query: str,
        meant: tuple[Vector, Means] | None = None,
        limit: int | None = None,
        kinds: tuple[str, ...] | None = None,
    ) -> Recalled:
        """The whole verb with its trace and event; `meant` is the question as a vector made before."""
        asked = RecallInput(query=query, limit=limit, kinds=kinds)
        return self.inside(lambda: recalling.recall(self.principal, asked, meant=meant))

    def remember(self, key: str, statement: str) -> UUID:
        """Store it, or replace what stands under the key."""
        item = ProposalInput(NamespaceRef("user"), "preference", key, statement, reusable=True)
        made = self.inside(lambda: actions.propose(self.principal, item))
        if made.decision.outcome not in (Outcome.store, Outcome.supersede) or made.memory is None:
            raise Refused(made.decision.reason)
        return made.memory.pk

    def forget(self, memory_id: UUID) -> None:
        self.inside(lambda: actions.forget(self.principal, str(memory_id)))

    def memory(self, memory_id: UUID) -> Memory:
        return self.inside(lambda: Memory.objects.get(pk=memory_id))
