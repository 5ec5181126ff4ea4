"""A table of many memories in many namespaces of one tenant, as the verbs write them, made in bulk; and its size.

Invented words of a Zipf-like vocabulary, random unit vectors, namespaces of log-normal size. Rows arrive in random
order, so that those of one namespace lie far apart in the table: the worst case for reading one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

import numpy as np
from django.db import OperationalError, connection
from django.utils import timezone

from accounts import secrets, tenancy
from accounts.ids import uuid7
from accounts.models import Membership, User
from accounts.principals import system
from accounts.provisioning import provision_tenant
from accounts.tenancy import TenantModel
from memories import tenant_policy
from memories.models import Evidence, Feature, Memory, Namespace, Slot
from memories.search import facts
from memories.search.rows import term_secret
from memories.vectors import Means, Vector, pack, unit

TENANT = "measured"
EMBEDDER, DIMS, POOL = "measured-384", 384, 20_000
WORDS, WORDS_EACH = 50_000, 18  # with the two of its key a memory has about 20 terms
MEDIAN, MOST = 300, 20_000
CHUNK = 2000
SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "xu", "hy")
TABLES = (Memory._meta.db_table, Feature._meta.db_table)


@dataclass(frozen=True, slots=True)
class Table:
    """What was made: the tenant, and how many memories there are."""

    tenant_id: UUID
    memories: int


class Invention:
    """Texts and vectors, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = np.random.default_rng(seed)

    def texts(self, count: int, words: int) -> list[str]:
        """So many texts of so many words each."""
        drawn = self._chance.choice(self._vocabulary, (count, words), p=self._shares)
        return [" ".join(row) for row in drawn]

    def vectors(self, count: int) -> Vector:
        return unit(self._chance.standard_normal((count, DIMS)))

    @cached_property
    def means(self) -> Means:
        """Language means as an embedder has them: one direction that all vectors share a little."""
        near = {language: vector * 0.1 for language, vector in zip(("en", "zh"), self.vectors(2), strict=True)}
        return Means(EMBEDDER, near, near)

    @cached_property
    def _vocabulary(self) -> np.ndarray:
        """Common words are short, as in any language."""
        drawn = np.random.default_rng(1).integers(0, len(SYLLABLES), (WORDS, 4))
        return np.array(["".join(SYLLABLES[one] for one in row[: 3 + (at > 1000)]) for at, row in enumerate(drawn)])

    @cached_property
    def _shares(self) -> np.ndarray:
        weights = 1 / (np.arange(WORDS) + 2.7) ** 1.07
        return weights / weights.sum()


def fill(rows: int, people: dict[str, int]) -> Table:
    """One tenant with so many rows: these people with so many memories each, and others with the rest between them."""
    chance = np.random.default_rng(rows)
    sizes = [*people.values(), *_other_sizes(rows - sum(people.values()), chance)]
    names = [*people, *(f"other_{number}" for number in range(len(sizes) - len(people)))]
    tenant, _ = provision_tenant({"slug": TENANT}, "bench")
    with tenancy.entered(tenant.pk):
        tenant_policy.activate(system(tenant.pk), {"confirm": "inferred_only"})
        owners = _namespaces(names, sizes)
        arrivals = np.repeat(np.arange(len(owners)), sizes)
        chance.shuffle(arrivals)
        _write(owners, arrivals.tolist(), len(people))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "PRAGMA wal_checkpoint(TRUNCATE)")
    return Table(tenant.pk, sum(sizes))


def give_vector(memory: Memory, vector: Vector) -> None:
    """Fill in the vector of one memory, as indexing does: one change of its namespace."""
    with tenancy.atomic():
        namespace = Namespace.objects.select_for_update().get(pk=memory.namespace_id)
        namespace.revision += 1
        namespace.save(update_fields=["revision"])
        feature = Feature(pk=memory.pk, namespace=namespace, vector=pack(vector), embedder=EMBEDDER)
        feature.save(force_update=True, update_fields=["vector", "embedder"])
        Memory.objects.filter(pk=memory.pk).update(rev=namespace.revision)


def bytes_of_database() -> int:
    """The whole of it: its file, or all relations on PostgreSQL."""
    whole = {
        "postgresql": "SELECT pg_database_size(current_database())",
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    }
    with connection.cursor() as cursor:
        cursor.execute(whole[connection.vendor])
        return int(cursor.fetchone()[0])


def bytes_of_tables() -> dict[str, int]:
    """The memories and their features, each table and each index; empty where SQLite was built without dbstat."""
    parts = {
        "postgresql": """
            SELECT relname, pg_table_size(oid) FROM pg_class WHERE relname = ANY(%s)
            UNION ALL SELECT i.relname, pg_relation_size(i.oid) FROM pg_index x
            JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid WHERE t.relname = ANY(%s)""",
        "sqlite": """
            SELECT s.name, s.pgsize FROM dbstat s JOIN sqlite_master m ON m.name = s.name
            WHERE s.aggregate = TRUE AND m.tbl_name IN (%s, %s)""",
    }
    given = {"postgresql": [list(TABLES)] * 2, "sqlite": list(TABLES)}
    try:
        with connection.cursor() as cursor:
            cursor.execute(parts[connection.vendor], given[connection.vendor])
            return {name: int(size) for name, size in cursor.fetchall()}
    except OperationalError:
        return {}


def _other_sizes(left: int, chance: np.random.Generator) -> Iterator[int]:
    while left > 0:
        size = min(left, MOST, max(1, int(chance.lognormal(np.log(MEDIAN)))))
        left -= size
        yield size


@dataclass
class _Owner:
    """A namespace while it is filled."""

    namespace: Namespace
    evidence: Evidence
    secret: bytes
    rows: int = 0


def _namespaces(names: Sequence[str], sizes: Sequence[int]) -> list[_Owner]:
    now = timezone.now()
    users = [User(email=f"{name}@measured.example") for name in names]
    people = [Membership(user=user, external_id=name) for user, name in zip(users, names, strict=True)]
    namespaces = [
        Namespace(type="user", membership=person, revision=size) for person, size in zip(people, sizes, strict=True)
    ]
    events = [
        Evidence(type="user_message", subject=one, occurred_at=now, source_digest=secrets.digest("source", name))
        for one, name in zip(people, names, strict=True)
    ]
    for model, rows in ((User, users), (Membership, people), (Namespace, namespaces), (Evidence, events)):
        model._default_manager.bulk_create(rows, batch_size=CHUNK)  # type: ignore[attr-defined]
    return [_Owner(one, event, term_secret(one.pk)) for one, event in zip(namespaces, events, strict=True)]


def _write(owners: Sequence[_Owner], arrivals: Sequence[int], known: int) -> None:
    """The rows in this order. The terms of the first `known` owners are their own, so that they can be asked; those of
    the others are of the right size, and nobody's."""
    invention, now = Invention(7), timezone.now()
    vectors = [pack(vector) for vector in invention.vectors(min(POOL, len(arrivals)))]
    texts = [f"{text}." for text in invention.texts(min(POOL, len(arrivals)), WORDS_EACH)]
    strange = [facts.of(text, b"nobody's", key=f"habit_{number}") for number, text in enumerate(texts[:2000])]
    slots, memories, features = _samples(owners[0], strange[0], now)
    for start in range(0, len(arrivals), CHUNK):
        made: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
        for number, place in enumerate(arrivals[start : start + CHUNK], start):
            owner = owners[place]
            owner.rows += 1
            slot, memory, key = uuid7(), uuid7(), f"habit_{owner.rows}"
            text = texts[number * 7 % len(texts)] if place >= known else f"{invention.texts(1, WORDS_EACH)[0]}."
            found = strange[number % len(strange)] if place >= known else facts.of(text, owner.secret, key=key)
            namespace = owner.namespace.pk
            made[0].append((slot, namespace, secrets.digest("slot", str(namespace), "", "preference", key)))
            made[1].append((memory, namespace, slot, owner.evidence.pk, owner.rows, key, text))
            vector = vectors[number % len(vectors)]
            made[2].append((memory, namespace, found.terms, found.length, found.names, int(found.traits), vector))
        with tenancy.atomic():
            for sample, rows in zip((slots, memories, features), made, strict=True):
                sample.insert(rows)


def _samples(owner: _Owner, found: facts.Facts, now: datetime) -> tuple[_Sample, _Sample, _Sample]:
    slot = Slot(namespace=owner.namespace, last_version=1)
    memory = Memory(
        namespace=owner.namespace,
        slot=slot,
        version=1,
        kind="preference",
        evidence=owner.evidence,
        evidence_class="explicit_user",
        provenance={"evidence_type": "user_message", "ref": "m"},
        policy_version=1,
        confirmed_at=now,
        updated_at=now,
    )
    made = asdict(found) | {"embedder": EMBEDDER}
    feature = Feature(memory=memory, namespace=owner.namespace, **made)
    return (
        _Sample(slot, ("id", "namespace_id", "digest")),
        _Sample(memory, ("id", "namespace_id", "slot_id", "evidence_id", "rev", "key", "statement")),
        _Sample(feature, ("memory_id", "namespace_id", "terms", "length", "names", "traits", "vector")),
    )


class _Sample:
    """A row of which many are wanted that differ in some columns: inserting them costs a tenth of making models."""

    def __init__(self, row: TenantModel, varying: Sequence[str]) -> None:
        row.tenant_id = tenancy.current_id()
        fields = sorted(row._meta.concrete_fields, key=lambda field: field.attname not in varying)
        first = sorted(fields[: len(varying)], key=lambda field: varying.index(field.attname))
        self._kept = tuple(
            field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields[len(varying) :]
        )
        columns = ", ".join(connection.ops.quote_name(field.column) for field in [*first, *fields[len(varying) :]])
        self._insert = f"INSERT INTO {row._meta.db_table} ({columns}) VALUES ({', '.join(['%s'] * len(fields))})"  # noqa: S608

    def insert(self, rows: Iterable[tuple[Any, ...]]) -> None:
        as_text = connection.vendor == "sqlite"  # which has no type for ids
        with connection.cursor() as cursor:
            cursor.executemany(
                self._insert,
                [
                    tuple(one.hex if as_text and isinstance(one, UUID) else one for one in row) + self._kept
                    for row in rows
                ],
            )
