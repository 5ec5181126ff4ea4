"""Where a message may go: no address of this machine or its networks, however it is spelled or resolved.

A name is resolved once, every address it has is looked at, and the connection goes to the one that was looked at, so
that a name which answers differently the second time gains nothing.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import httpcore

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

MAX_URL = 500
# These carry an IPv4 address inside, which the network may reach by translating it.
TRANSLATED = [ipaddress.ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")]
METADATA = frozenset({ipaddress.ip_address("168.63.129.16"), ipaddress.ip_address("100.100.100.200")})
"""Public-looking addresses at which clouds answer their machines."""


class Refused(Exception):
    """This address may not be spoken to. Holds a code, never the address."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def check_url(url: str, *, allow_local: bool) -> None:
    """Raise Refused unless it is a plain https address. `allow_local` also lets http through, for one's own machine."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Refused("not_a_url") from None
    if len(url) > MAX_URL or not url.isascii() or any(char <= " " or char == "\\" for char in url):
        raise Refused("not_a_url")
    if parts.scheme != "https" and not (allow_local and parts.scheme == "http"):
        raise Refused("https_required")
    if not parts.hostname or parts.username is not None or parts.password is not None or parts.fragment or port == 0:
        raise Refused("not_a_url")
    literal = _literal(parts.hostname)
    if literal is not None and not allow_local and not is_public(literal):
        raise Refused("address_not_allowed")


def resolve(host: str, port: int, *, allow_local: bool) -> list[str]:
    """The addresses of a host, in the order to try them. Raises Refused when one of them may not be spoken to."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Refused("unknown_host") from None
    addresses = list(dict.fromkeys(str(info[4][0]) for info in found))
    if not addresses:
        raise Refused("unknown_host")
    if not allow_local and not all(is_public(ipaddress.ip_address(one.split("%")[0])) for one in addresses):
        raise Refused("address_not_allowed")
    return addresses


def is_public(address: Address) -> bool:
    """Whether it belongs to the internet at large: not this machine, its networks, a cloud's metadata or a group."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if any(address in net for net in TRANSLATED) or address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved and address not in METADATA


class Pinned(httpcore.NetworkBackend):
    """Connects to addresses that were looked at, and lets no exchange last longer than `seconds` in all."""

    def __init__(self, *, allow_local: bool, seconds: float) -> None:
        self._allow_local = allow_local
        self._ends = time.monotonic() + seconds
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        *others, last = resolve(host, port, allow_local=self._allow_local)
        for address in others:
            try:
                return self._connected(address, port, timeout, local_address, socket_options)
            except httpcore.ConnectError:
                continue
        return self._connected(last, port, timeout, local_address, socket_options)

    def _connected(self, address: str, port: int, timeout: float | None, *options: Any) -> httpcore.NetworkStream:
        return _Timed(self._inner.connect_tcp(address, port, _left(self._ends, timeout), *options), self._ends)


class _Timed(httpcore.NetworkStream):
    """A stream whose every wait ends with the whole exchange."""

    def __init__(self, inner: httpcore.NetworkStream, ends: float) -> None:
        self._inner, self._ends = inner, ends

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(self._ends, timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(self._ends, timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Timed(self._inner.start_tls(ssl_context, server_hostname, _left(self._ends, timeout)), self._ends)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _left(ends: float, timeout: float | None) -> float:
    left = ends - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left if timeout is None else min(left, timeout)


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
