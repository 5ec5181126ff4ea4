"""Views of the list that a person keeps: filters under a name, never words they searched for."""

from __future__ import annotations

import uuid

from django.http import QueryDict

from accounts import audit, tenancy
from accounts.errors import InvalidInput
from accounts.principals import Principal, Scope
from memories import access
from memories.access import NamespaceRef
from memories.models import SavedView

MOST = 20
WORDS = "q"


def save(principal: Principal, name: str, query: str) -> SavedView:
    """Keep the filters of a query string; a view of the same name is replaced."""
    principal.require(Scope.READ)
    own = access.area(principal, NamespaceRef("user")).namespace
    filters = QueryDict(query, mutable=True)
    for left_out in (WORDS, "page"):
        filters.pop(left_out, None)
    with tenancy.atomic():
        known = access.saved_views(principal)
        if known.count() >= MOST and not known.filter(name=name).exists():
            raise InvalidInput.field("name", "There are 20 views already; remove one first.", "too_many")
        view, _made = SavedView.objects.update_or_create(
            namespace=own, name=name, defaults={"query": filters.urlencode()}
        )
        audit.record(principal, "view.save", target="view", target_id=view.pk)
    return view


def remove(principal: Principal, view_id: uuid.UUID) -> None:
    view = access.saved_view(principal, view_id)
    with tenancy.atomic():
        audit.record(principal, "view.remove", target="view", target_id=view.pk)
        view.delete()
