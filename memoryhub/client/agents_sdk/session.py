"""A conversation whose words by the person are attested, in the order in which they came."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

from agents.memory import Session

from memoryhub.client.hub import AsyncClient
from memoryhub.client.inputs import EvidenceBody

MAX_TEXT = 20_000


class HubSession:
    """The session `kept`, beside which each message of the person becomes evidence in the hub.

    A history is no memory: its items stay where `kept` keeps them, whole and in order, and pass no gate. The hub keeps
    the person's own messages in its session plane: as evidence under this session's id, with the text for the policy's
    retention time and without it where it is sensitive or `with_text` is off. More of a history cannot live there: a
    runner needs back what it gave, byte for byte and for as long as the run goes on, tool calls with their outputs and
    sealed reasoning among it, and takes single items away again, while evidence says what happened once, lets go of
    secrets and of its text, is never taken back, and is nowhere read out. A store of transcripts is what the hub is
    not. `said` is the id of the latest, to be cited by a proposal. Nothing becomes a memory by itself. A message that
    cannot be attested raises HubError and is not added, so that it may be added again; what is popped or cleared stays
    attested, for it was said.
    """

    def __init__(self, hub: AsyncClient, kept: Session, *, with_text: bool = True) -> None:
        self.hub, self.kept, self.with_text = hub, kept, with_text
        self.session_id, self.session_settings = kept.session_id, kept.session_settings
        self.said: str | None = None

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The latest items, oldest first."""
        return await self.kept.get_items(limit)

    async def add_items(self, items: list[Any]) -> None:
        """Attest what the person says among these, and keep them all."""
        for item in items:
            if item.get("role") == "user":
                self.said = (await self.hub.attest(**self._event(item))).id
        await self.kept.add_items(items)

    async def pop_item(self) -> Any:
        """Take the latest item away."""
        return await self.kept.pop_item()

    async def clear_session(self) -> None:
        """Take all items away."""
        await self.kept.clear_session()

    def _event(self, item: Any) -> EvidenceBody:
        event: EvidenceBody = {
            "type": "user_message",
            "ref": f"message_{uuid.uuid4().hex}",
            "occurred_at": datetime.now(UTC),
            "thread": self.session_id,
        }
        text = _text(item.get("content"))
        if self.with_text and text.strip() and len(text) <= MAX_TEXT:
            event["text"] = text
        return event


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in content or () if isinstance(part, dict) and "text" in part)
