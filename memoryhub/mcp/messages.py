"""Messages of the Model Context Protocol over HTTP: read, checked against the protocol's own types, and answered.

Two kinds of revisions share the address. The current one is stateless: each request says in `_meta`, and again in its
headers, which revision it speaks and what its client can do. The earlier ones begin with a handshake, of which nothing
is kept here: their later requests name the revision in a header.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
    JSONRPCNotification,
    JSONRPCRequest,
    jsonrpc,
)
from mcp_types.methods import CACHEABLE_METHODS, validate_client_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

RESOURCE_NOT_FOUND = -32002  # of the handshake revisions; the current one says INVALID_PARAMS
NAMED_BY = {"tools/call": "name", "resources/read": "uri"}
# How long a client may keep an answer. What is remembered may be forgotten at any moment, so it is never kept.
KEPT_MS = {"server/discover": 60_000, "tools/list": 60_000}
ENCODED = re.compile(r"=\?base64\?(.*)\?=")


class Rejected(Exception):
    """A message that cannot be carried out, as the error of JSON-RPC that says so. Its words quote nothing."""

    def __init__(self, code: int, message: str, data: object = None, *, status: int = 400) -> None:
        super().__init__(code)
        self.code, self.message, self.data, self.status = code, message, data, status
        self.call_id: int | str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One request, in one revision. `capabilities` are the client's, where the revision lets each request tell them."""

    id: int | str
    method: str
    version: str
    params: Mapping[str, Any]
    capabilities: Mapping[str, Any]

    @property
    def is_stateless(self) -> bool:
        return self.version in MODERN_PROTOCOL_VERSIONS

    def rejected(self, code: int, message: str, data: object = None) -> Rejected:
        """The error to raise, under the status of its revision: earlier clients read 404 as the end of a session."""
        refused = 404 if code == jsonrpc.METHOD_NOT_FOUND else 400
        return Rejected(code, message, data, status=refused if self.is_stateless else 200)


def read(body: object, headers: Mapping[str, str]) -> Call | None:
    """The call that a body holds, or None for a notification: there is none that anything here would act on.

    Raises Rejected for what is not one message of the protocol, or not in the revision that its headers name.
    """
    try:
        if isinstance(body, dict) and "id" not in body:
            JSONRPCNotification.model_validate(body)
            return None
        request = JSONRPCRequest.model_validate(body)
    except ValidationError:
        raise Rejected(jsonrpc.INVALID_REQUEST, "Send one JSON-RPC request or notification.") from None
    try:
        return _call(request, headers)
    except Rejected as rejected:
        rejected.call_id = request.id
        raise


def result(call: Call, body: Mapping[str, Any], server: Mapping[str, str]) -> dict[str, Any]:
    """The whole answer to a call."""
    if call.is_stateless:
        kept = {"ttlMs": KEPT_MS.get(call.method, 0), "cacheScope": "private"}
        body = {
            "resultType": "complete",
            **(kept if call.method in CACHEABLE_METHODS else {}),
            **body,
            "_meta": {SERVER_INFO_META_KEY: dict(server)},
        }
    return {"jsonrpc": "2.0", "id": call.id, "result": body}


def error(call_id: int | str | None, code: int, message: str, data: object = None) -> dict[str, Any]:
    """The whole answer when there is no result; `call_id` is None while no id could be read."""
    told = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": call_id, "error": told}


def _call(request: JSONRPCRequest, headers: Mapping[str, str]) -> Call:
    params = request.params or {}
    meta = params.get("_meta")
    stated = meta if isinstance(meta, dict) else {}
    version = headers.get("MCP-Protocol-Version")
    if version is None and PROTOCOL_VERSION_META_KEY not in stated:
        version = LATEST_HANDSHAKE_VERSION
    elif version not in HANDSHAKE_PROTOCOL_VERSIONS:
        version = _stateless_version(request, params, stated, headers)
    call = Call(request.id, request.method, version, params, stated.get(CLIENT_CAPABILITIES_META_KEY) or {})
    try:
        validate_client_request(call.method, call.version, request.params)
    except KeyError:
        raise call.rejected(jsonrpc.METHOD_NOT_FOUND, "There is no such method in this revision.") from None
    except ValidationError as wrong:
        places = sorted({".".join(map(str, one["loc"][:2])) for one in wrong.errors(include_input=False)})
        raise call.rejected(
            jsonrpc.INVALID_PARAMS, "The parameters do not have the shape of this method.", {"fields": places}
        ) from None
    return call


def _stateless_version(
    request: JSONRPCRequest, params: Mapping[str, Any], stated: Mapping[str, Any], headers: Mapping[str, str]
) -> str:
    """The revision of a request without handshake. Headers and body must agree, since others route by the headers."""
    version, header = stated.get(PROTOCOL_VERSION_META_KEY), headers.get("MCP-Protocol-Version")
    known = {"supported": [*MODERN_PROTOCOL_VERSIONS, *HANDSHAKE_PROTOCOL_VERSIONS]}
    if version is None and header not in MODERN_PROTOCOL_VERSIONS:
        raise Rejected(
            jsonrpc.UNSUPPORTED_PROTOCOL_VERSION, "This revision is not served.", known | {"requested": header}
        )
    missing = [key for key in (PROTOCOL_VERSION_META_KEY, CLIENT_CAPABILITIES_META_KEY) if key not in stated]
    if missing:
        raise Rejected(jsonrpc.INVALID_PARAMS, "Something is missing in _meta.", {"fields": missing})
    if header is None or header != version:
        raise Rejected(jsonrpc.HEADER_MISMATCH, "MCP-Protocol-Version is not the revision that the body names.")
    if headers.get("Mcp-Method") != request.method:
        raise Rejected(jsonrpc.HEADER_MISMATCH, "Mcp-Method is not the method that the body names.")
    name = params.get(NAMED_BY.get(request.method, ""))
    if name is not None and _decoded(headers.get("Mcp-Name")) != name:
        raise Rejected(jsonrpc.HEADER_MISMATCH, "Mcp-Name is not the name that the body has.")
    if version not in MODERN_PROTOCOL_VERSIONS:
        raise Rejected(
            jsonrpc.UNSUPPORTED_PROTOCOL_VERSION, "This revision is not served.", known | {"requested": version}
        )
    return str(version)


def _decoded(header: str | None) -> str | None:
    """A header's text: what is not plain ASCII comes as `=?base64?…?=`. None when it cannot be read."""
    encoded = ENCODED.fullmatch(header or "")
    if encoded is None:
        return header
    try:
        return base64.b64decode(encoded[1], validate=True).decode()
    except (binascii.Error, ValueError):
        return None
