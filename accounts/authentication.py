"""The only place where credentials become a Principal."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts import secrets, tenancy
from accounts.calls import UsedCredential
from accounts.errors import InvalidInput, NotVisible
from accounts.middleware import chosen_membership
from accounts.models import Agent, AgentKey, Credential, Delegation, Membership, PersonalToken, User
from accounts.prepared import Prepared
from accounts.principals import PERSON_SCOPES, ActorKind, Principal, Role, Scope

AGENT_KEY, DELEGATION, PERSONAL = "k", "d", "p"
LAST_USE_RESOLUTION = timedelta(minutes=1)
NAME_LIMIT = 128


class AgentKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer mh_…`: an agent key, a delegation or a personal token."""

    words: tuple[bytes, ...] = (b"bearer",)

    def authenticate(self, request: Request) -> tuple[Any, Principal] | None:
        header = get_authorization_header(request).split()
        if not header or header[0].lower() not in self.words:
            return None
        token = secrets.parse_token(header[1].decode("latin-1")) if len(header) == 2 else None
        credential = _credential(token) if token else None
        if credential is not None:
            request._request.used_credential = _used(credential)  # type: ignore[attr-defined]
        if credential is None or not _is_live(credential, timezone.now()):
            raise AuthenticationFailed(code="invalid_credential")
        tenancy.enter(credential.tenant_id)
        _note_use(credential)
        match credential:
            case AgentKey():
                return None, _agent_principal(request, credential.agent, credential)
            case Delegation():
                return None, _delegated_principal(request, credential)
            case PersonalToken():
                return None, _person_principal(request, credential.membership, credential)
        raise AuthenticationFailed(code="invalid_credential")

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="memoryhub"'


class TokenKeyAuthentication(AgentKeyAuthentication):
    """The same credentials from clients that send `Authorization: Token mh_…`."""

    words = (b"bearer", b"token")


class PersonSessionAuthentication(SessionAuthentication):
    """A signed-in person using the API from the browser; unsafe methods need the CSRF token."""

    def authenticate(self, request: Request) -> tuple[User, Principal] | None:
        signed_in = super().authenticate(request)
        if signed_in is None:
            return None
        membership = chosen_membership(request._request)
        if membership is None:
            return None
        tenancy.enter(membership.tenant_id)
        return signed_in[0], person_principal(request._request, membership)


class AgentKeyScheme(OpenApiAuthenticationExtension):
    target_class = "accounts.authentication.AgentKeyAuthentication"
    name = "agentKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "An agent key, delegation or personal token: `mh_<prefix>_<secret>`.",
        }


class PersonSessionScheme(OpenApiAuthenticationExtension):
    target_class = "accounts.authentication.PersonSessionAuthentication"
    name = "personSession"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        # Under https the cookie carries the prefix __Host-; the document is the same wherever it is made.
        return {"type": "apiKey", "in": "cookie", "name": "memoryhub"}


def person_principal(request: HttpRequest, membership: Membership) -> Principal:
    """The principal of a person at the web pages."""
    return _person_principal(request, membership, None)


_CREDENTIALS: dict[str, Prepared[Any]] = {
    AGENT_KEY: Prepared(lambda prefix: AgentKey.everywhere.filter(prefix=prefix).select_related("agent__owner")),
    DELEGATION: Prepared(
        lambda prefix: Delegation.everywhere.filter(prefix=prefix).select_related("key__agent__owner", "membership")
    ),
    PERSONAL: Prepared(lambda prefix: PersonalToken.everywhere.filter(prefix=prefix).select_related("membership")),
}
_PERSON = Prepared(lambda name: Membership.objects.filter(external_id=name, is_active=True))


def _credential(token: secrets.Token) -> Credential | None:
    """The credential of a token, live or not. Unknown and known prefixes cost the same comparison."""
    found = _CREDENTIALS.get(token.prefix[:1], _CREDENTIALS[AGENT_KEY]).first(prefix=token.prefix)
    proven = secrets.same(found.digest if found else "0" * 64, token.digest)
    return found if found and proven else None


def _is_live(credential: Credential, now: datetime) -> bool:
    if credential.revoked_at is not None or (credential.expires_at is not None and credential.expires_at <= now):
        return False
    match credential:
        case AgentKey():
            return credential.agent.is_active and credential.agent.owner.is_active
        case Delegation():
            return _is_live(credential.key, now) and credential.membership.is_active
        case PersonalToken():
            return credential.membership.is_active
    return False


def _used(credential: Credential) -> UsedCredential:
    """Whose log a call belongs into: that of the key, also where a delegation of it was used."""
    match credential:
        case AgentKey():
            return UsedCredential(credential.tenant_id, credential.pk, credential.agent_id)
        case Delegation():
            return UsedCredential(credential.tenant_id, credential.key_id, credential.key.agent_id)
    return UsedCredential(credential.tenant_id, credential.pk)


def _note_use(credential: Credential) -> None:
    now = timezone.now()
    if credential.last_used_at is None or now - credential.last_used_at >= LAST_USE_RESOLUTION:
        type(credential).objects.filter(pk=credential.pk).update(last_used_at=now)


def _agent_principal(request: Request, agent: Agent, key: AgentKey) -> Principal:
    subject = _subject(agent, request.headers.get("MemoryHub-Subject"))
    return Principal(
        tenant_id=key.tenant_id,
        actor=ActorKind.AGENT,
        actor_id=agent.pk,
        agent_id=agent.pk,
        subject_id=subject.pk if subject else None,
        scopes=frozenset(key.scopes),
        roles=frozenset(subject.roles) if subject else frozenset(),
        credential_id=key.pk,
        **_trace(request),
    )


def _delegated_principal(request: Request, delegation: Delegation) -> Principal:
    named = request.headers.get("MemoryHub-Subject")
    if named is not None and _as_sent(named) != delegation.membership.external_id:
        raise NotVisible
    agent = delegation.key.agent
    if not agent.may_act_for(delegation.membership):
        raise NotVisible
    trace = _trace(request)
    if delegation.run_id:
        trace["run_id"] = delegation.run_id
    return Principal(
        tenant_id=delegation.tenant_id,
        actor=ActorKind.AGENT,
        actor_id=agent.pk,
        agent_id=agent.pk,
        subject_id=delegation.membership_id,
        scopes=frozenset(delegation.scopes) & frozenset(delegation.key.scopes),
        roles=frozenset(delegation.membership.roles),
        credential_id=delegation.pk,
        **trace,
    )


def _person_principal(request: HttpRequest | Request, membership: Membership, token: PersonalToken | None) -> Principal:
    if request.headers.get("MemoryHub-Subject", membership.external_id) != membership.external_id:
        raise NotVisible("There is no such person for this credential.", code="unknown_subject")
    scopes = set(PERSON_SCOPES)
    if membership.has_role(Role.AUDITOR, Role.ADMIN):
        scopes.add(Scope.AUDIT)
    if token is not None:
        scopes &= set(token.scopes)
    return Principal(
        tenant_id=membership.tenant_id,
        actor=ActorKind.PERSON,
        actor_id=membership.pk,
        subject_id=membership.pk,
        scopes=frozenset(scopes),
        roles=frozenset(membership.roles),
        credential_id=token.pk if token else None,
        **_trace(request),
    )


def _subject(agent: Agent, external_id: str | None) -> Membership | None:
    """The person an agent says it acts for: unknown and not-permitted people are one answer."""
    if external_id is None:
        return None if agent.acts_for_everyone else _only_subject(agent)
    if not external_id.strip():
        raise InvalidInput.field("MemoryHub-Subject", "The subject must not be blank.", "blank")
    name = _as_sent(external_id)
    person = None if _has_control_characters(name) else _PERSON.first(name=name)
    if person is None or not agent.may_act_for(person):
        raise NotVisible("There is no such person for this credential.", code="unknown_subject")
    return person


def _only_subject(agent: Agent) -> Membership | None:
    people = list(agent.acts_for.filter(is_active=True)[:2])
    return people[0] if len(people) == 1 else None


def _trace(request: HttpRequest | Request) -> dict[str, str]:
    """Run, thread and request ids; run and thread are checked like any other short text of a caller."""
    trace = {}
    for field, header in (("run_id", "MemoryHub-Run"), ("thread_id", "MemoryHub-Thread")):
        value = _as_sent(request.headers.get(header, ""))
        if _has_control_characters(value):
            raise InvalidInput.field(header, "It holds a character that no text has.", "broken_characters")
        if len(value) > NAME_LIMIT:
            raise InvalidInput.field(header, "It is longer than allowed.", "max_length")
        trace[field] = value
    inner = getattr(request, "_request", request)
    return trace | {"request_id": str(getattr(inner, "request_id", "") or uuid.uuid4())}


def _as_sent(header: str) -> str:
    """The text of a header: WSGI hands its bytes over as Latin-1, and callers send UTF-8."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


def _has_control_characters(text: str) -> bool:
    """No name holds them, and some databases cannot even be asked for them."""
    return any(char < " " or "\x7f" <= char <= "\x9f" for char in text)
