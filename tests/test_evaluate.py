"""`evaluate`: its input, its figures and bars, and that nothing of a run stays."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from accounts import tenancy
from accounts.models import Tenant
from memories.evaluation import world
from memories.search import rows

pytestmark = pytest.mark.django_db
LAB = Path(__file__).parent / "cases" / "lab.jsonl"


def proposal(number: int, **changes: Any) -> dict[str, Any]:
    """A write-gate row: Alice says something lasting about herself."""
    row = {
        "id": f"row-{number}",
        "text": "From now on, list the freshest tea first.",
        "evidence_type": "explicit_user",
        "kind": "preference",
        "namespace": ["acme", "user_alice"],
        "key": "offer_order",
        "valid_until": None,
        "reusable": None,
        "caller": {"tenant": "acme", "subject": "user_alice"},
        "existing": [],
        "expected": "store",
        "acceptable": ["store"],
        "firm": True,
    }
    return {**row, **changes}


def evaluate(suite: str, file: Path, **options: Any) -> str:
    out = StringIO()
    call_command("evaluate", suite, file, stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Callable[[Sequence[dict[str, Any]]], Path]:
    def write(documents: Sequence[dict[str, Any]]) -> Path:
        path = tmp_path / "cases.jsonl"
        path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
        return path

    return write


def counts() -> dict[str, int]:
    """How many rows every table holds, of all tenants."""
    return {
        model._meta.label: getattr(model, "everywhere", model._base_manager).count()
        for model in apps.get_models()
        if model._meta.managed
    }


def test_a_run_answers_row_by_row_in_the_order_of_the_file(file: Any, tmp_path: Path) -> None:
    path = file([proposal(2), proposal(1, evidence_type="model_inference")])
    with pytest.raises(CommandError):
        evaluate("writegate", path, json=tmp_path / "out.json", min=["accuracy=1"])
    assert json.loads((tmp_path / "out.json").read_text()) == {
        "suite": "writegate",
        "rows": [
            {"id": "row-2", "expected": "store", "got": "store", "reason": "policy_accepted", "ok": True},
            {
                "id": "row-1",
                "expected": "store",
                "got": "needs_confirmation",
                "reason": "inference_requires_confirmation",
                "ok": False,
            },
        ],
        "metrics": {
            "total": 2,
            "ok": 1,
            "accuracy": 0.5,
            "firm_acceptable": 0.5,
            "exact": 0.5,
            "dangerous": 0,
        },
    }


def test_a_packed_file_answers_like_a_plain_one(tmp_path: Path) -> None:
    packed = tmp_path / "cases.jsonl.gz"
    packed.write_bytes(gzip.compress(LAB.read_bytes()))
    assert evaluate("lab", packed) == evaluate("lab", LAB)


def test_a_failing_row_is_told_in_codes_and_never_in_its_words(file: Any) -> None:
    told = evaluate(
        "writegate", file([proposal(1, text="Canarybird sings at dawn.", expected="reject", acceptable=[])])
    )
    assert "FAILED row-1: expected reject, got store (policy_accepted)" in told
    assert "anarybird" not in told


@pytest.mark.parametrize(
    ("option", "met", "missed"),
    [("min", "firm_acceptable=1", "firm_acceptable=1.01"), ("max", "dangerous=0", "dangerous=-1")],
)
def test_a_missed_bar_fails_and_a_met_one_does_not(file: Any, option: str, met: str, missed: str) -> None:
    path = file([proposal(1)])
    evaluate("writegate", path, **{option: [met]})
    with pytest.raises(CommandError, match=missed.partition("=")[0]) as failure:
        evaluate("writegate", path, **{option: [met, missed]})
    assert failure.value.returncode == 1


def test_a_bar_on_what_no_row_is_about_is_missed(file: Any) -> None:
    path = file([proposal(1, firm=False)])
    with pytest.raises(CommandError, match="not measured"):
        evaluate("writegate", path, min=["firm_acceptable=0"])


@pytest.mark.parametrize("bar", ["firm", "=1", "firm_acceptable=high", "unheard_of=1"])
def test_a_bar_that_means_nothing_is_an_error(file: Any, bar: str) -> None:
    with pytest.raises(CommandError):
        evaluate("writegate", file([proposal(1)]), min=[bar])


def test_a_malformed_line_is_named_by_its_number_and_nothing_runs(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(proposal(1)) + "\n\n" + '{"id": "canarybird"' + "\n")
    with pytest.raises(CommandError, match=r"^line 3: is no JSON$"):
        evaluate("writegate", path)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"text": None}, "line 2, key 'text'"),
        ({"kind": 7}, "line 2, key 'kind'"),
        ({"evidence_type": "hearsay"}, "line 2, key 'evidence_type'"),
        ({"valid_until": "soon"}, "line 2, key 'valid_until'"),
        ({"namespace": "acme"}, "line 2, key 'namespace'"),
        ({"reusable": "false"}, "line 2, key 'reusable'"),
        ({"caller": {"tenant": "acme"}}, "line 2, key 'caller.subject'"),
        ({"existing": [{}]}, "line 2, key 'existing.0.namespace'"),
        ({"acceptable": "store"}, "line 2, key 'acceptable'"),
        ({"id": "row-1"}, "line 2, key 'id'"),
    ],
)
def test_a_wrong_key_is_named_with_its_line(file: Any, change: dict[str, Any], place: str) -> None:
    assert evaluate("writegate", file([proposal(1), proposal(2)]))
    with pytest.raises(CommandError, match=place):
        evaluate("writegate", file([proposal(1), proposal(2, **change)]))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl.gz"
    torn.write_bytes(gzip.compress(LAB.read_bytes())[:100])
    for path in (tmp_path / "absent.jsonl", torn, tmp_path):
        with pytest.raises(CommandError):
            evaluate("lab", path)


def test_nothing_of_a_run_stays(file: Any) -> None:
    Tenant.objects.create(slug="acme", name="Acme")
    before = counts()
    kept = set(rows.index()._kept)
    evaluate("lab", LAB)
    evaluate("writegate", file([proposal(1)]))
    assert counts() == before
    assert set(rows.index()._kept) == kept
    assert tenancy.active_id() is None


def test_nothing_stays_of_a_run_that_breaks_down(monkeypatch: pytest.MonkeyPatch) -> None:
    before = counts()
    monkeypatch.setattr(world.recalling, "recall", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        evaluate("lab", LAB)
    assert counts() == before
    assert tenancy.active_id() is None


def test_a_run_has_a_tenant_of_its_own_beside_one_of_the_same_name(file: Any) -> None:
    """Acme is real here, with an offer order of Alice's; the rows of the file mean a scratch Acme."""
    from memories.evaluation.cast import Cast
    from memories.evaluation.names import Name

    cast = Cast()
    cast.add(Name("acme", "user", "user_alice"))
    with world.scratch(cast, {"confirm": "always"}):
        before = counts()
        evaluate("writegate", file([proposal(1, expected="store")]), min=["accuracy=1"])
        assert counts() == before


@pytest.mark.parametrize("suite", ["writegate", "lab"])
def test_reports_say_what_a_good_result_does_not_prove(file: Any, tmp_path: Path, suite: str) -> None:
    evaluate(suite, LAB if suite == "lab" else file([proposal(1)]), report=tmp_path / "reports")
    told = [path.read_text() for path in (tmp_path / "reports").glob("*.md")]
    assert told
    assert all("does not prove that answers get better" in text for text in told)
