"""The hub's tools as function tools: searches at once, writes when the run's approval was given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from agents import FunctionTool
from agents.tool_context import ToolContext

from memoryhub.client.agent.approvals import Approval, Write
from memoryhub.client.agent.ledger import Ledger, SqliteLedger
from memoryhub.client.agent.models import ToolCall, as_json
from memoryhub.client.agent.tools import SEARCH, Tools
from memoryhub.client.hub import Client


def memory_tools(
    hub: Client, *, agreed: Callable[[Write], str | None] | None = None, ledger: Ledger | None = None
) -> list[FunctionTool]:
    """The tools that the tenant's policy offers, for `Agent(tools=...)`. Raises ValueError for a client without a run.

    A write interrupts the run until `RunState.approve` or `reject` was called for it; show the person the call's
    arguments, nothing else is sent. `agreed` may name the message in which the person said yes: their yes is then
    relayed to what waits for it, where the key has the scopes `evidence:attest` and `candidate:relay_confirmation`.
    Otherwise it waits for them in the hub. `ledger` keeps a call from acting twice over restarts.
    """
    if not hub.run:
        raise ValueError("Give the client a run: in a run each call acts once, over restarts too.")

    def approved(write: Write) -> Approval:
        return write.approved(agreed(write) if agreed else None)

    offered = hub.tools("openai_responses")
    carried = Tools(hub, offered, approved, ledger or SqliteLedger())
    return [_function_tool(carried, **_named(tool)) for tool in offered]


def _named(tool: Any) -> dict[str, Any]:
    return {name: tool[name] for name in ("name", "description", "parameters")}


def _function_tool(carried: Tools, name: str, description: str, parameters: dict[str, Any]) -> FunctionTool:
    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        call = ToolCall(context.tool_call_id, name, arguments)
        return as_json(await asyncio.to_thread(carried.carry_out, call))

    return FunctionTool(
        name=name,
        description=description,
        params_json_schema=parameters,
        on_invoke_tool=invoke,
        needs_approval=name != SEARCH,
    )
