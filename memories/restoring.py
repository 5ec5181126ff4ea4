"""After a backup was restored: forget again what the erasure ledger knows and this database does not."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q

from accounts import tenancy
from accounts.models import Membership, Tenant
from accounts.principals import Principal, system
from memories import access, ledger
from memories.access import namespaces
from memories.actions import Part, scopes
from memories.actions.forget import erase
from memories.actions.scopes import Choice, ForgetFilter
from memories.ledger import Entry
from memories.models import Candidate, Erasure, Evidence, Memory, Namespace, Slot, SourceMarker

AGAIN = "memory.forget_again"


def replay() -> int:
    """Carry out what is missing, oldest first, each in a transaction of its own; returns how many. Safe to run again.

    Reads the whole ledger; raises LedgerBroken.
    """
    entries, missing = list(ledger.entries()), ledger.missing()
    found = [entry for entry in entries if entry["erasure"] in missing]
    for entry in found:
        with tenancy.entered(uuid.UUID(entry["tenant"])), tenancy.atomic():
            _forget_again(system(uuid.UUID(entry["tenant"])), entry)
    return len(found)


def _forget_again(principal: Principal, entry: Entry) -> None:
    """Everything in this database is older than the forgetting, so all that the entry names goes."""
    at = datetime.fromisoformat(entry["at"])
    Erasure.objects.filter(pk=entry["erasure"]).delete()  # a plan that was not confirmed yet
    receipt = Erasure(
        pk=uuid.UUID(entry["erasure"]),
        scope=entry["scope"],
        target_id=_id(entry["target"]),
        actor_id=_id(entry["actor"]),
        subject_id=_id(entry["subject"]),
    )
    choice = _choice(principal, entry)
    places = list(choice.namespaces) if choice is not None else namespaces(Q(pk__in=_places(entry)))
    access.lock(places)
    parts = scopes.parts_of(choice) if choice is not None else []
    if entry["scope"] not in ledger.BY_THEMSELVES:
        _close(entry, places, at)
        parts = _named(entry, places, parts)
    erase(principal, receipt, parts, at, action=AGAIN, choice=choice)


def _choice(principal: Principal, entry: Entry) -> Choice | None:
    """What is found by itself: a person, a tenant, or what rests on the evidence of a source."""
    match entry["scope"]:
        case Erasure.Scope.PERSON:
            person = Membership.objects.filter(pk=entry["target"], is_active=True).first()
            return scopes.choose(principal, ForgetFilter(person=person.external_id)) if person else None
        case Erasure.Scope.TENANT:
            return scopes.choose(principal, ForgetFilter(tenant=Tenant.objects.get(pk=entry["target"]).slug))
        case Erasure.Scope.SOURCE:
            places = namespaces(Q(pk__in=_places(entry)))
            rows = Evidence.objects.filter(pk__among=entry["evidence"])
            return Choice(
                Erasure.Scope.SOURCE,
                places,
                Memory.objects.kept().filter(namespace__in=places, evidence__in=rows),
                Candidate.objects.filter(namespace__in=places, evidence__in=rows, statement__isnull=False),
                evidence=rows,
            )
    return None


def _places(entry: Entry) -> set[str]:
    """The namespaces that an entry speaks of."""
    rows = (
        Memory.objects.filter(pk__among=entry.get("memories", ())),
        Candidate.objects.filter(pk__among=entry.get("candidates", ())),
    )
    held = {str(pk) for found in rows for pk in found.values_list("namespace_id", flat=True)}
    return held | {row[0] for name in ("slots", "sources") for row in entry.get(name, ())}


def _close(entry: Entry, places: Sequence[Namespace], at: datetime) -> None:
    """Keys and sources that this database never knew are closed too."""
    known = {str(place.pk) for place in places}
    Slot.objects.bulk_create(
        [
            Slot(pk=uuid.UUID(pk), namespace_id=uuid.UUID(place), digest=digest, forgotten_at=at)
            for place, pk, digest in entry["slots"]
            if place in known
        ],
        ignore_conflicts=True,
    )
    SourceMarker.objects.bulk_create(
        [
            SourceMarker(namespace_id=uuid.UUID(place), source_digest=digest, forgotten_at=at, whole=whole)
            for place, digest, whole in entry["sources"]
            if place in known
        ],
        update_conflicts=True,
        unique_fields=["namespace", "source_digest"],
        update_fields=["forgotten_at", "whole"],
    )


def _named(entry: Entry, places: Sequence[Namespace], found: Sequence[Part]) -> list[Part]:
    """What the entry names, and what was found besides, by namespace."""
    slots: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    singles: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    waiting: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    digests = {digest: uuid.UUID(place) for place, _, digest in entry["slots"]}
    for pk, place, digest in Slot.objects.filter(digest__in=digests).values_list("pk", "namespace_id", "digest"):
        if digests[digest] == place:
            slots[place].add(pk)
    for rows, sink in (
        (Memory.objects.kept().filter(pk__among=entry["memories"]), singles),
        (Candidate.objects.filter(pk__among=entry["candidates"]), waiting),
    ):
        for pk, place in rows.values_list("pk", "namespace_id"):
            sink[place].add(pk)
    moved = {}
    for part in found:
        place = part.namespace.pk
        slots[place].update(part.slot_ids)
        singles[place].update(part.memory_ids)
        waiting[place].update(part.candidate_ids)
        moved[place] = part.moved
    return [
        Part(
            place,
            slot_ids=sorted(slots[place.pk]),
            memory_ids=sorted(singles[place.pk]),
            candidate_ids=sorted(waiting[place.pk]),
            moved=moved.get(place.pk, {}),
        )
        for place in places
    ]


def _id(text: str) -> uuid.UUID | None:
    return uuid.UUID(text) if text else None
