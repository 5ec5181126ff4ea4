"""Two processes over one database, each with an index of its own."""

from __future__ import annotations

import os

from cast import Cast
from django.conf import settings
from django.db import connection

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
