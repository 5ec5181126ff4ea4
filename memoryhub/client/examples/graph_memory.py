"""The store for a graph of LangGraph. Needs the extra `langgraph`, MEMORYHUB_KEY and MEMORYHUB_SUBJECT."""

from datetime import UTC, datetime

from memoryhub.client import Client
from memoryhub.client.inputs import EvidenceBody
from memoryhub.client.langgraph import Held, HubStore, NotStored

said: EvidenceBody = {"type": "user_message", "ref": "message_1", "occurred_at": datetime.now(UTC)}

with Client.from_environment() as hub:
    store = HubStore(hub, evidence=lambda put: said)  # builder.compile(checkpointer=..., store=store)
    try:
        store.put(("answers",), "answer_style", {"content": "Put the conclusion first and then the reasons."})
    except Held:
        print("not stored yet: the person is asked first")
    except NotStored as refused:
        print(refused)
    for item in store.search(("answers",), query="In which order should the answer come?"):
        print(item.namespace, item.key, item.value["content"])
