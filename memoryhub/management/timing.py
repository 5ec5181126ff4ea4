"""Times of calls over HTTP, to a server of our own."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memoryhub.management.scratch import ROOT, Environment

START_SECONDS = 60


class CallFailed(RuntimeError):
    """The server did not answer as it should; the message holds a path and a status."""


@dataclass
class Wire:
    """One kept connection of one agent, and the milliseconds that its calls took."""

    port: int
    key: str
    subject: str
    times: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def reconnect(self) -> None:
        """A new connection: the server drops one that was silent for a while."""
        self._connection.close()
        self._connection.connect()

    def call(self, what: str | None, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """POST and read the whole answer; its time is kept under `what`."""
        headers = {
            "Authorization": f"Bearer {self.key}",
            "MemoryHub-Subject": self.subject,
            "Content-Type": "application/json",
        }
        sent = json.dumps(body).encode()
        began = time.perf_counter()
        self._connection.request("POST", f"/api/v1{path}", sent, headers)
        response = self._connection.getresponse()
        content = response.read()
        took = (time.perf_counter() - began) * 1000
        if response.status not in (200, 201):
            raise CallFailed(f"{path} answered {response.status}")
        if what is not None:
            self.times.setdefault(what, []).append(took)
        answer: dict[str, Any] = json.loads(content)
        return answer

    def recall(self, question: str, what: str | None = "recall") -> dict[str, Any]:
        return self.call(what, "/recall", {"query": question})

    def propose(self, key: str, statement: str, what: str | None = "propose") -> dict[str, Any]:
        return self.call(what, "/proposals", _proposal(key, statement))

    def propose_all(self, statements: Mapping[str, str], what: str) -> dict[str, Any]:
        """All in one batch, by their keys."""
        return self.call(what, "/proposals/batch", {"items": [_proposal(*one) for one in statements.items()]})


def _proposal(key: str, statement: str) -> dict[str, Any]:
    evidence = {"type": "user_message", "ref": key, "occurred_at": datetime.now(UTC).isoformat()}
    body = {"namespace": {"type": "user"}, "kind": "preference", "key": key, "statement": statement}
    return body | {"evidence": evidence}


@contextlib.contextmanager
def served(environment: Environment) -> Iterator[int]:
    """The port of a server over this installation, web and worker as `make run` starts them, stopped afterwards."""
    port = _free_port()
    own = {**environment, "PORT": str(port)}
    command = [sys.executable, "-m", "memoryhub.serve", "--without-demo"]
    with open(f"{environment['MEMORYHUB_VAR_DIR']}/server.log", "wb") as log:
        server = subprocess.Popen(command, cwd=ROOT, env=own, stdout=log, stderr=log)  # noqa: S603
        try:
            _await_ready(server, port)
            yield port
        finally:
            server.terminate()
            server.wait(timeout=30)


def percentile(times: Sequence[float], share: float) -> float:
    """The value that this share of the times does not exceed."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _await_ready(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        connection.close()
        time.sleep(0.1)
    raise CallFailed("the server did not become ready")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
