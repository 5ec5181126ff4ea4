"""Already decided history for a scratch world: what stands there before a case begins, as no gate would be asked again.

Only here is a memory written that the gate did not see; `lifecycle` stays the writer.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from accounts import tenancy
from memories import access, actions, lifecycle, tenant_policy
from memories.evaluation.names import Name
from memories.evaluation.world import Source, Wish, World
from memories.inputs import end_of
from memories.models import Namespace
from memories.write_gate import EvidenceClass

WAITING = frozenset({"pending", "pending_confirmation", "needs_confirmation", "needs_review", "candidate"})
STANDING = frozenset({"active", "expired"})
KNOWN = STANDING | {"superseded", "deleted"}
STEP = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Record:
    """One version of the past under the id and the status that a case gives it."""

    id: str
    name: Name
    kind: str
    key: str
    statement: str
    evidence_class: EvidenceClass
    status: str = "active"
    version: int = 1
    valid_until: datetime | date | None = None

    @property
    def slot(self) -> tuple[Name, str, str]:
        return self.name, self.kind, self.key


def write(world: World, records: Iterable[Record], as_of: datetime) -> dict[uuid.UUID, str]:
    """Let the records come about one after the other before `as_of`; the ids of the cases by our own.

    Versions of a key follow each other, so of two active ones the later stands. What waits for a person is proposed as
    the guess it then still is. A status that others know, such as quarantined, takes a memory out of recall.
    """
    given = list(records)
    active = {record.slot for record in given if record.status == "active"}
    ordered = sorted(given, key=lambda record: (record.status != "superseded", record.version))
    ids: dict[uuid.UUID, str] = {}
    for index, record in enumerate(ordered):
        moment = as_of - STEP * (len(ordered) - index)
        if record.status in WAITING or (record.status not in KNOWN and record.slot in active):
            _hold(world, record, moment)
        else:
            ids[_write(world, record, moment)] = record.id
    return ids


def tell(
    namespace: Namespace, kind: str, key: str, statement: str, said: Mapping[str, Any], moment: datetime
) -> uuid.UUID:
    """One thing that was said, under a key of its own. The caller holds the tenant and the transaction."""
    content = lifecycle.Content(kind=kind, key=key, statement=statement)
    origin = lifecycle.Origin(EvidenceClass.explicit_user.value, tenant_policy.active().version, said=said)
    return lifecycle.store(lifecycle.make_slot(namespace, content), None, content, origin, moment).pk


def _write(world: World, record: Record, moment: datetime) -> uuid.UUID:
    namespace = world.namespace(record.name)
    with world.entered(record.name.tenant), tenancy.atomic():
        access.lock([namespace])
        policy = tenant_policy.active()
        rule = policy.kind(record.kind)
        kind = rule.name if rule else record.kind
        end = end_of(record.valid_until, "UTC")
        if record.status == "expired" and (end is None or end > moment):
            end = moment
        content = lifecycle.Content(
            kind=kind,
            key=record.key,
            statement=record.statement,
            path=record.name.path,
            valid_until=end,
        )
        origin = lifecycle.Origin(record.evidence_class.value, policy.version)
        slot = lifecycle.find_slot(namespace, content.path, kind, record.key)
        slot = slot or lifecycle.make_slot(namespace, content)
        memory = lifecycle.store(slot, lifecycle.current(slot), content, origin, moment)
        principal = world.principal(world.keeper(record.name))
        if record.status == "deleted":
            actions.forget(principal, str(memory.pk), now=moment)
        elif record.status not in STANDING:
            actions.pause(principal, str(memory.pk))
    return memory.pk


def _hold(world: World, record: Record, moment: datetime) -> None:
    wish = Wish(record.name, record.kind, record.key, record.statement, record.valid_until)
    world.propose(world.keeper(record.name), wish, Source(EvidenceClass.model_inference, record.id), moment)
