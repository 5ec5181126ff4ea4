"""Take a conversation in, and stop or repeat looking through it.

What the write gate would refuse to keep, or a rule of the person, is let go of before anything is written: neither a
row nor a model sees it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from accounts import audit, tenancy
from accounts.errands import asked_by
from accounts.errors import Conflict, FieldError, InvalidInput
from accounts.principals import Principal, Scope
from memories import access, own_rules, tenant_policy
from memories.access import NamespaceRef
from memories.extraction import model
from memories.extraction.messages import ExtractionInput, Message
from memories.models import Extraction
from memories.sensitivity import scan_fields, screen

EXTRACT_TASK = "memories.tasks.extract"
KEPT_FOR = timedelta(hours=24)
MOST_OPEN = 20
State = Extraction.State
GOING = (State.QUEUED, State.RUNNING)


def ask(principal: Principal, asked: ExtractionInput) -> Extraction:
    """Have a conversation looked through in the background.

    Raises InvalidInput when there is no person whose conversation it is, or when a name in it looks sensitive;
    Conflict when there is no model to ask, too much waits already or the person has turned memory off.
    """
    principal.require(Scope.PROPOSE)
    if principal.subject_id is None:
        raise InvalidInput.field(
            "MemoryHub-Subject", "A conversation is looked through for one person; name them.", "required"
        )
    _check_names(principal, asked)
    if asked.method == Extraction.Method.MODEL:
        _check_model()
    namespace = access.area(principal, NamespaceRef("user"), access.usable(principal)).namespace
    if namespace.membership is not None and namespace.membership.memory_off_at is not None:
        raise Conflict("The person has turned memory off.", code="memory_off")
    if namespace.is_closed:
        raise Conflict("The person has shut this agent out.", code="agent_off")
    read = [_read(one, asked.method, namespace.owner_name) for one in asked.messages]
    policy, wishes = tenant_policy.active(), own_rules.wishes_of(namespace.membership)
    messages = [
        replace(one, text=None) if _is_refused(one.text) or own_rules.is_unwanted(one.text, policy, wishes) else one
        for one in read
    ]
    withheld = sum(one != kept for one, kept in zip(read, messages, strict=True))
    with tenancy.atomic():
        access.lock([namespace])  # so that nothing is forgotten between its arrival and its row
        if access.extractions(principal).filter(state__in=GOING).count() >= MOST_OPEN:
            raise Conflict("Too many conversations wait already; cancel one.", code="too_many_extractions")
        made = Extraction.objects.create(
            **asked_by(principal),
            method=asked.method,
            namespace=namespace,
            conversation=asked.conversation,
            run_id=principal.run_id,
            messages=[one.as_json() for one in messages],
            total=len(messages),
            withheld=withheld,
            expires_at=timezone.now() + KEPT_FOR,
        )
        details = {"method": asked.method, "messages": len(messages), "withheld": withheld}
        audit.record(principal, "extraction.ask", target="extraction", target_id=made.pk, details=details)
        soon(made.pk)
    return made


def cancel(principal: Principal, extraction_id: str | uuid.UUID) -> Extraction:
    """Stop it and let go of the conversation. Raises Conflict when it has ended."""
    errand = access.extraction(principal, extraction_id)
    with tenancy.atomic():
        going = Extraction.objects.filter(pk=errand.pk, state__in=GOING)
        ended = {"state": State.CANCELLED, "messages": None, "finished_at": timezone.now(), "claimed_until": None}
        if not going.update(**ended):
            raise Conflict("It has ended already.", code="already_ended")
        audit.record(principal, "extraction.cancel", target="extraction", target_id=errand.pk)
    errand.refresh_from_db()
    return errand


def retry(principal: Principal, extraction_id: str | uuid.UUID) -> Extraction:
    """Look through it again after a failure, as long as the conversation is still there. Raises Conflict when not."""
    errand = access.extraction(principal, extraction_id)
    try_again(principal, errand)
    errand.refresh_from_db()
    return errand


def try_again(principal: Principal, errand: Extraction) -> None:
    """The same for who runs this MemoryHub; whose conversation it is does not matter to them."""
    with tenancy.atomic():
        failed = Extraction.objects.filter(pk=errand.pk, state=State.FAILED, messages__isnull=False)
        anew = {"state": State.QUEUED, "attempts": 0, "error": "", "finished_at": None, "claimed_until": None}
        if not failed.update(**anew):
            raise Conflict("It did not fail, or its conversation is gone; send it anew.", code="not_failed")
        audit.record(principal, "extraction.retry", target="extraction", target_id=errand.pk)
        soon(errand.pk)


def soon(extraction_id: uuid.UUID) -> None:
    """Have it looked through promptly once this transaction is committed. Without a broker the worker finds it."""
    if settings.CELERY_BROKER_URL:
        tenant_id = tenancy.current_id()
        # The task is a door and stands above, hence by name.
        transaction.on_commit(lambda: import_string(EXTRACT_TASK).send(tenant_id, extraction_id), robust=True)


def _check_names(principal: Principal, asked: ExtractionInput) -> None:
    names = dict(_names(asked.messages), conversation=asked.conversation)
    names |= {"MemoryHub-Run": principal.run_id, "MemoryHub-Thread": principal.thread_id}
    if found := scan_fields(names):
        raise InvalidInput(
            "A reference or name holds something that may not be kept.",
            code="sensitive_or_prohibited",
            errors=[
                FieldError(name, "sensitive_or_prohibited", "It looks like a secret or an identifier.")
                for name in names
                if name in found
            ],
        )


def _names(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    for place, one in enumerate(messages):
        yield f"messages.{place}.id", one.id
        yield f"messages.{place}.author", one.author


def _check_model() -> None:
    if model.configured() is None:
        raise Conflict("This deployment has no model for this; use the method rules.", code="no_extraction_model")
    if model.permitted() is None:
        raise Conflict("The policy sends no conversation to the model.", code="extraction_model_not_permitted")


def _read(message: Message, method: str, owner: str) -> Message:
    """The message with its text where looking through it needs it: a model reads all, rules only the person's own."""
    own = message.role == "user" and message.author in ("", owner)
    return replace(message, own=own, text=message.text if own or method == Extraction.Method.MODEL else None)


def _is_refused(text: str | None) -> bool:
    """Whether the gate would refuse to keep it."""
    return text is not None and (bool(scan_fields({"text": text})) or screen(text).verdict == "prohibited")
