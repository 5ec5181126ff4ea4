"""The language means of an embedder: made once from the generic sentences, then read from a file."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import IO
from zipfile import BadZipFile

import numpy as np
import structlog
from django.conf import settings

from memories.embeddings import choice
from memories.embeddings.base import Embedder, EmbedderError
from memories.embeddings.generic import QUESTIONS, STATEMENTS
from memories.vectors import LANGUAGES, Means, Vector

log = structlog.get_logger("memories.embeddings")

SENTENCES = hashlib.blake2b(repr((STATEMENTS, QUESTIONS)).encode(), digest_size=4).hexdigest()

LEAST_ACROSS = 0.5
"""An embedder that keeps less of a meaning in translation says nothing across languages that could be made up for."""

_known: dict[str, Means] = {}
_lock = threading.Lock()


def means(embedder: str) -> Means:
    """The means of the embedder of this name.

    Quick once a query vector of that name was made here. Otherwise they are read from a file, or made, which takes
    seconds and may raise EmbedderError; that also when the name is not that of the embedder in use.
    """
    known = _known.get(embedder)
    if known is not None:
        return known
    with _lock:
        if embedder not in _known:
            _known[embedder] = _read(embedder) or _make(embedder)
        return _known[embedder]


def compute(embedder: Embedder) -> Means:
    """Ask the embedder for every generic sentence."""
    statements = {language: embedder.documents(STATEMENTS[language]) for language in LANGUAGES}
    questions = {language: embedder.questions(QUESTIONS[language]) for language in LANGUAGES}
    return Means(embedder.name, _middles(statements), _middles(questions), _across(statements, questions))


def write(made: Means, file: IO[bytes]) -> None:
    np.savez(
        file,
        statements=np.stack([made.statements[language] for language in LANGUAGES]).astype("<f4"),
        questions=np.stack([made.questions[language] for language in LANGUAGES]).astype("<f4"),
        across=np.float32(made.across),
    )


def file_name(embedder: str) -> str:
    return f"{re.sub('[^A-Za-z0-9.-]', '_', embedder)}-{SENTENCES}.npz"


def start_anew() -> None:
    """For a forked child: the lock may be held by a thread that does not exist there."""
    global _lock
    _lock = threading.Lock()


def _make(name: str) -> Means:
    embedder = choice.active()
    if embedder is None or embedder.name != name:
        raise EmbedderError("unknown_embedder")
    made = compute(embedder)
    kept = _folder() / file_name(name)
    draft = kept.with_name(f"{kept.name}.{os.getpid()}")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            write(made, file)
        draft.replace(kept)
    except OSError:  # they are made again next time
        log.warning("means_not_kept", code="var_not_writable")
    return made


def _read(name: str) -> Means | None:
    """From the files of this package, else from the var folder."""
    for file in (files("memories.embeddings") / "means" / file_name(name), _folder() / file_name(name)):
        try:
            with file.open("rb") as opened, np.load(opened, allow_pickle=False) as found:
                statements, questions = _by_language(found["statements"]), _by_language(found["questions"])
                across = float(found["across"])
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):  # absent, or cut off: made anew
            continue
        return Means(name, statements, questions, across)
    return None


def _middles(vectors: Mapping[str, Vector]) -> dict[str, Vector]:
    return {language: vectors[language].mean(axis=0) for language in LANGUAGES}


def _across(statements: Mapping[str, Vector], questions: Mapping[str, Vector]) -> float:
    """How near each question is to the translation of its statement, over how near to the statement itself."""
    said, asked = (
        {language: _around_its_middle(rows[language]) for language in LANGUAGES} for rows in (statements, questions)
    )
    own, other = (
        sum(float((asked[one] * said[two]).sum()) for one in LANGUAGES for two in LANGUAGES if (one == two) is same)
        for same in (True, False)
    )
    return min(1.0, max(LEAST_ACROSS, other / own)) if own > 0 else 1.0


def _around_its_middle(rows: Vector) -> Vector:
    centred = rows - rows.mean(axis=0)
    directions: Vector = centred / (np.linalg.norm(centred, axis=1, keepdims=True) + 1e-9)
    return directions


def _by_language(rows: Vector) -> dict[str, Vector]:
    return dict(zip(LANGUAGES, rows.astype(np.float32), strict=True))


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "embedders"
