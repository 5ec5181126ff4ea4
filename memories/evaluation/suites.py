"""The suites over labelled corpora: what may be written, what may come back, what is sensitive, what is poison."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from accounts.principals import Scope
from memories import sensitivity
from memories.evaluation import history
from memories.evaluation.cases import Case
from memories.evaluation.names import Name, known_kinds, name_of, natural_type, type_of
from memories.evaluation.results import Result, Row, share
from memories.evaluation.world import (
    MEMBER,
    RUNTIME,
    Caller,
    Cast,
    Judged,
    Source,
    Wish,
    World,
    policy_of,
    ref_of,
    scratch,
)
from memories.recall_gate import Anchors, Instruction
from memories.recalling import RecallInput
from memories.write_gate import EvidenceClass

POLICY = {"confirm": "inferred_only"}
SCOPES = {"recall": Scope.RECALL, "read": Scope.READ, "write": Scope.PROPOSE, "forget": Scope.FORGET}
UNTRUSTED = (EvidenceClass.tool_output, EvidenceClass.model_inference)
TENANT, PERSON = "evaluation", "user_evaluated"
MOST = 100
CHARACTERS = 200
ACTIVE = ("store", "supersede", "keep")


# --- what may be written -----------------------------------------------------------------------------------------


def writegate(cases: Sequence[Case]) -> Result:
    """Proposals with what stood there before; `acceptable` says which answers are right."""
    for case in cases:
        _writing(case)
        case.texts("acceptable")
    rows, firm = [], []
    for case in cases:
        judged = _judge(case)
        right = case.texts("acceptable")
        rows.append(_row(case, judged, judged.outcome in right or (judged.outcome == "keep" and "store" in right)))
        if case.fields.get("firm", True):
            firm.append(rows[-1].ok)
    dangerous = [
        row.got in ACTIVE and not set(ACTIVE) & set(case.texts("acceptable"))
        for row, case in zip(rows, cases, strict=True)
    ]
    return _result(
        "writegate",
        rows,
        firm_acceptable=share(firm),
        exact=share(row.got == row.expected for row in rows),
        dangerous=sum(dangerous),
    )


def poison(cases: Sequence[Case]) -> Result:
    """Texts that try to take over, and harmless ones that look alike; each is also tried as a tool's and a model's."""
    for case in cases:
        _writing(case)
        case.text("tier"), case.texts("acceptable")
    rows: list[Row] = []
    from_untrusted = 0
    for case in cases:
        with _proposal(case) as (world, caller, wish, source, now):
            for evidence_class in UNTRUSTED:
                other = replace(wish, key=f"{wish.key}_{evidence_class}")
                from_untrusted += world.propose(caller, other, Source(evidence_class, source.ref), now).is_active
            judged = world.propose(caller, wish, source, now)
        from_untrusted += judged.is_active and source.evidence_class in UNTRUSTED
        rows.append(_row(case, judged, judged.outcome in case.texts("acceptable")))
    judged_rows = list(zip(rows, cases, strict=True))
    meant = [(row, case) for row, case in judged_rows if row.expected == "not_active"]
    return _result(
        "poison",
        rows,
        active_from_untrusted=from_untrusted,
        not_active=share(row.got not in ACTIVE for row, case in meant if case.text("tier") == "must"),
        stretch_not_active=share(row.got not in ACTIVE for row, case in meant if case.text("tier") == "stretch"),
        benign_refused=sum(row.got not in ACTIVE for row in rows if row.expected != "not_active"),
    )


def sensitive(cases: Sequence[Case]) -> Result:
    """Texts with and without a secret or a personal identifier."""
    for case in cases:
        _writing(case)
        case.text("label"), case.text("tier"), case.text("form")
    rows = []
    for case in cases:
        judged = _judge(case)
        got = "reject_sensitive" if judged.reason == "sensitive_or_prohibited" else "not_sensitive"
        rows.append(Row(case.id, case.text("expected"), got, judged.reason, got == case.text("expected")))
    found = [(row.got == "reject_sensitive", case) for row, case in zip(rows, cases, strict=True)]
    positive = [(hit, case) for hit, case in found if case.text("label") == "positive"]
    must = [(hit, case) for hit, case in positive if case.text("tier") == "must"]
    return _result(
        "sensitive",
        rows,
        must_recall=share(hit for hit, _ in must),
        plain_recall=share(hit for hit, case in must if case.text("form") == "plain"),
        obfuscated_recall=share(hit for hit, case in must if case.text("form") != "plain"),
        stretch_recall=share(hit for hit, case in positive if case.text("tier") == "stretch"),
        false_alarms=sum(hit for hit, case in found if case.text("label") == "negative"),
        p95_ms_per_200_chars=_cost([case.text("text") for case in cases]),
    )


def _judge(case: Case) -> Judged:
    with _proposal(case) as (world, caller, wish, source, now):
        return world.propose(caller, wish, source, now)


@contextmanager
def _proposal(case: Case) -> Iterator[tuple[World, Caller, Wish, Source, datetime]]:
    """A world in which the case's past has come about, and what is now asked of it."""
    caller, wish, source, past, now = _writing(case)
    cast = _cast(caller, [record.name for record in past])
    if wish.name is not None and wish.name.tenant == caller.tenant and wish.name.type != "user":
        cast.add(wish.name, *([caller.person] if caller.person else []))
    with scratch(cast, POLICY) as world:
        history.write(world, past, now)
        yield world, caller, wish, source, now


def _writing(case: Case) -> tuple[Caller, Wish, Source, list[history.Record], datetime]:
    """A row as a call. The agent is the one whose namespace is named: that the runtime is it was attested."""
    evidence_class = _evidence_class(case)
    kind, key = case.text("kind"), case.text("key") if "key" in case else f"row_{case.id}"
    tenant, subject = TENANT, PERSON
    if "caller" in case:
        tenant, subject = case.inner("caller").text("tenant"), case.inner("caller").text("subject")
    name: Name | None
    if "namespace" in case:
        name = name_of(case.texts("namespace"))
    else:
        type_ = natural_type(policy_of(POLICY), kind)
        name = name_of([tenant, subject if type_ == "user" else f"{type_}_evaluated"])
    agent = name.owner if name is not None and name.type == "agent" and name.tenant == tenant else RUNTIME
    caller = _caller(tenant, subject, agent)
    end = case.end("valid_until")
    now = case.clock()
    if end is None and "namespace" not in case:
        end = _default_end(kind, now)
    reusable = case.flag("reusable") if "reusable" in case else None
    wish = Wish(name, kind, key, case.text("text"), end, reusable)
    past = [_record(one, "text", f"{case.id}.{index}") for index, one in enumerate(_existing(case))]
    return caller, wish, Source(evidence_class, f"event_{case.id}"), past, now


def _existing(case: Case) -> tuple[Case, ...]:
    return case.inners("existing") if "existing" in case else ()


def _default_end(kind: str, now: datetime) -> date | None:
    """What a form would fill in for a kind that needs an end."""
    rule = policy_of(POLICY).kind(kind)
    if rule is None or not rule.expiry_required:
        return None
    return (now + timedelta(days=rule.default_days or rule.max_days or 1)).astimezone(UTC).date()


# --- what may come back ------------------------------------------------------------------------------------------


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
    return _result("recallgate", rows, leaks=leaks, missing=missing, over_max=over)


def _returned(case: Case) -> list[str]:
    """The ids that come back, in order; a refused call returns none."""
    caller, name, asked, past, groups = _asking(case)
    cast = _cast(caller, [record.name for record in past])
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
    caller = _caller(tenant, principal.text("subject"), agent, principal.texts("scopes"), in_group=bool(groups))
    past = [_record(record, "statement") for record in case.inners("records")]
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


# --- shared ------------------------------------------------------------------------------------------------------


def _caller(
    tenant: str, subject: str, agent: str, scopes: Sequence[str] | None = None, *, in_group: bool = False
) -> Caller:
    """The caller for a subject. An agent in a group is there for one of its people."""
    person: str | None = subject
    if type_of(subject) == "agent":
        agent, person = subject, MEMBER if in_group else None
    if scopes is None:
        return Caller(tenant, person, agent)
    return Caller(tenant, person, agent, frozenset(str(SCOPES.get(scope, scope)) for scope in scopes))


def _cast(caller: Caller, names: Sequence[Name]) -> Cast:
    cast = Cast()
    owners = cast.tenant(caller.tenant)
    if caller.person not in (None, MEMBER):
        owners["user"].add(str(caller.person))
    if caller.agent != RUNTIME:
        owners["agent"].add(caller.agent)
    for name in names:
        cast.add(name)
    return cast


def _record(record: Case, text: str, id_: str = "") -> history.Record:
    name = name_of(record.texts("namespace"))
    if name is None:
        raise record.wrong("namespace", "names no namespace")
    return history.Record(
        id=id_ or record.id,
        name=name,
        kind=record.text("kind"),
        key=record.text("key"),
        statement=record.text(text),
        evidence_class=_evidence_class(record),
        status=record.text("status"),
        version=record.number("version"),
        valid_until=record.end("valid_until"),
    )


def _evidence_class(case: Case) -> EvidenceClass:
    try:
        return EvidenceClass(case.text("evidence_type"))
    except ValueError:
        raise case.wrong("evidence_type", "is no evidence type") from None


def _row(case: Case, judged: Judged, ok: bool) -> Row:
    return Row(case.id, case.text("expected"), judged.outcome, judged.reason, ok)


def _result(suite: str, rows: Sequence[Row], **figures: Any) -> Result:
    ok = sum(row.ok for row in rows)
    return Result(suite, rows, {"total": len(rows), "ok": ok, "accuracy": share(row.ok for row in rows), **figures})


def _cost(texts: Sequence[str]) -> float | None:
    """The time of the 95th of 100 scans of 200 characters, cut from the texts in their order."""
    mixed = "\n".join(texts)
    pieces = [mixed[start : start + CHARACTERS] for start in range(0, len(mixed) - CHARACTERS, CHARACTERS)]
    sensitivity.scan(mixed[:CHARACTERS])
    spent = []
    for piece in pieces:
        started = time.perf_counter()
        sensitivity.scan(piece)
        spent.append((time.perf_counter() - started) * 1000)
    return round(sorted(spent)[int(len(spent) * 0.95)], 3) if spent else None
