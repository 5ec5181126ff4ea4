"""Which policy decides for the active tenant: its newest active version, else the default."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.db.models import Max

from accounts import audit, tenancy
from accounts.errors import Unavailable
from accounts.prepared import Prepared
from accounts.principals import Principal
from memories.models import PolicyVersion
from memories.policy import Policy, PolicyError, default_document, load, merge

DEFAULT_VERSION = 1
_ACTIVE = Prepared(lambda: PolicyVersion.objects.filter(is_active=True).values_list("pk", "version"))


def active() -> Policy:
    """The active policy. A version never changes, so its parsed form is kept.

    Raises Unavailable when the stored document no longer fits the code: nothing is decided under a policy half read.
    """
    row = _ACTIVE.first()
    if row is None:
        return _default()
    try:
        return _parsed(*row)
    except PolicyError as error:
        raise Unavailable(code="policy_invalid") from error


def activate(principal: Principal, overrides: Mapping[str, Any] | None) -> PolicyVersion:
    """Make a new version the active one: the default with these top-level fields replaced.

    Raises PolicyError when the document is invalid; the policy in force stays. The same document again makes no
    version.
    """
    document = merge(default_document(), overrides or {})
    load(document)
    with tenancy.atomic():
        standing = PolicyVersion.objects.select_for_update().filter(is_active=True).first()
        if standing is not None and standing.document == document:
            return standing
        newest = PolicyVersion.objects.aggregate(version=Max("version"))["version"] or 0
        PolicyVersion.objects.filter(is_active=True).update(is_active=False)
        made = PolicyVersion.objects.create(
            version=newest + 1, document=document, is_active=True, created_by=principal.actor_id
        )
        audit.record(
            principal, "policy.activate", target="policy", target_id=made.pk, details={"version": made.version}
        )
    return made


@lru_cache(maxsize=1)
def _default() -> Policy:
    return load(default_document(), version=DEFAULT_VERSION)


@lru_cache(maxsize=256)
def _parsed(pk: uuid.UUID, version: int) -> Policy:
    document = PolicyVersion.objects.values_list("document", flat=True).get(pk=pk)
    # What the document is too old to name is as in the default.
    return load(merge(default_document(), document), version=version)
