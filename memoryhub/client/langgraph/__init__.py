"""A MemoryHub as the long-term store of LangGraph. Needs the extra `langgraph`.

Checkpointers are not replaced: they keep what a thread of a graph is doing, in its own words and without any gate, and
whoever runs the graph answers for keeping and erasing that. This store holds what outlives a thread. Give a graph both.
"""

from memoryhub.client.langgraph.store import HubStore
from memoryhub.client.outcomes import Held, NotStored

__all__ = ["Held", "HubStore", "NotStored"]
