"""Two processes over one database, each with an index of its own."""

from __future__ import annotations

import os

import pytest
from cast import TEAM, Cast, word
from django.conf import settings
from django.db import connection
from reader import other_process

from memoryhub.management import scratch
from memoryhub.management.benches.two_processes import interleave
from memoryhub.management.person import Person

CHANGES = 120


def test_what_one_process_changes_the_other_recalls(crowd: Cast) -> None:
    """R-112: after a write the next recall has it, after a forgetting it has not, whichever process is asked."""
    name = str(connection.settings_dict["NAME"])
    here = os.environ.get("DATABASE_URL")
    url = scratch.named(here, name) if connection.vendor == "postgresql" and here else f"sqlite:///{name}"
    own = {"DATABASE_URL": url, "MEMORYHUB_VAR_DIR": str(settings.VAR_DIR), "MEMORYHUB_EMBEDDER": "none"}
    own |= {"MEMORYHUB_KEY_STORE": settings.MEMORYHUB_KEY_STORE}
    counts = interleave({**os.environ, **own}, Person("alice", crowd.acme.tenant.slug), CHANGES)
    assert counts["missed"] == counts["returned although gone"] == 0
    assert counts["stored"] + counts["edited"] + counts["forgotten"] == CHANGES
    assert min(counts["stored"], counts["edited"], counts["forgotten"], counts["recalls during a write"]) > 0


@pytest.mark.in_clear
def test_what_is_suspended_is_gone_from_the_next_recall_of_another_process(crowd: Cast) -> None:
    """R-112, R-168: the other process has it in its index, and is told by nothing but the database."""
    crowd.acme.policy(confirm="inferred_only")
    mark = word()
    entry = crowd.acme.alice.share(TEAM, f"Check the {mark} receipt before a refund.")
    rita = crowd.acme.person("rita")
    with other_process("alice", "acme") as recalled:
        for _ in range(3):
            assert recalled(f"{mark} receipt") == [entry["memory_id"]]
            stopped = rita.post(f"/playbook/{entry['memory_id']}/suspend", {"reason": "harmful"})
            assert stopped.status_code == 200
            assert recalled(f"{mark} receipt") == []
            assert rita.post(f"/playbook/{entry['memory_id']}/resume").status_code == 200
