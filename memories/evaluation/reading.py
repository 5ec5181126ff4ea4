"""The suite about what may come back: the recall gate over records of several tenants and owners."""

from __future__ import annotations

from collections.abc import Sequence

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
        _asking(case)
    rows = []
    leaks = missing = over = 0
    for case in cases:
        expected = case.inner("expected")
        may, must, most = set(expected.texts("may_return")), set(expected.texts("must_return")), expected.number("max")
        got = _returned(case)
        leaked, absent, exceeded = set(got) - may, must - set(got), len(got) > most
        leaks, missing, over = leaks + len(leaked), missing + bool(absent), over + exceeded
        reasons = {"leak": bool(leaked), "missing": bool(absent), "over_max": exceeded}
        reason = "+".join(name for name, holds in reasons.items() if holds)
        rows.append(Row(case.id, dict(expected.fields), got, reason, not reason))
    return result_of("recallgate", rows, leaks=leaks, missing=missing, over_max=over)


def _returned(case: Case) -> list[str]:
    """The ids that come back, in order; a refused call returns none."""
    caller, name, asked, past, groups = _asking(case)
    cast = cast_for(caller, [record.name for record in past])
    for group in groups:
        cast.add(group, *([caller.person] if caller.person else []))
    with scratch(cast, POLICY) as world:
        ids = history.write(world, past, case.inner("query").clock())
        if asked is None or name is None:
            return []
        recalled = world.recall(caller, asked, case.inner("query").clock())
        return [ids[item.memory.pk] for item in recalled.items] if recalled else []


def _asking(case: Case) -> tuple[Caller, Name | None, RecallInput | None, list[history.Record], list[Name]]:
    principal, query, expected = case.inner("principal"), case.inner("query"), case.inner("expected")
    expected.texts("may_return"), expected.texts("must_return"), expected.number("max")
    tenant = principal.text("tenant")
    name = name_of(query.texts("namespace"))
    agents = principal.texts("agents")
    named = name is not None and name.owner in agents
    groups = [
        group
        for type_, key in (("project", "projects"), ("team", "teams"))
        if key in principal
        for label in principal.texts(key)
        if (group := name_of([tenant, label if type_of(label) == type_ else f"{type_}_{label}"])) is not None
    ]
    agent = name.owner if named and name is not None else next(iter(agents), RUNTIME)
    caller = caller_for(tenant, principal.text("subject"), agent, principal.texts("scopes"), in_group=bool(groups))
    past = [record_of(record, "statement") for record in case.inners("records")]
    limit = query.number("limit") if "limit" in query else 10
    asked = RecallInput(
        query=query.text("text"),
        namespaces=(ref_of(tenant, name),),
        kinds=known_kinds(policy_of(POLICY), query.texts("kinds")),
        limit=min(limit, MOST),
        anchors=_anchors(query),
    )
    query.clock()
    return caller, name, asked if limit > 0 else None, past, groups


def _anchors(query: Case) -> Anchors:
    """What outranks memory. A current instruction in words alone names no key, so nothing can be held against it."""
    instructions: tuple[Instruction, ...] = ()
    said = query.fields.get("current_instruction")
    if isinstance(said, dict) and {"kind", "key"} <= said.keys():
        instructions = (Instruction(str(said["kind"]), str(said["key"])),)
    source = query.fields.get("source_of_truth")
    labels = [source] if isinstance(source, str) else list(source or ())
    return Anchors(instructions, tuple(label for label in labels if isinstance(label, str)))
