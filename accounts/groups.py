"""The people of an organisation and of its teams and projects: who belongs, who keeps it, who leaves.

A maintainer of a group or an administrator of the organisation decides; everyone may leave. What is taken ends at the
next request: no right is kept anywhere but in these rows.
"""

from __future__ import annotations

import uuid

from django.db.models import Q, QuerySet

from accounts import audit, tenancy
from accounts.errors import Conflict, Forbidden, InvalidInput, NotVisible
from accounts.models import AgentSubject, Group, GroupMember, Membership
from accounts.principals import Principal, Role


def visible(principal: Principal) -> QuerySet[Group]:
    """The groups the person belongs to; for an administrator all."""
    rows = Group.objects.order_by("type", "slug")
    return rows if _administers(principal) else rows.filter(memberships__membership_id=principal.subject_id)


def get(principal: Principal, group_id: uuid.UUID) -> Group:
    found = visible(principal).filter(pk=group_id).first()
    if found is None:
        raise NotVisible
    return found


def may_manage(principal: Principal, group: Group) -> bool:
    """Whether the person decides who belongs to a group."""
    return _administers(principal) or _place(group, principal.subject_id, is_maintainer=True) is not None


def members(group: Group) -> QuerySet[GroupMember]:
    rows = GroupMember.objects.filter(group=group, membership__is_active=True)
    return rows.select_related("membership").order_by("-is_maintainer", "membership__name", "membership__external_id")


def candidates(group: Group) -> QuerySet[Membership]:
    """The people of the organisation who could be added."""
    inside = GroupMember.objects.filter(group=group).values("membership_id")
    return Membership.objects.filter(is_active=True).exclude(pk__in=inside).order_by("name", "external_id")


def create(principal: Principal, type_: str, slug: str, name: str) -> Group:
    """A new team or project, kept by who makes it. For administrators."""
    require_admin(principal)
    with tenancy.atomic():
        group, made = Group.objects.get_or_create(type=type_, slug=slug, defaults={"name": name})
        if not made:
            raise InvalidInput.field("slug", "There is one of this name already.", "taken")
        GroupMember.objects.create(group=group, membership_id=principal.subject_id, is_maintainer=True)
        audit.record(principal, "group.create", target="group", target_id=group.pk, details={"type": type_})
    return group


def add(principal: Principal, group_id: uuid.UUID, person_id: uuid.UUID) -> None:
    """Let a person of the organisation into a group."""
    with tenancy.atomic():
        group = _managed(principal, group_id)
        person = candidates(group).filter(pk=person_id).first()
        if person is None:
            raise InvalidInput.field(
                "person", "Choose someone of the organisation who is not in it yet.", "unknown_person"
            )
        GroupMember.objects.create(group=group, membership=person)
        _note(principal, "group.add", group, person.pk)


def set_maintainer(principal: Principal, group_id: uuid.UUID, person_id: uuid.UUID, is_maintainer: bool) -> None:
    """Let a member keep the group, or no longer. Its last maintainer stays one."""
    with tenancy.atomic():
        group = _managed(principal, group_id)
        place = _place(group, person_id)
        if place is None:
            raise NotVisible
        if not is_maintainer:
            _require_another(group, place)
        place.is_maintainer = is_maintainer
        place.save(update_fields=["is_maintainer"])
        _note(principal, "group.role", group, person_id, maintainer=is_maintainer)


def remove(principal: Principal, group_id: uuid.UUID, person_id: uuid.UUID) -> None:
    """Take a person out of a group, or leave it oneself. Its last maintainer can do neither."""
    with tenancy.atomic():
        is_own = person_id == principal.subject_id
        group = _locked(get(principal, group_id)) if is_own else _managed(principal, group_id)
        place = _place(group, person_id)
        if place is None:
            raise NotVisible
        _require_another(group, place)
        place.delete()
        _note(principal, "group.leave" if is_own else "group.remove", group, person_id)


def people(principal: Principal) -> QuerySet[Membership]:
    """Everyone of the organisation, for administrators."""
    require_admin(principal)
    return Membership.objects.filter(is_active=True).select_related("user").order_by("name", "external_id")


def person(principal: Principal, person_id: uuid.UUID) -> Membership:
    """One of the organisation's people; for all but administrators there is nobody."""
    found = people(principal).filter(pk=person_id).first() if _administers(principal) else None
    if found is None:
        raise NotVisible
    return found


def set_roles(principal: Principal, person_id: uuid.UUID, roles: list[str]) -> None:
    """What a person may do in the organisation. Its last administrator stays one."""
    if not roles or not set(roles) <= set(Role):
        raise InvalidInput.field("roles", "Choose at least one of the roles.", "unknown_role")
    with tenancy.atomic():
        person = _person(principal, person_id)
        if Role.ADMIN not in roles:
            _require_another_admin(person)
        person.roles = sorted(roles)
        person.save(update_fields=["roles"])
        audit.record(
            principal, "person.roles", target="membership", target_id=person.pk, details={"roles": person.roles}
        )


def dismiss(principal: Principal, person_id: uuid.UUID) -> None:
    """End a membership: at the next request the person, their tokens and the agents they own are refused.

    What is remembered about them stays until they or an administrator have it forgotten. Only an invitation lets them
    come back, and then without their groups.
    """
    with tenancy.atomic():
        person = _person(principal, person_id)
        _require_another_admin(person)
        for place in GroupMember.objects.select_related("group").filter(membership=person, is_maintainer=True):
            _require_another(_locked(place.group), place)
        GroupMember.objects.filter(membership=person).delete()
        AgentSubject.objects.filter(membership=person).delete()
        person.is_active = False
        person.save(update_fields=["is_active"])
        audit.record(principal, "person.dismiss", target="membership", target_id=person.pk)


def require_admin(principal: Principal) -> None:
    if not _administers(principal):
        raise Forbidden("Only an administrator may do that.", code="not_an_admin")


def _administers(principal: Principal) -> bool:
    return principal.is_person and principal.has_role(Role.ADMIN)


def _managed(principal: Principal, group_id: uuid.UUID) -> Group:
    """A group the person decides about, locked: of two who leave at once one is the last."""
    group = _locked(get(principal, group_id))
    if not may_manage(principal, group):
        raise Forbidden("Only an administrator or a maintainer may do that.", code="not_a_maintainer")
    return group


def _locked(group: Group) -> Group:
    return Group.objects.select_for_update().get(pk=group.pk)


def _place(group: Group, person_id: uuid.UUID | None, **more: bool) -> GroupMember | None:
    return GroupMember.objects.filter(group=group, membership_id=person_id, **more).first()


def _require_another(group: Group, place: GroupMember) -> None:
    others = GroupMember.objects.filter(group=group, is_maintainer=True, membership__is_active=True)
    if place.is_maintainer and not others.exclude(pk=place.pk).exists():
        raise Conflict("The last maintainer stays until another one is named.", code="last_maintainer")


def _person(principal: Principal, person_id: uuid.UUID) -> Membership:
    """A person of the organisation whose administrators are locked meanwhile."""
    require_admin(principal)
    everyone = list(Membership.objects.select_for_update().filter(Q(pk=person_id) | Q(roles__icontains=Role.ADMIN)))
    found = next((one for one in everyone if one.pk == person_id and one.is_active), None)
    if found is None:
        raise NotVisible
    return found


def _require_another_admin(person: Membership) -> None:
    if not person.has_role(Role.ADMIN):
        return
    others = Membership.objects.filter(is_active=True).exclude(pk=person.pk)
    if not any(one.has_role(Role.ADMIN) for one in others):
        raise Conflict("The last administrator stays until another one is named.", code="last_admin")


def _note(principal: Principal, action: str, group: Group, person_id: uuid.UUID, **details: object) -> None:
    audit.record(principal, action, target="group", target_id=group.pk, details={"person": str(person_id), **details})
