"""Makes the demo's company once. What is there already is never touched."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from accounts import tenancy
from accounts.models import Membership, Tenant
from accounts.provisioning import provision_tenant
from memoryhub.demo import company
from memoryhub.demo.company import STORY, Told
from memoryhub.demo.door import Answer, Door
from reviews import notices


class SeedingFailed(RuntimeError):
    """The door did not answer as the demo's company needs; the message names the place, never a text."""


@dataclass(frozen=True, slots=True)
class SignIns:
    """What the demo made up once: passwords by person, the agent's key, and when. Empty when its file is gone."""

    passwords: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    made_at: str = ""
    complete: bool = False


def prepare(file: Path) -> SignIns:
    """The sign-ins of the demo's company, made now if it does not exist; an interrupted making is finished.

    A tenant of this name that the file does not know of belongs to someone: it is left alone.
    """
    known = _read(file)
    if known is None:
        if Tenant.objects.filter(slug=company.SLUG).exists():
            return SignIns(complete=True)
        passwords = {one.name: secrets.token_urlsafe(12) for one in company.PEOPLE}
        tenant, keys = provision_tenant(company.document(passwords), "demo")
        with tenancy.entered(tenant.pk):  # invented people read no mail, and printed ones would bury the sign-ins
            Membership.objects.update(notices_off=[notices.code(kind, notices.MAIL) for kind in notices.Kind])
        key = keys[f"{company.SLUG}/{company.AGENT}/{company.KEY}"]
        known = SignIns(passwords, key, timezone.now().replace(microsecond=0).isoformat())
        _write(file, known)
    if not known.complete and Tenant.objects.filter(slug=company.SLUG).exists():
        _tell(known.key, datetime.fromisoformat(known.made_at))
        known = replace(known, complete=True)
        _write(file, known)
    return known


def _tell(key: str, made_at: datetime) -> None:
    """Let every person say what they say, and agree to what they agree to. Repeated, each request acts once."""
    for number, told in enumerate(STORY):
        agent = Door.for_agent(key, told.person, run=f"demo_{number}")
        body = _proposal(told, number, made_at)
        answer = agent.post("/proposals", body, Idempotency_Key=f"demo-{number}")
        if answer.status not in (200, 201, 202):
            raise SeedingFailed(f"{told.key}: {answer.status}")
        memory = _agree(told, answer, number) if told.by else answer.get("memory")
        if told.forgotten and memory is not None:
            Door.for_person(_email(told.person)).call("DELETE", f"/memories/{memory['memory_id']}")


def _proposal(told: Told, number: int, made_at: datetime) -> dict[str, Any]:
    """What the agent asks to remember. One thing was said a day, the last one yesterday."""
    body = told.proposal()
    if told.days is not None:
        body["valid_until"] = (made_at + timedelta(days=told.days)).date().isoformat()
    if told.message is None:
        return body
    return body | {
        "evidence": {
            "type": "user_message",
            "ref": f"message_{number}",
            "thread": f"chat_{told.person}",
            "sequence": number,
            "occurred_at": (made_at - timedelta(days=len(STORY) - number)).isoformat(),
            "text": told.message,
        }
    }


def _agree(told: Told, answer: Answer, number: int) -> Mapping[str, Any] | None:
    person = Door.for_person(_email(told.by))
    candidate = person.get(f"/candidates/{answer.get('candidate_id')}")
    if candidate.get("status") != "pending":
        return None  # agreed to before the making was interrupted
    approval = {"content_hash": candidate["content_hash"]}
    agreed = person.post(
        f"/candidates/{candidate['candidate_id']}/approve", approval, Idempotency_Key=f"demo-yes-{number}"
    )
    if agreed.status != 200:
        raise SeedingFailed(f"{told.key}: {agreed.status}")
    memory: Mapping[str, Any] | None = agreed.get("memory")
    return memory


def _email(name: str) -> str:
    return next(one.email for one in company.PEOPLE if one.name == name)


def _read(file: Path) -> SignIns | None:
    try:
        kept = json.loads(file.read_text("utf-8"))
        return SignIns(**kept)
    except (OSError, ValueError, TypeError):
        return None


def _write(file: Path, known: SignIns) -> None:
    """Readable by this user alone, and never half-written."""
    beside = file.with_suffix(".new")
    beside.unlink(missing_ok=True)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        json.dump(asdict(known), out, indent=2)
    beside.replace(file)
