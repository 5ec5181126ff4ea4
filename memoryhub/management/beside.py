"""What is done inside the installation that stands beside its peers: making vectors, and asking without HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from uuid import UUID

from django.utils import timezone

from accounts import tenancy
from accounts.models import Tenant
from accounts.principals import system
from memories import embeddings, indexing
from memories.evaluation import ranked
from memories.evaluation.conversations import Question
from memories.evaluation.ranked import Judged
from memories.evaluation.vector_cache import Remembering, VectorCache
from memories.models import Feature, Memory
from memories.search import rows
from memories.search.index import Scope
from memories.vectors import Means, Vector
from memoryhub.management.person import Person

KIND = "episode"
"""As what the harness remembers everything."""
LIMIT = 10
FILLING_SECONDS = 5.0
RECALL, SEARCH = "in process, recall", "in process, search alone"

Ask = Callable[[Person, str, tuple[Vector, Means]], Sequence[UUID]]


@dataclass
class Asked:
    """Milliseconds of each question, and how good its answer was."""

    times: list[float] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)


def make_vectors(tenant: str, folder: str, memories: int) -> bool:
    """Make vectors for a while once this many memories stand there, each text once and kept in the folder.

    Returns whether all are made. The server's worker is at it too.
    """
    tenant_id, remembering = Tenant.objects.get(slug=tenant).pk, _remembering(folder)
    with tenancy.entered(tenant_id):
        if Feature.objects.count() < memories:
            return False
        made = indexing.fill_due(system(tenant_id), timezone.now(), seconds=FILLING_SECONDS, embedder=remembering)
    return not made["vectors_waiting"]


def ask(tenant: str, folder: str, questions: Sequence[Question]) -> dict[str, Asked]:
    """Every question, by the whole verb and by the search alone; the first of each namespace once more before."""
    remembering = _remembering(folder)
    means = embeddings.means(remembering.name)
    people = {one.namespace: Person(one.namespace, tenant) for one in questions}
    with tenancy.entered(next(iter(people.values())).tenant_id):
        keys = {pk: str(key) for pk, key in Memory.objects.values_list("pk", "key")}
    first = {one.namespace: one for one in reversed(questions)}.values()
    out: dict[str, Asked] = {}
    for name, call in ((RECALL, _recall), (SEARCH, _search)):
        asked = out[name] = Asked()
        for number, one in enumerate((*first, *questions), -len(first)):
            person, meant = people[one.namespace], (remembering.query(one.text), means)
            began = time.perf_counter()
            found = call(person, one.text, meant)
            took = (time.perf_counter() - began) * 1000
            if number >= 0:
                asked.times.append(took)
                asked.judged.append(ranked.judge([keys[pk] for pk in found], one.gold))
    return out


def _recall(person: Person, query: str, meant: tuple[Vector, Means]) -> Sequence[UUID]:
    return [item.memory.pk for item in person.recall(query, meant, LIMIT, (KIND,)).items]


def _search(person: Person, query: str, meant: tuple[Vector, Means]) -> Sequence[UUID]:
    """The namespace's revision, read from the database, and the ranking: no permission, gate, trace or text."""
    scopes, kinds = (Scope(person.namespace_id),), frozenset({KIND})
    found = person.inside(
        lambda: rows.index().search(query, namespaces=scopes, kinds=kinds, now=timezone.now(), limit=LIMIT, meant=meant)
    )
    return [hit.memory_id for hit in found.hits]


@cache
def _remembering(folder: str) -> Remembering:
    embedder = embeddings.permitted()
    assert embedder is not None  # noqa: S101 - the default of an installation is one in this process
    return Remembering(embedder, VectorCache(embedder, Path(folder)))
