"""What can go wrong with a call. Every error says what to do; none holds a text that was sent or remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import httpx

PROBLEM_TYPE = "application/problem+json"
CARRIED_OUT_ONCE = "Repeat the call with this error's idempotency_key: it is carried out once and answers as it did."


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One wrong field of what was sent: where it stands, a stable code, a sentence for people."""

    pointer: str
    code: str
    detail: str


class HubError(Exception):
    """Base of every error of this client.

    `code` is stable, `advice` says what to do, `help_url` leads to more about the code, `request_id` finds the request
    in the server's log. `outcome` is "not_done", "unknown" where nobody can tell whether a write was carried out, or
    "partly_done" for a batch of several requests; `idempotency_key`, unless None, repeats it without doing anything
    twice.
    """

    advice: ClassVar[str] = "Give the request id to whoever runs this MemoryHub."

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        status: int | None = None,
        fields: Sequence[FieldProblem] = (),
        request_id: str | None = None,
        help_url: str | None = None,
        retry_after: float | None = None,
        outcome: str = "not_done",
        idempotency_key: str | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.status = status
        self.fields = tuple(fields)
        self.request_id = request_id
        self.help_url = help_url
        self.retry_after = retry_after
        self.outcome = outcome
        self.idempotency_key = idempotency_key

    def __str__(self) -> str:
        wrong = "; ".join(f"{one.pointer}: {one.detail}" for one in self.fields)
        known = [self.code, f"({self.status})" if self.status else "", self.detail, wrong, self.advice]
        more = [f"See {self.help_url}" if self.help_url else "", f"[{self.request_id}]" if self.request_id else ""]
        return " ".join(part for part in (*known, *more) if part)


class InvalidRequest(HubError):
    """What was sent is not valid; `fields` names what is wrong. Nothing was done."""

    advice = "Correct the named fields."


class NotAuthenticated(HubError):
    """The key is missing, unknown, expired or revoked."""

    advice = "Use a valid agent key, delegation or personal token."


class NotAllowed(HubError):
    """The key may not do this: it lacks the scope, or the person the right."""

    advice = "Use a key with the right, or ask whoever gave you this one."


class NotFound(HubError):
    """It does not exist, or this caller may not see it: both look the same."""

    advice = "Check the id and for whom the call was made."


class Conflict(HubError):
    """The state moved on since it was read."""

    advice = "Read the current state and decide again."


class Stale(Conflict):
    """The version or the content that was named is not the current one; nothing was overwritten."""


class KeyReused(HubError):
    """The idempotency key belongs to another request."""

    advice = "Use a new idempotency key for a new request."


class RateLimited(HubError):
    """More calls came than this caller may make; `retry_after` says how many seconds to wait."""

    advice = "Wait as long as retry_after says."


class Unavailable(HubError):
    """The service, or a part that it needs, is down. This is never the same as "nothing was found"."""

    advice = "Try again later."


class Unanswered(Unavailable):
    """No answer came: the network failed, or the time ran out."""


class NoMemoryHub(HubError):
    """What answered is no MemoryHub, or one that this client does not understand."""

    advice = "Check the address, and that client and server fit together."


BY_STATUS: Mapping[int, type[HubError]] = {
    400: InvalidRequest,
    401: NotAuthenticated,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    412: Stale,
    413: InvalidRequest,
    422: InvalidRequest,
    428: Stale,
    429: RateLimited,
    503: Unavailable,
}
GATEWAYS: Mapping[int, tuple[str, type[HubError]]] = {
    429: ("throttled", RateLimited),
    502: ("unavailable", Unavailable),
    503: ("unavailable", Unavailable),
    504: ("unavailable", Unavailable),
}
"""What a gateway in between says without a problem document."""
BY_CODE: Mapping[str, type[HubError]] = {"idempotency_key_reused": KeyReused}


def problem_of(response: httpx.Response, *, write: bool, idempotency_key: str | None) -> HubError:
    """The error that a response of 300 or more stands for. Only a MemoryHub's own problem document is believed."""
    document = _document(response)
    if document is None:
        # A gateway that gave up says nothing about what happened behind it.
        unknown = write and response.status_code >= 500
        code, known = GATEWAYS.get(response.status_code, ("no_memoryhub", NoMemoryHub))
        return known(
            code,
            CARRIED_OUT_ONCE if unknown and idempotency_key else "",
            status=response.status_code,
            retry_after=retry_after_of(response),
            outcome="unknown" if unknown else "not_done",
            idempotency_key=idempotency_key,
        )
    code = str(document["code"])
    kind = BY_CODE.get(code) or BY_STATUS.get(response.status_code, HubError)
    return kind(
        code,
        str(document.get("detail") or ""),
        status=response.status_code,
        fields=[
            FieldProblem(str(one.get("pointer")), str(one.get("code")), str(one.get("detail")))
            for one in document.get("errors") or ()
        ],
        request_id=str(document.get("instance") or "") or None,
        help_url=str(document.get("type") or "") or None,
        retry_after=retry_after_of(response),
        idempotency_key=idempotency_key,
    )


def unanswered(error: httpx.HTTPError, *, write: bool, idempotency_key: str | None) -> Unanswered:
    """The error for a call without an answer. It names the kind of failure and no address: one may hold a password."""
    unknown = write and not isinstance(error, NEVER_SENT)
    return Unanswered(
        "unanswered",
        f"{type(error).__name__}." + (f" {CARRIED_OUT_ONCE}" if unknown and idempotency_key else ""),
        outcome="unknown" if unknown else "not_done",
        idempotency_key=idempotency_key,
    )


NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
"""Failures before anything left this machine."""


def retry_after_of(response: httpx.Response) -> float | None:
    """The seconds that the server asks to wait; a date, which ours never sends, is not read."""
    told = response.headers.get("Retry-After", "")
    return float(told) if told.isascii() and told.isdigit() else None


def _document(response: httpx.Response) -> Mapping[str, Any] | None:
    if not response.headers.get("Content-Type", "").startswith(PROBLEM_TYPE):
        return None
    try:
        document = response.json()
    except ValueError:
        return None
    return document if isinstance(document, dict) and "code" in document else None
