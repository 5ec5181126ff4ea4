"""Destroying the keys of what is forgotten as a whole: a namespace, a person, a tenant. It reaches every backup too.

The verb begins a new key under its lock, so that nothing written afterwards is lost with the old one; what the purge
finds to be gone from every store loses its key.
"""

from __future__ import annotations

import uuid

from accounts import tenancy
from memories.encryption import keys, recrypting
from memories.models import Erasure


def retire(erasure: Erasure) -> None:
    """Note which keys go with this forgetting. Other scopes leave texts under the same keys, and theirs stay."""
    if not keys.configured() or erasure.scope not in Erasure.WHOLE:
        return
    tenant_id = tenancy.current_id()
    going = {owner: generation for owner in _owners(erasure) if (generation := keys.renew(tenant_id, owner))}
    for owner in going:
        recrypting.keep_what_stays(owner)
    erasure.key_generations = {str(owner): generation for owner, generation in going.items()}


def destroy(erasure: Erasure) -> None:
    """Destroy the keys that go with a forgetting. Raises KeyUnavailable when the store is away: to be tried again."""
    gone = 0
    for owner, generation in erasure.key_generations.items():
        with tenancy.atomic():
            recrypting.keep_what_stays(uuid.UUID(owner))  # what was attested while it was being forgotten
        gone += keys.destroy(erasure.tenant_id, uuid.UUID(owner), generation)
    if gone:
        erasure.counts["keys"] = erasure.counts.get("keys", 0) + gone
        Erasure.objects.filter(pk=erasure.pk).update(counts=erasure.counts)


def _owners(erasure: Erasure) -> list[uuid.UUID]:
    match erasure.scope:
        case Erasure.Scope.TENANT:
            return keys.owners(tenancy.current_id())
        case Erasure.Scope.PERSON:
            return [erasure.target_id] if erasure.target_id else []
    return [keys.owner_of(erasure.target_id)] if erasure.target_id else []
