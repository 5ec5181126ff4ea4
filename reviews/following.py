"""Whoever follows an entry of the playbook, or all of a place's, is told what becomes of it while they may see it.

What is told is read from what stands: a new version, an entry out of use, an end that comes near.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast

from accounts import audit, tenancy
from accounts.errors import NotVisible
from accounts.models import GroupMember, Membership
from accounts.principals import Principal, Role
from memories import access
from memories.models import Memory, MemoryQuerySet, Namespace, Slot
from memories.playbook import entries
from reviews.models import Follow, Notice

KEPT = timedelta(days=30)
"""How long a new version is news."""


def follow_entry(principal: Principal, memory_id: uuid.UUID) -> Follow:
    """Follow the entry that a version belongs to. Raises NotVisible where the caller sees no such entry."""
    entry = access.playbook_memory(principal, memory_id)
    return _follow(principal, entry.namespace, entry.slot)


def follow_place(principal: Principal, namespace_id: uuid.UUID) -> Follow:
    """Follow every entry of a team, project or agent, those to come too. Raises NotVisible for any other place."""
    for place in access.playbook(principal):
        if place.pk == namespace_id:
            return _follow(principal, place, None)
    raise NotVisible


def unfollow(principal: Principal, follow_id: uuid.UUID) -> None:
    """Follow it no longer; what was told of it goes. Raises NotVisible for what the caller does not follow."""
    with tenancy.atomic():
        gone, _ = Follow.objects.filter(pk=follow_id, membership_id=principal.subject_id).delete()
        if not gone:
            raise NotVisible
        audit.record(principal, "playbook.unfollow", target="follow", target_id=follow_id)


def mine(principal: Principal) -> QuerySet[Follow]:
    """What the caller follows and still sees, newest first; `entry_id` is the current version of an entry."""
    rows = Follow.objects.filter(membership_id=principal.subject_id, namespace__in=access.playbook(principal))
    current = Memory.objects.current().filter(slot=OuterRef("slot")).values("pk")[:1]
    rows = rows.annotate(entry_id=Subquery(current))
    return rows.select_related("namespace__agent", "namespace__group").order_by("-pk")


def buttons(membership: Membership) -> Mapping[tuple[uuid.UUID, uuid.UUID | None], Follow]:
    """What a person follows, by place and slot, for the buttons of a whole page."""
    return {(row.namespace_id, row.slot_id): row for row in Follow.objects.filter(membership=membership)}


def drop_unseen() -> int:
    """Let go of what is followed by people who left or may see the place no longer; how many that were."""
    gone, _ = Follow.objects.exclude(pk__in=_seen().values("pk")).delete()
    return gone


def with_restored(principal: Principal, memory_ids: Collection[uuid.UUID]) -> list[Memory]:
    """Those entries that the caller sees, each with `restores`: which earlier version it says again, or None."""
    found = list(entries.standing(principal).filter(pk__in=memory_ids))
    older: dict[object, list[Memory]] = {}
    for one in Memory.objects.filter(slot__in=[one.slot_id for one in found], status=Memory.Status.SUPERSEDED):
        older.setdefault(one.slot_id, []).append(one)
    for one in found:
        said = (one.statement, one.value, one.conditions)
        same = [old for old in older.get(one.slot_id, ()) if (old.statement, old.value, old.conditions) == said]
        before = max((old.version for old in older.get(one.slot_id, ())), default=0)
        again = max((old.version for old in same), default=None)
        one.restores = again if again != before else None  # type: ignore[attr-defined]
    return found


def pairs(kind: str, now: datetime) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """Who has to be told of which memories by a notice of this kind, told or not."""
    found: list[tuple[uuid.UUID, uuid.UUID]] = []
    what = WHAT[kind](Memory.objects.current().filter(entries.of_playbook()), now)
    for path, follows in (
        ("slot__versions", _seen().filter(slot__isnull=False)),
        ("namespace__memories", _seen().filter(slot=None)),
    ):
        told = Notice.objects.filter(kind=kind, target_id=OuterRef("entry"), membership=OuterRef("membership"))
        rows = follows.annotate(entry=F(f"{path}__pk"), since=F(f"{path}__created_at"))
        rows = rows.filter(~Exists(told), entry__in=what.values("pk"))
        if kind == Notice.Kind.CHANGED:
            rows = rows.filter(since__gt=F("created_at"))
        found += rows.values_list("membership_id", "entry")[:BATCH]
    return found


def holds(kind: str, now: datetime) -> Q:
    """Whether a notice of this kind is still so, and its reader still follows that and may see it."""
    follows = _seen().filter(membership=OuterRef(OuterRef("membership_id")))
    follows = follows.filter(Q(slot=OuterRef("slot")) | Q(slot=None, namespace=OuterRef("namespace")))
    what = WHAT[kind](Memory.objects.current(), now)
    return Q(Exists(what.filter(Exists(follows), pk=OuterRef("target_id"))), kind=kind)


BATCH = 1000


def _changed(rows: MemoryQuerySet, now: datetime) -> MemoryQuerySet:
    return rows.filter(created_at__gt=now - KEPT)


def _suspended(rows: MemoryQuerySet, now: datetime) -> MemoryQuerySet:
    return entries.in_state(rows, "suspended", now)


def _ending(rows: MemoryQuerySet, now: datetime) -> MemoryQuerySet:
    return entries.in_state(rows, "ending", now)


WHAT: Mapping[str, Callable[[MemoryQuerySet, datetime], MemoryQuerySet]] = {
    Notice.Kind.CHANGED: _changed,
    Notice.Kind.SUSPENDED: _suspended,
    Notice.Kind.ENDING: _ending,
}


def _seen() -> QuerySet[Follow]:
    """What is followed by who may still see the place: a member of it, who answers for the agent, or any reviewer."""
    member = GroupMember.objects.filter(group=OuterRef("namespace__group"), membership=OuterRef("membership"))
    rows = Follow.objects.alias(roles=Cast("membership__roles", TextField())).filter(membership__is_active=True)
    owns = Q(namespace__agent__owner=F("membership"))
    reviews = Q(namespace__type=Namespace.Type.AGENT, roles__contains=f'"{Role.REVIEWER.value}"')
    return rows.filter(Q(Exists(member)) | owns | reviews)


def _follow(principal: Principal, place: Namespace, slot: Slot | None) -> Follow:
    with tenancy.atomic():
        row, made = Follow.objects.get_or_create(membership_id=principal.subject_id, namespace=place, slot=slot)
        if made:
            audit.record(principal, "playbook.follow", target="follow", target_id=row.pk)
    return row
