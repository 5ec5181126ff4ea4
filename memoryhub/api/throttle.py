"""Rate limits per caller."""

from __future__ import annotations

import time
from typing import ClassVar

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts import secrets
from accounts.principals import Principal


class CallerRateThrottle(BaseThrottle):
    """A fixed window per credential, counted atomically in the cache. Headers follow the IETF RateLimit draft."""

    PERIODS: ClassVar[dict[str, int]] = {"sec": 1, "min": 60, "hour": 3600, "day": 86400}

    def allow_request(self, request: Request, view: APIView) -> bool:
        allowed, _, period = settings.MEMORYHUB_THROTTLE_RATE.partition("/")
        limit, seconds = int(allowed), self.PERIODS[period]
        window, passed = divmod(int(time.time()), seconds)
        key = secrets.digest("throttle", self._caller(request), str(window))
        cache.add(key, 0, timeout=seconds + 1)
        try:
            count = cache.incr(key)
        except ValueError:
            count = 1
        self.left = seconds - passed
        request.rate_limit_headers = {
            "RateLimit-Policy": f'"caller";q={limit};w={seconds}',
            "RateLimit": f'"caller";r={max(0, limit - count)};t={self.left}',
        }
        return count <= limit

    def wait(self) -> float:
        return float(self.left)

    @staticmethod
    def _caller(request: Request) -> str:
        principal = vars(request).get("_auth")  # not `request.auth`: a refused credential would be refused again
        if isinstance(principal, Principal):
            return f"{principal.actor_id} {principal.credential_id}"
        return str(request.META.get("REMOTE_ADDR", ""))
