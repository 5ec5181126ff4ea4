"""The memory that a workflow of the NeMo Agent Toolkit gets with `_type: memoryhub`. Needs the extra `nat`."""

import asyncio
import os

from nat.memory.models import MemoryItem

from memoryhub.client import AsyncClient
from memoryhub.client.nat import HubMemoryEditor
from memoryhub.client.outcomes import Held

PERSON = os.environ["MEMORYHUB_SUBJECT"]


async def main() -> None:
    async with AsyncClient.from_environment() as hub:
        memory = HubMemoryEditor(hub)
        try:
            await memory.add_items([MemoryItem(user_id=PERSON, memory="Put the conclusion first in every report.")])
        except Held:
            print("not added yet: the person is asked first")
        for item in await memory.search("How should a report begin?", user_id=PERSON):
            print(item.memory)


asyncio.run(main())
