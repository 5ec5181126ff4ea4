"""The first net: every route and method has a row here, and every row is asked by everyone who may not.

Nobody signed in, the wrong company, the wrong person, a missing scope, a wrong role, and the right caller last. What
belongs to others answers exactly as what does not exist. A route or a method without a row fails by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from cast import ABSENT, PROJECT, TEAM, USER, Caller, Cast, Company, in_months, new_key, now, sentence, text_of, word
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from exchange import asked, entry, hand_over, sweep
from mcp_door import handshake, stateless

from accounts.models import (
    AgentKey,
    Delivery,
    Group,
    GroupMember,
    Invitation,
    Membership,
    PersonalToken,
    Webhook,
)
from accounts.principals import Scope
from accounts.secrets import new_token
from memories import actions
from memories.models import Candidate, Extraction, Namespace, SavedView
from memoryhub.mcp.view import ANSWERS
from reviews.models import Follow

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
CHANGING = frozenset({"instance"})  # a problem document's request id
PER_ANSWER = frozenset({"X-Request-Id", "RateLimit", "RateLimit-Policy", "Content-Length"})

Made = Any


def made(**values: Any) -> Callable[[Any], Any]:
    """A body whose values are read from the scene where they name one of its attributes with a leading colon."""
    return lambda scene: {
        name: getattr(scene, value[1:]) if isinstance(value, str) and value.startswith(":") else value
        for name, value in values.items()
    }


def proposal(scene: Any) -> dict[str, Any]:
    return {"namespace": USER, "kind": "preference", "key": new_key(), "statement": sentence()}


def mem0_add(scene: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": sentence()}], "infer": False}


@dataclass(frozen=True)
class Row:
    """One route and method of the API: the scope it needs, what the right caller gets, and what addresses it."""

    route: str
    method: str
    scope: Scope | None
    right: int
    ids: Mapping[str, str] = field(default_factory=dict)  # route argument -> attribute of the scene
    body: Callable[[Any], Any] = lambda scene: None
    query: Callable[[Any], dict[str, Any]] = lambda scene: {}
    headers: Mapping[str, str] = field(default_factory=dict)
    asked_by: str = "alice"
    relayed: bool = False
    people: bool = False  # only for people themselves
    wrong_role: tuple[str, int] | None = None  # who sees it and still may not, and what they are told
    door: str = "api/v1/"

    @property
    def takes_sessions(self) -> bool:
        return self.door == "api/v1/"

    def __str__(self) -> str:
        return f"{self.method} {self.route}"

    @property
    def whole(self) -> str:
        return f"{self.door}{self.route}"


def handed_over(scene: Any) -> dict[str, Any]:
    return entry(sentence(), new_key())


def conversation(scene: Any) -> dict[str, Any]:
    return {"conversation": "thread_1", "messages": [{"id": "m1", "role": "user", "text": sentence()}]}


MEMORY = {"memory_id": "memory_id"}
EXTRACTION = {"extraction_id": "extraction_id"}
EXPORT, IMPORT = {"export_id": "export_id"}, {"import_id": "import_id"}
TEAM_MEMORY = {"memory_id": "shared_id"}
HELD = {"candidate_id": "candidate_id"}
HOOK = {"webhook_id": "webhook_id"}
REVIEWED = {"candidate_id": "review_id"}
RETURNED = {"candidate_id": "returned_id"}
ANSWER = made(content_hash=":content_hash", evidence_id=":evidence_id")
REVIEW_ANSWER = made(content_hash=":review_hash", evidence_id=":rita_evidence_id")
IF_MATCH = {"If-Match": '"1"'}
AGENT = {"agent_id": "agent_id"}
ROWS = (
    Row("delegations", "POST", Scope.MINT, 201, body=made(subject="alice", scopes=["memory:recall"])),
    *(
        Row(route, "GET", Scope.AUDIT, 200, relayed=True, asked_by="adam", wrong_role=("alice", 403))
        for route in ("audit", "audit/export", "audit/chain", "figures")
    ),
    Row("calls", "GET", Scope.READ, 200),
    *(
        Row(route, "GET", Scope.PROVISION, 200, relayed=True, asked_by="adam", wrong_role=("alice", 403))
        for route in ("agents", "invitations")
    ),
    *(
        Row(
            f"agents/<str:agent_id>/{verb}", "POST", Scope.PROVISION, 200,
            ids=AGENT, relayed=True, asked_by="adam", wrong_role=("alice", 404),
        )
        for verb in ("pause", "resume", "end")
    ),
    Row(
        "invitations", "POST", Scope.PROVISION, 201,
        body=lambda scene: {"email": f"{word()}@acme.example"},
        relayed=True, asked_by="adam", wrong_role=("alice", 403),
    ),
    Row(
        "invitations/<str:invitation_id>/revoke", "POST", Scope.PROVISION, 200,
        ids={"invitation_id": "invitation_id"}, relayed=True, asked_by="adam", wrong_role=("alice", 404),
    ),
    Row("evidence", "POST", Scope.ATTEST, 201, body=made(type="user_message", ref="message_1", occurred_at=":now")),
    Row("proposals", "POST", Scope.PROPOSE, 202, body=proposal),
    Row("proposals/preview", "POST", Scope.PROPOSE, 200, body=proposal),
    Row("proposals/batch", "POST", Scope.PROPOSE, 200, body=lambda scene: {"items": [proposal(scene)]}),
    Row("recall", "POST", Scope.RECALL, 200, body=made(query=":secret_word")),
    Row("context", "POST", Scope.RECALL, 200, body=made(query=":secret_word")),
    Row(
        "recalls/<str:recall_id>/feedback", "POST", Scope.RECALL, 201,
        ids={"recall_id": "recall_id"}, body=made(memory_id=":memory_id", verdict="used"),
    ),
    Row("memories", "GET", Scope.READ, 200),
    Row(
        "memories/lookup", "GET", Scope.READ, 200,
        query=lambda scene: {"namespace": json.dumps(USER), "kind": "preference", "key": scene.key},
    ),
    Row("memories/<str:memory_id>", "GET", Scope.READ, 200, ids=MEMORY),
    Row(
        "memories/<str:memory_id>", "PATCH", Scope.PROPOSE, 200,
        ids=MEMORY, headers=IF_MATCH, body=made(statement=":new_statement", evidence_id=":evidence_id"),
    ),
    Row("memories/<str:memory_id>", "DELETE", Scope.FORGET, 200, ids=MEMORY),
    Row(
        "memories/<str:memory_id>", "DELETE", Scope.FORGET, 200,
        ids=TEAM_MEMORY, asked_by="rita", wrong_role=("alice", 403),
    ),
    Row("memories/<str:memory_id>/history", "GET", Scope.READ, 200, ids=MEMORY),
    Row("memories/<str:memory_id>/pause", "POST", Scope.FORGET, 200, ids=MEMORY),
    Row(
        "memories/<str:memory_id>/pause", "POST", Scope.FORGET, 200,
        ids=TEAM_MEMORY, asked_by="rita", wrong_role=("alice", 403),
    ),
    Row("memories/<str:memory_id>/resume", "POST", Scope.FORGET, 200, ids=MEMORY),
    Row(
        "memories/<str:memory_id>/resume", "POST", Scope.FORGET, 200,
        ids=TEAM_MEMORY, asked_by="rita", wrong_role=("alice", 403),
    ),
    Row(
        "memories/<str:memory_id>/renew", "POST", Scope.PROPOSE, 200,
        ids=MEMORY, body=made(valid_until=":in_months", evidence_id=":evidence_id"),
    ),
    Row("forget", "POST", Scope.FORGET, 200, body=made(filter={"kind": "preference"}, dry_run=True)),
    *(
        Row("forget", "POST", Scope.FORGET, 200, body=made(filter=chosen, dry_run=True))
        for chosen in ({"thread": "talk"}, {"agent": "helper"})
    ),
    Row("erasures/<str:erasure_id>", "GET", Scope.READ, 200, ids={"erasure_id": "erasure_id"}),
    Row("operations/<str:operation_id>", "GET", Scope.READ, 200, ids={"operation_id": "operation_id"}),
    Row("playbook", "GET", Scope.READ, 200),
    Row("playbook/<str:memory_id>", "GET", Scope.READ, 200, ids=TEAM_MEMORY),
    Row("playbook/<str:memory_id>/versions", "GET", Scope.READ, 200, ids=TEAM_MEMORY),
    *(
        Row(
            f"playbook/<str:memory_id>/{switch}", "POST", scope, 200, ids=TEAM_MEMORY, body=body, headers=IF_MATCH,
            relayed=True, asked_by="rita", wrong_role=("alice", 403),
        )
        for switch, scope, body in (
            ("suspend", Scope.FORGET, made(reason="wrong")),
            ("resume", Scope.FORGET, made()),
            ("roll-back", Scope.PROPOSE, made(version_id=":shared_id")),
        )
    ),
    *(
        Row("webhooks", method, Scope.PROVISION, right, body=body, relayed=True, asked_by="adam",
            wrong_role=("rita", 403))
        for method, right, body in (
            ("GET", 200, lambda scene: None),
            ("POST", 201, made(url="https://example.com/hook", events=["entry.published"])),
        )
    ),
    *(
        Row(f"webhooks/<str:webhook_id>{rest}", method, Scope.PROVISION, right, ids=HOOK, body=body, relayed=True,
            asked_by="adam", wrong_role=("alice", 404))
        for rest, method, right, body in (
            ("", "GET", 200, lambda scene: None),
            ("", "DELETE", 204, lambda scene: None),
            ("/switch-on", "POST", 200, made()),
            ("/switch-off", "POST", 200, made()),
            ("/deliveries", "GET", 200, lambda scene: None),
        )
    ),
    Row(
        "webhooks/<str:webhook_id>/deliveries/<str:delivery_id>/retry", "POST", Scope.PROVISION, 200,
        ids={**HOOK, "delivery_id": "delivery_id"}, body=made(), relayed=True, asked_by="adam",
        wrong_role=("alice", 404),
    ),
    Row("index-status", "GET", Scope.READ, 200),
    Row("exports", "POST", Scope.READ, 202, body=made(format="csv")),
    Row("exports/<str:export_id>", "GET", Scope.READ, 200, ids=EXPORT),
    Row("exports/<str:export_id>/file", "GET", Scope.READ, 200, ids=EXPORT),
    Row("exports/<str:export_id>/cancel", "POST", Scope.READ, 200, ids=EXPORT),
    Row("exports/<str:export_id>/retry", "POST", Scope.READ, 202, ids={"export_id": "ended_export_id"}),
    Row("imports", "POST", Scope.PROPOSE, 200, body=handed_over),
    Row("imports/<str:import_id>", "GET", Scope.PROPOSE, 200, ids=IMPORT),
    Row("imports/<str:import_id>/lines", "GET", Scope.PROPOSE, 200, ids=IMPORT),
    Row("imports/<str:import_id>/start", "POST", Scope.PROPOSE, 202, ids=IMPORT),
    Row("imports/<str:import_id>/cancel", "POST", Scope.PROPOSE, 200, ids=IMPORT),
    Row("extractions", "POST", Scope.PROPOSE, 200, body=conversation),
    Row("extractions/<str:extraction_id>", "GET", Scope.PROPOSE, 200, ids=EXTRACTION),
    Row("extractions/<str:extraction_id>/cancel", "POST", Scope.PROPOSE, 200, ids={"extraction_id": "going_id"}),
    Row("extractions/<str:extraction_id>/retry", "POST", Scope.PROPOSE, 202, ids={"extraction_id": "failed_id"}),
    Row("tools", "GET", Scope.RECALL, 200),
    Row("tools/call", "POST", None, 200, body=made(call_id="c1", name="memory_search", arguments={"query": "summary"})),
    Row("candidates", "GET", Scope.READ, 200),
    Row("candidates/<str:candidate_id>", "GET", Scope.READ, 200, ids=HELD),
    *(
        Row(
            f"candidates/<str:candidate_id>/{answer}", "POST", Scope.RELAY, 200,
            ids=HELD, body=ANSWER, relayed=True,
        )
        for answer in ("approve", "reject", "request_changes")
    ),
    *(
        Row(
            f"candidates/<str:candidate_id>/{answer}", "POST", Scope.RELAY, 200,
            ids=REVIEWED, body=REVIEW_ANSWER, relayed=True, asked_by="rita", wrong_role=("alice", 403),
        )
        for answer in ("approve", "reject", "request_changes")
    ),
    Row(
        "candidates/<str:candidate_id>/withdraw", "POST", Scope.PROPOSE, 200,
        ids=REVIEWED, body=made(content_hash=":review_hash"), wrong_role=("rita", 403),
    ),
    *(
        Row(
            f"candidates/<str:candidate_id>/{route}", method, None, status,
            ids=REVIEWED, asked_by="rita", people=True, body=made(**body), wrong_role=wrong,
        )
        for route, method, status, body, wrong in (
            ("undo", "POST", 409, {}, None),  # there is nothing to take back
            ("dossier", "GET", 200, {}, ("alice", 403)),
            ("claim", "POST", 200, {}, ("alice", 403)),
            ("release", "POST", 204, {}, None),
            ("transfer", "POST", 400, {"reviewer": "rolf"}, ("alice", 403)),  # there is no such reviewer
            ("comments", "GET", 200, {}, None),
            ("comments", "POST", 201, {"comment": "Which log?"}, None),
            ("reword", "POST", 200, {"content_hash": ":review_hash", "statement": "Read the log."}, ("alice", 403)),
        )
    ),
    Row(
        "candidates/<str:candidate_id>/resubmit", "POST", None, 200, ids=RETURNED, asked_by="alice", people=True,
        body=made(content_hash=":returned_hash", statement="Tell two colleagues."), wrong_role=("rita", 403),
    ),
    *(
        Row(route, "GET", None, 200, asked_by="rita", people=True, wrong_role=("alice", 403))
        for route in ("reviews/queue", "reviews/quality")
    ),
    Row("following", "GET", Scope.READ, 200, people=True),
    Row("following", "POST", Scope.PROPOSE, 201, body=made(memory_id=":shared_id"), people=True),
    Row("following/<str:follow_id>", "DELETE", Scope.PROPOSE, 204, ids={"follow_id": "follow_id"}, people=True),
    Row("own-expiry", "GET", Scope.READ, 200, people=True),
    Row("own-expiry", "PUT", Scope.PROPOSE, 200, body=lambda scene: {"days": {"episode": 30}}, people=True),
    Row("own-rules", "GET", Scope.READ, 200, people=True),
    Row("own-rules", "POST", Scope.PROPOSE, 201, body=lambda scene: {"type": "key", "text": word()}, people=True),
    Row("own-rules/try", "POST", Scope.PROPOSE, 200, body=lambda scene: {"statement": sentence()}, people=True),
    Row("own-rules/<str:rule_id>", "DELETE", Scope.PROPOSE, 204, ids={"rule_id": "rule_id"}, people=True),
    *(
        Row(route, method, scope, right, ids=ids, body=body, door="api/mem0/")
        for route, method, scope, right, ids, body in (
            ("v1/ping/", "GET", None, 200, {}, made()),
            ("v3/memories/add/", "POST", Scope.PROPOSE, 202, {}, mem0_add),
            ("v3/memories/search/", "POST", Scope.RECALL, 200, {}, made(query=":secret_word")),
            ("v3/memories/", "POST", Scope.READ, 200, {}, made()),
            ("v1/memories/", "DELETE", Scope.FORGET, 400, {}, made()),
            ("v1/memories/<str:memory_id>/", "GET", Scope.READ, 200, MEMORY, made()),
            ("v1/memories/<str:memory_id>/", "PUT", Scope.PROPOSE, 202, MEMORY, made(text=":new_statement")),
            ("v1/memories/<str:memory_id>/", "DELETE", Scope.FORGET, 200, MEMORY, made()),
            ("v1/memories/<str:memory_id>/history/", "GET", Scope.READ, 200, MEMORY, made()),
            ("v1/event/<str:event_id>/", "GET", Scope.READ, 200, {"event_id": "operation_id"}, made()),
        )
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Page:
    """One page: its methods, what a visitor and the signed-in Alice are told, and what of hers it addresses."""

    route: str
    methods: tuple[str, ...]
    visitor: int
    signed_in: tuple[int, ...]
    ids: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.route or "/"


SAFE, POST, FORM = ("GET", "HEAD"), ("POST",), ("GET", "HEAD", "POST")
OPEN, SIGN_IN = 200, 302
SHOWN = (200,)
ANSWERED = (200, 302, 303, 400, 409, 412)  # an empty form is an answer too
HELD_PAGE = "candidates/<uuid:candidate_id>"
MEMORY_PAGE = "memories/<uuid:memory_id>"
HOOK_PAGE = "settings/webhooks/<uuid:webhook_id>"
ENTRY_PAGE = "playbook/<uuid:memory_id>"
EXPORT_PAGE, OWN_EXPORT = "data/exports/<uuid:export_id>", {"export_id": "own_export_id"}
IMPORT_PAGE, OWN_IMPORT = "data/imports/<uuid:import_id>", {"import_id": "own_import_id"}
GROUP_PAGE, GROUP, PERSON = "groups/<uuid:group_id>", {"group_id": "group_id"}, {"person_id": "person_id"}
THIRD_PARTY = re.compile(r"account/")  # allauth brings these; they hold nothing of a tenant
PAGES = (
    Page("livez", SAFE, OPEN, SHOWN),
    Page("readyz", SAFE, OPEN, SHOWN),
    Page("metrics", SAFE, OPEN, SHOWN),
    Page("mcp", POST, 401, (401,)),  # a session is no credential there; its calls have rows below
    Page("i18n/setlang/", METHODS, 302, (204, 302)),
    Page("api/schema/", SAFE, OPEN, SHOWN),
    Page("api/docs/", SAFE, OPEN, SHOWN),
    Page("", SAFE, OPEN, SHOWN),
    Page("style/", SAFE, SIGN_IN, SHOWN),
    Page("help/", SAFE, OPEN, SHOWN),
    Page("problems/<str:code>/", SAFE, OPEN, SHOWN),
    Page("memories/", SAFE, SIGN_IN, SHOWN),
    Page("memories/several/", FORM, SIGN_IN, ANSWERED),
    Page("memories/export/", FORM, SIGN_IN, ANSWERED),
    Page("memories/views/", POST, SIGN_IN, ANSWERED),
    Page("memories/views/<uuid:view_id>/remove/", POST, SIGN_IN, ANSWERED, {"view_id": "view_id"}),
    Page("memories/new/", FORM, SIGN_IN, ANSWERED),
    Page(f"{MEMORY_PAGE}/", SAFE, SIGN_IN, SHOWN, MEMORY),
    Page(f"{MEMORY_PAGE}/correct/", FORM, SIGN_IN, ANSWERED, MEMORY),
    Page(f"{MEMORY_PAGE}/compare/", SAFE, SIGN_IN, SHOWN, MEMORY),
    Page(f"{MEMORY_PAGE}/restore/", POST, SIGN_IN, ANSWERED, MEMORY),
    Page(f"{MEMORY_PAGE}/pause/", POST, SIGN_IN, ANSWERED, MEMORY),
    Page(f"{MEMORY_PAGE}/resume/", POST, SIGN_IN, ANSWERED, MEMORY),
    Page(f"{MEMORY_PAGE}/forget/", FORM, SIGN_IN, ANSWERED, MEMORY),
    Page("playbook/", SAFE, SIGN_IN, SHOWN),
    Page("playbook/duplicates/", SAFE, SIGN_IN, SHOWN),
    Page("playbook/following/", SAFE, SIGN_IN, SHOWN),
    Page("playbook/following/<uuid:follow_id>/stop/", POST, SIGN_IN, ANSWERED, {"follow_id": "follow_id"}),
    Page("playbook/places/<uuid:namespace_id>/follow/", POST, SIGN_IN, ANSWERED, {"namespace_id": "team_namespace_id"}),
    Page(f"{ENTRY_PAGE}/follow/", POST, SIGN_IN, ANSWERED, TEAM_MEMORY),
    Page("playbook/new/", FORM, SIGN_IN, ANSWERED),
    Page(f"{ENTRY_PAGE}/", SAFE, SIGN_IN, SHOWN, TEAM_MEMORY),
    Page(f"{ENTRY_PAGE}/compare/", SAFE, SIGN_IN, (404,), TEAM_MEMORY),  # there is one version only
    Page(f"{ENTRY_PAGE}/change/", FORM, SIGN_IN, ANSWERED, TEAM_MEMORY),
    Page(f"{ENTRY_PAGE}/suspend/", POST, SIGN_IN, ANSWERED, TEAM_MEMORY),
    Page(f"{ENTRY_PAGE}/resume/", POST, SIGN_IN, (403,), TEAM_MEMORY),  # a member is no reviewer
    Page(f"{ENTRY_PAGE}/renew/", POST, SIGN_IN, ANSWERED, TEAM_MEMORY),
    Page(f"{ENTRY_PAGE}/roll-back/", FORM, SIGN_IN, (403,), TEAM_MEMORY),
    Page("erasures/<uuid:erasure_id>/", SAFE, SIGN_IN, SHOWN, {"erasure_id": "erasure_id"}),
    Page("data/", SAFE, SIGN_IN, SHOWN),
    Page("help/forgetting/", SAFE, OPEN, SHOWN),
    Page("data/memory-1.schema.json", SAFE, OPEN, SHOWN),
    Page("data/exports/", POST, SIGN_IN, ANSWERED),
    Page(f"{EXPORT_PAGE}/", SAFE, SIGN_IN, SHOWN, OWN_EXPORT),
    Page(f"{EXPORT_PAGE}/file/", SAFE, SIGN_IN, SHOWN, OWN_EXPORT),
    Page(f"{EXPORT_PAGE}/cancel/", POST, SIGN_IN, ANSWERED, OWN_EXPORT),
    Page(f"{EXPORT_PAGE}/retry/", POST, SIGN_IN, ANSWERED, OWN_EXPORT),
    Page("data/imports/", POST, SIGN_IN, ANSWERED),
    Page(f"{IMPORT_PAGE}/", SAFE, SIGN_IN, SHOWN, OWN_IMPORT),
    Page(f"{IMPORT_PAGE}/start/", POST, SIGN_IN, ANSWERED, OWN_IMPORT),
    Page(f"{IMPORT_PAGE}/cancel/", POST, SIGN_IN, ANSWERED, OWN_IMPORT),
    Page("conversations/", SAFE, SIGN_IN, SHOWN),
    Page("conversations/<uuid:extraction_id>/", SAFE, SIGN_IN, SHOWN, EXTRACTION),
    Page("conversations/<uuid:extraction_id>/cancel/", POST, SIGN_IN, ANSWERED, EXTRACTION),
    Page("forget/conversation/<uuid:evidence_id>/", FORM, SIGN_IN, ANSWERED, {"evidence_id": "evidence_id"}),
    Page("forget/agent/<uuid:agent_id>/", FORM, SIGN_IN, ANSWERED, {"agent_id": "agent_id"}),
    Page("forget/place/<uuid:namespace_id>/", FORM, SIGN_IN, ANSWERED, {"namespace_id": "namespace_id"}),
    Page("forget/me/", FORM, SIGN_IN, (302,)),  # the password is asked for again
    Page("forgotten/<str:token>/", SAFE, 404, (404,)),  # a made-up token
    Page("waiting/", SAFE, SIGN_IN, SHOWN),
    Page("waiting/several/", FORM, SIGN_IN, ANSWERED),
    Page("waiting/several/undo/", POST, SIGN_IN, ANSWERED),
    Page("notices/", SAFE, SIGN_IN, SHOWN),
    Page("notices/read/", POST, SIGN_IN, ANSWERED),
    Page("settings/notices/", FORM, SIGN_IN, ANSWERED),
    Page("activity/", SAFE, SIGN_IN, SHOWN),
    Page("activity/file/", SAFE, SIGN_IN, SHOWN),
    Page(f"{HELD_PAGE}/edit/", FORM, SIGN_IN, ANSWERED, HELD),
    *(Page(f"{HELD_PAGE}/{what}/", POST, SIGN_IN, ANSWERED, RETURNED) for what in ("comment", "resubmit")),
    Page(f"{HELD_PAGE}/never/", POST, SIGN_IN, ANSWERED, HELD),
    Page("reviews/", SAFE, SIGN_IN, (403,)),  # a member is no reviewer
    Page("reviews/quality/", SAFE, SIGN_IN, (403,)),
    Page("reviews/quality/<str:table>.csv", SAFE, SIGN_IN, (403,)),
    Page("reviews/duplicates/", POST, SIGN_IN, (403,)),
    Page("reviews/<uuid:candidate_id>/", SAFE, SIGN_IN, (403,), REVIEWED),
    Page("reviews/<uuid:candidate_id>/reword/", FORM, SIGN_IN, (403,), REVIEWED),
    *(
        Page(f"reviews/<uuid:candidate_id>/{what}/", POST, SIGN_IN, (403,), REVIEWED)
        for what in ("approve", "reject", "request_changes", "claim", "release", "transfer", "comment")
    ),
    Page(f"{HELD_PAGE}/", SAFE, SIGN_IN, SHOWN, HELD),
    *(
        Page(f"{HELD_PAGE}/{answer}/", POST, SIGN_IN, ANSWERED, HELD)
        for answer in ("approve", "reject", "request_changes", "withdraw", "undo")
    ),
    Page("audit/", SAFE, SIGN_IN, (403,)),  # nor an auditor
    Page("audit/figures/", SAFE, SIGN_IN, (403,)),
    Page("audit/figures/<str:table>.csv", SAFE, SIGN_IN, (403,)),
    Page("audit/reveals/", SAFE, SIGN_IN, (403,)),
    Page("audit/reveals/new/", FORM, SIGN_IN, (403,)),
    Page("audit/reveals/<uuid:reveal_id>/", SAFE, SIGN_IN, (404,), {"reveal_id": "reveal_id"}),
    Page("audit/reveals/<uuid:reveal_id>/end/", POST, SIGN_IN, (404,), {"reveal_id": "reveal_id"}),
    Page("agents/", SAFE, SIGN_IN, SHOWN),
    Page("agents/new/", FORM, SIGN_IN, ANSWERED),
    Page("agents/<uuid:agent_id>/pause/", POST, SIGN_IN, ANSWERED, AGENT),
    Page("agents/<uuid:agent_id>/resume/", POST, SIGN_IN, ANSWERED, AGENT),
    Page("agents/<uuid:agent_id>/key/", FORM, SIGN_IN, ANSWERED + (201,), AGENT),
    Page("agents/<uuid:agent_id>/end/", FORM, SIGN_IN, ANSWERED, AGENT),
    Page("agents/keys/<uuid:key_id>/", SAFE, SIGN_IN, SHOWN, {"key_id": "key_id"}),
    Page("developers/", FORM, SIGN_IN, ANSWERED),
    Page("developers/calls/", SAFE, SIGN_IN, SHOWN),
    Page("developers/recall/", FORM, SIGN_IN, ANSWERED),
    Page("members/", SAFE, SIGN_IN, (403,)),  # nor an administrator
    Page("members/<uuid:person_id>/", FORM, SIGN_IN, (404,), PERSON),
    Page("members/<uuid:person_id>/remove/", FORM, SIGN_IN, (404,), PERSON),
    Page("groups/", SAFE, SIGN_IN, SHOWN),
    Page("groups/new/", FORM, SIGN_IN, (403,)),
    Page(f"{GROUP_PAGE}/", SAFE, SIGN_IN, SHOWN, GROUP),
    Page(f"{GROUP_PAGE}/add/", POST, SIGN_IN, ANSWERED, GROUP),
    Page(f"{GROUP_PAGE}/invitations/", POST, SIGN_IN, ANSWERED, GROUP),
    Page(f"{GROUP_PAGE}/<uuid:person_id>/role/", POST, SIGN_IN, ANSWERED, GROUP | PERSON),
    Page(f"{GROUP_PAGE}/<uuid:person_id>/remove/", POST, SIGN_IN, ANSWERED, GROUP | PERSON),
    Page("invitations/", POST, SIGN_IN, (403,)),
    Page("invitations/<uuid:invitation_id>/resend/", POST, SIGN_IN, ANSWERED, {"invitation_id": "invitation_id"}),
    Page("invitations/<uuid:invitation_id>/revoke/", POST, SIGN_IN, ANSWERED, {"invitation_id": "invitation_id"}),
    Page("invitations/<str:token>/", FORM, 404, (404,)),  # a made-up token
    Page("settings/", SAFE, SIGN_IN, SHOWN),
    Page("settings/webhooks/", FORM, SIGN_IN, ANSWERED),
    Page(f"{HOOK_PAGE}/", SAFE, SIGN_IN, (404,), HOOK),
    *(Page(f"{HOOK_PAGE}/{what}/", POST, SIGN_IN, (404,), HOOK) for what in ("switch", "remove")),
    Page(
        f"{HOOK_PAGE}/deliveries/<uuid:delivery_id>/retry/",
        POST,
        SIGN_IN,
        (404,),
        {**HOOK, "delivery_id": "delivery_id"},
    ),
    Page("settings/time-zone/", POST, SIGN_IN, ANSWERED),
    Page("settings/tokens/", POST, SIGN_IN, ANSWERED),
    Page("settings/tokens/<uuid:token_id>/revoke/", POST, SIGN_IN, ANSWERED, {"token_id": "token_id"}),
    Page("settings/organisation/", POST, SIGN_IN, (404,)),
    Page("settings/language/", POST, 302, (302,)),
    Page("settings/theme/", POST, 302, (302,)),
    Page("settings/keys/", POST, 302, (302,)),
    Page("settings/memory/", SAFE, SIGN_IN, SHOWN),
    *(Page(f"settings/memory/{act}/", POST, SIGN_IN, ANSWERED) for act in ("switch", "ask", "expiry", "rules", "try")),
    Page("settings/memory/rules.json", SAFE, SIGN_IN, SHOWN),
    Page("settings/memory/rules/<uuid:rule_id>/remove/", POST, SIGN_IN, ANSWERED, {"rule_id": "rule_id"}),
)


# --- the scene -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scene(shared_cast: Cast, django_db_blocker: Any) -> Any:
    """Everything of Alice's that a route can address, made once for this module."""
    with django_db_blocker.unblock():
        acme = shared_cast.acme
        secret_word = word(6)
        alice = acme.by("relay", "alice").in_run("run_1")
        proposed = alice.propose(sentence(secret_word), key=f"key_{secret_word}").json()
        memory = proposed["memory"]
        recalled = alice.recall(secret_word)
        assert [item["memory_id"] for item in recalled["items"]] == [memory["memory_id"]]
        shared = alice.share(TEAM, f"Check the {secret_word} list before closing a case.")
        held = alice.hold(f"Probably likes {secret_word} charts.")
        review = alice.propose(
            f"Tell a {secret_word} colleague before a release.", kind="lesson", namespace=TEAM, valid_until=in_months()
        ).json()
        assert review["decision"] == "needs_review", review
        review = alice.candidate(review["candidate_id"])
        erased = alice.forget(alice.store())
        in_person = acme.person("alice")
        exported, own_export, ended = asked(alice), asked(in_person), asked(alice)
        sweep(acme)
        alice.post(f"/exports/{ended['id']}/cancel")
        imported, own_import = (
            hand_over(caller, [entry(f"Put {secret_word} first.", new_key())], dry_run=True)
            for caller in (alice, in_person)
        )
        return SimpleNamespace(
            export_id=exported["id"],
            ended_export_id=ended["id"],
            own_export_id=own_export["id"],
            import_id=imported["id"],
            own_import_id=own_import["id"],
            **extractions_of(acme, alice, secret_word),
            secret_word=secret_word,
            now=now().isoformat(),
            in_months=in_months(),
            new_statement=sentence(),
            key=memory["key"],
            memory_id=memory["memory_id"],
            shared_id=shared["memory_id"],
            recall_id=recalled["recall_id"],
            operation_id=proposed["operation_id"],
            erasure_id=erased["id"],
            candidate_id=held["candidate_id"],
            content_hash=held["content_hash"],
            review_id=review["candidate_id"],
            review_hash=review["content_hash"],
            evidence_id=alice.evidence(),
            rita_evidence_id=acme.rita.evidence(),
            **ids_of(acme),
            **given_back(acme, alice),
            **followed(acme),
            **webhook_of(acme),
            token_id=personal_token(acme),
            view_id=saved_view(acme),
            rule_id=own_rule(acme),
            reveal_id=revealed(acme),
        )


def ids_of(acme: Company) -> dict[str, str]:
    """Of what only Alice has: her place, her agent with its key, and a team that she keeps, with an invitation."""
    with acme.entered():
        alice = Membership.objects.get(external_id="alice")
        place, key = Namespace.objects.get(membership=alice), AgentKey.objects.get(agent__slug="solo")
        team = Group.objects.create(type="team", slug="alices")
        GroupMember.objects.create(group=team, membership=alice, is_maintainer=True)
        invitation = Invitation.objects.create(
            email="new@acme.example", role="member", group=team, invited_by=alice, nonce="n", expires_at=now(days=1)
        )
        return {
            "agent_id": str(key.agent_id),
            "key_id": str(key.pk),
            "namespace_id": str(place.pk),
            "group_id": str(team.pk),
            "person_id": str(alice.pk),
            "invitation_id": str(invitation.pk),
        }


def given_back(acme: Company, alice: Caller) -> dict[str, str]:
    """A lesson that a reviewer asked Alice to change."""
    given = {"kind": "lesson", "namespace": TEAM, "valid_until": in_months()}
    held = alice.propose(f"Tell a colleague of the {word()} before a release.", **given).json()["candidate_id"]
    with acme.entered():
        Candidate.objects.filter(pk=held).update(status=Candidate.Status.CHANGES_REQUESTED)
        return {"returned_id": held, "returned_hash": Candidate.objects.get(pk=held).content_hash}


def followed(acme: Company) -> dict[str, str]:
    """What Alice follows: all of her team's playbook."""
    with acme.entered():
        team = Namespace.objects.get(group__slug=TEAM["id"])
        follow = Follow.objects.create(membership=Membership.objects.get(external_id="alice"), namespace=team)
    return {"follow_id": str(follow.pk), "team_namespace_id": str(team.pk)}


def own_rule(acme: Company) -> str:
    """A rule that nothing else of the scene falls under."""
    with acme.entered():
        return str(actions.add_rule(acme.principal("alice"), "key", f"never_{word()}").pk)


def revealed(acme: Company) -> str:
    """Adam may read what is remembered about Alice."""
    with acme.entered():
        row = actions.reveal(acme.principal("adam"), "alice", "law", "A court asked for it under file 17.")
    return str(row.pk)


def webhook_of(acme: Company) -> dict[str, str]:
    """A webhook of the tenant with a message that waits."""
    with acme.entered():
        hook = Webhook.objects.create(url="https://example.com/hook", events=["entry.published"], salt="0" * 64)
        delivery = Delivery.objects.create(webhook=hook, event="entry.published")
    return {"webhook_id": str(hook.pk), "delivery_id": str(delivery.pk)}


def saved_view(acme: Company) -> str:
    with acme.entered():
        place = Namespace.objects.get(membership__external_id="alice")
        return str(SavedView.objects.create(namespace=place, name="mine", query="kind=preference").pk)


def extractions_of(acme: Company, alice: Caller, secret_word: str) -> dict[str, str]:
    """One that has ended, one that goes on and one that failed."""
    ids = []
    for state in (Extraction.State.DONE, Extraction.State.QUEUED, Extraction.State.FAILED):
        made = alice.post("/extractions", conversation(None) | {"conversation": f"about_{secret_word}"}).json()
        with acme.entered():
            Extraction.objects.filter(pk=made["id"]).update(state=state, messages=[])
        ids.append(made["id"])
    return dict(zip(("extraction_id", "going_id", "failed_id"), ids, strict=True))


def personal_token(acme: Company) -> str:
    token = new_token("p")
    with acme.entered():
        alice = Membership.objects.get(external_id="alice")
        given = {"prefix": token.prefix, "digest": token.digest, "name": "script", "scopes": ["memory:read"]}
        return str(PersonalToken.objects.create(membership=alice, **given).pk)


def everything_of_alices(scene: Any) -> tuple[str, ...]:
    ids = ("memory_id", "shared_id", "recall_id", "operation_id", "erasure_id", "candidate_id", "review_id")
    ids += ("export_id", "import_id", "extraction_id")
    return (scene.secret_word, scene.content_hash, *(getattr(scene, name) for name in ids))


def ask(caller: Caller, row: Row, scene: Any, *, absent: bool = False, method: str = "") -> Any:
    """The row's request; `absent` asks the same of ids that nobody has."""
    path = row.whole
    for argument, attribute in row.ids.items():
        path = path.replace(f"<str:{argument}>", ABSENT if absent else getattr(scene, attribute))
    return caller.call(method or row.method, f"//{path}", row.body(scene), row.headers, **row.query(scene))


def asking(company: Company, row: Row, name: str = "") -> Caller:
    """The caller of the row, with everything it takes: an agent's key, or the person themselves."""
    return company.person(name or row.asked_by) if row.people else company.by("relay", name or row.asked_by)


def shown(response: Any) -> tuple[Any, ...]:
    """All that an answer tells, but for what differs from answer to answer."""
    body = json.loads(response.content) if response.content else None
    if isinstance(body, dict):
        body = {name: value for name, value in body.items() if name not in CHANGING}
    headers = {name: value for name, value in response.headers.items() if name not in PER_ANSWER}
    return response.status_code, headers, body


def foreigners(cast: Cast, row: Row) -> list[Caller]:
    """Callers with every scope the row needs who are no party to it."""
    if row.people:
        return [cast.beta.person("bob"), cast.beta.person("rita"), cast.acme.person("paul")]
    key = "relay" if row.relayed else "runtime"
    return [cast.beta.by(key, "bob"), cast.beta.by(key, "alice"), cast.acme.by(key, "paul")]


# --- nothing is left out ---------------------------------------------------------------------------------------------


def routes(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = f"{prefix}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route


def test_every_route_has_a_row() -> None:
    known = {row.whole for row in ROWS} | {page.route for page in PAGES}
    served = {route for route in routes(get_resolver().url_patterns) if not THIRD_PARTY.match(route)}
    assert served - known == set(), "a new route needs its row"
    assert known - served == set(), "a row without a route"


@pytest.mark.parametrize("route", sorted({row.whole for row in ROWS}))
def test_a_method_without_a_row_is_not_served(cast: Cast, scene: Any, route: str) -> None:
    rows = [row for row in ROWS if row.whole == route]
    served = {row.method for row in rows} | {"OPTIONS"}
    served |= {"HEAD"} if "GET" in served else set()
    alice = cast.acme.by("relay")
    for method in METHODS:
        if method not in served:
            assert ask(alice, rows[0], scene, method=method).status_code == 405, f"{method} {route} needs its row"
    options = ask(alice, rows[0], scene, method="OPTIONS")
    assert options.status_code == 200
    assert not any(one in text_of(options) for one in everything_of_alices(scene))


def visit(client: Client, place: Page, scene: Any, method: str, *, absent: bool = False) -> Any:
    path = place.route.replace("<str:code>", "not_found")
    for argument, attribute in place.ids.items():
        path = re.sub(rf"<\w+:{argument}>", ABSENT if absent else str(getattr(scene, attribute)), path)
    return client.generic(method, f"/{path}")


def page_of(response: Any, scene: Any, place: Page) -> tuple[int, str]:
    """A page without what differs each time: form tokens, and the id that was asked for."""
    text = re.sub(r'(name="csrfmiddlewaretoken" value=)"\w+"', r"\1", response.content.decode())
    for attribute in place.ids.values():
        text = text.replace(str(getattr(scene, attribute)), ABSENT)
    return response.status_code, text


@pytest.mark.parametrize("place", PAGES, ids=str)
def test_a_page_serves_the_methods_of_its_row(cast: Cast, scene: Any, place: Page) -> None:
    signed_in, visitor = cast.acme.person("alice").client, Client()
    for method in METHODS:
        if method in place.methods:
            assert visit(visitor, place, scene, method).status_code == place.visitor, method
            assert visit(signed_in, place, scene, method).status_code in place.signed_in, method
        else:
            assert visit(signed_in, place, scene, method).status_code == 405, f"{method} {place} needs its row"


@pytest.mark.parametrize("place", [place for place in PAGES if place.ids], ids=str)
def test_a_page_of_others_is_as_one_that_does_not_exist(cast: Cast, scene: Any, place: Page) -> None:
    for company, name in ((cast.acme, "paul"), (cast.beta, "bob"), (cast.beta, "alice")):
        client = company.person(name).client
        for method in place.methods:
            foreign = visit(client, place, scene, method)
            absent = visit(client, place, scene, method, absent=True)
            assert page_of(foreign, scene, place) == page_of(absent, scene, place)
            assert foreign.status_code == 404


# --- who may not -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_without_a_valid_credential_nothing_is_told(cast: Cast, scene: Any, row: Row) -> None:
    """I1, R-227: 401 everywhere, the same for what exists and what does not, and for every kind of wrong key."""
    answer = ask(Caller(None, "alice"), row, scene)
    assert answer.status_code == 401
    assert answer.json()["code"] == "not_authenticated"
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    for token in (None, "mh_k000000000000_" + "0" * 64, "nonsense"):
        stranger = Caller(token, "alice")
        assert shown(ask(stranger, row, scene, absent=True)) == shown(answer)
    assert ask(stranger, row, scene, method="OPTIONS").status_code == 401


@pytest.mark.parametrize("row", [row for row in ROWS if row.ids], ids=str)
def test_what_belongs_to_others_answers_as_what_is_absent(cast: Cast, scene: Any, row: Row) -> None:
    """R-059, R-061, R-157, R-318, T1: the wrong company and the wrong person learn nothing."""
    for caller in foreigners(cast, row):
        foreign, absent = ask(caller, row, scene), ask(caller, row, scene, absent=True)
        assert foreign.status_code == 404
        assert shown(foreign) == shown(absent)
        assert not any(one in text_of(foreign) for one in everything_of_alices(scene))
        if row.method == "GET":
            assert shown(ask(caller, row, scene, method="HEAD"))[:2] == shown(foreign)[:2]


@pytest.mark.parametrize("row", [row for row in ROWS if row.ids], ids=str)
def test_a_malformed_id_answers_as_an_absent_one(cast: Cast, scene: Any, row: Row) -> None:
    caller = asking(cast.acme, row) if row.people or row.relayed else cast.acme.by("runtime", row.asked_by)
    absent = ask(caller, row, scene, absent=True)
    assert absent.status_code == 404
    for broken in ("1", "nonsense", "%00", ABSENT.upper() + "x", "..", "' OR 1=1 --"):
        path = re.sub(r"<str:\w+>", broken.replace("%", "%25").replace(" ", "%20"), row.whole)
        response = caller.call(row.method, f"//{path}", row.body(scene), row.headers)
        if broken != "..":
            assert shown(response) == shown(absent)


@pytest.mark.parametrize("row", [row for row in ROWS if not row.ids], ids=str)
def test_a_list_of_ones_own_holds_nothing_of_others(cast: Cast, scene: Any, row: Row) -> None:
    for caller in foreigners(cast, row):
        response = ask(caller, row, scene)
        assert not any(one in text_of(response) for one in everything_of_alices(scene))


@pytest.mark.parametrize("row", [row for row in ROWS if row.scope], ids=str)
def test_a_missing_scope_is_refused_before_anything_is_looked_at(cast: Cast, scene: Any, row: Row) -> None:
    """T8: no other scope stands in for the one that is needed, and the refusal is the same for absent things."""
    others = [cast.acme.by(scope.value, row.asked_by) for scope in Scope if scope is not row.scope]
    refused = ask(others[0], row, scene)
    assert (refused.status_code, refused.json()["code"]) == (403, "missing_scope")
    for caller in others:
        assert shown(ask(caller, row, scene, absent=True)) == shown(refused)
    if row.method == "GET":
        assert ask(others[0], row, scene, method="HEAD").status_code == 403


@pytest.mark.parametrize("row", [row for row in ROWS if row.people], ids=str)
def test_no_agents_key_does_what_people_do_themselves(cast: Cast, scene: Any, row: Row) -> None:
    """R-100: whatever its scopes and whomever it acts for, and the same for absent things."""
    agent = cast.acme.by("relay", row.asked_by)
    refused = ask(agent, row, scene)
    assert (refused.status_code, refused.json()["code"]) == (403, "people_only")
    assert shown(ask(agent, row, scene, absent=True)) == shown(refused)


@pytest.mark.parametrize("row", [row for row in ROWS if row.wrong_role], ids=str)
def test_a_wrong_role_is_refused_and_a_right_one_is_not(cast: Cast, scene: Any, row: Row) -> None:
    """R-058, R-250: who sees what a team shares may not therefore decide about it."""
    assert row.wrong_role
    name, status = row.wrong_role
    caller = asking(cast.acme, row, name)
    body = row.body(scene)
    if body and "evidence_id" in body:
        body["evidence_id"] = caller.evidence()
    path = re.sub(r"<str:(\w+)>", lambda found: getattr(scene, row.ids[found[1]]), row.whole)
    assert caller.call(row.method, f"//{path}", body, row.headers).status_code == status
    assert ask(asking(cast.acme, row), row, scene).status_code == row.right


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_the_right_caller_is_served(cast: Cast, scene: Any, row: Row) -> None:
    caller = asking(cast.acme, row)
    if row.method == "GET":
        head = ask(caller, row, scene, method="HEAD")
        assert (head.status_code, head.content) == (row.right, b"")
    response = ask(caller, row, scene)
    assert response.status_code == row.right, text_of(response)


# --- namespaces in bodies and queries --------------------------------------------------------------------------------


NAMED: dict[str, Callable[[Caller, Any], Any]] = {
    "propose": lambda caller, namespace: caller.post("/proposals", {**proposal(None), "namespace": namespace}),
    "preview": lambda caller, namespace: caller.post("/proposals/preview", {**proposal(None), "namespace": namespace}),
    "recall": lambda caller, namespace: caller.post("/recall", {"query": "summary", "namespaces": [namespace]}),
    "recall_with_own": lambda caller, namespace: caller.post(
        "/recall", {"query": "summary", "namespaces": [USER, namespace]}
    ),
    "context": lambda caller, namespace: caller.post("/context", {"query": "summary", "namespaces": [namespace]}),
    "list": lambda caller, namespace: caller.get("/memories", namespace=json.dumps(namespace)),
    "lookup": lambda caller, namespace: caller.get(
        "/memories/lookup", namespace=json.dumps(namespace), kind="preference", key="habit"
    ),
    "forget": lambda caller, namespace: caller.post("/forget", {"filter": {"namespace": namespace}, "dry_run": True}),
    "export": lambda caller, namespace: caller.post("/exports", {"namespaces": [namespace]}),
    "import": lambda caller, namespace: caller.call(
        "POST", "/imports", entry(sentence(), new_key()), namespace=json.dumps(namespace)
    ),
}


@pytest.mark.parametrize("door", NAMED)
def test_a_namespace_of_others_answers_as_an_absent_one(cast: Cast, scene: Any, door: str) -> None:
    """I5, R-057, R-171: by whatever door, and no narrower or wider search instead."""
    call, paul, outsider = NAMED[door], cast.acme.paul, cast.acme.by("runtime", "alice", agent="outsider")
    for caller, type_, id_ in (
        (paul, "user", "alice"),
        (paul, "team", "support"),
        (paul, "project", "atlas"),
        (paul, "agent", "solo"),
        (outsider, "team", "support"),
        (outsider, "agent", "helper"),
        (cast.beta.bob, "user", "adam"),
        (cast.beta.bob, "agent", "outsider"),
    ):
        foreign = call(caller, {"type": type_, "id": id_})
        assert foreign.status_code == 404
        assert shown(foreign) == shown(call(caller, {"type": type_, "id": "nobody_has_this"}))


def test_the_queue_of_reviewers_opens_for_reviewers(cast: Cast, scene: Any) -> None:
    for name, status in (("alice", 403), ("paul", 403), ("adam", 403), ("rita", 200)):
        response = cast.acme.person(name).client.get("/reviews/")
        assert response.status_code == status, name
        assert (scene.secret_word in response.content.decode()) == (name == "rita")


def test_names_are_matched_whole_and_by_the_letter(cast: Cast) -> None:
    """I3, I4: no pattern, no prefix, no other case, no blank that means everything."""
    alice = cast.acme.alice
    assert alice.post("/recall", {"query": "summary", "namespaces": [TEAM]}).status_code == 200
    for name in ("suppor_", "support%", "Support", "support ", "supp", "support-2", "*", "%"):
        response = alice.post("/recall", {"query": "summary", "namespaces": [{"type": "team", "id": name}]})
        assert response.status_code == 404, name
    for blank in ("", " "):
        response = alice.post("/recall", {"query": "summary", "namespaces": [{"type": "team", "id": blank}]})
        assert response.status_code == 400


def test_the_same_names_in_two_companies_are_two_places(cast: Cast) -> None:
    """R-059: tenant, person, team, project and agent of one name hold nothing in common."""
    mark = word()
    here, there = cast.acme.alice, cast.beta.by("runtime", "alice")
    here.store(sentence(mark))
    for namespace in (TEAM, PROJECT, {"type": "agent"}):
        here.share(namespace, f"Check the {mark} list before closing a case.")
    assert len(here.recalled(mark)) == 4
    assert there.recalled(mark) == []
    assert there.listed() == []


def test_pages_of_a_list_are_bound_to_their_reader(cast: Cast) -> None:
    """T6: a cursor of someone else's list is refused like a made-up one."""
    for _ in range(2):
        cast.acme.alice.store()
    cursor = cast.acme.alice.get("/memories", limit=1).json()["next_cursor"]
    assert cast.acme.alice.get("/memories", limit=1, cursor=cursor).status_code == 200
    made_up = cast.acme.paul.get("/memories", limit=1, cursor="made:up")
    for caller in (cast.acme.paul, cast.beta.bob, cast.acme.by("runtime", "alice", agent="solo")):
        assert shown(caller.get("/memories", limit=1, cursor=cursor)) == shown(made_up)


# --- MCP, whose calls share one address ------------------------------------------------------------------------------


MCP_CALLS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "initialize": made(protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "test", "version": "1"}),
    "server/discover": made(),
    "ping": made(),
    "tools/list": made(),
    "tools/call": lambda scene: {"name": "memory_search", "arguments": {"query": scene.secret_word}},
    "resources/list": made(),
    "resources/templates/list": made(),
    "resources/read": lambda scene: {"uri": f"memoryhub://procedures/{scene.shared_id}"},
}


def test_every_call_over_mcp_has_a_row() -> None:
    assert set(ANSWERS) == set(MCP_CALLS)


@pytest.mark.parametrize("method", MCP_CALLS)
def test_a_call_over_mcp_tells_others_nothing(cast: Cast, scene: Any, method: str) -> None:
    """I1, I8, T1: nothing without a credential, nothing of Alice's to the wrong company or person."""
    send, params = stateless if method == "server/discover" else handshake, MCP_CALLS[method](scene)
    assert send(Caller(None, "alice"), method, params).status_code == 401
    for caller in (cast.beta.bob, cast.beta.by("runtime", "alice"), cast.acme.paul):
        response = send(caller, method, params)
        assert response.status_code == 200
        # The address that was asked for comes back; nothing else of it does.
        told = text_of(response).replace(str(params.get("uri")), "")
        assert not any(one in told for one in everything_of_alices(scene))


# --- people and forms ------------------------------------------------------------------------------------------------


def test_a_session_without_its_token_changes_nothing(cast: Cast, scene: Any) -> None:
    """T27: every method that changes something needs the CSRF token; a key never comes from a cookie."""
    guarded = cast.acme.person("alice", enforce_csrf_checks=True)
    for row in ROWS:
        if row.method in ("POST", "PATCH", "DELETE"):
            response = ask(guarded, row, scene)
            assert response.status_code == (403 if row.takes_sessions else 401), str(row)
    assert guarded.get("/memories").status_code == 200


def test_sign_in_pages_need_the_token_too(db: None) -> None:
    client = Client(enforce_csrf_checks=True)
    for route in routes(get_resolver().url_patterns):
        if THIRD_PARTY.match(route) and "<" not in route and "confirm-email" not in route:
            assert client.post(f"/{route}").status_code in (302, 403, 405), route


def test_a_person_sees_only_what_is_theirs(cast: Cast, scene: Any) -> None:
    """The same wall for people's own sessions as for agents."""
    for company, name in ((cast.acme, "paul"), (cast.beta, "bob"), (cast.beta, "alice")):
        person = company.person(name)
        for row in ROWS:
            if row.ids and row.scope in (Scope.READ, Scope.RECALL, Scope.PROPOSE, Scope.FORGET, Scope.RELAY):
                assert ask(person, row, scene).status_code == (404 if row.takes_sessions else 401), str(row)
            elif row.method == "GET":
                assert scene.secret_word not in text_of(ask(person, row, scene))
