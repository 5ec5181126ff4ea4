"""The suite about what may come back: the recall gate over records of several tenants and owners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memories.evaluation import history
from memories.evaluation.cases import Case
from memories.evaluation.cast import RUNTIME
from memories.evaluation.names import Name, known_kinds, name_of, type_of
from memories.evaluation.results import Result, Row
from memories.evaluation.scenes import POLICY, caller_for, cast_for, record_of, result_of
from memories.evaluation.world import Caller, policy_of, ref_of, scratch
from memories.recall_gate import Anchors, Instruction
from memories.recalling import RecallInput

MOST = 100


def recallgate(cases: Sequence[Case]) -> Result:
    """Questions over records of several tenants and owners: nothing outside `may_return`, all of `must_return`."""
    for case in cases:
        _question(case)
    rows = []
    leaks = missing = over = 0
    for case in cases:
        expected = case.inner("expected")
        may, must = set(expected.texts("may_return")), set(expected.texts("must_return"))
        got = _returned(case)
        leaked, absent = set(got) - may, must - set(got)
        exceeded = "max" in expected and len(got) > expected.number("max")
        leaks, missing, over = leaks + len(leaked), missing + bool(absent), over + exceeded
        reasons = {"leak": bool(leaked), "missing": bool(absent), "over_max": exceeded}
        reason = "+".join(name for name, holds in reasons.items() if holds)
        rows.append(Row(case.id, dict(expected.fields), got, reason, not reason))
    return result_of("recallgate", rows, leaks=leaks, missing=missing, over_max=over)


@dataclass(frozen=True, slots=True)
class _Question:
    """A row as a call: who asks what, over which past, and in which groups the caller is. `asked` None asks nothing."""

    caller: Caller
    groups: Sequence[Name]
    asked: RecallInput | None
    past: Sequence[history.Record]
    now: datetime


def _returned(case: Case) -> list[str]:
    """The ids that come back, in order; a refused call returns none."""
    question = _question(case)
    cast = cast_for(question.caller, [record.name for record in question.past])
    for group in question.groups:
        cast.add(group, *([question.caller.person] if question.caller.person else []))
    with scratch(cast, POLICY) as world:
        ids = history.write(world, question.past, question.now)
        recalled = world.recall(question.caller, question.asked, question.now) if question.asked else None
        return [ids[item.memory.pk] for item in recalled.items] if recalled else []


def _question(case: Case) -> _Question:
    principal, query, expected = case.inner("principal"), case.inner("query"), case.inner("expected")
    expected.texts("may_return"), expected.texts("must_return")
    if "max" in expected:
        expected.number("max")
    tenant, name = principal.text("tenant"), name_of(query.labels("namespace"))
    groups = [
        group
        for type_, key in (("project", "projects"), ("team", "teams"))
        for label in principal.labels(key)
        if (group := name_of([tenant, label if type_of(label) == type_ else f"{type_}_{label}"])) is not None
    ]
    limit = query.number("limit") if "limit" in query else 10
    asked = RecallInput(
        query=query.text("text") if "text" in query else "",
        namespaces=(ref_of(tenant, name),) if "namespace" in query else None,
        kinds=known_kinds(policy_of(POLICY), query.texts("kinds")) if "kinds" in query else None,
        limit=min(limit, MOST),
        anchors=_anchors(query),
    )
    return _Question(
        caller=_caller(principal, name, in_group=bool(groups)),
        groups=groups,
        asked=asked if limit > 0 else None,
        past=[record_of(record, "statement") for record in case.inners("records")],
        now=query.clock(),
    )


def _caller(principal: Case, name: Name | None, *, in_group: bool) -> Caller:
    """The principal of a row: as the agent asked about if it may be that one, else as the first of its agents."""
    agents = principal.labels("agents")
    agent = name.owner if name is not None and name.owner in agents else next(iter(agents), RUNTIME)
    subject = principal.text("subject") if "subject" in principal else agent
    return caller_for(principal.text("tenant"), subject, agent, principal.labels("scopes"), in_group=in_group)


def _anchors(query: Case) -> Anchors:
    """What outranks memory. A current instruction in words alone names no key, so nothing can be held against it."""
    instructions: tuple[Instruction, ...] = ()
    said = query.fields.get("current_instruction")
    if isinstance(said, dict) and {"kind", "key"} <= said.keys():
        instructions = (Instruction(str(said["kind"]), str(said["key"])),)
    source = query.fields.get("source_of_truth")
    labels = [source] if isinstance(source, str) else source if isinstance(source, list | dict) else []
    return Anchors(instructions, tuple(label for label in labels if isinstance(label, str)))
