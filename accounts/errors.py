"""Errors that a caller may see. Each has a stable code; no message ever quotes what was sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldError:
    """One wrong field: where it stands in the input, a stable code and a sentence for people."""

    pointer: str
    code: str
    detail: str


class MemoryHubError(Exception):
    """Base of all errors that become a problem document. `status` is the HTTP status."""

    status = 400
    code = "bad_request"
    title = "Bad request"

    def __init__(self, detail: str = "", *, code: str = "", errors: Sequence[FieldError] = (), **extra: object) -> None:
        super().__init__(code or self.code)
        self.code = code or self.code
        self.detail = detail or self.title
        self.errors = tuple(errors)
        self.extra = extra


class InvalidInput(MemoryHubError):
    """The input is malformed; `errors` names the fields."""

    code = "invalid_input"
    title = "Some of the input is not valid"

    @classmethod
    def field(cls, pointer: str, detail: str, code: str = "invalid") -> InvalidInput:
        return cls(detail, errors=[FieldError(pointer, code, detail)])


class Forbidden(MemoryHubError):
    """The credential lacks the scope or the role; says nothing about the thing addressed."""

    status = 403
    code = "permission_denied"
    title = "This credential may not do that"


class NotVisible(MemoryHubError):
    """Absent, or not the caller's to see: one answer for both."""

    status = 404
    code = "not_found"
    title = "Not found"


class Conflict(MemoryHubError):
    """The state moved on since the caller looked."""

    status = 409
    code = "conflict"
    title = "The current state does not allow this"


class StaleVersion(MemoryHubError):
    """The caller's version or content hash is not the current one."""

    status = 412
    code = "stale_version"
    title = "It changed since you read it"


class VersionRequired(MemoryHubError):
    status = 428
    code = "version_required"
    title = "Say which version you saw (If-Match)"


class IdempotencyMismatch(MemoryHubError):
    status = 422
    code = "idempotency_key_reused"
    title = "This idempotency key was used for another request"


class Unavailable(MemoryHubError):
    """Something this call depends on is down; nothing was stored."""

    status = 503
    code = "memory_unavailable"
    title = "A part of the service is not available; nothing was changed"
