"""The person's answer inside an MCP client: asked there when the client can show a form, else it waits in the inbox.

What the client sends back is the person's own word only as far as the credential vouches for it, with the scopes that
relaying an answer takes over REST.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.core import signing
from django.utils import timezone
from django.utils.translation import gettext

from accounts import idempotency, secrets
from accounts.errors import InvalidInput
from accounts.idempotency import Result
from accounts.principals import Principal, Scope
from memories import access, actions, tool_calls
from memories.inputs import EvidenceInput
from memories.models import Candidate, Evidence, Operation
from reviews import decisions
from reviews.decisions import Decided

QUESTION = "confirmation"
STATE_SALT = "memoryhub.mcp.confirmation"
STATE_LIVES = timedelta(minutes=10)


def question(
    principal: Principal, capabilities: Mapping[str, Any], asked: Mapping[str, Any], output: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The form to show the person about what their answer is waited for, or None where nobody could be asked so.

    `asked` is the tool's name and arguments; the answer counts for exactly these and for the content shown.
    """
    if output.get("error") != tool_calls.WAITS or not _may_ask(principal, capabilities):
        return None
    candidate = access.candidate(principal, output["candidate_id"])
    if candidate.awaiting != Candidate.Awaiting.OWNER or candidate.subject_id != principal.subject_id:
        return None
    wishes = {
        Candidate.Action.REMEMBER: gettext("Remember this about you? “%(statement)s”"),
        Candidate.Action.FORGET: gettext("Forget this about you, in every version? “%(statement)s”"),
    }
    words = wishes[Candidate.Action(candidate.action)] % {"statement": candidate.statement}
    agreed = {"type": "boolean", "title": gettext("Yes")}
    form = {"type": "object", "properties": {"agreed": agreed}, "required": ["agreed"]}
    return {
        "resultType": "input_required",
        "inputRequests": {
            QUESTION: {
                "method": "elicitation/create",
                "params": {"mode": "form", "message": words, "requestedSchema": form},
            }
        },
        "requestState": signing.dumps(
            [str(candidate.pk), candidate.content_hash, _bound(principal, asked)], salt=STATE_SALT
        ),
    }


def settle(principal: Principal, state: str, asked: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    """Carry the person's answer out, once for each question; returns the tool's output.

    Raises InvalidInput for a state that is not of this call or too old, and what a relayed answer raises.
    """
    try:
        candidate_id, content_hash, bound = signing.loads(state, salt=STATE_SALT, max_age=STATE_LIVES)
    except (signing.BadSignature, ValueError, TypeError):
        raise InvalidInput(code="invalid_request_state") from None
    if not secrets.same(bound, _bound(principal, asked)):
        raise InvalidInput(code="invalid_request_state")
    if answer.get("action") not in ("accept", "decline"):
        return {"ok": False, "error": tool_calls.WAITS, "candidate_id": candidate_id}
    agreed = answer["action"] == "accept" and (answer.get("content") or {}).get("agreed") is True

    def work() -> Result:
        word = EvidenceInput(Evidence.Type.USER_MESSAGE, f"elicitation {candidate_id}", timezone.now())
        evidence_id = str(actions.attest(principal, word).pk)
        verb = decisions.approve if agreed else decisions.reject
        decided = verb(principal, candidate_id, content_hash, evidence_id=evidence_id)
        return Result(200, _output(decided), {"candidate": candidate_id, **_references(decided)})

    return dict(
        idempotency.once(
            principal,
            route="mcp/confirmation",
            key=state,
            request_body={"agreed": agreed},
            work=work,
            answer_again=lambda status, references: Result(status, _output_again(principal, references)),
        ).body
    )


def _may_ask(principal: Principal, capabilities: Mapping[str, Any]) -> bool:
    """Whether the client shows forms and the credential may hand the answer on."""
    elicitation = capabilities.get("elicitation")
    shows_forms = elicitation is not None and (not elicitation or "form" in elicitation)
    return shows_forms and all(principal.may(scope) for scope in (Scope.READ, Scope.RELAY, Scope.ATTEST))


def _bound(principal: Principal, asked: Mapping[str, Any]) -> str:
    caller = [principal.actor_id, principal.subject_id, principal.credential_id]
    return secrets.fingerprint("mcp-question", {"caller": caller, "asked": asked})


def _references(decided: Decided) -> dict[str, str]:
    if decided.proposed is not None:
        return {"operation": str(decided.proposed.operation.pk)}
    return {"erasure": str(decided.erasure.pk)} if decided.erasure is not None else {}


def _output(decided: Decided) -> dict[str, Any]:
    if decided.proposed is not None:
        return tool_calls.saved(decided.proposed.operation)
    if decided.erasure is not None:
        return _forgotten(str(decided.erasure.pk), decided.erasure.memory_ids)
    return {"ok": False, "error": "write_not_approved", "candidate_id": str(decided.candidate.pk)}


def _output_again(principal: Principal, references: Mapping[str, Any]) -> dict[str, Any]:
    if "operation" in references:
        return tool_calls.saved(Operation.objects.get(pk=references["operation"]))
    if "erasure" in references:
        return _forgotten(references["erasure"], access.erasure(principal, references["erasure"]).memory_ids)
    return {"ok": False, "error": "write_not_approved", "candidate_id": references["candidate"]}


def _forgotten(erasure_id: str, memory_ids: list[str]) -> dict[str, Any]:
    return {"ok": True, "erasure_id": erasure_id, "memory_ids": memory_ids}
