"""Keyed digests and bearer tokens. A stolen database holds nothing that opens a door or can be looked up."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass

from django.conf import settings

BRAND = "mh"


def digest(purpose: str, *parts: str) -> str:
    """Keyed digest (BLAKE2b-256 with the deployment's pepper) of the parts, as 64 hex characters.

    `purpose` separates uses from each other; parts are length-prefixed, so no two lists share a digest by joining.
    """
    made = hasher(purpose)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8))
        made.update(data)
    return made.hexdigest()


def hasher(purpose: str) -> hashlib.blake2b:
    """The beginning of a keyed digest, for whoever makes very many and copies it for each."""
    return hashlib.blake2b(key=_key(), digest_size=32, person=purpose.encode()[:16])


def fingerprint(purpose: str, document: object) -> str:
    """Keyed digest of a JSON document in canonical form."""
    return digest(purpose, json.dumps(document, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str))


def same(one: str, other: str) -> bool:
    """Constant-time comparison."""
    return hmac.compare_digest(one.encode(), other.encode())


def _key() -> bytes:
    return hashlib.blake2b(settings.MEMORYHUB_PEPPER.encode(), digest_size=64).digest()


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token `mh_<prefix>_<secret>`. The first letter of the prefix says what kind of credential it is."""

    prefix: str
    secret: str

    def __str__(self) -> str:
        return f"{BRAND}_{self.prefix}_{self.secret}"

    def __repr__(self) -> str:
        return f"Token({self.prefix!r}, …)"

    @property
    def digest(self) -> str:
        return digest("token", self.prefix, self.secret)


def new_token(mark: str) -> Token:
    """A random token with 256 bits of secret."""
    return Token(prefix=mark + secrets.token_hex(6), secret=secrets.token_hex(32))


def parse_token(text: str) -> Token | None:
    """The token in a header value, or None when it is not of the form."""
    mark, _, rest = text.partition("_")
    prefix, _, secret = rest.partition("_")
    if mark != BRAND or not (prefix.isascii() and prefix.isalnum()) or not (secret.isascii() and secret.isalnum()):
        return None
    if len(prefix) > 32 or len(secret) > 128:
        return None
    return Token(prefix, secret)
