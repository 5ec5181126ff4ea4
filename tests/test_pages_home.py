"""Home: what waits, what came, what was used, what ends soon, a month in numbers; about the reader alone."""

from __future__ import annotations

from datetime import timedelta

from cast import TEAM, Company, now, sentence, word
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from test_pages import page

from memories import glance
from memories.models import Memory

MOST_QUERIES = 14
"""Twelve statements, and the begin and end of the transaction that notes the reading."""


def test_home_tells_what_came_was_used_and_ends(acme: Company) -> None:
    mark = word()
    soon = acme.alice.store(sentence(mark), valid_until=now(days=3).isoformat())
    acme.alice.store(valid_until=now(days=30).isoformat())
    acme.alice.recall(mark)
    acme.by("runtime", "paul").recall(mark)
    html = page(acme.person("alice").client, "/")
    assert html.count(soon["statement"]) == 2, "as remembered and as used"
    assert "Ends soon (1)" in html
    assert "Agent helper" in html
    assert "helper" in page(acme.person("paul").client, "/")
    assert mark not in page(acme.person("paul").client, "/")


def test_a_month_is_counted_by_the_readers_days(acme: Company) -> None:
    for _ in range(2):
        acme.alice.store(sentence("heron"))
    acme.alice.recall("heron")
    acme.alice.share(TEAM, f"Check the {word()} list before closing a case.")
    with acme.entered():
        days = glance.glance(acme.principal("alice"), timezone.now()).days
        assert len(days) == glance.DAYS
        assert (days[-1].saved, days[-1].recalled) == (2, 1)
        assert not any(day.saved or day.recalled for day in days[:-1])
        tomorrow = glance.glance(acme.principal("alice"), timezone.now() + timedelta(days=1)).days
        assert (tomorrow[-2].saved, tomorrow[-1].saved) == (2, 0)
    assert "<svg" in page(acme.person("alice").client, "/")


def test_home_asks_the_database_a_dozen_times_however_much_there_is(acme: Company) -> None:
    client = acme.person("alice").client
    for _ in range(5):
        acme.alice.store(sentence("heron"), valid_until=now(days=3).isoformat())
        acme.alice.recall("heron")
    page(client, "/")
    with CaptureQueriesContext(connection) as queries:
        page(client, "/")
    assert len(queries) <= MOST_QUERIES, [query["sql"][:100] for query in queries]


def test_memory_off_stands_at_the_top(acme: Company) -> None:
    client = acme.person("alice").client
    assert "Memory is off since" not in page(client, "/")
    client.post("/settings/memory/switch/", {"memory": "off"})
    assert "Memory is off since" in page(client, "/")
    with acme.entered():
        assert not Memory.objects.exists()
