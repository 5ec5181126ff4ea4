"""Claude with a memory. Needs the extra `claude`, ANTHROPIC_API_KEY and ANTHROPIC_MODEL beside those of the client."""

import os
from datetime import UTC, datetime
from uuid import uuid4

from anthropic import Anthropic

from memoryhub.client import Client
from memoryhub.client.claude import MemoryTool

TEXT = "Please remember for all reports: the conclusion comes first, then the reasons."

with Client.from_environment() as hub:
    said = hub.attest(type="user_message", ref=f"message_{uuid4().hex}", occurred_at=datetime.now(UTC))
    runner = Anthropic().beta.messages.tool_runner(
        model=os.environ["ANTHROPIC_MODEL"],
        max_tokens=1000,
        messages=[{"role": "user", "content": TEXT}],
        tools=[MemoryTool(hub, evidence=lambda parts: said.id)],
        thread=False,  # nothing is kept by the provider
    )
    for part in runner.until_done().content:
        if part.type == "text":
            print(part.text)
    for memory in hub.memories():
        print(memory.key, "=", memory.statement)
