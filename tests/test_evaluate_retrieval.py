"""`evaluate retrieval`: sets of conversations and articles, asked through recall; vectors made once; nothing stays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Tenant
from memories.embeddings import choice, language_means
from tests.embedders import WordEmbedder

pytestmark = pytest.mark.django_db


def turn(number: int, speaker: str, text: str) -> dict[str, str]:
    return {"dia_id": f"D1:{number}", "speaker": speaker, "text": text}


def conversation(name: str, hobby: str, asked: str) -> dict[str, Any]:
    """A made-up talk of two people, the facts drawn from it, and a question with and one without an answer."""
    return {
        "sample_id": name,
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                turn(1, "Ada", "Good morning! What have you been up to?"),
                turn(2, "Bo", f"I took up {hobby} two weeks ago."),
                turn(3, "Ada", "Lovely, I only cleaned the cellar."),
            ],
        },
        "observation": {"session_1_observation": {"Bo": [[f"Bo took up {hobby} in April 2023.", "D1:2"]]}},
        "qa": [
            {"question": asked, "evidence": ["D1:2"], "category": 4},
            {"question": "What did Bo cook?", "evidence": [], "category": 5},
        ],
    }


def articles(sentences: tuple[str, str], question: str, answer: str) -> dict[str, Any]:
    text = "".join(sentences)
    asked = {"question": question, "answers": [{"text": answer, "answer_start": text.index(answer)}]}
    return {"data": [{"paragraphs": [{"context": text, "qas": [asked]}]}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "locomo10.json": [
            conversation("one", "pottery", "When did Bo take up pottery?"),
            conversation("two", "sailing", "What about sailing did Bo say?"),
        ],
        "cmrc2018_dev.json": articles(("灯塔建于港口。", "果园在山上。"), "果园在哪里？", "山上"),
        "xquad.zh.json": articles(("灯塔建于港口。", "果园在山上。"), "果园在哪里？", "山上"),
        "xquad.en.json": articles(
            ("The lighthouse is at the harbour.", " The orchard is on the hill."), "Where is the orchard?", "the hill"
        ),
    }
    for name, document in files.items():
        (tmp_path / name).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return tmp_path


def run(folder: Path, *bars: str) -> Mapping[str, Any]:
    out = folder / "out.txt"
    call_command("evaluate", "retrieval", str(folder), *bars, "--json", str(out), stdout=StringIO())
    return json.loads(out.read_text(encoding="utf-8"))["metrics"]


def test_every_set_in_the_folder_is_asked_by_words_alone(folder):
    figures = run(folder, "--min", "locomo_turns_recall_10=1", "--min", "xquad_zh_recall_5=1")
    assert (figures["locomo_turns_memories"], figures["locomo_turns_questions"]) == (6, 2)
    assert (figures["locomo_facts_recall_10"], figures["cmrc_recall_10"]) == (1, 1)
    assert figures["en_to_zh_recall_10"] == 0  # no words are shared
    assert figures["embedder"] is None
    assert not Tenant.objects.filter(name="evaluation").exists()


def test_with_an_embedder_each_text_is_embedded_once(folder, settings, tmp_path, monkeypatch):
    settings.VAR_DIR = tmp_path / "var"
    embedder = WordEmbedder()
    monkeypatch.setattr(choice, "active", lambda: embedder)
    monkeypatch.setattr("memories.embeddings.active", lambda: embedder)
    monkeypatch.setattr(language_means, "_known", {})
    first = run(folder)
    assert first["locomo_turns_words_recall_10"] == first["locomo_turns_recall_10"] == 1
    assert {"locomo_facts_precise_recall", "locomo_turns_gold_in_800_tokens"} <= first.keys()
    assert 0 <= first["locomo_turns_confidence_auroc"] <= 1
    assert {"locomo_turns_about_someone_else_here", "locomo_turns_about_someone_else_mistaken"} <= first.keys()
    embedder.asked.clear()
    assert run(folder) == first
    assert embedder.asked == []
    kept = b"".join(path.read_bytes() for path in (tmp_path / "var").rglob("*.vectors"))
    assert kept
    assert b"pottery" not in kept


@pytest.mark.parametrize(
    ("files", "problem"), [({}, "holds none of"), ({"locomo10.json": "{"}, "locomo10.json is not JSON")]
)
def test_a_folder_without_a_set_is_an_error(tmp_path, files, problem):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(CommandError, match=problem):
        call_command("evaluate", "retrieval", str(tmp_path))
