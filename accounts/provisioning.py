"""Tenants, people, groups, agents and keys from one document; carried out again it changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from allauth.account.models import EmailAddress

from accounts import audit, keys, secrets, tenancy
from accounts.errors import FieldError, InvalidInput
from accounts.models import Agent, AgentGroup, AgentKey, AgentSubject, Group, GroupMember, Membership, Tenant, User
from accounts.principals import Role, Scope, system

Document = Mapping[str, Any]


def provision_tenant(document: Document, place: str) -> tuple[Tenant, dict[str, str]]:
    """One tenant with everything in it: (tenant, new key secrets by "<tenant>/<agent>/<key>"). The caller enters none.

    Raises InvalidInput naming the place of a wrong name. What the document does not name stays as it is; what people
    may do and which groups and agents they belong to is set to exactly what it says.
    """
    tenant, made = Tenant.objects.get_or_create(
        slug=document["slug"], defaults={"name": document.get("name") or document["slug"]}
    )
    with tenancy.entered(tenant.pk), tenancy.atomic():
        people = {row["external_id"]: _person(row) for row in document.get("people", ())}
        people |= {
            person.external_id: person for person in Membership.objects.all() if person.external_id not in people
        }
        groups: dict[tuple[str, str], Group] = {}
        for type_ in Group.Type:
            for index, row in enumerate(document.get(f"{type_}s", ())):
                groups[type_, row["slug"]] = _group(type_, row, people, f"{place}.{type_}s.{index}")
        made_keys: dict[str, str] = {}
        for index, row in enumerate(document.get("agents", ())):
            agent = _agent(row, people, groups, f"{place}.agents.{index}")
            for position, wanted in enumerate(row.get("keys", ())):
                token = _key(agent, wanted, f"{place}.agents.{index}.keys.{position}")
                if token is not None:
                    made_keys[f"{tenant.slug}/{agent.slug}/{wanted['name']}"] = str(token)
        audit.record(
            system(tenant.pk),
            "tenant.provision",
            target="tenant",
            target_id=tenant.pk,
            details={
                "created": made,
                "people": len(people),
                "agents": len(document.get("agents", ())),
                "keys": len(made_keys),
            },
        )
    return tenant, made_keys


def _person(row: Document) -> Membership:
    email = row["email"].lower()
    user = User.objects.filter(email=email).first()
    if user is None:
        user = User.objects.create_user(email, row.get("password"))
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    elif row.get("password") and not user.has_usable_password():
        user.set_password(row["password"])
        user.save(update_fields=["password"])
    person, _ = Membership.objects.update_or_create(
        external_id=row["external_id"],
        defaults={
            "user": user,
            "name": row.get("name", ""),
            "roles": list(row.get("roles") or [Role.MEMBER.value]),
            "time_zone": row.get("time_zone", ""),
        },
    )
    return person


def _group(type_: str, row: Document, people: Mapping[str, Membership], place: str) -> Group:
    group, _ = Group.objects.get_or_create(type=type_, slug=row["slug"], defaults={"name": row.get("name", "")})
    maintainers = set(row.get("maintainers", ()))
    wanted = {
        name: _named(people, name, f"{place}.members")
        for name in dict.fromkeys([*row.get("members", ()), *maintainers])
    }
    GroupMember.objects.filter(group=group).exclude(membership__in=wanted.values()).delete()
    for name, person in wanted.items():
        GroupMember.objects.update_or_create(
            group=group, membership=person, defaults={"is_maintainer": name in maintainers}
        )
    return group


def _agent(
    row: Document, people: Mapping[str, Membership], groups: Mapping[tuple[str, str], Group], place: str
) -> Agent:
    acts_for = row.get("acts_for", [])
    wanted = {
        "owner": _named(people, row["owner"], f"{place}.owner"),
        "name": row.get("name", ""),
        "acts_for_everyone": acts_for == "*",
    }
    if Agent.objects.filter(slug=row["slug"], owner__is_active=False).exists():
        wanted["is_active"] = True  # it had stopped because nobody answered for it
    agent, _ = Agent.objects.update_or_create(slug=row["slug"], defaults=wanted)
    subjects = [] if acts_for == "*" else [_named(people, name, f"{place}.acts_for") for name in acts_for]
    AgentSubject.objects.filter(agent=agent).exclude(membership__in=subjects).delete()
    for person in subjects:
        AgentSubject.objects.get_or_create(agent=agent, membership=person)
    works_in = [
        _named(groups, (type_.value, slug), f"{place}.{type_}s")
        for type_ in Group.Type
        for slug in row.get(f"{type_}s", ())
    ]
    AgentGroup.objects.filter(agent=agent).exclude(group__in=works_in).delete()
    for group in works_in:
        AgentGroup.objects.get_or_create(agent=agent, group=group)
    return agent


def _key(agent: Agent, wanted: Document, place: str) -> secrets.Token | None:
    """The secret of a new key. None when the agent has a live key of this name: its scopes then follow the document."""
    scopes = sorted(wanted["scopes"])
    if not set(scopes) <= set(Scope):
        raise InvalidInput.field(f"{place}.scopes", "There is no such scope.", "unknown_scope")
    living = AgentKey.objects.filter(agent=agent, name=wanted["name"], revoked_at=None)
    if living.exists():
        living.update(scopes=scopes)
        return None
    return keys.create(system(agent.tenant_id), agent, wanted["name"], scopes)


def _named(known: Mapping[Any, Any], name: Any, place: str) -> Any:
    if name not in known:
        raise InvalidInput(errors=[FieldError(place, "unknown_name", "It names something that does not exist.")])
    return known[name]
