"""A Deep Agent that reads what its team agreed on. Needs the extra `deepagents`, MEMORYHUB_KEY, _SUBJECT and TEAM."""

import os

from deepagents.backends import CompositeBackend, StateBackend

from memoryhub.client import Client
from memoryhub.client.deepagents import HubBackend

with Client.from_environment() as hub:
    team = HubBackend(hub, namespace={"type": "team", "id": os.environ["TEAM"]}, kind="procedure")
    # create_deep_agent(model=..., backend=backend, memory=["/team/AGENTS.md"])
    backend = CompositeBackend(default=StateBackend(), routes={"/team/": team})
    for match in backend.grep("receipt", path="/team/").matches or ():
        print(match["path"], match["text"])
    print(backend.write("/team/refunds.md", "Confirm every refund at once.").error)
