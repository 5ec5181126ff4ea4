"""A process that is there to be killed: for each seed it reads, a child writes without end and says what was done.

The child is forked from a process that has loaded everything, so that many can be killed in little time. A line is
printed once the verb has returned: from then on nothing of it may be lost.
"""

from __future__ import annotations

import json
import os
import random
import sys
from typing import Any

import django

KEYS = 8


def main() -> None:
    django.setup()
    from memories import actions  # noqa: F401 - loaded before the forks

    subject, tenant = sys.argv[1:]
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            write(subject, tenant, random.Random(int(line)))
        say(pid=child)
        os.waitpid(child, 0)
        say(ended=child)


def write(subject: str, tenant: str, chance: random.Random) -> None:
    from django.utils import timezone

    from accounts import sealing
    from accounts.principals import system
    from memories import actions, purging
    from memories.access import NamespaceRef
    from memories.inputs import ProposalInput
    from memories.models import Memory
    from memoryhub.management.person import Person

    person = Person(subject, tenant)
    service = system(person.tenant_id)

    def one(key: str) -> ProposalInput:
        text = f"Put the {chance.choice('abcdefgh') * 5} summary first in every {chance.randrange(10**6)} report."
        return ProposalInput(NamespaceRef("user"), "preference", key, text, reusable=True)

    def standing() -> dict[str, Memory]:
        return {row.key or "": row for row in Memory.objects.current().filter(namespace_id=person.namespace_id)}

    def step() -> dict[str, Any]:
        there, what = standing(), chance.choice(["one", "many", "pause", "resume", "forget", "sweep"])
        key = chance.choice(sorted(there) or ["key_0"])
        if what == "many":
            items = [one(f"key_{number}") for number in chance.sample(range(KEYS), 4)]
            made = actions.propose_batch(person.principal, items, atomic=True)
            return {str(item.key): [str(done.memory.pk), "active"] for item, done in zip(items, made, strict=True)}
        if what == "sweep":
            purging.purge_due(service, timezone.now())
            sealing.seal(service.tenant_id)
            return {}
        if what == "one" or key not in there:
            item = one(f"key_{chance.randrange(KEYS)}")
            made = actions.propose(person.principal, item)
            return {item.key: [str(made.memory.pk), "active"]}
        if what == "forget":
            actions.forget(person.principal, str(there[key].pk))
            return {key: None}
        done = (actions.pause if what == "pause" else actions.resume)(person.principal, str(there[key].pk))
        return {key: [str(done.pk), done.status]}

    person.inside(lambda: person.namespace_id)
    while True:
        say(done=person.inside(step))


def say(**said: Any) -> None:
    os.write(1, (json.dumps(said) + "\n").encode())


if __name__ == "__main__":
    main()
