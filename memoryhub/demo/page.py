"""What `manage.py demo` prints: where to look, how to sign in, and calls that work as they stand."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TextIO

from django.conf import settings
from django.urls import NoReverseMatch, reverse
from rich.console import Console
from rich.table import Column, Table

from memoryhub.demo import company
from memoryhub.demo.seeding import SignIns

PAGES = (
    ("home", "what waits for you, what was saved"),
    ("memories", "everything remembered about you; correct it, pause it, forget it"),
    ("waiting", "what agents would like to remember: nothing is kept before you agree"),
    ("reviews", "lessons for the team, for a reviewer"),
    ("settings", "language, time zone, tokens"),
    ("help", "what is remembered and what is not"),
    ("api-docs", "the REST API"),
)


def show(sign_ins: SignIns, now: datetime, out: TextIO) -> None:
    """Print the page. Calls go out unwrapped, so that they can be copied from any terminal."""
    console = Console(file=out, highlight=False)
    console.print(f"\n[bold]{company.NAME}[/], an invented company to look at\n")
    pages = Table.grid(Column(no_wrap=True), Column(), padding=(0, 2))
    for name, what in PAGES:
        if address := _address(name):
            pages.add_row(address, what)
    console.print(pages)
    if not sign_ins.key:
        console.print(
            f"\nThe tenant {company.SLUG} was there already, and its sign-ins are not on this machine. Nothing was "
            "changed.\nNew passwords: manage.py changepassword E-MAIL"
        )
        return
    people = Table(Column("sign in as", no_wrap=True), Column("password", no_wrap=True), "who")
    for one in company.PEOPLE:
        people.add_row(one.email, sign_ins.passwords[one.name], f"{one.full_name} ({one.role}) {one.what}")
    console.print()
    console.print(people)
    print(f"\nAgent key of {company.AGENT}: {sign_ins.key}\n", file=out)
    for comment, call in calls(sign_ins.key, now):
        print(f"# {comment}\n{call}\n", file=out)


def calls(key: str, now: datetime) -> list[tuple[str, str]]:
    """Three calls and what each shows."""
    proposal = {
        "namespace": company.USER,
        "kind": "preference",
        "key": "tone",
        "statement": "Use a friendly tone.",
        "value": "friendly",
        "evidence": {
            "type": "user_message",
            "ref": f"message_{int(now.timestamp())}",
            "occurred_at": now.isoformat(timespec="seconds"),
            "text": "A friendly tone is fine with me, from now on.",
        },
    }
    question = {"query": "How should picking lists be sorted?"}
    return [
        (
            "The runtime attests what Daniel wrote, his agent proposes to remember it, the gate decides",
            _curl(key, "POST", "/proposals", proposal),
        ),
        ("The agent recalls, in Daniel's namespaces alone", _curl(key, "POST", "/recall", question)),
        ("What is remembered for Daniel; DELETE on one of them forgets it", _curl(key, "GET", "/memories?limit=20")),
    ]


def _curl(key: str, method: str, path: str, body: object = None) -> str:
    parts = ["curl -sS", f"-X {method}", f"'{settings.MEMORYHUB_BASE_URL}/api/v1{path}'"]
    parts += [f"-H 'Authorization: Bearer {key}'", "-H 'MemoryHub-Subject: daniel'"]
    if body is not None:
        parts += ["-H 'Content-Type: application/json'", f"-d '{json.dumps(body, ensure_ascii=False)}'"]
    return " ".join(parts)


def _address(name: str) -> str:
    try:
        return f"{settings.MEMORYHUB_BASE_URL}{reverse(name)}"
    except NoReverseMatch:
        return ""
