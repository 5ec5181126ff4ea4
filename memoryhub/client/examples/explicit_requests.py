"""Hand a conversation over and see what was asked for in it. Needs MEMORYHUB_KEY and MEMORYHUB_SUBJECT."""

from datetime import UTC, datetime

from memoryhub.client import Client
from memoryhub.client.extractions import Message

now = datetime.now(UTC)
messages: list[Message] = [
    {"id": "message_1", "role": "user", "at": now, "text": "Shorten this. And from now on, put dates as 2026-03-01."},
    {"id": "message_2", "role": "assistant", "at": now, "text": "Done. You always like short texts!"},
    {"id": "message_3", "role": "user", "at": now, "text": "这次用英文写就行。"},
]
with Client.from_environment() as hub:
    found = hub.extract(messages, conversation="thread_1")
    print(found.state, found.reason)
    for item in found.items:
        print(messages[item.message]["id"], item.decision, item.reason)
