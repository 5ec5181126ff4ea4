"""The `lab` suite: the reference lab's cases, one store for the whole file, and its six review checks.

Differences to the lab: a tombstone is not deleted again, an identical statement is kept instead of superseded, and what
was forgotten stays so. A successful recall is spelled `store` here, as the lab spells it.
"""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from accounts.errors import MemoryHubError
from memories import actions, recalling
from memories.evaluation import reports
from memories.evaluation.cases import Case
from memories.evaluation.names import Name, known_kinds, name_of
from memories.evaluation.results import Result, Row, share
from memories.evaluation.world import MEMBER, Caller, Cast, Source, Wish, World, policy_of, ref_of, scratch
from memories.models import Candidate, EvidenceLink, Feature, Memory
from memories.recalling import ListFilter, RecallInput
from memories.sensitivity import scan_fields
from memories.write_gate import EvidenceClass

POLICY = {"confirm": "inferred_only", "inference": "reject"}
OPERATIONS = ("candidate", "recall", "delete")
ACTIONS = ("store", "route_to_source", "reject", "supersede", "delete")
STEP = timedelta(milliseconds=1)


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


def lab(cases: Sequence[Case]) -> Result:
    """Run the file as one story and review what is left. Passes when every case matched and every check holds."""
    for case in cases:
        _check(case)
    cast = Cast()
    names = [name for case in cases if (name := name_of(case.texts("namespace"))) is not None]
    for name in names:
        cast.add(name)
    with scratch(cast, POLICY) as world:
        run = Run(world, names)
        decisions = [
            DOING[case.text("operation")](run, case, case.clock() + STEP * index) for index, case in enumerate(cases)
        ]
        store = [record for tenant in world.tenants for record in _records(run, tenant)]
        rows = [_row(case, decision) for case, decision in zip(cases, decisions, strict=True)]
        checks = _review(run, cases, decisions, rows, store)
    counts = Counter(decision.action for decision in decisions)
    passed = bool(rows) and all(checks.values())
    told = [_told(case, decision, row, store) for case, decision, row in zip(cases, decisions, rows, strict=True)]
    return Result(
        suite="lab",
        rows=rows,
        metrics={
            "total": len(rows),
            "matched": sum(row.ok for row in rows),
            "accuracy": share(row.ok for row in rows),
            **{action: counts[action] for action in ACTIONS},
            **{action: count for action, count in counts.items() if action not in ACTIONS},
            **checks,
            "gate_passed": passed,
        },
        passed=passed,
        files=reports.lab_files(told, store, dict(counts), checks, passed),
    )


# --- the three operations ----------------------------------------------------------------------------------------


def _candidate(run: Run, case: Case, now: datetime) -> Decision:
    name = name_of(case.texts("namespace"))
    wish = Wish(
        name=name,
        kind=case.text("kind"),
        key=case.text("key"),
        statement=case.text("statement"),
        valid_until=case.end("valid_until"),
        reusable=case.flag("reusable"),
        sensitivity=case.text("sensitivity") if case.maybe("sensitivity") else None,
    )
    source = Source(_evidence_class(case), case.text("source_ref"), case.text("source_run_id"))
    judged = run.world.propose(_caller(run, name), wish, source, now)
    if judged.memory_id is not None and judged.memory_id not in run.made_by:
        run.made_by[judged.memory_id] = case.id
    return Decision(judged.outcome, judged.reason, judged.memory_id, judged.superseded)


def _recall(run: Run, case: Case, now: datetime) -> Decision:
    nothing = Decision("reject", "namespace_first_no_match")
    name = name_of(case.texts("namespace"))
    if name is None:
        return nothing
    asked = RecallInput(
        query=" ".join(case.texts("query_terms")),
        namespaces=(ref_of(name.tenant, name),),
        kinds=known_kinds(policy_of(POLICY), case.texts("kinds")),
        limit=100,
    )
    recalled = run.world.recall(_caller(run, name), asked, now)
    items = [item.memory for item in recalled.items] if recalled else []
    namespace = run.world.namespace(name)
    with run.world.entered(name.tenant):
        is_empty = not Memory.objects.filter(namespace=namespace).exists()
        named = [_lab_id(name, memory) for memory in items]
    return Decision(
        action="store" if items else "reject",
        reason="recalled_active_memory" if items else "namespace_first_no_match",
        recalled=[memory.pk for memory in items],
        named=named,
        strayed=any(memory.namespace_id != namespace.pk for memory in items),
        asked_an_empty_namespace=is_empty and bool(run.made_by),
    )


def _delete(run: Run, case: Case, now: datetime) -> Decision:
    absent = Decision("reject", "memory_not_found")
    name = name_of(case.texts("namespace"))
    if name is None:
        return absent
    chosen = ListFilter(namespace=ref_of(name.tenant, name), kind=case.text("kind"), key=case.text("key"))
    with run.world.entered(name.tenant):
        principal = run.world.principal(run.world.keeper(name))
        memory = recalling.enumerate_memories(principal, chosen).first()
        if memory is None:
            return absent
        try:
            erasure = actions.forget(principal, str(memory.pk), now=now)
        except MemoryHubError as error:
            return Decision("reject", error.code)
    return Decision("delete", "content_purged_tombstone_kept", affected=[uuid.UUID(one) for one in erasure.memory_ids])


DOING = {"candidate": _candidate, "recall": _recall, "delete": _delete}


def _caller(run: Run, name: Name | None) -> Caller:
    """Who would write there: its person, its agent, or for a group one of its people who is no reviewer."""
    if name is None:
        return Caller(run.names[0].tenant) if run.names else Caller("")
    keeper = run.world.keeper(name)
    return keeper if name.type in ("user", "agent") else Caller(name.tenant, MEMBER)


def _evidence_class(case: Case) -> EvidenceClass:
    """What a runtime would have attested; of whatever else it calls a source, only that some tool said it."""
    try:
        return EvidenceClass(case.text("evidence_type"))
    except ValueError:
        return EvidenceClass.tool_output


def _lab_id(name: Name, memory: Memory) -> str:
    """The lab's name of a living version: its versions of a key count only what was not deleted."""
    version = Memory.objects.kept().filter(slot_id=memory.slot_id, version__lte=memory.version).count()
    parts = [*name.parts, memory.kind, memory.key or "", str(version)]
    return f"mem_{hashlib.sha256('/'.join(parts).encode()).hexdigest()[:16]}"


# --- review ------------------------------------------------------------------------------------------------------


def _review(
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


def _row(case: Case, decision: Decision) -> Row:
    expected, ok = case.text("expected_action"), decision.action == case.text("expected_action")
    reason = decision.reason
    if case.text("operation") == "recall" and list(case.texts("expected_recall_ids")) != list(decision.named):
        ok, reason = False, f"{reason}+other_ids"
    return Row(case.id, expected, decision.action, reason, ok)


def _records(run: Run, tenant: str) -> Iterable[dict[str, Any]]:
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


def _told(case: Case, decision: Decision, row: Row, store: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
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


# --- format ------------------------------------------------------------------------------------------------------


def _check(case: Case) -> None:
    """Read every key once, so that a malformed line is told before anything runs."""
    operation = case.text("operation")
    if operation not in OPERATIONS:
        raise case.wrong("operation", "is no operation of the lab")
    case.id, case.texts("namespace"), case.text("expected_action"), case.text("as_of"), case.clock()
    if operation == "recall":
        case.texts("kinds"), case.texts("query_terms"), case.texts("expected_recall_ids")
        return
    case.text("kind"), case.text("key")
    if operation == "candidate":
        for key in ("statement", "evidence_type", "source_run_id", "source_ref"):
            case.text(key)
        case.flag("reusable"), case.maybe("sensitivity"), case.maybe("valid_until"), case.end("valid_until")
        if case.maybe("sensitivity"):
            case.text("sensitivity")
