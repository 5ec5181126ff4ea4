"""What a developer copies: the first call in several ways, for this server. The secret is in none of them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any

from django.utils.translation import gettext_lazy as _

KEY = "MEMORYHUB_KEY"


@dataclass(frozen=True, slots=True)
class Snippet:
    """One way to make the first call."""

    name: str
    title: Any
    text: str


def first_proposal(now: datetime) -> dict[str, Any]:
    """A preference the person has just stated, which the default policy stores at once when the runtime attests it."""
    return {
        "namespace": {"type": "user"},
        "kind": "preference",
        "key": "answer_style",
        "statement": "Put the conclusion first and then the reasons.",
        "value": "conclusion_first",
        "evidence": {"type": "user_message", "ref": "message_1", "occurred_at": now.isoformat(timespec="seconds")},
    }


def all_of(host: str, now: datetime) -> list[Snippet]:
    """Each way in the order in which they are offered."""
    environment = f"export MEMORYHUB_URL={shlex.quote(host)}\n"
    return [
        Snippet("curl", "curl", curl(host, "/api/v1/proposals", first_proposal(now))),
        Snippet("python", _("Python SDK"), f"{environment}{_program('first_memory.py')}"),
        Snippet("openai", _("OpenAI tool calling"), f"{environment}export OPENAI_MODEL=…\n{_program('assistant.py')}"),
        Snippet("mcp", _("MCP client"), mcp(host)),
    ]


def export(token: str) -> str:
    """The line that puts a key into the environment, where every snippet looks for it."""
    return f"export {KEY}={token}"


def curl(host: str, path: str, body: Mapping[str, Any]) -> str:
    """A POST of a JSON body; whatever stands in it stays one argument of the shell."""
    lines = [
        f"curl -sS {shlex.quote(host + path)}",
        f'-H "Authorization: Bearer ${KEY}"',
        "-H 'Content-Type: application/json'",
        f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}",
    ]
    return " \\\n  ".join(lines)


def _program(name: str) -> str:
    """One of the SDK's examples, as a file that is made and run: it may ask the person something."""
    text = files("memoryhub.client.examples").joinpath(name).read_text("utf-8")
    return f"cat > {name} <<'PY'\n{text}PY\npython {name}"


def mcp(host: str) -> str:
    """The entry of an MCP client's configuration; most of them fill the environment's value in."""
    server = {"type": "http", "url": f"{host}/mcp", "headers": {"Authorization": f"Bearer ${{{KEY}}}"}}
    return json.dumps({"mcpServers": {"memoryhub": server}}, indent=2)
