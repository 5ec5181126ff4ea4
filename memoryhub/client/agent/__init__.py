"""A reference runtime: a language model whose memory is a MemoryHub, with everything that can go wrong taken care of.

    hub = Client.from_environment(run="run_1")
    agent = Agent(hub, Responses("a-model"), approve=ask_the_person)
    print(agent.ask("How do I like my reports?").text)

`python -m memoryhub.client.agent` talks to it in the terminal. Run state is the application's own: keep `Turn.items`
where conversations are kept; the ledger holds no text.
"""

from memoryhub.client.agent.approvals import Approval, Approve, Write
from memoryhub.client.agent.ledger import Entry, Ledger, SqliteLedger
from memoryhub.client.agent.loop import Agent, AgentError, GenerationFailed, StepLimit, Turn
from memoryhub.client.agent.models import (
    ChatCompletions,
    Item,
    Model,
    ModelFailed,
    Reply,
    Responses,
    ToolCall,
    connection,
)
from memoryhub.client.agent.tools import Written

__all__ = [
    "Agent",
    "AgentError",
    "Approval",
    "Approve",
    "ChatCompletions",
    "Entry",
    "GenerationFailed",
    "Item",
    "Ledger",
    "Model",
    "ModelFailed",
    "Reply",
    "Responses",
    "SqliteLedger",
    "StepLimit",
    "ToolCall",
    "Turn",
    "Write",
    "Written",
    "connection",
]
