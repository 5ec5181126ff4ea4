"""An embedder behind a network: any endpoint that speaks as OpenAI's does.

Address, model and key come from the settings of the deployment alone. Redirects are not followed: wherever the
settings point is where texts go, and nowhere else.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memories.embeddings.base import EmbedderError, batches, clean, name_of
from memories.vectors import Vector, unit

if TYPE_CHECKING:
    from openai import OpenAI

BATCH = 64
DOCUMENT_SECONDS = 30.0
OF_THE_INPUT = frozenset({400, 413, 422})


class OpenAICompatible:
    """Embeds through `POST {url}/embeddings`. Nothing is tried twice here: due rows and callers know when to."""

    is_local = False
    MODEL = "text-embedding-3-small"

    def __init__(
        self, url: str, model: str, key: str, *, dims: int, timeout: float, http_client: Any | None = None
    ) -> None:
        self._url, self._model, self._key, self._http = url, model or self.MODEL, key, http_client
        self.dims = dims
        self.name = name_of("openai", self._model, url, dims)
        self.timeout = timeout
        self._lock = threading.Lock()
        self._opened: OpenAI | None = None

    def documents(self, texts: Sequence[str]) -> Vector:
        rows = [self._ask([clean(text) for text in batch], DOCUMENT_SECONDS) for batch in batches(texts, BATCH)]
        return np.concatenate(rows) if rows else np.zeros((0, self.dims), np.float32)

    def questions(self, texts: Sequence[str]) -> Vector:
        return self.documents(texts)

    def query(self, text: str) -> Vector:
        row: Vector = self._ask([clean(text)], self.timeout)[0]
        return row

    def _ask(self, texts: Sequence[str], seconds: float) -> Vector:
        """The vectors of a batch. Whatever goes wrong is told by a code: an error's own words may quote a text."""
        import openai

        try:
            answer = self._client().embeddings.create(
                model=self._model,
                input=list(texts),
                encoding_format="float",
                dimensions=self.dims or openai.omit,
                timeout=seconds,
            )
            found = sorted(answer.data, key=lambda one: one.index)
            rows = unit(np.array([one.embedding for one in found], np.float32))
        except openai.APITimeoutError:
            raise EmbedderError("timeout") from None
        except openai.APIConnectionError:
            raise EmbedderError("unreachable") from None
        except openai.APIStatusError as error:
            status = error.status_code
            raise EmbedderError(f"status_{status}", refused=status in OF_THE_INPUT) from None
        except Exception:  # noqa: BLE001 - an answer of another shape raises anything
            raise EmbedderError("malformed_answer") from None
        if rows.ndim != 2 or len(rows) != len(texts) or (self.dims and rows.shape[1] != self.dims):
            raise EmbedderError("malformed_answer")
        return rows

    def _client(self) -> OpenAI:
        with self._lock:
            if self._opened is None:
                import httpx2
                from openai import OpenAI

                http = self._http or httpx2.Client(follow_redirects=False)
                # A server of one's own often asks for no key; the client insists on one.
                self._opened = OpenAI(api_key=self._key or "none", base_url=self._url, max_retries=0, http_client=http)
        return self._opened
