"""A chat in the terminal whose model remembers in a MemoryHub.

environment:
  MEMORYHUB_KEY      an agent key; needed. MEMORYHUB_URL, MEMORYHUB_SUBJECT as for every client
  OPENAI_MODEL       the model's name at any server that speaks OpenAI's API; without it a script answers in its place
  OPENAI_API_KEY     the server's key, and
  OPENAI_BASE_URL    its address, such as http://127.0.0.1:11434/v1, where it is not OpenAI's

Nothing is remembered before you say yes to exactly what is shown.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import uuid

from memoryhub.client import Client, HubError
from memoryhub.client.agent.approvals import Approval, Write
from memoryhub.client.agent.ledger import SqliteLedger
from memoryhub.client.agent.loop import Agent, AgentError, Turn
from memoryhub.client.agent.models import ChatCompletions, Item, Model, Responses, connection
from memoryhub.client.agent.scripted import Scripted

SCRIPT = """\
No model is configured (OPENAI_MODEL): a script answers here, and it understands nothing. It knows three things:
  search WORDS      look for something, such as: search answer style
  save KEY VALUE    propose to remember, such as: save answer_style brief
  anything else     it reads out what memory has for your words"""


def ask_the_person(write: Write) -> Approval | None:
    """Show the write and read a yes, which is the person's own message."""
    print(f"  {write.name} {json.dumps(write.arguments, ensure_ascii=False)}")
    with contextlib.suppress(EOFError):
        if input("  Remember exactly this? [y/N] ").strip().lower() in ("y", "yes", "是"):
            return write.approved(ref=f"terminal_{uuid.uuid4().hex}")
    return None


def model_of(api: str) -> Model:
    """The model that the environment names, or the script."""
    name = os.environ.get("OPENAI_MODEL")
    if not name:
        return Scripted()
    # Servers of one's own often want no key, but the library insists on one.
    keyless = {} if os.environ.get("OPENAI_API_KEY") else {"api_key": "none"}
    return (ChatCompletions if api == "chat" else Responses)(name, connection(**keyless))


def tell(turn: Turn) -> None:
    """The answer, and beside it what became of memory."""
    print(turn.text)
    for one in turn.writes:
        print(f"  [{one.name}: {one.state}]")
    for found in turn.extraction.items if turn.extraction else ():
        print(f"  [found in what you said: {found.decision or found.reason}]")
    if turn.memory in ("unavailable", "degraded"):
        print(f"  [memory: {turn.memory}]")


def chat(agent: Agent) -> None:
    """Read lines and answer them until the input ends."""
    history: tuple[Item, ...] = ()
    while True:
        try:
            text = input("> ")
        except (EOFError, KeyboardInterrupt):
            return
        if not text.strip():
            continue
        try:
            turn = agent.ask(text, history=history)
        except (AgentError, HubError, ValueError) as error:
            print(f"  [{error}]")
            continue
        tell(turn)
        history = turn.items


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m memoryhub.client.agent",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--api", choices=("responses", "chat"), default="responses", help="which API the server has")
    parser.add_argument("--run", default="", help="go on with an earlier run")
    parser.add_argument("--ledger", default=":memory:", help="a file that remembers which calls were carried out")
    parser.add_argument("--preload", action="append", default=[], metavar="KEY", help="load this key for every answer")
    parser.add_argument(
        "--extract", choices=("rules", "model"), help="look through what you say for requests to remember it"
    )
    given = parser.parse_args()
    if not os.environ.get("MEMORYHUB_KEY"):
        parser.error("set MEMORYHUB_KEY in the environment; --help says what it is")
    model = model_of(given.api)
    if isinstance(model, Scripted):
        print(SCRIPT)
    run = given.run or os.environ.get("MEMORYHUB_RUN") or f"terminal_{uuid.uuid4().hex}"
    with Client.from_environment(run=run) as hub:
        ledger = SqliteLedger(given.ledger)
        chat(Agent(hub, model, approve=ask_the_person, ledger=ledger, preload=given.preload, extract=given.extract))
    return 0


if __name__ == "__main__":
    sys.exit(main())
