"""The index of a namespace: what it may return, and that refreshing it is the same as reading it anew."""

import math
import multiprocessing
import random
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid5

import numpy as np
import pytest

from memories.paths import path_key, path_of
from memories.search import bridge, rank, tokens
from memories.search.columns import instant
from memories.search.index import NamespaceIndex, Row, Scope

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = timedelta(days=1)
SECRET = b"a secret of the tests"
ACME, BETA = UUID(int=1), UUID(int=2)


def row(number: int, text: str = "Put the conclusion first.", *, rev: int | None = None, **fields: object) -> Row:
    """An active preference under a key of its own; `text` None makes it an erased one."""
    counts = tokens.count(tokens.texts_of(text)) if text is not None else Counter()
    defaults = {
        "memory_id": UUID(int=number).hex,
        "rev": number if rev is None else rev,
        "status": "active",
        "version": 1,
        "kind": "preference",
        "key": f"key_{number}",
        "path": (),
        "valid_until": None,
        "created_at": NOW - 30 * DAY,
        "retired_at": None,
        "confirmed_at": NOW - 10 * DAY,
        "evidence_class": "explicit_user",
        "pack": tokens.pack(counts, SECRET) if text is not None else None,
        "doc_len": tokens.length(counts),
    }
    given = defaults | fields
    place = f"{given['kind']} {given['key']} {given['path']}"
    moments = {name: instant(value) for name, value in given.items() if isinstance(value, datetime)}
    area = path_key(given["path"])  # type: ignore[arg-type]
    return Row(**{"slot_id": uuid5(ACME, place).hex, **given, **moments, "path": area})  # type: ignore[arg-type]


@dataclass
class Table:
    """Rows in memory, as a database would give them: the newest state of each, and every change after a revision."""

    rows_by_id: dict[UUID, dict[str, Row]] = field(default_factory=dict)
    revisions: dict[UUID, int] = field(default_factory=dict)
    reads: list[tuple[UUID, int, int]] = field(default_factory=list)

    def put(self, *rows: Row, namespace: UUID = ACME) -> None:
        for one in rows:
            self.rows_by_id.setdefault(namespace, {})[one.memory_id] = one
            self.revisions[namespace] = max(one.rev, self.revisions.get(namespace, 0))

    def revision(self, namespace_id: UUID) -> int:
        return self.revisions.get(namespace_id, 0)

    def rows(self, namespace_id: UUID, after_rev: int) -> list[Row]:
        found = [one for one in self.rows_by_id.get(namespace_id, {}).values() if one.rev > after_rev]
        self.reads.append((namespace_id, after_rev, len(found)))
        return found


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def index(table: Table) -> NamespaceIndex:
    return NamespaceIndex(table, SECRET)


def found(index: NamespaceIndex, query: str = "conclusion first", **fields: object) -> list[int]:
    """The numbers of the rows found in Acme's namespace, best first."""
    asked = {"namespaces": [Scope(ACME)], "now": NOW} | fields
    return [hit.memory_id.int for hit in index.search(query, **asked).hits]  # type: ignore[arg-type]


# what may come back


@pytest.mark.parametrize(
    ("change", "comes_back"),
    [
        ({}, True),
        ({"status": "paused"}, False),
        ({"status": "superseded", "retired_at": NOW - DAY}, False),
        ({"status": "deleted"}, False),
        ({"valid_until": NOW + timedelta(microseconds=1)}, True),
        ({"valid_until": NOW}, False),
        ({"valid_until": NOW - DAY}, False),
        ({"kind": "procedure"}, False),
        ({"key": "another"}, False),
        ({"path": ("work", "Notes")}, False),
        ({"path": ("work",)}, True),
        ({"path": ("work", "notes", "deep")}, True),
        ({"path": ("works", "notes")}, False),
        ({"path": ()}, False),
    ],
)
def test_only_what_is_allowed_and_valid_comes_back(table, index, change, comes_back):
    table.put(row(1, key="answer_order", path=("work", "notes")))
    table.put(row(2, **({"key": "answer_order", "path": ("work", "notes", "two")} | change)))
    scopes = [Scope(ACME, ("work", "notes"))] if change.get("path") != ("work",) else [Scope(ACME, ("work",))]
    numbers = found(
        index, namespaces=scopes, kinds=frozenset({"preference"}), keys=frozenset({"answer_order", "answer_style"})
    )
    assert (2 in numbers) is comes_back
    assert 1 in numbers


def test_a_namespace_that_was_not_asked_for_stays_out(table, index):
    table.put(row(1))
    table.put(row(2), namespace=BETA)
    assert found(index) == [1]
    assert found(index, namespaces=[Scope(BETA)]) == [2]
    assert set(found(index, namespaces=[Scope(ACME), Scope(BETA)])) == {1, 2}


def test_areas_of_one_namespace_are_joined_and_counted_once(table, index):
    table.put(row(1, path=("a",)), row(2, path=("a", "b")), row(3, path=("c",)))
    assert found(index, namespaces=[Scope(ACME, ("a",)), Scope(ACME, ("a", "b"))]) == [1, 2]


def test_other_rows_of_a_namespace_do_not_show_in_a_score(table, index):
    """Statistics come from eligible rows only, so a score tells nothing about what one may not see."""
    table.put(row(1, "Put the zanzibar conclusion first.", path=("mine",)))
    asked = {"namespaces": [Scope(ACME, ("mine",))], "now": NOW}
    before = index.search("zanzibar conclusion", **asked)
    table.put(*(row(n, "zanzibar " * n, path=("theirs",)) for n in range(2, 40)))
    assert index.search("zanzibar conclusion", **asked) == before


def test_only_the_highest_version_of_a_slot_comes_back_from_damaged_data(table, index):
    table.put(row(1, key="k"), row(2, key="k", version=2), row(3, key="k", version=3, path=("elsewhere",)))
    assert found(index) == [2, 3]


def test_an_expired_newer_version_does_not_revive_the_older(table, index):
    table.put(row(1, key="k"), row(2, key="k", version=2, valid_until=NOW - DAY))
    assert found(index) == []


def test_as_of_shows_what_stood_then(table, index):
    table.put(
        row(1, key="k", status="superseded", created_at=NOW - 9 * DAY, retired_at=NOW - 5 * DAY),
        row(2, key="k", version=2, created_at=NOW - 5 * DAY),
        row(3, created_at=NOW - 9 * DAY, valid_until=NOW - 7 * DAY),
        row(4, created_at=NOW - 9 * DAY, status="paused"),
    )
    assert found(index, as_of=NOW - 8 * DAY) == [1, 3]
    assert found(index, as_of=NOW - 6 * DAY) == [1]
    assert found(index, as_of=NOW - 5 * DAY) == [2]
    assert found(index, as_of=NOW - 10 * DAY) == []


def test_as_of_never_shows_what_was_forgotten(table, index):
    table.put(row(1), row(2))
    assert found(index, as_of=NOW - DAY) == [1, 2]
    table.put(row(1, None, rev=3, status="deleted"))
    assert found(index, as_of=NOW - DAY) == [2]


# asking for nothing in particular


def test_a_blank_query_gives_the_most_authoritative_then_the_most_recently_confirmed(table, index):
    table.put(
        row(1, evidence_class="verified_reviewer", confirmed_at=NOW),
        row(2, confirmed_at=NOW - 3 * DAY),
        row(3, confirmed_at=NOW - 2 * DAY),
        row(4, confirmed_at=NOW - 2 * DAY),
    )
    for query in ("", " \n"):
        assert found(index, query) == [3, 4, 2, 1]
    assert found(index, "", limit=2) == [3, 4]
    reviewed_first = {"verified_reviewer": 2, "explicit_user": 1}
    assert found(index, "", authority=lambda _kind, name: reviewed_first[name])[0] == 1


def test_a_blank_query_passes_over_namespaces_without_rows(table, index):
    empty = UUID(int=7)
    table.put(row(1))
    answer = index.search("", namespaces=[Scope(empty), Scope(ACME)], now=NOW)
    assert [hit.namespace_id for hit in answer.hits] == [ACME]


@pytest.mark.parametrize("query", ["zxqv bnmtr wplk ghjdf", "冰川", "*", "--", "the of and", "' OR 2=2 --"])
def test_a_question_about_nothing_stored_finds_nothing(table, index, query):
    table.put(row(1, "Write changelogs as bullet points."), row(2, "报告先给结论"))
    result = index.search(query, namespaces=[Scope(ACME)], now=NOW)
    assert (result.hits, result.eligible, result.left_out(0.0, 0.0)) == ((), 2, 2)


# what changes


def test_only_changed_rows_are_read_again(table, index):
    table.put(*(row(n) for n in range(1, 6)))
    found(index)
    found(index)
    table.put(row(6))
    found(index)
    assert table.reads == [(ACME, -1, 5), (ACME, 5, 1)]


def test_an_edit_a_pause_and_an_erasure_reach_the_index(table, index):
    table.put(row(1), row(2, "Use metric units."), row(3))
    assert found(index) == [1, 3]
    table.put(row(2, "The conclusion comes first, always.", rev=4), row(1, rev=5, status="paused"))
    assert found(index) == [3, 2]
    assert found(index, "metric units") == []
    table.put(row(3, None, rev=6, status="deleted"))
    assert found(index) == [2]


def test_nothing_of_an_erased_row_stays_in_the_process(table, index):
    """Ids, term hashes, keys and area labels leave at once, not with some later clean-up."""
    table.put(row(1), row(2, "Zanzibar.", path=("secret area",)))
    found(index)
    table.put(row(2, None, rev=3, status="deleted", path=("secret area",)))
    found(index)
    rows = index.rows_of(ACME)
    [zanzibar] = tokens.term_hashes(["zanzibar"], SECRET)
    assert {rows.memory_id(at) for at in range(rows.size)} <= {UUID(int=1), UUID(int=0)}
    assert not rows.data["key"][~rows.alive].any()
    assert all(zanzibar not in segment.hashes for segment in rows.segments)
    assert set(rows.paths) == {""}


def test_a_row_read_twice_or_too_late_changes_nothing(table, index):
    table.put(row(1))
    found(index)
    table.put(row(1, "Use metric units.", rev=3))
    table.revisions[ACME] = 2  # committed by someone else between the two statements
    assert found(index, "metric") == [1]
    table.revisions[ACME] = 3
    assert found(index, "metric") == [1]
    assert index.rows_of(ACME).size == int(index.rows_of(ACME).alive.sum()) + 1


def test_a_restored_database_is_read_anew(table, index):
    table.put(row(1), row(2))
    assert found(index) == [1, 2]
    del table.rows_by_id[ACME][UUID(int=2).hex]
    table.revisions[ACME] = 1
    assert found(index) == [1]


def test_a_revision_the_caller_has_just_read_spares_a_statement(table, index):
    table.put(row(1))
    found(index)
    table.revision = None  # type: ignore[method-assign]
    assert found(index, namespaces=[Scope(ACME, (), 1)]) == [1]


def test_a_failed_read_leaves_the_index_as_it_was(table, index):
    table.put(row(1))
    found(index)
    table.put(row(2)._replace(pack=b"\x01broken"))
    with pytest.raises(ValueError, match="pack"):
        found(index)
    table.put(row(2))
    assert found(index) == [1, 2]


def test_the_least_recently_used_namespace_leaves_first(table):
    index = NamespaceIndex(table, SECRET, max_bytes=100_000)
    spaces = [UUID(int=n) for n in range(10, 20)]
    for space in spaces:
        table.put(*(row(n) for n in range(1, 60)), namespace=space)
    for space in spaces:
        index.rows_of(space)
        index.rows_of(spaces[0])
    table.reads.clear()
    index.rows_of(spaces[0])
    index.rows_of(spaces[-1])
    assert table.reads == []
    index.rows_of(spaces[1])
    assert [read[0] for read in table.reads] == [spaces[1]]


def test_a_forgotten_namespace_is_read_again(table, index):
    table.put(row(1))
    found(index)
    index.forget(ACME)
    index.forget(BETA)
    found(index)
    assert [read[1] for read in table.reads] == [-1, -1]


def test_one_secret_per_namespace_is_enough_for_each(table):
    table.put(row(1))
    packed = tokens.pack(tokens.count("Put the conclusion first."), b"another")
    table.put(row(2)._replace(pack=packed), namespace=BETA)
    index = NamespaceIndex(table, lambda namespace_id: SECRET if namespace_id == ACME else b"another")
    assert set(found(index, namespaces=[Scope(ACME), Scope(BETA)])) == {1, 2}


def test_threads_that_search_while_rows_change_see_whole_states(table, index):
    table.put(*(row(n) for n in range(1, 50)))
    wrong: list[object] = []

    def search() -> None:
        for _ in range(60):
            numbers = found(index)
            if numbers != sorted(numbers) or not set(range(1, 50)) <= set(numbers):
                wrong.append(numbers)

    threads = [threading.Thread(target=search) for _ in range(6)]
    for thread in threads:
        thread.start()
    for number in range(50, 120):
        table.put(row(number))
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(found(index, limit=200)) == 119


def _search_in_child(index: NamespaceIndex, answers) -> None:  # noqa: ANN001
    answers.put(found(index))


def test_a_forked_process_is_not_blocked_by_a_lock_held_at_the_fork(table, index):
    table.put(row(1))
    found(index)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    held = [index._lock, *index._locks]
    for lock in held:
        lock.acquire()
    child = context.Process(target=_search_in_child, args=(index, answers), daemon=True)
    child.start()
    for lock in held:
        lock.release()
    assert answers.get(timeout=20) == [1]
    child.join()


# against a slow and simple reference

WORDS = ["order", "answer", "first", "last", "table", "chart", "tone", "brief", "units", "metric"]
WORDS += ["结论", "依据", "先给", "语言", "图表"]
STATUSES = ["active"] * 6 + ["paused", "superseded"]


def reference(rows: list[Row], texts: dict[str, str], query: str, allowed) -> list[tuple[str, float]]:  # noqa: ANN001
    """Keyword scores the long way: one row and one term at a time."""
    eligible = [one for one in rows if allowed(one)]
    bags = {one.memory_id: tokens.count(texts[one.memory_id]) for one in eligible}
    asked = list(dict.fromkeys(tokens.terms(query)))
    n = len(eligible)
    average = sum(tokens.length(bag) for bag in bags.values()) / n if n else 1

    def worth(term: str) -> float:
        df = sum(term in bag for bag in bags.values())
        return tokens.weight(term) * math.log(1 + (rank.PRIOR_ROWS + n - df + 0.5) / (df + 0.5))

    mass = sum(map(worth, asked))
    keyword, hinted = {}, {}
    related = {term: [other for other in bridge.related(term) if other not in asked] for term in asked}
    for memory_id, bag in bags.items():
        norm = rank.K1 * (1 - rank.B + rank.B * tokens.length(bag) / average)
        direct = sum(worth(t) * (bag[t] * (rank.K1 + 1) / (bag[t] + norm) + rank.DELTA) for t in asked if t in bag)
        keyword[memory_id] = direct / (rank.FULL_MATCH * mass)
    for term in asked:
        by_hint = [i for i, bag in bags.items() if term not in bag and any(o in bag for o in related[term])]
        if len(by_hint) <= max(rank.COMMON_ROWS, rank.COMMON_SHARE * n):
            for memory_id in by_hint:
                hinted[memory_id] = hinted.get(memory_id, 0) + rank.BRIDGE * worth(term) / mass
    least = min((score for score in keyword.values() if score > 0), default=math.inf)
    total = {i: score if score > 0 else min(hinted.get(i, 0), least / 2) for i, score in keyword.items()}
    return sorted(((i, s) for i, s in total.items() if s > 0), key=lambda one: (-round(one[1], 6), one[0]))


def random_row(rng: random.Random, number: int, rev: int) -> tuple[Row, str]:
    text = " ".join(rng.choices(WORDS, k=rng.randint(1, 9)))
    made = row(
        number,
        text,
        rev=rev,
        status=rng.choice(STATUSES),
        kind=rng.choice(["preference", "profile"]),
        path=rng.choice([(), ("a",), ("a", "b"), ("ab",)]),
        valid_until=rng.choice([None, None, NOW + DAY, NOW - DAY, NOW]),
    )
    return made, text


@pytest.mark.parametrize("seed", range(12))
def test_search_equals_the_slow_reference_through_many_changes(seed):
    rng = random.Random(seed)  # noqa: S311
    table, texts = Table(), {}
    index = NamespaceIndex(table, SECRET)
    rev = 0
    for _ in range(25):
        for _ in range(rng.choice([1, 1, 2, 30])):
            rev += 1
            number = rng.randint(1, 120)
            if rng.random() < 0.1:
                table.put(row(number, None, rev=rev, status="deleted"))
                continue
            made, texts[made.memory_id] = (drawn := random_row(rng, number, rev))[0], drawn[1]
            table.put(made)
        area = rng.choice([(), ("a",), ("a", "b")])
        kinds = rng.choice([None, frozenset({"preference"})])
        query = " ".join(rng.sample(WORDS, k=rng.randint(1, 4)))

        def allowed(one: Row, area: tuple[str, ...] = area, kinds: frozenset[str] | None = kinds) -> bool:
            alive = one.pack is not None and one.status == "active"
            valid = one.valid_until is None or one.valid_until > instant(NOW)
            return alive and valid and path_of(one.path)[: len(area)] == area and (kinds is None or one.kind in kinds)

        expected = reference(list(table.rows_by_id[ACME].values()), texts, query, allowed)
        got = index.search(query, namespaces=[Scope(ACME, area)], kinds=kinds, now=NOW, limit=1000)
        assert {hit.memory_id.hex for hit in got.hits} == {memory_id for memory_id, _ in expected}
        scores = {hit.memory_id.hex: hit.score for hit in got.hits}
        assert scores == pytest.approx(dict(expected), abs=2e-6)
        assert list(got.hits) == sorted(got.hits, key=lambda hit: (-hit.score, hit.memory_id))
        fresh = NamespaceIndex(table, SECRET)
        again = fresh.search(query, namespaces=[Scope(ACME, area)], kinds=kinds, now=NOW, limit=7)
        assert again.hits == got.hits[:7]


def test_areas_stay_apart_after_one_of_them_was_erased(table, index):
    """What is blanked shares its place with no other name: a row that comes later falls into its own area."""
    table.put(row(1), row(2, path=("a",)), row(3, path=("b",), speaker=b"ben....."))
    table.put(row(4, path=("a",), speaker=b"ann....."))
    found(index)
    for number in (2, 4):
        table.put(row(number, None, rev=10 + number, status="deleted", path=("a",)))
    found(index)
    table.put(row(5, rev=20, path=("c",), speaker=b"cem....."))
    assert found(index, namespaces=[Scope(ACME, ("b",))]) == [3]
    assert found(index, namespaces=[Scope(ACME, ("c",))]) == [5]
    assert found(index) == [1, 3, 5]
    rows = index.rows_of(ACME)
    spoken = {rows.memory_id(at).int: rows.speakers[rows.data["speaker"][at]] for at in np.flatnonzero(rows.alive)}
    assert spoken == {1: b"", 3: b"ben.....", 5: b"cem....."}
