"""The memory editor for the NeMo Agent Toolkit over our client: what is not remembered is never reported as added."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import nat_shape
import pytest
from asgiref.sync import async_to_sync
from cast import Caller, Company, now, sentence, word
from client_door import AwaitedNetwork, Network
from synthetic import sk_key

from memories.models import Candidate, Memory
from memoryhub.client import AsyncClient, HubError, NotFound, Retries

nat_shape.stand_in()

from nat.memory.models import MemoryItem  # noqa: E402

from memoryhub.client.nat import HubMemoryEditor, MemoryHubConfig, memoryhub_memory  # noqa: E402
from memoryhub.client.outcomes import Held, NotStored  # noqa: E402

pytestmark = pytest.mark.usefixtures("pauses")


def told(item: Any) -> Any:
    return {"type": "user_message", "ref": f"message_{word()}", "occurred_at": now()}


def editor(caller: Caller, network: Network | None = None, **options: Any) -> Any:
    transport = AwaitedNetwork(network or Network())
    hub = AsyncClient(caller.token or "", url="http://testserver", transport=transport, retries=Retries(limit=0))
    return HubMemoryEditor(hub, **{"evidence": told} | options)


def said(text: str, user_id: str = "alice", **more: Any) -> Any:
    return MemoryItem(user_id=user_id, memory=text, **more)


def do(work: Any, *args: Any, **kwargs: Any) -> Any:
    return async_to_sync(work)(*args, **kwargs)


def test_the_life_of_an_item(acme: Company) -> None:
    """R-468, R-321: whose it is comes from the toolkit's configuration, within what the key may."""
    own, text = editor(acme.alice), sentence("brisk")
    do(own.add_items, [said(text, metadata={"from": "run"}, tags=["style"])] * 2)
    (found,) = do(own.search, "brisk summary", top_k=3, user_id="alice")
    assert (found.memory, found.user_id, 0 < found.similarity_score <= 1) == (text, "alice", True)
    assert do(own.search, "brisk summary", user_id="paul") == []
    with pytest.raises(NotFound):
        do(own.search, "brisk summary", user_id="bob")
    with acme.entered():
        kept = Memory.objects.get()
        assert (str(kept.pk), kept.value, list(kept.aliases)) == (
            found.metadata["memory_id"], {"from": "run"}, ["style"],
        )  # fmt: skip
    do(own.remove_items, memory_id=found.metadata["memory_id"], user_id="alice")
    assert do(own.search, "brisk summary", user_id="alice") == []


def test_what_is_not_remembered_is_raised(acme: Company) -> None:
    """R-325, R-238: the toolkit reports everything else as added."""
    secret = sk_key()
    with pytest.raises(Held):
        do(editor(acme.alice, evidence=None).add_items, [said(sentence())])
    with pytest.raises(NotStored) as refused:
        do(editor(acme.alice).add_items, [said(f"The deploy key is {secret}."), said(sentence())])
    assert (refused.value.code, refused.value.outcome) == ("sensitive_or_prohibited", "partly_done")
    assert secret not in f"{refused.value!r} {refused.value}"
    chat = MemoryItem(user_id="alice", conversation=[{"role": "user", "content": sentence()}])
    with pytest.raises(HubError) as conversation:
        do(editor(acme.alice).add_items, [chat])
    with acme.entered():
        assert (Candidate.objects.count(), Memory.objects.count()) == (1, 1)
    assert conversation.value.code == "no_statement"


def test_all_of_a_person_is_not_forgotten_by_a_tool(acme: Company) -> None:
    acme.alice.store()
    with pytest.raises(HubError) as refused:
        do(editor(acme.alice).remove_items, user_id="alice")
    assert refused.value.code == "not_mapped"
    with acme.entered():
        assert Memory.objects.filter(status="active").count() == 1


def test_a_failure_is_never_an_empty_answer(acme: Company) -> None:
    """R-238."""
    for work, arguments in (("add_items", [[said("x")]]), ("search", ["x"])):
        down = editor(acme.alice, Network(httpx.Response(503)))
        with pytest.raises(HubError):
            do(getattr(down, work), *arguments, **({"user_id": "alice"} if work == "search" else {}))


def test_a_workflow_gets_its_editor_from_its_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYHUB_KEY", "none")

    async def built() -> Any:
        async with memoryhub_memory(MemoryHubConfig(kind="profile"), None) as made:
            return made

    made = asyncio.run(built())
    assert (made.place.kind, made.place.namespace) == ("profile", {"type": "user"})
