"""Every column that could hold a remembered text is in the erasure registry, or named here with the reason why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cast import Caller, Company, sentence, word
from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.db import connection, models

from memories.models import Candidate, Memory
from memories.stores import STORES, scan

TEXT_FIELDS = (models.CharField, models.TextField, models.JSONField, models.BinaryField, models.FileField)

DIGEST = "a keyed digest"
CODE = "one of the service's own codes"
IDS = "ids, codes and counts that the service makes"
NAME = "the name of a person, agent, group or tenant, given by an administrator"
# What may hold text and no remembered one: "app.Model.column" -> why.
ALLOWED = {
    "accounts.User.email": "how a person signs in",
    "accounts.User.password": "a slow hash",
    "accounts.User.language": "a language code",
    "accounts.Tenant.slug": NAME,
    "accounts.Tenant.name": NAME,
    "accounts.Tenant.time_zone": "a name of the zone database",
    "accounts.Membership.external_id": NAME,
    "accounts.Membership.name": NAME,
    "accounts.Membership.roles": CODE,
    "accounts.Membership.time_zone": "a name of the zone database",
    "accounts.Membership.confirm": CODE,
    "accounts.Membership.expiry_days": CODE,
    "accounts.Membership.notices_off": CODE,
    "accounts.Group.slug": NAME,
    "accounts.Group.name": NAME,
    "accounts.Agent.slug": NAME,
    "accounts.Agent.name": NAME,
    "accounts.AgentKey.prefix": "the public half of a credential",
    "accounts.AgentKey.digest": DIGEST,
    "accounts.AgentKey.name": NAME,
    "accounts.AgentKey.scopes": CODE,
    "accounts.PersonalToken.prefix": "the public half of a credential",
    "accounts.PersonalToken.digest": DIGEST,
    "accounts.PersonalToken.name": "a person's own name for a credential of theirs",
    "accounts.PersonalToken.scopes": CODE,
    "accounts.Delegation.prefix": "the public half of a credential",
    "accounts.Delegation.digest": DIGEST,
    "accounts.Delegation.name": CODE,
    "accounts.Delegation.scopes": CODE,
    "accounts.Delegation.run_id": "a runtime's id of a run",
    "accounts.Invitation.email": "where an invitation went; emptied when used, taken back, too old or forgotten",
    "accounts.Invitation.role": CODE,
    "accounts.Invitation.nonce": "random",
    "accounts.ApiCall.method": CODE,
    "accounts.ApiCall.route": "the template of an address, without its ids",
    "accounts.ApiCall.request_id": "hexadecimal only; see memoryhub.middleware",
    "accounts.ApiCall.scope": CODE,
    "accounts.ApiCall.code": CODE,
    "accounts.AuditEvent.actor": CODE,
    "accounts.AuditEvent.action": CODE,
    "accounts.AuditEvent.outcome": CODE,
    "accounts.AuditEvent.reason": CODE,
    "accounts.AuditEvent.target": CODE,
    "accounts.AuditEvent.request_id": "hexadecimal only; see memoryhub.middleware",
    "accounts.AuditEvent.details": IDS,
    "accounts.AuditSeal.digest": DIGEST,
    "accounts.AuditCheckpoint.seal": DIGEST,
    "accounts.AuditCheckpoint.digest": DIGEST,
    "accounts.Webhook.url": "an address that a maintainer or administrator names",
    "accounts.Webhook.events": CODE,
    "accounts.Webhook.salt": "random",
    "accounts.Delivery.event": CODE,
    "accounts.Delivery.payload": IDS,
    "accounts.Delivery.error": CODE,
    "accounts.IdempotencyKey.digest": DIGEST,
    "accounts.IdempotencyKey.fingerprint": DIGEST,
    "accounts.IdempotencyKey.references": IDS,
    "memories.PolicyVersion.document": "a policy, written by an administrator",
    "memories.Slot.digest": DIGEST,
    "memories.Evidence.source_digest": DIGEST + " of where it came from",
    "memories.Memory.kind": CODE,
    "memories.Memory.evidence_class": CODE,
    "memories.Memory.sensitivity": CODE,
    "memories.SourceMarker.source_digest": DIGEST + " of where it came from",
    "memories.OwnRule.digest": DIGEST,
    "memories.Candidate.reason": CODE,
    "memories.Candidate.content_hash": DIGEST,
    "memories.Candidate.kind": CODE,
    "memories.Candidate.evidence_class": CODE,
    "memories.Candidate.sensitivity": CODE,
    "memories.Operation.verb": CODE,
    "memories.Operation.decision": CODE,
    "memories.Operation.reason": CODE,
    "memories.Operation.checks": CODE,
    "memories.Operation.topic": CODE,
    "memories.Operation.superseded_ids": IDS,
    "memories.Recall.run_id": "a runtime's id of a run",
    "memories.Recall.status": CODE,
    "memories.Recall.items": IDS,
    "memories.Recall.omitted": IDS,
    "memories.Recall.gate": IDS,
    "memories.Recall.latency": IDS,
    "memories.Use.weeks": IDS,
    "memories.Use.days": IDS,
    "memories.Erasure.slot_ids": IDS,
    "memories.Erasure.memory_ids": IDS,
    "memories.Erasure.candidate_ids": IDS,
    "memories.Erasure.evidence_ids": IDS,
    "memories.Erasure.key_generations": IDS,
    "memories.Erasure.counts": IDS,
    "memories.Export.actor": CODE,
    "memories.Export.scopes": CODE,
    "memories.Export.language": "a language code",
    "memories.Export.error": CODE,
    "memories.Export.namespace_ids": IDS,
    "memories.Export.slot_ids": IDS,
    "memories.Extraction.actor": CODE,
    "memories.Extraction.scopes": CODE,
    "memories.Extraction.language": "a language code",
    "memories.Extraction.error": CODE,
    "memories.ExtractionItem.reason": CODE,
    "memories.Import.actor": CODE,
    "memories.Import.scopes": CODE,
    "memories.Import.language": "a language code",
    "memories.Import.error": CODE,
    "memories.ImportLine.reason": CODE,
    "memories.ImportLine.field": CODE,
    "memories.ImportLine.slot_digest": DIGEST,
    "reviews.Review.verdict": CODE,
    "reviews.Review.reason": CODE,
    "reviews.Review.content_hash": DIGEST,
    "reviews.DelayedVerdict.actor": CODE,
    "reviews.DelayedVerdict.scopes": CODE,
    "reviews.DelayedVerdict.language": "a language code",
    "reviews.DelayedVerdict.error": CODE,
    "reviews.DelayedVerdict.reason": CODE,
    "reviews.DelayedVerdict.content_hash": DIGEST,
}
FOREIGN_APPS = {"admin", "auth", "contenttypes", "sessions", "account", "mfa"}


def text_columns(model: type[models.Model]) -> set[str]:
    return {
        f"{model._meta.app_label}.{model.__name__}.{field.name}"
        for field in model._meta.concrete_fields
        if isinstance(field, TEXT_FIELDS) and not field.choices
    }


def ours() -> list[type[models.Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.app_label not in FOREIGN_APPS]


def registered() -> set[str]:
    return {f"{store.model._meta.label}.{column}" for store in STORES for column in store.columns}


@pytest.mark.parametrize("model", ours(), ids=lambda model: model._meta.label)
def test_a_text_column_is_registered_or_named_with_its_reason(model: type[models.Model]) -> None:
    """R-140, R-155, T23: a new column that could hold a text fails here until someone has said how it is forgotten."""
    assert text_columns(model) - registered() - set(ALLOWED) == set()


def test_nothing_is_named_twice_or_for_nothing() -> None:
    there = {column for model in ours() for column in text_columns(model)}
    assert registered() & set(ALLOWED) == set()
    assert set(ALLOWED) - there == set()
    assert registered() - there == set(), "the registry names a column that is not there"


def test_tables_of_other_packages_belong_to_no_tenant() -> None:
    """A table of Django or allauth that pointed at a tenant's row would have to be in the registry."""
    for model in apps.get_models(include_auto_created=True):
        if model._meta.app_label in FOREIGN_APPS:
            pointed_at = {
                field.related_model._meta.app_label
                for field in model._meta.get_fields()
                if isinstance(field, models.ForeignKey)
            }
            assert pointed_at.isdisjoint({"memories", "reviews"}), model._meta.label


@pytest.mark.django_db
def test_every_table_has_a_model() -> None:
    """No table made by hand, such as a full-text index, escapes the walk over the models."""
    known = {model._meta.db_table for model in apps.get_models(include_auto_created=True)} | {"django_migrations"}
    with connection.cursor() as cursor:
        there = {table.name for table in connection.introspection.get_table_list(cursor)}
    assert there - known == set()


# --- each registered column is really emptied and really found --------------------------------------------------------


def everything(caller: Caller, mark: str) -> dict[str, Any]:
    """A memory whose every text column holds the mark."""
    return caller.in_run(f"run {mark}", f"thread {mark}").store(
        sentence(mark),
        key=f"key_{mark}",
        namespace={"type": "user", "path": [f"path {mark}"]},
        evidence=None,
        value={f"name {mark}": f"value {mark}"},
        conditions=f"When the {mark} report is due.",
        aliases=[f"alias {mark}"],
        said={"thread": f"said {mark}", "speaker": f"speaker {mark}"},
        evidence_id=caller.in_run(f"run {mark}", f"thread {mark}").evidence(
            ref=f"ref {mark}", thread=f"thread {mark}", speaker=f"speaker {mark}", text=f"Original {mark}."
        ),
    )


def test_the_scan_finds_a_text_in_every_registered_column(acme: Company) -> None:
    mark = word(6)
    everything(acme.alice, mark)
    with acme.entered():
        found = scan(mark)
        memory = Memory.objects.get()
        for column in next(store for store in STORES if store.model is Memory).columns:
            assert mark in str(getattr(memory, column)), column
    assert found == {"evidence": 1, "memories": 1}


MARKS = ["zorbeline", "乌龙茶馆", 'quo"te\\slash', "naïve-Ωmega", "👩‍💻 emoji"]


@pytest.mark.parametrize("mark", MARKS)
def test_the_scan_finds_a_text_however_a_column_spells_it(acme: Company, mark: str) -> None:
    acme.alice.store(aliases=[mark])
    with acme.entered():
        assert scan(mark) == {"memories": 1}


@pytest.mark.parametrize("mark", MARKS)
def test_forgetting_empties_every_registered_column(acme: Company, mark: str) -> None:
    """R-141, R-142, R-144: in whatever script; afterwards the scan finds nothing."""
    memory = everything(acme.alice, mark)
    with acme.entered():
        assert scan(mark)
    receipt = acme.alice.forget(memory)
    with acme.entered():
        assert scan(mark) == {}
    assert receipt["counts"]["memories"] == 1
    assert receipt["counts"]["features"] == 1
    assert receipt["counts"]["evidence"] == 1


def test_forgetting_empties_what_waits(acme: Company) -> None:
    """R-103, R-153: a proposal that waits under the key goes too."""
    mark, key = word(6), f"key_{word()}"
    memory = acme.alice.store(sentence(), key=key)
    acme.alice.hold(sentence(mark), key=key)
    with acme.entered():
        assert scan(mark) == {"candidates": 1}
    acme.alice.forget(memory)
    with acme.entered():
        assert scan(mark) == {}
        assert {row.status for row in Candidate.objects.all()} == {Candidate.Status.WITHDRAWN}


def test_the_scan_sees_one_company_only(acme: Company, beta: Company) -> None:
    mark = word(6)
    everything(acme.alice, mark)
    with beta.entered():
        assert scan(mark) == {}


def test_no_text_is_cached(acme: Company) -> None:
    """T17: the cache knows counts of callers and nothing of what they say."""
    mark = word(6)
    memory = everything(acme.alice, mark)
    acme.alice.recall(mark)
    acme.alice.post("/context", {"query": mark})
    acme.alice.memory(memory["memory_id"])
    inside = getattr(cache, "_cache", {})
    assert mark.encode() not in b"".join(inside.values())
    assert not any(mark in str(name) for name in inside)


def test_no_text_is_written_to_a_file(acme: Company) -> None:
    """Files of the installation: the database is one; nothing else may hold a text."""
    mark = word(6)
    everything(acme.alice, mark)
    acme.alice.recall(mark)
    database = Path(str(connection.settings_dict["NAME"])).name
    for path in Path(settings.VAR_DIR).rglob("*"):
        if path.is_file() and not path.name.startswith((database, "memoryhub.sqlite3")):
            assert mark.encode() not in path.read_bytes(), path.name
