"""What every REST view shares: strict bodies, scopes, idempotency, rate limits, pages, problem documents."""

from memoryhub.api.paging import Page
from memoryhub.api.reading import MAX_BATCH_BODY, broken_characters, refuse_secrets
from memoryhub.api.view import HubView, PeopleView

__all__ = ["MAX_BATCH_BODY", "HubView", "Page", "PeopleView", "broken_characters", "refuse_secrets"]
