"""AES-256-GCM: what was bound to one place opens nowhere else. Pure.

A sealed value is the number of its key's generation (4 bytes), a nonce (12), the ciphertext and its tag (16).
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
NONCE_BYTES = 12
GENERATION_BYTES = 4
OVERHEAD = GENERATION_BYTES + NONCE_BYTES + 16


class NotOpened(Exception):
    """It was made with another key, for another place, or changed since."""


@dataclass(frozen=True, slots=True)
class Key:
    """One generation of a key, ready for use."""

    generation: int
    cipher: AESGCM

    def __repr__(self) -> str:
        return f"Key({self.generation}, …)"


def new_secret() -> bytes:
    return os.urandom(KEY_BYTES)


def key(generation: int, secret: bytes) -> Key:
    return Key(generation, AESGCM(secret))


def seal(key: Key, text: bytes, place: bytes) -> bytes:
    """Encrypt a text for one place."""
    nonce = os.urandom(NONCE_BYTES)
    return key.generation.to_bytes(GENERATION_BYTES) + nonce + key.cipher.encrypt(nonce, text, place)


def generation_of(sealed: bytes) -> int:
    return int.from_bytes(sealed[:GENERATION_BYTES])


def unseal(key: Key, sealed: bytes, place: bytes) -> bytes:
    """The text again. Raises NotOpened."""
    nonce = sealed[GENERATION_BYTES : GENERATION_BYTES + NONCE_BYTES]
    try:
        return key.cipher.decrypt(nonce, sealed[GENERATION_BYTES + NONCE_BYTES :], place)
    except (InvalidTag, ValueError):
        raise NotOpened from None
