"""A MemoryHub for the OpenAI Agents SDK. Needs the extra `agents-sdk`.

`memory_tools` gives an agent its memory, with the SDK's own approvals before anything is written. `HubSession` attests
what the person says, so that memories have something to rest on. `write_memory` and `propose_changes` carry memories
into a sandbox and what was written there back, as guesses. The SDK traces runs to a service unless tracing is disabled:
a trace holds what tools return.
"""

from memoryhub.client.agents_sdk.sandbox import propose_changes, write_memory
from memoryhub.client.agents_sdk.session import HubSession
from memoryhub.client.agents_sdk.tools import memory_tools

__all__ = ["HubSession", "memory_tools", "propose_changes", "write_memory"]
