"""What every embedder is to the rest of the program."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

from memories.vectors import Vector

NAME_LENGTH = 64
Item = TypeVar("Item")


class EmbedderError(Exception):
    """No vectors were made. `code` says why in one word; neither it nor the message ever quotes a text.

    `refused`: it is the input that cannot be embedded, and the embedder itself is well.
    """

    def __init__(self, code: str, *, refused: bool = False) -> None:
        super().__init__(code)
        self.code = code
        self.refused = refused


class Embedder(Protocol):
    """Texts to unit vectors in float32. Safe to use from several threads.

    `name` tells model and version: vectors of different names are never compared. `dims` is their length, 0 where only
    the first answer tells. `timeout` is how many seconds a question may take.
    """

    name: str
    dims: int
    is_local: bool
    timeout: float

    def documents(self, texts: Sequence[str]) -> Vector:
        """One row for each statement. Raises EmbedderError."""
        ...

    def query(self, text: str) -> Vector:
        """The vector of a question. Raises EmbedderError."""
        ...

    def questions(self, texts: Sequence[str]) -> Vector:
        """One row for each question, where nobody waits for the answer. Raises EmbedderError."""
        ...


def name_of(kind: str, model: str, *also: object) -> str:
    """A readable name that differs whenever anything differs that could make other vectors."""
    mark = hashlib.blake2b(repr((kind, model, *also)).encode(), digest_size=4).hexdigest()
    return f"{kind}:{model.rsplit('/', 1)[-1][: NAME_LENGTH - len(kind) - 10]}:{mark}"


def clean(text: str) -> str:
    """Without what no tokenizer takes: NUL would end a C string, a lone surrogate is no character."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    for begin in range(0, len(items), size):
        yield items[begin : begin + size]
