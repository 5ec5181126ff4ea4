"""Another process over the database of a test, with an index of its own: each question is answered with the ids of a
recall. Run as a program it is that process."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import django


@contextlib.contextmanager
def other_process(person: str, tenant: str) -> Iterator[Callable[[str], list[str]]]:
    """What that process recalls for a person."""
    from django.conf import settings
    from django.db import connection

    from memoryhub.management import scratch

    name, here = str(connection.settings_dict["NAME"]), os.environ.get("DATABASE_URL", "")
    url = scratch.named(here, name) if connection.vendor == "postgresql" else f"sqlite:///{name}"
    own = {"DATABASE_URL": url, "MEMORYHUB_VAR_DIR": str(settings.VAR_DIR), "MEMORYHUB_EMBEDDER": "none"}
    own |= {"PYTHONPATH": str(settings.BASE_DIR), "DJANGO_SETTINGS_MODULE": "memoryhub.settings"}
    with subprocess.Popen(  # noqa: S603
        [sys.executable, __file__, person, tenant],
        env=os.environ | own,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asked, answered = process.stdin, process.stdout

        def recall(question: str) -> list[str]:
            print(json.dumps(question), file=asked, flush=True)
            return list(json.loads(answered.readline()))

        yield recall
        asked.close()
        assert process.wait(30) == 0


def main() -> None:
    django.setup()
    from memories.recalling import RecallInput, recall
    from memoryhub.management.person import Person

    person = Person(*sys.argv[1:])
    for line in sys.stdin:
        asked = RecallInput(query=json.loads(line))
        found = person.inside(lambda asked=asked: recall(person.principal, asked).items)
        print(json.dumps([str(item.memory.pk) for item in found]), flush=True)


if __name__ == "__main__":
    main()
