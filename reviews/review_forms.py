"""What reviewers enter: their verdicts, claims, comments and better words, and the filters of their queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.errors import InvalidInput
from accounts.models import Agent, Membership
from memories import procedures
from memories.forms import kind_choices
from memories.inputs import MAX_STATEMENT
from memories.models import Candidate, Namespace
from memories.policy import Policy
from memories.reasons import REASONS, sentence
from reviews.checklists import questions
from reviews.forms import AnswerForm, ApprovalForm
from reviews.queue import Order, QueueFilter, Tab
from reviews.risk import Risk
from reviews.threads import MAX_COMMENT

# The codes of `decisions.REASONS` in words, in the order in which they are offered.
REASON_WORDS = {
    "not_true": _("not true"),
    "outdated": _("outdated"),
    "too_broad": _("too broad"),
    "unclear": _("unclear"),
    "private": _("private"),
    "duplicate": _("a duplicate"),
    "not_useful": _("not useful"),
    "wrong_place": _("in the wrong place"),
}


class ApproveForm(ApprovalForm):
    """A reviewer's yes: where the risk is not low, after every question of its kind was answered."""

    def __init__(self, data: Any = None, *, candidate: Candidate, policy: Policy, risk: str) -> None:
        super().__init__(data, candidate=candidate, policy=policy)
        for code, question in questions(candidate.kind).items() if risk != Risk.LOW else ():
            self.fields[f"check_{code}"] = forms.BooleanField(label=question)

    def verdict(self) -> dict[str, Any]:
        """What the verb takes: the questions were for the reviewer."""
        return {name: value for name, value in self.cleaned_data.items() if not name.startswith("check_")}


class RefusalForm(AnswerForm):
    """A reviewer's no, or their wish for another version: with a reason of the list, the wish in words too."""

    reason = forms.ChoiceField(label=_("Reason"), choices=[("", "—"), *REASON_WORDS.items()])

    def verdict(self) -> dict[str, Any]:
        return {"content_hash": self.cleaned_data["content_hash"], "reason": self.cleaned_data["reason"]}


class ChangesForm(RefusalForm):
    comment = forms.CharField(
        label=_("What should change"),
        max_length=MAX_COMMENT,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The proposer reads it. It goes when the proposal goes."),
    )


class CommentForm(forms.Form):
    comment = forms.CharField(
        label=_("Comment"), max_length=MAX_COMMENT, widget=forms.Textarea(attrs={"rows": 2}), required=True
    )


class TransferForm(forms.Form):
    reviewer = forms.ChoiceField(label=_("To whom"))

    def __init__(self, data: Any = None, *, colleagues: Sequence[Membership]) -> None:
        super().__init__(data)
        field: Any = self.fields["reviewer"]
        field.choices = [(one.external_id, one.name or one.external_id) for one in colleagues]


class RewordForm(AnswerForm):
    """Better words for a candidate, saved before they are approved: other content, with another hash."""

    statement = forms.CharField(
        label=_("What it says"), max_length=MAX_STATEMENT, widget=forms.Textarea(attrs={"rows": 3})
    )
    conditions = forms.CharField(
        label=_("When it applies"), max_length=MAX_STATEMENT, required=False, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, data: Any = None, *, candidate: Candidate, policy: Policy) -> None:
        super().__init__(data, candidate=candidate, policy=policy)
        self.initial.update(statement=candidate.statement, conditions=candidate.conditions)
        self._value = candidate.value
        if procedure := procedures.read(candidate.value):
            lines = {"steps": procedure.steps, "stop_conditions": procedure.stop_conditions}
            labels = {"steps": _("Steps, one a line"), "stop_conditions": _("Stop when, one a line")}
            for name, entries in lines.items():
                widget = forms.Textarea(attrs={"rows": max(3, len(entries) + 1)})
                self.fields[name] = forms.CharField(label=labels[name], required=name == "steps", widget=widget)
                self.initial[name] = "\n".join(entries)

    def words(self) -> dict[str, Any]:
        """The new words as the verb takes them."""
        given: dict[str, Any] = self.cleaned_data
        value: Any = self._value
        if "steps" in given:
            lines = {name: [line.strip() for line in given[name].splitlines() if line.strip()]
                     for name in ("steps", "stop_conditions")}  # fmt: skip
            value = {**value, **lines}
            value = {name: part for name, part in value.items() if part or name == "steps"}
        return {"statement": given["statement"], "conditions": given["conditions"] or None, "value": value}

    def show_refusal(self, error: InvalidInput) -> None:
        for one in error.errors:
            known = one.pointer.split(".")[-2 if one.pointer.startswith("value.") else -1]
            words = sentence(one.code) if one.code in REASONS else _(one.detail)
            self.add_error(known if known in self.fields else None, words)


class QueueForm(forms.Form):
    """The filters of the queue, as they stand in the address."""

    tab = forms.ChoiceField(choices=Tab.choices, required=False, widget=forms.HiddenInput)
    risk = forms.ChoiceField(label=_("Risk"), choices=[("", _("all")), *reversed(Risk.choices)], required=False)
    kind = forms.ChoiceField(label=_("Kind"), required=False)
    group = forms.ChoiceField(label=_("Team or project"), required=False)
    agent = forms.ChoiceField(label=_("Agent"), required=False)
    only = forms.ChoiceField(
        label=_("Only"),
        choices=[
            ("", _("everything")),
            ("free", _("what nobody works on")),
            ("rivals", _("what has a rival")),
            ("against", _("what would replace an entry that runs speak against")),
        ],
        required=False,
    )
    order = forms.ChoiceField(label=_("Order"), choices=Order.choices, required=False)

    def __init__(self, data: Any, *, policy: Policy, groups: Sequence[Namespace], agents: Sequence[Agent]) -> None:
        super().__init__(data)
        choices: dict[str, Any] = dict(self.fields)
        choices["kind"].choices = [("", _("all")), *kind_choices(policy)]
        choices["group"].choices = [
            ("", _("all")), *((str(one.pk), f"{one.get_type_display()} {one.owner_name}") for one in groups)
        ]  # fmt: skip
        choices["agent"].choices = [("", _("all")), *((str(one.pk), one.name or one.slug) for one in agents)]

    def chosen(self) -> QueueFilter:
        given = self.cleaned_data
        return QueueFilter(**(given | {"tab": given["tab"] or Tab.WAITING, "order": given["order"] or Order.OLDEST}))
