"""An assistant that remembers only what the person agreed to. Needs OPENAI_MODEL beside the variables of the client."""

import os
import uuid

from memoryhub.client import Client
from memoryhub.client.agent import Agent, AgentError, Approval, Responses, SqliteLedger, Write


def ask_the_person(write: Write) -> Approval | None:
    answer = input(f"Remember {dict(write.arguments)}? [y/N] ")
    return write.approved(ref=f"message_{uuid.uuid4().hex}") if answer == "y" else None


with Client.from_environment(run=f"run_{uuid.uuid4().hex}") as hub:
    agent = Agent(
        hub,
        Responses(os.environ["OPENAI_MODEL"]),  # ChatCompletions for servers without the Responses API
        approve=ask_the_person,
        ledger=SqliteLedger(os.environ.get("LEDGER", ":memory:")),
        preload=["answer_style"],
    )
    try:
        turn = agent.ask("From now on, put the conclusion first, please.")
    except AgentError as error:
        print(error)  # names what was written; agent.resume(error.items) goes on and repeats nothing
    else:
        print(turn.text)
        for write in turn.writes:
            print(write.name, write.state)
