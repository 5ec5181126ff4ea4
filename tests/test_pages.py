"""The pages as a browser gets them: each answers in both languages, whole, and shows nothing of others."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cast import ABSENT, TEAM, Cast, Company, in_months, new_key, sentence, word
from django.db import OperationalError, connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from accounts.models import AuditEvent, User
from memories import list_forms
from memories.models import Memory
from memoryhub import translations
from memoryhub.failures import too_many

LANGUAGES = ("en", "zh-hans")
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style\b|\sstyle=|\son[a-z]+=[\"']|javascript:", re.IGNORECASE)
OPEN_PAGES = ("/", "/help/", "/problems/stale_version/", "/problems/no_such_code/", "/account/login/")
OPEN_PAGES += ("/account/password/reset/", "/account/signup/")
OWN_PAGES = ("/", "/memories/", "/memories/new/", "/data/", "/waiting/", "/settings/", "/help/", "/account/logout/")
OWN_PAGES += ("/settings/memory/", "/settings/notices/", "/notices/", "/activity/", "/activity/?own_reading=on")
OWN_PAGES += ("/agents/", "/agents/new/", "/developers/", "/developers/calls/", "/developers/recall/", "/groups/")
OWN_PAGES += ("/account/password/set/", "/account/2fa/", "/account/email/")

MOST_STATEMENTS = {"/": 11, "/memories/": 11, "/memories/?q=list": 12, "/waiting/": 14, "/data/": 8, "/agents/": 6}
MOST_STATEMENTS |= {"/settings/": 5, "/activity/": 11, "/playbook/": 10}
"""Without the begin and end of a transaction. The session, who that is, the notices of the bell, and an event where
memories are read are among them."""


def page(client: Client, path: str, language: str = "en", status: int = 200) -> str:
    """The HTML of a page, after what holds for every page was looked at."""
    client.cookies["django_language"] = language
    response = client.get(path)
    assert response.status_code == status, path
    return checked(response, language)


def checked(response: Any, language: str = "en") -> str:
    html = str(response.content, "utf-8")
    assert "default-src 'self'" in response["Content-Security-Policy"]
    assert "no-store" in response["Cache-Control"]
    assert not INLINE.search(html)
    assert f'<html lang="{"zh-Hans" if language == "zh-hans" else "en"}"' in html
    assert html.count("<h1") == html.count("<main") == 1
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert sorted(ids) == sorted(set(ids))
    return html


def words_of(html: str) -> str:
    """What a page says to its reader, labels for screen readers included."""
    told = re.findall(r'(?:aria-label|title|placeholder|alt)="([^"]*)"', html)
    return " ".join([re.sub(r"<[^>]*>", "\n", html), *told])


def everything(acme: Company, client: Client) -> list[str]:
    """The addresses of all pages of one person, with something on each."""
    memory, held, gone = acme.alice.store(), acme.alice.hold(), acme.alice.forget(acme.alice.store())
    url = f"/memories/{memory['memory_id']}/"
    return [*OWN_PAGES, url, f"{url}correct/", f"{url}forget/", f"/candidates/{held['candidate_id']}/",
            f"/erasures/{gone['id']}/", f"/memories/{gone['memory_ids'][0]}/"]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", OPEN_PAGES)
def test_open_pages_answer(db: None, path: str, language: str) -> None:
    page(Client(), path, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_persons_pages_answer_whether_empty_or_full(acme: Company, language: str) -> None:
    alice = acme.person("alice").client
    for path in OWN_PAGES:
        page(alice, path, language)
    for path in everything(acme, alice):
        page(alice, path, language)


def test_a_page_in_chinese_holds_no_english_sentence_of_ours(acme: Company) -> None:
    english = {one.text for one in translations.collect() if len(one.text) > 3 and "%" not in one.text}
    with translation.override("zh-hans"):
        english = {text for text in english if translation.gettext(text) != text}
    alice, rita = acme.person("alice").client, acme.person("rita").client
    reviewed = {"namespace": TEAM, "kind": "lesson", "valid_until": in_months()}
    assert acme.alice.propose(**reviewed).status_code == 202
    pages = [page(alice, path, "zh-hans") for path in everything(acme, alice)]
    pages += [
        page(rita, "/reviews/", "zh-hans"),
        *(
            page(acme.person("adam").client, path, "zh-hans")
            for path in ("/audit/", "/audit/figures/", "/members/", "/groups/new/")
        ),
        page(Client(), "/account/login/", "zh-hans"),
    ]
    pages += [page(alice, "/reviews/", "zh-hans", status=403), page(alice, f"/memories/{ABSENT}/", "zh-hans", 404)]
    for html in pages:
        lines = {line.strip() for line in words_of(html).splitlines()}
        assert lines & english == set()


def test_pages_of_a_person_ask_visitors_to_sign_in(db: None) -> None:
    for path in ("/memories/", "/waiting/", "/reviews/", "/settings/", f"/memories/{ABSENT}/", f"/erasures/{ABSENT}/"):
        response = Client().get(path)
        assert (response.status_code, response["Location"]) == (302, f"/account/login/?next={path}")


def test_a_person_signs_in_with_a_password(acme: Company) -> None:
    user = acme.member("alice").user
    user.set_password(password := f"{word()}-{word()}-{word()}")
    user.save()
    client = Client()
    wrong = client.post("/account/login/", {"login": user.email, "password": password + "x"})
    assert wrong.status_code == 200
    assert 'role="alert"' in checked(wrong)
    right = client.post("/account/login/", {"login": user.email, "password": password})
    assert (right.status_code, right["Location"]) == (302, "/")
    assert "You are signed in." in page(client, "/")


def test_someone_without_an_organisation_is_told_so(db: None) -> None:
    client = Client()
    client.force_login(User.objects.create_user("nobody@nowhere.example"))
    for path in ("/", "/memories/", "/settings/"):
        assert "You belong to no organisation here" in page(client, path, status=403)


def test_what_belongs_to_others_is_the_same_page_as_what_is_absent(cast: Cast) -> None:
    caller = cast.acme.alice
    memory, held, gone = caller.store(), caller.hold(), caller.forget(caller.store())
    paths = [f"/memories/{memory['memory_id']}/{end}" for end in ("", "correct/", "forget/")]
    paths += [f"/candidates/{held['candidate_id']}/", f"/erasures/{gone['id']}/"]
    absent = cast.acme.person("alice").client.get(f"/memories/{ABSENT}/")
    for company, name in ((cast.acme, "paul"), (cast.acme, "rita"), (cast.beta, "bob"), (cast.beta, "alice")):
        client = company.person(name).client
        for path in paths:
            response = client.get(path)
            assert (response.status_code, response.content) == (404, absent.content)
        assert memory["statement"] not in page(client, "/memories/")
        assert held["statement"] not in page(client, "/waiting/")


@pytest.mark.in_clear
def test_text_that_looks_like_markup_or_never_breaks_is_shown_as_text(acme: Company) -> None:
    odd = ["<b>bold</b> & {{ 1|add:1 }} <!-- 'x' -->", "w" * 2000, "שלום עולם", "‮reversed", "先结论后原因"]
    for text in odd:
        memory = acme.alice.store()
        with acme.entered():  # the gate refuses some of these; the page must not depend on it
            Memory.objects.filter(pk=memory["memory_id"]).update(statement=text, conditions=text, value={"a": text})
        page(acme.person("alice").client, f"/memories/{memory['memory_id']}/")
    html = page(acme.person("alice").client, "/memories/")
    assert "<b>" not in html
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; {{ 1|add:1 }} &lt;!--" in html
    assert html.count('dir="auto"') >= len(odd)
    assert 'lang="zh-Hans">先结论后原因' in html


def test_the_list_narrows_by_words_status_kind_and_place(acme: Company) -> None:
    mark, other = word(), word()
    first, second = acme.alice.store(sentence(mark)), acme.alice.store(sentence(other))
    shared = acme.alice.share(TEAM, f"Check the {word()} ledger twice before closing the month.")
    acme.alice.post(f"/memories/{second['memory_id']}/pause")
    client = acme.person("alice").client

    def found(query: str) -> set[str]:
        html = page(client, f"/memories/?{query}")
        return {one["memory_id"] for one in (first, second, shared) if f"/memories/{one['memory_id']}/" in html}

    assert found("") == {first["memory_id"], second["memory_id"], shared["memory_id"]}
    assert found(f"q={mark}") == {first["memory_id"]}
    assert found("status=paused") == {second["memory_id"]}
    assert found("status=active&kind=preference") == {first["memory_id"]}
    assert found("kind=lesson") == found("namespace=team:support") == {shared["memory_id"]}
    assert found("status=expired") == found(f"q={new_key()}") == set()
    assert found("namespace=team:night") == found("status=gone") == set()


def test_long_lists_have_numbered_pages_and_keep_their_filter(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_forms, "SIZES", (2,))
    for _ in range(3):
        acme.alice.store()
    client = acme.person("alice").client
    first, last = page(client, "/memories/?kind=preference"), page(client, "/memories/?kind=preference&page=2")
    assert (first.count('class="row"'), last.count('class="row"')) == (2, 1)
    assert 'href="?kind=preference&amp;page=2"' in first
    assert page(client, "/memories/?page=nonsense").count('class="row"') == 2


def test_reading_pages_leaves_a_trace_without_text(acme: Company) -> None:
    memory = acme.alice.store()
    client = acme.person("alice").client
    page(client, "/memories/")
    page(client, f"/memories/{memory['memory_id']}/")
    with acme.entered():
        events = list(AuditEvent.objects.order_by("-pk")[:2])
    assert [event.action for event in events] == ["memory.history", "memory.list"]
    assert str(events[0].target_id) == memory["memory_id"]


def test_what_was_refused_leaves_a_trace_too(cast: Cast) -> None:
    memory = cast.acme.alice.store()
    paul = cast.acme.person("paul").client
    page(paul, f"/memories/{memory['memory_id']}/", status=404)
    page(paul, "/reviews/", status=403)
    with cast.acme.entered():
        events = AuditEvent.objects.filter(action="page.refused", actor_id=cast.acme.member("paul").pk)
        assert [event.reason for event in events.order_by("pk")] == ["not_found", "not_a_reviewer"]


def test_no_page_asks_the_database_more_often_than_it_must_however_much_there_is(acme: Company) -> None:
    client = acme.person("alice").client
    for _ in range(3):
        acme.alice.store()
        acme.alice.hold()
        for path, most in MOST_STATEMENTS.items():
            page(client, path)
            with CaptureQueriesContext(connection) as asked:
                page(client, path)
            told = [one["sql"][:100] for one in asked if not one["sql"].startswith(("SAVEPOINT", "RELEASE"))]
            assert len(told) <= most, (path, "\n".join(told))


def test_an_error_page_repeats_nothing_of_the_address(db: None) -> None:
    odd = f"{word()}<b>"
    for path in (f"/problems/{odd}/", f"/{odd}"):
        response = Client().get(path)
        assert odd.split("<")[0] not in words_of(str(response.content, "utf-8"))


def test_an_error_code_leads_to_what_helps(db: None) -> None:
    assert "so nothing was overwritten" in page(Client(), "/problems/stale_version/")
    assert "This code is not in our list" in page(Client(), "/problems/unheard_of/")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_of_a_failure_says_what_is_safe_and_how_to_try_again(
    acme: Company, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """Also without JavaScript; what failed while something was sent is not sent anew by a reload."""
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)
    client.force_login(acme.member("alice").user)
    client.cookies["django_language"] = language
    with translation.override(language):
        again = translation.gettext("Try again")
        back = translation.gettext("Go back in your browser: what you typed is still in the form there.")
    forged = checked(client.post("/settings/time-zone/", {"time_zone": "UTC"}), language)
    assert back in forged
    assert again not in forged
    broken = client.get("/memories/", headers={"host": "a b"})
    assert broken.status_code == 400
    assert again in checked(broken, language)
    monkeypatch.setattr("memories.list_views.list_page", lambda *_: 1 / 0)
    failed = client.get("/memories/")
    assert failed.status_code == 500
    assert f'href="">{again}' in checked(failed, language)
    monkeypatch.setattr("memories.list_views.list_page", lambda *_: (_ for _ in ()).throw(OperationalError))
    away = client.get("/memories/")
    assert away.status_code == 503
    assert f'href="">{again}' in checked(away, language)
    many = too_many(RequestFactory().post("/account/login/"))
    assert many.status_code == 429
