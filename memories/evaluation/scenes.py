"""What the corpora have in common: who calls, who takes part, what stood there before, and the figures of any suite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accounts.principals import Scope
from memories.evaluation import history
from memories.evaluation.cases import Case
from memories.evaluation.cast import MEMBER, RUNTIME, Cast
from memories.evaluation.names import Name, literal_name, type_of
from memories.evaluation.results import Result, Row, share
from memories.evaluation.world import Caller
from memories.write_gate import EvidenceClass

POLICY = {"confirm": "inferred_only"}
SCOPES = {"recall": Scope.RECALL, "read": Scope.READ, "write": Scope.PROPOSE, "forget": Scope.FORGET}


def caller_for(
    tenant: str, subject: str, agent: str, scopes: Sequence[str] | None = None, *, in_group: bool = False
) -> Caller:
    """The caller for a subject. An agent in a group is there for one of its people."""
    person: str | None = subject
    if subject == RUNTIME or type_of(subject) == "agent":
        agent, person = subject, MEMBER if in_group else None
    if scopes is None:
        return Caller(tenant, person, agent)
    return Caller(tenant, person, agent, frozenset(str(SCOPES.get(scope, scope)) for scope in scopes))


def cast_for(caller: Caller, names: Sequence[Name]) -> Cast:
    cast = Cast()
    owners = cast.tenant(caller.tenant)
    if caller.person not in (None, MEMBER):
        owners["user"].add(str(caller.person))
    if caller.agent != RUNTIME:
        owners["agent"].add(caller.agent)
    for name in names:
        cast.add(name)
    return cast


def record_of(record: Case, text: str, id_: str = "") -> history.Record:
    name = literal_name(record.texts("namespace"))
    if name is None:
        raise record.wrong("namespace", "names no namespace")
    return history.Record(
        id=id_ or record.id,
        name=name,
        kind=record.text("kind"),
        key=record.text("key"),
        statement=record.text(text),
        evidence_class=evidence_class_of(record),
        status=record.text("status"),
        version=record.number("version"),
        valid_until=record.end("valid_until"),
    )


def evidence_class_of(case: Case) -> EvidenceClass:
    try:
        return EvidenceClass(case.text("evidence_type"))
    except ValueError:
        raise case.wrong("evidence_type", "is no evidence type") from None


def result_of(suite: str, rows: Sequence[Row], **figures: Any) -> Result:
    ok = sum(row.ok for row in rows)
    return Result(suite, rows, {"total": len(rows), "ok": ok, "accuracy": share(row.ok for row in rows), **figures})
