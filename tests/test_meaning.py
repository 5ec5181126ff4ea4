"""Meaning: centred by language, blended with neighbours, from the rows of one embedder that the caller may see."""

import dataclasses
import math
from datetime import UTC, datetime
from uuid import UUID, uuid5

import numpy as np
import pytest

from memories.paths import path_key
from memories.search import facts, rank, recipe, tokens
from memories.search.columns import instant
from memories.search.index import NamespaceIndex, Row, Scope, SearchResult
from memories.search.threads import Threads
from memories.vectors import Means, pack, unit, unpack
from tests.test_index_rows import Table

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SECRET = b"a secret of the tests"
ACME = UUID(int=1)
DIMS = 16
RANDOM = np.random.default_rng(7)


def vector() -> np.ndarray:
    """Somewhere near the others, as an embedder puts texts."""
    return unit(np.full(DIMS, 0.6) + RANDOM.normal(0, 0.3, DIMS))


MEANS = Means(
    "tiny:1",
    {"en": vector() * 0.9, "zh": vector() * 0.9},
    {"en": vector() * 0.9, "zh": vector() * 0.9},
    across=0.8,
)
PEOPLE = ("Ann Example", "Ben Example", "")
WORDS = ["harbour", "lantern", "violin", "orchard", "pottery", "kayak", "lighthouse", "marathon", "recipe", "garden"]


def row(number: int, text: str, *, made: np.ndarray | None = None, embedder: str = "tiny:1", **fields: object) -> Row:
    said = {name: fields.pop(name) for name in ("thread", "sequence", "speaker", "at") if name in fields}
    found = facts.of(text, SECRET, key=f"n{number}", said=said)
    defaults = {
        "memory_id": UUID(int=number).hex,
        "rev": number,
        "status": "active",
        "version": 1,
        "kind": "episode",
        "key": f"n{number}",
        "path": (),
        "valid_until": None,
        "created_at": NOW,
        "retired_at": None,
        "confirmed_at": NOW,
        "evidence_class": "explicit_user",
        "pack": found.terms,
        "doc_len": found.length,
        "names": found.names,
        "thread": found.thread,
        "sequence": found.sequence,
        "speaker": found.speaker,
        "traits": int(found.traits),
        "vector": None if made is None else pack(made),
        "embedder": embedder if made is not None else "",
    }
    given = defaults | fields
    place = f"{given['kind']} {given['key']} {given['path']}"
    moments = {name: instant(value) for name, value in given.items() if isinstance(value, datetime)}
    area = path_key(given["path"])  # type: ignore[arg-type]
    return Row(**{"slot_id": uuid5(ACME, place).hex, **given, **moments, "path": area})  # type: ignore[arg-type]


def conversation(threads: int = 3, turns: int = 6) -> list[Row]:
    """A few threads of made-up talk, in no order."""
    rows = []
    for number in range(1, threads * turns + 1):
        words = " ".join(RANDOM.choice(WORDS, 4))
        text = f"{words} 灯塔" if RANDOM.random() < 0.2 else words
        text += RANDOM.choice(["?", ".", " last year."])
        speaker = PEOPLE[int(RANDOM.integers(3))]
        thread = f"thread {number % threads}" if RANDOM.random() < 0.9 else ""
        said = {"speaker": speaker, "thread": thread, "sequence": number}
        rows.append(row(number, text, made=vector(), **said))
    return rows


def index_of(*rows: Row, namespace: UUID = ACME) -> NamespaceIndex:
    table = Table()
    table.put(*rows, namespace=namespace)
    return NamespaceIndex(table, SECRET)


def search(index: NamespaceIndex, query: str, asked: np.ndarray | None, **fields: object) -> SearchResult:
    given = {"namespaces": [Scope(ACME)], "now": NOW, "meant": None if asked is None else (asked, MEANS)} | fields
    return index.search(query, **given)  # type: ignore[arg-type]


def scores(result: SearchResult) -> dict[int, float]:
    return {hit.memory_id.int: hit.score for hit in result.hits}


# the same as the arithmetic done slowly, row by row


def slowly(rows: list[Row], query: str, asked: np.ndarray) -> dict[int, float]:
    """Every score as the pages describe it: plain loops over the rows, nothing shared with the index."""
    rows = sorted(rows, key=lambda one: (one.thread or 0, one.sequence or 0, one.memory_id))
    packs = [dict(zip(*(part.tolist() for part in tokens.unpack([one.pack or b""])[:2]), strict=True)) for one in rows]
    parsed = rank.parse(query)
    hashes = tokens.term_hashes(parsed.terms, SECRET).tolist()
    count, average = len(rows), sum(one.doc_len for one in rows) / len(rows)

    def together(i: int, j: int) -> bool:
        return i == j or (0 <= j < count and rows[i].thread is not None and rows[i].thread == rows[j].thread)

    def asks(i: int) -> bool:
        return bool(rows[i].traits & facts.Trait.QUESTION)

    worth = {}
    for term, weight in zip(hashes, parsed.weights, strict=True):
        holding = sum(term in pack for pack in packs)
        worth[term] = weight * math.log(1 + (rank.PRIOR_ROWS + count - holding + 0.5) / (holding + 0.5))

    def weight_of(term: int, i: int) -> float:
        times = packs[i].get(term, 0)
        norm = 1.2 * (1 - 0.3 + 0.3 * rows[i].doc_len / average)
        return worth[term] * (times * 2.2 / (times + norm) + 0.5) if times else 0.0

    def heard(term: int, i: int) -> float:
        shares = {0: 1.0, 1: 0.5, 2: 0.4, 3: 0.3}
        best = 0.0
        for j in range(i - 3, i + 4):
            if together(i, j):
                share = 0.9 if j == i - 1 and asks(j) else shares[abs(j - i)]
                best = max(best, share * weight_of(term, j))
        return best

    words = [sum(heard(term, i) for term in hashes) / (1.5 * sum(worth.values())) for i in range(count)]
    language = ["zh" if one.traits & facts.Trait.CHINESE else "en" for one in rows]
    raw = [unpack([one.vector or b""])[0].astype(float) for one in rows]
    middle = {}
    for name in set(language):
        mine = [raw[i] for i in range(count) if language[i] == name]
        middle[name] = (sum(mine) + 8 * MEANS.statements[name]) / (len(mine) + 8)
    centred = [(raw[i] - middle[language[i]]) / np.linalg.norm(raw[i] - middle[language[i]]) for i in range(count)]
    near = []
    for i in range(count):
        moved = asked - MEANS.questions["en"] + MEANS.questions[language[i]] - middle[language[i]]
        near.append(float(centred[i] @ (moved / np.linalg.norm(moved))))
    blend = {0: 1.0, 1: 0.3, 2: 0.15}
    meaning = []
    for i in range(count):
        around = [j for j in range(i - 2, i + 3) if together(i, j)]
        total = sum(blend[abs(j - i)] * near[j] for j in around)
        meaning.append(total / np.linalg.norm(sum(blend[abs(j - i)] * centred[j] for j in around)))
    here = [i for i in range(count) if language[i] == "en"]
    most_words, most_meaning = max(words[i] for i in here), max(meaning[i] for i in here)
    for i in range(count):
        if language[i] != "en":
            words[i] = max(words[i], most_words * min(1, max(0, meaning[i] / most_meaning / MEANS.across)))
    out = {}
    for i, one in enumerate(rows):
        mine = [j for j in range(count) if together(i, j)]
        score = 0.6 * words[i] + 0.8 * meaning[i]
        score += 0.2 * max(words[j] for j in mine) + 0.15 * max(meaning[j] for j in mine)
        if one.thread is not None:
            score -= 0.12 * asks(i)
            score += 0.08 * math.log(1 + min(len(packs[i]), 30)) * min(1, max(words))
            score += 0.2 * bool(query.startswith("When") and one.traits & facts.Trait.TIMED)
        if "Ann Example" in query and one.speaker == facts.pack_speaker("Ann Example", SECRET):
            score += 0.2
        out[int(one.memory_id, 16)] = score / 0.8
    return out


@pytest.mark.parametrize("query", ["violin orchard", "When did Ann Example kayak?", "lantern zanzibar marathon"])
def test_the_index_scores_as_slow_arithmetic_does(query):
    rows, asked = conversation(), vector()
    assert scores(search(index_of(*rows), query, asked)) == pytest.approx(slowly(rows, query, asked), abs=2e-3)


def test_after_any_change_rows_are_ranked_as_if_they_had_always_been_so():
    """Rows that arrive, are said anew, leave for a while and are erased, one at a time, in threads and out of them."""
    table, chance = Table(), np.random.default_rng(11)
    grown = NamespaceIndex(table, SECRET)
    standing: dict[UUID, Row] = {}
    for rev, one in enumerate([*conversation(4, 12), *conversation(4, 12)], 1):
        change = one._replace(rev=rev)
        if one.memory_id in standing:
            gone = {"status": "deleted", "pack": None, "vector": None}
            known = standing[one.memory_id]._replace(rev=rev)
            change = [change, known._replace(status="paused"), known._replace(**gone)][int(chance.integers(3))]
        table.put(change)
        standing[one.memory_id] = change
        found = scores(search(grown, "violin orchard", asked := vector()))
        if rev % 4 == 0:
            fresh = index_of(*(row for row in standing.values() if row.pack is not None))
            assert found == pytest.approx(scores(search(fresh, "violin orchard", asked)), abs=1e-5)
    assert {one.status for one in standing.values()} == {"active", "paused", "deleted"}


# only what the caller may see


def test_rows_that_may_not_be_seen_do_not_show_in_any_score():
    """Neither in the middle of a language, nor through a thread, nor in who is named."""
    mine = [row(n, f"violin {WORDS[n]}", made=vector(), thread="t", sequence=2 * n, speaker="Ann") for n in range(1, 5)]
    theirs = [
        row(n, "violin?", made=vector(), thread="t", sequence=2 * n - 11, speaker="Ben", path=("theirs",))
        for n in range(6, 10)
    ]
    asked, query = vector(), "what did Ann or Ben say about the violin"
    scope = {"namespaces": [Scope(ACME, ("mine",))]}
    alone = [one._replace(path=path_key(["mine"])) for one in mine]
    before, after = (search(index_of(*rows), query, asked, **scope) for rows in (alone, [*alone, *theirs]))
    assert before.hits == after.hits
    assert before.confidence == after.confidence


def test_vectors_of_another_embedder_are_as_if_they_were_not_there():
    asked = vector()
    ours = [row(n, f"violin {WORDS[n]}", made=vector()) for n in range(1, 5)]
    other = row(9, "violin kayak", made=vector(), embedder="other:2")
    pending = row(9, "violin kayak")
    assert scores(search(index_of(*ours, other), "violin", asked)) == scores(
        search(index_of(*ours, pending), "violin", asked)
    )


def test_without_any_vector_only_words_are_compared():
    rows = [row(n, f"violin {WORDS[n]}") for n in range(1, 4)]
    with_question, without = (search(index_of(*rows), "violin", asked) for asked in (vector(), None))
    assert with_question.hits == without.hits
    assert with_question.confidence is None


def test_a_row_whose_vector_is_not_made_yet_is_found_by_its_words_at_once():
    rows = [row(n, f"lantern {WORDS[n]}", made=vector()) for n in range(1, 8)]
    fresh = row(9, "The zanzibar harbour plan.")
    assert search(index_of(*rows, fresh), "zanzibar harbour plan", vector()).hits[0].memory_id.int == 9


def test_a_row_in_the_other_language_is_found_by_meaning_alone():
    """The question is moved to where questions of that language lie."""
    meant = vector() - MEANS.statements["zh"]
    answer = unit(MEANS.statements["zh"] + meant)
    asked = unit(MEANS.questions["en"] + meant)
    others = [row(n, f"{WORDS[n]} talk", made=vector()) for n in range(1, 9)]
    hits = search(index_of(*others, row(9, "灯塔在港口", made=answer)), "where does it stand", asked).hits
    assert hits[0].memory_id.int == 9


def test_namespaces_are_ranked_together_as_one():
    rows, asked = conversation(), vector()
    table = Table()
    beta = UUID(int=2)
    for number, one in enumerate(rows):
        table.put(one, namespace=ACME if (one.thread or number) % 2 else beta)
    both = search(NamespaceIndex(table, SECRET), "violin", asked, namespaces=[Scope(ACME), Scope(beta)])
    assert scores(both) == pytest.approx(scores(search(index_of(*rows), "violin", asked)), abs=1e-5)


# what is said of the whole


def test_an_answer_about_somebody_else_is_said_to_be_one():
    rows = [row(n, f"{WORDS[n]} walk", made=vector(), thread="t", sequence=n, speaker="Ann") for n in range(1, 5)]
    rows += [row(9, "The marathon in Lisbon was wonderful.", made=vector(), thread="u", sequence=1, speaker="Ben")]
    ask = "what did {} say of the marathon in Lisbon"
    assert search(index_of(*rows), ask.format("Ann"), None).about_someone_else
    assert not search(index_of(*rows), ask.format("Ben"), None).about_someone_else
    assert not search(index_of(*rows), ask.format("anyone"), None).about_someone_else


def test_nothing_of_an_erased_vector_or_name_stays_in_the_process():
    table = Table()
    index = NamespaceIndex(table, SECRET)
    table.put(row(1, "violin", made=vector()), row(2, "secret plan", made=vector(), speaker="Ann"))
    search(index, "plan", vector())
    gone = row(2, "secret plan", rev=3, status="deleted", pack=None, names=b"", speaker=b"")
    table.put(gone)
    search(index, "plan", vector())
    rows = index.rows_of(ACME)
    [left] = rows.vectors
    assert [bool(one.any()) for one in left.matrix] == [row_ == 0 for row_ in left.rows.tolist()]
    assert set(rows.speakers) == {b""}
    assert all((one.rows == 0).all() for one in rows.names)
    assert all(view.size == 1 for view in index._views.values())


def test_beside_rows_that_share_words_a_row_in_the_other_language_is_not_pushed_out():
    """No words are shared across languages, so there meaning stands for them."""
    meant = vector() - MEANS.statements["zh"]
    answer = row(50, "灯塔在港口", made=unit(MEANS.statements["zh"] + meant))
    asked = unit(MEANS.questions["en"] + meant)
    sharing = [row(n, f"lighthouse {WORDS[n % 10]} talk", made=vector()) for n in range(1, 30)]
    hits = search(index_of(*sharing, answer), "which lighthouse stands there", asked, limit=3).hits
    assert answer.memory_id in {hit.memory_id.hex for hit in hits}


def test_what_is_lost_in_translation_is_made_up_for():
    """An embedder that puts a translation far from the original would else never let the other language in."""
    meant = vector() - MEANS.statements["zh"]
    aside = np.roll(meant, 1) - meant * (np.roll(meant, 1) @ meant) / (meant @ meant)
    translated = row(50, "灯塔在港口", made=unit(MEANS.statements["zh"] + 0.5 * meant + aside))
    original = row(51, "The lighthouse stands at the harbour.", made=unit(MEANS.statements["en"] + meant))
    others = [row(n, f"lighthouse {WORDS[n % 10]} talk", made=vector()) for n in range(1, 30)]
    asked = unit(MEANS.questions["en"] + meant)
    kept = {}
    for across in (1.0, 0.75):
        means = dataclasses.replace(MEANS, across=across)
        index = index_of(*others, original, translated)
        kept[across] = scores(search(index, "which lighthouse stands", asked, meant=(asked, means)))
    assert kept[0.75][51] > kept[0.75].pop(50) > kept[1.0].pop(50)
    assert kept[0.75] == kept[1.0]


# asked for by name


def named(index: NamespaceIndex, query: str, **fields: object) -> dict[int, int]:
    return {hit.memory_id.int: hit.named for hit in search(index, query, None, **fields).hits if hit.named}


def under(number: int, *names: str, text: str = "Something else.", **fields: object) -> Row:
    """A row with these names."""
    return row(number, text, names=facts.names.pack(names, SECRET), **fields)


def test_a_memory_asked_for_by_its_key_or_an_alias_leads():
    index = index_of(under(1, "weekly_report", "状态周报"), *(row(n, f"kayak {n}") for n in range(2, 30)))
    assert named(index, "show the weekly report") == {1: 2}
    assert search(index, "show the weekly report", None).hits[0].memory_id.int == 1
    assert named(index, "看一下状态周报") == {1: 3}
    assert named(index, "the weekly wekly wreport") == {}


def test_a_name_that_nobody_holds_alone_is_no_name():
    many = [under(n, "violin", text=f"violin {n}") for n in range(1, 12)]
    others = [row(n, f"kayak {n}") for n in range(20, 50)]
    assert named(index_of(*many, *others), "violin") == {}
    assert len(named(index_of(*many[:4], *others), "violin")) == 4


def test_only_names_of_rows_that_may_be_seen_count():
    seen, unseen = under(1, "lantern", path=("mine",)), under(2, "lanterm", path=("theirs",))
    scope = {"namespaces": [Scope(ACME, ("mine",))]}
    assert named(index_of(seen, unseen), "how is lanterm set up", **scope) == {
        1: 1
    }  # to this caller a mistyped lantern
    assert named(index_of(seen, unseen), "how is lanterm set up") == {2: 1}


def confidence_among(rows: int) -> float:
    """What is said of the same best row among so many that say nothing."""
    first = np.zeros(rows, np.float32)
    first[0] = 0.3
    words = rank.Ranking(first, np.zeros_like(first), first, first, known=0.8)
    no, nobody = np.zeros(rows, bool), np.full(rows, -1)
    cues = recipe.Cues(Threads.of(np.arange(rows)), no, no, no, no, np.zeros_like(first), nobody)
    ranked = recipe.combine(words, recipe.Near(first, first, ~no), cues, recipe.Asked(when=False, chinese=False))
    assert ranked.confidence is not None
    return ranked.confidence


def test_among_more_rows_the_best_one_says_less():
    """By accident one of twice as many rows is as good twice as often; very few rows say no more than 30."""
    odds = {rows: one / (1 - one) for rows in (5, 30, 300, 600) for one in [confidence_among(rows)]}
    assert odds[300] == pytest.approx(2 * odds[600])
    assert odds[30] == pytest.approx(10 * odds[300])
    assert odds[5] == pytest.approx(odds[30])
