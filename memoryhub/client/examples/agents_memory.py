"""An agent of the OpenAI Agents SDK with a memory. Needs the extra `agents-sdk`, OPENAI_API_KEY and OPENAI_MODEL."""

import asyncio
import os
import uuid

from agents import Agent, FunctionTool, RunConfig, Runner, SQLiteSession

from memoryhub.client import AsyncClient, Client
from memoryhub.client.agents_sdk import HubSession, memory_tools

QUIET = RunConfig(tracing_disabled=True)  # a trace would hold what memory returns
TEXT = "From now on, answer briefly, please."


async def talk(tools: list[FunctionTool], run: str) -> str:
    async with AsyncClient.from_environment(run=run) as hub:
        agent = Agent(name="Assistant", model=os.environ["OPENAI_MODEL"], tools=list(tools))
        session = HubSession(hub, SQLiteSession(run))
        result = await Runner.run(agent, TEXT, session=session, run_config=QUIET)
        while result.interruptions:
            state = result.to_state()
            for asked in result.interruptions:
                if input(f"Remember {asked.arguments}? [y/N] ") == "y":
                    state.approve(asked)
                else:
                    state.reject(asked)
            result = await Runner.run(agent, state, session=session, run_config=QUIET)
        return str(result.final_output)


RUN = f"run_{uuid.uuid4().hex}"
with Client.from_environment(run=RUN) as waiting:
    print(asyncio.run(talk(memory_tools(waiting, agreed=lambda write: f"message_{uuid.uuid4().hex}"), RUN)))
    for memory in waiting.memories():
        print(memory.key, "=", memory.value)
