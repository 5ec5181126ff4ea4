"""What people answer to what waits: always bound to the exact content they were shown."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.forms import Day
from memories.forms import DAY, ContentForm, JSONText, last_day
from memories.models import Candidate, OwnRule
from memories.policy import Policy
from memories.sensitivity import sensitive_trait
from memories.topics import normalise_key
from memories.wishes import PRIVATE_LIFE

MOST_AT_ONCE = 50


class AnswerForm(forms.Form):
    """An answer to one candidate."""

    content_hash = forms.CharField(max_length=128, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, candidate: Candidate, policy: Policy) -> None:
        super().__init__(data, initial={"content_hash": candidate.content_hash}, auto_id=f"{candidate.pk}_%s")


class ApprovalForm(AnswerForm):
    """A yes. A reviewer may name another last day; whoever approves must name one where the kind needs it."""

    valid_until = Day(
        label=_("Last day"), required=False, widget=DAY, help_text=_("Leave empty to keep the end shown above.")
    )

    def __init__(self, data: Any = None, *, candidate: Candidate, policy: Policy) -> None:
        super().__init__(data, candidate=candidate, policy=policy)
        rule, field = policy.kind(candidate.kind), self.fields["valid_until"]
        remembers = candidate.action == Candidate.Action.REMEMBER
        if remembers and rule is not None and rule.expiry_required and candidate.valid_until is None:
            field.required, field.help_text = True, _("This kind of memory needs a last day.")
            if rule.default_days is not None:
                field.initial = timezone.localdate() + timedelta(days=rule.default_days)
        elif not remembers or candidate.awaiting == Candidate.Awaiting.OWNER:
            del self.fields["valid_until"]


class EditForm(AnswerForm, ContentForm):
    """A yes in the person's own words. What they leave as it is stays exactly as it was."""

    value = JSONText(
        label=_("Value for programs (JSON)"),
        required=False,
        help_text=_("Programs read this instead of the sentence; keep the two in step or empty it."),
    )

    def __init__(self, data: Any = None, *, candidate: Candidate, policy: Policy) -> None:
        super().__init__(data, candidate=candidate, policy=policy)
        shown = {"statement": candidate.statement, "conditions": candidate.conditions or "", "value": candidate.value}
        self.initial.update(shown | {"valid_until": last_day(candidate)})
        if candidate.value is None:
            del self.fields["value"]

    def changes(self) -> dict[str, Any]:
        touched = {name: self.cleaned_data[name] for name in self.changed_data if name != "content_hash"}
        return touched | ({"conditions": touched["conditions"] or None} if "conditions" in touched else {})


class SeveralForm(forms.Form):
    """One answer to several; `seen` names each with the content that was shown, as `id:digest`."""

    verdict = forms.ChoiceField(choices=[("approve", _("Remember")), ("reject", _("Reject"))])
    seen = forms.TypedMultipleChoiceField(coerce=lambda text: _seen(text))

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        named = data.getlist("seen")[:MOST_AT_ONCE]
        self.fields["seen"].choices = [(one, one) for one in named]


def _seen(text: str) -> tuple[Any, str]:
    name, _colon, digest = text.partition(":")
    return forms.UUIDField().clean(name), digest


class NeverForm(AnswerForm):
    """A no for good: which rule it makes."""

    rule = forms.ChoiceField(label=_("Never ask me again about"), widget=forms.RadioSelect)

    def __init__(self, data: Any = None, *, candidate: Candidate, policy: Policy) -> None:
        super().__init__(data, candidate=candidate, policy=policy)
        self.fields["rule"].choices = _rules_against(candidate, policy)
        self.fields["rule"].initial = self.fields["rule"].choices[0][0]

    def chosen(self) -> tuple[str, str]:
        type_, _colon, text = self.cleaned_data["rule"].partition(":")
        return type_, text


def _rules_against(candidate: Candidate, policy: Policy) -> list[tuple[str, Any]]:
    """The rules that would have kept it from being asked, the narrowest first."""
    name = normalise_key(candidate.key or "")
    found: list[tuple[str, Any]] = [(f"{OwnRule.Type.KEY}:{name}", _("this name: %(name)s") % {"name": name})]
    stem, separator, _rest = name.partition("_")
    if separator:
        family = f"{stem}_*"
        found.append((f"{OwnRule.Type.KEY}:{family}", _("all names like %(name)s") % {"name": family}))
    texts = (candidate.statement or "", candidate.conditions or "", *candidate.aliases)
    if any(sensitive_trait(text) for text in texts):
        words = _("my private life: health, beliefs, family, origin, money troubles")
        found.append((f"{OwnRule.Type.TOPIC}:{PRIVATE_LIFE}", words))
    rule = policy.kind(candidate.kind)
    label = rule.label.get(get_language() or "en") if rule else candidate.kind
    found.append((f"{OwnRule.Type.KIND}:{candidate.kind}", _("everything of this kind: %(kind)s") % {"kind": label}))
    return found
