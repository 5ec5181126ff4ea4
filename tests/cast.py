"""The people of every test, and a small client that speaks to the REST door inside this process.

Alice, Rita (a reviewer), Adam (an admin) and Paul are at Acme; Bob, another Alice and another Rita are at Beta. Paul
stands for the wrong person of the right company, Bob for the wrong company; neither may see anything of Alice's.
"""

from __future__ import annotations

import contextlib
import json
import random
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import append_only
import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from accounts import tenancy
from accounts.models import Membership, Tenant
from accounts.principals import PERSON_SCOPES, ActorKind, Principal, Scope, system
from accounts.provisioning import provision_tenant
from memories import tenant_policy
from memories.search import rows

USER, AGENT = {"type": "user"}, {"type": "agent"}
TEAM, PROJECT = {"type": "team", "id": "support"}, {"type": "project", "id": "atlas"}
ABSENT = "01900000-0000-7000-8000-000000000000"  # a fixed id of the right form that nobody hands out
EVERYTHING = [scope.value for scope in Scope if scope is not Scope.RELAY]
RUNTIME = ["memory:recall", "memory:read", "memory:propose", "memory:forget", "evidence:attest"]
RUNTIME += ["evidence:attest_review", "delegation:mint"]
RELAY = [*RUNTIME, "candidate:relay_confirmation", "audit:read", "provision:write"]

ACME: dict[str, Any] = {
    "slug": "acme",
    "people": [
        {"external_id": "alice", "email": "alice@acme.example", "roles": ["member"]},
        {"external_id": "rita", "email": "rita@acme.example", "roles": ["reviewer"]},
        {"external_id": "adam", "email": "adam@acme.example", "roles": ["admin"]},
        {"external_id": "paul", "email": "paul@acme.example", "roles": ["member"]},
    ],
    "teams": [{"slug": "support", "members": ["alice", "rita"]}, {"slug": "night", "members": ["paul", "rita"]}],
    "projects": [
        {"slug": "atlas", "members": ["alice", "rita"], "maintainers": ["adam"]},
        {"slug": "borealis", "members": ["paul", "rita"]},
    ],
    "agents": [
        {
            "slug": "helper",
            "owner": "adam",
            "acts_for": "*",
            "teams": ["support", "night"],
            "projects": ["atlas", "borealis"],
            "keys": [
                {"name": "runtime", "scopes": RUNTIME},
                {"name": "relay", "scopes": RELAY},
                {"name": "agent", "scopes": ["memory:recall", "memory:read", "memory:propose"]},
                {"name": "readonly", "scopes": ["memory:recall"]},
                *({"name": scope.value, "scopes": [scope.value]} for scope in Scope),
            ],
        },
        {"slug": "outsider", "owner": "adam", "acts_for": "*", "keys": [{"name": "runtime", "scopes": RUNTIME}]},
        {
            "slug": "solo",
            "owner": "alice",
            "acts_for": ["alice"],
            "teams": ["support"],
            "keys": [{"name": "runtime", "scopes": RUNTIME}],
        },
    ],
}
BETA: dict[str, Any] = {
    "slug": "beta",
    "people": [
        {"external_id": "bob", "email": "bob@beta.example", "roles": ["member"]},
        {"external_id": "alice", "email": "alice@beta.example", "roles": ["member"]},
        {"external_id": "rita", "email": "rita@beta.example", "roles": ["reviewer"]},
    ],
    "teams": [{"slug": "support", "members": ["bob", "alice", "rita"]}],
    "projects": [{"slug": "atlas", "members": ["bob", "alice", "rita"]}],
    "agents": [
        {
            "slug": "helper",
            "owner": "bob",
            "acts_for": "*",
            "teams": ["support"],
            "projects": ["atlas"],
            "keys": [{"name": "runtime", "scopes": RUNTIME}, {"name": "relay", "scopes": RELAY}],
        }
    ],
}
OPEN_POLICY = {"confirm": "inferred_only"}  # what a runtime attests as the person's own message is stored at once


# --- texts and times -------------------------------------------------------------------------------------------------


def word(syllables: int = 5) -> str:
    """A fresh pronounceable nonsense word, so that no two tests share text."""
    return "".join(random.choice("bdfgklmnprstvz") + random.choice("aeiou") for _ in range(syllables))


def new_key(stem: str = "habit") -> str:
    return f"{stem}_{word()}"


def sentence(mark: str | None = None) -> str:
    """A preference that every gate accepts."""
    return f"Put the {mark or word()} summary before the details in every report."


def now(**shift: float) -> datetime:
    return datetime.now(UTC) + timedelta(**shift)


def in_months() -> str:
    return now(days=150).date().isoformat()


def text_of(response: HttpResponse) -> str:
    """The body with JSON escapes undone, so that a search for a text cannot be fooled by them."""
    try:
        return json.dumps(json.loads(response.content), ensure_ascii=False)
    except ValueError:
        return response.content.decode("utf-8", "replace")


# --- the client ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Caller:
    """One credential, acting for one person. Answers of 500 fail at once: no input may bring one about."""

    token: str | None = None
    subject: str | None = None
    run: str | None = None
    thread: str | None = None
    client: Client = field(default_factory=Client)

    def acting_for(self, subject: str | None) -> Caller:
        return replace(self, subject=subject)

    def in_run(self, run: str, thread: str | None = None) -> Caller:
        return replace(self, run=run, thread=thread)

    def call(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None, **params: Any
    ) -> Any:
        """One request to `/api/v1…` (or to a whole path that begins with `//`)."""
        sent = {
            "Authorization": f"Bearer {self.token}" if self.token else None,
            "MemoryHub-Subject": self.subject,
            "MemoryHub-Run": self.run,
            "MemoryHub-Thread": self.thread,
        }
        given = {name: value for name, value in sent.items() if value is not None} | dict(headers or {})
        address = path[1:] if path.startswith("//") else f"/api/v1{path}"
        content: Any = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body)
        options = {"query_params": params} if params else {}
        response = self.client.generic(method, address, content, "application/json", headers=given, **options)
        assert response.status_code != 500, f"{method} {path} answered 500"
        return response

    def get(self, path: str, **params: Any) -> Any:
        return self.call("GET", path, **params)

    def post(self, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        return self.call("POST", path, {} if body is None else body, headers)

    # evidence and proposals

    def attest(self, type: str = "user_message", **fields: Any) -> Any:
        body = {"type": type, "ref": f"message_{word()}", "occurred_at": now().isoformat(), **fields}
        return self.post("/evidence", body)

    def evidence(self, type: str = "user_message", **fields: Any) -> str:
        """The id of evidence of this type, attested now."""
        response = self.attest(type, **({"reviewer": "rita"} if type == "review" else {}) | fields)
        assert response.status_code == 201, text_of(response)
        return str(response.json()["id"])

    def proposal(
        self, statement: str | None = None, key: str | None = None, evidence: str | None = "user_message", **fields: Any
    ) -> dict[str, Any]:
        """A proposal's body; `evidence` is a type to attest now, the id of one, or None for an inference."""
        if evidence is not None and "-" not in evidence:
            evidence = self.evidence(evidence)
        body: dict[str, Any] = {
            "namespace": USER,
            "kind": "preference",
            "key": key or new_key(),
            "statement": sentence() if statement is None else statement,
            **fields,
        }
        return body | ({"evidence_id": evidence} if evidence else {})

    def propose(self, *args: Any, headers: Mapping[str, str] | None = None, **fields: Any) -> Any:
        return self.post("/proposals", self.proposal(*args, **fields), headers)

    def store(self, *args: Any, **fields: Any) -> dict[str, Any]:
        """Propose what the gate must accept, and return the memory."""
        response = self.propose(*args, **fields)
        assert response.status_code == 201, text_of(response)
        return dict(response.json()["memory"])

    def share(self, namespace: Mapping[str, Any], *args: Any, **fields: Any) -> dict[str, Any]:
        """A reviewed lesson in an agent, team or project namespace."""
        given = {"kind": "lesson", "valid_until": in_months(), "evidence": "review"} | fields
        return self.store(*args, namespace=namespace, **given)

    def hold(self, *args: Any, **fields: Any) -> dict[str, Any]:
        """A guess that waits for its person: the candidate."""
        response = self.propose(*args, **{"evidence": None} | fields)
        assert response.status_code == 202, text_of(response)
        return self.candidate(response.json()["candidate_id"])

    # reading and changing

    def recall(self, query: str, **fields: Any) -> dict[str, Any]:
        response = self.post("/recall", {"query": query, **fields})
        assert response.status_code == 200, text_of(response)
        return dict(response.json())

    def recalled(self, query: str, **fields: Any) -> list[str]:
        return [item["memory_id"] for item in self.recall(query, **fields)["items"]]

    def memory(self, memory_id: str) -> Any:
        return self.get(f"/memories/{memory_id}")

    def listed(self, **filters: Any) -> list[dict[str, Any]]:
        if "namespace" in filters:
            filters["namespace"] = json.dumps(filters["namespace"])
        response = self.get("/memories", limit=200, **filters)
        assert response.status_code == 200, text_of(response)
        return list(response.json()["items"])

    def correct(self, memory: Mapping[str, Any], evidence: str | None = "user_message", **changes: Any) -> Any:
        if evidence is not None:
            changes["evidence_id"] = evidence if "-" in evidence else self.evidence(evidence)
        tag = f'"{changes.pop("version", memory["version"])}"'
        return self.call("PATCH", f"/memories/{memory['memory_id']}", changes, {"If-Match": tag})

    def forget(self, memory: Mapping[str, Any]) -> dict[str, Any]:
        response = self.call("DELETE", f"/memories/{memory['memory_id']}")
        assert response.status_code == 200, text_of(response)
        return dict(response.json())

    def candidate(self, candidate_id: str) -> dict[str, Any]:
        response = self.get(f"/candidates/{candidate_id}")
        assert response.status_code == 200, text_of(response)
        return dict(response.json())

    def decide(self, candidate: Mapping[str, Any], action: str, **fields: Any) -> Any:
        body = {"content_hash": candidate["content_hash"], **fields}
        return self.post(f"/candidates/{candidate['candidate_id']}/{action}", body)

    def tool(self, name: str, arguments: Any, call_id: str | None = None) -> dict[str, Any]:
        body = {"call_id": call_id or word(), "name": name, "arguments": arguments}
        response = self.post("/tools/call", body)
        assert response.status_code == 200, text_of(response)
        return dict(response.json()["output"])


@dataclass(frozen=True)
class Company:
    """A provisioned tenant: its callers, its people, and the way to look into its rows."""

    tenant: Tenant
    keys: Mapping[str, str]

    def by(self, key: str, subject: str | None = "alice", agent: str = "helper") -> Caller:
        """An agent's key of this name, acting for a person."""
        return Caller(self.keys[f"{self.tenant.slug}/{agent}/{key}"], subject)

    @property
    def alice(self) -> Caller:
        """The runtime of agent `helper`, acting for Alice; `rita`, `adam`, `paul` and `bob` likewise."""
        return self.by("runtime", "alice")

    @property
    def rita(self) -> Caller:
        return self.by("runtime", "rita")

    @property
    def adam(self) -> Caller:
        return self.by("runtime", "adam")

    @property
    def paul(self) -> Caller:
        return self.by("runtime", "paul")

    @property
    def bob(self) -> Caller:
        return self.by("runtime", "bob")

    def member(self, external_id: str) -> Membership:
        with self.entered():
            return Membership.objects.select_related("user").get(external_id=external_id)

    def person(self, external_id: str, **client: Any) -> Caller:
        """The person themselves, signed in with a session."""
        browser = Client(**client)
        browser.force_login(self.member(external_id).user)
        return Caller(client=browser)

    def principal(self, external_id: str) -> Principal:
        """The person as a verb takes them, without a request."""
        person = self.member(external_id)
        return Principal(
            tenant_id=self.tenant.pk,
            actor=ActorKind.PERSON,
            actor_id=person.pk,
            subject_id=person.pk,
            scopes=PERSON_SCOPES,
            roles=frozenset(person.roles),
            request_id=str(uuid.uuid4()),
        )

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Look into this tenant's rows."""
        with tenancy.entered(self.tenant.pk):
            yield

    def policy(self, **overrides: Any) -> None:
        """Decide under the default policy with these fields replaced."""
        with self.entered():
            tenant_policy.activate(system(self.tenant.pk), overrides)


@dataclass(frozen=True)
class Cast:
    acme: Company
    beta: Company


def provision() -> Cast:
    """Both companies, under the open policy."""
    made = []
    for document in (ACME, BETA):
        tenant, keys = provision_tenant(document, document["slug"])
        company = Company(tenant, keys)
        company.policy(**OPEN_POLICY)
        made.append(company)
    return Cast(*made)


# --- fixtures --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shared_cast(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    """The cast of one module, in a transaction that is rolled back at its end; each test adds its own on top."""
    with django_db_blocker.unblock():
        frame = transaction.atomic()
        frame.__enter__()
        try:
            yield provision()
        finally:
            with django_db_blocker.unblock():
                transaction.set_rollback(True)
                frame.__exit__(None, None, None)


@pytest.fixture
def cast(shared_cast: Cast, db: None) -> Iterator[Cast]:
    """The cast for one test; what the test writes is rolled back, so this process's index starts anew."""
    rows.index.cache_clear()
    yield shared_cast
    rows.index.cache_clear()


@pytest.fixture
def acme(cast: Cast) -> Company:
    return cast.acme


@pytest.fixture
def beta(cast: Cast) -> Company:
    return cast.beta


@pytest.fixture
def erasable_audit(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """For tests that end by emptying every table: the guards of the audit are put away until after that."""
    with django_db_blocker.unblock():
        append_only.allow()
    yield
    with django_db_blocker.unblock():
        append_only.forbid()


@pytest.fixture
def crowd(erasable_audit: None, transactional_db: None) -> Iterator[Cast]:
    """The cast with committed rows, for tests in which several threads write."""
    rows.index.cache_clear()
    yield provision()
    rows.index.cache_clear()
