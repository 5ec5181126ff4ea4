"""`verify_erasure` finds a text wherever it stands, tells where and how often and never what, and is quiet when it is
nowhere."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from cast import Company, word
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from memories.stores import STORES
from memoryhub.canaries import Canaries


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation's folder of this test alone."""
    folder = tmp_path / "var"
    folder.mkdir()
    monkeypatch.setattr(settings, "VAR_DIR", folder)
    return folder


def look_for(tmp_path: Path, *marks: str, **options: Any) -> tuple[bool, dict[str, int], str]:
    """Whether it was clean, the hits by place, and all that was printed."""
    file, out = tmp_path / "canaries.txt", io.StringIO()
    file.write_text("\n".join(marks) + "\n", encoding="utf-8")
    try:
        call_command("verify_erasure", canary_file=file, stdout=out, **options)
        clean, said = True, ""
    except CommandError as error:
        clean, said = False, str(error)
    shown = out.getvalue()
    hits = {name.strip(): int(count) for name, count in re.findall(r"│ ([^│]+?)\s*│ (\d+)\s*│", shown)}
    return clean, {name: count for name, count in hits.items() if count}, shown + said


@pytest.mark.parametrize("mark", ["zorbeline-harvest", "乌龙茶馆的秘密花园名单", 'quo"te\\slash-harvest'])
@pytest.mark.in_clear
def test_a_text_is_found_in_rows_in_whatever_column_and_escaping(
    acme: Company, home: Path, tmp_path: Path, mark: str
) -> None:
    memory = acme.alice.store(aliases=[mark], evidence=acme.alice.evidence(text=f"Well: {mark}."))
    clean, hits, shown = look_for(tmp_path, mark, "another-canary-that-is-nowhere")
    assert not clean
    assert {name: hits[name] for name in hits if name.startswith("rows")} == {
        "rows of memories_memory": 1,
        "rows of memories_evidence": 1,
    }
    assert mark not in shown
    acme.alice.forget(memory)
    _, hits, _ = look_for(tmp_path, mark)
    assert not [name for name in hits if name.startswith("rows")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "unicode_escape"])
def test_a_text_is_found_in_files_and_logs(db: None, home: Path, tmp_path: Path, encoding: str) -> None:
    mark, logs = "乌龙茶馆的秘密花园名单", tmp_path / "logs"
    logs.mkdir()
    (home / "exports").mkdir()
    for file in (home / "exports" / "one.jsonl", logs / "today.log"):
        file.write_bytes(b"x" * 5000 + mark.encode(encoding) + b"y" * 70)
    clean, hits, _ = look_for(tmp_path, mark, also=[logs])
    assert not clean
    assert [count for name, count in hits.items() if name.startswith("files under")] == [1, 1]


def test_a_text_across_two_blocks_of_a_large_file_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryhub.canaries.CHUNK", 64)
    mark = "zorbeline-harvest"
    for before in range(40, 70):
        assert Canaries([mark]).count_stream(io.BytesIO(b"." * before + mark.encode() + b"." * 100)) == 1
    assert Canaries([mark]).count(b"zorbeline-harves") == 0
    assert Canaries([mark]).count(b"") == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"short\n", "line 1 is shorter"),
        (b"long enough it is\n\nshort\n", "line 3 is shorter"),
        (b"\n \n", "holds no canary"),
        (b"\xff\xfe\xff secret bytes", "not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_without_quoting_it(
    db: None, home: Path, tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "canaries.txt"
    file.write_bytes(content)
    with pytest.raises(CommandError, match=said) as refused:
        call_command("verify_erasure", canary_file=file)
    assert "secret" not in str(refused.value)


def test_a_file_that_is_not_there_is_said_so(db: None, home: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("verify_erasure", canary_file=tmp_path / "nothing")
    look = tmp_path / "canaries.txt"
    look.write_text("zorbeline-harvest")
    with pytest.raises(CommandError, match="does not exist"):
        call_command("verify_erasure", canary_file=look, also=[tmp_path / "nothing"])


def test_what_cannot_be_looked_into_is_said_and_no_success(db: None, home: Path, tmp_path: Path) -> None:
    _, _, shown = look_for(tmp_path, "zorbeline-harvest")
    assert "it lives in the memory of each process" in shown
    assert "not configured" in shown


@pytest.mark.redis
def test_a_text_is_found_in_the_broker(
    db: None, home: Path, tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import redis

    monkeypatch.setattr(settings, "CELERY_BROKER_URL", redis_url)
    mark, client = word(9), redis.Redis.from_url(redis_url)
    client.rpush(f"queue-{mark[:4]}", f'{{"body": "{mark}"}}')
    try:
        assert look_for(tmp_path, mark)[1]["broker"] == 1
    finally:
        client.delete(f"queue-{mark[:4]}")
    assert "broker" not in look_for(tmp_path, mark)[1]


@pytest.mark.pg
def test_the_planner_keeps_no_sample_of_a_text(db: None) -> None:
    """A statistics target of 0 on each registered column; else ANALYZE copies values into pg_statistic."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, attname FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid "
            "WHERE attstattarget = 0 AND attnum > 0"
        )
        without = set(cursor.fetchall())
    texts = {
        (store.model._meta.db_table, store.model._meta.get_field(name).column)
        for store in STORES
        for name in store.columns
        if name != "embedder"
    }
    assert texts - without == set()
