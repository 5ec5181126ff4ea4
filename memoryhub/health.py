"""Is the process alive, can it serve, and what has it served. No answer here holds a secret or a text."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from importlib import import_module

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, JsonResponse
from django.views.decorators.http import require_safe

from accounts.models import Tenant
from memories import ledger
from memories.encryption import keys
from memoryhub import metrics

log = structlog.get_logger("memoryhub.health")
LOOPBACK = frozenset({"127.0.0.1", "::1"})
FORWARDED_HEADERS = ("X-Forwarded-For", "Forwarded", "X-Real-Ip")


@require_safe
def livez(_request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(_request: HttpRequest) -> JsonResponse:
    """200 when everything a request depends on works, else 503; one word per check."""
    checks = {name: _outcome(name, check) for name, check in CHECKS.items()}
    ready = all(outcome == "ok" for outcome in checks.values())
    return JsonResponse({"status": "ok" if ready else "unavailable", "checks": checks}, status=200 if ready else 503)


@require_safe
def prometheus(request: HttpRequest) -> HttpResponse:
    """Counts of this process. With the metrics token, or, when none is set, for this machine's own callers."""
    if not _may_read_metrics(request):
        return HttpResponseForbidden("forbidden\n", content_type="text/plain; charset=utf-8")
    lines = [*metrics.requests.lines(), *metrics.event_lines(), ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; version=0.0.4; charset=utf-8")


def _may_read_metrics(request: HttpRequest) -> bool:
    token = settings.MEMORYHUB_METRICS_TOKEN
    if token:
        sent = request.headers.get("Authorization", "")
        return hmac.compare_digest(sent.encode(), f"Bearer {token}".encode())
    through_proxy = settings.MEMORYHUB_TRUST_PROXY or any(name in request.headers for name in FORWARDED_HEADERS)
    return request.META.get("REMOTE_ADDR") in LOOPBACK and not through_proxy


def _outcome(name: str, check: Callable[[], None]) -> str:
    try:
        check()
    except Exception:  # noqa: BLE001 - any failure means "not ready"; the log says where
        log.exception("not_ready", code=name)
        return "failed"
    return "ok"


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


_migrated = False


def _migrations() -> None:
    """All migrations of this code are applied. Once true it stays true for this process."""
    global _migrated
    if _migrated:
        return
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise RuntimeError("migrations are missing")
    _migrated = True


def _cache() -> None:
    cache.set("readyz", 1, 5)
    if cache.get("readyz") != 1:
        raise RuntimeError("the cache forgets")


def _detectors() -> None:
    """What may not be remembered can be recognised; without it every proposal is refused."""
    import_module("memories.sensitivity").warm_up()


def _ledger() -> None:
    """Nothing that the ledger knows as forgotten stands in this database: it is no restored backup."""
    if ledger.missing():
        raise RuntimeError("the database is older than the erasure ledger; manage.py replay_erasures")


def _keys() -> None:
    """Encrypted texts can be opened: the key store is there, and so is the key that wraps the newest data keys."""
    if keys.configured():
        keys.store().check()
    elif Tenant.objects.filter(encrypts=True).exists():
        raise RuntimeError("a tenant encrypts, but MEMORYHUB_KEY_STORE is not set")


CHECKS: dict[str, Callable[[], None]] = {
    "database": _database,
    "migrations": _migrations,
    "cache": _cache,
    "detectors": _detectors,
    "ledger": _ledger,
    "keys": _keys,
}
