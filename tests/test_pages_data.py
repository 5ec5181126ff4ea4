"""The pages of taking along and bringing in: a plain form does everything, and every state says what it means."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from cast import TEAM, Company, new_key, sentence, text_of, word
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from exchange import asked, entry, hand_over, own, sweep
from test_pages import LANGUAGES, checked, page

from memories.exchange import exporting, importing, views
from memories.models import Export, Import, Memory


def posted(client: Client, path: str, status: int = 302, **fields: Any) -> str:
    response = client.post(path, fields)
    assert response.status_code == status, text_of(response)
    return str(response["Location"]) if status == 302 else checked(response)


def upload(content: bytes | list[Any], **fields: Any) -> dict[str, Any]:
    if isinstance(content, list):
        content = "\n".join(json.dumps(line) for line in content).encode()
    return {"file": SimpleUploadedFile("memories.jsonl", content), "format": "jsonl", "place": "", **fields}


def test_a_person_takes_everything_along(acme: Company) -> None:
    """R-260: in four steps from home, with plain forms."""
    mine, shared = acme.alice.store(), acme.alice.share(TEAM)
    client = acme.person("alice").client
    assert 'href="/data/"' in page(client, "/")
    html = page(client, "/data/")
    assert "You have made no file yet" in html
    assert "the whole organisation" not in html
    address = posted(client, "/data/exports/", place="readable", format="jsonl")
    assert "waiting to be made" in page(client, address)
    sweep(acme)
    html = page(client, address)
    assert f'href="{address}file/"' in html
    response = client.get(f"{address}file/")
    assert re.fullmatch(r'attachment; filename="memoryhub-[\d-]+\.jsonl"', response["Content-Disposition"])
    content = b"".join(response.streaming_content).decode()
    assert mine["statement"] in content
    assert shared["statement"] in content
    with acme.entered():
        assert Export.objects.get().sha256 in html
    posted(client, f"{address}cancel/")
    assert "there is no file" in page(client, address)
    assert client.get(f"{address}file/").status_code == 409
    posted(client, f"{address}retry/")
    assert "waiting to be made" in page(client, address)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_of_an_export_has_its_page(acme: Company, language: str) -> None:
    person = acme.person("alice")
    acme.alice.store()
    export = asked(person)
    sweep(acme)
    for state in Export.State.values:
        for error in ("", "storage_failed"):
            with acme.entered():
                Export.objects.update(state=state, error=error, total=2, written=1)
            page(person.client, f"/data/exports/{export['id']}/", language)
            page(person.client, "/data/", language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_of_an_import_has_its_page(acme: Company, language: str) -> None:
    person, known = acme.person("alice"), acme.alice.store()
    lines = [entry(sentence(), new_key()), entry(sentence(), known["key"]), {"kind": 1}, entry("x", "k", kind="plan")]
    answer = hand_over(person, lines, dry_run=True)
    for state in Import.State.values:
        with acme.entered():
            Import.objects.update(state=state, error="no_longer_permitted")
        page(person.client, f"/data/imports/{answer['id']}/", language)
        page(person.client, f"/data/imports/{answer['id']}/?result=refused&page=x", language)
        page(person.client, "/data/", language)


def test_a_person_brings_a_file_in_after_looking(acme: Company) -> None:
    known, mark = acme.alice.store(), word(7)
    client = acme.person("alice").client
    lines = [entry(sentence(mark), new_key()), entry(sentence(), known["key"]), {"kind": "preference"}]
    address = posted(client, "/data/imports/", **upload(lines))
    html = page(client, address)
    assert mark in html
    assert known["statement"] in html, "what stands is shown beside what the file says"
    assert lines[1]["statement"] in html
    assert "A field is missing." in html
    assert mark not in page(client, f"{address}?result=refused")
    with acme.entered():
        assert Memory.objects.count() == 1
    posted(client, f"{address}start/", replace="on")
    assert "waiting to be carried out" in page(client, address)
    sweep(acme)
    html = page(client, address)
    assert mark not in html, "the texts of the file are gone from here"
    assert "It is done." in html
    current = {row["statement"] for row in acme.alice.listed() if row["status"] == "active"}
    assert current == {lines[0]["statement"], lines[1]["statement"]}
    assert client.post(f"{address}start/").status_code == 409


def test_a_file_can_go_to_a_chosen_place(acme: Company) -> None:
    alice = acme.alice
    alice.store()
    paul = acme.person("paul").client
    address = posted(paul, "/data/imports/", **upload(own(alice), place="user:paul"))
    posted(paul, f"{address}start/")
    sweep(acme)
    assert [row["statement"] for row in acme.paul.listed()] == [row["statement"] for row in alice.listed()]


def test_what_is_wrong_with_a_file_is_said_beside_it(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    client = acme.person("alice").client
    monkeypatch.setattr(importing, "MAX_LINES", 1)
    for sent, words in (
        (upload(b""), "The file is empty."),
        (upload(b"x\ny"), "The file has more than 10,000 lines; split it."),
        (upload(b"x", format="xml"), "Select a valid choice."),
        (upload(b"x", place="user:paul"), "Select a valid choice."),
        ({"format": "jsonl"}, "This field is required."),
    ):
        html = posted(client, "/data/imports/", 400, **sent)
        assert words in html
        assert 'aria-invalid="true"' in html
    monkeypatch.setattr(importing, "MAX_LINES", 9)
    monkeypatch.setattr(views.settings, "FILE_UPLOAD_MAX_MEMORY_SIZE", 1000)
    assert "larger than 16 MiB" in posted(client, "/data/imports/", 400, **upload(b"x" * 2000))
    with acme.entered():
        assert not Import.objects.exists()


def test_a_handed_over_file_never_touches_the_disk(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the gate refuses is nowhere, so the upload is not spooled to a temporary file either."""

    def spooled(*_: object, **__: object) -> None:
        raise AssertionError("a temporary file was made")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", spooled)
    large = upload(b"\n".join([json.dumps(entry(sentence(), "k" * 9)).encode()] * 20 + [b" " * 4_000_000]))
    posted(acme.person("alice").client, "/data/imports/", **large)


def test_only_an_admin_is_offered_the_whole_organisation(acme: Company) -> None:
    acme.paul.store()
    adam, alice = acme.person("adam").client, acme.person("alice").client
    assert "all teams, projects and agents" in page(adam, "/data/")
    address = posted(adam, "/data/exports/", place="tenant", format="csv")
    sweep(acme)
    assert "all teams, projects and agents" in page(adam, address)
    for place in ("tenant", "user:paul", "team:night"):
        assert "Select a valid choice." in posted(alice, "/data/exports/", 400, place=place, format="jsonl")


def test_one_who_has_too_many_is_told(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "MOST_OPEN", 0)
    client = acme.person("alice").client
    html = posted(client, "/data/exports/", 409, place="user:alice", format="jsonl")
    assert "too many exports" in html


def test_long_files_have_pages(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "LINES", 2)
    client = acme.person("alice").client
    address = posted(client, "/data/imports/", **upload([entry(sentence(), new_key()) for _ in range(3)]))
    assert page(client, f"{address}?result=new").count("Line ") == 2
    assert 'href="?result=new&amp;page=2"' in page(client, f"{address}?result=new")
    assert page(client, f"{address}?page=2").count("Line ") == 1


def test_the_form_of_a_line_is_published(db: None) -> None:
    response = Client().get("/data/memory-1.schema.json")
    assert response["Content-Type"] == "application/schema+json"
    assert response.json()["properties"]["statement"] == {"$ref": "#/$defs/sentence"}
