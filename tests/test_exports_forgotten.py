"""A file of memories is a store like any other: what is forgotten leaves it, and the receipt waits for that."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from cast import TEAM, Cast, Company, sentence, word
from django.conf import settings
from django.utils import timezone
from exchange import asked, export_of, file_of, lines_of, own, sweep

from accounts.principals import system
from memories import purging, stores
from memories.exchange import writing
from memories.models import Erasure, Export


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, exports_folder: Path) -> None:
    """No file of another test; and inside a test's transaction the log cannot be emptied (test_purging_files.py)."""
    shutil.rmtree(exports_folder, ignore_errors=True)
    monkeypatch.setattr(purging, "truncate_log", lambda: True)


def on_disk(mark: str) -> int:
    folder = Path(settings.STORAGES["exports"]["OPTIONS"]["location"])
    return sum(mark.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("mark", ["zorbeline", "乌龙茶馆", 'quo"te\\slash', "under_score*", "👩‍💻 emoji"])
@pytest.mark.parametrize("form", Export.Format.values)
def test_the_scan_finds_a_text_in_a_file_however_it_is_spelled(acme: Company, form: str, mark: str) -> None:
    acme.alice.store(aliases=[mark], conditions=f"When {mark}.")
    with acme.entered():
        assert stores.scan(mark) == {"memories": 1}
        asked(acme.alice, format=form)
    sweep(acme)
    with acme.entered():
        assert stores.scan(mark) == {"memories": 1, "exports": 1}


@pytest.mark.in_clear
def test_forgetting_takes_the_files_along_that_may_hold_it(
    acme: Company, django_capture_on_commit_callbacks: Any
) -> None:
    """R-143: at once, also those of others who could read it; files of other places stay."""
    mark = word(8)
    shared, mine = acme.alice.share(TEAM, sentence(mark)), acme.alice.store()
    adam = acme.person("adam")
    holding = [asked(acme.alice, namespaces=[TEAM]), asked(acme.rita, namespaces=[TEAM, {"type": "user"}])]
    whole, other = adam.post("/exports", {"scope": "tenant"}).json(), asked(acme.alice)
    sweep(acme)
    assert on_disk(mark) == 3
    with django_capture_on_commit_callbacks(execute=True):
        receipt = acme.by("relay", "rita").forget(shared)
    assert on_disk(mark) == 0
    assert receipt["counts"]["exports"] == 3
    for caller, export in ((acme.alice, holding[0]), (acme.rita, holding[1]), (adam, whole)):
        gone = export_of(caller, export)
        assert (gone["state"], gone["sha256"], gone["size"]) == ("withdrawn", None, None)
        answer = caller.get(f"/exports/{export['id']}/file")
        assert (answer.status_code, answer.json()["state"]) == (409, "withdrawn")
    assert [line["memory_id"] for line in lines_of(file_of(acme.alice, other))] == [mine["memory_id"]]
    assert acme.alice.post(f"/exports/{holding[0]['id']}/retry").status_code == 202
    sweep(acme)
    assert file_of(acme.alice, holding[0]) == b""


@pytest.mark.in_clear
def test_a_forgetting_is_not_purged_before_the_file_is_gone(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash between the two leaves the receipt at hidden; the next sweep removes the file and then says purged."""
    mark = word(8)
    memory = acme.alice.store(sentence(mark))
    asked(acme.alice)
    sweep(acme)
    erasure = acme.alice.forget(memory)  # what follows the commit has not run here, as after a crash
    assert on_disk(mark) == 1
    with monkeypatch.context() as patch, acme.entered():
        patch.setattr(purging.files, "clear", lambda _ids=None: 0)
        assert purging.purge_due(system(acme.tenant.pk), timezone.now())["erasures_purged"] == 0
    assert acme.alice.get(f"/erasures/{erasure['id']}").json()["state"] == "hidden"
    sweep(acme, seconds=10)
    assert on_disk(mark) == 0
    assert acme.alice.get(f"/erasures/{erasure['id']}").json()["state"] == "purged"


def test_what_is_forgotten_while_a_file_is_written_is_not_in_it(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """D1: the writer notices, removes what it wrote, and begins anew without it."""
    mark = word(8)
    memory, kept = acme.alice.store(sentence(mark)), acme.alice.store()
    export = asked(acme.alice)
    step = writing._step

    def forgotten_meanwhile(row: Export, count: int) -> None:
        acme.alice.forget(memory)
        step(row, count)

    with monkeypatch.context() as patch:
        patch.setattr(writing, "_step", forgotten_meanwhile)
        assert "exports_written" not in sweep(acme)
    assert on_disk(mark) == 0
    assert export_of(acme.alice, export)["state"] == "withdrawn"
    sweep(acme)
    sweep(acme)
    assert [line["memory_id"] for line in lines_of(file_of(acme.alice, export))] == [kept["memory_id"]]
    with acme.entered():
        assert {row.state for row in Erasure.objects.all()} == {"purged"}


def test_a_file_begun_after_a_forgetting_does_not_hold_it_up(acme: Company) -> None:
    acme.alice.store()
    erasure = acme.alice.forget(acme.alice.store())
    export = asked(acme.alice)
    with acme.entered():
        assert writing.write(Export.objects.get())
    sweep(acme)
    assert acme.alice.get(f"/erasures/{erasure['id']}").json()["state"] == "purged"
    assert file_of(acme.alice, export) == own(acme.alice)


def test_forgetting_in_one_company_leaves_the_files_of_another(cast: Cast) -> None:
    cast.beta.bob.store()
    export = asked(cast.beta.bob)
    sweep(cast.beta)
    cast.acme.alice.forget(cast.acme.alice.store())
    sweep(cast.acme)
    assert file_of(cast.beta.bob, export)
