"""Message catalogues without gettext's programs: collect the strings, compile the catalogues, tell what is missing."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import polib

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "memoryhub" / "locale"
APPS = ("accounts", "memories", "reviews", "memoryhub")
# Position of (context, singular, plural) among the arguments of each function that marks a string.
FUNCTIONS = {
    "": (None, 0, None),
    "n": (None, 0, 1),
    "p": (0, 1, None),
    "np": (0, 1, 2),
}
NAMES = {"_": FUNCTIONS[""], "gettext_noop": FUNCTIONS[""]} | {
    f"{prefix}gettext{suffix}": places for prefix, places in FUNCTIONS.items() for suffix in ("", "_lazy")
}
# Pure modules know no gettext: the sentences of their errors are translated where a door renders them.
ERROR_TABLES = ("TITLES", "DETAILS")
MARKED = re.compile(r"""_\((?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\)""")


class Message(NamedTuple):
    """One string to translate; `plural` and `context` are empty when it has none."""

    context: str
    text: str
    plural: str


def compile_catalogues() -> None:
    """Write the .mo beside each .po."""
    for source in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")):
        polib.pofile(str(source)).save_as_mofile(str(source.with_suffix(".mo")))


def update_catalogues() -> None:
    """Add new strings to each catalogue, untranslated, and take out those no longer used."""
    found = collect()
    for source in sorted(LOCALE.glob("*/LC_MESSAGES/django.po")):
        catalogue = polib.pofile(str(source), wrapwidth=120)
        kept = {_message(entry): entry for entry in catalogue if _message(entry) in found}
        del catalogue[:]
        for message in sorted(found):
            entry = kept.get(message) or _entry(message)
            entry.occurrences = [(place, "") for place in sorted(found[message])]
            catalogue.append(entry)
        catalogue.save()


def problems() -> list[str]:
    """What keeps a catalogue from being complete: strings missing, untranslated, fuzzy or no longer used."""
    found = set(collect())
    out = []
    for source in sorted(LOCALE.glob("*/LC_MESSAGES/django.po")):
        language = source.parts[-3]
        catalogue = {_message(entry): entry for entry in polib.pofile(str(source))}
        out += [f"{language}: not in the catalogue: {one.text!r}" for one in sorted(found - set(catalogue))]
        out += [f"{language}: no longer used: {one.text!r}" for one in sorted(set(catalogue) - found)]
        if language != "en":
            out += [f"{language}: not translated: {one.text!r}" for one, e in catalogue.items() if not e.translated()]
    return out


def collect() -> dict[Message, set[str]]:
    """Every marked string of the Python files and templates, with the files it stands in."""
    found: dict[Message, set[str]] = {}
    for path in _sources(".py"):
        for message in python_messages(path.read_text()):
            found.setdefault(message, set()).add(str(path.relative_to(ROOT)))
    for path in _sources(".html", ".txt"):
        for message in template_messages(path.read_text()):
            found.setdefault(message, set()).add(str(path.relative_to(ROOT)))
    return found


def python_messages(source: str) -> Iterator[Message]:
    """The strings marked by a call of one of gettext's functions, and the sentences of errors."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            words = [arg.value if isinstance(arg, ast.Constant) else None for arg in node.args]
            context, text, plural = (
                words[at] if at is not None and at < len(words) else "" for at in places().get(name, (None, None, None))
            )
            if isinstance(text, str) and text:
                yield Message(str(context or ""), text, str(plural or ""))
        else:
            yield from (Message("", text, "") for text in _sentences_of_errors(node))


@cache
def places() -> dict[str, tuple[int | None, int | None, int | None]]:
    """Where the strings stand among the arguments of gettext's functions and of our errors."""
    errors = ast.parse((ROOT / "accounts" / "errors.py").read_text())
    classes = {node.name: (None, 0, None) for node in errors.body if isinstance(node, ast.ClassDef)}
    return {**NAMES, **classes, "FieldError": (None, 2, None), "field": (None, 1, None)}


def _sentences_of_errors(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ClassDef):
        values = [one.value for one in node.body if isinstance(one, ast.Assign) and _names(one) == ["title"]]
    elif isinstance(node, ast.Assign) and set(_names(node)) & set(ERROR_TABLES) and isinstance(node.value, ast.Dict):
        values = node.value.values
    else:
        return
    yield from (one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _names(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]


def template_messages(source: str) -> Iterator[Message]:
    """The strings of `trans`, `blocktrans` and `_("…")` in a template, as Django will look them up."""
    from django.template import Template
    from django.templatetags.i18n import BlockTranslateNode, TranslateNode

    nodelist = Template(source).nodelist
    node: Any
    for node in nodelist.get_nodes_by_type(TranslateNode):
        literal = node.filter_expression.var
        text = getattr(literal, "literal", literal)
        if isinstance(text, str):
            yield Message(_context(node.message_context), text.replace("%", "%%"), "")
    for node in nodelist.get_nodes_by_type(BlockTranslateNode):
        text, _ = node.render_token_list(node.singular)
        plural = node.render_token_list(node.plural)[0] if node.plural else ""
        yield Message(_context(node.message_context), text, plural)
    for match in MARKED.finditer(source):
        yield Message("", (match[1] or match[2]).replace("%", "%%"), "")


def _context(expression: object) -> str:
    value = getattr(expression, "var", expression)
    return value if isinstance(value, str) else ""


def _sources(*suffixes: str) -> Iterator[Path]:
    """The client speaks to programs, in English: nothing of it is translated."""
    for folder in (*APPS, "templates"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and not {"migrations", "client"} & set(path.relative_to(ROOT).parts):
                yield path


def _message(entry: polib.POEntry) -> Message:
    return Message(entry.msgctxt or "", entry.msgid, entry.msgid_plural or "")


def _entry(message: Message) -> polib.POEntry:
    entry = polib.POEntry(msgid=message.text, msgctxt=message.context or None)
    if message.plural:
        entry.msgid_plural = message.plural
        entry.msgstr_plural = {0: ""}
    return entry


def main(verb: str) -> int:
    if verb == "compile":
        compile_catalogues()
        return 0
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    django.setup()
    if verb == "update":
        update_catalogues()
        compile_catalogues()
        return 0
    for line in (missing := problems()):
        print(line, file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "check"))
