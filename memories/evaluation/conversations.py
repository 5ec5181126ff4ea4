"""Public data sets as memories and questions: conversations (LoCoMo) and questions on articles (as in SQuAD). Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

GROUPS = 3
CHINESE_GROUPS, CHINESE_KEPT = 12, 4
UNANSWERABLE = 5
"""The category of LoCoMo whose questions have no answer in the conversation."""

_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)$")
_SENTENCE = re.compile(r"[^。！？!?\n]+[。！？!?]*|\n")
_FULL_STOP = re.compile(r"(?<=[a-z0-9)\"]\.)(?= [A-Z])")


class DataError(ValueError):
    """A folder or a file that no suite can run."""


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that was said: where, by whom, when, and in which place of which thread."""

    namespace: str
    id: str
    text: str
    thread: str
    sequence: int
    speaker: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question to one namespace, and the ids that answer it."""

    namespace: str
    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class DataSet:
    """What was told, and what is asked about it. `mistaken` questions take one person for another: nothing answers."""

    name: str
    told: tuple[Told, ...]
    questions: tuple[Question, ...]
    mistaken: tuple[Question, ...] = ()


def read(folder: Path) -> Iterator[DataSet]:
    """Every set whose file lies in the folder."""
    makers: Mapping[str, tuple[Callable[..., DataSet], ...]] = {
        "locomo10.json": (locomo_turns, locomo_facts),
        "cmrc2018_dev.json": (cmrc,),
    }
    found = {path.name: path for path in sorted(folder.glob("*.json"))}
    known = False
    for name, made in makers.items():
        if name in found:
            known = True
            document = _load(found[name])
            yield from (make(document) for make in made)
    if {"xquad.en.json", "xquad.zh.json"} <= found.keys():
        known = True
        yield from xquad(_load(found["xquad.en.json"]), _load(found["xquad.zh.json"]))
    if not known:
        raise DataError(f"{folder} holds none of {', '.join([*makers, 'xquad.en.json with xquad.zh.json'])}")


def locomo_turns(document: Any) -> DataSet:
    """Each turn of each conversation, as its speaker said it."""
    told: list[Told] = []
    questions: list[Question] = []
    mistaken: list[Question] = []
    for sample in document:
        namespace, here = sample["sample_id"], set()
        for number, at, turns in _sessions(sample["conversation"]):
            for place, turn in enumerate(turns):
                text = turn.get("text") or ""
                if caption := turn.get("blip_caption"):
                    text = f"{text} [shares {caption}]"
                here.add(turn["dia_id"])
                told.append(Told(namespace, turn["dia_id"], text, f"session {number}", place, turn["speaker"], at))
        for asked, turns_ in _asked(sample):
            if gold := frozenset(turns_ & here):
                questions.append(Question(namespace, asked, gold))
        unanswerable = [one["question"] for one in sample["qa"] if one["category"] == UNANSWERABLE]
        mistaken += [Question(namespace, asked, frozenset()) for asked in unanswerable]
    return DataSet("locomo_turns", tuple(told), tuple(questions), tuple(mistaken))


def locomo_facts(document: Any) -> DataSet:
    """The facts that were drawn from the turns; a fact answers what a turn behind it answers."""
    told: list[Told] = []
    questions: list[Question] = []
    for sample in document:
        namespace = sample["sample_id"]
        drawn: dict[str, set[str]] = {}
        times = {number: at for number, at, _ in _sessions(sample["conversation"])}
        for key, by_speaker in sample["observation"].items():
            number = int(key.removeprefix("session_").partition("_")[0])
            facts = [(text, evidence) for facts in by_speaker.values() for text, evidence in facts]
            for place, (text, evidence) in enumerate(facts):
                fact = f"F{number}:{place}"
                told.append(Told(namespace, fact, text, f"session {number}", place, at=times.get(number)))
                for turn in _turns(evidence):
                    drawn.setdefault(turn, set()).add(fact)
        for asked, turns in _asked(sample):
            if gold := frozenset(fact for turn in turns for fact in drawn.get(turn, ())):
                questions.append(Question(namespace, asked, gold))
    return DataSet("locomo_facts", tuple(told), tuple(questions))


def cmrc(document: Any) -> DataSet:
    """Sentences of Chinese articles, a third of the set."""
    whole = _articles("cmrc", document, CHINESE_GROUPS)
    kept = {f"cmrc-{number}" for number in range(CHINESE_KEPT)}
    return DataSet(
        "cmrc",
        tuple(one for one in whole.told if one.namespace in kept),
        tuple(one for one in whole.questions if one.namespace in kept),
    )


def xquad(english: Any, chinese: Any) -> Iterator[DataSet]:
    """The same paragraphs and questions in both languages: Chinese, across, and both in one namespace."""
    en, zh = _articles("xquad-en", english, GROUPS), _articles("xquad-zh", chinese, GROUPS)
    if len(en.questions) != len(zh.questions):
        raise DataError("xquad.en.json and xquad.zh.json do not ask the same questions")
    yield replace(zh, name="xquad_zh")
    pairs = list(zip(en.questions, zh.questions, strict=True))
    yield DataSet("en_to_zh", zh.told, tuple(replace(there, text=here.text) for here, there in pairs))
    yield DataSet("zh_to_en", en.told, tuple(replace(here, text=there.text) for here, there in pairs))
    both = tuple(_renamed(one, mark) for whole, mark in ((en, "en"), (zh, "zh")) for one in whole.told)
    yield DataSet("mixed_en_to_zh", both, tuple(_across(here, there, "zh") for here, there in pairs))
    yield DataSet("mixed_zh_to_en", both, tuple(_across(there, here, "en") for here, there in pairs))


def _renamed(one: Told, mark: str) -> Told:
    group = one.namespace.rpartition("-")[2]
    return replace(one, namespace=f"mixed-{group}", id=f"{mark}:{one.id}", thread=f"{mark} {one.thread}")


def _across(asked: Question, answer: Question, mark: str) -> Question:
    group = answer.namespace.rpartition("-")[2]
    return Question(f"mixed-{group}", asked.text, frozenset(f"{mark}:{one}" for one in answer.gold))


def _sessions(conversation: Mapping[str, Any]) -> Iterator[tuple[int, datetime | None, list[Any]]]:
    for key, turns in conversation.items():
        if (match := _SESSION.match(key)) and isinstance(turns, list):
            yield int(match[1]), _time(conversation.get(f"{key}_date_time", "")), turns


def _time(text: str) -> datetime | None:
    """As in "1:56 pm on 8 May, 2023"."""
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        return None


def _asked(sample: Mapping[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """The questions that the conversation answers, and in which turns."""
    for one in sample["qa"]:
        if one["category"] != UNANSWERABLE:
            yield one["question"], _turns(one.get("evidence", []))


def _turns(evidence: Any) -> set[str]:
    found = evidence if isinstance(evidence, list) else [evidence]
    return {f"D{int(a)}:{int(b)}" for one in found for a, b in _EVIDENCE.findall(str(one))}


def _articles(name: str, document: Any, groups: int) -> DataSet:
    """Each sentence of each paragraph; the one in which the answer begins is gold."""
    told: list[Told] = []
    questions: list[Question] = []
    paragraphs = [paragraph for article in document["data"] for paragraph in article["paragraphs"]]
    for number, paragraph in enumerate(paragraphs):
        namespace = f"{name}-{number * groups // len(paragraphs)}"
        sentences = list(_sentences(paragraph["context"]))
        told += [
            Told(namespace, f"{number}:{place}", text, f"paragraph {number}", place)
            for place, (_, text) in enumerate(sentences)
        ]
        for asked in paragraph["qas"]:
            begin = asked["answers"][0]["answer_start"]
            before = [place for place, (start, _) in enumerate(sentences) if start <= begin]
            if before and asked["answers"][0]["text"]:
                questions.append(Question(namespace, asked["question"], frozenset({f"{number}:{before[-1]}"})))
    return DataSet(name, tuple(told), tuple(questions))


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    for found in _SENTENCE.finditer(text):
        begin = found.start()
        for part in _FULL_STOP.split(found[0]):
            if part.strip():
                yield begin, part.strip()
            begin += len(part)


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise DataError(f"{path.name} is not JSON in UTF-8") from None
