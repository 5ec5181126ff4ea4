"""The review of a lab run: what was seen, the six checks, and the final store, all found in the database."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any

from memories.evaluation.cases import Case
from memories.evaluation.names import Name
from memories.evaluation.results import Row
from memories.evaluation.world import World
from memories.models import Candidate, EvidenceLink, Feature, Memory
from memories.sensitivity import scan_fields


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one case. Ids are our own; `named` are the recalled ones by the lab's names."""

    action: str
    reason: str
    memory_id: uuid.UUID | None = None
    affected: Sequence[uuid.UUID] = ()
    recalled: Sequence[uuid.UUID] = ()
    named: Sequence[str] = ()
    strayed: bool = False
    asked_an_empty_namespace: bool = False


@dataclass
class Run:
    """The world of a file of cases and what was seen in it."""

    world: World
    names: Sequence[Name]
    made_by: dict[uuid.UUID, str] = field(default_factory=dict)
    refs: dict[uuid.UUID, str] = field(default_factory=dict)


def review(
    run: Run,
    cases: Sequence[Case],
    decisions: Sequence[Decision],
    rows: Sequence[Row],
    store: Sequence[Mapping[str, Any]],
) -> dict[str, bool]:
    """The six checks. A check about isolation or deletion that no case exercised does not hold."""
    recalls = [one for one, case in zip(decisions, cases, strict=True) if case.text("operation") == "recall"]
    foreign = [one for one in recalls if one.asked_an_empty_namespace]
    standing = Counter(
        (*record["namespace"], record["kind"], record["key"]) for record in store if record["status"] == "active"
    )
    texts = {
        f"{record['memory_id']}.{name}": record[name]
        for record in store
        for name in ("statement", "key")
        if record[name]
    }
    return {
        "expected_decisions_matched": all(row.ok for row in rows),
        "required_fields_present": all(
            record["namespace"]
            and record["kind"]
            and record["provenance"]
            and record["status"] in ("active", "superseded", "deleted")
            for record in store
        ),
        "sensitive_values_absent": not scan_fields(texts),
        "namespace_isolation_enforced": bool(foreign)
        and not any(one.recalled for one in foreign)
        and not any(one.strayed for one in recalls),
        "one_active_version_per_key": all(count == 1 for count in standing.values()),
        "deleted_content_purged": _is_purged(run, cases, decisions),
    }


def _is_purged(run: Run, cases: Sequence[Case], decisions: Sequence[Decision]) -> bool:
    """Something was deleted, every case that should delete did, and of all of it only tombstones are left."""
    deleting = [(one, case) for one, case in zip(decisions, cases, strict=True) if case.text("operation") == "delete"]
    affected = {pk for one, _ in deleting for pk in one.affected}
    if not affected or any(not one.affected for one, case in deleting if case.text("expected_action") == "delete"):
        return False
    found = 0
    for tenant in run.world.tenants:
        with run.world.entered(tenant):
            gone = Memory.objects.filter(pk__in=affected)
            blank = gone.filter(status=Memory.Status.DELETED, aliases=[], said={}, path_key="").filter(
                **{f"{column}__isnull": True for column in ("statement", "key", "value", "conditions")}
            )
            found += blank.count()
            left = [
                Feature.objects.filter(memory__in=gone),
                EvidenceLink.objects.filter(memory__in=gone),
                Candidate.objects.filter(slot__versions__in=gone, memory__in=gone, statement__isnull=False),
            ]
            if any(rows.exists() for rows in left):
                return False
    return found == len(affected)


def row_of(case: Case, decision: Decision) -> Row:
    expected, ok = case.text("expected_action"), decision.action == case.text("expected_action")
    reason = decision.reason
    if case.text("operation") == "recall" and list(case.texts("expected_recall_ids")) != list(decision.named):
        ok, reason = False, f"{reason}+other_ids"
    return Row(case.id, expected, decision.action, reason, ok)


def records_of(run: Run, tenant: str) -> Iterable[dict[str, Any]]:
    """The final records of a tenant. Of what was forgotten there is nothing to tell but that it was."""
    owners = {}
    for name in run.names:
        if name.tenant == tenant:
            owners[run.world.namespace(name).pk] = name
    with run.world.entered(tenant):
        for memory in Memory.objects.order_by("created_at", "pk"):
            name = owners[memory.namespace_id]
            yield {
                "memory_id": str(memory.pk),
                "namespace": [name.tenant, name.owner, *memory.path],
                "kind": memory.kind,
                "key": memory.key,
                "statement": memory.statement,
                "provenance": {"evidence_class": memory.evidence_class, **memory.provenance},
                "valid_until": memory.valid_until.astimezone(UTC).isoformat() if memory.valid_until else None,
                "status": memory.status,
                "version": memory.version,
                "created_at": memory.created_at.astimezone(UTC).date().isoformat(),
                "created_by_case": run.made_by.get(memory.pk),
            }


def told(case: Case, decision: Decision, row: Row, store: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A case as the reports tell it; its record is the final one, so a forgotten statement is not in it."""
    record = next((one for one in store if one["memory_id"] == str(decision.memory_id)), None)
    return {
        "case_id": case.id,
        "operation": case.text("operation"),
        "expected_action": case.text("expected_action"),
        "decision": {
            "action": decision.action,
            "reason": decision.reason,
            "record": record,
            "affected_ids": [str(pk) for pk in decision.affected],
            "recalled_ids": [str(pk) for pk in decision.recalled],
        },
        "matched": row.ok,
    }
