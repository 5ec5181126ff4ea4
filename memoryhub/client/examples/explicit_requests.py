"""Hand a conversation over and see what was asked for in it. Needs MEMORYHUB_KEY and MEMORYHUB_SUBJECT."""

from datetime import UTC, datetime

from memoryhub.client import Client

said = [
    ("message_1", "user", "Could you shorten this? And from now on, put dates as 2026-03-01, please."),
    ("message_2", "assistant", "Done. You always like short texts!"),
    ("message_3", "user", "这次用英文写就行。"),
]
with Client.from_environment() as hub:
    messages = [{"id": id, "role": role, "text": text, "at": datetime.now(UTC)} for id, role, text in said]
    found = hub.extract(messages, conversation="thread_1")
    print(found.state, found.reason)
    for item in found.items:
        print(said[item.message][0], item.decision, item.reason)
