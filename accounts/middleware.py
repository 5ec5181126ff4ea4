"""The frame of a request: no tenant before the door has found one, none left behind afterwards."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from accounts import tenancy
from accounts.models import Membership
from accounts.signing_in import memberships

SESSION_MEMBERSHIP = "memoryhub_membership"
CREDENTIAL_DOORS = ("/api/", "/mcp")  # which find out the tenant themselves


class TenantMiddleware:
    """Opens and closes the tenant frame; for a signed-in person enters the tenant chosen in the session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with tenancy.entered(None):
            request.membership, request.memberships = None, []  # type: ignore[attr-defined]
            if request.user.is_authenticated and not request.path.startswith(CREDENTIAL_DOORS):
                self._enter_chosen(request)
            return self.get_response(request)

    def _enter_chosen(self, request: HttpRequest) -> None:
        mine = memberships(request.user)
        membership = _chosen(request, mine)
        if membership is not None:
            request.membership, request.memberships = membership, mine  # type: ignore[attr-defined]
            tenancy.enter(membership.tenant_id)


def chosen_membership(request: HttpRequest) -> Membership | None:
    """The membership a signed-in person works under: the one chosen in the session, else their first."""
    return _chosen(request, memberships(request.user))


def _chosen(request: HttpRequest, mine: list[Membership]) -> Membership | None:
    chosen = request.session.get(SESSION_MEMBERSHIP)
    return next((one for one in mine if str(one.pk) == chosen), mine[0] if mine else None)
