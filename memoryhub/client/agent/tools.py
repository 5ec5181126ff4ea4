"""What happens when the model asks for a tool: the runtime decides whether it is sent, the server what it does."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from memoryhub.client.agent.approvals import Approval, Approve, Write
from memoryhub.client.agent.ledger import Entry, Ledger
from memoryhub.client.agent.models import Item, ToolCall
from memoryhub.client.errors import HubError, Unavailable
from memoryhub.client.hub import Client
from memoryhub.client.results import Candidate, ToolAnswer

log = logging.getLogger(__name__)

Output = Mapping[str, Any]
State = Literal["saved", "waiting", "not_saved", "not_approved", "unknown"]
SEARCH, SAVE = "memory_search", "memory_save"
NOT_APPROVED, UNKNOWN, WAITS = "write_not_approved", "outcome_unknown", "waits_for_confirmation"
STATES: Mapping[str, State] = {NOT_APPROVED: "not_approved", UNKNOWN: "unknown", WAITS: "waiting"}


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one write, whatever became of the answer. Only `saved` is remembered now.

    `unknown`: nobody can tell. The same items resumed, or the same call settled, tell it and do nothing twice.
    """

    call: ToolCall
    state: State
    memory_id: str | None = None
    candidate_id: str | None = None

    @property
    def name(self) -> str:
        return self.call.name


class Tools:
    """The tools of one run, each call of which acts at most once."""

    def __init__(self, hub: Client, offered: Sequence[Item], approve: Approve | None, ledger: Ledger) -> None:
        self.hub, self.offered, self.approve, self.ledger = hub, offered, approve, ledger
        self.arguments = {name: set(schema["properties"]) for name, schema in map(_named, offered)}
        self.written: dict[ToolCall, Written] = {}
        self.failures: list[str] = []
        self._refused: set[str] = set()

    def carry_out(self, call: ToolCall) -> Output:
        """The output for the model. Every failure is one, with a code; only ok=true means found or saved."""
        output = self._output(call)
        if call.name in self.arguments and call.name != SEARCH:
            self.written[call] = _written(call, output)
        elif output.get("ok") is not True:
            self.failures.append(str(output.get("error")))
        return output

    def _output(self, call: ToolCall) -> Output:
        if call.name not in self.arguments:
            return _error("unknown_tool")
        arguments = _parsed(call.arguments)
        if arguments is None or set(arguments) != self.arguments[call.name]:
            return _error("invalid_tool_arguments")
        return self._sent(call, arguments) if call.name == SEARCH else self._written(call, arguments)

    def _written(self, call: ToolCall, arguments: Mapping[str, Any]) -> Output:
        content = json.dumps([call.name, arguments], sort_keys=True)
        write = Write(call.call_id, call.name, arguments, self.hub.keyed_digest(f"{call.call_id}\n{content}"))
        known = self.ledger.find(self.hub.run, call.call_id)
        entry = known if known is not None and known.digest == write.digest else None
        if entry is None:
            approval = None if content in self._refused else self._approval(write)
            if approval is None:
                self._refused.add(content)  # the person is not asked again for the same
                return _error(NOT_APPROVED)
            entry = Entry(write.digest, approval.ref, datetime.now(UTC).isoformat())
        if known is None:  # an id that stands for something else stays that; the server refuses what differs
            self.ledger.begin(self.hub.run, call.call_id, entry)
        if entry.output is not None:
            return entry.output
        output = self._sent(call, arguments)
        if entry.ref and output.get("error") == WAITS and call.name == SAVE:
            output = self._relayed(call, arguments, output, entry)
        if output.get("error") != UNKNOWN and (known is None or known.digest == write.digest):
            self.ledger.finish(self.hub.run, call.call_id, output)
        return output

    def _approval(self, write: Write) -> Approval | None:
        """The person's yes to exactly this write. A callback that fails has not said yes."""
        if self.approve is None:
            return None
        try:
            approval = self.approve(write)
        except Exception as error:
            log.warning("the approval callback failed: %s", type(error).__name__)
            self.failures.append("approval_failed")
            return None
        return approval if isinstance(approval, Approval) and approval.digest == write.digest else None

    def _sent(self, call: ToolCall, arguments: Mapping[str, Any]) -> Output:
        try:
            answer: ToolAnswer = self.hub.call_tool(call.call_id, call.name, arguments)
        except HubError as error:
            return self._failed(error, write=call.name != SEARCH)
        return answer.output

    def _failed(self, error: HubError, *, write: bool) -> Output:
        if write and error.outcome == "unknown":
            return _error(UNKNOWN)
        return _error("memory_unavailable" if isinstance(error, Unavailable) else error.code)

    def _relayed(self, call: ToolCall, arguments: Mapping[str, Any], waits: Output, entry: Entry) -> Output:
        """Pass the person's yes on to what waits, when it says what they saw; what waits stays so where that fails."""
        key = self.hub.keyed_digest(f"{self.hub.run}\n{call.call_id}\n{entry.ref}")
        try:
            held = self.hub.candidate(str(waits["candidate_id"]))
            if held.status != "pending":  # answered since the call was first carried out
                return _decided(held.candidate_id, held.memory_id, stored=held.status == "approved")
            if not _same(arguments, held):
                return waits
            said = self.hub.attest(
                type="user_message", ref=str(entry.ref), occurred_at=entry.approved_at, idempotency_key=f"{key}:said"
            )
            decided = self.hub.decide(
                held.candidate_id,
                "approve",
                content_hash=held.content_hash,
                evidence_id=said.id,
                idempotency_key=f"{key}:approved",
            )
        except HubError as error:
            return _error(UNKNOWN) if error.outcome == "unknown" else waits
        memory_id = decided.memory.memory_id if decided.memory is not None else None
        return _decided(held.candidate_id, memory_id, stored=decided.stored, reason=decided.reason)


def _decided(candidate_id: str, memory_id: str | None, *, stored: bool, reason: str | None = None) -> Output:
    """What became of a candidate: only one whose memory is there is saved."""
    known = {"candidate_id": candidate_id, "reason": reason}
    if stored and memory_id is not None:
        return {"ok": True, "memory_id": memory_id, **known}
    return {**_error("not_saved"), **known}


def _named(tool: Item) -> tuple[str, Mapping[str, Any]]:
    shown = tool.get("function", tool)
    return shown["name"], shown["parameters"]


def _parsed(arguments: str) -> dict[str, Any] | None:
    """The object in the model's JSON: what is shown, approved and sent is this, whatever else the text could mean."""
    try:
        parsed = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _same(asked: Mapping[str, Any], held: Candidate) -> bool:
    """What waits is what was approved: the key, and the value or, where none is named, the statement."""
    value = asked.get("value")
    content = held.statement == asked.get("statement") if value is None else held.value == value
    return held.key == asked["key"] and held.conditions is None and content


def _error(code: str) -> dict[str, Any]:
    return {"ok": False, "error": code}


def _written(call: ToolCall, output: Output) -> Written:
    state = "saved" if output.get("ok") is True else STATES.get(str(output.get("error")), "not_saved")
    return Written(call, state, output.get("memory_id"), output.get("candidate_id"))
