"""What runs beside an agent: clients of a MemoryHub, over HTTP alone. Nothing of the server is imported here."""

from memoryhub.client.errors import (
    Conflict,
    FieldProblem,
    HubError,
    InvalidRequest,
    KeyReused,
    NoMemoryHub,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    RateLimited,
    Stale,
    Unanswered,
    Unavailable,
)
from memoryhub.client.hub import AsyncClient, Client
from memoryhub.client.retrying import Retries

__all__ = [
    "AsyncClient",
    "Client",
    "Conflict",
    "FieldProblem",
    "HubError",
    "InvalidRequest",
    "KeyReused",
    "NoMemoryHub",
    "NotAllowed",
    "NotAuthenticated",
    "NotFound",
    "RateLimited",
    "Retries",
    "Stale",
    "Unanswered",
    "Unavailable",
]
