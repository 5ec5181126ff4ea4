"""MCP over standard input and output, for hosts that start their servers themselves.

Every message goes on to /mcp of a running MemoryHub under a key from the environment: who calls, what they may and
what is recorded is decided there, as for every other client.

environment:
  MEMORYHUB_KEY      an agent key, a delegation or a personal token; needed
  MEMORYHUB_URL      where the MemoryHub is; http://127.0.0.1:8000 unless set
  MEMORYHUB_SUBJECT  the person the agent works for, where the key may act for several
  MEMORYHUB_RUN      the run, for provenance and traces
  MEMORYHUB_THREAD   the conversation, likewise

A host's configuration names `python` as the command, `-m memoryhub.client.mcp` as its arguments and the variables.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import os
import re
import sys
import uuid
from collections.abc import Iterable, Mapping
from typing import IO, Any

import httpx

from memoryhub.client.hub import DEFAULT_URL

SENT_HEADERS = {
    "MEMORYHUB_SUBJECT": "MemoryHub-Subject",
    "MEMORYHUB_RUN": "MemoryHub-Run",
    "MEMORYHUB_THREAD": "MemoryHub-Thread",
}
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NAMED_BY = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
PLAIN = re.compile(r"[!-~](?:[ -~]*[!-~])?")
PARSE_ERROR, INTERNAL_ERROR = -32700, -32603


class Bridge:
    """Sends each message on, once more when no answer came: a tool's call has an idempotency key, so it acts once."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self.agreed: str | None = None

    def answer(self, line: str) -> str | None:
        """The answer to one line, as a line; None where the protocol has none."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return json.dumps(_error(PARSE_ERROR, "This line is not JSON."))
        asked = message if isinstance(message, dict) else {"id": None}
        answer = self._asked(line, asked)
        if "id" not in asked:
            return None
        if asked.get("method") == "initialize":
            self.agreed = answer.get("result", {}).get("protocolVersion")
        # A refusal that came before the message was read names no id, and the host waits for its own.
        return json.dumps(answer | {"id": asked["id"]})

    def _asked(self, line: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of /mcp, or an error that says why there is none. It names no address: one may hold a password."""
        try:
            response = self._sent(line, _headers(asked, self.agreed))
        except httpx.HTTPError as error:
            return _error(INTERNAL_ERROR, f"MemoryHub cannot be reached: {type(error).__name__}.")
        try:
            answer = response.json()
        except ValueError:
            answer = None
        if isinstance(answer, dict) and "jsonrpc" in answer:
            return answer
        return _error(INTERNAL_ERROR, f"What answered with status {response.status_code} is no MemoryHub.")

    def _sent(self, line: str, headers: Mapping[str, str]) -> httpx.Response:
        try:
            return self.http.post("/mcp", content=line, headers=headers)
        except httpx.TransportError:
            return self.http.post("/mcp", content=line, headers=headers)


def serve(bridge: Bridge, lines: Iterable[str], out: IO[str]) -> None:
    """Answer line after line, in the order in which they come."""
    for line in lines:
        if line.strip() and (answer := bridge.answer(line)) is not None:
            out.write(f"{answer}\n")
            out.flush()


def client(environment: Mapping[str, str]) -> httpx.Client:
    """A client of the MemoryHub that the environment names. Raises httpx.InvalidURL when that is no address."""
    headers = {
        "Authorization": f"Bearer {environment['MEMORYHUB_KEY']}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    headers |= {SENT_HEADERS[name]: environment[name] for name in SENT_HEADERS if environment.get(name)}
    encoded = {name: value.encode() for name, value in headers.items()}
    return httpx.Client(base_url=environment.get("MEMORYHUB_URL") or DEFAULT_URL, headers=encoded, timeout=30)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m memoryhub.client.mcp",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args()
    if not os.environ.get("MEMORYHUB_KEY"):
        parser.error("set MEMORYHUB_KEY in the environment; --help says what it is")
    try:
        http = client(os.environ)
    except httpx.InvalidURL:
        parser.error("MEMORYHUB_URL is no address, such as http://127.0.0.1:8000")
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    with http, contextlib.suppress(KeyboardInterrupt):
        serve(Bridge(http), sys.stdin, sys.stdout)
    return 0


def _headers(asked: Mapping[str, Any], agreed: str | None) -> dict[str, str]:
    """What the protocol wants said in headers too, read from the message itself."""
    headers = {"Idempotency-Key": str(uuid.uuid4())} if asked.get("method") == "tools/call" else {}
    params = asked.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    if not isinstance(version, str):
        return headers | ({"MCP-Protocol-Version": agreed} if agreed else {})
    method = str(asked.get("method"))
    name = params.get(NAMED_BY.get(method, ""))
    named = {"Mcp-Name": _encoded(name)} if isinstance(name, str) else {}
    return headers | named | {"MCP-Protocol-Version": _encoded(version), "Mcp-Method": _encoded(method)}


def _encoded(text: str) -> str:
    """A text as a header may carry it."""
    if PLAIN.fullmatch(text) and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode(errors='replace')).decode()}?="


def _error(code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}


if __name__ == "__main__":
    sys.exit(main())
