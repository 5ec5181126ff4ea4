"""Canaries planted through every door of a served installation, along every way a text can go, and forgotten again."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from accounts import tenancy
from accounts.principals import system
from accounts.provisioning import provision_tenant
from memories import tenant_policy
from memoryhub.demo.company import SCOPES
from memoryhub.management.filling import SYLLABLES
from memoryhub.management.timing import CallFailed

SUBJECT = "planter"
MCP_REVISION = "2025-11-25"


def provision() -> str:
    """A tenant with one person and an agent that may do everything for them; the agent's key."""
    key = {"name": "planter", "scopes": [*SCOPES, "candidate:relay_confirmation"]}
    people = [{"external_id": SUBJECT, "email": f"{SUBJECT}@planted.example"}]
    agent = {"slug": "planter", "owner": SUBJECT, "acts_for": "*", "keys": [key]}
    tenant, keys = provision_tenant({"slug": "planted", "people": people, "agents": [agent]}, "planting")
    with tenancy.entered(tenant.pk):
        tools = {"memory_save_free_text": True, "memory_forget": True}
        tenant_policy.activate(system(tenant.pk), {"confirm": "inferred_only", "tools": tools})
    return keys["planted/planter/planter"]


@dataclass
class Door:
    """One agent at a server. `standing` are the memories that its canaries became."""

    http: httpx.Client
    standing: list[str] = field(default_factory=list)

    @classmethod
    def at(cls, port: int, key: str) -> Door:
        headers = {"Authorization": f"Bearer {key}", "MemoryHub-Subject": SUBJECT, "MemoryHub-Run": "run"}
        return cls(httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60))

    def send(self, path: str, body: Any, *, method: str = "POST", **headers: str) -> dict[str, Any]:
        """The answer as JSON. Raises CallFailed with the path and the status, and nothing of what was sent."""
        response = self.http.request(method, f"/api/v1{path}", json=body, headers=headers)
        if response.is_error:
            raise CallFailed(f"{method} {path.partition('?')[0]} answered {response.status_code}")
        answer: dict[str, Any] = response.json()
        return answer

    def attest(self, mark: str) -> str:
        return str(self.send("/evidence", _event(mark))["id"])

    def propose(self, mark: str, decision: str = "store", **changes: Any) -> dict[str, Any]:
        """A proposal whose every field holds the mark; the gate must decide so."""
        answer = self.send("/proposals", _proposal(mark, **changes))
        return self._decided(answer, decision)

    def stand(self, mark: str, **changes: Any) -> dict[str, Any]:
        """A memory that stands."""
        memory: dict[str, Any] = self.propose(mark, **changes)["memory"]
        self.standing.append(memory["memory_id"])
        return memory

    def hold(self, mark: str, **changes: Any) -> dict[str, Any]:
        """A guess that waits for the person."""
        waiting = self.propose(mark, "needs_confirmation", evidence=None, **changes)
        return self.send(f"/candidates/{waiting['candidate_id']}", None, method="GET")

    def answer(self, candidate: Mapping[str, Any], verdict: str, mark: str) -> dict[str, Any]:
        body = {"content_hash": candidate["content_hash"], "evidence_id": self.attest(mark), "reason": f"said {mark}"}
        if verdict == "approve":
            del body["reason"]
        return self.send(f"/candidates/{candidate['candidate_id']}/{verdict}", body)

    @staticmethod
    def _decided(answer: dict[str, Any], decision: str) -> dict[str, Any]:
        if answer["decision"] != decision:
            raise CallFailed(f"a proposal was answered {answer['decision']}, {answer['reason']}, not {decision}")
        return answer


def _event(mark: str) -> dict[str, Any]:
    return {
        "type": "user_message",
        "ref": f"ref {mark}",
        "occurred_at": _moment(),
        "thread": f"thread {mark}",
        "speaker": f"speaker {mark}",
        "text": f"Original words: {mark}.",
    }


def _proposal(mark: str, **changes: Any) -> dict[str, Any]:
    return {
        "namespace": {"type": "user", "path": [f"path {mark}"]},
        "kind": "preference",
        "key": f"key_{mark}",
        "statement": f"Put the {mark} summary before the details.",
        "value": {f"name {mark}": [f"value {mark}"]},
        "conditions": f"When the {mark} report is due.",
        "aliases": [f"alias {mark}"],
        "said": {"thread": f"said {mark}", "speaker": f"speaker {mark}"},
        "evidence": _event(mark),
    } | changes


def _moment(**later: float) -> str:
    return (datetime.now(UTC) + timedelta(**later)).isoformat()


# --- what becomes of a canary that is kept for a while ---------------------------------------------------------------


def stored(door: Door, mark: str) -> None:
    door.stand(mark)


def stored_in_a_batch(door: Door, mark: str) -> None:
    item = door.send("/proposals/batch", {"items": [_proposal(mark)]})["items"][0]
    door.standing.append(item["memory"]["memory_id"])


def stored_and_sent_again(door: Door, mark: str) -> None:
    """Under one idempotency key, whose answer is kept."""
    body, once = _proposal(mark), {"Idempotency-Key": str(uuid.uuid4())}
    for _ in range(2):
        answer = door.send("/proposals", body, **once)
    door.standing.append(answer["memory"]["memory_id"])


def on_attested_evidence(door: Door, mark: str) -> None:
    door.stand(mark, evidence=None, evidence_id=door.attest(mark))


def superseded(door: Door, mark: str) -> None:
    door.stand(mark)
    newer = door.propose(mark, "supersede", statement=f"Put the {mark} summary last.", evidence=_event(f"{mark} again"))
    door.standing[-1] = newer["memory"]["memory_id"]


def corrected(door: Door, mark: str) -> None:
    memory = door.stand(mark)
    path, changes = (
        f"/memories/{memory['memory_id']}",
        {"conditions": f"Only for {mark}.", "evidence_id": door.attest(mark)},
    )
    changed = door.send(path, changes, method="PATCH", **{"If-Match": f'"{memory["version"]}"'})
    door.standing[-1] = changed["memory"]["memory_id"]


def paused(door: Door, mark: str) -> None:
    memory = door.stand(mark)
    door.send(f"/memories/{memory['memory_id']}/pause", {})


def expired(door: Door, mark: str) -> None:
    door.stand(mark, valid_until=_moment(seconds=1))


def approved(door: Door, mark: str) -> None:
    decided = door.answer(door.hold(mark), "approve", mark)
    door.standing.append(decided["memory"]["memory_id"])


def recalled(door: Door, mark: str) -> None:
    """By a question, in a packet and by a tool, with feedback."""
    memory = door.stand(mark)
    found = door.send("/recall", {"query": f"what about {mark}", "explain": True})
    door.send("/context", {"query": mark, "preload": [f"key_{mark}"], "format": "markdown"})
    door.send("/tools/call", {"call_id": f"call {mark}", "name": "memory_search", "arguments": {"query": mark}})
    verdict = {"memory_id": memory["memory_id"], "verdict": "used"}
    door.send(f"/recalls/{found['recall_id']}/feedback", verdict)


def imported(door: Door, mark: str) -> None:
    """One line of a file, through the dry run that a large file takes and the due row that carries it out."""
    line = {"namespace": {"type": "user"}, "kind": "preference", "key": f"key_{mark}"}
    line |= {"statement": f"Put the {mark} summary first.", "aliases": [f"alias {mark}"]}
    content = json.dumps(line).encode() + b"\n"
    response = door.http.post("/api/v1/imports", content=content, headers={"Content-Type": "application/x-ndjson"})
    if response.is_error:
        raise CallFailed(f"an import answered {response.status_code}")


KEPT: Mapping[str, Callable[[Door, str], None]] = {
    one.__name__: one
    for one in (
        stored,
        stored_in_a_batch,
        stored_and_sent_again,
        on_attested_evidence,
        superseded,
        corrected,
        paused,
        expired,
        approved,
        recalled,
        imported,
    )
}


# --- what is refused, or gone again at once --------------------------------------------------------------------------


def not_reusable(door: Door, mark: str) -> None:
    door.propose(mark, "reject", reusable=False)


def sensitive(door: Door, mark: str) -> None:
    door.propose(mark, "reject", sensitivity="secret")


def in_a_batch(door: Door, mark: str) -> None:
    door.send("/proposals/batch", {"items": [_proposal(mark, kind="transcript")]})


def only_previewed(door: Door, mark: str) -> None:
    door.send("/proposals/preview", _proposal(mark))


def asked_for(door: Door, mark: str) -> None:
    door.send("/recall", {"query": mark, "keys": [mark], "anchors": {"sources": [{"topic": mark}]}})


def malformed(door: Door, mark: str) -> None:
    response = door.http.post("/api/v1/proposals", json=_proposal(mark, valid_until=mark))
    if response.status_code != httpx.codes.BAD_REQUEST:
        raise CallFailed(f"a malformed proposal answered {response.status_code}")


def over_mcp(door: Door, mark: str) -> None:
    arguments = {"key": f"key_{mark}", "value": None, "statement": f"My password: {_password(mark)}"}
    params = {"name": "memory_save", "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    response = door.http.post("/mcp", json=body, headers={"MCP-Protocol-Version": MCP_REVISION})
    answer = response.json()["result"]["structuredContent"]
    if answer.get("reason") != "sensitive_or_prohibited":
        raise CallFailed("a secret over MCP was not refused as one")


def _password(mark: str) -> str:
    return f"{mark.capitalize()}!7#"


REFUSED: Mapping[str, Callable[[Door, str], None]] = {
    one.__name__: one for one in (not_reusable, sensitive, in_a_batch, only_previewed, asked_for, malformed, over_mcp)
}


def rejected(door: Door, mark: str) -> None:
    door.answer(door.hold(mark), "reject", mark)


def withdrawn(door: Door, mark: str) -> None:
    candidate = door.hold(mark)
    door.send(f"/candidates/{candidate['candidate_id']}/withdraw", {"content_hash": candidate["content_hash"]})


TAKEN_BACK: Mapping[str, Callable[[Door, str], None]] = {one.__name__: one for one in (rejected, withdrawn)}


def marks(count: int, seed: int) -> list[str]:
    """Words that nobody else uses, each another."""
    chance = random.Random(seed)  # noqa: S311 - nothing here is secret
    made: dict[str, None] = {}
    while len(made) < count:
        made["".join(chance.choices(SYLLABLES, k=8))] = None
    return list(made)
