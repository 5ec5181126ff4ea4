"""The REST door, called inside this process exactly as a runtime or a browser calls it over the wire."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.test import Client

from accounts.models import User


@dataclass(frozen=True, slots=True)
class Answer:
    """What the door said."""

    status: int
    body: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.body[name]

    def get(self, name: str) -> Any:
        return self.body.get(name)


def _client() -> Client:
    return Client(SERVER_NAME=urlsplit(settings.MEMORYHUB_BASE_URL).hostname, raise_request_exception=False)


@dataclass(frozen=True, slots=True)
class Door:
    """One caller: an agent's key acting for a person, or a signed-in person."""

    headers: Mapping[str, str] = field(default_factory=dict)
    client: Client = field(default_factory=_client)

    @classmethod
    def for_agent(cls, key: str, subject: str, run: str = "") -> Door:
        headers = {"Authorization": f"Bearer {key}", "MemoryHub-Subject": subject}
        return cls(headers | ({"MemoryHub-Run": run} if run else {}))

    @classmethod
    def for_person(cls, email: str) -> Door:
        """The person in their own browser, signed in."""
        door = cls()
        door.client.force_login(User.objects.get(email=email))
        return door

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        response = self.client.generic(
            method,
            f"/api/v1{path}",
            "" if body is None else json.dumps(body),
            "application/json",
            secure=settings.MEMORYHUB_BASE_URL.startswith("https:"),
            headers={**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}},
        )
        try:
            return Answer(response.status_code, json.loads(response.content))
        except ValueError:
            return Answer(response.status_code, {})

    def get(self, path: str) -> Answer:
        return self.call("GET", path)

    def post(self, path: str, body: object, **headers: str) -> Answer:
        return self.call("POST", path, body, **headers)


@contextlib.contextmanager
def quiet_log() -> Iterator[None]:
    """No line of the log for requests that this process makes to itself; warnings still come through."""
    root = logging.getLogger()
    level = root.level
    root.setLevel(max(level, logging.WARNING))
    try:
        yield
    finally:
        root.setLevel(level)
