"""The pages of an organisation's people, of its teams and projects, and of invitations."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import groups, invitations
from accounts.errors import Conflict, Forbidden, InvalidInput, NotVisible
from accounts.forms import GroupForm, InvitationForm, PersonForm, RolesForm
from accounts.middleware import SESSION_MEMBERSHIP
from accounts.models import Group, Invitation
from accounts.pages import person_page, problem_page, use_own_language
from accounts.principals import Principal, Role

form_page = require_http_methods(["GET", "HEAD", "POST"])
SESSION_INVITATION = "memoryhub_invitation"


@require_safe
@person_page
def show_members(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Everyone of the organisation and who is invited; for administrators."""
    return render(request, "members/list.html", _members(principal))


@form_page
@person_page
def change_member(request: HttpRequest, principal: Principal, person_id: uuid.UUID) -> HttpResponse:
    """What one person may do."""
    person = groups.person(principal, person_id)
    form = RolesForm(request.POST or None, initial={"roles": person.roles})
    if form.is_valid() and _done(form, lambda: groups.set_roles(principal, person_id, form.cleaned_data["roles"])):
        messages.success(request, _("The rights hold from the next request on."))
        return redirect("members")
    shown = {"person": person, "form": form}
    return render(request, "members/person.html", shown, status=400 if form.is_bound else 200)


@form_page
@person_page
def dismiss_member(request: HttpRequest, principal: Principal, person_id: uuid.UUID) -> HttpResponse:
    """First what it means, then it ends."""
    person = groups.person(principal, person_id)
    if request.method == "POST":
        groups.dismiss(principal, person_id)
        messages.success(request, _("This person no longer belongs to the organisation."))
        return redirect("members")
    return render(request, "members/dismiss.html", {"person": person})


@require_safe
@person_page
def show_groups(request: HttpRequest, principal: Principal) -> HttpResponse:
    """The teams and projects one belongs to; for administrators all, and the way to a new one."""
    shown = {"groups": groups.visible(principal), "is_admin": principal.has_role(Role.ADMIN)}
    return render(request, "members/groups.html", shown)


@form_page
@person_page
def create_group(request: HttpRequest, principal: Principal) -> HttpResponse:
    groups.require_admin(principal)
    form = GroupForm(request.POST or None)
    if form.is_valid():
        given = form.cleaned_data
        made: list[Group] = []
        if _done(form, lambda: made.append(groups.create(principal, given["type"], given["slug"], given["name"]))):
            return redirect("group", made[0].pk)
    return render(request, "members/group_new.html", {"form": form}, status=400 if form.is_bound else 200)


@require_safe
@person_page
def show_group(request: HttpRequest, principal: Principal, group_id: uuid.UUID) -> HttpResponse:
    return render(request, "members/group.html", _group(principal, groups.get(principal, group_id)))


@require_POST
@person_page
def add_to_group(request: HttpRequest, principal: Principal, group_id: uuid.UUID) -> HttpResponse:
    group = groups.get(principal, group_id)
    form = PersonForm(request.POST, people=groups.candidates(group))
    if form.is_valid() and _done(form, lambda: groups.add(principal, group_id, form.cleaned_data["person"].pk)):
        messages.success(request, _("The person belongs to it now."))
        return redirect("group", group_id)
    return render(request, "members/group.html", _group(principal, group, person_form=form), status=400)


@require_POST
@person_page
def set_maintainer(
    request: HttpRequest, principal: Principal, group_id: uuid.UUID, person_id: uuid.UUID
) -> HttpResponse:
    groups.set_maintainer(principal, group_id, person_id, request.POST.get("maintainer") == "yes")
    messages.success(request, _("The rights hold from the next request on."))
    return redirect("group", group_id)


@require_POST
@person_page
def remove_from_group(
    request: HttpRequest, principal: Principal, group_id: uuid.UUID, person_id: uuid.UUID
) -> HttpResponse:
    groups.remove(principal, group_id, person_id)
    is_own = person_id == principal.subject_id
    messages.success(request, _("You have left.") if is_own else _("The person no longer belongs to it."))
    return redirect("groups" if is_own else "group", *([] if is_own else [group_id]))


@require_POST
@person_page
def invite(request: HttpRequest, principal: Principal, group_id: uuid.UUID | None = None) -> HttpResponse:
    """Invite an address, into the organisation or straight into one of its groups."""
    into = groups.get(principal, group_id) if group_id else None
    form = InvitationForm(request.POST, groups=groups.visible(principal), into=into)
    group = into or (form.cleaned_data["group"] if form.is_valid() else None)
    invitations.require_inviter(principal, group)
    if form.is_valid():
        given = form.cleaned_data
        if _done(form, lambda: invitations.invite(principal, given["email"], given["role"], group)):
            messages.success(request, _("The invitation is on its way."))
            return redirect("group", into.pk) if into else redirect("members")
    if into is not None:
        return render(request, "members/group.html", _group(principal, into, invitation_form=form), status=400)
    return render(request, "members/list.html", _members(principal, invitation_form=form), status=400)


@require_POST
@person_page
def resend_invitation(request: HttpRequest, principal: Principal, invitation_id: uuid.UUID) -> HttpResponse:
    found = invitations.send_again(principal, invitation_id)
    messages.success(request, _("A new link is on its way; the one before opens nothing any more."))
    return _back(found)


@require_POST
@person_page
def revoke_invitation(request: HttpRequest, principal: Principal, invitation_id: uuid.UUID) -> HttpResponse:
    found = invitations.revoke(principal, invitation_id)
    messages.success(request, _("The invitation is taken back."))
    return _back(found)


@never_cache
@form_page
def show_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """What one is invited to, for whoever has the link; signed in with the invited address, one can join."""
    use_own_language(request)
    try:
        found = invitations.by_token(token)
        if request.method == "POST" and request.user.is_authenticated:
            person = invitations.accept(request.user, token, str(getattr(request, "request_id", "")))
            request.session[SESSION_MEMBERSHIP] = str(person.pk)
            request.session.pop(SESSION_INVITATION, None)
            messages.success(request, _("Welcome! You belong to it now."))
            return redirect("home")
    except NotVisible:
        raise Http404 from None
    except (Forbidden, Conflict) as error:
        return problem_page(request, error)
    request.session[SESSION_INVITATION] = token
    if not request.user.is_authenticated:
        get_adapter().stash_verified_email(request, found.email)
    fits = request.user.is_authenticated and request.user.email.lower() == found.email
    return render(request, "members/invitation.html", {"invitation": found, "fits": fits, "token": token})


def _back(invitation: Invitation) -> HttpResponse:
    return redirect("group", invitation.group_id) if invitation.group_id else redirect("members")


def _members(principal: Principal, **forms: Any) -> dict[str, Any]:
    return {
        "people": groups.people(principal),
        "invitations": invitations.waiting(principal),
        "invitation_form": InvitationForm(groups=groups.visible(principal)),
        "me": principal.subject_id,
        **forms,
    }


def _group(principal: Principal, group: Group, **forms: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "group": group,
        "places": groups.members(group),
        "me": principal.subject_id,
        "manages": groups.may_manage(principal, group),
    }
    if shown["manages"]:
        shown["invitations"] = invitations.waiting(principal, group)
        shown["person_form"] = PersonForm(people=groups.candidates(group))
        shown["invitation_form"] = InvitationForm(groups=groups.visible(principal), into=group)
    return shown | forms


def _done(form: Any, verb: Callable[[], object]) -> bool:
    """Carry a verb out; what it refuses about the input stands in the form."""
    try:
        verb()
    except (InvalidInput, Conflict) as error:
        form.add_error(None, _(error.detail))
        return False
    return True
