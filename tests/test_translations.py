"""The catalogues: every way to mark a string is collected, and what is not translated is told."""

from __future__ import annotations

from pathlib import Path

import polib
import pytest

from memoryhub import translations
from memoryhub.translations import Message, python_messages, template_messages


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('_("tea")', Message("", "tea", "")),
        ('gettext_lazy("tea")', Message("", "tea", "")),
        ('pgettext("drink", "tea")', Message("drink", "tea", "")),
        ('ngettext("%(n)s cup", "%(n)s cups", n)', Message("", "%(n)s cup", "%(n)s cups")),
        ('InvalidInput.field("key", "It is too long.", "max_length")', Message("", "It is too long.", "")),
        ('FieldError("key", "blank", "It must not be blank.")', Message("", "It must not be blank.", "")),
        ('raise Conflict("It waits no longer.")', Message("", "It waits no longer.", "")),
        ('class Gone(Conflict):\n    title = "It is gone"', Message("", "It is gone", "")),
        ('TITLES = {404: "Not found"}', Message("", "Not found", "")),
    ],
)
def test_python_strings_are_collected(source: str, message: Message) -> None:
    assert list(python_messages(source)) == [message]


@pytest.mark.parametrize("source", ["_(name)", 'plain("tea")', 'title = "tea"', '_("")'])
def test_other_python_strings_are_not(source: str) -> None:
    assert list(python_messages(source)) == []


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('{% translate "tea" %}', Message("", "tea", "")),
        ('{% if a %}{% translate "100% tea" %}{% endif %}', Message("", "100%% tea", "")),
        ('{% translate "tea" context "drink" %}', Message("drink", "tea", "")),
        ("{% blocktranslate with n=name %}Tea for {{ n }}{% endblocktranslate %}", Message("", "Tea for %(n)s", "")),
        (
            "{% blocktranslate count n=cups trimmed %}\n one\n cup {% plural %} {{ n }} cups\n{% endblocktranslate %}",
            Message("", "one cup", "%(n)s cups"),
        ),
        ('{% include "403.html" with title=_("tea") %}', Message("", "tea", "")),
    ],
)
def test_template_strings_are_collected(source: str, message: Message) -> None:
    assert list(template_messages("{% load i18n %}" + source)) == [message]


def test_an_incomplete_catalogue_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "zh_Hans" / "LC_MESSAGES" / "django.po"
    file.parent.mkdir(parents=True)
    catalogue = polib.POFile()
    catalogue.append(polib.POEntry(msgid="old", msgstr="旧"))
    catalogue.append(polib.POEntry(msgid="bare"))
    catalogue.append(polib.POEntry(msgid="unsure", msgstr="或许", flags=["fuzzy"]))
    catalogue.append(polib.POEntry(msgid="done", msgstr="好"))
    catalogue.save(str(file))
    monkeypatch.setattr(translations, "LOCALE", tmp_path)
    used = {Message("", text, ""): set() for text in ("bare", "unsure", "done", "new")}
    monkeypatch.setattr(translations, "collect", lambda: used)
    assert translations.problems() == [
        "zh_Hans: not in the catalogue: 'new'",
        "zh_Hans: no longer used: 'old'",
        "zh_Hans: not translated: 'bare'",
        "zh_Hans: not translated: 'unsure'",
    ]


def test_updating_keeps_translations_and_drops_what_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "zh_Hans" / "LC_MESSAGES" / "django.po"
    file.parent.mkdir(parents=True)
    catalogue = polib.POFile()
    catalogue.append(polib.POEntry(msgid="old", msgstr="旧"))
    catalogue.append(polib.POEntry(msgid="done", msgstr="好"))
    catalogue.save(str(file))
    monkeypatch.setattr(translations, "LOCALE", tmp_path)
    monkeypatch.setattr(translations, "collect", lambda: {Message("", text, ""): {"a.py"} for text in ("done", "new")})
    translations.update_catalogues()
    assert {entry.msgid: entry.msgstr for entry in polib.pofile(str(file))} == {"done": "好", "new": ""}
    translations.compile_catalogues()
    assert [entry.msgstr for entry in polib.mofile(str(file.with_suffix(".mo")))] == ["好"]
