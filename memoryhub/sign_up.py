"""Who may open an account."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    """Closed unless the host opens it: people are added by an administrator or by `provision`."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.MEMORYHUB_OPEN_SIGN_UP)
