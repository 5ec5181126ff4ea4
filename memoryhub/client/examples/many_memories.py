"""Load many memories and read them all, without waiting in between. Needs MEMORYHUB_KEY and MEMORYHUB_SUBJECT."""

import asyncio

from memoryhub.client import AsyncClient, HubError
from memoryhub.client.inputs import Proposal

TOPICS = ("tea", "coffee", "cocoa")


def guess(topic: str) -> Proposal:
    """Something that nobody said: without evidence it waits until the person agrees."""
    statement = f"Mention {topic} in the first line of a report."
    return {"namespace": {"type": "user"}, "kind": "preference", "key": f"mention_{topic}", "statement": statement}


async def main() -> None:
    async with AsyncClient.from_environment() as hub:
        try:
            answers = await hub.propose_batch([guess(topic) for topic in TOPICS], idempotency_key="load-1")
        except HubError as error:
            print(error)  # run it again: under the same key nothing is done twice
            return
        print(len(answers), "answered")
        print(len([one async for one in hub.candidates(awaiting="owner")]), "wait for the person")
        print(len([one async for one in hub.memories(kind="preference")]), "stored")


asyncio.run(main())
