"""Every call of the API, each described once. What they need of rights and what they refuse is the server's to say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack
from urllib.parse import quote

import httpx

from memoryhub.client import reading
from memoryhub.client.calls import Call, ask, change, endpoint, get, listing, write
from memoryhub.client.errors import NoMemoryHub
from memoryhub.client.extractions import Extraction, Message, Method
from memoryhub.client.inputs import Changes, End, EvidenceBody, NamespaceRef, Proposal, Question
from memoryhub.client.results import (
    BatchProblem,
    Candidate,
    Context,
    Decided,
    Decision,
    Delegation,
    Evidence,
    Feedback,
    ForgetPlan,
    IndexStatus,
    Memory,
    Operation,
    Page,
    Recalled,
    Receipt,
    ToolAnswer,
)

Batched = tuple[Decision | BatchProblem, ...]
Answer = Literal["approve", "reject", "withdraw", "request_changes"]
ContextFormat = Literal["packet", "openai_responses", "openai_chat", "anthropic", "markdown"]
ToolsFormat = Literal["openai_responses", "openai_chat", "anthropic"]
PAGE = "200"


class Endpoints:
    """The methods that `Client` and `AsyncClient` share."""

    @endpoint
    def recall(self, query: str, *, explain: bool = False, **question: Unpack[Question]) -> Call[Recalled]:
        """What may and should come back for this question, best first."""
        more = {"explain": True} if explain else {}
        return ask("/recall", reading.answer(Recalled), {"query": query, **question, **more})

    @endpoint
    def context(
        self,
        query: str = "",
        *,
        preload: Sequence[str] = (),
        format: ContextFormat = "packet",
        **question: Unpack[Question],
    ) -> Call[Context]:
        """Memory for one model call, as labelled data: the keys of `preload`, and what answers `query`."""
        body = {"query": query, "preload": list(preload), "format": format, **question}
        return ask("/context", reading.answer(Context), body)

    @endpoint
    def feedback(
        self,
        recall_id: str,
        memory_id: str,
        verdict: Literal["used", "irrelevant", "wrong", "stale"],
        *,
        idempotency_key: str | None = None,
    ) -> Call[Feedback]:
        """Say what became of a recalled memory."""
        body = {"memory_id": memory_id, "verdict": verdict}
        return write(f"/recalls/{_id(recall_id)}/feedback", reading.answer(Feedback), body, idempotency_key)

    @endpoint
    def attest(self, *, idempotency_key: str | None = None, **event: Unpack[EvidenceBody]) -> Call[Evidence]:
        """Attest what actually happened. Only the runtime does this, from real events, never a model."""
        return write("/evidence", reading.answer(Evidence), event, idempotency_key)

    @endpoint
    def propose(self, *, idempotency_key: str | None = None, **proposal: Unpack[Proposal]) -> Call[Decision]:
        """Ask to remember something. The gate's answer says whether it is stored, waits, or is refused, and why."""
        return write("/proposals", reading.answer(Decision), proposal, idempotency_key)

    @endpoint
    def preview(self, **proposal: Unpack[Proposal]) -> Call[Decision]:
        """What the gate would say to a proposal; nothing is kept."""
        return ask("/proposals/preview", reading.answer(Decision), proposal)

    @endpoint
    def propose_together(
        self, proposals: Sequence[Proposal], *, atomic: bool = False, idempotency_key: str | None = None
    ) -> Call[Batched]:
        """Up to 1,000 proposals in one request, answered in order; when `atomic`, a malformed one stops them all."""
        body = {"items": list(proposals), "atomic": atomic}
        return write("/proposals/batch", _batched, body, idempotency_key)

    @listing
    def memories(
        self,
        *,
        namespace: NamespaceRef | None = None,
        kind: str | None = None,
        key: str | None = None,
        status: Literal["active", "superseded", "paused"] | None = None,
        updated_since: str | None = None,
    ) -> Call[Page[Memory]]:
        """Every memory under these filters, complete and unranked. A search by words is `recall`."""
        place = None if namespace is None else json.dumps(namespace, ensure_ascii=False)
        filters = {"kind": kind, "key": key, "status": status, "updated_since": updated_since}
        return get("/memories", reading.page(Memory), namespace=place, limit=PAGE, **filters)

    @endpoint
    def memory(self, memory_id: str) -> Call[Memory]:
        """One version."""
        return get(f"/memories/{_id(memory_id)}", reading.answer(Memory))

    @endpoint
    def lookup(self, *, namespace: NamespaceRef, kind: str, key: str) -> Call[Memory]:
        """The current version under this exact key."""
        place = json.dumps(namespace, ensure_ascii=False)
        return get("/memories/lookup", reading.answer(Memory), namespace=place, kind=kind, key=key)

    @endpoint
    def history(self, memory_id: str) -> Call[tuple[Memory, ...]]:
        """Every version of a memory's key."""
        return get(f"/memories/{_id(memory_id)}/history", _items)

    @endpoint
    def correct(self, memory_id: str, *, version: int, **changes: Unpack[Changes]) -> Call[Decision]:
        """Change a memory if `version`, the one that was read, is still the current one; raises Stale when not."""
        return change("PATCH", f"/memories/{_id(memory_id)}", reading.answer(Decision), changes, version)

    @endpoint
    def renew(
        self, memory_id: str, *, valid_until: End, version: int | None = None, evidence_id: str | None = None
    ) -> Call[Decision]:
        """Confirm a memory anew until a later end."""
        body = {"valid_until": valid_until} | ({"evidence_id": evidence_id} if evidence_id else {})
        return change("POST", f"/memories/{_id(memory_id)}/renew", reading.answer(Decision), body, version)

    @endpoint
    def pause(self, memory_id: str, *, version: int | None = None) -> Call[Memory]:
        """Take a memory out of recall."""
        return change("POST", f"/memories/{_id(memory_id)}/pause", reading.answer(Memory), {}, version)

    @endpoint
    def resume(self, memory_id: str, *, version: int | None = None) -> Call[Memory]:
        """Bring a paused memory back."""
        return change("POST", f"/memories/{_id(memory_id)}/resume", reading.answer(Memory), {}, version)

    @endpoint
    def forget(self, memory_id: str, *, version: int | None = None) -> Call[Receipt]:
        """Forget a memory's key with every version of it."""
        return change("DELETE", f"/memories/{_id(memory_id)}", reading.answer(Receipt), version=version)

    @endpoint
    def plan_forgetting(
        self, *, namespace: NamespaceRef | None = None, kind: str | None = None, key: str | None = None
    ) -> Call[ForgetPlan]:
        """The exact memories under these filters, and the token that forgets just those. Forgets nothing."""
        chosen = {"namespace": namespace, "kind": kind, "key": key}
        body = {"filter": {name: value for name, value in chosen.items() if value is not None}, "dry_run": True}
        return ask("/forget", reading.answer(ForgetPlan), body)

    @endpoint
    def confirm_forgetting(self, confirm_token: str) -> Call[Receipt]:
        """Forget what a plan showed. The token works once; sent again it answers with the same receipt."""
        return ask("/forget", reading.answer(Receipt), {"confirm_token": confirm_token})

    @endpoint
    def receipt(self, erasure_id: str) -> Call[Receipt]:
        """How far a forgetting is."""
        return get(f"/erasures/{_id(erasure_id)}", reading.answer(Receipt))

    @listing
    def candidates(self, *, awaiting: Literal["owner", "reviewer"] | None = None) -> Call[Page[Candidate]]:
        """What waits for a person."""
        return get("/candidates", reading.page(Candidate), awaiting=awaiting, limit=PAGE)

    @endpoint
    def candidate(self, candidate_id: str) -> Call[Candidate]:
        """One of them, with the exact content and its hash."""
        return get(f"/candidates/{_id(candidate_id)}", reading.answer(Candidate))

    @endpoint
    def decide(
        self,
        candidate_id: str,
        answer: Answer,
        *,
        content_hash: str,
        evidence_id: str | None = None,
        reason: str | None = None,
        valid_until: End = None,
        idempotency_key: str | None = None,
    ) -> Call[Decided]:
        """Answer what waits, for exactly the content shown. An agent relays a person's word: `evidence_id` cites it."""
        given = {"evidence_id": evidence_id, "reason": reason, "valid_until": valid_until}
        body = {"content_hash": content_hash} | {name: one for name, one in given.items() if one is not None}
        path = f"/candidates/{_id(candidate_id)}/{answer}"
        return write(path, reading.answer(Decided), body, idempotency_key)

    @endpoint
    def extract(
        self,
        messages: Sequence[Message],
        *,
        conversation: str,
        method: Method = "rules",
        idempotency_key: str | None = None,
    ) -> Call[Extraction]:
        """Have a conversation looked through for what to remember. Rules mostly have ended by then; a model goes on."""
        body = {"conversation": conversation, "method": method, "messages": list(messages)}
        return write("/extractions", reading.answer(Extraction), body, idempotency_key)

    @endpoint
    def extraction(self, extraction_id: str) -> Call[Extraction]:
        """How far that is, and what was found."""
        return get(f"/extractions/{_id(extraction_id)}", reading.answer(Extraction))

    @endpoint
    def cancel_extraction(self, extraction_id: str) -> Call[Extraction]:
        """Stop it; the conversation is let go of."""
        return change("POST", f"/extractions/{_id(extraction_id)}/cancel", reading.answer(Extraction), {})

    @endpoint
    def retry_extraction(self, extraction_id: str) -> Call[Extraction]:
        """Try again after a failure, while the conversation is still there."""
        return change("POST", f"/extractions/{_id(extraction_id)}/retry", reading.answer(Extraction), {})

    @endpoint
    def operation(self, operation_id: str) -> Call[Operation]:
        """What became of one write."""
        return get(f"/operations/{_id(operation_id)}", reading.answer(Operation))

    @endpoint
    def index_status(self) -> Call[IndexStatus]:
        """Whether all memories can be found by meaning yet."""
        return get("/index-status", reading.answer(IndexStatus))

    @endpoint
    def tools(self, format: ToolsFormat = "openai_responses") -> Call[tuple[Mapping[str, Any], ...]]:
        """The tools to offer a model, as its API takes them."""
        return get("/tools", _tools, format=format)

    @endpoint
    def call_tool(
        self, call_id: str, name: str, arguments: str | Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> Call[ToolAnswer]:
        """Carry a model's call out. In a run a `call_id` acts once, whatever the key; elsewhere the key does."""
        body = {"call_id": call_id, "name": name, "arguments": arguments}
        return write("/tools/call", reading.answer(ToolAnswer), body, idempotency_key)

    @endpoint
    def delegate(
        self,
        subject: str,
        scopes: Sequence[str],
        *,
        run_id: str = "",
        ttl_seconds: int = 900,
        idempotency_key: str | None = None,
    ) -> Call[Delegation]:
        """A token for one person with fewer scopes, to hand to a tool's process."""
        body = {"subject": subject, "scopes": list(scopes), "run_id": run_id, "ttl_seconds": ttl_seconds}
        return write("/delegations", reading.answer(Delegation), body, idempotency_key)


def _id(given: str) -> str:
    """An id as one segment of a path, whatever it holds."""
    return quote(given, safe="")


def _items(response: httpx.Response) -> tuple[Memory, ...]:
    return reading.page(Memory)(response).items


def _tools(response: httpx.Response) -> tuple[Mapping[str, Any], ...]:
    return tuple(_body(response, "tools"))


def _batched(response: httpx.Response) -> Batched:
    try:
        return tuple(
            reading.value(BatchProblem, one["problem"]) if "problem" in one else reading.value(Decision, one)
            for one in _body(response, "items")
        )
    except reading.FAULTS:
        raise NoMemoryHub("unexpected_answer", status=response.status_code) from None


def _body(response: httpx.Response, name: str) -> Sequence[Any]:
    try:
        return list(response.json()[name])
    except reading.FAULTS:
        raise NoMemoryHub("unexpected_answer", status=response.status_code) from None
