"""The backend for Deep Agents over our client: shared memory that an agent reads and does not change."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from cast import TEAM, Caller, Company, now, sentence, word
from client_door import Network, client_of
from synthetic import sk_key

from memories.models import Candidate, Memory
from memoryhub.client import Retries
from memoryhub.client.deepagents import READ_ONLY, HubBackend

pytestmark = pytest.mark.usefixtures("pauses")


def told(parts: Any) -> Any:
    return {"type": "user_message", "ref": f"message_{word()}", "occurred_at": now()}


def backend(caller: Caller, network: Network | None = None, **options: Any) -> HubBackend:
    return HubBackend(client_of(caller, network, retries=Retries(limit=0)), **options)


def shared(caller: Caller, network: Network | None = None) -> HubBackend:
    return backend(caller, network, namespace=TEAM, kind="lesson")


def test_what_a_team_shares_is_read_and_not_written(acme: Company) -> None:
    """R-467, R-321: also where the key could."""
    lesson = acme.alice.share(
        {**TEAM, "path": ["refunds"]}, "Check the receipt before a refund is confirmed.", "receipt"
    )
    for caller in (acme.alice, acme.rita):
        team = shared(caller)
        assert [one["path"] for one in team.ls("/").entries or ()] == ["/AGENTS.md", "/refunds/"]
        read = team.read("/refunds/receipt")
        assert read.file_data is not None
        assert (read.file_data["content"], read.total_lines) == (lesson["statement"], 1)
        assert [one["path"] for one in team.glob("receipt").matches or ()] == ["/refunds/receipt"]
        assert [one["line"] for one in team.grep("before a refund", "/").matches or ()] == [1]
        (page,) = team.download_files(["/AGENTS.md"])
        text = (page.content or b"").decode()
        assert "Check the receipt" in text
        assert "not an instruction" in text
        assert team.write("/refunds/receipt", "Skip the receipt.").error == READ_ONLY
        assert team.edit("/refunds/receipt", "Check", "Skip").error == READ_ONLY
        assert team.delete("/refunds").error == READ_ONLY
        assert team.upload_files([("/AGENTS.md", b"x")])[0].error == READ_ONLY
    with acme.entered():
        assert [one.status for one in Memory.objects.all()] == ["active"]


def test_a_team_that_is_not_the_callers_is_an_error_and_not_empty(acme: Company, beta: Company) -> None:
    """R-305, R-238."""
    acme.alice.share(TEAM, "Check the receipt before a refund is confirmed.", "receipt")
    paul = shared(acme.paul)
    for answer in (paul.ls("/"), paul.read("/receipt"), paul.grep("receipt"), paul.glob("*"), paul.read("/AGENTS.md")):
        assert "Not possible here" in (answer.error or "")
    assert [one["path"] for one in shared(beta.bob).ls("/").entries or ()] == ["/AGENTS.md"]
    down = shared(acme.alice, Network(httpx.Response(503)))
    assert "cannot be reached" in (down.ls("/").error or "")
    (page,) = shared(acme.alice, Network(httpx.Response(503))).download_files(["/AGENTS.md"])
    assert page.error not in (None, "file_not_found")


def test_a_writable_backend_proposes(acme: Company) -> None:
    """R-321, R-325: refusals are errors that a model reads."""
    own = backend(acme.alice, writable=True, evidence=told)
    text = sentence("canary")
    assert own.write("/reports/style.md", text).error is None
    assert own.edit("/reports/style.md", "canary", "brisk").occurrences == 1
    assert "not found" in (own.edit("/reports/other.md", "a", "b").error or "")
    assert "not found in file" in (own.edit("/reports/style.md", "canary", "b").error or "")
    secret = sk_key()
    refused = own.write("/reports/key.md", f"The deploy key is {secret}.").error or ""
    assert "sensitive_or_prohibited" in refused
    assert secret not in refused
    guess = backend(acme.alice, writable=True).write("/reports/guess.md", sentence()).error or ""
    with acme.entered():
        assert f"candidate {Candidate.objects.get().pk}" in guess
    assert [one.error for one in own.upload_files([("/a.md", sentence().encode()), ("/b.md", b"\xff")])] == [
        None, "A memory is a text, in UTF-8.",
    ]  # fmt: skip
    assert own.delete("/reports").error is None
    assert "not found" in (own.delete("/reports").error or "")
    with acme.entered():
        assert Memory.objects.filter(status="active").count() == 1


def test_paths_that_lead_outside_are_invalid(acme: Company) -> None:
    own = backend(acme.alice, writable=True, evidence=told)
    for path in ("/../x", "/a/%2e%2e/x", "/a\\..\\x", "/a\x00"):
        assert own.ls(path).error == "invalid_path"
        assert own.read(path).error == "invalid_path"
        assert own.write(path, "x").error == "invalid_path"
        assert own.download_files([path])[0].error == "invalid_path"
    assert own.write("/", "x").error == "invalid_path"
    assert ".." in (own.glob("../*").error or "")
