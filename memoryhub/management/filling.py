"""Many memories quickly: rows as the verbs write them, made in bulk, for measuring speed in a scratch installation."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from django.utils import timezone

from accounts import secrets, tenancy
from accounts.models import AuditEvent, Membership
from accounts.principals import system
from accounts.provisioning import provision_tenant
from accounts.tasks import seal_audit
from memories import embeddings, tenant_policy
from memories.indexing import text_of
from memories.models import Evidence, Feature, Memory, Namespace, Slot
from memories.search import tokens
from memories.search.rows import term_secret
from memories.vectors import pack
from memoryhub.demo.company import SCOPES

CHUNK = 2000
SUBJECT = "measured"
FRAMES = (
    "Put the {0} summary before the {1} details in every {2} report for the {3} team.",
    "Sort every {0} list by {1} first and then by {2}, with the {3} figures at the end.",
    "Keep the {0} notes short, name the {1} owner, and add a {2} table when {3} is discussed.",
    "每次写{0}报告时，先放{1}的摘要，再写{2}的细节，最后附上{3}的表格。",
    "整理{0}清单时按{1}排序，{2}的条目放在前面，{3}的条目单独成段。",
)
SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo")
CHARACTERS = "山水云竹松梅兰菊春夏秋冬东南西北风花雪月江河湖海石木金玉琴棋书画"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A statement, and a question about it."""

    statement: str
    question: str


def sentences(count: int, seed: int) -> list[Sentence]:
    """The same for the same seed. Words come from a small vocabulary, so that a question matches many rows a little."""
    chance = random.Random(seed)  # noqa: S311 - nothing here is secret
    made = []
    for number in range(count):
        frame = FRAMES[number % len(FRAMES)]
        words = [_word(chance, chinese=not frame.isascii()) for _ in range(4)]
        question = f"{words[0]}报告怎么写" if not frame.isascii() else f"how do I write the {words[0]} {words[1]} list"
        made.append(Sentence(frame.format(*words), question))
    return made


def fill(rows: int, others: int) -> dict[str, str]:
    """One tenant: a person with `rows` memories, and others with `others` between them. The agent's key and subject."""
    names = [SUBJECT, *(f"other_{number}" for number in range(-(-others // max(1, rows))))]
    people = [{"external_id": name, "email": f"{name}@measured.example"} for name in names]
    agent = {"slug": "bench", "owner": SUBJECT, "acts_for": "*", "keys": [{"name": "bench", "scopes": SCOPES}]}
    tenant, keys = provision_tenant({"slug": "measured", "people": people, "agents": [agent]}, "bench")
    with tenancy.entered(tenant.pk):
        tenant_policy.activate(system(tenant.pk), {"confirm": "inferred_only"})
        left = others
        for name in names:
            count = rows if name == SUBJECT else min(rows, left)
            left -= 0 if name == SUBJECT else count
            _fill_namespace(name, count)
        seal_audit(system(tenant.pk), timezone.now())
    return {"key": keys["measured/bench/bench"], "subject": SUBJECT}


def _fill_namespace(name: str, count: int) -> None:
    now = timezone.now()
    with tenancy.atomic():
        person = Membership.objects.get(external_id=name)
        namespace = Namespace.objects.create(type="user", membership=person, revision=count)
        evidence = Evidence.objects.create(
            type="user_message", subject=person, occurred_at=now, source_digest=secrets.digest("source", name), ref="m"
        )
        versions = list(_versions(namespace, evidence, count, now))
        for start in range(0, count, CHUNK):
            part = versions[start : start + CHUNK]
            Slot.objects.bulk_create([memory.slot for memory, _ in part])
            Memory.objects.bulk_create([memory for memory, _ in part])
            Feature.objects.bulk_create([feature for _, feature in part])
            AuditEvent.objects.bulk_create([_event(memory) for memory, _ in part])


def _versions(namespace: Namespace, evidence: Evidence, count: int, now: datetime) -> Iterator[tuple[Memory, Feature]]:
    secret = term_secret(namespace.pk)
    embedder = embeddings.active()
    made: dict[str, Any] = {"embedder": embedder.name} if embedder else {}
    for number, (one, vector) in enumerate(zip(_vocabulary(count), _vectors(count), strict=True), start=1):
        key = f"habit_{number}"
        digest = secrets.digest("slot", str(namespace.pk), "", "preference", key)
        memory = Memory(
            namespace=namespace,
            slot=Slot(namespace=namespace, digest=digest, last_version=1),
            version=1,
            rev=number,
            kind="preference",
            key=key,
            statement=one.statement,
            evidence=evidence,
            evidence_class="explicit_user",
            provenance={"evidence_type": "user_message", "ref": "m"},
            policy_version=1,
            created_at=now,
            confirmed_at=now,
            updated_at=now,
        )
        counts = _counts(one.statement, key)
        terms = tokens.pack(counts, secret)
        size = tokens.length(counts)
        yield memory, Feature(memory=memory, namespace=namespace, terms=terms, length=size, vector=vector, **made)


def _event(memory: Memory) -> AuditEvent:
    return AuditEvent(
        actor="agent", action="memory.propose", outcome="store", target="memory", target_id=memory.pk, details={}
    )


@cache
def _vocabulary(count: int) -> list[Sentence]:
    return sentences(count, seed=7)


@cache
def _vectors(count: int) -> list[bytes | None]:
    """As `indexing` makes them; everybody's sentences are the same, so that each is embedded once."""
    embedder = embeddings.active()
    if embedder is None:
        return [None] * count
    texts = [text_of(one.statement, f"habit_{number}", None, {}) for number, one in enumerate(_vocabulary(count), 1)]
    return [pack(row) for row in embedder.documents(texts)]


@cache
def _counts(statement: str, key: str) -> Any:
    return tokens.count(tokens.texts_of(statement, key, None, (), None))


def _word(chance: random.Random, *, chinese: bool) -> str:
    return "".join(chance.choices(CHARACTERS, k=2)) if chinese else "".join(chance.choices(SYLLABLES, k=3))
