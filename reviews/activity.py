"""Everything that was done to a person's data or by them, read from the audit, in words a person understands."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts import audit, audit_trail, tenancy
from accounts.errors import Forbidden
from accounts.models import AuditEvent
from accounts.principals import ActorKind, Principal
from memories.models import Erasure, Reveal
from memories.reasons import Words
from reviews.models import Review

PAGE = 50
BATCH = 1000

# What each action is, said of whoever did it; by group, as the filter offers them.
GROUPS: Mapping[str, tuple[Any, Words]] = {
    "remembering": (
        _("Remembering and changing"),
        {
            "memory.propose": _("proposed to remember something"),
            "memory.approve": _("had something remembered that had waited"),
            "memory.pause": _("paused a memory"),
            "memory.resume": _("made a paused memory active again"),
            "playbook.suspend": _("suspended an entry of the playbook"),
            "playbook.resume": _("used a suspended entry of the playbook again"),
            "playbook.roll_back": _("asked for an earlier version of an entry of the playbook"),
            "playbook.follow": _("began to follow the playbook"),
            "playbook.unfollow": _("stopped following the playbook"),
            "memory.several": _("changed several memories at once"),
            "evidence.attest": _("noted where something comes from"),
            "extraction.ask": _("handed over a conversation to look through"),
            "extraction.cancel": _("stopped looking through a conversation"),
            "extraction.retry": _("had a conversation looked through again"),
            "extraction.finish": _("looked through a conversation"),
            "extraction.fail": _("could not look through a conversation"),
        },
    ),
    "deciding": (
        _("Answers to what waited"),
        {
            "candidate.decide": _("answered what had waited"),
            "candidate.several": _("answered several that had waited at once"),
            "candidate.undo": _("took an answer back"),
            "candidate.undo_several": _("took an answer to several back"),
            "candidate.commit": _("could not let an answer take effect"),
            "candidate.approve": _("said yes to what had waited"),
            "candidate.reject": _("said no to what had waited"),
            "candidate.request_changes": _("asked for another version of what had waited"),
            "candidate.withdraw": _("withdrew what had waited"),
            "candidate.reword": _("worded anew what had waited"),
            "candidate.comment": _("said something about what waits"),
            "candidate.release": _("let go of what they had claimed to review"),
            "candidate.resubmit": _("sent again what a reviewer had given back"),
        },
    ),
    "using": (
        _("Looking up and reading"),
        {
            "memory.recall": _("looked something up"),
            "memory.list": _("looked through memories"),
            "memory.read": _("read a memory"),
            "memory.lookup": _("read a memory by its name"),
            "memory.history": _("read the earlier versions of a memory"),
            "recall.feedback": _("said whether what was looked up was of use"),
        },
    ),
    "forgetting": (
        _("Forgetting"),
        {
            "memory.ask_to_forget": _("asked to forget a memory"),
            "memory.forget_plan": _("looked at what a forgetting would take"),
            "memory.forget": _("had something forgotten"),
            "memory.forget_again": _("had something forgotten again after a backup was put back"),
        },
    ),
    "reveals": (
        _("Reading by others"),
        {
            "reveal.open": _("began to read a person's memories, for a reason given"),
            "reveal.read": _("read a person's memories"),
            "reveal.end": _("stopped reading a person's memories"),
        },
    ),
    "moving": (
        _("Export and import"),
        {
            "memory.export": _("took memories away as a file"),
            "export.ask": _("asked for an export"),
            "export.cancel": _("cancelled an export"),
            "export.retry": _("asked for an export again"),
            "export.fetch": _("fetched an export"),
            "export.fail": _("could not make an export"),
            "import.fail": _("could not take a file of memories in"),
            "import.check": _("handed over a file of memories"),
            "import.start": _("had a file of memories taken in"),
            "import.cancel": _("cancelled an import"),
            "import.finish": _("took a file of memories in"),
        },
    ),
    "settings": (
        _("Settings and access"),
        {
            "view.save": _("kept a view of the list of memories"),
            "view.remove": _("removed a view of the list of memories"),
            "rule.add": _("made a rule of what is never remembered"),
            "rule.remove": _("removed a rule of what is never remembered"),
            "person.memory_off": _("turned memory off"),
            "person.memory_on": _("turned memory on"),
            "person.confirm": _("chose when to be asked"),
            "person.expiry": _("chose how long what is new is remembered"),
            "person.notices": _("chose which notices come"),
            "person.time_zone": _("set the time zone"),
            "notice.mail": _("sent a mail about what is new"),
            "token.create": _("created a personal token"),
            "token.revoke": _("revoked a personal token"),
            "agent.create": _("connected an agent"),
            "agent.pause": _("paused an agent"),
            "agent.resume": _("let a paused agent call again"),
            "agent.end": _("ended an agent for good"),
            "group.create": _("founded a team or project"),
            "group.add": _("took someone into a team or project"),
            "group.role": _("changed who maintains a team or project"),
            "group.leave": _("left a team or project"),
            "group.remove": _("took someone out of a team or project"),
            "person.roles": _("changed what someone may do here"),
            "person.dismiss": _("took someone out of the organisation"),
            "invitation.send": _("invited someone"),
            "invitation.revoke": _("took an invitation back"),
            "invitation.accept": _("accepted an invitation"),
            "webhook.create": _("set a webhook up"),
            "webhook.remove": _("removed a webhook"),
            "webhook.retry": _("had a message to a webhook sent again"),
            "webhook.switch_on": _("switched a webhook on"),
            "webhook.switch_off": _("switched a webhook off"),
            "key.create": _("made a key for an agent"),
            "key.rotate": _("gave an agent a new key"),
            "key.revoke": _("revoked a key of an agent"),
            "audit.read": _("read the audit"),
            "audit.export": _("took the audit away as a file"),
            "delegation.mint": _("handed a short-lived token to a tool"),
            "page.refused": _("was refused a page"),
            "api.refused": _("was refused a call"),
        },
    ),
}
ACTIONS: Words = {action: words for _label, actions in GROUPS.values() for action, words in actions.items()}
OWN_READING = tuple(GROUPS["using"][1])
OUTCOMES: Words = {
    "store": _("remembered"),
    "supersede": _("remembered, in place of the earlier version"),
    "keep": _("known already"),
    "needs_confirmation": _("waits for you"),
    "needs_review": _("waits for a reviewer"),
    "route_to_source": _("not remembered"),
    "reject": _("not remembered"),
    "refused": _("refused"),
    "failed": _("failed"),
    "nothing_relevant": _("found nothing"),
}
EXPLAINED = ("reject", "route_to_source", "needs_confirmation", "needs_review")
"""Outcomes whose reason is a sentence of the write gate."""


@dataclass(frozen=True, slots=True)
class ActivityFilter:
    """Which events are shown: those to which all of this applies. `since` is included, `until` is not."""

    since: datetime | None = None
    until: datetime | None = None
    group: str = ""
    actor: str = ""  # me, agent, other
    own_reading: bool = False


def newest(
    principal: Principal, chosen: ActivityFilter, before: uuid.UUID | None = None
) -> tuple[list[AuditEvent], bool]:
    """A page of them, newest first, and whether there are older ones. Leaves an event of the reading itself.

    Each way in which an event concerns the person is read by itself, so that each finds its index.
    """
    ways = (_chosen(principal, chosen).filter(way).order_by("-pk") for way in _ways(principal))
    found = {row.pk: row for rows in ways for row in (rows.filter(pk__lt=before) if before else rows)[: PAGE + 1]}
    rows = sorted(found.values(), key=lambda row: row.pk, reverse=True)
    with tenancy.atomic():
        audit.record(principal, "activity.read", details={"items": min(len(rows), PAGE)})
    return rows[:PAGE], len(rows) > PAGE


Named = tuple[Sequence[AuditEvent], Mapping[uuid.UUID, str]]
"""Some events, and the people and agents of them by their names."""


def export(principal: Principal, chosen: ActivityFilter) -> Iterator[Named]:
    """All of them, oldest first, in batches; what comes in meanwhile is left out."""
    concerned = Q()
    for way in _ways(principal):
        concerned |= way
    rows = _chosen(principal, chosen).filter(concerned).order_by("pk")
    last = rows.values_list("pk", flat=True).last()
    with tenancy.atomic():
        audit.record(principal, "activity.export")
    return _batches(principal.tenant_id, rows.filter(pk__lte=last) if last else rows.none())


def reveals(rows: Sequence[AuditEvent]) -> dict[str, Reveal]:
    """Why somebody read a person's memories, by the id that an event of it tells."""
    ids = {row.details["reveal"] for row in rows if row.action == "reveal.open"}
    return {str(one.pk): one for one in Reveal.objects.filter(pk__in=ids)}


def _ways(principal: Principal) -> tuple[Q, ...]:
    """How an event concerns a person: they or an agent for them did it, or others did it to what is theirs."""
    if principal.subject_id is None:
        raise Forbidden("Only a person has an activity log.", code="person_required")
    me = principal.subject_id
    decided = Review.objects.filter(candidate__subject_id=me).exclude(reviewer_id=me).values("candidate_id")
    erased = Erasure.objects.filter(target_id=me).values("pk")
    return Q(subject_id=me), Q(target_id=me), Q(target_id__in=decided), Q(target_id__in=erased)


def _chosen(principal: Principal, chosen: ActivityFilter) -> QuerySet[AuditEvent]:
    rows = audit_trail.within(AuditEvent.objects.exclude(action__startswith="activity."), chosen.since, chosen.until)
    if chosen.group:
        rows = rows.filter(action__in=tuple(GROUPS[chosen.group][1]))
    mine = Q(actor=ActorKind.PERSON, actor_id=principal.subject_id)
    match chosen.actor:
        case "me":
            rows = rows.filter(mine)
        case "agent":
            rows = rows.filter(actor=ActorKind.AGENT)
        case "other":
            rows = rows.exclude(mine).exclude(actor=ActorKind.AGENT)
    if not chosen.own_reading:
        rows = rows.exclude(mine & Q(action__in=OWN_READING))
    return rows


def _batches(tenant_id: uuid.UUID, rows: QuerySet[AuditEvent]) -> Iterator[Named]:
    after = uuid.UUID(int=0)
    while True:
        with tenancy.entered(tenant_id), tenancy.atomic():
            batch = list(rows.filter(pk__gt=after)[:BATCH])
            names = audit_trail.names(batch)
        if not batch:
            return
        yield batch, names
        after = batch[-1].pk
