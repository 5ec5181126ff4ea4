"""Hand a file over: look through it, tell what would become of each line, then carry it out on the person's word.

A line is judged while the file is read, so what the gate refuses is never kept, not for a moment. Only what may be
remembered is staged, until it is carried out, cancelled or forgotten, or its day is over.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from accounts import audit, tenancy
from accounts.errands import asked_by
from accounts.errors import Conflict, InvalidInput, MemoryHubError, NotVisible
from accounts.principals import Principal, Scope
from memories import access, actions
from memories.access import Area, NamespaceRef
from memories.actions import Sitting
from memories.exchange.importers import IMPORTERS, BadLine, Entry, Line
from memories.inputs import HandOver, ProposalInput
from memories.models import Import, ImportLine, Memory, Namespace

APPLY_TASK = "memories.tasks.apply_import"
MAX_BYTES = 16 * 1024 * 1024
MAX_LINES = 10_000
BATCH = 50
STAGED_FOR = timedelta(hours=24)
MOST_OPEN = 5
State, Result = Import.State, ImportLine.Result
GOING = (State.CHECKED, State.QUEUED, State.RUNNING)
STAGED = (Result.NEW, Result.CONFLICT, Result.WAITS)


def check(principal: Principal, content: bytes, form: str, into: NamespaceRef | None = None) -> Import:
    """Look through a file of one of `IMPORTERS`' forms: what would become of each line. Nothing is remembered yet.

    Without `into` each line goes where it says, if the caller may write there; with it all go into that namespace and
    keep their paths. Raises InvalidInput when the file is empty, too large or of too many lines, NotVisible for a
    namespace the caller may not use, Conflict when too many files wait.
    """
    principal.require(Scope.PROPOSE)
    if len(content) > MAX_BYTES:
        raise InvalidInput.field("file", "The file is larger than 16 MiB; split it.", "too_large")
    lines = list(islice(IMPORTERS[form](content), MAX_LINES + 1))
    if not lines:
        raise InvalidInput.field("file", "The file is empty.", "empty_file")
    if len(lines) > MAX_LINES:
        raise InvalidInput.field("file", "The file has more than 10,000 lines; split it.", "too_many_lines")
    usable = access.usable(principal)
    target = access.area(principal, into, among=usable).namespace if into else None
    if into and into.path:
        raise InvalidInput.field("namespace", "Lines keep their own paths; leave the path out.", "whole_only")
    errand = _begun(principal, form)
    try:
        _Check(principal, errand, usable, target).run(lines)
    except Exception:
        errand.delete()
        raise
    with tenancy.atomic():
        Import.objects.filter(pk=errand.pk, state=State.CHECKING).update(state=State.CHECKED, total=len(lines))
        details = {"format": form, **counts(errand)}
        audit.record(principal, "import.check", target="import", target_id=errand.pk, details=details)
    errand.refresh_from_db()
    return errand


def start(principal: Principal, import_id: str | uuid.UUID, *, replaces: bool = False) -> Import:
    """Carry out what was looked through. With `replaces` the file's words take the place of others that stand.

    Raises Conflict unless it waits for this word.
    """
    principal.require(Scope.PROPOSE)
    errand = access.import_(principal, import_id)
    with tenancy.atomic():
        waiting = Import.objects.filter(pk=errand.pk, state=State.CHECKED, expires_at__gt=timezone.now())
        if not waiting.update(state=State.QUEUED, replaces=replaces):
            raise Conflict("It does not wait to be carried out; look at its state.", code="not_waiting")
        details = {"replaces": replaces, "lines": staged(errand).count()}
        audit.record(principal, "import.start", target="import", target_id=errand.pk, details=details)
        soon(errand.pk)
    errand.refresh_from_db()
    return errand


def discard(errand: Import) -> None:
    """Undo a check that nobody was told of."""
    Import.objects.filter(pk=errand.pk, state=State.CHECKED).delete()


def cancel(principal: Principal, import_id: str | uuid.UUID) -> Import:
    """Drop what is staged. What was carried out already stays. Raises Conflict when it has ended."""
    errand = access.import_(principal, import_id)
    with tenancy.atomic():
        going = Import.objects.filter(pk=errand.pk, state__in=GOING)
        if not going.update(state=State.CANCELLED, finished_at=timezone.now()):
            raise Conflict("It has ended already.", code="already_ended")
        drop_staged([errand.pk])
        audit.record(principal, "import.cancel", target="import", target_id=errand.pk)
    errand.refresh_from_db()
    return errand


def counts(errand: Import) -> dict[str, int]:
    """How many lines have each result; all results are named."""
    found = dict(errand.lines.values_list("result").annotate(n=models.Count("pk")).order_by())
    return {result: found.get(result, 0) for result in Result.values}


def staged(errand: Import) -> models.QuerySet[ImportLine]:
    """The lines that are still to be carried out, in the order of the file."""
    return errand.lines.filter(content__isnull=False).order_by("number")


def in_the_way(lines: Sequence[ImportLine]) -> dict[uuid.UUID, Memory]:
    """What stands where staged lines say something else, by the id of the line."""
    asked = [line for line in lines if line.content is not None and line.result == Result.CONFLICT]
    wanted = models.Q(slot__digest__in=[line.slot_digest for line in asked])
    rows = Memory.objects.current().filter(wanted, namespace__in={line.namespace_id for line in asked})
    standing = {row.slot.digest: row for row in rows.select_related("slot")} if asked else {}
    return {line.pk: standing[line.slot_digest] for line in asked if line.slot_digest in standing}


def drop_staged(ids: Sequence[uuid.UUID]) -> int:
    """Let go of the texts of these files."""
    return ImportLine.objects.filter(errand__in=ids, content__isnull=False).update(content=None)


def proposal_of(content: dict[str, Any], namespace: Namespace) -> tuple[Area, ProposalInput]:
    """A staged line as the request to remember that it is."""
    area = Area(namespace, tuple(content["path"]))
    end = content["valid_until"]
    if end is not None:
        end = datetime.fromisoformat(end) if "T" in end else date.fromisoformat(end)
    handed_over = HandOver(inferred=content["inferred"], paused=content["paused"])
    same = {name: content[name] for name in _SAME}
    ref = NamespaceRef(namespace.type, namespace.owner_name, area.path)
    aliases = tuple(content["aliases"])
    return area, ProposalInput(
        ref, **same, aliases=aliases, valid_until=end, handed_over=handed_over, end_is_settled=True
    )


def soon(import_id: uuid.UUID) -> None:
    """Have it carried out promptly once this transaction is committed. Without a broker the worker finds it."""
    if settings.CELERY_BROKER_URL:
        tenant_id = tenancy.current_id()
        # The task is a door and stands above, hence by name.
        transaction.on_commit(lambda: import_string(APPLY_TASK).send(tenant_id, import_id), robust=True)


_SAME = ("kind", "key", "statement", "value", "conditions", "sensitivity", "said", "reusable")


def _begun(principal: Principal, form: str) -> Import:
    with tenancy.atomic():
        if access.imports(principal).filter(state__in=(State.CHECKING, *GOING)).count() >= MOST_OPEN:
            raise Conflict("Too many files wait already; carry one out or cancel it.", code="too_many_imports")
        expires_at = timezone.now() + STAGED_FOR
        return Import.objects.create(**asked_by(principal), format=form, expires_at=expires_at)


class _Check:
    """One pass over the lines of a file. Of two lines for one key the first counts."""

    def __init__(
        self, principal: Principal, errand: Import, usable: Sequence[Namespace], target: Namespace | None
    ) -> None:
        self.principal, self.errand, self.usable, self.target = principal, errand, usable, target
        self.seen: dict[str, Entry] = {}

    def run(self, lines: Sequence[Line]) -> None:
        for start in range(0, len(lines), BATCH):
            batch = lines[start : start + BATCH]
            areas = {number: self._area(entry) for number, entry in batch if isinstance(entry, Entry)}
            with tenancy.atomic():
                # So that no key is forgotten between its judgement and its staging.
                access.lock({area.namespace.pk: area.namespace for area in areas.values() if area}.values())
                sitting = Sitting(self.principal)
                made = [self._line(sitting, number, entry, areas.get(number)) for number, entry in batch]
                ImportLine.objects.bulk_create(made)

    def _area(self, entry: Entry) -> Area | None:
        """Where an entry would go, or None where the caller may not write."""
        place = entry.place or NamespaceRef("user" if self.principal.subject_id else "agent")
        if self.target is not None:
            return Area(self.target, place.path)
        try:
            return access.area(self.principal, place, among=self.usable)
        except NotVisible:
            return None

    def _line(self, sitting: Sitting, number: int, entry: Entry | BadLine, area: Area | None) -> ImportLine:
        line = ImportLine(errand=self.errand, number=number, result=Result.REFUSED)
        if isinstance(entry, BadLine):
            line.reason, line.field = entry.code, entry.field
        elif area is None:
            line.reason, line.field = "unknown_namespace", "namespace"
        else:
            self._foresee(sitting, line, entry, area)
        return line

    def _foresee(self, sitting: Sitting, line: ImportLine, entry: Entry, area: Area) -> None:
        content = _content(entry, area)
        try:
            fate = actions.foresee(sitting, *proposal_of(content, area.namespace))
        except MemoryHubError as error:
            line.reason, line.field = error.code, error.errors[0].pointer if error.errors else ""
            return
        line.result, line.reason, line.slot_digest = fate.result, fate.reason, fate.slot_digest
        if line.result not in STAGED:
            return
        line.namespace = area.namespace
        if (earlier := self.seen.setdefault(fate.slot_digest, entry)) is not entry:
            line.result = Result.SAME if earlier == entry else Result.REFUSED
            line.reason = "repeated_line" if earlier == entry else "repeated_key"
            return
        line.content = content


def _content(entry: Entry, area: Area) -> dict[str, Any]:
    """An entry as it is staged: where it goes is decided, so the file's own place is not kept."""
    end = entry.valid_until
    found = asdict(entry)
    del found["place"]
    return {**found, "path": list(area.path), "said": dict(entry.said), "valid_until": end.isoformat() if end else None}
