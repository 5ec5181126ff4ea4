"""How the pages show moments, states, kinds and people's texts."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.conf import settings
from django.template import Context
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts.principals import Role
from memories import diffs
from memories.forms import last_day
from memories.models import Candidate, Memory, Namespace
from memories.policy import Policy
from memories.reasons import (
    EVIDENCE,
    FAILURES,
    FINDINGS,
    LINES,
    OBSTACLES,
    OUTCOMES,
    RECALLING,
    REMARKS,
    RULES,
    STORES,
    sentence,
)
from memories.recalled import Came
from memories.uses import Weekly
from memoryhub.templatetags.charts import sparkline
from reviews import notices

register = template.Library()
HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")
KANA_OR_HANGUL = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
LATIN = re.compile(r"[A-Za-z]")

# Status: word and icon, never colour alone.
STATES = {
    "active": _("active"),
    "paused": _("paused"),
    "superseded": _("superseded"),
    "deleted": _("deleted"),
    "expired": _("expired"),
    "pending": _("waiting"),
}
JOB_LOOKS = {
    "ready": "active", "sent": "active", "done": "active", "new": "active", "replaced": "active", "same": "superseded",
    "expired": "expired", "conflict": "differs", "failed": "deleted", "withdrawn": "deleted", "cancelled": "superseded",
    "refused": "deleted",
}  # fmt: skip


VERDICT_LOOKS = {"store": "success", "supersede": "success", "keep": "success", "reject": "error",
                 "route_to_source": "error"}  # fmt: skip


@register.filter
def verdict_look(outcome: str) -> str:
    """How a notice of what the gate decided looks."""
    return VERDICT_LOOKS.get(outcome, "warning")


CANDIDATE_LOOKS = {
    "approved": "active",
    "rejected": "deleted",
    "changes_requested": "differs",
    "withdrawn": "superseded",
    "lapsed": "expired",
}


@register.inclusion_tag("parts/state.html")
def state(row: Memory | Candidate) -> dict[str, Any]:
    """The status of a memory or candidate; an active one past its end reads as expired."""
    name = str(row.status)
    if name == Memory.Status.ACTIVE and row.valid_until is not None and row.valid_until <= timezone.now():
        name = "expired"
    return {"name": CANDIDATE_LOOKS.get(name, name), "words": STATES.get(name, row.get_status_display())}


@register.inclusion_tag("parts/state.html")
def job_state(state: str, words: Any) -> dict[str, Any]:
    """The state of an export or import: with the look of the status it resembles."""
    return {"name": JOB_LOOKS.get(state, "pending"), "words": words}


@register.inclusion_tag("parts/moment.html")
def moment(value: datetime | None) -> dict[str, Any]:
    """A time in the reader's zone, with the exact instant for machines."""
    return {"value": value, "instant": value.isoformat() if value else ""}


@register.inclusion_tag("parts/end.html")
def holds_until(row: Memory | Candidate) -> dict[str, Any]:
    """Until when a memory holds, as the last day in its reader's calendar."""
    return {"day": last_day(row), "instant": row.valid_until.isoformat() if row.valid_until else ""}


@register.inclusion_tag("parts/quote.html")
def quote(text: str | None) -> dict[str, Any]:
    """A remembered text as it is: in its own language and direction, never as markup."""
    return {"text": text or "", "lang": language_of(text or "")}


@register.inclusion_tag("parts/diff.html")
def difference(old: str | None, new: str | None) -> dict[str, Any]:
    """What changed from one text to another, with signs and not in colour alone."""
    return {"pieces": diffs.diff(old or "", new or ""), "lang": language_of(new or old or "")}


@register.inclusion_tag("parts/diff.html")
def taken_from(text: str, statement: str | None) -> dict[str, Any]:
    """A source's words with those marked that the memory has too."""
    return {"pieces": diffs.shared(text, statement or ""), "lang": language_of(text), "is_source": True}


@register.inclusion_tag("parts/field.html")
def field(bound: Any) -> dict[str, Any]:
    """One form field with its label, help and errors beside it."""
    kind = getattr(bound.field.widget, "input_type", "")
    return {"field": bound, "is_choice_row": kind == "checkbox" and not bound.use_fieldset}


@register.filter
def kind_label(name: str, policy: Policy) -> str:
    """A kind's name in the reader's language; a kind of an older policy by its code."""
    rule = policy.kind(name)
    return rule.label.get(get_language() or "en") if rule else name


@register.filter
def in_words(code: str, table: str) -> Any:
    """A code as a sentence or noun: `reason`, `rule`, `evidence`, `store`, `line` of a file, `failure` of a job,
    `finding` in a conversation, `outcome`, `obstacle`, what speaks for `recalling`, or a `remark` on a passed check
    (blank for none)."""
    if table == "reason":
        return sentence(code)
    if table == "remark":
        return REMARKS.get(code, "")
    if table == "line":
        return LINES.get(code) or sentence(code)
    if table == "obstacle":
        return OBSTACLES.get(code) or sentence(code)
    if table == "failure":
        return FAILURES.get(code, FAILURES["interrupted"])
    tables = {"rule": RULES, "evidence": EVIDENCE, "store": STORES, "finding": FINDINGS}
    tables |= {"outcome": OUTCOMES, "recalling": RECALLING}
    return tables[table].get(code, code)


@register.filter
def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@register.simple_tag(takes_context=True)
def owner(context: Context, namespace: Namespace) -> Any:
    """Whose memory it is, from the reader's point of view."""
    membership = getattr(context.get("request"), "membership", None)
    if membership is not None and namespace.membership_id == membership.pk:
        return _("you")
    return f"{namespace.get_type_display()} {namespace.owner_name}"


@register.simple_tag
def sign_up_is_open() -> bool:
    return bool(settings.MEMORYHUB_OPEN_SIGN_UP)


@register.simple_tag(takes_context=True)
def unseen_notices(context: Context) -> int:
    """How many notices the reader has not seen; stands beside the bell."""
    membership = getattr(context.get("request"), "membership", None)
    return notices.unseen(membership, timezone.now()) if membership is not None else 0


@register.simple_tag(takes_context=True)
def may_review(context: Context) -> bool:
    """Whether the reader decides on what waits for reviewers."""
    membership = getattr(context.get("request"), "membership", None)
    return membership is not None and membership.has_role(Role.REVIEWER)


@register.simple_tag(takes_context=True)
def may_audit(context: Context) -> bool:
    """Whether the reader may read the audit."""
    membership = getattr(context.get("request"), "membership", None)
    return membership is not None and membership.has_role(Role.AUDITOR, Role.ADMIN)


@register.simple_tag(takes_context=True)
def may_set_up_webhooks(context: Context) -> bool:
    """Whether the reader administers the tenant or maintains a team or project of it."""
    membership = getattr(context.get("request"), "membership", None)
    if membership is None:
        return False
    return membership.has_role(Role.ADMIN) or membership.group_memberships.filter(is_maintainer=True).exists()


@register.simple_tag
def scores_of(came: Came) -> list[tuple[Any, float]]:
    """The parts of a score in words, the largest first."""
    return [(RECALLING.get(name, name), round(value, 2)) for name, value in came.scores]


@register.inclusion_tag("charts/sparkline.html")
def use_sparkline(use: Mapping[uuid.UUID, Weekly], memory: Memory) -> dict[str, Any]:
    """How often a memory came back in the last twelve weeks, as a small line and in words."""
    weekly = use.get(memory.pk, Weekly())
    if not weekly.total or weekly.last_at is None:
        return sparkline(weekly.weeks, _("never recalled"))
    words = ngettext("recalled once in 12 weeks", "recalled %(n)d times in 12 weeks", weekly.recent)
    when = gettext("last %(day)s") % {"day": date_format(timezone.localtime(weekly.last_at), "DATE_FORMAT")}
    return sparkline(weekly.weeks, f"{words % {'n': weekly.recent}}, {when}")


@register.filter
def at_key(table: Mapping[Any, Any], key: Any) -> Any:
    """What a mapping holds for a key; the key itself where it holds nothing."""
    return table.get(key, key)


@register.filter
def entries(table: Mapping[Any, Any]) -> Any:
    """The keys and values of a mapping, also of one with a key named items."""
    return table.items()


@register.filter
def page_language(code: str) -> str:
    """A Django language code as HTML's lang wants it."""
    return "zh-Hans" if code.lower() == "zh-hans" else code


def language_of(text: str) -> str:
    """The language to announce for a text, or nothing when it is not plain: screen readers change their voice by it."""
    if KANA_OR_HANGUL.search(text):
        return ""
    if HAN.search(text):
        return "zh-Hans"
    return "en" if LATIN.search(text) and text.isascii() else ""
