"""The `lab` suite: the reference lab's cases, one store for the whole file, and its six review checks.

Differences to the lab: a tombstone is not deleted again, an identical statement is kept instead of superseded, and what
was forgotten stays so. A successful recall is spelled `store` here, as the lab spells it.
"""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from accounts.errors import MemoryHubError
from memories import actions, reading
from memories.evaluation import reports
from memories.evaluation.cases import Case
from memories.evaluation.cast import MEMBER, Cast
from memories.evaluation.lab_review import Decision, Run, records_of, review, row_of, told
from memories.evaluation.names import Name, known_kinds, name_of
from memories.evaluation.results import Result, share
from memories.evaluation.world import Caller, Source, Wish, policy_of, ref_of, scratch
from memories.models import Memory
from memories.reading import ListFilter
from memories.recalling import RecallInput
from memories.write_gate import EvidenceClass

POLICY = {"confirm": "inferred_only", "inference": "reject"}
OPERATIONS = ("candidate", "recall", "delete")
ACTIONS = ("store", "route_to_source", "reject", "supersede", "delete")
STEP = timedelta(milliseconds=1)
NOBODYS = ""  # where a caller without any namespace is at home


def lab(cases: Sequence[Case]) -> Result:
    """Run the file as one story and review what is left. Passes when every case matched and every check holds."""
    for case in cases:
        _check(case)
    cast = Cast()
    cast.tenant(NOBODYS)
    names = [name for case in cases if (name := name_of(case.texts("namespace"))) is not None]
    for name in names:
        cast.add(name)
    with scratch(cast, POLICY) as world:
        run = Run(world, names)
        decisions = [
            DOING[case.text("operation")](run, case, case.clock() + STEP * index) for index, case in enumerate(cases)
        ]
        store = [record for tenant in world.tenants for record in records_of(run, tenant)]
        rows = [row_of(case, decision) for case, decision in zip(cases, decisions, strict=True)]
        checks = review(run, cases, decisions, rows, store)
    counts = Counter(decision.action for decision in decisions)
    passed = bool(rows) and all(checks.values())
    tales = [told(case, decision, row, store) for case, decision, row in zip(cases, decisions, rows, strict=True)]
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
        files=reports.lab_files(tales, store, dict(counts), checks, passed),
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
        memory = reading.enumerate_memories(principal, chosen).first()
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
        return Caller(NOBODYS)
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
