"""The back office: rows of the reader's own tenant as ids, codes and times. Nothing can be changed there."""

from __future__ import annotations

import contextlib
from typing import Any, ClassVar

from allauth.account.admin import EmailAddress, EmailConfirmation
from allauth.account.decorators import secure_admin_login
from allauth.mfa.admin import Authenticator
from django.contrib import admin, messages
from django.contrib.auth.admin import Group as AuthGroup
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts import errands, tenancy
from accounts.authentication import person_principal
from accounts.errors import Conflict
from accounts.models import (
    Agent,
    AgentKey,
    AuditCheckpoint,
    AuditEvent,
    AuditSeal,
    Delegation,
    Group,
    Membership,
    PersonalToken,
    Tenant,
    User,
)
from accounts.principals import Principal

for theirs in (AuthGroup, EmailAddress, EmailConfirmation, Authenticator):
    if admin.site.is_registered(theirs):
        admin.site.unregister(theirs)  # these forms would change accounts without an event in the audit
admin.site.site_header = admin.site.site_title = "MemoryHub"
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # second factor and rate limits


class MetadataAdmin(admin.ModelAdmin):
    """Shows the named columns of the active tenant's rows and nothing else; names no column that holds text."""

    shown: ClassVar[tuple[str, ...]] = ()
    actions = None
    list_display_links = ("id",)  # the last column: what people look for stands first
    list_per_page = 50
    show_full_result_count = False

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        return (*self.shown, "id")

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("id", *self.shown)

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        """The rows of the active tenant; without one there are none, and the views say so."""
        everything = getattr(self.model, "everywhere", self.model._default_manager)
        tenant_id = tenancy.active_id()
        return everything.none() if tenant_id is None else self.of_tenant(everything.all(), tenant_id)

    def of_tenant(self, rows: QuerySet, tenant_id: Any) -> QuerySet:
        return rows.filter(tenant_id=tenant_id).order_by("-pk")

    def has_add_permission(self, request: HttpRequest, *args: object) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changelist_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        return super().changelist_view(request, *args, **options) if tenancy.active_id() else self._no_tenant(request)

    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        return super().changeform_view(request, *args, **options) if tenancy.active_id() else self._no_tenant(request)

    def _no_tenant(self, request: HttpRequest) -> HttpResponse:
        return TemplateResponse(
            request, "admin/no_tenant.html", self.admin_site.each_context(request), status=403
        ).render()


class ErrandAdmin(MetadataAdmin):
    """Work that is done later: what failed is shown with the reason, and can be tried again."""

    actions = ("try_again",)

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        return (*self.shown, "actor", "attempts", "error", "claimed_until", "created_at", "finished_at", "id")

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        asked = ("actor", "actor_id", "subject_id", "agent_id", "language", "attempts", "error", "claimed_until")
        return ("id", *self.shown, *asked, "created_at", "started_at", "finished_at", "expires_at")

    def retry(self, principal: Principal, errand: Any) -> None:
        """Make it due again. Raises Conflict when it did not fail."""
        errands.retry(principal, errand)

    @admin.action(description=_("Try the chosen ones that failed again"), permissions=["view"])
    def try_again(self, request: HttpRequest, chosen: QuerySet[Any]) -> None:
        membership = Membership.objects.get(user_id=request.user.pk)
        principal = person_principal(request, membership)
        again = 0
        for errand in chosen:
            with contextlib.suppress(Conflict):
                self.retry(principal, errand)
                again += 1
        if again:
            self.message_user(request, ngettext("%d is tried again.", "%d are tried again.", again) % again)
        else:
            self.message_user(request, _("None of the chosen ones had failed."), messages.WARNING)


@admin.register(AuditEvent)
class AuditEventAdmin(MetadataAdmin):
    shown = ("at", "action", "outcome", "reason", "actor", "actor_id", "subject_id", "target", "target_id")
    list_filter = ("action", "outcome", "actor")
    date_hierarchy = "at"

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return (*super().get_fields(request, obj), "request_id", "details")


@admin.register(AuditSeal)
class AuditSealAdmin(MetadataAdmin):
    shown = ("sequence", "event")


@admin.register(AuditCheckpoint)
class AuditCheckpointAdmin(MetadataAdmin):
    shown = ("sequence", "until", "made_at")


@admin.register(Tenant)
class TenantAdmin(MetadataAdmin):
    shown = ("slug", "name", "time_zone", "encrypts", "created_at")

    def of_tenant(self, rows: QuerySet, tenant_id: Any) -> QuerySet:
        return rows.filter(pk=tenant_id)


@admin.register(User)
class UserAdmin(MetadataAdmin):
    shown = ("email", "language", "is_active", "is_staff", "is_superuser", "last_login", "date_joined")

    def of_tenant(self, rows: QuerySet, tenant_id: Any) -> QuerySet:
        return rows.filter(memberships__tenant_id=tenant_id).order_by("-pk")


@admin.register(Membership)
class MembershipAdmin(MetadataAdmin):
    shown = ("external_id", "user", "roles", "time_zone", "is_active", "created_at")


@admin.register(Group)
class GroupAdmin(MetadataAdmin):
    shown = ("type", "slug", "created_at")


@admin.register(Agent)
class AgentAdmin(MetadataAdmin):
    shown = ("slug", "owner", "acts_for_everyone", "is_active", "created_at")


@admin.register(AgentKey)
class AgentKeyAdmin(MetadataAdmin):
    shown = ("prefix", "agent", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at")


@admin.register(PersonalToken)
class PersonalTokenAdmin(MetadataAdmin):
    shown = ("prefix", "membership", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at")


@admin.register(Delegation)
class DelegationAdmin(MetadataAdmin):
    shown = ("prefix", "key", "membership", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at")
