"""Propose, look at what the gate says, and recall. Needs MEMORYHUB_KEY and MEMORYHUB_SUBJECT."""

from datetime import UTC, datetime

from memoryhub.client import Client

with Client.from_environment() as hub:
    said = hub.attest(type="user_message", ref="message_1", occurred_at=datetime.now(UTC))
    decision = hub.propose(
        namespace={"type": "user"},
        kind="preference",
        key="answer_style",
        statement="Put the conclusion first and then the reasons.",
        value="conclusion_first",
        evidence_id=said.id,
    )
    print("stored" if decision.stored else f"not stored: {decision.reason}")

    found = hub.recall("In which order should the answer come?")
    for item in found.items:
        print(item.key, "=", item.value or item.statement)
    if not found.items:
        print(f"nothing found for now ({found.status})")
