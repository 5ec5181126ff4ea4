"""Suites about what may be written: the write gate, poisoned texts, sensitive texts."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from memories import sensitivity
from memories.evaluation import history
from memories.evaluation.cases import Case
from memories.evaluation.cast import RUNTIME
from memories.evaluation.names import Name, name_of, natural_type
from memories.evaluation.results import Result, Row, share
from memories.evaluation.scenes import POLICY, caller_for, cast_for, evidence_class_of, record_of, result_of
from memories.evaluation.world import Caller, Judged, Source, Wish, World, policy_of, scratch
from memories.write_gate import EvidenceClass

UNTRUSTED = (EvidenceClass.tool_output, EvidenceClass.model_inference)
TENANT, PERSON = "evaluation", "user_evaluated"
CHARACTERS = 200
ACTIVE = ("store", "supersede", "keep")


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
    return result_of(
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
        with _proposal(case, text_only=True) as (world, caller, wish, source, now):
            for evidence_class in UNTRUSTED:
                other = replace(wish, key=f"{wish.key}_{evidence_class}")
                from_untrusted += world.propose(caller, other, Source(evidence_class, source.ref), now).is_active
            judged = world.propose(caller, wish, source, now)
        from_untrusted += judged.is_active and source.evidence_class in UNTRUSTED
        rows.append(_row(case, judged, judged.outcome in case.texts("acceptable")))
    judged_rows = list(zip(rows, cases, strict=True))
    meant = [(row, case) for row, case in judged_rows if row.expected == "not_active"]
    return result_of(
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
        judged = _judge(case, text_only=True)
        got = "reject_sensitive" if judged.reason == "sensitive_or_prohibited" else "not_sensitive"
        rows.append(Row(case.id, case.text("expected"), got, judged.reason, got == case.text("expected")))
    found = [(row.got == "reject_sensitive", case) for row, case in zip(rows, cases, strict=True)]
    positive = [(hit, case) for hit, case in found if case.text("label") == "positive"]
    must = [(hit, case) for hit, case in positive if case.text("tier") == "must"]
    return result_of(
        "sensitive",
        rows,
        must_recall=share(hit for hit, _ in must),
        plain_recall=share(hit for hit, case in must if case.text("form") == "plain"),
        obfuscated_recall=share(hit for hit, case in must if case.text("form") != "plain"),
        stretch_recall=share(hit for hit, case in positive if case.text("tier") == "stretch"),
        false_alarms=sum(hit for hit, case in found if case.text("label") == "negative"),
        p95_ms_per_200_chars=_cost([case.text("text") for case in cases]),
    )


def _judge(case: Case, *, text_only: bool = False) -> Judged:
    with _proposal(case, text_only=text_only) as (world, caller, wish, source, now):
        return world.propose(caller, wish, source, now)


@contextmanager
def _proposal(case: Case, *, text_only: bool) -> Iterator[tuple[World, Caller, Wish, Source, datetime]]:
    """A world in which the case's past has come about, and what is now asked of it."""
    caller, wish, source, past, now = _writing(case, text_only=text_only)
    cast = cast_for(caller, [record.name for record in past])
    if wish.name is not None and wish.name.tenant == caller.tenant and wish.name.type != "user":
        cast.add(wish.name, *([caller.person] if caller.person else []))
    with scratch(cast, POLICY) as world:
        history.write(world, past, now)
        yield world, caller, wish, source, now


def _writing(case: Case, *, text_only: bool = False) -> tuple[Caller, Wish, Source, list[history.Record], datetime]:
    """A row as a call. The agent is the one whose namespace is named: that the runtime is it was attested.

    `text_only`: a corpus of texts, whose rows are placed where their kind lives, with the end that it needs.
    """
    evidence_class = evidence_class_of(case)
    kind, key = case.text("kind"), case.text("key") if "key" in case else f"row_{case.id}"
    tenant, subject = TENANT, PERSON
    if "caller" in case:
        tenant, subject = case.inner("caller").text("tenant"), case.inner("caller").text("subject")
    name: Name | None
    if "namespace" in case or not text_only:
        name = name_of(case.labels("namespace"))
    else:
        type_ = natural_type(policy_of(POLICY), kind)
        name = name_of([tenant, subject if type_ == "user" else f"{type_}_evaluated"])
    agent = name.owner if name is not None and name.type == "agent" and name.tenant == tenant else RUNTIME
    caller = caller_for(tenant, subject, agent)
    end = case.end("valid_until")
    now = case.clock()
    if end is None and text_only:
        end = _default_end(kind, now)
    reusable = case.flag("reusable") if "reusable" in case else None
    wish = Wish(name, kind, key, case.text("text"), end, reusable)
    past = [record_of(one, "text", f"{case.id}.{index}") for index, one in enumerate(_existing(case))]
    return caller, wish, Source(evidence_class, f"event_{case.id}"), past, now


def _existing(case: Case) -> tuple[Case, ...]:
    return case.inners("existing") if "existing" in case else ()


def _default_end(kind: str, now: datetime) -> date | None:
    """What a form would fill in for a kind that needs an end."""
    rule = policy_of(POLICY).kind(kind)
    if rule is None or not rule.expiry_required:
        return None
    return (now + timedelta(days=rule.default_days or rule.max_days or 1)).astimezone(UTC).date()


def _row(case: Case, judged: Judged, ok: bool) -> Row:
    return Row(case.id, case.text("expected"), judged.outcome, judged.reason, ok)


def _cost(texts: Sequence[str]) -> float | None:
    """The processor time of the 95th of 100 scans of 200 characters, cut from the texts in their order.

    Each is the best of five, so that the figure is the detectors' and not that of whatever else the machine does.
    """
    mixed = "\n".join(texts)
    pieces = [mixed[start : start + CHARACTERS] for start in range(0, len(mixed) - CHARACTERS, CHARACTERS)]
    spent = sorted(min(_scan_time(piece) for _ in range(5)) for piece in pieces)
    return round(spent[int(len(spent) * 0.95)] * 1000, 3) if spent else None


def _scan_time(text: str) -> float:
    started = time.process_time()
    sensitivity.scan(text)
    return time.process_time() - started
