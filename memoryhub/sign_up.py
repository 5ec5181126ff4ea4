"""Who may open an account."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import invitations
from accounts.errors import NotVisible
from accounts.member_views import SESSION_INVITATION
from accounts.models import Invitation


class AccountAdapter(DefaultAccountAdapter):
    """Closed unless the host opens it, or whoever comes has followed the link of an open invitation."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.MEMORYHUB_OPEN_SIGN_UP) or _invitation(request) is not None

    def clean_email(self, email: str) -> str:
        """Where only an invitation opens the door, the account is for the invited address."""
        address = super().clean_email(email)
        if not settings.MEMORYHUB_OPEN_SIGN_UP and self.request.path == reverse("account_signup"):
            invitation = _invitation(self.request)
            if invitation is None or invitation.email != address.lower():
                raise ValidationError(_("The invitation is for another address."), code="other_address")
        return str(address)


def _invitation(request: HttpRequest) -> Invitation | None:
    """The open invitation whose link this browser has followed."""
    token = request.session.get(SESSION_INVITATION)
    try:
        return invitations.by_token(token) if token else None
    except NotVisible:
        return None
