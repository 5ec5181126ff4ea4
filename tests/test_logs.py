"""Logs: ids, codes and counts get through; prose, unknown keys and the words of exceptions never do."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from django.db import OperationalError

from memoryhub import logs

CANARY = "my favourite tea is oolong"
ID = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.fixture
def written() -> Iterator[Any]:
    """What has been logged since the test began, one dictionary a line."""
    handler = next(one for one in logging.getLogger().handlers if getattr(one, "memoryhub", False))
    stream = io.StringIO()
    before = handler.setStream(stream)
    formatter = handler.formatter
    logs.configure(level="DEBUG", form="json")
    handler = next(one for one in logging.getLogger().handlers if getattr(one, "memoryhub", False))
    handler.setStream(stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    handler.setStream(before)
    handler.setFormatter(formatter)
    logging.getLogger().setLevel("INFO")


def test_ids_codes_and_counts_are_written(written: Any) -> None:
    structlog.get_logger("t").info("memory_stored", memory_id=ID, code="policy_accepted", hits_count=3, ms=1.5)
    (line,) = written()
    assert line.items() >= {
        "event": "memory_stored", "memory_id": ID, "code": "policy_accepted", "hits_count": 3, "ms": 1.5,
        "level": "info",
    }.items()  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        {"statement": CANARY},
        {"text": "oolong"},
        {"memory_id": CANARY},
        {"code": CANARY},
        {"path": "乌龙茶"},
        {"subject_ids": [ID, CANARY]},
        {"error_id": {"nested": CANARY}},
    ],
)
def test_unknown_keys_and_values_that_could_be_prose_are_dropped(written: Any, fields: dict[str, object]) -> None:
    structlog.get_logger("t").warning("memory_stored", **fields)
    (line,) = written()
    assert line["event"] == "memory_stored"
    assert set(fields) & set(line) == set()


def test_an_event_that_is_a_sentence_is_dropped(written: Any) -> None:
    structlog.get_logger("t").info(CANARY)
    assert written()[0]["event"] == "unnamed_event"


def test_an_exception_is_told_by_type_code_and_place_never_by_its_words(written: Any) -> None:
    class Refused(Exception):
        code = "lower_authority"

    try:
        raise Refused(CANARY)
    except Refused:
        structlog.get_logger("t").exception("write_failed")
        logging.getLogger("library").exception("failed with %s", CANARY)
    ours, foreign = written()
    for line in (ours, foreign):
        assert line["error"].endswith("Refused")
        assert line["code"] == "lower_authority"
        assert any("test_logs.py" in place for place in line["where"])
        assert "oolong" not in json.dumps(line)


@pytest.mark.parametrize("message", [f"stored {CANARY}", "stored %s"])
def test_a_library_says_where_but_not_what(written: Any, message: str) -> None:
    arguments = (CANARY,) if "%s" in message else ()
    logging.getLogger("library").error(message, *arguments)
    (line,) = written()
    assert (line["event"], line["logger"]) == ("library_message", "library")
    assert "oolong" not in json.dumps(line)


def test_a_request_is_one_line_with_its_route_not_its_address(written: Any, client: Any) -> None:
    client.get("/livez/oolong?q=oolong", headers={"X-Request-Id": ID})
    (line,) = [one for one in written() if one["event"] == "request"]
    assert line.items() >= {"method": "GET", "path": "unmatched", "status": 404, "request_id": ID}.items()
    assert "oolong" not in json.dumps(written())


@pytest.mark.django_db
def test_a_command_tells_of_a_failing_database_by_its_class(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    import manage

    manage.main(["manage.py", "verify_audit"])

    def fail(*args: Any, **options: Any) -> None:
        raise OperationalError(f"DETAIL: row contains {CANARY}")

    monkeypatch.setattr("memoryhub.management.commands.verify_audit.Command.handle", fail)
    with pytest.raises(SystemExit) as told:
        manage.main(["manage.py", "verify_audit"])
    assert "OperationalError" in str(told.value)
    assert CANARY not in str(told.value)
    assert CANARY not in "".join(capsys.readouterr())
    with pytest.raises(OperationalError):
        manage.main(["manage.py", "verify_audit", "--traceback"])
