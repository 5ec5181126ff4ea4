"""As much of the NeMo Agent Toolkit as our plug-in touches: it wants older versions of what the server is locked to.

Where the real one is installed, in an environment of its own, the same tests run with it.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any

from pydantic import BaseModel, Field


class MemoryItem(BaseModel):
    conversation: list[dict[str, str]] | None = None
    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] = {}
    user_id: str
    memory: str | None = None
    similarity_score: float | None = None


class MemoryEditor(ABC):
    @abstractmethod
    async def add_items(self, items: list[MemoryItem]) -> None: ...

    @abstractmethod
    async def search(self, query: str, top_k: int = 5, **kwargs: Any) -> list[MemoryItem]: ...

    @abstractmethod
    async def remove_items(self, **kwargs: Any) -> None: ...


class MemoryBaseConfig(BaseModel):
    def __init_subclass__(cls, name: str | None = None) -> None:
        super().__init_subclass__()


def register_memory(config_type: type[MemoryBaseConfig]) -> Any:
    return asynccontextmanager


def stand_in() -> None:
    """Make `nat` importable where it is not installed."""
    try:
        import nat.memory.interfaces  # noqa: F401
    except ImportError:
        for name, members in {
            "nat": {},
            "nat.builder": {},
            "nat.builder.builder": {"Builder": object},
            "nat.cli": {},
            "nat.cli.register_workflow": {"register_memory": register_memory},
            "nat.data_models": {},
            "nat.data_models.memory": {"MemoryBaseConfig": MemoryBaseConfig},
            "nat.memory": {},
            "nat.memory.interfaces": {"MemoryEditor": MemoryEditor},
            "nat.memory.models": {"MemoryItem": MemoryItem},
        }.items():
            module = ModuleType(name)
            module.__dict__.update(members)
            sys.modules[name] = module
