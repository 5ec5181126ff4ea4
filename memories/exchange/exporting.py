"""Take along: ask for a file of what one may read, follow it, fetch it. A small one of one's own comes at once."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from accounts import audit, tenancy
from accounts.errands import asked_by
from accounts.errands import retry as retry_errand
from accounts.errors import Conflict, Forbidden, InvalidInput, NotVisible
from accounts.principals import Principal, Role, Scope
from memories import access
from memories.access import NamespaceRef
from memories.exchange import files
from memories.exchange.formats import FORMATS
from memories.models import Export, Memory, Namespace

WRITE_TASK = "memories.tasks.write_export"
AT_ONCE = 10_000
AT_ONCE_BYTES = 16 * 1024 * 1024
BATCH = 500
MOST_OPEN = 10
MOST_CHOSEN = 10_000
OPEN = (Export.State.QUEUED, Export.State.RUNNING, Export.State.READY)
AGAIN = (Export.State.FAILED, Export.State.CANCELLED, Export.State.WITHDRAWN, Export.State.EXPIRED)


@dataclass(frozen=True, slots=True)
class ExportInput:
    """What to take along: these namespaces (none named: one's own), or with `whole_tenant` the teams, projects and
    agents of the whole organisation beside one's own."""

    namespaces: tuple[NamespaceRef, ...] = ()
    format: str = Export.Format.JSONL
    whole_tenant: bool = False

    @property
    def is_own(self) -> bool:
        """Whether nothing but one's own memories in the usual form is asked for."""
        return not self.namespaces and not self.whole_tenant and self.format == Export.Format.JSONL


def at_once(principal: Principal) -> bytes | None:
    """The subject's own memories as JSON Lines, when they are few enough for one answer; else None."""
    principal.require(Scope.READ)
    if principal.subject_id is None:
        return None
    (area,) = access.areas(principal, [NamespaceRef("user")])
    write, content, count = FORMATS[Export.Format.JSONL].rows, bytearray(), 0
    for batch in batches(area.namespace):
        content += write(batch)
        count += len(batch)
        if count > AT_ONCE or len(content) > AT_ONCE_BYTES:
            return None
    with tenancy.atomic():
        audit.record(principal, "memory.export", details={"memories": count, "format": Export.Format.JSONL})
    return bytes(content)


def ask(principal: Principal, asked: ExportInput) -> Export:
    """Have a file made in the background. Raises NotVisible for a namespace one may not read, Forbidden for the whole
    tenant unless the caller is a signed-in admin, Conflict when too many of one's files are there already.
    """
    principal.require(Scope.READ)
    if asked.whole_tenant and not may_export_tenant(principal):
        raise Forbidden("Only an administrator in person may export the whole organisation.", code="not_an_admin")
    if asked.whole_tenant:
        return _create(principal, Export.Scope.TENANT, asked.format)
    ids = [one.pk for one in _chosen(principal, asked)]
    return _create(principal, Export.Scope.NAMESPACES, asked.format, namespace_ids=ids)


def ask_for_some(principal: Principal, memories: Sequence[Memory], format_: str) -> Export:
    """Have a file made of what stands for these, found among what the caller may read, when it is written.

    Raises InvalidInput for none or too many, Conflict as `ask` does.
    """
    principal.require(Scope.READ)
    if not 0 < len(memories) <= MOST_CHOSEN:
        raise InvalidInput.field("memories", "Choose between 1 and 10,000 memories.", "out_of_range")
    places, slots = {one.namespace_id for one in memories}, {one.slot_id for one in memories}
    return _create(principal, Export.Scope.CHOSEN, format_, namespace_ids=sorted(places), slot_ids=sorted(slots))


def _create(principal: Principal, scope: str, format_: str, **ids: Sequence[uuid.UUID]) -> Export:
    with tenancy.atomic():
        if access.exports(principal).filter(state__in=OPEN).count() >= MOST_OPEN:
            raise Conflict("There are too many exports already; cancel one first.", code="too_many_exports")
        export = Export.objects.create(
            **asked_by(principal),
            scope=scope,
            format=format_,
            **{name: [str(one) for one in found] for name, found in ids.items()},
        )
        details = {"scope": export.scope, "format": export.format, "namespaces": len(export.namespace_ids)}
        details |= {"memories": len(export.slot_ids)} if export.slot_ids else {}
        audit.record(principal, "export.ask", target="export", target_id=export.pk, details=details)
        soon(export.pk)
    return export


def cancel(principal: Principal, export_id: str | uuid.UUID) -> Export:
    """Stop one that is made, or remove one that is ready. Raises Conflict when it has ended already."""
    export = access.export(principal, export_id)
    with tenancy.atomic():
        going = Export.objects.filter(pk=export.pk, state__in=OPEN)
        if not going.update(state=Export.State.CANCELLED, finished_at=timezone.now(), sha256=""):
            raise Conflict("It has ended already.", code="already_ended")
        audit.record(principal, "export.cancel", target="export", target_id=export.pk)
        files.clear_soon([export.pk])
    return access.export(principal, export_id)


def retry(principal: Principal, export_id: str | uuid.UUID) -> Export:
    """Make it anew. Raises Conflict while it is made or ready."""
    export = access.export(principal, export_id)
    files.clear([export.pk])
    with tenancy.atomic():
        retry_errand(principal, export, AGAIN)
        soon(export.pk)
    return access.export(principal, export_id)


def fetch(principal: Principal, export_id: str | uuid.UUID) -> tuple[Export, File]:
    """The finished file, open for reading, as long as the caller may still read all that is in it.

    Raises Conflict when there is no file (any more), NotVisible when a right has been lost since.
    """
    principal.require(Scope.READ)
    export = access.export(principal, export_id)
    if not _may_still_read(principal, export):
        raise NotVisible
    if export.state != Export.State.READY or has_ended(export):
        raise Conflict("There is no file to fetch; look at its state.", code="export_not_ready", state=export.state)
    try:
        file = files.read(export.file, export.size)
    except OSError:
        file = None
    if file is None:
        _lost(export)
        raise Conflict("The file is gone; have it made anew.", code="export_not_ready", state=Export.State.FAILED)
    with tenancy.atomic():
        audit.record(
            principal, "export.fetch", target="export", target_id=export.pk, details={"memories": export.written}
        )
    return export, file


def has_ended(export: Export) -> bool:
    """Whether the link has run out, even if no sweep came by since."""
    return export.expires_at is not None and export.expires_at <= timezone.now()


def may_export_tenant(principal: Principal) -> bool:
    """Whether it is an admin who is signed in: a token that got into wrong hands must not open everything."""
    return principal.is_person and principal.credential_id is None and principal.has_role(Role.ADMIN)


def batches(namespace: Namespace, slot_ids: Sequence[str] = ()) -> Iterator[list[Memory]]:
    """The versions that stand in a namespace, in the order in which they were written, some at a time; with `slot_ids`
    those of them alone."""
    rows, last = Memory.objects.current().filter(namespace=namespace).order_by("pk"), None
    if slot_ids:
        rows = rows.filter(slot_id__among=slot_ids)
    while found := list((rows if last is None else rows.filter(pk__gt=last))[:BATCH]):
        for row in found:
            row.namespace = namespace
        last = found[-1].pk
        yield found
        if len(found) < BATCH:
            return


def soon(export_id: uuid.UUID) -> None:
    """Have it made promptly once this transaction is committed. Without a broker the worker finds it."""
    if settings.CELERY_BROKER_URL:
        tenant_id = tenancy.current_id()
        # The task is a door and stands above, hence by name.
        transaction.on_commit(lambda: import_string(WRITE_TASK).send(tenant_id, export_id), robust=True)


def _chosen(principal: Principal, asked: ExportInput) -> list[Namespace]:
    if any(ref.path for ref in asked.namespaces):
        raise InvalidInput.field("namespaces", "An export holds whole namespaces; leave the path out.", "whole_only")
    own = NamespaceRef("user" if principal.subject_id else "agent")
    found = {area.namespace.pk: area.namespace for area in access.areas(principal, asked.namespaces or [own])}
    return list(found.values())


def _may_still_read(principal: Principal, export: Export) -> bool:
    if export.scope == Export.Scope.TENANT:
        return may_export_tenant(principal)
    return {str(one.pk) for one in access.readable(principal)}.issuperset(export.namespace_ids)


def _lost(export: Export) -> None:
    """Note that a file is gone or cut off, so that it can be made anew."""
    files.remove(export.file)
    ready = Export.objects.filter(pk=export.pk, state=Export.State.READY, file=export.file)
    ready.update(state=Export.State.FAILED, error="file_lost", **files.BLANK)
