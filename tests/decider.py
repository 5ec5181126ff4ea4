"""A process that is there to be killed: for each line it reads, a child answers a candidate and says that it did.

As `writer`, it forks from a process that has loaded everything, and a line is printed once the verb has returned.
"""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import timedelta

import django

LATER = timedelta(minutes=1)  # when the window has passed


def main() -> None:
    django.setup()
    from writer import say

    from reviews import delays  # noqa: F401 - loaded before the forks

    subject, tenant = sys.argv[1:]
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            say(begun=os.getpid())
            answer(subject, tenant, *json.loads(line))
            say(done=True)
            time.sleep(60)
            os._exit(0)
        os.waitpid(child, 0)
        say(ended=child)


def answer(subject: str, tenant_slug: str, verb: str, candidate_id: str, content_hash: str) -> None:
    from dataclasses import replace

    from django.utils import timezone

    from accounts.models import Membership
    from accounts.principals import system
    from memoryhub.management.person import Person
    from reviews import delays

    person = Person(subject, tenant_slug)
    roles = frozenset(person.inside(lambda: Membership.objects.get(external_id=subject).roles))
    principal = replace(person.principal, roles=roles)
    verbs = {
        "decide": lambda: delays.decide(principal, candidate_id, content_hash, "approve"),
        "undo": lambda: delays.undo(principal, candidate_id),
        "commit": lambda: delays.commit_due(system(person.tenant_id), timezone.now() + LATER),
    }
    person.inside(verbs[verb])


if __name__ == "__main__":
    main()
