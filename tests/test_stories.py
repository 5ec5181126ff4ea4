"""Any order of verbs: whatever a person and an agent do to a few keys, the rows stay what a small model says they are.

`make test` tries a few stories; `.ci/run` sets MEMORYHUB_TEST_STORIES and tries thousands.
"""

from __future__ import annotations

import os
import uuid
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
from cast import RELAY, Company, word
from django.conf import settings as conf
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_stories
from story_model import Backup, Clock, Place, Version

from accounts import tenancy
from accounts.errors import Conflict, MemoryHubError, NotVisible
from accounts.models import Agent, AuditEvent, Membership, User
from accounts.principals import PERSON_SCOPES, ActorKind, Principal, system
from memories import access, actions, ledger, lifecycle, purging, recalling, restoring, retention
from memories.access import NamespaceRef
from memories.exchange import applying, exporting, importing
from memories.inputs import EvidenceInput, ProposalInput
from memories.models import Candidate, Erasure, Feature, Memory
from memories.recalling import RecallInput
from memories.search import rows as search_rows
from reviews import decisions, delays

STORIES = int(os.environ.get("MEMORYHUB_TEST_STORIES", "10"))
STEPS = 16
USER = NamespaceRef("user")
KEYS = ("report_order", "answer_length", "meeting_notes")
TEXTS = ("Put the summary first.", "Keep it short.", "Write tables, not prose.")
TOLD = ("memory.propose", "memory.approve", "memory.pause", "memory.resume", "memory.forget")
DECIDED = ("candidate.approve", "candidate.reject", "candidate.withdraw", "candidate.decide", "candidate.undo")
KEPT_AFTER_ITS_END = timedelta(days=90)
LATER = timedelta(seconds=20)  # when no answer can be taken back any more

keys, texts, days = st.sampled_from(KEYS), st.sampled_from(TEXTS), st.sampled_from([None, 3, 100])


class Stories(RuleBasedStateMachine):
    """A person who is new in the company, an agent that acts for them, and three keys."""

    company: ClassVar[Company]
    clock: ClassVar[Clock]
    ledgers: ClassVar[Path]

    @initialize()
    def somebody_new(self) -> None:
        self.frames = ExitStack()
        self.frames.enter_context(tenancy.entered(self.company.tenant.pk))
        self.frames.enter_context(transaction.atomic())
        self.clock.passed = timedelta()
        name = f"p{uuid.uuid4().hex[:12]}"
        account = User.objects.create(email=f"{name}@acme.example")
        membership = Membership.objects.create(user=account, external_id=name, roles=["member"])
        helper = Agent.objects.get(slug="helper")
        self.system = system(self.company.tenant.pk)
        self.person = Principal(
            self.company.tenant.pk, ActorKind.PERSON, membership.pk, membership.pk, scopes=PERSON_SCOPES
        )
        self.agent = replace(
            self.person, actor=ActorKind.AGENT, actor_id=helper.pk, agent_id=helper.pk, scopes=frozenset(RELAY)
        )
        namespace = access.area(self.agent, USER).namespace
        self.digests = {key: lifecycle.slot_digest(namespace, (), "preference", key) for key in KEYS}
        self.places = {key: Place() for key in KEYS}
        self.events = 0
        self.file: tuple[bytes, dict[str, Version]] | None = None
        self.backup: Backup | None = None
        conf.MEMORYHUB_LEDGER = self.ledgers / f"{name}.jsonl"

    def teardown(self) -> None:
        if hasattr(self, "frames"):
            transaction.set_rollback(True)
            self.frames.close()

    # what happens

    @rule(key=keys, text=texts, days=days)
    def the_person_says_it(self, key: str, text: str, days: int | None) -> None:
        ends = self.after(days)
        said = EvidenceInput("user_message", word(), occurred_at=self.clock.now())
        self.stored(key, text, ends, self.propose(key, text, evidence=said, valid_until=ends))

    @rule(key=keys, text=texts)
    def an_old_message_is_read_again(self, key: str, text: str) -> None:
        forgotten = self.places[key].forgotten
        moment = (forgotten or self.clock.now()) - timedelta(hours=1)
        proposed = self.propose(key, text, evidence=EvidenceInput("user_message", word(), moment))
        if forgotten:
            assert (proposed.decision.outcome, proposed.decision.reason) == ("reject", "tombstone_key")
        else:
            self.stored(key, text, None, proposed)

    @rule(key=keys, text=texts)
    def the_agent_guesses(self, key: str, text: str) -> None:
        place = self.places[key]
        proposed = self.propose(key, text)
        if place.forgotten:
            assert (proposed.decision.outcome, proposed.decision.reason) == ("reject", "tombstone_key")
        elif self.says(place, text, None):
            assert proposed.decision.outcome == "keep"
        else:
            assert proposed.decision.outcome == "needs_confirmation"
            assert place.waiting.setdefault(text, proposed.candidate.pk) == proposed.candidate.pk

    @precondition(lambda self: any(place.waiting for place in self.places.values()))
    @rule(data=st.data(), verdict=st.sampled_from(["approve", "reject", "withdraw"]))
    def the_person_decides(self, data: Any, verdict: str) -> None:
        key = data.draw(st.sampled_from([key for key in KEYS if self.places[key].waiting]))
        place = self.places[key]
        text = data.draw(st.sampled_from(sorted(place.waiting)))
        candidate = Candidate.objects.get(pk=place.waiting[text])
        answer = getattr(decisions, verdict)
        if candidate.lapses_at <= self.clock.now():
            with pytest.raises(Conflict):
                answer(self.person, str(candidate.pk), candidate.content_hash)
            return
        decided = answer(self.person, str(candidate.pk), candidate.content_hash)
        self.events += 1
        del place.waiting[text]
        if verdict == "approve":
            self.events += 1
            self.stored(key, text, None, decided.proposed)
        with pytest.raises(Conflict):
            answer(self.person, str(candidate.pk), candidate.content_hash)

    @precondition(lambda self: any(place.standing for place in self.places.values()))
    @rule(data=st.data(), text=texts, days=days)
    def the_person_corrects(self, data: Any, text: str, days: int | None) -> None:
        key, standing = self.draw_standing(data)
        version, ends = self.places[key].versions, self.after(days)
        changes = {"statement": text, "valid_until": ends}
        with pytest.raises(MemoryHubError):
            actions.correct(self.person, str(standing.memory_id), changes, expected_version=version + 1)
        proposed = actions.correct(self.person, str(standing.memory_id), changes, expected_version=version)
        self.events += 1
        self.stored(key, text, ends, proposed)

    @precondition(lambda self: any(place.waiting for place in self.places.values()))
    @rule(data=st.data(), verdict=st.sampled_from(["approve", "reject"]), regrets=st.booleans())
    def the_person_decides_and_may_take_it_back(self, data: Any, verdict: str, regrets: bool) -> None:
        key = data.draw(st.sampled_from([key for key in KEYS if self.places[key].waiting]))
        place = self.places[key]
        text = data.draw(st.sampled_from(sorted(place.waiting)))
        candidate = Candidate.objects.get(pk=place.waiting[text])
        asked = (self.person, str(candidate.pk), candidate.content_hash, verdict)
        if candidate.lapses_at <= self.clock.now() + LATER:
            return
        delays.decide(*asked)
        self.events += 1
        with pytest.raises(Conflict):
            delays.decide(*asked)
        if regrets:
            delays.undo(self.person, str(candidate.pk))
            self.events += 1
        self.clock.passed += LATER
        assert delays.commit_due(self.system, self.clock.now()) == {"verdicts_committed": int(not regrets)}
        with pytest.raises(Conflict):
            delays.undo(self.person, str(candidate.pk))
        if regrets:
            return
        self.events += 1
        del place.waiting[text]
        if verdict == "approve":
            self.events += 1
            if not self.says(place, text, None):
                place.versions += 1
                place.standing = Version(self.row_of(key).pk, text, None)

    @precondition(lambda self: any(place.standing for place in self.places.values()))
    @rule(data=st.data(), days=st.sampled_from([3, 100]))
    def the_person_renews(self, data: Any, days: int) -> None:
        key, standing = self.draw_standing(data)
        ends = self.after(days)
        assert ends is not None
        proposed = actions.renew(self.person, str(standing.memory_id), ends)
        self.events += 1
        self.stored(key, standing.text, ends, proposed)

    @rule()
    def the_person_exports(self) -> None:
        content = exporting.at_once(self.person)
        assert content is not None
        standing = {key: replace(place.standing) for key, place in self.places.items() if place.standing}
        assert len(content.splitlines()) == len(standing)
        self.file = (content, standing)

    @precondition(lambda self: self.file and self.file[1])
    @rule(replaces=st.booleans())
    def the_person_imports_it(self, replaces: bool) -> None:
        assert self.file is not None
        content, told = self.file
        expected = {key: self.fate_of(key, one, replaces) for key, one in told.items()}
        errand = importing.check(self.person, content, "jsonl")
        errand = importing.start(self.person, errand.pk, replaces=replaces)
        applying.apply(errand)
        lines = {line.slot_digest: line for line in errand.lines.all()}
        found = {key: lines[self.digests[key]].result for key in told}
        assert found == expected
        assert not errand.lines.filter(content__isnull=False).exists()
        for key, one in told.items():
            if expected[key] in ("new", "replaced"):
                place = self.places[key]
                place.versions += 1
                place.standing = replace(one, memory_id=self.row_of(key).pk)
                self.events += 1

    @rule()
    def a_backup_is_made(self) -> None:
        self.backup = Backup(transaction.savepoint(), deepcopy(self.places), self.events)

    @precondition(lambda self: self.backup)
    @rule()
    def the_backup_is_restored(self) -> None:
        """What was forgotten since stays forgotten; all else is as it was."""
        assert self.backup is not None
        transaction.savepoint_rollback(self.backup.savepoint)
        search_rows.index.cache_clear()
        known, self.places, self.events = self.places, deepcopy(self.backup.places), self.backup.events
        gone = [key for key in KEYS if known[key].forgotten != self.places[key].forgotten]
        assert bool(restoring.replay()) == bool(gone)
        assert restoring.replay() == 0
        for key in gone:
            self.is_gone(key)
            self.places[key].forgotten = known[key].forgotten

    @precondition(lambda self: any(place.standing for place in self.places.values()))
    @rule(data=st.data(), away=st.booleans())
    def the_person_switches_it(self, data: Any, away: bool) -> None:
        _, standing = self.draw_standing(data)
        (actions.pause if away else actions.resume)(self.person, str(standing.memory_id))
        self.events += 1
        standing.paused = away

    @precondition(lambda self: any(place.standing for place in self.places.values()))
    @rule(data=st.data())
    def the_person_forgets(self, data: Any) -> None:
        key, standing = self.draw_standing(data)
        self.nothing_is_left_of_it(actions.forget(self.person, str(standing.memory_id)))
        self.events += 1
        self.is_gone(key)
        with pytest.raises(NotVisible):
            actions.forget(self.person, str(standing.memory_id))

    @rule(days=st.sampled_from([1, 5, 95]))
    def time_passes(self, days: int) -> None:
        self.clock.passed += timedelta(days=days)

    @rule()
    def the_sweep_comes(self) -> None:
        now = self.clock.now()
        decisions.lapse(self.system, now)
        for place in self.places.values():
            left = Candidate.objects.filter(pk__in=place.waiting.values(), lapses_at__gt=now)
            held = set(left.values_list("pk", flat=True))
            place.waiting = {text: pk for text, pk in place.waiting.items() if pk in held}
        known = list(Erasure.objects.values_list("pk", flat=True))
        gone = retention.forget_long_expired(self.system, now)
        for erasure in Erasure.objects.exclude(pk__in=known):
            self.nothing_is_left_of_it(erasure)
        due = [key for key, place in self.places.items() if self.is_long_past(place, now)]
        assert bool(gone["memories_expired"]) == bool(due)
        for key in due:
            self.is_gone(key)

    # what must hold

    @invariant()
    def the_rows_are_what_happened(self) -> None:
        rows = Memory.objects.filter(slot__digest__in=self.digests.values()).order_by("version")
        featured = set(Feature.objects.filter(memory__in=rows).values_list("pk", flat=True))
        waiting = Candidate.objects.filter(slot__digest__in=self.digests.values(), status=Candidate.Status.PENDING)
        held = set(waiting.values_list("pk", flat=True))
        found: dict[str, list[Memory]] = {digest: [] for digest in self.digests.values()}
        for row in rows.select_related("slot"):
            found[row.slot.digest].append(row)
        for key, place in self.places.items():
            versions, one = found[self.digests[key]], place.standing
            assert [row.version for row in versions] == list(range(1, place.versions + 1))
            current = [row for row in versions if row.status in Memory.CURRENT]
            told = [(row.pk, row.statement, row.valid_until, row.status == "paused") for row in current]
            assert told == ([(one.memory_id, one.text, one.ends, one.paused)] if one else [])
            for row in versions:
                gone = row.status == Memory.Status.DELETED
                assert (row.statement is None, row.key is None, row.pk not in featured) == (gone, gone, gone)
        assert held == {pk for place in self.places.values() for pk in place.waiting.values()}

    @invariant()
    def recall_tells_what_stands_and_counts(self) -> None:
        now = timezone.now()
        valid = {
            (key, place.standing.memory_id)
            for key, place in self.places.items()
            if place.standing and not place.standing.paused and (not place.standing.ends or place.standing.ends > now)
        }
        asked = RecallInput(query=" ".join(KEYS).replace("_", " "), namespaces=(USER,))
        assert {(item.memory.key, item.memory.pk) for item in recalling.recall(self.agent, asked).items} == valid

    @invariant()
    def every_verb_left_one_event(self) -> None:
        mine = AuditEvent.objects.filter(subject_id=self.person.subject_id, action__in=TOLD + DECIDED)
        assert mine.count() == self.events

    def nothing_is_left_of_it(self, erasure: Erasure) -> None:
        assert purging.left(erasure) == {}
        assert ledger.keep(erasure)  # as it is when the transaction of a forgetting ends

    # help

    def after(self, days: int | None) -> datetime | None:
        return self.clock.now() + timedelta(days=days) if days else None

    def propose(self, key: str, text: str, **fields: Any) -> actions.Proposed:
        self.events += 1
        item = ProposalInput(namespace=USER, kind="preference", key=key, statement=text, reusable=True, **fields)
        return actions.propose(self.agent, item)

    def draw_standing(self, data: Any) -> tuple[str, Version]:
        key = data.draw(st.sampled_from([key for key in KEYS if self.places[key].standing]))
        standing = self.places[key].standing
        assert standing is not None
        return key, standing

    def row_of(self, key: str) -> Memory:
        row: Memory = Memory.objects.current().get(slot__digest=self.digests[key])
        return row

    def fate_of(self, key: str, told: Version, replaces: bool) -> str:
        """What becomes of a line of an export."""
        place = self.places[key]
        if place.standing and (place.standing.text, place.standing.ends) == (told.text, told.ends):
            return "same"
        if place.forgotten or (told.ends and told.ends <= self.clock.now()):
            return "refused"
        if place.standing is None:
            return "new"
        return "replaced" if replaces else "conflict"

    def says(self, place: Place, text: str, ends: datetime | None) -> bool:
        """Whether what stands counts and says just this."""
        standing = place.standing
        if standing is None or standing.paused or (standing.ends and standing.ends <= self.clock.now()):
            return False
        return (standing.text, standing.ends) == (text, ends)

    def stored(self, key: str, text: str, ends: datetime | None, proposed: actions.Proposed | None) -> None:
        """An allowed proposal was kept, stored or put in the place of what stood."""
        place = self.places[key]
        assert proposed is not None
        assert proposed.memory is not None
        standing = place.standing
        if standing is not None and self.says(place, text, ends):
            assert (proposed.decision.outcome, proposed.memory.pk) == ("keep", standing.memory_id)
            return
        assert proposed.decision.outcome == ("supersede" if standing else "store")
        assert list(proposed.superseded) == ([standing.memory_id] if standing else [])
        place.versions += 1
        assert proposed.memory.version == place.versions
        place.standing = Version(proposed.memory.pk, text, ends)

    def is_gone(self, key: str) -> None:
        place = self.places[key]
        place.standing, place.waiting, place.forgotten = None, {}, self.clock.now()

    def is_long_past(self, place: Place, now: datetime) -> bool:
        ends = place.standing.ends if place.standing else None
        return ends is not None and ends <= now - KEPT_AFTER_ITS_END and not place.waiting


@pytest.mark.parametrize("half", [pytest.param(half, marks=pytest.mark.xdist_group(f"half {half}")) for half in (1, 2)])
def test_in_any_order_the_rows_are_what_happened(
    acme: Company, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, half: int
) -> None:
    """R-082, R-096, R-120, R-128, R-132, R-139, R-146: a model of a memory's life, in stories made up by chance."""
    Stories.company, Stories.clock, Stories.ledgers = acme, Clock(), tmp_path
    monkeypatch.setattr(conf, "MEMORYHUB_LEDGER", conf.MEMORYHUB_LEDGER)
    monkeypatch.setattr("django.utils.timezone.now", Stories.clock.now)
    known = settings(
        max_examples=max(1, STORIES // 2),
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_stories(Stories, settings=known)
